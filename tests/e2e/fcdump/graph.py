#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The call graph by callees and by callers, call sites, calls by way of unprofiled
# functions, and cycles.

from fcfile import (Profile, Program, cells, classic, contains, equal, fail, folder, recursive,
                    rows, run, section, simple)


def blocks(text, title="Call graph"):
    """function -> [its line, lines of its arcs...], each as cells."""
    lines = section(text, title)
    start = next(i for i, line in enumerate(lines) if line.rstrip().endswith("function"))
    found = {}
    block = None
    for line in lines[start + 1:]:
        if line == "":
            block = None
        elif block is None:
            block = [cells(line)]
            found[block[0][3]] = block
        else:
            block.append(cells(line))
    return found


keep = folder()
program = Program()
simple(program).write("simple.fc")

equal(blocks(classic("simple.fc")), {
    "main": [["10.00 ms", "100.0", "1", "main"],
             ["6.000 ms", "60.0", "2", "2", "-> work"],
             ["4.000 ms", "40.0", "(local)"]],
    "work": [["6.000 ms", "60.0", "2", "work"],
             ["1.000 ms", "16.7", "3", "3", "-> leaf"],
             ["5.000 ms", "83.3", "(local)"]]}, "callees")
equal(blocks(classic("simple.fc", "-rgraph")), {
    "main": [["10.00 ms", "100.0", "1", "main"],
             ["10.00 ms", "100.0", "1", "1", "<- <outside>"]],
    "work": [["6.000 ms", "60.0", "2", "work"], ["6.000 ms", "100.0", "2", "2", "<- main"]],
    "leaf": [["1.000 ms", "10.0", "3", "leaf"], ["1.000 ms", "100.0", "3", "3", "<- work"]]},
      "callers")


def line_of(place):
    name, offset = place.split("+")
    return program.line(program.start[name] + int(offset) - 1)


main = blocks(classic("simple.fc", "--details"))["main"]
equal(main[0][4], program.declared("main"), "where main begins")
equal(main[1:4], [["6.000 ms", "60.0", "2", "2", "-> work"],
                  ["4.000 ms", "40.0", "1", "at " + line_of("main+6")],
                  ["2.000 ms", "20.0", "1", "at " + line_of("main+12")]]
      if line_of("main+6") != line_of("main+12") else
      [["6.000 ms", "60.0", "2", "2", "-> work", "at " + line_of("main+6")],
       ["4.000 ms", "40.0", "(local)"]], "call sites of an arc")
work = blocks(classic("simple.fc", "--details"))["work"]
equal(work[1][4:], ["-> leaf", "at " + line_of("work+5")], "the only call site of an arc")

# Cycles: two functions; three functions in two circles; one that calls itself.
recursive(program).write("recursive.fc")
text = classic("recursive.fc")
found = blocks(text)
equal(found["odd"], [["30 ns", "27.3", "2", "odd", "[cycle 1]"],
                     ["20 ns", "66.7", "1", "2", "-> even"], ["20 ns", "66.7", "(local)"]],
      "mutual recursion")
equal(found["beta"], [["50 ns", "45.5", "3", "beta", "[cycle 2]"],
                      ["40 ns", "80.0", "1", "2", "-> alpha"],
                      ["20 ns", "40.0", "1", "1", "-> delta"], ["30 ns", "60.0", "(local)"]],
      "two circles")
equal(rows(text, "Cycles"), [
    ["60 ns", "60 ns", "1", "5", "cycle 2: 3 functions"],
    ["60 ns", "20 ns", "1", "1", "alpha"], ["50 ns", "30 ns", "0", "3", "beta"],
    ["20 ns", "10 ns", "0", "1", "delta"],
    ["40 ns", "40 ns", "1", "3", "cycle 1: 2 functions"],
    ["40 ns", "20 ns", "1", "1", "even"], ["30 ns", "20 ns", "0", "2", "odd"],
    ["calling themselves only"],
    ["0 ns", "0 ns", "1", "2", "fib"]], "cycles")
contains(classic("simple.fc"), "None: no function calls itself", "no cycles")
for option in ("--no-cycles", "-no-cycles"):
    if "Cycles" in classic("recursive.fc", option):
        fail(f"{option} does not work")

# Two call sites of a recursion are active at once: 60 + 30 ns of 70 are not 90.
fib = Profile(program, run_ns=70)
fib.function("fib", 5, 70, 70, (10, 70), (10, 20))
fib.arc(None, 0x7f0000001234, "fib", 1, 70)
fib.arc("fib", "fib+6", "fib", 2, 60)
fib.arc("fib", "fib+9", "fib", 2, 30)
fib.write("fib.fc")
text = classic("fib.fc", "--details")
equal(blocks(text)["fib"][1][:5], ["<70 ns", "100.0", "4", "5", "-> fib"], "sites that nest")
equal([row[:3] for row in blocks(text)["fib"][2:4]], [["60 ns", "85.7", "2"], ["30 ns", "42.9", "2"]],
      "their own times")
contains(text, "< at most", "the legend of sites that nest")

# By way of a function that is not profiled; inlined callers; call sites in no symbol.
via = Profile(program, run_ns=100)
via.function("main", 1, 100, 30, (100, 100), (30, 30))
via.function("work", 1, 40, 40, (40, 40), (40, 40))
via.function("leaf", 4, 30, 30, (5, 10), (5, 10))
via.arc(None, "sorter+8", "main", 1, 100)
via.arc("main", "main+6", "leaf", 1, 10)
via.arc("main", "sorter+6", "leaf", 2, 15)
via.arc("main", "main+12", "work", 1, 40)
via.arc("work", "main+14", "leaf", 1, 5)  # work was inlined into main
via.write("via.fc")
text = classic("via.fc")
equal(blocks(text)["main"][1:4], [["40 ns", "40.0", "1", "1", "-> work"],
                                  ["15 ns", "15.0", "2", "4", "-> leaf (via sorter)"],
                                  ["10 ns", "10.0", "1", "4", "-> leaf"]], "calls via a function")
equal(blocks(text)["work"][1], ["5 ns", "12.5", "1", "4", "-> leaf"], "an inlined caller")
callers = blocks(classic("via.fc", "--rgraph"))
equal([row[4] for row in callers["leaf"][1:]],
      ["<- main (via sorter)", "<- main", "<- work"], "callers via a function")
equal(callers["main"][1][4], "<- <outside> (via sorter)", "called from outside")

sorter = hex(via.place("sorter")[1])
callers = classic("via.fc", "--rgraph", "--no-names")
for row in (f"<- {hex(via.place('main')[1])} (via {sorter})", f"<- <outside> (via {sorter})"):
    contains(callers, row, "callers by address")
for drawn in ("--dot", "--vcg"):
    for names, shown in ([], "sorter"), (["--no-names"], sorter):
        result = run("via.fc", drawn, *names)
        equal(result.status, 0, f"{drawn} {names}")
        contains(result.out, "via " + shown, f"{drawn} {names}")
        contains(result.err, f"fcdump: {drawn}: not in it: call sites", f"{drawn} {names}: notes")

# A callee that was inlined into its caller has the site by which the caller was called.
inlined = Profile(program, run_ns=100)
inlined.function("main", 1, 100, 60, (100, 100), (60, 60))
inlined.function("work", 2, 40, 30, (20, 20), (15, 15))
inlined.function("leaf", 2, 10, 10, (5, 5), (5, 5))
inlined.arc(None, 0, "main", 1, 100)
inlined.arc("main", "sorter+6", "work", 1, 20)
inlined.arc("main", "main+6", "work", 1, 20)
inlined.arc("work", "sorter+6", "leaf", 1, 5)
inlined.arc("work", "main+6", "leaf", 1, 5)
inlined.write("inlined.fc")
text = classic("inlined.fc", "--details")
equal(blocks(text)["work"][1], ["10 ns", "25.0", "2", "2", "-> leaf", "inlined"],
      "an inlined callee")
equal([row[4] for row in blocks(text)["main"][1:3]], ["-> work", "-> work (via sorter)"],
      "its caller")

# Nothing called, nothing to show.
lone = Profile(program, run_ns=5)
lone.function("leaf", 1, 5, 5, (5, 5), (5, 5))
lone.write("lone.fc")
contains(classic("lone.fc"), "No call to show.", "a graph without arcs")
contains(classic("lone.fc"), "1 function has no profiled callee", "functions without an entry")
