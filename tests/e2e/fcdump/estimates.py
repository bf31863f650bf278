#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What is an estimate has its mark in each report that shows it, a sum where any part of it is one, and
# the report says what the marks mean.

from fcfile import Profile, Program, cells, contains, equal, fail, folder, rows, run, section, with_waits

US = 1000
MS = 1000 * US
LEGEND = "~ time: estimated from calls that were timed at random"

keep = folder()
program = Program()


def show(*words):
    """What is printed; that the module is not there is said on standard error."""
    result = run(*words)
    if result.err not in ("", "fcdump: /none/plug.so: No such file or directory; its functions are shown by address\n"):
        fail(f"fcdump {words}", result.err)
    return result.out


def marked(row):
    """Which of its cells are marked; a mark is part of the cell."""
    return [cell[0] if cell[0] in "~?" else "" for cell in row]


def main_and_others():
    """main, measured as a whole, calls work, of which few calls are timed; plug, of another module, and leaf are
    timed each time, by main and in a thread of its own."""
    profile = Profile(program, run_ns=100 * MS)
    profile.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, "/none/plug.so"))
    profile.function("main", 1, 100 * MS, 40 * MS, (100 * MS, 100 * MS), (40 * MS, 40 * MS), [(27, 1)])
    profile.function("work", 1000, 50 * MS, 50 * MS, (10 * US, 90 * US), (10 * US, 90 * US), [(14, 5), (17, 5)])
    profile.function("plug", 1, 10 * MS, 10 * MS, (10 * MS, 10 * MS), (10 * MS, 10 * MS), [(24, 1)],
                     where=0x9010)
    profile.functions[2] = ((1, 0x9010), *profile.functions[2][1:])
    profile.function("leaf", 1, 20 * MS, 20 * MS, (20 * MS, 20 * MS), (20 * MS, 20 * MS), [(25, 1)])
    profile.arc(None, 0x7f0000001234, "main", 1, 100 * MS)
    profile.arc("main", "main+6", "work", 1000, 50 * MS)
    profile.arc("main", "main+12", "plug", 1, 10 * MS)
    profile.arc(None, 0x7f0000001234, "leaf", 1, 20 * MS)
    top = profile.context(None, 0x7f0000001234, "main", 1, 100 * MS, 40 * MS)
    profile.context(top, "main+6", "work", 1000, 50 * MS, 50 * MS)
    profile.context(top, "main+12", "plug", 1, 10 * MS, 10 * MS)
    profile.context(None, 0x7f0000001234, "leaf", 1, 20 * MS, 20 * MS)
    profile.thread(4711, 0, 100 * MS, 100 * MS, 1002, False, "prog",
                   [("main", 1, 100 * MS, 40 * MS), ("work", 1000, 50 * MS, 50 * MS), ("plug", 1, 10 * MS, 10 * MS)])
    profile.thread(4712, 0, 20 * MS, 20 * MS, 1, True, "other", [("leaf", 1, 20 * MS, 20 * MS)])
    profile.more = [("counted", [f"0 0 0 0 {MS}", f"1 1000 10 {MS} {MS}"]), ("apportioned-contexts", ["1"])]
    return profile


main_and_others().write("marks.fc")


def report(*words):
    text = show("--no-reports", *words, "marks.fc")
    contains(text, LEGEND, f"what marks mean with {words}")
    return text


# --hot-path: of a total the total's mark, as in the other reports; calls that are apportioned.
text = report("--hot-path")
equal([marked(row) + [row[-1]] for row in rows(text, "Hot path")],
      [["", "", "~", "", "", "main"], ["~", "", "~", "~", "", "work"]], "--hot-path")
flat = {row[-1]: row for row in rows(show("--no-reports", "--flat", "marks.fc"), "Flat profile")}
equal([(flat[name][0], flat[name][2]) for name in ("main", "work")],
      [(row[0], row[2]) for row in rows(text, "Hot path")], "the flat profile has the same")
heaviest = {row[-1]: row for row in rows(show("--no-reports", "--heaviest", "marks.fc"), "Heaviest functions")}
equal([(heaviest[name][3], heaviest[name][0]) for name in ("main", "work")],
      [(row[0], row[2]) for row in rows(text, "Hot path")], "so have the heaviest functions")
equal(show("--heaviest", "--hot-path", "marks.fc").count(LEGEND), 1, "once in two reports")

# --path
text = report("--path=main,work")
equal(rows(text, "Contexts by way of"), [["~50.00 ms", "41.7", "~50.00 ms", "~1000", "main > work"]], "--path")
contains(text, "\n~50.00 ms in all, 41.7%, in ~1000 calls.\n", "the sum of --path")
text = report("--path=main,plug*")
equal(marked(rows(text, "Contexts by way of")[0]), [""] * 5, "--path to what was measured")
contains(text, "\n10.00 ms in all, 8.3%, in 1 call.\n", "the sum of what was measured")
equal(marked(rows(report("--path=main"), "Contexts by way of main")[0]), ["", "", "~", "", ""], "--path to main")

# --threads: the functions of each.
text = report("--threads")
equal([marked(row) + [row[-1]] for row in rows(text, "Thread 4711 (prog), by local time")],
      [["~", "", "~", "", "", "", "work"], ["", "", "~", "", "", "", "main"],
       ["", "", "", "", "", "", "plug.so"]], "--threads")
equal(marked(rows(text, "Thread 4712 (other), by local time")[0]), [""] * 6, "a thread without estimates")
equal(text.count(LEGEND), 1, "once for all threads")

# --by: sums.
by = {key: {row[-1].split("/")[-1]: marked(row) for row in rows(report("--flat", f"--by={key}"), title)}
      for key, title in (("thread", "Threads by time"), ("process", "Processes by time"), ("module", "Modules"),
                         ("file", "Files"))}
equal(by["thread"], {"prog": ["~", "", "", "", ""], "other": ["", "", "", "", ""]}, "--by=thread")
equal(by["process"], {"prog -v two words": ["~", "", "", "", ""]}, "--by=process")
equal(by["module"], {"prog": ["~", "", "~", "", "", ""], "plug.so": [""] * 6}, "--by=module")
equal(by["file"], {"names.c": ["~", "", "~", "", "", ""], "(unknown)": [""] * 6}, "--by=file")

# --cycles
circle = Profile(program, run_ns=100 * MS)
circle.function("main", 1, 100 * MS, 10 * MS, (100 * MS, 100 * MS), (10 * MS, 10 * MS), [(27, 1)])
circle.function("even", 200, 60 * MS, 30 * MS, (0, MS), (0, MS), [(20, 10)])
circle.function("odd", 190, 50 * MS, 30 * MS, (0, MS), (0, MS), [(20, 190)])
circle.function("alpha", 10, 30 * MS, 20 * MS, (MS, MS), (MS, MS), [(20, 10)])
circle.function("beta", 10, 25 * MS, 10 * MS, (MS, MS), (MS, MS), [(20, 10)])
circle.arc(None, 0x7f0000001234, "main", 1, 100 * MS)
circle.arc("main", "main+6", "even", 10, 60 * MS)
circle.arc("even", "even+4", "odd", 190, 50 * MS)
circle.arc("odd", "odd+4", "even", 190, 40 * MS)
circle.arc("main", "main+12", "alpha", 5, 30 * MS)
circle.arc("alpha", "alpha+4", "beta", 10, 25 * MS)
circle.arc("beta", "beta+4", "alpha", 5, 5 * MS)
circle.thread(4711, 0, 100 * MS, 100 * MS, 411, False, "prog")
circle.more = [("counted", [f"1 200 10 {MS} {MS}"]), ("apportioned-arcs", ["3"])]
circle.write("circle.fc")
text = show("--no-reports", "--cycles", "circle.fc")
contains(text, LEGEND, "what marks mean with --cycles")
lines = [cells(line) for line in section(text, "Cycles") if line.endswith((" functions", " even", " odd", " alpha", " beta"))]
if [len(line) for line in lines] != [5] * 6:
    fail("rows of --cycles", text)
equal([marked(line) for line in lines],
      [["~", "~", "", "~", ""], ["~", "~", "", "~", ""], ["", "", "", "", ""],
       ["", "", "", "", ""], ["", "", "", "", ""], ["", "", "", "", ""]], "--cycles")

# Where no call was timed, none is told of.
profile = main_and_others()
profile.more = [("counted", [f"1 1000 0 {MS} {MS}"])]
profile.write("untimed.fc")
text = show("--header", "--heaviest", "untimed.fc")
contains(text, "Of 1 short function 1000 calls were counted, and none of them timed: times with ~ are estimates, "
         "rough ones, as there are few samples of where threads were.", "the header")
contains(text, "~ time: estimated from the number of calls; ~ calls:", "what marks mean where none was timed")

# Where nothing tells of the time, the row says so.
profile.more = [("counted", [f"1 1000 0 {60 * MS} {60 * MS}"])]
profile.write("unknown.fc")
row, = [row for row in rows(show("--no-reports", "--flat", "unknown.fc"), "Flat profile") if row[-1] == "work"]
equal(row.count("unknown"), 2, f"the total and the local time of what was never timed: {row}")

# What hooks took makes no waiting doubtful.
profile = with_waits(program)
profile.more = [("counted", [f"1 3 1 {9 * MS} {9 * MS}"])]
profile.write("waits.fc")
for words, mark in ((), "?"), (("--time=wait",), "~"):
    row = {row[-1]: marked(row) for row in rows(show("--no-reports", "--flat", *words, "waits.fc"), "Flat profile")}["work"]
    equal(mark in row and ("?" in row) == (mark == "?"), True, f"work with {words}: {row}")
    equal("? time" in show("--heaviest", *words, "waits.fc"), mark == "?", f"what ? means with {words}")

# Where nothing is estimated there is no mark and no word of one, and none in a table for programs.
profile = main_and_others()
profile.more = []
profile.write("exact.fc")
for words in (["--hot-path"], ["--path=main,work"], ["--threads"], ["--flat", "--by=module"], ["--flat", "--by=thread"]):
    if "~" in show("--no-reports", *words, "exact.fc") or "~" in show("--csv", words[-1], "marks.fc"):
        fail(f"marks with {words}")
