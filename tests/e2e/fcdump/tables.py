#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --csv: the table of every report, read by a CSV reader: headings with units, whole numbers, the same
# figures as in JSON.  --top and --min in the reports of memory.  Times off the CPU in all reports.
# Names that are shortened on a terminal stay apart.

import csv
import io
import json
import os
import re
import subprocess

from fcfile import Profile, Program, contains, equal, fail, folder, good, recursive, rows, run, simple, with_heap, with_waits

keep = folder()
program = Program()
with_heap(program).write("heap.fc")
recursive(program).write("cycles.fc")


def read(text):
    """Rows as dictionaries, of a text that a strict reader takes and that RFC 4180 describes."""
    if not text.endswith("\r\n") or "\n" in text.replace("\r\n", ""):
        fail("lines do not end with CR LF", repr(text[:200]))
    table = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    head = table[0]
    equal(len(set(head)), len(head), f"headings differ: {head}")
    if "" in head:
        fail("a column without a heading", head)
    for row in table[1:]:
        equal(len(row), len(head), f"fields of {row}")
        for name, value in zip(head, row):
            if re.search(r"\((ns|bytes)\)$|\b(calls|blocks|count|number|level)$", name) and not re.fullmatch(
                    r"-?\d+\.\d{3}" if "." in value and name.startswith("per call") else r"-?\d*", value):
                fail(f"{name} is no whole number", value)
            if name.endswith("%") and not re.fullmatch(r"(\d+\.\d+)?", value):
                fail(f"{name} is no number", value)
    return [dict(zip(head, row)) for row in table[1:]]


def table(*arguments):
    return read(good("--csv", *arguments))


# ---- Every report ------------------------------------------------------------------------------

listed = re.findall(r"^  --([a-z-]+), --no-", good("--help").split("\nExports", 1)[0], re.MULTILINE)
NO_TABLE = {"header", "summary"}
if len(listed) < 15 or not NO_TABLE <= set(listed):
    fail("reports of --help", listed)
for name in listed:
    for profile in ("heap.fc", "cycles.fc"):
        result = run("--csv", f"--{name}", profile)
        if name in NO_TABLE:
            equal((result.status, result.out), (2, ""), f"--{name} is no table")
            contains(result.err, f"--{name} is no table", name)
            continue
        equal(result.status, 0, f"--csv --{name}: {result.err}")
        if result.out == "":
            contains(result.err, "nothing to say", f"--csv --{name} of {profile}")
        else:
            read(result.out)
for arguments in (["--rgraph"], ["--peek=work"], ["--path=main,leaf"], ["--by=file"], ["--by=module"], ["--by=thread"],
                  ["--by=process"], ["--graph", "--details"], ["--tree", "--details"]):
    if not table(*arguments, "heap.fc"):
        fail(f"--csv {arguments}: no row")
for arguments, part in ((["--json"], "--json"), (["--html=x.html"], "--html"), (["--units=us"], "--units"),
                        (["--gmon=x"], "--gmon"), (["--flat", "--tree"], "one table at a time"), (["--memory"], "one table")):
    result = run("--csv", *arguments, "heap.fc")
    equal((result.status, result.out), (2, ""), f"--csv {arguments}")
    contains(result.err, part, f"--csv {arguments}")

# ---- The figures ------------------------------------------------------------------------------

data = json.loads(good("--json", "heap.fc"))
functions = {function["name"]: function for function in data["functions"]}
flat = table("heap.fc")
equal(flat, table("--flat", "--top=100", "heap.fc"), "alone it is the flat profile")
equal({row["function"]: (int(row["total time (CPU ns)"]), int(row["local time (CPU ns)"]), int(row["calls"]),
                         int(row["total per call min (CPU ns)"]), int(row["total per call max (CPU ns)"])) for row in flat},
      {name: (f["total_ns"], f["local_ns"], f["calls"], f["total_min_ns"], f["total_max_ns"])
       for name, f in functions.items()}, "the flat profile")
equal([row["total %"] for row in flat], ["100.000000", "60.000000", "10.000000"], "shares")
equal([row["function"] for row in table("--sort=calls", "--top=1", "heap.fc")], ["leaf"], "--sort and --top")
graph = table("--graph", "heap.fc")
equal([(row["of function"], row["row"], row["function"], row["time (CPU ns)"], row["calls"]) for row in graph],
      [("main", "function", "main", "10000000", "1"), ("main", "callee", "work", "6000000", "2"),
       ("main", "local", "(local)", "4000000", ""), ("work", "function", "work", "6000000", "2"),
       ("work", "callee", "leaf", "1000000", "3"), ("work", "local", "(local)", "5000000", "")], "the call graph")
tree = table("--tree", "heap.fc")
equal([(row["number"], row["parent"], row["level"], row["context"], row["total time (CPU ns)"]) for row in tree],
      [("1", "0", "0", "main", "10000000"), ("2", "1", "1", "work", "6000000"), ("3", "2", "2", "leaf", "1000000")], "the tree")
equal([(row["level"], row["context"]) for row in table("--hot-path", "heap.fc")],
      [("0", "main"), ("1", "work"), ("2", "leaf")], "the hot path")
equal([(row["row"], row["calls"], row["from (elapsed ns)"], row["to (elapsed ns)"], row["function"]) for row in
       table("--latency", "--only=leaf", "heap.fc")],
      [("function", "3", "200000", "500000", "leaf"), ("bucket", "1", "131072", "262144", "leaf"),
       ("bucket", "2", "262144", "524288", "leaf")], "latency")
equal(sorted((row["row"], row["function"]) for row in table("--cycles", "cycles.fc")),
      [("cycle", "cycle 1: 2 functions"), ("cycle", "cycle 2: 3 functions")]
      + sorted([("member", name) for name in ("even", "odd", "alpha", "beta", "delta")]) + [("recursive", "fib")], "cycles")
equal({row["function"]: (row["own bytes (bytes)"], row["with callees bytes (bytes)"]) for row in table("--mem-functions", "heap.fc")},
      {"main": ("100", "4100"), "work": ("4000", "4000"), "<outside>": ("64", "64")}, "memory by function")
sites = table("--mem-contexts", "heap.fc")
equal([row["allocated bytes (bytes)"] for row in sites], ["4000", "100", "64"], "memory by context")
equal([part.split("  at ")[0] for part in sites[0]["stack"].split(";")], ["malloc", "work", "main"], "a stack is one field")
equal([(row["up to (elapsed ns)"], row["most live (bytes)"]) for row in table("--mem-heap", "heap.fc")],
      [("2000000", "164"), ("5000000", "2164"), ("9000000", "464")], "the heap over time, each sample")
changes = table("--diff", "heap.fc", "--", "heap.fc", "--all")
equal({row["function"]: (row["local before (CPU ns)"], row["local change (CPU ns)"], row["local verdict"], row["calls after"])
       for row in changes}, {name: (str(f["local_ns"]), "0", "same", str(f["calls"])) for name, f in functions.items()}, "a difference")
if not table("--diff", "--tree", "heap.fc", "--", "cycles.fc"):
    fail("contexts of a difference")

# ---- --top and --min in the reports of memory ---------------------------------------------------

for report, column, named in (("--mem-functions", "function", 3), ("--mem-contexts", "stack", 3), ("--mem-leaks", "stack", 2)):
    every = table(report, "--reachable", "heap.fc")
    equal(len(every), named, f"rows of {report}")
    equal(table(report, "--reachable", "--top=1", "heap.fc"), every[:1], f"{report} --top=1")
    text = good("--no-reports", report, "--reachable", "--top=1", "heap.fc")
    contains(text, f"{named - 1} more ", f"{report} --top=1 says what it leaves out")
    heavy = table(report, "--reachable", "--min=20", "heap.fc")
    if not 0 < len(heavy) < named or heavy != every[:len(heavy)]:
        fail(f"{report} --min=20", heavy, every)
    contains(good("--no-reports", report, "--reachable", "--min=20", "heap.fc"), "left out by --min", f"{report} --min")
sizes = [row["function"] for row in table("--mem-sizes", "--top=1", "heap.fc") if row["row"] == "function"]
equal(sizes, ["<all>", "work"], "--mem-sizes --top=1")
contains(good("--no-reports", "--mem-heap", "--top=1", "heap.fc"), "2 more allocation sites with --all.", "who held the peak")

# ---- And in every other report ----------------------------------------------------------------------

several = simple(program)
several.thread(4711, 0, 10_000_000, 10_000_000, 1, False, "prog", [("main", 1, 10_000_000, 3_000_000), ("work", 1, 6_000_000, 6_000_000)])
several.thread(4712, 5, 600_000, 599_000, 2, True, "helper", [("leaf", 1, 1_000_000, 1_000_000)])
several.write("several.fc")
for arguments, profile in ((["--heaviest"], "heap.fc"), (["--flat"], "heap.fc"), (["--hot-path"], "heap.fc"), (["--graph"], "heap.fc"),
                           (["--rgraph"], "heap.fc"), (["--tree"], "heap.fc"), (["--latency"], "heap.fc"),
                           (["--peek=main,work,leaf"], "heap.fc"), (["--cycles"], "cycles.fc"), (["--threads"], "several.fc"),
                           (["--threads", "--details"], "several.fc"), (["--by=thread"], "several.fc")):
    every = table(*arguments, "--all", profile)
    for limit in ("--top=1", "--min=80"):
        few = table(*arguments, limit, profile)
        # a row may belong to the entry of one that was left out
        if not len(few) < len(every) or any(row["function"] not in [r["function"] for r in every] for row in few if "function" in row):
            fail(f"{arguments} {limit}", few, every)
        text = good("--no-reports", *(["--flat"] if arguments == ["--by=thread"] else []), *arguments, limit, profile)
        if not re.search(r"\(\d+ more( \w+)?\)|\d+ more|left out by --min", text):
            if not (limit == "--min=80" and arguments == ["--hot-path"]):
                fail(f"{arguments} {limit} does not say what it leaves out", text)
equal([row["thread"] for row in table("--threads", "--min=50", "several.fc")], ["4711"], "threads by --min")
equal([row["context"] for row in table("--hot-path", "--min=50", "heap.fc")], ["main", "work"], "the hot path by --min")
equal([row["context"] for row in table("--hot-path", "--top=1", "heap.fc")], ["main"], "the hot path by --top")

# ---- Times off the CPU ----------------------------------------------------------------------------

with_waits(program).write("waits.fc")
for arguments, column, last, expected in (
        (["--flat"], "local waiting (off-CPU ns)", "function", {"main": "0", "work": "6000000"}),
        (["--by=module"], "local waiting (off-CPU ns)", "name", {program.path: "6000000"}),
        (["--by=thread"], "waiting (off-CPU ns)", "name", {"4711  prog": "6000000"}),
        (["--by=process"], "waiting (off-CPU ns)", "name", {"4711  prog -v two words": "6000000"}),
        (["--tree"], "total waiting (off-CPU ns)", "context", {"main": "6000000", "work": "6000000"})):
    found = {row[last]: row[column] for row in table(*arguments, "waits.fc")}
    equal(found, expected, f"waiting with {arguments}")
    text = good("--no-reports", "--flat", *arguments, "waits.fc")
    contains(text, " waiting ", f"{arguments}: its column")
    contains(text, "6.000 ms ", f"{arguments}: its figure")
for time, clock, expected in (("cpu", "CPU", "4000000"), ("wait", "off-CPU", "6000000"), ("wall", "elapsed", "10000000")):
    for by in ("thread", "process"):
        equal([(row[f"time ({clock} ns)"], row["%"]) for row in table(f"--by={by}", f"--time={time}", "waits.fc")],
              [(expected, "100.000000")], f"--by={by} --time={time}")
for arguments in (["--graph"], ["--peek=main"], ["--rgraph"], ["--graph", "--details"]):
    rows_ = table(*arguments, "waits.fc")
    found = [(row["of function"], row["row"], row["waiting (off-CPU ns)"]) for row in rows_ if row["row"] != "site"]
    if arguments[0] != "--rgraph":
        contains(str(found), str(("main", "function", "6000000")), f"{arguments}")
        contains(str(found), str(("main", "callee", "6000000")), f"{arguments}: of both call sites")
        contains(str(found), str(("main", "local", "0")), f"{arguments}")
    else:
        contains(str(found), str(("work", "caller", "6000000")), f"{arguments}")
    contains(good("--no-reports", *arguments, "waits.fc"), " waiting ", f"{arguments}: its column")
sites = [row["waiting (off-CPU ns)"] for row in table("--graph", "--details", "waits.fc") if row["row"] == "site"]
equal(sites, ["3500000", "2500000"], "of each call site")
for arguments in (["--graph"], ["--tree"], ["--by=module"], ["--flat"]):  # nobody waits, or all of it is waiting
    for more in (["heap.fc"], ["--time=wait", "waits.fc"]):
        if " waiting" in good("--no-reports", "--flat", *arguments, *more):
            fail(f"{arguments} {more}: a column for nothing")

equal([(row["thread"], row["function"], row["local time (elapsed ns)"]) for row in
       table("--threads", "--details", "--time=wall", "waits.fc")], [("4711", "work", "9000000"), ("4711", "main", "1000000")],
      "functions of threads")

# Each heading of a time names the clock: of single calls it is elapsed time where waiting is asked for.
for time, total, call in (("cpu", "CPU", "CPU"), ("wait", "off-CPU", "elapsed"), ("wall", "elapsed", "elapsed")):
    heading = good("--csv", f"--time={time}", "waits.fc").splitlines()[0]
    equal(heading.replace("local waiting (off-CPU ns),", ""),
          f"total time ({total} ns),total %,local time ({total} ns),local %,local sum %,total per call min ({call} ns),"
          f"total per call max ({call} ns),local per call min ({call} ns),local per call max ({call} ns),calls,function", f"--time={time}")
for name in set(listed) - NO_TABLE:
    result = run("--csv", f"--{name}", "heap.fc")
    if " (ns)" in result.out.split("\r\n")[0] or '"' in result.out.split("\r\n")[0]:
        fail(f"--csv --{name}: a heading without a clock, or with quotes", result.out)

# ---- Names on a narrow terminal ------------------------------------------------------------------
#
# Linkage names of templates that differ at the start, in the middle, at the end, and by one letter of many.

MIDDLE = "std_map_of_a_string_and_a_vector_of_pairs_of_ints"
names = [f"store_{'x' * 40}{letter}{'y' * 60}_{MIDDLE}_insert" for letter in "abcdefghijkl"]
names += [f"{MIDDLE * 3}_find_{end}" for end in ("front", "back")] + [f"{start}_{MIDDLE * 3}" for start in ("load", "save")]
names += ["little"]
with open("wide.c", "w", encoding="ascii") as file:
    file.writelines(f"int {name}(int n) {{ return n; }}\n" for name in names)
    file.write("int main(void) { return 0; }\n")


class Wide(Program):
    def __init__(self):
        subprocess.run(["cc", "-g", "-O1", "-Wl,--build-id", "-o", "wide", "wide.c"], check=True)
        self.path = os.path.abspath("wide")
        listing = subprocess.run(["nm", "-S", "wide"], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.start = {words[3]: int(words[0], 16) for words in map(str.split, listing.splitlines())
                      if len(words) == 4 and words[2] in "Tt"}
        notes = subprocess.run(["readelf", "-n", "wide"], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.build_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


wide = Profile(Wide(), run_ns=1000)
for number, name in enumerate(names):
    wide.function(name, 1, 10 * (number + 1), 10 * (number + 1), (1, 1), (1, 1))
wide.write("wide.fc")
for width in (70, 80, 100, 132):
    text = good("--no-reports", "--flat", "--all", f"--width={width}", "--sort=name", "wide.fc")
    lines = [line for line in text.splitlines() if re.match(r" *\d+ ns", line)]
    equal(len(lines), len(names), f"width {width}: rows")
    shown = [row[-1] for row in rows(text, "Flat profile")[:len(names)]]
    equal(len(set(shown)), len(names), f"width {width}: names that differ")
    if max(map(len, lines)) > width:
        fail(f"width {width}", text)
    contains(text, "...", "something is left out")
    contains(text, "  little\n", "what fits stays as it is")
for arguments in (["--width=0"], []):
    equal(sorted(row[-1] for row in rows(good("--no-reports", "--flat", *arguments, "wide.fc"), "Flat profile")),
          sorted(names), f"whole names {arguments}")
equal(sorted(row["function"] for row in table("--width=60", "wide.fc")), sorted(names), "and with --csv")

# So narrow that few columns have room: the names are still there, and what is left out is told.
text = good("--no-reports", "--heaviest", "--hot-path", "--width=20", "heap.fc")
equal([line.split()[-1] for line in text.splitlines() if re.match(r" *[0-9.]+ ms ", line)],
      ["work", "main", "leaf", "main", "work", "leaf"], "names in 20 columns")
contains(" ".join(text.split()), "For want of width not shown: local %, local sum %, total, calls.", "what has no room")

# ---- Shares of the whole -----------------------------------------------------------------------------
#
# A total that is more than the local times of all functions by what was rounded is 100%, of --base it may be more.

over = Profile(program, run_ns=10_000_006)
over.function("main", 1, 10_000_006, 4_000_000, (10_000_006, 10_000_006), (4_000_000, 4_000_000))
over.function("work", 1, 6_000_003, 6_000_000, (6_000_003, 6_000_003), (6_000_000, 6_000_000))
over.arc(None, 0x7f0000001234, "main", 1, 10_000_006)
over.arc("main", "main+6", "work", 1, 6_000_003)
top = over.context(None, 0x7f0000001234, "main", 1, 10_000_006, 4_000_000)
over.context(top, "main+6", "work", 1, 6_000_003, 6_000_000)
over.thread(4711, 0, 10_000_006, 10_000_006, 2, False, "prog",
            functions=[("main", 1, 10_000_006, 4_000_000), ("work", 1, 6_000_003, 6_000_000)])
over.write("over.fc")
for words, column in ((["--flat"], "total %"), (["--heaviest"], "total %"), (["--tree"], "total %"), (["--hot-path"], "total %"),
                      (["--graph"], "%"), (["--path=main"], "total %"), (["--by=file"], "total %"),
                      (["--threads", "--details"], "total %")):
    shares = [float(row[column]) for row in read(good("--csv", *words, "over.fc"))]
    equal(max(shares), 100, f"the greatest share with {words}")
shares = {row["function"]: row["total %"] for row in read(good("--csv", "--flat", "--base=work", "over.fc"))}
equal(shares, {"main": "166.666683", "work": "100.000000"}, "shares of --base")

# ---- Text of more than a line ---------------------------------------------------------------------
#
# At 80 columns no line of text is longer, and nothing of it is lost; what is to be copied stays on one.

REPORTS = ["--summary", "--flat", "--graph", "--tree", "--threads", "--info", "--cycles", "--latency", "--inlined", "--notes", "--peek=main",
           "--by=file", "--hot-path", "--mem-functions", "--mem-heap"]
for reports in ([], ["--classic"], *([report] for report in REPORTS)):
    for profile in ("heap.fc", "waits.fc", "cycles.fc"):
        text = good("--width=80", *reports, profile).replace(os.getcwd(), "/tmp")  # as long as it likes
        long = [line for line in text.splitlines() if len(line) > 80 and " " in line.strip()]
        equal(long, [], f"{reports} of {profile} at 80 columns")
        if not reports or reports == ["--flat"]:
            whole = good("--width=0", *reports, profile)
            # the first screen begins with facts, of which the last ones go where there is no room
            notes = [line for line in whole.splitlines()[0 if reports else 1:] if len(line) > 80 and "  " not in line]
            for note in notes:
                contains(" ".join(text.split()), " ".join(note.split()), "a note in several lines")
