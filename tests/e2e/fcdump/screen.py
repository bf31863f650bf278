#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The summary, the heaviest functions, the hot path; --top, --all and --min in them and in the reports.

from fcfile import (Profile, Program, contains, equal, fail, folder, good, recursive, rows, section,
                    simple, with_heap)

keep = folder()
program = Program()


def parts(*words):
    return good("--summary", "--heaviest", "--hot-path", *words)


def summary(text):
    """Label to text of the summary's lines."""
    return dict(line.split(None, 1) for line in section(text, "Summary") if line)


simple(program).write("simple.fc")
text = parts("simple.fc")
equal(summary(text), {
    "Program": "prog, exited with status 0",
    "Time": "10.00 ms, 1 process, 1 thread, 10.00 ms in functions",
    "Calls": "6 of 3 functions",
    "Heaviest": "work: 50.0% itself, 60.0% with its callees, 2 calls",
    "Hot": "path  60.0% is spent below a chain of 2 calls that ends in work"}, "the summary")
equal(rows(text, "Heaviest functions"), [
    ["5.000 ms", "50.0", "50.0", "6.000 ms", "60.0", "2", "work"],
    ["4.000 ms", "40.0", "90.0", "10.00 ms", "100.0", "1", "main"],
    ["1.000 ms", "10.0", "100.0", "1.000 ms", "10.0", "3", "leaf"]], "the heaviest functions")
# main calls work from two places: one step
PATH = [["10.00 ms", "100.0", "4.000 ms", "1", "main"], ["6.000 ms", "60.0", "5.000 ms", "2", "work"],
        ["1.000 ms", "10.0", "1.000 ms", "3", "leaf"]]
equal(rows(text, "Hot path"), PATH, "the hot path")
equal([row[-1] for row in rows(parts("simple.fc", "--sort=name"), "Heaviest functions")],
      ["leaf", "main", "work"], "--sort")
contains(parts("simple.fc", "--details", "--basename"), "work  names.c:", "--details")

# A function that is not selected is no step; what it called is.
text = parts("simple.fc", "--not=work")
equal([row[-1] for row in rows(text, "Hot path")], ["main", "leaf"], "a path around a hidden function")
contains(summary(text)["Calls"], "3 functions, of which 1 are not shown", "hidden functions")

# --top and --min cut, and say so.
text = parts("simple.fc", "--top=1")
equal([row[-1] for row in rows(text, "Heaviest functions")][0], "work", "--top")
contains(text, "2 more functions with --all.\n", "--top")
contains(parts("simple.fc", "--min=50"), "1 function left out by --min.\n", "--min")
recursive(program).write("recursive.fc")
text = good("recursive.fc", "--classic", "--top=1", "--tree", "--latency")
equal(text.count("6 more functions with --all."), 3, "--top: flat profile, graph, latency")
equal([row[-1] for row in rows(text, "Cycles") if row[0] != "1 more cycle with --all."],
      ["cycle 2: 3 functions", "alpha", "(2 more)", "calling themselves only", "fib"], "cycles with --top")
contains(text, "1 more cycle with --all.\n", "cycles with --top")
contains(text, "-> alpha\n" + " " * 30 + "(2 more)\n", "arcs with --top")
text = good("recursive.fc", "--no-reports", "--cycles", "--min=40")
equal([row[-1] for row in rows(text, "Cycles")],
      ["cycle 2: 3 functions", "alpha", "beta", "(1 more)", "calling themselves only", "(1 more)",
       "1 cycle left out by --min."], "cycles with --min")
text = good("simple.fc", "--no-reports", "--tree", "--top=2")
equal([row[-1] for row in rows(text, "Calling-context tree")],
      ["main", "`- work", "1 more context with --all."], "the tree with --top")

# A cycle is notable where it has a twentieth of the time.
contains(summary(parts("recursive.fc"))["Cycle"], "54.5% in cycle 2: alpha, beta, delta", "the heaviest cycle")

# A long path: the middle is left out, unless --all; it ends where no callee has a twentieth.
NAMES = ["main", "work", "leaf", "even", "odd", "alpha", "beta", "delta", "fib", "sorter", "unused"]
long = Profile(program, run_ns=3_000_000)
for name in NAMES:
    long.function(name, 2, 1000, 100)
parent = None
for step in range(22):
    parent = long.context(parent, "main+6", NAMES[step % len(NAMES)], 1, 1000, 100)
long.context(parent, "main+6", "leaf", 1, 90, 90)
long.thread(1, 0, 3000, 3000, 22, False, "prog")
long.write("long.fc")
found = [row[-1] for row in rows(parts("long.fc"), "Hot path")]
equal((found[:5], found[5], len(found)), (NAMES[:5], "(7 more calls)", 16), "a long path")
found = [row[-1] for row in rows(parts("long.fc", "--all"), "Hot path")]
equal(found, NAMES * 2, "a long path with --all")

# Many functions: 20 of them, and the whole is within two screens.
many = Profile(program, run_ns=3_000_000)
for number in range(300):
    many.function(f"f{number}", 1, 1000 + number, 1000 + number, where=0x20000 + 16 * number)
many.modules.append((0, 0, 0x40000, 0, 2**64 - 1, program.build_id, program.path))
many.functions = [((1, f[0][1]), *f[1:]) for f in many.functions]
many.thread(1, 0, 3000, 3000, 300, False, "prog")
many.write("many.fc")
text = parts("many.fc")
equal(len(rows(text, "Heaviest functions")) - 1, 20, "as many as fit")
contains(text, "280 more functions with --all.", "the others")
if len(text.split("\n")) > 50:
    fail("more than two screens", text)
equal(len(rows(parts("many.fc", "--all"), "Heaviest functions")), 300, "--all")
equal(len(rows(parts("many.fc", "--top=30"), "Heaviest functions")) - 1, 30, "--top=30")

# A thread that waits leads neither the heaviest functions' line nor the path; where all threads are
# like that, none waits.
waiting = simple(program)
waiting.function("sorter", 1, 9_000_000, 9_000_000, (9_000_000, 9_000_000), (9_000_000, 9_000_000))
waiting.context(None, 0x7f0000001234, "sorter", 1, 9_000_000, 9_000_000)
waiting.threads = []
waiting.thread(4711, 0, 10_000_000, 10_000_000, 6, False, "prog",
               [("main", 1, 10_000_000, 4_000_000), ("work", 2, 6_000_000, 5_000_000),
                ("leaf", 3, 1_000_000, 1_000_000)])
waiting.thread(4712, 0, 9_000_000, 9_000_000, 1, True, "idle", [("sorter", 1, 9_000_000, 9_000_000)])
waiting.write("waiting.fc")
text = parts("waiting.fc")
contains(summary(text)["Heaviest"], "work: 26.3% itself", "the heaviest of those that work")
contains(summary(text)["Idle"], "47.4% in sorter, where threads seem to wait", "who waits")
equal([row[-1] for row in rows(text, "Hot path")], ["main", "work", "leaf"], "the path of those that work")
equal([row[-1] for row in rows(text, "Heaviest functions")], ["sorter", "work", "main", "leaf"], "all are listed")
for mode in (3, 4):  # clocks that stand still while a thread waits
    waiting.header["time_mode"] = mode
    waiting.write("waiting.fc")
    found = summary(parts("waiting.fc"))
    contains(found["Heaviest"], "sorter: 47.4% itself", "a thread that computes")
    if "Idle" in found:
        fail("nobody waits", found)
alone = Profile(program, run_ns=9_000_000)
alone.function("sorter", 1, 9_000_000, 9_000_000)
alone.context(None, 0x7f0000001234, "sorter", 1, 9_000_000, 9_000_000)
alone.thread(4712, 0, 9_000_000, 9_000_000, 1, True, "one", [("sorter", 1, 9_000_000, 9_000_000)])
alone.write("alone.fc")
text = parts("alone.fc")
contains(summary(text)["Heaviest"], "sorter: 100.0%", "a thread that works in one function")
if "Idle" in summary(text):
    fail("nobody waits", text)

# Threads that wait: one does nothing else, three wait for each other in one function, and some of
# their time off the CPU is other work's.
contended = Profile(program, run_ns=100_000_000)
for name, calls, local in (("main", 1, 10_000_000), ("work", 30, 60_000_000), ("leaf", 30, 90_000_000), ("sorter", 1, 98_000_000)):
    contended.function(name, calls, local, local, (1, local), (1, local))
for number in range(3):
    contended.thread(4711 + number, 0, 90_000_000, 90_000_000, 20, True, f"worker-{number}",
                     [("work", 10, 20_000_000, 20_000_000), ("leaf", 10, 30_000_000, 30_000_000)])
contended.thread(4720, 0, 100_000_000, 100_000_000, 1, True, "listener", [("sorter", 1, 98_000_000, 98_000_000)])
plain_sections = contended.sections


def contended_sections(preempted=10_000_000):
    for name, lines in plain_sections():
        if name == "end":  # of each worker's 40 ms off the CPU in work and leaf 10 were preempted
            yield "wait-threads", [f"{i} 1 40000000 {preempted} 0" for i in range(3)] + ["3 1 97000000 0 0"]
            yield "wait-thread-functions", [f"{i} {f} {ns} {ns}" for i in range(3) for f, ns in ((0, 12_000_000), (1, 28_000_000))] \
                + ["3 0 97000000 97000000"]
            yield "wait-functions", ["1 36000000 36000000", "2 84000000 84000000", "3 97000000 97000000"]
        yield name, lines


contended.sections = contended_sections
contended.write("contended.fc")
found = summary(parts("contended.fc"))
equal(found["Idle"], "1 of 4 threads waited for 90% of the time or more: listener", "who does nothing but wait")
# leaf: 28 ms in each of three threads, less a fifth of the 10 ms that each was preempted, as it has 2 of 10 ms on the CPU
equal(found["Contended"], "3 threads wait in leaf, for 28.9% of the time of all that work; --waits: where else", "what they contend for")
if "Preempted" in found:
    fail("less than a tenth was preempted", found)
contended.sections = lambda: contended_sections(20_000_000)
contended.write("preempted.fc")
found = summary(parts("preempted.fc"))
equal(found["Preempted"], "Threads were ready but not running 16% of the time", "a busy machine")
contains(found["Contended"], "in leaf, for 22.2%", "no more than each thread waited of its own accord")
contended.sections = lambda: contended_sections(40_000_000)
contended.write("preempted.fc")
found = summary(parts("preempted.fc"))
equal(found["Preempted"], "Threads were ready but not running 32% of the time", "a busier machine")
if "Contended" in found:
    fail("nobody waited of its own accord", found)
for name in ("Contended", "Preempted", "Idle"):
    if name in summary(parts("many.fc")):
        fail(f"{name} of threads of which nothing is known")

# Where that is known nothing is guessed: threads that compute in a call each do not seem to wait, and one that
# waits has next to nothing on the CPU.
computing = Profile(program, run_ns=100_000_000)
for name, calls, local in (("main", 1, 98_000_000), ("sorter", 2, 80_000_000), ("leaf", 30, 900_000)):
    computing.function(name, calls, local, local, (1, local), (1, local))
    computing.context(None, 0x7f0000001234, name, calls, local, local)
computing.thread(4711, 0, 100_000_000, 100_000_000, 1, True, "prog",
                 [("main", 1, 98_000_000, 98_000_000), ("leaf", 30, 900_000, 900_000)])
for number in range(2):
    computing.thread(4712 + number, 0, 40_000_000, 40_000_000, 1, True, "worker", [("sorter", 1, 40_000_000, 40_000_000)])
sections_without_waits = computing.sections


def computing_sections():
    for name, lines in sections_without_waits():
        if name == "end":
            yield "wait-threads", ["0 1 97000000 0 0", "1 1 0 0 0", "2 1 0 0 0"]
            yield "wait-thread-functions", ["0 0 97000000 97000000"]
            yield "wait-functions", ["0 97000000 97000000"]
            yield "wait-contexts", ["0 97000000 97000000"]
        yield name, lines


computing.sections = computing_sections
computing.write("computing.fc")
for time, share in (("cpu", "97.7"), ("wall", "44.7")):
    text = parts("computing.fc", f"--time={time}")
    contains(summary(text)["Heaviest"], f"sorter: {share}% itself", f"a thread that works, --time={time}")
    equal([row[-1] for row in rows(text, "Hot path")], ["sorter"], f"where it works, --time={time}")
    contains(summary(text)["Idle"], "1 of 3 threads", f"who waits, --time={time}")
contains(summary(parts("computing.fc", "--time=wait"))["Heaviest"], "main: 100.0% itself", "what is asked for")

# Memory, losses, the end of the process, several processes, a profile of version 3.0.
with_heap(program).write("heap.fc")
equal(summary(parts("heap.fc"))["Memory"], "2164 B at the peak; 6 blocks of 464 B leaked; 0 bad frees", "memory")
dying = simple(program, end=("signal", 11), pid=4712)
dying.losses.append(("lost-records", 3))
dying.write("dying.fc")
text = parts("dying.fc")
equal(summary(text)["Program"], "prog, killed by signal 11 (Segmentation fault)", "how it ended")
if not text.index("Losses\n") < text.index("\nSummary\n"):
    fail("losses come first", text)
text = parts("dying.fc", "simple.fc")
equal(summary(text)["Program"], "prog, 1 of 2 were killed or exited with another status than 0", "the ends of two")
contains(summary(text)["Time"], "1.000 s, 2 processes, 2 threads, 20.00 ms in functions", "the time of two")
simple(program).write("old.fc", extended=False)
text = parts("old.fc")
contains(text, "A version 3.0 profile has no calling contexts.", "a path in a version 3.0 profile")
contains(summary(text)["Heaviest"], ": 50.0% itself, 60.0% with its callees, 2 calls", "version 3.0")
empty = Profile(program, run_ns=5)
empty.write("empty.fc")
contains(parts("empty.fc"), "No function to show.\nNothing that ran was compiled with the flags", "an empty one")
