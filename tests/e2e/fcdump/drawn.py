#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Graphviz draws what --dot writes: every function and every arc is in the picture, whatever
# the functions are called.

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

from fcfile import Profile, Program, contains, equal, fail, folder, recursive, run, simple

if shutil.which("dot") is None:
    print("graphviz is not installed")
    sys.exit(77)
keep = folder()
program = Program()
SVG = "{http://www.w3.org/2000/svg}"


def width_of(text):
    """In Helvetica, as parts of the font's size."""
    return sum(0.28 if letter in " .,:;!|'ijltf" else 0.34 if letter in "()-r" else 0.89 if letter in "%mw" else
               0.7 if letter.isupper() else 0.556 for letter in text)


def check_box(group, title):
    """The label is inside of its box, with some room, as a viewer may have another font."""
    points = [tuple(map(float, point.split(","))) for point in group.find(f".//{SVG}polygon").get("points").split()]
    texts = [(text.text, float(text.get("font-size")), float(text.get("y"))) for text in group.iter(SVG + "text")]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    for text, size, y in texts:
        if size * width_of(text) + 10 > right - left or y - 0.75 * size < top + 2 or y + 0.2 * size > bottom - 2:
            fail(f"the label of {title} is not inside of its box", text, (left, right, top, bottom), (size, y))


def draw(*arguments, status=0, whole=True):
    """{node: the first line of its label}, and the arcs, of the drawing."""
    result = run("--dot", *(["--all"] if whole else []), *arguments)
    equal(result.status, status, "fcdump --dot")
    done = subprocess.run(["dot", "-Tsvg"], input=result.raw, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, check=False)
    if done.returncode != 0 or b"syntax" in done.stderr:
        fail("graphviz refuses the graph", done.stderr.decode(), result.out)
    nodes, arcs = {}, []
    for group in xml.etree.ElementTree.fromstring(done.stdout).iter(SVG + "g"):
        title = group.findtext(SVG + "title")
        if group.get("class") == "node":
            check_box(group, title)
            nodes[title] = next(group.iter(SVG + "text")).text
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
equal(sorted(nodes.values()), sorted(name.replace("\n", r"\x0a") + "+0x10" for name in NAMES),
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


SCREEN = 20 * 72, 11.25 * 72  # points


def look(*arguments, status=1):
    """What --dot says, when its drawing fits a screen as it is: not made smaller, and in letters that
    can be read.  How wide letters are is the font's matter, so it may be somewhat too large."""
    result = run("--dot", *arguments)
    equal(result.status, status, f"--dot {arguments}")
    text, count = re.subn(r'^  size="20.0,11.25";\n', "", result.out, flags=re.M)
    equal(count, 1, "its size")
    drawn = subprocess.run(["dot", "-Tsvg"], input=text.encode(), stdout=subprocess.PIPE, timeout=300, check=True)
    size = re.search(rb'<svg width="([0-9.]+)pt" height="([0-9.]+)pt"', drawn.stdout)
    for found, most in zip(map(float, size.groups()), SCREEN):
        if found > 1.25 * most:
            fail(f"--dot {arguments} fits no screen", size.groups(), text)
    letters = [float(points) for points in re.findall(r"fontsize=([0-9.]+)", text)]
    if min(letters) < 8:
        fail("letters that are too small", text)
    labels = re.findall(r'^  f\d+ \[label="((?:[^"\\]|\\.)*)"', text, re.M)
    return labels, result


labels, result = look("many.fc")
if not 15 <= len(labels) < 80 or not any(label.startswith("main\\n") for label in labels):
    fail("what is drawn of many functions", labels)
TEXT = (f"{len(labels)} of 98 functions; left out: {98 - len(labels)} functions, and 0 arcs between those drawn")
if f'label="{TEXT}"' not in result.out or f"--dot: {TEXT}; --top=N draws N functions, --all everything\n" not in result.err:
    fail("what was left out", TEXT, result.err, result.out)
if '[label=" ... 200.0 ms", color="0.000 0.209 0.600", penwidth=1.8, style=dotted' not in result.out:
    fail("an arc by way of what is left out", result.out)
nodes, arcs = draw("--top=90", "many.fc", whole=False, status=1)
equal((len(nodes), "main" in nodes.values(), len(arcs)), (90, True, 89), "--top")
nodes, arcs = draw("many.fc", status=1)
equal((len(nodes), ("main", "many.so+" + hex(16 * 96)) in arcs), (98, True), "--all")
equal(len(draw("--min=10", "many.fc", whole=False, status=1)[0]), 2, "--min")

# A chain of many calls with a fan of functions at its end: the chain is one node.
deep = Profile(program, run_ns=10**9)
deep.modules.append((0x1000000, 0x1000000, 0x2000000, 0, 2**64 - 1, None, "/none/deep.so"))


def place(profile, number):
    return 0x1000000 + 16 * number


def add(profile, number, calls, total, local):
    profile.function(f"f{number}", calls, total, local, where=place(profile, number))
    profile.functions[-1] = ((1, place(profile, number)), *profile.functions[-1][1:])


CHAIN = 40
LEAVES = 12
LOCAL = (10**9 - 10 * CHAIN) // LEAVES
add(deep, 0, 1, 10**9, 10)
under = deep.context(None, 0x1234, "f0", 1, 10**9, 10)
for number in range(1, CHAIN):
    add(deep, number, 1, 10**9 - 10 * number, 10)
    deep.arc(f"f{number - 1}", place(deep, number - 1) + 4, f"f{number}", 1, 10**9 - 10 * number)
    under = deep.context(under, place(deep, number - 1) + 4, f"f{number}", 1, 10**9 - 10 * number, 10)
for number in range(CHAIN, CHAIN + LEAVES):
    add(deep, number, 5, LOCAL, LOCAL)
    deep.arc(f"f{CHAIN - 1}", place(deep, CHAIN - 1) + 4, f"f{number}", 5, LOCAL)
    deep.context(under, place(deep, CHAIN - 1) + 4, f"f{number}", 5, LOCAL, LOCAL)
deep.write("deep.fc")
labels, result = look("deep.fc")
equal(labels[0], "deep.so+0x0\\n(38 more calls)\\ndeep.so+0x270\\ntotal 1.000 s (100.0%), 1x\\nlocal 400 ns (0.0%)",
      "a chain of calls")
equal(len(labels), 1 + LEAVES, "what it calls is drawn, too")
equal(len(re.findall(r"^  f0 -> f", result.out, re.M)), LEAVES, "and called by the chain")
contains(result.err, "52 of 52 functions; left out: 0 functions, and 0 arcs between those drawn; "
         "39 have no node of their own but are in chains;", "what is said of it")

# Many functions that call one another, in circles as well, and have long names.
wild = Profile(program, run_ns=10**9)
wild.modules.append((0x1000000, 0x1000000, 0x2000000, 0, 2**64 - 1, None, "/none/" + "ns::type<int,char>::" * 9 + "so"))
random, seen = 1, set()
for number in range(300):
    add(wild, number, 3, 9 * 10**8 // (1 + number % 97), 3 * 10**6)
for number in range(1200):
    random = random * 1103515245 + 12345 & 0x7fffffff
    caller, callee = random >> 8 & 255, (random >> 16) % 300
    if (caller, callee) not in seen:
        seen.add((caller, callee))
        wild.arc(f"f{caller}", place(wild, caller) + 4, f"f{callee}", 1, 10**6 * (1 + number % 50))
wild.write("wild.fc")
labels, result = look("wild.fc")
if len(labels) < 8:
    fail("next to nothing is drawn", labels)
equal(run("--dot", "--top=150", "wild.fc").out.count("fillcolor="), 150, "--top of these")

# Long names lose their scopes and what is between < and >, are wrapped where their parts end, and lose their end.
def draw_module(name):
    strange = Profile(program, run_ns=5)
    strange.modules.append((0x10000, 0x10000, 0x11000, 0, 2**64 - 1, None, "/none/" + "space::" * 20 + name))
    strange.function("odd", 1, 5, 5, where=0x10010)
    strange.functions[-1] = ((1, 0x10010), *strange.functions[-1][1:])
    strange.write("wrapped.fc")
    text = run("--dot", "wrapped.fc").out
    contains(text, 'tooltip="' + "space::" * 20, "the whole name")
    return text.split('[label="')[1].split("\\ntotal")[0].split("\\n")


equal(draw_module("end<" + "type,name," * 30 + ">"), ["end<...>+0x10"], "a name with arguments")
lines = draw_module("end_" + "type,name," * 30)
equal((max(map(len, lines)) <= 28, lines[0], lines[-1][-3:]), (True, "end_type,name,type,name,", "..."), "a wrapped name")
