#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The calling-context tree: siblings merged or told apart, depth, shares, selections.

import json
import resource

from fcfile import (FCDUMP, FOLDED, Profile, Program, classic, contains, equal, fail, folder,
                    run, section, simple)
from sanitized import is_sanitized


def tree(*arguments):
    """[indentation, times and calls, text] of each line."""
    lines = section(classic(*arguments, "--tree"), "Calling-context tree")
    start = next(i for i, line in enumerate(lines) if line.endswith("  context"))
    column = lines[start].index("context")
    return [(line[:column].split(), line[column:]) for line in lines[start + 1:]
            if line != "" and " left out" not in line]


keep = folder()
program = Program()
simple(program).write("simple.fc")

if "Calling-context tree" in classic("simple.fc"):
    fail("the tree is shown unasked")
equal(tree("simple.fc"), [
    (["10.00", "ms", "100.0", "4.000", "ms", "1"], "main"),
    (["6.000", "ms", "60.0", "5.000", "ms", "2"], "`- work"),
    (["1.000", "ms", "10.0", "1.000", "ms", "3"], "   `- leaf")], "the tree")

line = {place: program.line(program.start[place.split("+")[0]] + int(place.split("+")[1]) - 1)
        for place in ("main+6", "main+12", "work+5")}
equal(tree("simple.fc", "--details"), [
    (["10.00", "ms", "100.0", "4.000", "ms", "1"], "main"),
    (["4.000", "ms", "40.0", "3.200", "ms", "1"], "|- work  at " + line["main+6"]),
    (["800.0", "us", "8.0", "800.0", "us", "2"], "|  `- leaf  at " + line["work+5"]),
    (["2.000", "ms", "20.0", "1.800", "ms", "1"], "`- work  at " + line["main+12"]),
    (["200.0", "us", "2.0", "200.0", "us", "1"], "   `- leaf  at " + line["work+5"])],
      "call sites told apart")

equal([row[1] for row in tree("simple.fc", "--depth=2")], ["main", "`- work"], "--depth")
contains(classic("simple.fc", "--tree", "--depth=2"), "1 branch below level 2 left out; --depth=0 shows all.",
         "what --depth left out")
equal([row[1] for row in tree("simple.fc", "--min=10")], ["main", "`- work", "   `- leaf"],
      "--min at the limit")
equal([row[1] for row in tree("simple.fc", "--min", "10.1%")], ["main", "`- work"], "--min")
equal([row[1] for row in tree("simple.fc", "--details", "--min=20")],
      ["main", "|- work  at " + line["main+6"], "`- work  at " + line["main+12"]],
      "--min with siblings")

# What is not selected but on the way stands in parentheses; what leads nowhere is left out.
equal([row[1] for row in tree("simple.fc", "--only=leaf")],
      ["(main)", "`- (work)", "   `- leaf"], "--only")
equal([row[1] for row in tree("simple.fc", "--not=leaf")], ["main", "`- work"], "--not")
contains(classic("simple.fc", "--tree", "--not=*"), "No context to show.", "nothing selected")

# even calls odd from two sites, odd calls even: odd's second context lies within its first.
mutual = Profile(program, run_ns=40)
mutual.function("even", 2, 40, 20, (20, 40), (10, 10))
mutual.function("odd", 2, 30, 20, (10, 30), (10, 10))
mutual.arc(None, 0, "even", 1, 40)
mutual.arc("even", "even+4", "odd", 1, 30)
mutual.arc("odd", "odd+4", "even", 1, 20)
mutual.arc("even", "even+6", "odd", 1, 10)
root = mutual.context(None, 0, "even", 2, 40, 20)
mutual.context(root, "even+4", "odd", 1, 30, 10)
mutual.context(root, "even+6", "odd", 1, 10, 10)
mutual.write("mutual.fc")
equal(tree("mutual.fc"), [(["40", "ns", "100.0", "20", "ns", "2"], "even"),
                          (["<30", "ns", "75.0", "20", "ns", "2"], "`- odd")], "contexts that nest")
contains(classic("mutual.fc", "--tree"), "< at most", "the legend of contexts that nest")

# Wide and deep: several roots, order by time, then name; two thousand levels.
wide = Profile(program, run_ns=100)
wide.function("main", 1, 60, 0, (60, 60), (0, 0))
wide.function("work", 1, 40, 40, (40, 40), (40, 40))
wide.function("alpha", 1, 30, 30, (30, 30), (30, 30))
wide.function("beta", 1, 30, 30, (30, 30), (30, 30))
root = wide.context(None, 0, "main", 1, 60, 0)
wide.context(None, 0, "work", 1, 40, 40)
wide.context(root, "main+6", "beta", 1, 30, 30)
wide.context(root, "main+7", "alpha", 1, 30, 30)
wide.write("wide.fc")
equal([row[1] for row in tree("wide.fc")], ["main", "|- alpha", "`- beta", "work"], "two roots")

# What was folded is no root: it stands under a node that says so, and the note gives the number.
folded = Profile(program, run_ns=100)
for name in ("main", "alpha", "beta"):
    folded.function(name, 10, 100, 50, (1, 100), (1, 50))
top = folded.context(None, 0x7f0000001234, "main", 1, 100, 40)
first = folded.context(None, FOLDED, "alpha", 5, 60, 50)
folded.context(None, FOLDED, "beta", 3, 10, 10)
folded.context(None, 0, "beta", 1, 5, 5)
folded.repairs.append(("contexts-folded", 7))
folded.write("folded.fc")
rows = tree("folded.fc")[:5]
equal([row[1] for row in rows], ["main", "(folded contexts)", "|- alpha", "`- beta", "beta"],
      "folded, and a root of a caller without an address")
equal(rows[1][0][:2], ["60", "ns"], "the node's time: what its contexts took themselves")
contains(classic("folded.fc", "--tree"), "set FC_CONTEXTS=16 to tell them apart", "the tree's advice")
contains(classic("folded.fc"), "Set FC_CONTEXTS=16", "the advice with the repairs")
data = json.loads(classic("--json", "folded.fc"))
contexts = data["contexts"]
equal([(each["parent"], each["folded"]) for each in contexts],
      [(None, True), (None, False), (0, False), (0, False), (None, False)],
      "folded contexts in JSON")
equal({json.dumps(each["site"]) for each in contexts[2:]}, {json.dumps(contexts[0]["site"])},
      "no call site of what was folded")
equal(contexts[0]["function"], None, "the node of JSON is no function")
contains(run("--folded", "folded.fc").out, "(folded contexts);alpha 50\n", "folded stacks")

deep = Profile(program, run_ns=100)
deep.function("alpha", 2000, 100, 50, (1, 100), (1, 50))
deep.function("beta", 2000, 50, 50, (1, 50), (1, 50))
parent = None
for i in range(2000):
    parent = deep.context(parent, 0, "alpha" if i % 2 == 0 else "beta", 1, 100, 0)
deep.write("deep.fc")
equal(len(tree("deep.fc", "--depth=2000")), 2000, "levels of a deep tree")

# A chain of 60,000 levels: cut by default, which is said; whole it takes time and memory by its
# length and not by the square of that, which would be 5.4 GB of indentation.
chain = Profile(program, run_ns=100)
chain.function("alpha", 60000, 100, 50, (1, 100), (1, 50))
chain.function("beta", 60000, 50, 50, (1, 50), (1, 50))
parent = None
for i in range(60000):
    parent = chain.context(parent, 0, "alpha" if i % 2 == 0 else "beta", 1, 100, 0)
chain.write("chain.fc")
equal(len(tree("chain.fc")), 100, "levels by default")
contains(classic("chain.fc", "--tree"), "1 branch below level 100 left out; --depth=0 shows all.",
         "the default is said")
if not is_sanitized(FCDUMP):
    resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
whole = tree("chain.fc", "--depth=0")
equal(len(whole), 60000, "the whole chain")
equal([row[1] for row in whole[99:101] + whole[-1:]],
      ["   " * 98 + "`- beta", "level 101: alpha", "level 60000: beta"], "beyond the guides")
