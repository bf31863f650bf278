#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Callers and call sites of functions that a compiler really inlined: recorded by libfc,
# told by debug information.

import csv
import io
import json
import os
import re
import shutil
import subprocess

from fcfile import BINDIR, classic, contains, equal, fail, folder, good, run
from machine import MACHINE

SOURCE = """#include <stdlib.h>
__attribute__((noinline)) int leaf(int n) { volatile int s = n; return s; }
#define INLINE static inline __attribute__((always_inline))
INLINE int inner(int n) { return leaf(n) + 1; }
__attribute__((noinline, no_instrument_function)) int host(int n) { return inner(n) * 2; }
INLINE int part(int n) { volatile int s = n; return s; }
__attribute__((noinline)) int outer(int n) { return part(n) + leaf(n); }
INLINE int key(const void *a) { return *(const volatile int *)a; }
__attribute__((noinline)) int compare(const void *a, const void *b) { return key(a) - key(b); }
int main(void)
{
    int numbers[] = {3, 1, 2};
    int sum = host(3);
    sum += outer(4);
    qsort(numbers, 3, sizeof *numbers, compare);
    return sum == 16 ? 0 : 1;
}
"""
LINES = {text: number for number, text in enumerate(SOURCE.split("\n"), 1)}

keep = folder()
with open("inlined.c", "w", encoding="ascii") as file:
    file.write(SOURCE)
flags = subprocess.run([os.path.join(BINDIR, "fc-config"), "--cflags-libs", "--every-function"],
                       stdout=subprocess.PIPE, check=True).stdout.decode().split()
for compiler in ("gcc", "clang", "clang-14"):
    if not shutil.which(compiler):
        continue
    subprocess.run([compiler, "-O2", "-g", *flags, "-o", "inlined", "inlined.c"], check=True)
    subprocess.run(["./inlined"], check=True, env={**os.environ, "FC_QUIET": "1"})
    data = json.loads(classic("--json"))
    names = [function["name"] for function in data["functions"]]
    arcs = {(names[arc["caller"]], names[arc["callee"]]): arc for arc in data["arcs"]
            if arc["caller"] is not None}
    equal(arcs["inner", "leaf"]["via"], None, f"{compiler}: a caller inlined into another")
    equal(arcs["inner", "leaf"]["inlined"], False, f"{compiler}: a real call")
    equal(arcs["inner", "leaf"]["site"]["line"], 4, f"{compiler}: the line of a real call")
    equal(arcs["outer", "leaf"]["site"]["line"], 7, f"{compiler}: the line of a call")
    for pair in (("outer", "part"), ("compare", "key")):
        equal((arcs[pair]["via"], arcs[pair]["inlined"]), (None, True),
              f"{compiler}: {pair[1]} is inlined into {pair[0]}")
    if arcs["main", "compare"]["via"] is None:
        fail(f"{compiler}: compare is called by way of qsort", arcs["main", "compare"])
    contains(classic(), "Hooks were put in before inlining", "where the hooks are")
    if not re.search(r"-> key  inlined$", classic("--details"), re.M):
        fail(f"{compiler}: no word on inlining", classic("--details"))

# After inlining these are no functions of the profile, and listed as such; the copies are the debug information's.
by_default = subprocess.run([os.path.join(BINDIR, "fc-config"), "--cflags-libs"], stdout=subprocess.PIPE, check=True).stdout.decode().split()
for compiler, options in (("gcc", []), ("gcc", ["-gdwarf-4"]), ("gcc", ["-gsplit-dwarf"]), ("clang", [])):
    if not shutil.which(compiler) or (compiler == "gcc" and MACHINE != "x86_64"):
        continue
    subprocess.run([compiler, "-O2", "-g", *options, *by_default, "-o", "inlined", "inlined.c"], check=True)
    subprocess.run(["./inlined"], check=True, env={**os.environ, "FC_QUIET": "1"})
    told = "Hooks were put in after inlining"
    if (told in classic()) != (compiler == "gcc"):
        fail(f"{compiler}: where the hooks are", classic())
    names = {function["name"] for function in json.loads(classic("--json"))["functions"]}
    for option in ("--peek", "--only"):
        result = run(f"{option}=part", "functioncheck.fc")
        equal((result.status, result.err), (1, f"fcdump: {option}: 'part' fits no function (it was inlined everywhere: "
                                            "--inlined lists these) of functioncheck.fc\n"), f"{compiler}: an inlined function")
    equal(names & {"inner", "part", "key", "leaf", "outer", "compare"}, {"leaf", "outer", "compare"}, f"{compiler}: what is left")
    rows = list(csv.DictReader(io.StringIO(good("--no-reports", "--inlined", "--csv", "--basename", "functioncheck.fc"), newline="")))
    # clang makes one instruction of both, in which it tells of one
    key_copies = next((row["copies"] for row in rows if row["function"] == "key"), None) if compiler == "clang" else "2"
    equal(sorted((row["function"], row["copies"], row["in functions"], row["declared"]) for row in rows),
          [("inner", "1", "1", "inlined.c:4"), ("key", key_copies, "1", "inlined.c:8"), ("part", "1", "1", "inlined.c:6")],
          f"{compiler} {options}: what was inlined")
subprocess.run(["gcc", "-O2", *by_default, "-o", "inlined", "inlined.c"], check=True)
subprocess.run(["./inlined"], check=True, env={**os.environ, "FC_QUIET": "1"})
contains(good("--no-reports", "--inlined", "functioncheck.fc"), "no debug information (-g)", "without debug information")

# What is inlined into a function that calls itself is not called where it does that.
with open("again.c", "w", encoding="ascii") as file:
    file.write("""#define INLINE static inline __attribute__((always_inline))
static volatile int sink;
INLINE void part(int n) { sink += n; }
static void walk(int n)
{
    part(n);
    if (n > 0)
        walk(n - 1);
    sink++;
}
int main(void) { walk(3); return 0; }
""")
subprocess.run(["gcc", "-O0", "-g", *flags, "-o", "again", "again.c"], check=True)
subprocess.run(["./again"], check=True, env={**os.environ, "FC_QUIET": "1"})
data = json.loads(classic("--json"))
names = [function["name"] for function in data["functions"]]
found = sorted((names[arc["callee"]], arc["calls"], arc["inlined"]) for arc in data["arcs"]
               if arc["caller"] is not None and names[arc["caller"]] == "walk")
equal(found, [("part", 1, True), ("part", 3, True), ("walk", 3, False)], "calls by walk")

# Equal functions that the linker folds have one row, which is said; constructors have several linkage names.
with open("folded.cc", "w", encoding="ascii") as file:
    file.write("""struct Made { __attribute__((noinline)) Made(int x) { volatile int s = x; } };
__attribute__((noinline)) int first(int x) { volatile int s = x; return s * 3 + 1; }
__attribute__((noinline)) int second(int x) { volatile int s = x; return s * 3 + 1; }
int main() { Made one(3); return first(1) + second(1) == 8 ? 0 : 1; }
""")
if shutil.which("ld.gold"):
    for option, told in (("--icf=all", True), ("--icf=none", False)):
        subprocess.run(["g++", "-O2", "-ffunction-sections", "-fuse-ld=gold", "-Wl," + option, *by_default, "-o", "folded", "folded.cc"], check=True)
        subprocess.run(["./folded"], check=True, env={**os.environ, "FC_QUIET": "1"})
        text = " ".join(good("--notes", "functioncheck.fc").split())
        equal("one row: first is second, too." in text or "one row: second is first, too." in text, told, option + ": said")
        equal(sorted(function["calls"] for function in json.loads(classic("--json"))["functions"]), [1, 1, 2] if told else [1, 1, 1, 1], option)
