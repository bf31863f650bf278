#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --only and --not: names, patterns, addresses, C++ names; --propagate and --rpropagate.

import subprocess

from fcfile import (Profile, Program, classic, contains, equal, fail, folder, recursive, rows, run,
                    simple)


def shown(*arguments):
    text = classic(*arguments)
    if "No function to show." in text:
        return []
    return sorted(row[-1] for row in rows(text, "Flat profile"))


keep = folder()
program = Program()
simple(program).write("simple.fc")
recursive(program).write("recursive.fc")
ALL = ["alpha", "beta", "delta", "even", "fib", "main", "odd"]

equal(shown("recursive.fc"), ALL, "no selection")
equal(shown("recursive.fc", "--only=even"), ["even"], "a name")
equal(shown("recursive.fc", "-only", "even,odd"), ["even", "odd"], "a list")
equal(shown("recursive.fc", "--only", "even", "--only=fib"), ["even", "fib"], "two lists")
equal(shown("recursive.fc", "--only=*a"), ["alpha", "beta", "delta"], "a pattern")
equal(shown("recursive.fc", "--only=[ab]*"), ["alpha", "beta"], "a pattern with a set")
equal(shown("recursive.fc", "-not", "even,?d?"), ["alpha", "beta", "delta", "fib", "main"],
      "--not")
equal(shown("recursive.fc", "--only=*a", "--not=beta"), ["alpha", "delta"], "--only and --not")
address = 0x555500000000 + program.start["odd"]
equal(shown("recursive.fc", f"--only={address:#x}"), ["odd"], "an address")
equal(shown("recursive.fc", f"--only={address + 3:#x}"), ["odd"], "an address within a function")
equal(shown("recursive.fc", f"--not={address:#X}".replace("X", "x")), [n for n in ALL if n != "odd"],
      "--not with an address")
contains(classic("recursive.fc", "--only=*a"), "3 shown, 4 hidden", "how many are hidden")

# Up and down the graph.
equal(shown("recursive.fc", "--only=even", "--propagate"), ["even", "odd"], "callees")
equal(shown("recursive.fc", "-only", "even", "-rpropagate"), ["even", "main", "odd"], "callers")
equal(shown("recursive.fc", "--only=delta", "-propagate"), ["alpha", "beta", "delta"],
      "callees round a cycle")
equal(shown("simple.fc", "--only=work", "--propagate"), ["leaf", "work"], "callees only")
equal(shown("simple.fc", "--only=work", "--rpropagate"), ["main", "work"], "callers only")
equal(shown("simple.fc", "--only=leaf", "--propagate", "--rpropagate"), ["leaf", "main", "work"],
      "both ways")
equal(shown("recursive.fc", "--only=fib", "--propagate", "--rpropagate"), ["fib", "main"],
      "not down again from callers")
equal(shown("recursive.fc", "--not=alpha", "--propagate"), ["even", "fib", "main", "odd"],
      "--not with callees")
equal(shown("recursive.fc", "--not=main", "--propagate"), [], "--not of all")

# The graph of a function keeps the other ends of its arcs, but none that --not names.
text = classic("simple.fc", "--only=work")
contains(text, "-> leaf", "a callee that --only does not name")
if "-> leaf" in classic("simple.fc", "--only=work", "--not=leaf"):
    fail("a callee that --not names")
if "-> work" in classic("simple.fc", "--not=work"):
    fail("a hidden function as a callee")

result = run("simple.fc", "--only=nobody,work")
equal((result.status, result.err), (1, "fcdump: --only: 'nobody' fits no function of simple.fc\n"),
      "a name that there is not")
contains(result.out, "work", "the one that there is")
result = run("simple.fc", "--not=nobody,main")
equal((result.status, result.err), (0, "fcdump: --not: 'nobody' fits no function of simple.fc\n"), "nothing to leave out")

# C++: with and without parameters; commas between brackets belong to the name.
with open("names.cc", "w", encoding="ascii") as file:
    file.write("""
template <class A, class B> struct Pair { __attribute__((noinline)) static int sum(A a, B b); };
template <class A, class B> int Pair<A, B>::sum(A a, B b) { volatile int s = a + b; return s; }
namespace space { __attribute__((noinline)) int twice(int n, long) { volatile int s = n; return s; } }
int main() { return Pair<int, long>::sum(1, 2) + space::twice(1, 2); }
""")
subprocess.run(["c++", "-g", "-O1", "-Wl,--build-id", "-o", "cxx", "names.cc"], check=True)
cxx = Program("c-only")  # replaced by what c++ made
cxx.path = cxx.path.replace("c-only", "cxx")
listing = subprocess.run(["nm", "cxx"], stdout=subprocess.PIPE, check=True).stdout.decode()
cxx.start = {l.split()[2]: int(l.split()[0], 16) for l in listing.split("\n")
             if len(l.split()) == 3}
notes = subprocess.run(["readelf", "-n", "cxx"], stdout=subprocess.PIPE, check=True)
cxx.build_id = notes.stdout.decode().split("Build ID: ")[1].split()[0]
SUM = "_ZN4PairIilE3sumEil"
TWICE = "_ZN5space5twiceEil"
profile = Profile(cxx, run_ns=30)
profile.function(SUM, 1, 10, 10, (10, 10), (10, 10))
profile.function(TWICE, 1, 20, 20, (20, 20), (20, 20))
profile.write("cxx.fc")
equal(shown("cxx.fc"), ["Pair<int, long>::sum", "space::twice"], "names without parameters")
for option in ("--demangle-params", "--demangle=params", "-demangle-ansi", "--demangle=ansi"):
    equal(shown("cxx.fc", option), ["Pair<int, long>::sum(int, long)", "space::twice(int, long)"],
          option)
for option in ("--no-demangle", "-no-demangle", "--demangle=none"):
    equal(shown("cxx.fc", option), [SUM, TWICE], option)
for option in ("-demangle", "-demangle-gnu", "-demangle-java", "--demangle=gnu"):
    equal(shown("cxx.fc", option), ["Pair<int, long>::sum", "space::twice"], option)
equal(shown("cxx.fc", "--only=Pair<int, long>::sum"), ["Pair<int, long>::sum"], "a comma in a name")
equal(shown("cxx.fc", "--only=space::twice(int, long)", "--demangle-params"),
      ["space::twice(int, long)"], "a name with parameters")
equal(shown("cxx.fc", "--only=space::*", "--demangle-params"), ["space::twice(int, long)"],
      "a pattern on a name with parameters")
equal(shown("cxx.fc", "--only=space::twice", "--demangle-params"), ["space::twice(int, long)"],
      "a name whose parameters are left out")
equal(shown("cxx.fc", f"--only={TWICE}"), ["space::twice"], "a linkage name")
