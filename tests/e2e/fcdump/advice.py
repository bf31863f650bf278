#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Errors that help: no profile, a program in place of one, an option that is not quite one, nothing to print.

import os
import subprocess

from fcfile import BINDIR, Program, contains, equal, fail, folder, good, run, simple
from machine import MACHINE

keep = folder()
program = Program()
os.makedirs("here/below")
simple(program).write("beside.fc")
os.chdir("here")

MISSING = "fcdump: functioncheck.fc: No such file or directory\n"


def advice(*arguments):
    result = run(*arguments)
    equal((result.status, result.out), (1, ""), f"{arguments}: status and output")
    return result.err


# No profile: what was looked for, whether the program was built for it, what lies near.
text = advice()
for part in (MISSING, "fcdump: looked for functioncheck.fc and functioncheck.fcd in this folder\n",
             "compiled and linked with the flags of fc-config",
             "fcdump: profiles near, the newest first: ../beside.fc\n"):
    contains(text, part, "no profile here")
for number, path in enumerate(("below/one.fc", "two.fc", "three.fcd", "a.fc", "b.fc", "c.fc")):
    simple(program).write(path)
    os.utime(path, (1700000000 + number, 1700000000 + number))
contains(advice(), "newest first: c.fc, b.fc, a.fc, three.fcd, two.fc and 1 more\n", "those here and below")
text = advice("gone.fc")
contains(text, "fcdump: gone.fc: No such file or directory\n", "a profile that is not there")
contains(text, "newest first: c.fc, b.fc", "those beside it")
if "looked for" in text:
    fail("nothing else was looked for", text)
contains(advice("below/gone.fc"), "newest first: below/one.fc\n", "those in its folder")
with open("broken.fc", "w", encoding="ascii") as file:
    file.write("functioncheck_v3.0\n")
equal(advice("broken.fc").count("\n"), 1, "a profile that is there, but can't be read")
os.remove("broken.fc")

# Two profiles have the names that are read where none is given: the newer one is, and a line says so.
for name in ("functioncheck.fc", "functioncheck.fcd"):
    simple(program).write(name)
os.utime("functioncheck.fc", (1700000000, 1700000000))
os.utime("functioncheck.fcd", (1700000001, 1700000001))
equal(run("--flat").err, "fcdump: functioncheck.fcd is read: it is newer than functioncheck.fc\n", "the newer one")
os.utime("functioncheck.fc", (1700000002, 1700000002))
equal(run("--flat").err, "fcdump: functioncheck.fc is read: it is newer than functioncheck.fcd\n", "and once more")
equal(run("--flat", "functioncheck.fc").err, "", "where it was named nobody asks")
os.remove("functioncheck.fcd")
equal(run("--flat").err, "", "nor where there is one")
os.remove("functioncheck.fc")

# A program where a profile is wanted.
with open("a.c", "w", encoding="ascii") as file:
    file.write("int main(void) { return 0; }\n")
libs = subprocess.run([os.path.join(BINDIR, "fc-config"), "--cflags-libs"], capture_output=True, text=True,
                      check=True).stdout.split()
after_inlining = subprocess.run([os.path.join(BINDIR, "fc-config"), "--cflags-libs", "--after-inlining"],
                                capture_output=True, text=True, check=True).stdout.split()
only_libs = subprocess.run([os.path.join(BINDIR, "fc-config"), "--libs"], capture_output=True, text=True,
                           check=True).stdout.split()
HOOKLESS = "has no hooks: compile and link it with the flags of fc-config --cflags-libs\n"
READY = "was built to be profiled: its profile is where it was started"
for name, flags, part in (
        ("plain", [], HOOKLESS),
        ("linked", only_libs, HOOKLESS),
        ("linked-stripped", ["-s", *only_libs], HOOKLESS),
        ("static", ["-static"], "is linked statically: libfc needs a program that is linked dynamically\n"),
        ("unlinked", ["-finstrument-functions"], "has hooks, but was not linked with the flags of fc-config --libs\n"),
        ("ready-stripped", ["-s", *libs], READY),
        ("ready-indirect", ["-fno-plt", *libs], READY),
        ("ready-library", ["-shared", "-fPIC", "-s", *libs], READY),
        ("ready-after-inlining", ["-O2", "-s", *(after_inlining if MACHINE == "x86_64" else libs)], READY),
        ("ready", libs, READY)):
    subprocess.run(["gcc", "a.c", "-o", name, *flags], check=True)
    text = advice("./" + name)
    contains(text, f"fcdump: ./{name} {part}", name)
    contains(text, "newest first: c.fc", "and what is near")

# The nearest option.
for word, nearest in (("--flate", "--flat"), ("--summery", "--summary"), ("-no-grap", "--no-graph"), ("--dept=3", "--depth"),
                      ("--pee", "--peek"), ("--hot", "--hot-path"), ("--flame-chart", None), ("--xyzzy", None)):
    result = run(word, "c.fc")
    equal((result.status, result.out), (2, ""), word)
    contains(result.err, f"fcdump: unknown option '{word}'" + (f"; the nearest is '{nearest}'\n" if nearest else "\n"), word)

# Nothing to print is said.
result = run("--latency", "--no-reports", "c.fc")
equal((result.status, result.out), (2, ""), "no report")
contains(result.err, "no report is left: --no-reports takes away what was named before it", "no report")
equal(good("--no-reports", "--notes", "c.fc"), "The reports that were asked for have nothing to say of this profile.\n",
      "a report that is empty")
for option in ("--fail-on-leak", "--fail-on-bad-free"):
    result = run("--no-reports", option, "c.fc")
    equal((result.status, result.err), (1, f"fcdump: {option}: nothing is known of memory in c.fc: set FC_MEMORY=1 for the run\n"),
          "a run without FC_MEMORY")
