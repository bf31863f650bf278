#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Folded stacks: every weight, what a selection leaves, and what can't be in them is said.

import os

from fcfile import Profile, Program, contains, equal, fail, folder, run, simple, with_heap, with_waits

keep = folder()
program = Program()
simple(program).write("simple.fc")


def stacks(*arguments, status=0):
    result = run("--folded", *arguments)
    equal(result.status, status, f"--folded {arguments}: {result.err}")
    return dict((line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1]))
                for line in result.out.splitlines())


equal(stacks("simple.fc"), {"main": 4_000_000, "main;work": 5_000_000, "main;work;leaf": 1_000_000},
      "local times, the two contexts of each function added")
equal(stacks("simple.fc", "--weight=calls"), {"main": 1, "main;work": 2, "main;work;leaf": 3}, "calls")
equal(run("--folded", "simple.fc").err,
      "fcdump: --folded: not in it: call sites, minima, maxima and histograms\n", "what is not in it")

# A function that is left out is no frame; what it called hangs below its caller.
equal(stacks("simple.fc", "--not=work"), {"main": 4_000_000, "main;leaf": 1_000_000}, "--not")
equal(stacks("simple.fc", "--only=leaf"), {"leaf": 1_000_000}, "--only")
equal(stacks("simple.fc", "--not=main,work,leaf"), {}, "nothing left")
equal(stacks("simple.fc", "--min=10.1"), {"main": 4_000_000, "main;work": 5_000_000,
                                          "main;work;(left out)": 1_000_000}, "--min")
contains(run("--folded", "--min=10.1", "simple.fc").err, "--folded: 1 of the lightest contexts are left out",
         "what --min left out")

# --path: the stacks that go that way, also where functions between them are left out; --process.
equal(stacks("simple.fc", "--path=main,work"), {"main;work": 5_000_000, "main;work;leaf": 1_000_000}, "--path")
equal(stacks("simple.fc", "--path=main,leaf"), {"main;work;leaf": 1_000_000}, "--path by way of another")
equal(stacks("simple.fc", "--path=main,leaf", "--not=work"), {"main;leaf": 1_000_000}, "--path and --not")
equal(stacks("simple.fc", "--path=leaf,main"), {}, "--path the wrong way round")
for option in ("--flame=-", "--speedscope=-", "--html=-"):
    whole, some = (run(option, *more, "simple.fc").out for more in ([], ["--path=main,leaf"]))
    if whole == some:
        fail(f"{option} does not heed --path", some)
simple(program, pid=4999).write("first.fc")
equal(stacks("first.fc", "simple.fc", "--process=4999"), stacks("first.fc"), "--process")
# Two processes, several threads.
second = simple(program, pid=4712)
second.thread(4713, 0, 5, 5, 0, True, "other")
second.write("second.fc")
equal(stacks("simple.fc", "second.fc")["main;work"], 10_000_000, "two profiles")
contains(run("--folded", "simple.fc", "second.fc").err, "which thread it was, which process it was",
         "what a sum can't tell")

# Memory, by the context that asked for it; and a profile that has none.
with_heap(program).write("heap.fc")
for weight, expected in {
        "bytes": {"main": 100, "main;work": 4000, "<outside>": 64},
        "blocks": {"main": 1, "main;work": 40, "<outside>": 2},
        "live-bytes": {"main;work": 400, "<outside>": 64},
        "live-blocks": {"main;work": 4, "<outside>": 2},
        "peak-bytes": {"main": 100, "main;work": 2000, "<outside>": 64}}.items():
    equal(stacks("heap.fc", f"--weight={weight}"), expected, weight)
equal(stacks("heap.fc", "--weight=bytes", "--only=work"), {"work": 4000}, "bytes of a selection")

# On the CPU unless --time says otherwise, and --weight has the last word.
with_waits(program).write("waits.fc")
WALL, CPU = {"main": 1_000_000, "main;work": 9_000_000}, {"main": 1_000_000, "main;work": 3_000_000}
for words, expected in (((), CPU), (("--time=cpu",), CPU), (("--time=wall",), WALL),
                        (("--time=wait",), {"main;work": 6_000_000}), (("--weight=time",), WALL),
                        (("--weight=cpu", "--time=wall"), CPU), (("--weight=time", "--time=cpu"), CPU)):
    equal(stacks("waits.fc", *words), expected, f"times {words}")

result = run("--folded", "--weight=bytes", "simple.fc")
equal((result.status, result.out, result.err),
      (1, "", "fcdump: --weight=bytes: the profile has no memory records\n"), "no memory records")

# Names that hold what separates stacks and frames.
strange = Profile(program, run_ns=5)
strange.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, "/none/a;bc\nd.so"))
strange.function("odd", 1, 5, 5, where=0x9010)
strange.functions[0] = ((1, 0x9010), *strange.functions[0][1:])
strange.names["odd"] = 0
strange.context(None, 0x1234, "odd", 1, 5, 5)
with open("strange.fc", "w", encoding="utf-8") as file:
    file.write(strange.text().replace("c\nd.so", "c\\012d.so"))
equal(stacks("strange.fc", status=1), {r"a:bc\x0ad.so+0x10": 5}, "a strange name")

# A chain without end: what is deeper than 1000 levels is counted there.  Every function of the
# chain must differ, or it would be folded.
deep = Profile(program, run_ns=3000)
deep.modules.append((0x100000, 0x100000, 0x200000, 0, 2**64 - 1, None, "/none/deep.so"))
above = None
for number in range(1500):
    name = f"f{number}"
    deep.function(name, 1, 2, 2, where=0x100000 + 16 * number)
    deep.functions[number] = ((1, 0x100000 + 16 * number), *deep.functions[number][1:])
    above = deep.context(above, 0x1234, name, 1, 2 * (1500 - number), 2)
deep.write("deep.fc")
found = stacks("deep.fc", status=1)
equal((len(found), max(found.values()), sum(found.values())), (1000, 2 * 501, 3000), "a deep chain")
contains(run("--folded", "deep.fc").err, "500 contexts deeper than 1000 levels", "what is said of it")

# Counted calls: times are estimates, which no stack can tell.
counted = os.path.join(os.environ["FC_SOURCE_ROOT"], "tests", "fuzz", "corpus", "profile", "counted.fc")
contains(run("--folded", counted).err, "which times are estimates\n", "estimates")

# Version 3.0 has no contexts.
simple(program).write("old.fc", extended=False)
equal(sorted(stacks("old.fc").values()), [1_000_000, 4_000_000, 5_000_000], "version 3.0")
contains(run("--folded", "old.fc").err, "a version 3.0 profile has no calling contexts",
         "what is said of version 3.0")
