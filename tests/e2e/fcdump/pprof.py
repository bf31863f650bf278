#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What pprof itself, as Go brings it, reads from --pprof, against the figures that went in: samples
# of each type, its table of functions, who called whom.

import os
import re
import shutil
import subprocess
import sys

from fcfile import Program, equal, fail, folder, run, simple, with_heap, with_waits

if shutil.which("go") is None:
    print("golang-go is not installed")
    sys.exit(77)
keep = folder()
program = Program()
ENVIRONMENT = {**os.environ, "HOME": os.getcwd(), "PPROF_TMPDIR": os.getcwd(), "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def pprof(*arguments):
    """What it prints; it must not complain."""
    done = subprocess.run(["go", "tool", "pprof", "-symbolize=none", *arguments, "out.pb.gz"], capture_output=True,
                          text=True, env=ENVIRONMENT, stdin=subprocess.DEVNULL, timeout=300, check=False)
    if done.returncode != 0 or done.stderr != "":
        fail(f"pprof {arguments}", done.stderr, done.stdout)
    return done.stdout


def export(*arguments):
    result = run("--pprof=out.pb.gz", *arguments)
    equal((result.status, result.out), (0, ""), f"--pprof {arguments}")


def samples():
    """{type/unit: {stack: value}}"""
    text = pprof("-raw")
    types, *lines = re.search(r"Samples:\n(.*?)\nLocations\n", text, re.S).group(1).splitlines()
    places = dict(re.findall(r"^ +(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(\S+)", text.split("\nLocations\n")[1], re.M))
    found = {kind: {} for kind in types.replace("[dflt]", "").split()}
    for line in lines:
        values, stack = line.split(":")
        name = ";".join(places[number] for number in reversed(stack.split()))
        for kind, value in zip(found, values.split()):
            if value != "0":
                found[kind][name] = found[kind].get(name, 0) + int(value)
    return found


def top(kind, *options):
    """{function: (flat, cumulated)}"""
    rows = re.findall(r"^ *(\d+)\S* +[\d.]+% +[\d.]+% +(\d+)\S* +[\d.]+%  (\S+)", pprof("-top", f"-sample_index={kind}",
                      "-unit=ns", *options), re.M)
    return {name: (int(flat), int(whole)) for flat, whole, name in rows}


TIME = {"main": 4_000_000, "main;work": 5_000_000, "main;work;leaf": 1_000_000}
CALLS = {"main": 1, "main;work": 2, "main;work;leaf": 3}
simple(program).write("simple.fc")
export("simple.fc")
equal(samples(), {"calls/count": CALLS, "wall/nanoseconds": TIME}, "samples")
equal(top("wall"), {"work": (5_000_000, 6_000_000), "main": (4_000_000, 10_000_000), "leaf": (1_000_000, 1_000_000)}, "its table")
head = pprof("-top")
for part in ("File: prog\n", f"Build ID: {program.build_id}\n", "Duration: 10ms, "):
    if part not in head:
        fail(f"{part!r} is missing", head)
if not re.search(r"(?m)^Time: (Nov 14, 2023 at 10:13pm \(UTC\)|2023-11-14 22:13:20 UTC)$", head):  # by its version
    fail("the time is missing", head)
peek = pprof("-peek=^work$", "-sample_index=wall", "-unit=ns")
if not re.search(r"6000000ns +100% \| +main\n *5000000ns .*\| work\n *1000000ns +16.67% \| +leaf\n", peek):
    fail("callers and callees of work", peek)
lines = pprof("-list=^work$", "-sample_index=wall", "-unit=ns")
place = program.declared("work")
if not re.search(rf"ROUTINE .* work in {re.escape(place.rsplit(':', 1)[0])}\n", lines) or \
        not re.search(r"(?m)^ *5000000ns +6000000ns \(flat, cum\)", lines) or \
        not re.search(rf"(?m)^ *5000000ns +5000000ns +{place.rsplit(':', 1)[1]}:", lines):
    fail("the source of work", lines)

# In the source of the caller a callee's time stands at the lines that it was called from.
lines = pprof("-list=^main$", "-sample_index=wall", "-unit=ns")
for place, ns in (("main+6", 4_000_000), ("main+12", 2_000_000)):
    line = program.line(program.start["main"] + int(place.split("+")[1]) - 1).rsplit(":", 1)[1]
    if not re.search(rf"(?m)^ *\. +{ns}ns +{line}:", lines):
        fail(f"the call at {place}, line {line}", lines)

with_heap(program).write("heap.fc")
export("heap.fc")
found = samples()
equal(found["alloc_space/bytes"], {"main": 100, "main;work": 4000, "<outside>": 64}, "allocated")
equal(found["inuse_space/bytes"], {"main;work": 400, "<outside>": 64}, "in use")
equal(found["alloc_objects/count"], {"main": 1, "main;work": 40, "<outside>": 2}, "blocks")
equal(found["inuse_objects/count"], {"main;work": 4, "<outside>": 2}, "blocks in use")
equal((found["wall/nanoseconds"], found["calls/count"]), (TIME, CALLS), "and the times")

with_waits(program).write("waits.fc")
export("waits.fc")
equal(samples()["cpu/nanoseconds"], {"main": 1_000_000, "main;work": 3_000_000}, "time on the CPU")
head = pprof("-top", "-unit=ns")
if "Type: cpu\n" not in head:
    fail("what pprof shows unless told", head)
equal(top("cpu"), {"work": (3_000_000, 3_000_000), "main": (1_000_000, 4_000_000)}, "its table, on the CPU")
