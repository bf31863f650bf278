#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The flat profile, and the lines about the run above it.

from fcfile import (Profile, Program, classic, contains, equal, fail, folder, recursive, rows, run,
                    section, simple)

keep = folder()
program = Program()
simple(program).write("simple.fc")
text = classic("simple.fc")

equal(rows(text, "Flat profile"), [
    ["10.00 ms", "100.0", "4.000 ms", "40.0", "10.00 ms", "10.00 ms", "4.000 ms", "4.000 ms", "1",
     "main"],
    ["6.000 ms", "60.0", "5.000 ms", "50.0", "2.000 ms", "4.000 ms", "1.800 ms", "3.200 ms", "2",
     "work"],
    ["1.000 ms", "10.0", "1.000 ms", "10.0", "200.0 us", "500.0 us", "200.0 us", "500.0 us", "3",
     "leaf"]], "the flat profile")
contains(text, "100% is 10.00 ms", "what 100% is")

info = "\n".join(section(text, "General information"))
for part in (program.path, "./prog -v 'two words'", "/srv/work", "2023-11-14 22:13:20 +0000",
             "tsc (time-stamp counter), 2000.0 MHz", "FORK", "session-1",
             "4711, parent 4700, exited with status 0", "10.00 ms from first to last event",
             "3 shown, 0 hidden; 6 calls", "3, from 4 call sites"):
    contains(info, part, "general information")

# Order: each type, reversed, and names where figures are equal.
ORDERS = {"total": "main work leaf", "local": "work main leaf", "name": "leaf main work",
          "calls": "leaf work main", "min": "main work leaf", "max": "main work leaf",
          "lmin": "main work leaf", "lmax": "main work leaf"}
for kind, order in ORDERS.items():
    names = [row[-1] for row in rows(classic("simple.fc", f"--sort={kind}"), "Flat profile")]
    equal(names, order.split(), f"--sort={kind}")
    names = [row[-1] for row in rows(classic("simple.fc", "-rsort", kind), "Flat profile")]
    equal(names, order.split()[::-1], f"-rsort {kind}")

cumul = rows(classic("simple.fc", "--cumul"), "Flat profile")
equal([(row[3], row[4], row[-1]) for row in cumul],
      [("50.0", "50.0", "work"), ("40.0", "90.0", "main"), ("10.0", "100.0", "leaf")], "--cumul")

# Recursion is counted once in totals; local times add up to the run.
recursive(program).write("recursive.fc")
found = rows(classic("recursive.fc"), "Flat profile")
equal([(row[-1], row[0], row[2], row[4], row[5], row[8]) for row in found], [
    ("main", "110 ns", "10 ns", "110 ns", "110 ns", "1"),
    ("alpha", "60 ns", "20 ns", "40 ns", "60 ns", "2"),
    ("beta", "50 ns", "30 ns", "10 ns", "50 ns", "3"),
    ("even", "40 ns", "20 ns", "20 ns", "40 ns", "2"),
    ("odd", "30 ns", "20 ns", "10 ns", "30 ns", "2"),
    ("delta", "20 ns", "10 ns", "20 ns", "20 ns", "1"),
    ("fib", "0 ns", "0 ns", "0 ns", "0 ns", "3")], "recursive functions")

# Names: with lines, as addresses, without symbols; a frame inherited at fork has no call.
details = rows(classic("simple.fc", "--details", "--basename"), "Flat profile")
for row in details:
    name = row[-2]
    line = program.declared(name).rsplit("/", 1)[-1]
    equal(row[-1], line, f"line of {name}")
addresses = rows(classic("simple.fc", "--no-names"), "Flat profile")
equal([row[-1] for row in addresses],
      [hex(0x555500000000 + program.start[name]) for name in ("main", "work", "leaf")],
      "--no-names")
equal(classic("simple.fc", "--no-names", "--force-names"), text, "--force-names")

odd = Profile(program, run_ns=2_000_000_000_000)
odd.function("outside", 1, 180 * 10**9, 180 * 10**9, (180 * 10**9, 180 * 10**9),
             (180 * 10**9, 180 * 10**9), where=0x1234)
odd.function("inherited", 0, 5, 5, where="work")
odd.function("gap", 1, 999_950, 15, (999_950, 999_950), (15, 15), where=0x666600000000)
odd.modules.append((0x666600000000, 0x666600000000, 0x666600010000, 0, 2**64 - 1, None,
                    "/nowhere/libgone.so"))
odd.functions[2] = ((1, 0x666600000042), *odd.functions[2][1:])
odd.write("odd.fc")
result = run("odd.fc", "--no-graph")
equal((result.status, result.err.split(":")[:2]), (1, ["fcdump", " /nowhere/libgone.so"]),
      "a library that is gone")
for row in rows(result.out, "Flat profile"):
    if row[-1] == "0x1234":
        equal(row[0], "180.0 s", "a function of no module")
    elif row[-1] == "work":
        equal(row[4:9], ["-", "-", "-", "-", "0"], "a function that was never called")
    elif row[-1] == "libgone.so":
        equal([row[0], row[2]], ["1.000 ms", "15 ns"], "a function without a symbol")
    else:
        fail(f"unexpected row {row}")

# Calls by their time.
found = rows(classic("simple.fc", "--no-reports", "--latency"), "Latency")
equal(found, [["1", "100.0", "10.00 ms", "10.00 ms", "main"],
              ["1", "100.0", "8.389 ms", "16.78 ms", "#" * 40],
              ["2", "100.0", "2.000 ms", "4.000 ms", "work"],
              ["1", "50.0", "1.049 ms", "2.097 ms", "#" * 40],
              ["1", "50.0", "2.097 ms", "4.194 ms", "#" * 40],
              ["3", "100.0", "200.0 us", "500.0 us", "leaf"],
              ["1", "33.3", "131.1 us", "262.1 us", "#" * 20],
              ["2", "66.7", "262.1 us", "524.3 us", "#" * 40]], "latency")

# --min: of the whole, at the limit in; the cumulated share knows of what is left out.
text = classic("simple.fc", "--min=60", "--latency", "--cumul")
equal([row[-1] for row in rows(text, "Flat profile")[:-1]], ["work", "main"],
      "functions with --min")
equal([row[4] for row in rows(text, "Flat profile")[:-1]], ["50.0", "90.0"], "their shares")
equal(text.count("\n1 function left out by --min.\n"), 3, "it is said in each report")
if "-> leaf" in text or "   (1 more)\n" not in text:
    fail("a callee is left out, too", text)
text = classic("simple.fc", "--min=100", "--not=main")
contains(text, "No function to show.\n2 functions left out by --min.\n", "--min of all")
contains(text, "No call to show.\n2 functions left out by --min.\n", "--min of all")

# How processes end; threads, what was active, repairs and losses.
dying = simple(program, end=("signal", 11))
dying.thread(4712, 1000, 9_000_000, 8_000_000, 2, True, "helper",
             [("work", 1, 2_000_000, 1_800_000), ("leaf", 1, 200_000, 200_000)],
             [("main+6", "work"), ("main+6", "leaf"), ("work+5", "leaf"), ("work+5", "leaf")])
dying.repairs.append(("jump", 12))
dying.losses.append(("lost-records", 3))
dying.write("dying.fc")
text = classic("dying.fc", "--basename")
contains(text, "killed by signal 11 (Segmentation fault)", "the end")
equal([row[:4] for row in rows(text, "Threads")],
      [["4711", "0 ns", "10.00 ms", "10.00 ms"], ["4712", "1.000 us", "9.000 ms", "8.000 ms"]],
      "threads")
equal(rows(text, "Thread 4712 (helper)"),
      [["2.000 ms", "100.0", "1.800 ms", "90.0", "1", "work"],
       ["200.0 us", "10.0", "200.0 us", "10.0", "1", "leaf"]], "a thread's functions")
stack = section(text, "Active at the end")
line = program.line(program.start["work"] + 4).rsplit("/", 1)[-1]
equal(stack[:4], ["Thread 4712 (helper):", f"   0  leaf, called at {line}",
                  f"   1  leaf, called at {line}", "   2  leaf, inlined"], "open frames")
equal([l.split()[:2] for l in section(text, "Repairs") if "jump" in l], [["12", "jump"]], "repairs")
equal([l.split()[:2] for l in section(text, "Losses") if "lost-" in l], [["3", "lost-records"]],
      "losses")

# Losses stand before any figure, and nothing is called sound beside one; where only names or list
# entries are missing, it is not said that calls are.
SOUND, MISSING = "counts and times are sound", "Calls are missing from this profile"
if not text.index("\nLosses\n") < text.index("\nGeneral information\n") < text.index("Flat"):
    fail("losses do not come first", text)
for repairs, losses, is_sound, is_missing in (
        ([("jump", 1)], [], True, False), ([("jump", 1)], [("bad-chunk", 1)], False, True),
        ([("gaps", 1), ("jump", 1)], [], False, True), ([("gaps", 1)], [], False, True),
        ([("jump", 1)], [("modules-not-listed", 1)], False, False),
        ([("jump", 1)], [("unheard-of", 1)], False, True)):
    dying.repairs, dying.losses = repairs, losses
    dying.write("notes.fc")
    notes = classic("notes.fc")
    equal((SOUND in notes, MISSING in notes), (is_sound, is_missing), f"{repairs}, {losses}")
    equal("\nLosses\n" in notes, not is_sound, f"the losses of {repairs}, {losses}")
    for kind, _ in repairs + losses:
        equal(notes.count(f"  {kind}"), 1, f"{kind} is listed once")
dying.header["time_mode"] = 3  # each thread's own clock
dying.write("cpu.fc")
equal([row[1:4] for row in rows(classic("cpu.fc"), "Threads")],
      [["-", "-", "10.00 ms"], ["-", "-", "8.000 ms"]], "threads without a common clock")
contains(classic("cpu.fc"), "\nTotal time    10.00 ms of the thread with most\n",
         "total time of threads without a common clock")
Profile(program).write("none.fc")
contains(classic("none.fc"), "No function to show.\nNothing that ran was compiled with the flags of "
         "fc-config --cflags,", "a profile without functions")
if "Nothing that ran" in classic("simple.fc", "--not=*"):
    fail("functions that are hidden are taken for none")
for absent in ("Threads", "Repairs", "Losses", "Active at the end"):
    if absent + "\n" in classic("simple.fc"):
        fail(f"{absent!r} without reason")
