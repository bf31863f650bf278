#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --latency of calls that wait, and of such as were counted: all of it is of elapsed time, whatever part of
# the times other reports show.

import csv

from fcfile import Profile, Program, contains, equal, fail, folder, good, rows

US = 1000
MS = 1000 * US


def bucket(ns):
    """Of the section "latencies": 20 for each power of two, as the format says."""
    top = ns.bit_length()
    low = 1 << (top - 1)
    return 20 * top + (ns - low) * 20 // low


keep = folder()
program = Program()
# work sleeps 1 ms 90 times and 10 ms 10 times, and takes 5 to 40 us of CPU; leaf, of which a tenth of the calls
# was timed, takes 6 to 50 us and never waits.
profile = Profile(program, run_ns=220 * MS)
profile.function("main", 1, 220 * MS, 2 * MS, (220 * MS, 220 * MS), (2 * MS, 2 * MS), [(28, 1)])
profile.function("work", 100, 190 * MS, 190 * MS, (MS, 10 * MS), (MS, 10 * MS), [(20, 90), (24, 10)])
profile.function("leaf", 1000, 28 * MS, 28 * MS, (6 * US, 50 * US), (6 * US, 50 * US), [(13, 50), (16, 50)])
profile.arc(None, 0x7f0000001234, "main", 1, 220 * MS)
profile.arc("main", "main+6", "work", 100, 190 * MS)
profile.arc("main", "main+12", "leaf", 1000, 28 * MS)
profile.thread(4711, 0, 220 * MS, 220 * MS, 1101, False, "prog")
profile.more = [
    ("counted", ["2 1000 100 40000 40000"]),
    ("wait-threads", [f"0 1 {187 * MS} 0 0"]),
    ("wait-functions", [f"0 {187 * MS} 0", f"1 {187 * MS} {187 * MS}"]),
    ("cpu-bounds", [f"0 {33 * MS} {33 * MS} {2 * MS} {2 * MS}", f"1 {5 * US} {40 * US} {5 * US} {40 * US}"]),
    ("latencies", [f"0 {bucket(220 * MS)}:1", f"1 {bucket(MS)}:90 {bucket(10 * MS)}:10",
                   f"2 {bucket(6 * US)}:50 {bucket(50 * US)}:50"])]
profile.write("waits.fc")


def ns(cell):
    number, unit = cell.lstrip("~").split(" ")
    return float(number) * {"ns": 1, "us": US, "ms": MS}[unit]


def near(found, expected, what):
    if abs(ns(found) - expected) > 0.03 * expected:
        fail(f"{what}: {found} instead of {expected} ns")


for words in ((), ("--time=cpu",), ("--time=wait",), ("--time=wall",)):
    text = good("--no-reports", "--latency", *words, "waits.fc")
    table = {row[-1]: row for row in rows(text, "Percentiles of latency")}
    # calls, minimum, p50, p90, p99, p99.9, maximum
    for cell, expected in zip(table["work"][1:7], (MS, MS, MS, 10 * MS, 10 * MS, 10 * MS)):
        near(cell, expected, f"work {words}")
    equal((table["work"][1], table["work"][6]), ("1.000 ms", "10.00 ms"), f"bounds {words}")
    near(table["main"][3], 220 * MS, f"main {words}")
    equal([cell[0] for cell in table["leaf"][1:7]], ["~"] * 6, f"of the calls that were timed {words}")
    if "~" in "".join(table["work"] + table["main"]):
        fail(f"marks at what was timed each time {words}", text)
    histogram = [row[:5] for row in rows(text, "Latency")]
    for row in (["100", "100.0", "1.000 ms", "10.00 ms", "work"], ["1", "100.0", "220.0 ms", "220.0 ms", "main"],
                ["100", "100.0", "~6.000 us", "~50.00 us", "leaf"]):
        if row not in histogram:
            fail(f"{row} is missing {words}", text)
    contains(text.split("\nLatency\n")[1], "~ time: of functions that were counted", "what the mark means")
# Other reports have the bounds on the CPU.
contains(good("--flat", "--only=work", "--no-summary", "waits.fc"), "5.000 us  40.00 us", "bounds on the CPU")

table = {row["function"]: row for row in csv.DictReader(good("--csv", "--latency", "waits.fc").splitlines())}
TIME = "total time of a call "
equal([table["work"][f"{TIME}{bound} (elapsed ns)"] for bound in ("min", "max")], [str(MS), str(10 * MS)], "--csv")
equal([table["leaf"][f"{TIME}{bound} (elapsed ns)"] for bound in ("min", "max")], ["6000", "50000"], "--csv has no marks")

# work has more than leaf by what it waits.
for key in ("min", "max"):
    text = good("--no-reports", "--latency", f"--sort={key}", "waits.fc")
    equal([row[-1] for row in rows(text, "Percentiles of latency")], ["main", "work", "leaf"], f"--sort={key}")
