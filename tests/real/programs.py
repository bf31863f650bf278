# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds real programs at -O2 from their source packages, plain and with the flags of
fc-config.

Used by the tests of this folder and by the benchmarks.  Nothing is written outside of
the folder that is asked for, but what sources.py keeps.
"""

import glob
import os
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fctest  # noqa: E402
import sources  # noqa: E402

SOURCES = os.path.join(fctest.BUILD_ROOT, "sources")
BZLIB = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib")


def source(package):
    return sources.source_folder(SOURCES, package)


def run(words, folder, what, **env):
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder,
                          env=fctest.plain_environment(**env))
    if done.returncode != 0:
        raise AssertionError(f"{what} does not build:\n{(done.stdout + done.stderr)[-3000:]}")


def profiling_flags(kind):
    """The `kind` is plain, profiled, gprof, or coverage, which counts for gcov: only what
    is left after early inlining, therefore without any."""
    return {"plain": [], "profiled": fctest.fc_config("--cflags-libs"), "gprof": ["-pg"],
            "coverage": ["-O0", "--coverage"]}[kind]


def compile_all(files, flags, output, kind, compiler="gcc"):
    """All of the source files at once."""
    run([compiler, "-O2", "-g", *flags, "-o", output, *files, *profiling_flags(kind), "-lm",
         "-ldl"], os.path.dirname(output), os.path.basename(output))
    return output


def build_lua(output, kind):
    # The interpreter hashes with a seed from the clock and the layout of memory, caches
    # strings by their address and sorts from a pivot by the clock: fixed here, or no
    # two runs make the same calls.
    flags = ["-std=gnu99", "-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN", "-DLUA_COMPAT_5_3",
             "-Dluai_makeseed(state)=20001u", "-DSTRCACHE_N=1", "-DSTRCACHE_M=1",
             "-Dl_randomizePivot()=0u", "-Wl,-E", "-w"]
    # The package's rules make this header: where this machine's C modules are, of
    # which there are none here.
    include = os.path.join(os.path.dirname(output), "include")
    os.makedirs(include, exist_ok=True)
    with open(os.path.join(include, "lua5.4-deb-multiarch.h"), "w", encoding="utf-8") as stream:
        stream.write('#define DEB_HOST_MULTIARCH "none"\n')
    flags.append("-I" + include)
    folder = source("lua5.4")
    files = sorted(set(glob.glob(folder + "/src/*.c")) - {folder + "/src/luac.c"})
    return compile_all(files, flags, output, kind)


def build_bzip2(output, kind):
    folder = source("bzip2")
    return compile_all([f"{folder}/{name}.c" for name in (*BZLIB, "bzip2")],
                       ["-D_FILE_OFFSET_BITS=64", "-w"], output, kind)


def build_pbzip2(output, kind):
    """With the library of bzip2's package within, so that it is profiled as well."""
    library = source("bzip2")
    folder = source("pbzip2")
    objects = output + ".d"
    os.makedirs(objects)
    run(["gcc", "-O2", "-g", "-w", "-D_FILE_OFFSET_BITS=64", *profiling_flags(kind), "-c",
         *(f"{library}/{name}.c" for name in BZLIB)], objects, "bzip2's library")
    return compile_all(sorted(glob.glob(folder + "/*.cpp")) + sorted(glob.glob(objects + "/*.o")),
                       ["-pthread", "-D_POSIX_PTHREAD_SEMANTICS", "-D_LARGEFILE64_SOURCE",
                        "-D_FILE_OFFSET_BITS=64", "-DUSE_STACKSIZE_CUSTOMIZATION", "-w",
                        "-I" + library], output, kind, compiler="g++")


def configure_and_make(folder, kind, options, program):
    """In `folder`, a copy of the source, with the profiler's flags for the program's own
    files alone, not for what configure tries."""
    run(["./configure", "CFLAGS=-O2 -g -w", *options], folder, "configuration of " + folder)
    flags = profiling_flags(kind)
    run(["make", "-j2", f"CFLAGS=-O2 -g -w {shlex.join(flags)}"], folder, program)
    return os.path.join(folder, program)


def copy_source(package, folder):
    shutil.copytree(source(package), folder, symlinks=True)
    return folder


def build_tcc(folder, kind):
    """From its one source file that includes all others, in `folder`, a copy of the source."""
    copy_source("tcc", folder)
    run(["./configure", "--cc=gcc"], folder, "configuration of tcc")
    return compile_all(["tcc.c"], ["-DONE_SOURCE=1", "-I.", "-w"], os.path.join(folder, "tcc"),
                       kind)


def build_dash(folder, kind):
    """As the package's rules do."""
    copy_source("dash", folder)
    return configure_and_make(folder, kind, ["--disable-fnmatch", "--disable-lineno",
                                             "--disable-glob"], "src/dash")


def build_make(folder, kind):
    """From the repository's state, as the package has it: without a configure script, nor
    the translations that gettext's tools would bring."""
    copy_source("make-dfsg", folder)
    with open(os.path.join(folder, "build-aux", "config.rpath"), "w", encoding="utf-8"):
        pass
    run(["autoreconf", "-fi"], folder, "configure", AUTOPOINT="true")
    return configure_and_make(folder, kind, ["--disable-nls", "--without-guile",
                                             "ac_cv_lib_util_getloadavg=no"], "make")
