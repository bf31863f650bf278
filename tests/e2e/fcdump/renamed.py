#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --diff of a program whose source files got other names: a static function is the one that it was, where it is the
# only one of its name on either side; where there are several, those of other files are others.

import os
import subprocess

from fcfile import equal, folder, good, rows

BINDIR = os.environ["FC_BINDIR"]
keep = folder()


def shell(command):
    subprocess.run(command, shell=True, check=True, stdin=subprocess.DEVNULL,
                   env={**os.environ, "FC_QUIET": "1", "PATH": f"{BINDIR}:{os.environ['PATH']}"})


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def build(program, *sources, runs=2):
    shell(f"gcc -g -O1 $(fc-config --cflags-libs --every-function) -o {program} {' '.join(sources)}")
    for number in range(runs):
        shell(f"FC_DUMP_NAME={program}{number}.fc ./{program}")
    return [f"{program}{number}.fc" for number in range(runs)]


def findings(before, after):
    text = good("--diff", "--all", "--width=0", *before, "--", *after)
    return {row[-1]: row[-2] for row in rows(text, "Functions that changed")}


MAIN = """static volatile unsigned sum;
static __attribute__((noinline)) void inner(int n) { for (int i = 0; i < n; i++) sum += i; }
int main(void) { for (int i = 0; i < 100; i++) inner(1000); return 0; }
"""
write("first.c", MAIN)
write("second.c", MAIN.replace("i < 100;", "i < 200;"))
one, two = build("first", "first.c"), build("second", "second.c")
found = findings(one, two)
equal((sorted(found), "more calls" in found["inner"]), (["inner", "main"], True), "a file with another name")
equal(sorted(findings(one, one)), ["inner", "main"], "the same file")

# Of two functions of one name each is known by its file.
write("other.c", "static volatile unsigned all;\nstatic __attribute__((noinline)) void inner(int n) { all += n; }\n"
      "void other(void) { inner(1); }\n")
write("both.c", MAIN.replace("int main", "void other(void);\nint main").replace("return 0", "other(); return 0"))
three = build("both", "both.c", "other.c")
found = findings(one, three)
equal(sorted(name for name in found if name.startswith("inner") and found[name] in ("new", "vanished")),
      sorted(name for name in found if name.startswith("inner")), "which of them it was is not known")
