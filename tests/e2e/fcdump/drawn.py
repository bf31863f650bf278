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


def draw(*arguments, status=0):
    """{node: the first line of its label}, and the arcs, of the drawing."""
    result = run("--dot", *arguments)
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
good("--dot", "--only=leaf", "simple.fc")
equal(draw("simple.fc", "--only=leaf")[1], [], "one function")
