#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --runs: of each function the mean of several runs, and the interval that holds it, by figures that the test computes itself.

import csv
import io
import statistics

from fcfile import Profile, Program, contains, equal, fail, folder, good, run

keep = folder()
program = Program()
MS = 1_000_000
STUDENT = {2: 12.7062, 3: 4.30265, 4: 3.18245}  # 95%, of so many runs: from a printed table

works = [20 * MS, 22 * MS, 21 * MS, 25 * MS]
leaves = [100, 100, 103, 100]
for number, (work, calls) in enumerate(zip(works, leaves)):
    made = Profile(program, run_ns=100 * MS)
    made.header["pid"] = 5000 + number
    made.function("main", 1, work + 15 * MS, 10 * MS)
    made.function("work", 2, work + 5 * MS, work)
    made.function("leaf", calls, 5 * MS, 5 * MS)
    if number == 3:  # a function that three runs don't have
        made.function("sorter", 4, 8 * MS, 8 * MS)
    made.thread(1, 0, 100 * MS, 100 * MS, 3 + calls, False, "prog")
    made.write(f"run-{number}.fc")


def files(count):
    return [f"run-{number}.fc" for number in range(count)]


def interval(values):
    return STUDENT[len(values)] * statistics.stdev(values) / len(values) ** 0.5


def table(count):
    text = good("--csv", "--runs", *files(count))
    return {row["function"]: row for row in csv.DictReader(io.StringIO(text))}


for count in (2, 3, 4):
    rows = table(count)
    for column, name, values in (("own", "work", works[:count]), ("total", "main", [work + 15 * MS for work in works[:count]]),
                                 ("calls", "leaf", leaves[:count])):
        unit = "" if column == "calls" else " (CPU ns)"
        mean = float(rows[name][f"{column} mean{unit}"])
        bound = float(rows[name][f"{column} interval{unit}"])
        if abs(mean - statistics.mean(values)) > 1 or abs(bound - interval(values)) > 1e-4 * max(bound, 1):
            fail(f"{column} of {name} in {count} runs", mean, bound, statistics.mean(values), interval(values))
    equal(float(rows["main"]["own interval (CPU ns)"]), 0, "the same in all runs")
    equal(list(rows)[:2], ["work", "main"], "the order")
rows = table(4)
equal(float(rows["sorter"]["own mean (CPU ns)"]), 2 * MS, "where a run lacks a function it counts with 0")

lines = good("--runs", *files(4)).splitlines()
equal(lines[0].split(":")[0], "prog", "the title names the program")
contains(lines[0], "4 runs; CPU 39.0 ms +-", "the mean of all")
contains("\n".join(lines), "* work itself takes 56% of the CPU time", "a finding")
percent = round(100 * interval(works) / statistics.mean(works))
found = [line.split() for line in lines if line.endswith("  work")]
equal(found[0][:3], ["22.0", "ms", f"{percent}%"], "a row for people")
found = [line.split() for line in lines if line.endswith("  main")]
equal(found[0][:4], ["10.0", "ms", "37.0", "ms"], "no interval where all runs are the same")
contains(lines[-1], "+-: 95% interval of the mean.", "the footnote")
equal(len(good("--runs", "--top=1", *files(4)).splitlines()), len(lines) - 3, "--top")

# The order, and what runs can't be shown by.
for words, order in ((("--sort=total",), ["main", "work"]), (("--sort=calls",), ["leaf", "work"]), (("--sort=name",), ["leaf", "main"]),
                     (("--rsort=local",), ["sorter", "leaf"]), (("--sort=name", "--top=1"), ["leaf"])):
    text = good("--csv", "--runs", *words, *files(4))
    equal([row["function"] for row in csv.DictReader(io.StringIO(text))][:2], order, words)
for words, said in ((("--by=file",), "--by does not go with --runs"), (("--sort=lmax",), "can be sorted by total, local, name or calls")):
    done = run("--runs", *words, *files(4))
    equal((done.status, done.out), (2, ""), words)
    contains(done.err, said, words)

# One run has no interval; the same file twice is one run.
for words in (files(1), files(1) * 2):
    text = run("--runs", *words).out
    contains(text, "1 run; CPU 35.0 ms a run", "one run")
    contains(text, "Of one run no interval is known.", "one run")
