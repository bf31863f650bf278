#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiny projects of the usual build systems, hooked up to FunctionCheck as README.md
says, built for real; each then leaves a profile with the right counts."""

import os
import shutil

from common import BINDIR, HERE, cells, expect, finish, folder, profile_counts, run

PREFIX = os.path.dirname(BINDIR)
PKG_CONFIG_FOLDER = os.path.relpath(os.path.dirname(
    run(["find", PREFIX, "-name", "libfc.pc"], "/").stdout.strip().split("\n")[0]), PREFIX)

# name, programs it needs, how it is built, where the program is
BUILDS = (
    # one flag is enough: gcc links what it compiles for with it
    ("make", ["make"], "make CC=\"gcc $(fc-config --cflags)\"", "program"),
    # make's own rule links without CFLAGS
    ("make", ["make"], "make CFLAGS=\"-O2 -g $(fc-config --cflags)\"", None),
    ("autotools", ["autoreconf", "automake"], "autoreconf -i && ./configure CFLAGS=\"-O2 -g $(fc-config --cflags)\" && make", "program"),
    # the same flags for the link alone, and a build that links by a line without any
    ("plainlink", ["make"], "make CFLAGS=\"-O2 -g $(fc-config --cflags)\" LIBS=\"$(fc-config --libs)\"", "program"),
    ("plainlink", ["make"], "make CFLAGS=\"-O2 -g $(fc-config --cflags)\"", None),
    ("plainlink", ["make", "clang"], "make CC=clang CFLAGS=\"-O2 -g $(fc-config --cflags)\"", None),
    ("make", ["make"], "make CFLAGS=\"-O2 -g $(fc-config --cflags)\" LDLIBS=\"-lm $(fc-config --libs)\"",
     "program"),
    ("make", ["make"], "make CC=\"gcc $(fc-config --cflags-libs)\"", "program"),
    ("make", ["make", "clang"], "make CC=\"clang $(fc-config --cflags-libs)\" CFLAGS=-Werror", "program"),
    ("cmake", ["cmake", "pkg-config"], "cmake -S . -B b -DPROFILE=ON && cmake --build b", "b/program"),
    ("cmake", ["cmake"],
     "cmake -S . -B b -DCMAKE_C_FLAGS=\"$(fc-config --cflags)\""
     " -DCMAKE_EXE_LINKER_FLAGS=\"$(fc-config --libs)\" && cmake --build b", "b/program"),
    ("meson", ["meson", "pkg-config"], "meson setup -Dprofile=enabled b && ninja -C b", "b/program"),
    ("meson", ["meson"],
     "meson setup b -Dc_args=\"$(fc-config --cflags)\" -Dc_link_args=\"$(fc-config --libs)\" && ninja -C b",
     "b/program"),
    ("cxx", ["make", "g++"], "make CXX=\"g++ $(fc-config --cflags-libs)\" program", "program"),
    ("cxx", ["make", "clang++"], "make CXX=\"clang++ $(fc-config --cflags-libs)\" program", "program"),
)
# These differ from one above in C or C++, in one flag or two, or in which functions have hooks; and libtool, which autotools
# call.
FURTHER = (
    ("make", ["make"], "make CC=\"gcc $(fc-config --cflags --every-function)\"", "program"),
    ("make", ["make"], "make CC=\"gcc $(fc-config --cflags --after-inlining)\"", "program"),
    ("cxx", ["meson"], "CXXFLAGS=\"$(fc-config --cflags)\" meson setup --buildtype=debugoptimized b && ninja -C b", "b/program"),
    ("cxx", ["cmake"],
     "cmake -S . -B b -DCMAKE_CXX_FLAGS=\"$(fc-config --cflags)\""
     " -DCMAKE_EXE_LINKER_FLAGS=\"$(fc-config --libs)\" && cmake --build b", "b/program"),
    ("libtool", ["autoreconf", "automake", "libtoolize"],
     "autoreconf -i && ./configure LDFLAGS=-Wl,--as-needed CFLAGS=\"-O2 $(fc-config --cflags)\""
     " LIBS=\"$(fc-config --libs)\" && make", "program"),
    ("libtool", ["autoreconf", "automake", "libtoolize"],
     "autoreconf -i && ./configure CFLAGS=\"-O2 -g $(fc-config --cflags)\" && make", "program"),
    ("cmake", ["cmake"], "CFLAGS=\"-O2 -g $(fc-config --cflags)\" cmake -S . -B b && cmake --build b", "b/program"),
    ("cxx", ["cmake"], "CXXFLAGS=\"-O2 -g $(fc-config --cflags)\" cmake -S . -B b && cmake --build b", "b/program"),
    ("meson", ["meson"], "CFLAGS=\"$(fc-config --cflags)\" meson setup --buildtype=release b && ninja -C b", "b/program"),
    ("cxx", ["meson"],
     "meson setup b -Dcpp_args=\"$(fc-config --cflags)\" -Dcpp_link_args=\"$(fc-config --libs)\""
     " && ninja -C b", "b/program"),
    ("autotools", ["autoreconf", "automake"],
     "autoreconf -i && ./configure CFLAGS=\"-O2 -g $(fc-config --cflags)\" LIBS=\"$(fc-config --libs)\" && make",
     "program"),
)


def check_build(prefix, name, command, program):
    """`program` None: it is linked without libfc, runs, and is not profiled."""
    with folder() as work:
        shutil.copytree(os.path.join(HERE, "projects", name), work, dirs_exist_ok=True)
        if name != "cxx":
            shutil.copy(os.path.join(HERE, "projects", "program.c"), work)
        path = os.path.join(prefix, "bin") + ":" + os.environ["PATH"]
        done = run(command, work, PATH=path, PKG_CONFIG_PATH=os.path.join(prefix, PKG_CONFIG_FOLDER))
        what = "%s: %s: %s" % (name, prefix, command)
        if not expect(done.returncode == 0, what, done.stdout[-2000:] + done.stderr[-2000:]):
            return
        expect("warning" not in (done.stdout + done.stderr).lower().replace("warning level", ""),
               what + ": no warnings", done.stdout + done.stderr)
        for entry in os.listdir(work):  # left by programs that the configuration tried
            if entry.endswith((".fc", ".fcd")):
                os.unlink(os.path.join(work, entry))
        done = run(["./" + (program or "program")], work, FC_QUIET="1")
        expect((done.returncode, done.stdout) == (0, "2100\n"), what + ": runs", done.stdout)
        profile = os.path.join(work, "functioncheck.fc")
        if not program:
            expect(not os.path.exists(profile), what + ": is not profiled")
        elif expect(os.path.exists(profile), what + ": leaves a profile"):
            counts = profile_counts(profile)
            expect(counts == [700, 1], what + ": counts", counts)


with folder() as other:
    # Autotools split the flags anew, and can't have a folder with blanks.
    blanks = shutil.copytree(PREFIX, os.path.join(other, "a folder"), symlinks=True)
    for name_, needed, command_, program_ in cells(BUILDS, FURTHER):
        missing = [tool for tool in needed if not shutil.which(tool)]
        if missing:
            print("not tried for want of %s: %s" % (", ".join(missing), command_))
            continue
        check_build(PREFIX, name_, command_, program_)
        if name_ == "cmake" or "-Dc_args" in command_:
            check_build(blanks, name_, command_, program_)
finish()
