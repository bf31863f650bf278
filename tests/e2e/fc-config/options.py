#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fc-config's command line: what it prints, and its exit statuses."""

import os
import shlex
import shutil
import subprocess

from common import FC_CONFIG, BINDIR, C_COMPILERS, expect, finish, folder, run

PREFIX = os.path.dirname(BINDIR)


def say(*options, program=FC_CONFIG):
    return run([program, *options], "/")


def check_output():
    cflags, libs = say("--cflags").stdout.strip(), say("--libs").stdout.strip()
    expect("-finstrument-functions" in cflags.split(), "--cflags instruments", cflags)
    expect("-lfc" not in cflags, "--cflags has no libraries", cflags)
    expect("-lfc" in libs.split(), "--libs has libfc", libs)
    expect("," not in cflags + libs, "no comma for sed s,,,", cflags + " " + libs)
    expect("-finstrument" not in libs, "--libs does not instrument", libs)
    for options, wanted in (
        (["--cflags-libs"], cflags + " " + libs),
        (["--libs-cflags"], libs + " " + cflags),
        (["--cflags", "--libs"], cflags + " " + libs),
        (["--cflags-libs", "--no-dl", "--no-fork", "--no-thread"], cflags + " " + libs),
        (["--cflags", "--no-fork"], cflags),
        (["--prefix"], PREFIX),
        (["--libs", "--every-function"], libs),
        (["--libs", "--after-inlining"], libs),
    ):
        done = say(*options)
        expect(done.returncode == 0, "%s: status 0" % options, done.returncode)
        expect(done.stdout == wanted + "\n", "%s: output" % options, done.stdout)
        expect(done.stderr == "", "%s: silent on stderr" % options, done.stderr)
    every = say("--cflags", "--every-function").stdout.split()
    after = say("--cflags", "--after-inlining").stdout.split()
    both = {"-finstrument-functions", "-finstrument-functions-after-inlining"}
    expect(both & set(every) == {"-finstrument-functions"}, "--every-function is the classic flag alone", every)
    expect(both <= set(after) and both <= set(cflags.split()), "clang takes the last word", after)
    specs = [[word for word in words if word.startswith("-specs=")] for words in (cflags.split(), every, after)]
    expect(len({tuple(one) for one in specs}) == 3 and all(len(one) == 1 for one in specs), "each has specs of its own", specs)
    version = say("--version").stdout
    expect(version[0].isdigit() and version.count("\n") == 1, "--version", version)
    done = say("--help")
    expect(done.returncode == 0 and "--cflags-libs" in done.stdout, "--help", done.stdout)
    for line in done.stdout.split("\n"):
        expect(len(line) <= 80, "--help fits the screen", line)


    with open("/dev/full", "wb") as full:
        for option in ("--help", "--version", "--cflags-libs"):
            done = subprocess.run([os.path.join(BINDIR, "fc-config"), option], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
            expect((done.returncode, done.stderr) ==
                   (1, b"fc-config: standard output: it cannot be written\n"),
                   "%s that can't be written" % option, done)


def check_refusals():
    for options, status in (
        ([], 2),
        (["--bogus"], 2),
        (["cflags"], 2),
        (["--cflags", "-x"], 2),
        (["--no-dl"], 2),
        (["--cflags-libs", "--static"], 1),
    ):
        done = say(*options)
        expect(done.returncode == status, "%s: status %d" % (options, status), done.returncode)
        expect(done.stdout == "", "%s: nothing on stdout" % options, done.stdout)
        expect(done.stderr != "", "%s: says why" % options)


def check_elsewhere():
    """A moved tree, a symbolic link to it, and a name that the shell would split."""
    with folder() as work:
        moved = os.path.join(work, "it's a $HOME; folder")
        shutil.copytree(PREFIX, moved, symlinks=True)
        moved_config = os.path.join(moved, "bin", "fc-config")
        link = os.path.join(work, "fcc")
        os.symlink(moved_config, link)
        for program in (moved_config, link):
            done = say("--prefix", program=program)
            expect(done.stdout == moved + "\n", "prefix of a moved tree", done.stdout)
            words = shlex.split(say("--cflags-libs", program=program).stdout)
            for word in words:
                start = word.find("/")
                if start >= 0:
                    path = word[start:]
                    expect(path.startswith(moved), "paths of a moved tree", word)
                    expect(os.path.exists(path), "exists", path)
        with open(os.path.join(work, "t.c"), "w") as file:
            file.write("int main(void) { return 7; }\n")
        for compiler in C_COMPILERS:
            done = run('eval "%s $(./fcc --cflags-libs) -o t t.c" && FC_QUIET=1 ./t' % compiler, work)
            expect(done.returncode == 7, "%s with quoted flags, by eval" % compiler, done.stderr)


check_output()
check_refusals()
check_elsewhere()
finish()
