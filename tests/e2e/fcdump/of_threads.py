#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --thread of a profile that says which thread called whom: calls between functions are those of the threads that are
# wanted, where the profile has them all; of a profile written by hand, and of a program whose threads differ.

import collections
import json
import os
import subprocess

from fcfile import Program, contains, equal, folder, good, run, simple
import fctest

keep = folder()
program = Program()


def write(path, shares, costs=False):
    """main calls work twice, a second thread once; `shares`: of the arcs from outside to main, main to work at two
    places, work to leaf, and from outside to work."""
    profile = simple(program, pid=100)
    profile.arc(None, 0x7f0000001234, "work", 1, 2_000_000)
    profile.arcs[2] = (*profile.arcs[2][:3], 0, 0)
    profile.threads = []
    profile.thread(100, 0, 10_000_000, 10_000_000, 3, False, "main",
                   [("main", 1, 10_000_000, 4_000_000), ("work", 1, 4_000_000, 3_200_000),
                    ("leaf", 1, 800_000, 800_000)])
    profile.thread(101, 0, 9_000_000, 2_000_000, 3, True, "helper",
                   [("work", 1, 2_000_000, 1_800_000), ("leaf", 2, 200_000, 200_000)])
    for share in shares:
        profile.thread_arc(*share)
    return profile.write(path)


MAIN = [(0, 0, 1, 10_000_000), (0, 1, 1, 4_000_000), (0, 3, 1, 800_000)]
HELPER = [(1, 4, 1, 2_000_000), (1, 3, 2, 200_000)]


def arcs(*arguments):
    """{(caller, callee): (calls, ns)} of --json, whose sites of one pair are added."""
    data = json.loads(good("--json", *arguments))
    names = [function["name"] for function in data["functions"]]
    sums = collections.Counter()
    for arc in data["arcs"]:
        key = "<outside>" if arc["caller"] is None else names[arc["caller"]], names[arc["callee"]]
        sums[(*key, "calls")] += arc["calls"]
        sums[(*key, "ns")] += arc["total_ns"]
    return data, {key[:2]: (sums[(*key[:2], "calls")], sums[(*key[:2], "ns")]) for key in sums}


write("two.fc", MAIN + HELPER)
data, found = arcs("two.fc", "--thread=helper")
equal(found, {("<outside>", "work"): (1, 2_000_000), ("work", "leaf"): (2, 200_000)}, "arcs of a thread")
equal((data["contexts"], [thread["tid"] for thread in data["threads"]]), (None, [101]), "contexts, and threads")
equal(arcs("two.fc", "--thread=100")[1], {("<outside>", "main"): (1, 10_000_000), ("main", "work"): (1, 4_000_000),
                                          ("work", "leaf"): (1, 800_000)}, "arcs of the other")
# A thread that no thread's arcs are wanted of takes nothing away; all threads are the whole.
equal(arcs("two.fc", "--thread=10?")[0]["contexts"] is None, False, "contexts of all threads")

text = good("two.fc", "--thread=helper", "--no-reports", "--graph")
contains(text, "200.0 us   10.0      2   2      -> leaf\n", "--graph")
text = good("two.fc", "--thread=helper", "--no-reports", "--rgraph")
contains(text, "200.0 us  100.0      2   2      <- work\n", "--rgraph")
equal("main" in text, False, "--rgraph has no other thread's caller")
text = good("two.fc", "--thread=helper", "--no-reports", "--peek=work")
contains(text, "2.000 ms  100.0      1   1      <- <outside>\n", "--peek, callers")
contains(text, "200.0 us   10.0      2   2      -> leaf\n", "--peek, callees")
contains(good("two.fc", "--thread=helper", "--no-reports", "--cycles"), "None: no function calls itself", "--cycles")
contains(run("two.fc", "--thread=helper", "--dot").out, "2.000 ms", "--dot")
equal(run("two.fc", "--thread=helper", "--callgrind=out.cg").status, 0, "--callgrind")
with open("out.cg", encoding="utf-8") as file:
    lines = file.read().splitlines()
equal([line.split(" ")[0] for line in lines if line.startswith(("part:", "calls="))], ["part:", "calls=1", "calls=2"],
      "calls of --callgrind")
contains("\n".join(lines), "\ntotals: 2000000", "--callgrind")
for option in ("--folded", "--flame=x.svg", "--html=x.html"):
    result = run("two.fc", "--thread=helper", option)
    equal((result.status, result.out), (1, ""), f"{option} of some threads")
    contains(result.err, "fcdump: --thread: Calling contexts are known of all threads together", option)
for option, title in (("--tree", "Calling-context tree"), ("--hot-path", "Hot path")):
    contains(good("two.fc", "--thread=helper", "--no-reports", option), title + "\nCalling contexts are known of all",
             option)

# Of a thread whose arcs are not all there none are shown; what the other one lacks does not matter.
for name, shares in (("none", MAIN), ("fewer", MAIN + HELPER[:1]), ("less", MAIN + [HELPER[0], (1, 3, 1, 200_000)])):
    write(name + ".fc", shares)
    for option, title in (("--graph", "Call graph"), ("--cycles", "Cycles"), ("--peek=work", "Callers and callees")):
        contains(good(name + ".fc", "--thread=helper", "--no-reports", option),
                 title + "\nWho called whom is known of all", f"{option} of {name}")
    result = run(name + ".fc", "--thread=helper", "--json")
    equal((result.status, result.out), (1, ""), f"--json of {name}")
    contains(result.err, "Who called whom", name)
    equal(arcs(name + ".fc", "--thread=main")[1][("work", "leaf")], (1, 800_000), f"{name}, the other thread")

# Of a sum: a thread of each of two processes.
write("again.fc", MAIN + HELPER)
equal(arcs("two.fc", "again.fc", "--thread=helper")[1],
      {("<outside>", "work"): (2, 4_000_000), ("work", "leaf"): (4, 400_000)}, "a sum")
write("none.fc", MAIN)
contains(run("two.fc", "none.fc", "--thread=helper", "--json").err, "Who called whom", "a sum with one that lacks them")

# The part of a time off the CPU is the thread's, too.
with open(write("waits.fc", MAIN + [(1, 4, 1, 2_000_000, 500, 1_500_000), HELPER[1]]), encoding="utf-8") as file:
    text = file.read()
with open("waits.fc", "w", encoding="utf-8") as file:
    file.write(text.replace("section thread-arcs", "section wait-threads 1 1\n1 1 1500000 0 0\n"
                            "section wait-thread-functions 1 1\n1 0 1500000 1500000\nsection thread-arcs"))
text = good("waits.fc", "--thread=helper", "--no-reports", "--peek=work", "--time=cpu")
contains(text, "500.0 us  100.0  1.500 ms      1   1      <- <outside>\n", "a call on the CPU")
contains(text, "300.0 us   60.0  1.500 ms                 (local)\n", "local time on the CPU")
contains(good("waits.fc", "--thread=helper", "--no-reports", "--peek=work", "--time=wall"), "2.000 ms  100.0",
         "--time=wall")

# ---- A profile for each thread -------------------------------------------------------------


def own(path, tid, **keywords):
    """`simple` as the profile of that thread, which lists no functions of it."""
    profile = simple(program, profile_mode=3, pid=100, thread=tid, **keywords)
    profile.threads = []
    profile.thread(tid, 0, 10_000_000, 10_000_000, 6, False, f"t{tid}")
    return profile.write(path)


own("a.fc", 100)
own("b.fc", 101)
rows = good("a.fc", "b.fc", "--by=thread")
for tid in (100, 101):
    contains(rows, f"10.00 ms  50.0      6  {tid}  t{tid}\n", "--by=thread of profiles of threads")
    contains(good("a.fc", "b.fc", "--no-reports", "--threads"), f"Thread {tid} (t{tid}), by local time", "--threads of them")
data = json.loads(good("a.fc", "b.fc", "--json"))
equal([[(data["functions"][function["function"]]["name"], function["calls"], function["local_ns"])
        for function in thread["functions"]] for thread in data["threads"]],
      [[("main", 1, 4_000_000), ("work", 2, 5_000_000), ("leaf", 3, 1_000_000)]] * 2, "JSON of profiles of threads")
# That of a process says what each thread has; what it leaves out is not known.
simple(program).write("whole.fc")
equal([thread["functions"] for thread in json.loads(good("whole.fc", "--json"))["threads"]], [[]],
      "a process's profile without functions of its thread")

# ---- A real program ------------------------------------------------------------------------

subprocess.run(["cc", "-g", "-o", "wordindex", os.path.join(fctest.SOURCE_ROOT, "examples", "wordindex.c"), "-pthread",
                *fctest.fc_config("--cflags-libs")], check=True, timeout=300)
for detail in ("all", "eager"):
    subprocess.run(["./wordindex", "-t", "3"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True,
                   stderr=subprocess.DEVNULL, env=fctest.plain_environment(detail), timeout=300)
    whole, expected = arcs("functioncheck.fc")
    sums = collections.Counter()
    of_threads = []
    for thread in whole["threads"]:
        some, found = arcs("functioncheck.fc", f"--thread={thread['tid']}")
        of_threads.append(found)
        own = {function["function"]: function for function in thread["functions"]}
        for index, function in enumerate(some["functions"]):
            for key in ("calls", "local_ns", "raw_local_ns", "local_wait_ns"):
                equal(function[key], own[index][key] if index in own else 0, f"{key} of {function['name']}")
        for pair, (calls, _) in found.items():
            sums[pair] += calls
    equal(dict(sums), {pair: calls for pair, (calls, _) in expected.items()}, f"calls of all threads, {detail}")
    equal([("main", "make_text") in found for found in of_threads], [True, False, False, False],
          "only one makes the text")
