#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What callgrind_annotate reads from --callgrind, against the figures that went in: written by hand,
# and of a real program whose threads share functions.

import json
import os
import re
import shutil
import subprocess
import sys

from fcfile import Program, contains, equal, fail, folder, good, recursive, run, simple, with_waits
import fctest

if shutil.which("callgrind_annotate") is None:
    print("valgrind is not installed")
    sys.exit(77)
keep = folder()
program = Program()


def export(*arguments):
    result = run("--callgrind=out.cg", *arguments)
    equal((result.status, result.out), (0, ""), f"--callgrind {arguments}: {result.err}")
    return result.err


def number(text):
    return int(text.replace(",", ""))


def annotate(*options, event="ns"):
    """{function: ns} and the total, as callgrind_annotate has them, and its complaints."""
    done = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", f"--show={event}",
                           f"--sort={event}", *options, "out.cg"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=True, text=True)
    rows = re.findall(r"^ *([\d,]+) \( ?[\d.]+%\)  (?:\S*:)?(\S+) \[", done.stdout, re.M)
    total = re.search(r"^([\d,]+) \(100.0%\)  PROGRAM TOTALS", done.stdout, re.M)
    return {name: number(ns) for ns, name in rows}, number(total.group(1)), done.stderr


def tree(event="ns"):
    """{(caller, callee): (ns, calls)} of callgrind_annotate's tree."""
    done = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", "--tree=calling",
                           f"--show={event}", f"--sort={event}", "--inclusive=yes", "out.cg"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=300, check=True, text=True)
    arcs = {}
    caller = None
    for line in done.stdout.splitlines():
        head = re.search(r"  \*  (?:\S*:)?(\S+) \[", line)
        row = re.match(r" *([\d,]+)(?: \( ?[\d.]+%\))?  >   (?:\S*:)?(\S+) \(([\d,]+)x\) \[", line)
        if head:
            caller = head.group(1)
        elif row:
            arcs[caller, row.group(2)] = (number(row.group(1)), number(row.group(3)))
    return arcs


# ---- Written by hand ---------------------------------------------------------------------

simple(program).write("simple.fc")
equal(export("simple.fc"), "fcdump: --callgrind: not in it: calling contexts, minima, maxima and histograms\n",
      "notes")
equal(annotate(), ({"main": 4_000_000, "work": 5_000_000, "leaf": 1_000_000}, 10_000_000, ""), "local times")
inclusive = annotate("--inclusive=yes")[0]
equal([inclusive[name] for name in ("main", "work", "leaf")], [10_000_000, 6_000_000, 1_000_000],
      "inclusive times")
equal(tree(), {("<outside>", "main"): (10_000_000, 1), ("main", "work"): (6_000_000, 2),
               ("work", "leaf"): (1_000_000, 3)}, "arcs")

# Each call stands at the line that it comes from, each function at that of its name.
with open("out.cg", encoding="utf-8") as file:
    text = file.read()
line = {place: program.line(program.start["main"] + int(place.split("+")[1]) - 1).rsplit(":", 1)[1]
        for place in ("main+6", "main+12")}
declared = program.declared("work").rsplit(":", 1)[1]
for place, ns in (("main+6", 4_000_000), ("main+12", 2_000_000)):
    contains(text, f"calls=1 {declared}\n{line[place]} {ns}\n", f"the call at {place}")
contains(text, f"fn=(2)\n{declared} 5000000\n", "work's own time")
for head in ("version: 1\n", "pid: 4711\n", "cmd: ./prog -v two words\n", "part: 1\n",
             "events: ns\n", "totals: 10000000\n"):
    contains(text, head, "the head")

# What is not selected calls from outside.
export("--not=work", "simple.fc")
equal(annotate()[:2], ({"main": 4_000_000, "leaf": 1_000_000}, 5_000_000), "--not")
equal(tree(), {("<outside>", "main"): (10_000_000, 1), ("<outside>", "leaf"): (1_000_000, 3)}, "--not")
recursive(program).write("recursive.fc")
export("recursive.fc")
equal(tree()["beta", "alpha"], (40, 1), "an arc of a circle")
simple(program).write("old.fc", extended=False)
export("old.fc")
equal(annotate()[1], 10_000_000, "version 3.0, which tells no threads")

# Two times.
with_waits(program).write("waits.fc")
export("waits.fc")
equal(annotate()[:2], ({"main": 1_000_000, "work": 9_000_000}, 10_000_000), "both together")
equal(annotate(event="cpu")[:2], ({"main": 1_000_000, "work": 3_000_000}, 4_000_000), "on the CPU")
equal((tree()["main", "work"], tree("cpu")["main", "work"]), ((9_000_000, 3), (3_000_000, 3)), "of the arc, both")
export("--time=cpu", "waits.fc")
equal(annotate()[:2], ({"main": 1_000_000, "work": 3_000_000}, 4_000_000), "--time=cpu")

# ---- A real program, of several threads ----------------------------------------------------

source = os.path.join(fctest.SOURCE_ROOT, "examples", "wordindex.c")
subprocess.run(["cc", "-g", "-o", "wordindex", source, *fctest.fc_config("--cflags-libs")], check=True)
subprocess.run(["./wordindex", "-t", "3"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True,
               stderr=subprocess.DEVNULL, env=fctest.plain_environment(), timeout=300)
data = json.loads(good("--json", "functioncheck.fc"))
names = [function["name"] for function in data["functions"]]
equal([note for note in export("functioncheck.fc").splitlines() if "not in it" not in note and "estimate" not in note], [],
      "several threads")
found, total, complaints = annotate()
with open("out.cg", encoding="utf-8") as file:
    events = re.search(r"^events: (.*)", file.read(), re.M).group(1).split()
equal(events[-1], "ns", "elapsed times")
equal(events[0], "cpu" if any(thread["waits"] for thread in data["threads"]) else "ns", "what readers show unless told")
equal(found, {f["name"]: f["local_ns"] for f in data["functions"] if f["local_ns"] > 0}, "local times")
equal(total, data["local_sum_ns"], "the total")
# It knows one heading in a file, and says so of each line of the others.
equal([line for line in complaints.splitlines()
       if not re.match(r"WARNING: line \d+ malformed|    line: '(part|thread|desc|positions|events?): ", line)],
      [], "complaints")
arcs = {}
for arc in data["arcs"]:
    key = "<outside>" if arc["caller"] is None else names[arc["caller"]], names[arc["callee"]]
    ns, calls = arcs.get(key, (0, 0))
    arcs[key] = ns + arc["total_ns"], calls + arc["calls"]
equal(tree(), arcs, "arcs")
# The part on the CPU is a second event, where that is known.
if any(thread["waits"] for thread in data["threads"]):
    found = annotate(event="cpu")[0]
    expected = {f["name"]: f["local_ns"] - f["local_wait_ns"] for f in data["functions"]}
    for name, on_cpu in expected.items():  # each thread's share of a time is rounded by itself
        if abs(found.get(name, 0) - on_cpu) > len(data["threads"]):
            fail(f"local time of {name} on the CPU", found.get(name), on_cpu)
with open("out.cg", encoding="utf-8") as file:
    parts = re.split(r"^part: \d+$", file.read(), flags=re.M)[1:]
equal([re.findall(r"^desc: Thread: (\d+)", part, re.M) for part in parts],
      [[str(thread["tid"])] for thread in data["threads"]], "a part for each thread")


def read_part(part):
    """Local times, and {callee: [calls, inclusive]} of all arcs to it, by what functions are numbered."""
    local, into = {}, {}
    for head, own in re.findall(r"^fn=\((\d+)\).*\n\d+ (?:\d+ )?(\d+)$", part, re.M):
        local[head] = local.get(head, 0) + int(own)
    for callee, calls, ns in re.findall(r"^cfn=\((\d+)\).*\ncalls=(\d+) \d+\n\d+ (?:\d+ )?(\d+)$", part, re.M):
        figures = into.setdefault(callee, [0, 0])
        figures[0] += int(calls)
        figures[1] += int(ns)
    return local, into


numbered = dict(re.findall(r"^c?fn=\((\d+)\) (.*)$", "\n".join(parts), re.M))
recursive_names = {names[arc["callee"]] for arc in data["arcs"] if arc["caller"] == arc["callee"]}
shared = 0
for part, thread in zip(parts, data["threads"]):
    local, into = read_part(part)
    figures = {numbered[number]: found for number, found in into.items()}
    own = {names[f["function"]]: f for f in thread["functions"]}
    equal({name: found[0] for name, found in figures.items()},
          {name: f["calls"] for name, f in own.items() if f["calls"] > 0}, f"the calls of thread {thread['tid']}")
    for number, ns in local.items():  # each thread's share of a time is rounded by itself
        if numbered[number] != "<outside>" and abs(ns - own[numbered[number]]["local_ns"]) > len(parts):
            fail(f"local time of {numbered[number]} in thread {thread['tid']}", ns, own[numbered[number]])
    for name, (_, ns) in figures.items():
        if name not in recursive_names and abs(ns - own[name]["total_ns"]) > len(parts) * len(data["arcs"]):
            fail(f"inclusive time of {name} in thread {thread['tid']}", ns, own[name])
    shared += sum(1 for name in own if sum(name in {names[f["function"]] for f in other["functions"]}
                                           for other in data["threads"]) > 1)
if shared == 0:
    fail("no function that several threads ran", names)
