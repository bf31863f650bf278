#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Graphviz draws what --dot writes: every function and every arc is in the picture, whatever
# the functions are called.

import shutil
import subprocess
import sys
import xml.etree.ElementTree

from fcfile import Profile, Program, equal, fail, folder, good, recursive, run, simple

if shutil.which("dot") is None:
    print("graphviz is not installed")
    sys.exit(77)
keep = folder()
program = Program()
SVG = "{http://www.w3.org/2000/svg}"


def draw(*arguments, status=0, whole=True):
    """{node: the first line of its label}, and the arcs, of the drawing."""
    result = run("--dot", *(["--whole-graph"] if whole else []), *arguments)
    equal(result.status, status, "fcdump --dot")
    done = subprocess.run(["dot", "-Tsvg"], input=result.raw, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, check=False)
    if done.returncode != 0 or b"syntax" in done.stderr:
        fail("graphviz refuses the graph", done.stderr.decode(), result.out)
    nodes, arcs = {}, []
    for group in xml.etree.ElementTree.fromstring(done.stdout).iter(SVG + "g"):
        title = group.findtext(SVG + "title")
        if group.get("class") == "node":
            nodes[title] = group.find(SVG + "text").text
        elif group.get("class") == "edge":
            arcs.append(tuple(title.split("->")))
    return nodes, sorted((nodes[caller], nodes[callee]) for caller, callee in arcs)


simple(program).write("simple.fc")
nodes, arcs = draw("simple.fc")
equal(sorted(nodes.values()), ["leaf", "main", "work"], "functions")
equal(arcs, [("main", "work"), ("work", "leaf")], "arcs")

recursive(program).write("recursive.fc")
nodes, arcs = draw("recursive.fc")
equal(arcs, [("alpha", "beta"), ("beta", "alpha"), ("beta", "delta"), ("delta", "beta"),
             ("even", "odd"), ("fib", "fib"), ("main", "alpha"), ("main", "even"), ("main", "fib"),
             ("odd", "even")], "arcs of circles")

via = Profile(program, run_ns=100)
via.function("main", 1, 100, 70)
via.function("leaf", 4, 30, 30)
via.arc("main", "main+6", "leaf", 1, 10)
via.arc("main", "sorter+6", "leaf", 2, 15)
via.write("via.fc")
equal(draw("via.fc")[1], [("main", "leaf"), ("main", "leaf")], "an arc by way of a function")

# Whatever graphviz could take for its own: quotes, backslashes, HTML, its escapes, a line feed.
NAMES = ['li"b.so', "back\\slash.so", "<b>.so", "&amp;.so", "\\N\\L.so", "{a|b}.so", "\u00fc.so",
         "node", "cut\nb.so"]
strange = Profile(program, run_ns=5)
for number, name in enumerate(NAMES):
    base = 0x10000 * (number + 1)
    strange.modules.append((base, base, base + 0x1000, 0, 2**64 - 1, None, "/none/" + name))
    strange.function(name, 1, 5, 5, where=base + 16)
    strange.functions[-1] = ((number + 1, base + 16), *strange.functions[-1][1:])
with open("strange.fc", "w", encoding="utf-8") as file:
    file.write(strange.text().replace("cut\nb.so", "cut\\012b.so"))
nodes, arcs = draw("strange.fc", status=1)
equal(sorted(nodes.values()), sorted((name + "+0x10").split("\n", maxsplit=1)[0] for name in NAMES),
      "strange names")
equal(draw("simple.fc", "--only=leaf")[1], [], "one function")

# ---- Pruned, as it is unless told otherwise -----------------------------------------------------

equal(draw("simple.fc", whole=False)[1], [("main", "work"), ("work", "leaf")], "a small graph is whole")
equal(run("--dot", "simple.fc").err,
      "fcdump: --dot: not in it: calling contexts, call sites, minima, maxima and histograms\n", "notes")

# main calls many functions, and by way of a short one a long one; 80 are drawn at most.
many = Profile(program, run_ns=10**9)
many.modules.append((0x1000000, 0x1000000, 0x2000000, 0, 2**64 - 1, None, "/none/many.so"))
many.function("main", 1, 10**9, 0)


def function(name, total, local):
    many.function(name, 1, total, local, where=0x1000000 + 16 * len(many.functions))
    many.functions[-1] = ((1, 0x1000000 + 16 * (len(many.functions) - 1)), *many.functions[-1][1:])


top = many.context(None, 0x1234, "main", 1, 10**9, 0)
for number in range(95):
    name = f"f{number}"
    function(name, 8_000_000 - 1000 * number, 8_000_000 - 1000 * number)
    many.arc("main", "main+6", name, 1, 8_000_000 - 1000 * number)
    many.context(top, "main+6", name, 1, 8_000_000 - 1000 * number, 8_000_000 - 1000 * number)
function("short", 4_999_999, 0)
function("long", 200_000_000, 200_000_000)
many.arc("main", "main+12", "short", 1, 4_999_999)
many.arc("short", 0x1000004, "long", 1, 200_000_000)
many.arc("main", "main+14", "f0", 1, 999_999)
many.context(many.context(top, "main+12", "short", 1, 200_000_000, 0), 0x1000004, "long", 1, 200_000_000,
             200_000_000)
many.write("many.fc")
nodes, arcs = draw("many.fc", whole=False, status=1)
equal((len(nodes), "main" in nodes.values(), len(arcs)), (80, True, 79), "what is drawn of many functions")
LONG = "many.so+" + hex(16 * 97)
equal(("main", LONG) in arcs, True, "an arc by way of what is left out")
result = run("--dot", "many.fc")
if '[label="...\\n200.0 ms", penwidth=1.8, color="0.000 0.209 0.600", style=dotted];' not in result.out:
    fail("an arc by way of what is left out", result.out)
TEXT = "80 of 98 functions; left out: 18 functions, and 0 arcs between those drawn"
if f'label="{TEXT}"' not in result.out or f"--dot: {TEXT}; --whole-graph draws all\n" not in result.err:
    fail("what was left out", result.err, result.out)
equal(len(draw("many.fc", status=1)[0]), 98, "--whole-graph")
equal(len(draw("--min=10", "many.fc", whole=False, status=1)[0]), 2, "--min")

# Long names are wrapped where their parts end, and lose their middle.
strange = Profile(program, run_ns=5)
strange.modules.append((0x10000, 0x10000, 0x11000, 0, 2**64 - 1, None,
                        "/none/" + "space::" * 20 + "end<" + "type,name," * 30 + ">"))
strange.function("odd", 1, 5, 5, where=0x10010)
strange.functions[-1] = ((1, 0x10010), *strange.functions[-1][1:])
strange.write("wrapped.fc")
label = run("--dot", "wrapped.fc").out.split('[label="')[1].split("\\ntotal")[0]
lines = label.split("\\n")
equal((max(map(len, lines)) <= 32, lines[0], "..." in label, lines[-1][-4:]),
      (True, "space::space::space", True, "0x10"), "a wrapped name")
