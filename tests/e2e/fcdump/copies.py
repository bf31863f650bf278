#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A function that a header defines is compiled into each unit that includes it.  It is one row in all
# reports, whose time counts once where one copy calls another; --split tells the copies apart by
# their units.  Functions that merely have one name stay apart.

import json
import os
import subprocess

from fcfile import contains, equal, fail, folder, good, rows, run

BINDIR = os.environ["FC_BINDIR"]
keep = folder()


def shell(command):
    subprocess.run(command, shell=True, check=True, stdin=subprocess.DEVNULL,
                   env={**os.environ, "FC_QUIET": "1", "PATH": f"{BINDIR}:{os.environ['PATH']}"})


def write(name, text):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


# Copy a calls copy b by way of step_b, which calls copy c by way of step_c; and there is a function
# of the same name in another header of the same base name, and one in a unit of its own.
write("inc/shared.h", """typedef void Step(int);
static volatile int sink;
static void shared(Step *step, int n)
{
    for (int i = 0; i < 3000; i++)
        sink += i;
    if (step)
        step(n);
}
""")
write("other/shared.h", "static int shared(int n) { return n + 1; }\n")
write("a.c", """#include "inc/shared.h"
void step_b(int n); int far(int n); int alone(int n); int also(int n);
int main(void)
{
    for (int i = 0; i < 5; i++)
        shared(step_b, i);
    return far(1) + alone(2) + also(3) == 7 ? 0 : 1;
}
""")
write("deep/b.c", """#include "../inc/shared.h"
void step_c(int n);
void step_b(int n) { shared(step_c, n); shared(0, n); }
""")
write("wide/b.c", """#include "../deep/../inc/shared.h"
void step_c(int n) { shared(0, n); }
""")
write("far.c", '#include "other/shared.h"\nint far(int n) { return shared(n); }\n')
write("alone.c", "static int shared(int n) { return n + 1; }\nint alone(int n) { return shared(n); }\n")
write("also/alone.c", "static int shared(int n) { return n - 1; }\nint also(int n) { return shared(n); }\n")
UNITS = "a.c deep/b.c wide/b.c far.c alone.c also/alone.c"
COPIES = ["shared [a.c]", "shared [deep/b.c]", "shared [wide/b.c]"]
OTHERS = ["shared [./alone.c]", "shared [also/alone.c]", "shared [other/shared.h]"]


def table(*arguments, profile="functioncheck.fc"):
    """The flat profile by function: total, local (ns) and calls."""
    text = good("--no-reports", "--flat", "--units=ns", "--time=wall", "--raw", "--width=0", *arguments, profile)
    return {row[-1]: (int(row[0].split()[0].lstrip("~?")), int(row[2].split()[0].lstrip("~?")), int(row[-2]))
            for row in rows(text, "Flat profile")}


def named(functions):
    return sorted(name for name in functions if name.startswith("shared"))


for compiler, flags in (("gcc", "-O0 -g"), ("gcc", "-O2 -g"), ("clang", "-O0 -g"), ("clang", "-O0 -gdwarf-4")):
    shell(f"{compiler} {flags} $(fc-config --cflags-libs --every-function) -o prog {UNITS} && ./prog")
    one, split = table(), table("--split")
    whole = [name for name in one if name not in split and "inc/shared.h" in name]
    equal((len(whole), len(named(one)), len(named(split))), (1, 4, 6), f"{compiler} {flags}: rows of that name")
    merged = one[whole[0]]
    copies = [split[name] for name in named(split) if "inc/shared.h" in name]
    equal(len(copies), 3, "copies")
    equal(merged[2], sum(copy[2] for copy in copies), "calls")
    equal(merged[2], 20, "as many as the source makes")
    equal(merged[1], sum(copy[1] for copy in copies), "local time")
    # By the contexts: what any of the copies was active for.
    data = json.loads(good("--json", "functioncheck.fc"))
    contexts = data["contexts"]
    firsts = {function["copy_of"] for function in data["functions"]} - {None}
    equal(len(firsts), 1, "copies in JSON are told")
    group = {i for i, function in enumerate(data["functions"]) if i in firsts or function["copy_of"] in firsts}
    equal(len(group), 3, "all in JSON")
    equal(sorted(data["functions"][i]["calls"] for i in group), sorted(copy[2] for copy in copies), "as --split has them")
    inside = []
    for context in contexts:
        inside.append(context["function"] in group or (context["parent"] is not None and inside[context["parent"]]))
    active_ns = sum(context["raw_local_ns"] for context, active in zip(contexts, inside) if active)
    if abs(merged[0] - active_ns) > 2 * len(contexts):  # each time in a profile is rounded
        fail("total time", merged[0], active_ns)
    if not max(copy[0] for copy in copies) <= merged[0] < sum(copy[0] for copy in copies):
        fail("time in which one copy called another counts twice", merged, copies)
    # Copies by unit, two of which have one name; the others by file.
    equal(sorted(name.split(" ")[-1] for name in split if "inc/shared.h" in name),
          ["[a.c]", "[deep/b.c]", "[wide/b.c]"], "units")

# Copies that call each other, by way of functions that both call: what was folded onto an upper call
# of those is within both copies, and in the total once, as it is in the tree.
write("turns.h", """int turn(int n);
static volatile int sink;
static int shared(int n)
{
    for (int i = 0; i < 3000; i++)
        sink += i;
    return n > 0 ? turn(n - 1) : 0;
}
""")
write("even.c", """#include "turns.h"
int odd(int n);
int even(int n) { return shared(n); }
int turn(int n) { return n % 2 ? odd(n) : even(n); }
int main(void) { return even(6); }
""")
write("odd.c", '#include "turns.h"\nint odd(int n) { return shared(n); }\n')
shell("gcc -O0 -g $(fc-config --cflags-libs --every-function) -o turns even.c odd.c && FC_DUMP_NAME=turns.fc ./turns")
whole_ns, local_ns, calls = table(profile="turns.fc")["shared"]
equal((calls, sorted(row[2] for row in table("--split", "--only=shared*", profile="turns.fc").values())),
      (7, [3, 4]), "calls of the copies that call each other")
if not local_ns <= whole_ns <= table(profile="turns.fc")["main"][0] + 10:
    fail("recursion by way of another copy counts twice", table(profile="turns.fc"))

# Every report has them as one.
name = whole[0]
text = good("--no-reports", "--graph", "--rgraph", "--width=0", "functioncheck.fc")
for report in ("--graph", "--tree", "--heaviest", "--hot-path", "--peek=shared"):
    for line in good("--no-reports", report, "--width=0", "functioncheck.fc").splitlines():
        if "inc/shared.h]" in line and (name not in line or "[deep/b.c]" in line or "+0x" in line):
            fail(f"{report}: a copy by itself", line)
folded = run("--folded", "functioncheck.fc").out
contains(folded, f"main;{name};", "folded stacks")
for line in folded.splitlines():
    if line.count(name) > 1:
        fail("a copy within another is recursion, which is folded", line)
tree = good("--no-reports", "--tree", "--width=0", "--units=ns", "--time=wall", "--raw", "functioncheck.fc")
found = [row for row in rows(tree, "Calling-context tree") if name in row[-1]]
equal(len(found), 1, "nodes of the tree")
equal(int(found[0][-2]), 20, "calls of its node")
if abs(int(found[0][0].split()[0].lstrip("<~")) - table()[name][0]) > 2 * len(contexts):
    fail("total time of its node", found[0], table()[name])
by_file = good("--no-reports", "--flat", "--by=file", "--basename", "--units=ns", "--width=0", "functioncheck.fc")
equal(sum(int(row[-2]) for row in rows(by_file, "Files") if row[-1] == "shared.h"), 20 + 1, "by file")
for export, ending in (("html", "html"), ("callgrind", "out"), ("dot", "dot"), ("speedscope", "json")):
    if export == "dot":
        written = run("--dot", "--all", "functioncheck.fc").out
    else:
        run(f"--{export}=x.{ending}", "functioncheck.fc")
        with open(f"x.{ending}", encoding="utf-8") as file:
            written = file.read()
    contains(written, name, export)
    if "[deep/b.c]" in written:
        fail(f"{export} has a copy by itself")
# An address in any copy means all of it.
places = [entry["address"] for i in group for entry in data["functions"][i]["entries"]]
for place in places:
    address = hex(int(str(place), 0) + 1)
    equal(sorted(table(f"--only={address}")), [name], f"--only={address}")

# Of a difference one row; with --split each by itself.
for arguments, count in (([], 1), (["--split"], 3)):
    result = run("--diff", "--json", *arguments, "functioncheck.fc", "--", "functioncheck.fc")
    equal(sum("inc/shared.h" in f["name"] for f in json.loads(result.out)["functions"]), count, f"--diff {arguments}")

# Without lines nothing tells which are the same; by offset they stay apart.
shell(f"gcc -O0 -g0 $(fc-config --cflags-libs --every-function) -o prog {UNITS} && ./prog")
equal(len(named(table())), 6, "without debugging information")

# ---- Between builds in other folders -----------------------------------------------------------
#
# Static functions of one name, in files of one name, in folders of one name.
for build in ("old", "new"):
    for place, value in (("left", 1), ("right", 2)):
        write(f"{build}/{place}/x/util.c",
              f"static int helper(int n) {{ return n + {value}; }}\nint {place}(int n) {{ return helper(n); }}\n")
    write(f"{build}/main.c", """#include <stdlib.h>
int left(int n); int right(int n);
int main(int argc, char **argv)
{
    for (int i = 0; i < atoi(argv[1]); i++) left(i);
    for (int i = 0; i < atoi(argv[2]); i++) right(i);
    return argc - 3;
}
""")
    for number, (left, right) in enumerate(((3, 5), (0, 5), (3, 0))):
        shell(f"cd {build} && gcc -O0 -g $(fc-config --cflags-libs --every-function) -o prog main.c $PWD/left/x/util.c $PWD/right/x/util.c "
              f"&& FC_DUMP_NAME=run-{number}.fc ./prog {left} {right}")


def helpers(before, after):
    """Calls of each row of that name, before and after."""
    report = json.loads(run("--diff", "--json", *(f"old/run-{i}.fc" for i in before), "--",
                            *(f"new/run-{i}.fc" for i in after)).out)
    return sorted((f["calls"]["before"], f["calls"]["after"]) for f in report["functions"] if f["name"].startswith("helper"))


equal(helpers([0], [0]), [(3, 3), (5, 5)], "both in both")
equal(helpers([0], [1]), [(3, 0), (5, 5)], "one vanished")
equal(helpers([1], [0]), [(0, 3), (5, 5)], "one is new")
equal(helpers([1], [1, 2]), [(0, 1.5), (5, 2.5)], "each run has another one")
