#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Plain version 3.0 files, as the original wrote them: microseconds, no program, callers only
# by their call sites, memory lists.

import json

from fcfile import Program, classic, contains, equal, fail, folder, rows, section

keep = folder()
program = Program("prog", ["-no-pie"])
START = program.start
FILE = f"""functioncheck_v3.0
unique-77
2
1
321
320
5000
3
0x7f0000001234 {START['main']:#x} 1
{START['main'] + 6:#x} {START['work']:#x} 2
{START['work'] + 5:#x} {START['leaf']:#x} 30
3
{START['main']:#x} 1 1000 5000 5000 5000 1000 1000
{START['work']:#x} 2 3000 4000 1500 2500 1000 2000
{START['leaf']:#x} 30 1000 1000 0 100 0 100
0
2
0x900000 64 {START['work'] + 5:#x} (nil) {START['work'] + 5:#x} {START['main'] + 6:#x} (nil)
0x900100 16 {START['leaf'] + 5:#x} {START['main'] + 6:#x} (nil)
1
{START['main'] + 6:#x} 0x1234 {START['main'] + 6:#x} (nil)
0
"""
with open("old.fc", "w", encoding="ascii") as file:
    file.write(FILE)

# Without the program: addresses, and nobody knows who called.
text = classic("old.fc")
equal([row[-1] for row in rows(text, "Flat profile")],
      [f"{START[name]:#x}" for name in ("main", "work", "leaf")], "addresses")
contains(text, "No call to show.", "a graph without callers")
contains(classic("old.fc", "--tree"), "no calling contexts", "a tree")

# With it: names, and callers by the symbols that cover the call sites.
for arguments in (["old.fc", "prog"], ["--image=prog", "old.fc"]):
    text = classic(*arguments)
    equal(rows(text, "Flat profile"), [
        ["5.000 ms", "100.0", "1.000 ms", "20.0", "5.000 ms", "5.000 ms", "1.000 ms", "1.000 ms",
         "1", "main"],
        ["4.000 ms", "80.0", "3.000 ms", "60.0", "1.500 ms", "2.500 ms", "1.000 ms", "2.000 ms",
         "2", "work"],
        ["1.000 ms", "20.0", "1.000 ms", "20.0", "0 ns", "100.0 us", "0 ns", "100.0 us", "30",
         "leaf"]], "the flat profile")
    graph = [line.split() for line in section(text, "Call graph") if "->" in line]
    equal(graph[-2:], [["-", "-", "2", "2", "->", "work"], ["-", "-", "30", "30", "->", "leaf"]],
          "calls without times")
info = "\n".join(section(text, "General information"))
for part in ("ext (monotonic clock)", "SINGLE", "unique-77", "321, parent 320"):
    contains(info, part, "general information")

data = json.loads(classic("--json", "old.fc", "prog"))
names = [function["name"] for function in data["functions"]]
equal([(arc["caller"], names[arc["callee"]], arc["calls"], arc["total_ns"])
       for arc in data["arcs"] if arc["caller"] is None], [(None, "main", 1, None)],
      "JSON: the outer arc")
equal(sorted((names[arc["caller"]], names[arc["callee"]], arc["calls"])
             for arc in data["arcs"] if arc["caller"] is not None),
      [("main", "work", 2), ("work", "leaf", 30)], "JSON: arcs")
leak = data["memory"]["leaks"][1]
equal(leak, {"pointer": "0x900100", "site": hex(START["leaf"] + 5), "size_bytes": 16,
             "realloc_site": hex(START["main"] + 6), "stack": []}, "JSON: a leak")

# Memory.
text = classic("old.fc", "prog", "--memory")
leaks = [line.split() for line in section(text, "Memory leaks")]
equal(leaks, [["2", "blocks", "of", "80", "bytes", "in", "all."], ["bytes", "block", "allocated"],
              ["64", "0x900000", "work"], ["from", "work"], ["from", "main"],
              ["16", "0x900100", "leaf"], ["reallocated", "in", "main"]], "leaks")
bad = [line.split() for line in section(text, "Invalid pointers given to free")]
equal(bad, [["pointer", "given"], ["0x1234", "main"], ["from", "main"]], "bad frees")
equal(section(text, "Invalid pointers given to realloc")[0], "None.", "bad reallocs")
with open("no-memory.fc", "w", encoding="ascii") as file:
    file.write(FILE.split("\n0\n2\n")[0] + "\n0\n0\n0\n0\n")
for option in ("-mem-leaks", "--mem-free", "-mem-realloc", "-memory"):
    contains(classic("no-memory.fc", option), "run with FC_MEMORY=1", option)
if "FC_MEMORY" in classic("no-memory.fc", "-memory", "-no-memory"):
    fail("-no-memory does not work")
if "FC_MEMORY" in classic("no-memory.fc", "--mem-free", "--no-mem-free"):
    fail("--no-mem-free does not work")
