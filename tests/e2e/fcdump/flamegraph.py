#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What flamegraph.pl, as Debian has it, draws of --folded: every box of its picture against the calling contexts of
# --json, of a program with several threads and of one with C++'s names.

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

from fcfile import equal, fail, folder, good, run
import fctest

SVG = "{http://www.w3.org/2000/svg}"
PAD = 10  # pixels on either side of the boxes
PACKAGE = "libdevel-nytprof-perl"


def find_script():
    """The path of flamegraph.pl, or None."""
    if shutil.which("dpkg"):
        listed = subprocess.run(["dpkg", "-L", PACKAGE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                timeout=60, check=False).stdout.split("\n")
        for path in listed:
            if path.endswith("/flamegraph.pl") and os.path.exists(path):
                return path
    return shutil.which("flamegraph.pl")


script = find_script()
if script is None or shutil.which("perl") is None:
    print(f"{PACKAGE}, which has flamegraph.pl, is not installed")
    sys.exit(77)
keep = folder()


def draw(folded):
    """The boxes of the picture as (level, left, right, name, samples, percent), in what the stacks weigh: the picture
    is as many pixels wide as all of them together."""
    whole = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())
    done = subprocess.run(["perl", script, f"--width={whole + 2 * PAD}", "--minwidth=0"], input=folded,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    equal((done.returncode, done.stderr), (0, ""), "flamegraph.pl")
    root = xml.etree.ElementTree.fromstring(done.stdout)
    boxes = []
    for group in root.iter(SVG + "g"):
        title, samples, percent = re.fullmatch(r"(.*) \(([\d,]+) samples, ([\d.]+)%\)",
                                               group.findtext(SVG + "title")).groups()
        rect = group.find(SVG + "rect")
        left = round(float(rect.get("x"))) - PAD
        boxes.append((-float(rect.get("y")), left, left + round(float(rect.get("width"))), title,
                      int(samples.replace(",", "")), float(percent)))
    return whole, sorted(boxes)


def tree_of(boxes):
    """{names from the outermost on: what the boxes weigh together}; a box stands on the one that it is within."""
    levels = sorted({box[0] for box in boxes})
    below = {}  # of the level before: (left, right) -> path
    sums = collections.Counter()
    for level in levels:
        here = {}
        for _, left, right, name, _, _ in (box for box in boxes if box[0] == level):
            under = [path for (start, end), path in below.items() if start <= left and right <= end]
            if len(under) != (level != levels[0]):
                fail(f"{name} at {left} stands on {len(under)} boxes", boxes)
            path = (*under[0], name) if under else ()
            here[left, right] = path
            sums[path] += right - left
        below = here
    return sums


WEIGHTS = {"time": lambda context: context["local_ns"],
           "cpu": lambda context: context["local_ns"] - context["local_wait_ns"],
           "calls": lambda context: context["calls"]}


def frame_names(functions):
    """Of several with one name the parameters are in it.  The script draws angle brackets as round ones."""
    often = collections.Counter(function["name"] for function in functions)
    names = [function["name"] if often[function["name"]] == 1 else
             subprocess.run(["c++filt", function["linkage_name"]], stdout=subprocess.PIPE, check=True, text=True,
                            timeout=60).stdout.strip() for function in functions]
    return [name.replace("<", "(").replace(">", ")") for name in names]


def tree_of_contexts(data, weight):
    """The same of --json; what weighs nothing has no box."""
    names = frame_names(data["functions"])
    paths = []
    sums = collections.Counter()
    for context in data["contexts"]:  # a parent is before its children
        above = () if context["parent"] is None else paths[context["parent"]]
        path = (*above, names[context["function"]])
        paths.append(path)
        for length in range(len(path) + 1):
            sums[path[:length]] += WEIGHTS[weight](context)
    return collections.Counter({path: weighs for path, weighs in sums.items() if weighs > 0})


def compare(weight, what):
    data = json.loads(good("--json", "functioncheck.fc"))
    whole, boxes = draw(run("--folded", f"--weight={weight}", "functioncheck.fc").out)
    for _, left, right, name, samples, percent in boxes:
        equal((right - left, f"{100 * samples / whole:.2f}"), (samples, f"{percent:.2f}"), f"{what}: the box of {name}")
    expected = tree_of_contexts(data, weight)
    found = tree_of(boxes)
    for path in sorted({*found, *expected}):
        equal((path, found[path]), (path, expected[path]), what)
    return data, expected


def profile(source, compiler, *arguments):
    subprocess.run([compiler, "-g", "-o", "program", os.path.join(fctest.SOURCE_ROOT, source), "-pthread",
                    *fctest.fc_config("--cflags-libs")], check=True, timeout=300)
    subprocess.run(["./program", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True,
                   stderr=subprocess.DEVNULL, env=fctest.plain_environment(), timeout=300)


profile("examples/wordindex.c", "cc", "-t", "3")
compare("time", "time")
compare("cpu", "time on the CPU")
data, tree = compare("calls", "calls")
equal((len(data["threads"]), len(tree) > 30), (4, True), "several threads, and many contexts")

profile("tests/e2e/fcgprof/shapes.cc", "c++")
compare("time", "time, C++")
data, tree = compare("calls", "calls, C++")
equal(any(" " in name and "(" in name for path in tree for name in path), True, "names with blanks")
