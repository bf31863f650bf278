#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Callers and call sites of functions that a compiler really inlined: recorded by libfc,
# told by debug information.

import json
import os
import re
import shutil
import subprocess

from fcfile import BINDIR, classic, equal, fail, folder

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
    if not re.search(r"-> key  inlined$", classic("--details"), re.M):
        fail(f"{compiler}: no word on inlining", classic("--details"))

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
