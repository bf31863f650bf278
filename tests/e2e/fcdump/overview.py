#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The first screen: the line of facts, the findings and when each is told, the heaviest functions.

import re

from fcfile import Profile, Program, contains, equal, fail, folder, good, recursive, run, simple, with_heap, with_waits

keep = folder()
program = Program()
MS = 1_000_000


def parts(*words):
    """The facts; the findings; the table's heading, rows and footnote."""
    text = good("--width=80", *words)
    facts, *rest = text.split("\n\n")
    if any(len(line) > 80 for line in text.splitlines()):
        fail("a line of more than 80 columns", text)
    findings = [line[2:] for line in rest[0].splitlines()] if rest[0].startswith("* ") else []
    table = rest[-1].splitlines()
    return facts, findings, table


def told(finding, *words):
    return any(finding in each for each in parts(*words)[1])


# ---- Facts ---------------------------------------------------------------------------------------

simple(program).write("simple.fc")
facts, findings, table = parts("simple.fc")
equal(facts, "prog -v two words: 10.0 ms; CPU 10.0 ms; 1 thread; 6 calls", "the facts")
equal(findings, ["work itself takes 50% of the CPU time (2 calls of 2.50 ms)"], "the findings")
equal([line.split() for line in table],
      [["own", "+-", "%", "total", "calls", "function"], ["5.00", "ms", "50%", "6.00", "ms", "2", "work"],
       ["4.00", "ms", "40%", "10.0", "ms", "1", "main"], ["1.00", "ms", "10%", "1.00", "ms", "3", "leaf"],
       ["Calls", "are", "exact.", "How", "sure:", "--notes."]], "the table")
contains(good("--width=100", "simple.fc"), "names.c:25  work", "where functions begin")
simple(program, end=("exit", 3)).write("failing.fc")
contains(parts("failing.fc")[0], "prog -v two words: exited with status 3; 10.0 ms", "how it ended")
simple(program, pid=4800).write("other.fc")
contains(parts("simple.fc", "other.fc")[0], "2 processes; 2 threads; 12 calls", "two processes")
contains(parts("simple.fc", "failing.fc")[0], "1 of 2 failed", "one that failed")

long = simple(program)
long.header["arguments"] = ["./prog", *["argument"] * 20]
long.write("long.fc")
facts = parts("long.fc")[0]
contains(facts, " argu...: 10.0 ms; CPU 10.0 ms; 1 thread; 6 calls", "many arguments")
equal(len(facts), 80, "arguments have the room that is left")
facts = good("--width=120", "long.fc").splitlines()[0]
equal((len(facts), facts[-41:]), (120, ": 10.0 ms; CPU 10.0 ms; 1 thread; 6 calls"), "more of it on a wider terminal")

# Losses come first.
lossy = simple(program)
lossy.losses = [("bad-chunk", 3)]
lossy.write("lossy.fc")
if not good("lossy.fc").startswith("Losses\n") or "Calls are exact" in good("lossy.fc"):
    fail("losses first", good("lossy.fc"))

# Many functions: fifteen, and how many more.
many = Profile(program, run_ns=3_000_000)
for number in range(300):
    many.function(f"f{number}", 1, 1000 + number, 1000 + number, where=0x20000 + 16 * number)
many.modules.append((0, 0, 0x40000, 0, 2**64 - 1, program.build_id, program.path))
many.functions = [((1, f[0][1]), *f[1:]) for f in many.functions]
many.thread(1, 0, 3000, 3000, 300, False, "prog")
many.write("many.fc")
table = parts("many.fc")[2]
equal(len(table), 17, "fifteen functions")
contains(table[-1], "285 more: --all.", "the others")
equal(len(parts("many.fc", "--top=3")[2]), 5, "--top")
equal(len(parts("many.fc", "--all")[2]), 302, "--all")
equal(parts("many.fc")[1], [], "no function of a hundred is notable")

# ---- Estimates -----------------------------------------------------------------------------------

marks = Profile(program, run_ns=120 * MS)
marks.function("main", 1, 120 * MS, 70 * MS)
marks.function("work", 1000, 50 * MS, 50 * MS)
marks.thread(1, 0, 120 * MS, 120 * MS, 1001, False, "prog")
marks.more = [("counted", [f"1 1000 40 {5 * MS} {5 * MS}"])]
marks.write("marks.fc")
table = parts("marks.fc")[2]
equal(table[2].split(), ["50.0", "ms", "10%", "42%", "50.0", "ms", "1000", "work"], "the standard error")
contains(good("--width=100", "marks.fc"),
         "\nCalls are exact. Few samples: own times are rough. +-: standard error. How sure: --notes.\n", "the footnote")
equal(table[-1], "Few samples: own times are rough. +-: standard error. How sure: --notes.", "the footnote on 80 columns")
marks.more = [("counted", [f"1 1000 0 {50 * MS} {50 * MS}"])]
marks.write("unknown.fc")
table = parts("unknown.fc")[2]
equal(table[2].split()[0], "unknown", "what was never timed")
contains(good("unknown.fc"), "unknown: never timed.", "the footnote")

# ---- Findings: when they are told, and when not --------------------------------------------------

dying = simple(program, end=("signal", 11))
dying.write("killed.fc")
contains(parts("killed.fc")[0], "killed by signal 11", "a crash")
for name, finding, yes, no in (
        ("leaks", "leaked in", "heap.fc", "simple.fc"),
        ("a cycle", "call one another", "recursive.fc", "simple.fc"),
        ("the heaviest", "itself takes", "simple.fc", "many.fc")):
    with_heap(program).write("heap.fc")
    recursive(program).write("recursive.fc")
    equal((told(finding, yes), told(finding, no)), (True, False), name)
equal([" allocated" in good(name).split("\n")[0] for name in ("heap.fc", "simple.fc")], [True, False], "what was allocated, if that is known")

# Hooks that took more than the functions, or all there is: then no function takes a part of nothing.
for own_ms, says in ((2, "Hooks took 2.5 times as long as the functions"), (0, "Hooks took all of the time"), (9, None)):
    hooked = Profile(program, run_ns=20 * MS)
    hooked.function("main", 1, own_ms * MS, own_ms * MS)
    hooked.thread(1, 0, 20 * MS, 20 * MS, 1, False, "prog")
    hooked.more = [("cost-functions", [f"0 {5 * MS} {5 * MS}"])]
    hooked.write("hooked.fc")
    equal([each for each in good("--width=60", "hooked.fc").splitlines() if "Hooks" in each], ["* " + says + ', most for main; compile with CFLAGS="-O1 -g $(fc-config --cflags)": --suggest-filter'] if says else [], "hooks")
    equal("nan" in good("hooked.fc"), False, "no part of nothing")

# What lies within its own error is no finding.


def rough(error_ms, estimated_ms=16):
    """A function with 14% of the time, its standard error so many ms, among others with 4%."""
    made = Profile(program, run_ns=120 * MS)
    for number in range(20):
        made.function(f"f{number}", 1, 5 * MS, 5 * MS, where=0x20000 + 16 * number)
    made.function("work", 1000, estimated_ms * MS, estimated_ms * MS, where=0x21000)
    made.modules.append((0, 0, 0x40000, 0, 2**64 - 1, program.build_id, program.path))
    made.functions = [((1, f[0][1]), *f[1:]) for f in made.functions]
    made.thread(1, 0, 120 * MS, 120 * MS, 1020, False, "prog")
    made.more = [("counted", [f"20 1000 40 {error_ms * MS} {error_ms * MS}"])]
    made.write("rough.fc")
    return told("itself takes", "rough.fc")


for error_ms, expected in ((1, True), (4, True), (5, False), (9, False)):
    equal(rough(error_ms), expected, f"a share with a standard error of {error_ms} ms")
equal((rough(90, 200), rough(110, 200)), (True, False), "a time that is mostly error")

# Hooks took 1.25 times as much: not if what was taken off them may be theirs.
for error_us, expected in ((100, True), (600, False)):
    hooked = Profile(program, run_ns=20 * MS)
    hooked.function("work", 1000, 4 * MS, 4 * MS)
    hooked.thread(1, 0, 20 * MS, 20 * MS, 1, False, "prog")
    hooked.more = [("counted", [f"0 1000 40 {error_us * 1000} {error_us * 1000}"]), ("cost-functions", [f"0 {5 * MS} {5 * MS}"])]
    hooked.write("hooked.fc")
    equal("Hooks took 1.2 times" in good("hooked.fc"), expected, f"hooks, with an error of {error_us} us")

# Three at most.
equal(len(parts("recursive.fc", "heap.fc")[1]) <= 3, True, "three findings at most")

# Threads that wait in one function, of their own accord; that were preempted; that only waited.
threads = Profile(program, run_ns=100 * MS)
for name, calls, local in (("main", 1, 10 * MS), ("work", 30, 60 * MS), ("leaf", 30, 90 * MS), ("sorter", 2, 196 * MS)):
    threads.function(name, calls, local, local, (1, local), (1, local))
for number in range(3):
    threads.thread(4711 + number, 0, 90 * MS, 90 * MS, 20, True, f"worker-{number}",
                   [("work", 10, 20 * MS, 20 * MS), ("leaf", 10, 30 * MS, 30 * MS)])
for number in range(2):
    threads.thread(4720 + number, 0, 100 * MS, 100 * MS, 1, True, f"listener-{number}", [("sorter", 1, 98 * MS, 98 * MS)])
plain_sections = threads.sections


def sections(preempted=10 * MS):
    for name, lines in plain_sections():
        if name == "end":
            yield "wait-threads", [f"{i} 1 40000000 {preempted} 0" for i in range(3)] + \
                [f"{i} 1 97000000 0 0" for i in (3, 4)]
            yield "wait-thread-functions", [f"{i} {f} {ns} {ns}" for i in range(3)
                                            for f, ns in ((0, 12 * MS), (1, 28 * MS))] + \
                [f"{i} 0 97000000 97000000" for i in (3, 4)]
            yield "wait-functions", ["1 36000000 36000000", "2 84000000 84000000", "3 194000000 194000000"]
        yield name, lines


threads.sections = sections
threads.write("threads.fc")
facts, findings, table = parts("threads.fc")
contains(good("--width=100", "threads.fc"), "blocked 284 ms; preempted 30.0 ms", "blocked and preempted apart")
contains("\n".join(findings), "3 threads wait in leaf (names.c:15) for 78.0 ms: --waits", "who waits")
contains("\n".join(findings), "2 of 5 threads only waited (listener-0, listener-1): --threads", "who only waited")
equal(told("ready but not running", "threads.fc"), False, "a machine that is not busy")
contains(table[0], "waited", "a column of waiting")
contains(table[-1], "waited: blocked or preempted, all threads.", "what the column is")
threads.sections = lambda: sections(38 * MS)
threads.write("busy.fc")
equal((told("Threads were ready but not running", "busy.fc"), told("threads wait in", "busy.fc")), (True, False),
      "preempted, not blocked, and by whom is not known")

# Threads wanted 186 ms on the CPU and were ready for 114 ms more, in 100 ms.  Who had the processors?
threads.header["ended"] = threads.header["started"] + 100 * MS


def preempted_by(processors, others):
    threads.machine = {"processors": processors, "booted": 17, "used-before": 5_000 * MS, "used-after": (5_200 + others) * MS, "used": 200 * MS}
    threads.write("busy.fc")
    return [line[2:] for line in good("--width=120", "busy.fc").splitlines() if "ready but not running" in line]


equal(preempted_by(2, 60), ["The machine was busy: threads were ready but not running 24% of the time (others used 0.6 of 2 processors)"], "others")
equal(preempted_by(2, 50), ["Threads want more than 2 processors: ready but not running 24% of the time"], "one another")
equal(preempted_by(1, 0), ["Threads want more than 1 processor: ready but not running 24% of the time"], "one another on one processor")
equal(preempted_by(3, 50), ["Threads were ready but not running 24% of the time"], "neither")
threads.machine = {}

# Where samples tell what the waits were for: nobody is in the way of one that waits for input, or sleeps; who waits for a
# lock wants to work, however long; who waits for a sign of another thread most of the time, only waits.


def of_kinds(leaf="0 0 0 0 0 0", sorter="0 0 0 0 0 0", preempted=0):
    """The kinds of what the workers wait in leaf, and the listeners in sorter."""
    for name, lines in sections(0):
        if name == "end":
            yield "off-functions", [f"1 0 {leaf}", f"2 {preempted} {leaf}", f"3 0 {sorter}"]
            yield "off-thread-functions", [f"{i} 1 {preempted // 3} {leaf}" for i in range(3)] + \
                [f"{i} 0 0 {sorter}" for i in (3, 4)]
        yield name, lines


def busy_and_waiting(preempted):
    """The listeners wait for input, and others had the workers' processors."""
    for name, lines in sections(preempted):
        if name == "end":
            yield "off-functions", ["3 0 0 0 9 0 0 0"]
            yield "off-thread-functions", [f"{i} 0 0 0 0 9 0 0 0" for i in (3, 4)]
        yield name, lines


for preempted in (20, 38):
    threads.sections = lambda preempted=preempted: busy_and_waiting(preempted * MS)
    threads.write("both.fc")
    found = [finding for finding in parts("both.fc")[1] if "waits for input" in finding or "but not running" in finding]
    equal(["input" in finding for finding in found], [True, False], f"what took longer is told first: {found}")

LOCK, SIGN, INPUT, SLEEP = "9 0 0 0 0 0", "0 9 0 0 0 0", "0 0 9 0 0 0", "0 0 0 9 0 0"
contended = "threads wait for "
for leaf, sorter, expected in (
        (LOCK, INPUT, ["3 threads wait for a lock in leaf (names.c:15) for 84.0 ms",
                       "sorter (names.c:22) waits for input for 194 ms in 2 threads"]),
        (SIGN, SLEEP, ["3 threads wait for one another in leaf (names.c:15) for 84.0 ms", "sorter (names.c:22) sleeps for 194 ms"]),
        (INPUT, SIGN, ["leaf (names.c:15) waits for input for 84.0 ms in 3 threads", "2 of 5 threads only waited"]),
        (SLEEP, LOCK, ["2 threads wait for a lock in sorter (names.c:22) for 194 ms", "leaf (names.c:15) sleeps for 84.0 ms"])):
    threads.sections = lambda leaf=leaf, sorter=sorter: of_kinds(leaf, sorter)
    threads.write("kinds.fc")
    found = parts("kinds.fc")[1]
    for finding in expected:
        contains("\n".join(found), finding, f"findings of {leaf}, {sorter}")
    if expected[0].startswith("leaf") and contended in "\n".join(found):
        fail("contended, though nobody waits for another", found)

# Threads of two processes don't wait for one another.
alone = Profile(program, run_ns=100 * MS)
alone.function("leaf", 1, 90 * MS, 90 * MS, (1, 90 * MS), (1, 90 * MS))
alone.thread(1, 0, 90 * MS, 90 * MS, 1, True, "prog", [("leaf", 1, 90 * MS, 90 * MS)])
alone.more = [("wait-threads", [f"0 1 {70 * MS} 0 0"]), ("wait-thread-functions", [f"0 0 {70 * MS} {70 * MS}"]),
              ("wait-functions", [f"0 {70 * MS} {70 * MS}"]), ("off-functions", ["0 0 0 9 0 0 0 0"]),
              ("off-thread-functions", ["0 0 0 0 9 0 0 0 0"])]
alone.write("alone.fc")
alone.write("alone2.fc")
equal((told("wait for one another", "alone.fc"), told("wait for one another", "alone.fc", "alone2.fc")), (False, False),
      "two processes")

# Work that threads share unevenly, at the same time.


def shared(late=0, *parts):
    """Threads of `parts` ms of work in leaf, the last of which begins `late` ms later."""
    made = Profile(program, run_ns=200 * MS)
    total = sum(parts) * MS
    made.function("leaf", len(parts), total, total, (1, 90 * MS), (1, 90 * MS))
    for number, part in enumerate(parts):
        begin = late * MS if number == len(parts) - 1 else 0
        made.thread(10 + number, begin, begin + 100 * MS, 100 * MS, 1, True, "prog", [("leaf", 1, part * MS, part * MS)])
    made.more = [("wait-threads", [f"{i} 1 {(100 - part) * MS} 0 0" for i, part in enumerate(parts)])]
    made.write("shared.fc")
    return told("threads in leaf (names.c:15) has", "shared.fc")


for expected, *how in ((True, 0, 10, 20, 10, 100), (False, 0, 90, 100, 95, 90), (False, 50, 10, 20, 10, 100),
                       (False, 0, 100), (False, 0, 1, 2, 1, 12)):
    equal(shared(*how), expected, f"shares {how}")
shared(0, 10, 20, 10, 100)
contains(good("--width=120", "shared.fc"), "1 of 4 threads in leaf (names.c:15) has 71% of their work", "uneven shares")


def squared(callers, callees, cost=50, error=0):
    """So many calls of work make so many of leaf, of which all take that part of the time."""
    made = Profile(program, run_ns=100 * MS)
    made.function("main", 1, 100 * MS, 0)
    made.function("work", callers, 100 * MS, (100 - cost) * MS)
    made.function("leaf", callees, cost * MS, cost * MS)
    made.arc("main", "main+6", "work", callers, 100 * MS)
    made.arc("work", "work+6", "leaf", callees, cost * MS)
    made.thread(1, 0, 100 * MS, 100 * MS, callers + callees + 1, False, "prog")
    made.more = [("counted", [f"2 {callees} 40 {error * MS} {error * MS}"])] if error else []
    made.write("squared.fc")
    return told("calls of work make", "squared.fc")


for expected, *how in ((True, 100, 4950), (True, 1000, 500500), (False, 100, 4951), (False, 100, 10000), (False, 5, 10),
                       (False, 100, 4950, 5), (True, 100, 4950, 20, 8), (False, 100, 4950, 20, 12)):
    equal(squared(*how), expected, f"squares {how}")

# Few calls that take much longer, of a function and of what calls it: the innermost one is named.


def bucket(ns):
    """Of the section "latencies": 20 for each power of two, as the format says."""
    top = ns.bit_length()
    return 20 * top + (ns - (1 << (top - 1))) * 20 // (1 << (top - 1))


def slow(slow_us, count=2000, few=40):
    """Of so many calls of leaf, which work makes, `few` take that long, the others 10 us."""
    made = Profile(program, run_ns=100 * MS)
    total = few * slow_us * 1000 + (count - few) * 10_000
    made.function("main", 1, total + 4 * MS, 2 * MS)
    made.function("work", count, total + 2 * MS, 2 * MS, (11_000, slow_us * 1000 + 1000))
    made.function("leaf", count, total, total, (10_000, slow_us * 1000))
    made.arc("main", "main+6", "work", count, total + 2 * MS)
    made.arc("work", "work+6", "leaf", count, total)
    made.thread(1, 0, 100 * MS, 100 * MS, 2 * count + 1, False, "prog")
    made.more = [("latencies", [f"{arc} {bucket(us * 1000)}:{count - few} {bucket((slow_us + us - 10) * 1000)}:{few}"
                                for arc, us in ((0, 11), (1, 10))])]
    made.write("slow.fc")
    return [each for each in parts("slow.fc")[1] if "1 call in 100" in each]


found = slow(1000)
equal(len(found), 1, "slow calls")
if not re.match(r"1 call in 100 of leaf takes 1\.0\d ms or more: --latency$|1 call in 100 of leaf takes \d+ us or more", found[0]):
    fail("slow calls", found[0])
contains(good("--width=120", "slow.fc"), "slowest 1.00 ms, elapsed)", "its reason")
for how in ((300,), (450,), (2500, 500, 10), (1000, 2000, 10)):
    equal(slow(*how), [], f"no slow calls: {how}")  # too short, too little time, too few calls, fewer than one in a hundred

# Where a line has no room for all of it, the time stays and the place goes.
threads.sections = lambda: of_kinds(SIGN, SLEEP)
threads.write("kinds.fc")
found = "\n".join(line for line in good("--width=72", "kinds.fc").splitlines() if line.startswith("* "))
contains(found, "* 3 threads wait for one another in leaf for 84.0 ms: --waits", "a finding on a narrow terminal")

# Few calls of one that waits, which is told already, are no other finding.
waiting = Profile(program, run_ns=100 * MS)
waiting.function("leaf", 4000, 80 * MS + 3960 * 10_000, 80 * MS + 3960 * 10_000, (10_000, 2 * MS))
waiting.arc(None, 0x7f0000001234, "leaf", 4000, 80 * MS + 3960 * 10_000)
for number in range(2):
    waiting.thread(1 + number, 0, 100 * MS, 60 * MS, 2000, True, "prog", [("leaf", 2000, 60 * MS, 60 * MS)])
for with_waits_told, expected in ((False, 1), (True, 0)):
    waiting.more = [("latencies", [f"0 {bucket(10_000)}:3950 {bucket(2 * MS)}:50"])]
    if with_waits_told:
        waiting.more = [("wait-threads", [f"{i} 1 {40 * MS} 0 0" for i in range(2)]),
                         ("wait-thread-functions", [f"{i} 0 {40 * MS} {40 * MS}" for i in range(2)]),
                         ("wait-functions", [f"0 {80 * MS} {80 * MS}"]), ("off-functions", ["0 0 9 0 0 0 0 0"]),
                         ("off-thread-functions", [f"{i} 0 0 9 0 0 0 0 0" for i in range(2)]), *waiting.more]
    waiting.write("waiting.fc")
    equal(len([each for each in parts("waiting.fc")[1] if "1 call in 100" in each]), expected, f"a tail of waiting: {with_waits_told}")

# The report of it, and what is preempted is not blocked.
threads.sections = lambda: of_kinds(LOCK, INPUT, 30 * MS)
threads.write("kinds.fc")
table = good("--waits", "--basename", "kinds.fc").splitlines()
equal([line.split() for line in table[5:]],
      [["194", "ms", "194", "ms", "names.c:22", "sorter"], ["54.0", "ms", "30.0", "ms", "54.0", "ms", "names.c:15", "leaf"],
       ["36.0", "ms", "36.0", "ms", "names.c:25", "work"]],
      "--waits")
if "input" not in good("--waits", "--width=80", "kinds.fc") or "disk" in good("--waits", "--width=80", "kinds.fc"):
    fail("--waits has a column for what was waited for, and for nothing else")
threads.sections = lambda: sections(38 * MS)
threads.write("unknown.fc")
for column in ("blocked", "preempted", "unknown", "begins at", "function"):
    contains("".join(good("--waits", "--width=80", "unknown.fc").splitlines()[:7]), column, "columns of 80")
# Where all kinds have no room, the kind with most of the time is shown beside a name that can be read.
NAME = "a-library-of-a-length.so+0x10"
wide = Profile(program, run_ns=100 * MS)
wide.function("main", 1, 90 * MS, 90 * MS, where=0x9010)
wide.functions[0] = ((1, 0x9010), *wide.functions[0][1:])
wide.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, "/none/a-library-of-a-length.so"))
wide.thread(1, 0, 100 * MS, 90 * MS, 1, True, "prog", [("main", 1, 90 * MS, 90 * MS)])
wide.more = [("wait-threads", [f"0 1 {70 * MS} {10 * MS} 0"]), ("wait-thread-functions", [f"0 0 {70 * MS} {70 * MS}"]),
             ("wait-functions", [f"0 {70 * MS} {70 * MS}"]), ("off-functions", [f"0 {10 * MS} 3 1 1 1 0 0"]),
             ("off-thread-functions", [f"0 0 {10 * MS} 3 1 1 1 0 0"])]
wide.write("wide.fc")
for columns, row in ((80, ["60.0", "ms", "10.0", "ms", "lock", "50%", NAME]),
                     (120, ["60.0", "ms", "10.0", "ms", "30.0", "ms", *["10.0", "ms"] * 3, NAME])):
    equal(run("--waits", "--names=full", f"--width={columns}", "wide.fc").out.splitlines()[-1].split(), row, f"--waits on {columns} columns")
wide.more.append(("latencies", [f"0 {bucket(90 * MS)}:1"]))
wide.arc(None, 0x7f0000001234, "main", 1, 90 * MS)
wide.write("wide.fc")
for report in ("--flat --cumul", "--heaviest", "--ranks", "--latency", "--rgraph", "--peek=*", "--waits"):
    contains(run(*report.split(), "--names=full", "--width=80", "wide.fc").out, NAME[:17], f"a name in {report} on 80 columns")
many_waits = Profile(program, run_ns=3_000_000)
for number in range(40):
    many_waits.function(f"f{number}", 1, 1000, 1000, where=0x20000 + 16 * number)
many_waits.modules.append((0, 0, 0x40000, 0, 2**64 - 1, program.build_id, program.path))
many_waits.functions = [((1, f[0][1]), *f[1:]) for f in many_waits.functions]
many_waits.thread(1, 0, 3000, 3000, 40, False, "prog")
many_waits.more = [("wait-threads", ["0 1 40000 0 0"]), ("wait-functions", [f"{n} {n + 500} {n + 500}" for n in range(40)])]
many_waits.write("many-waits.fc")
contains(good("--waits", "many-waits.fc"), "\n25 more functions with --all.", "--waits has fifteen rows")
equal(len(good("--waits", "--all", "many-waits.fc").splitlines()), len(good("--waits", "many-waits.fc").splitlines()) + 24, "--all")
contains(good("--waits", "simple.fc"), "No function was off the CPU", "--waits without waits")
with_waits(program).write("waits.fc")
contains(parts("waits.fc", "--time=wait")[0], "waiting ", "--time=wait")
