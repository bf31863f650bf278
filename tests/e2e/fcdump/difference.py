#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --diff: two builds of a program and several runs of each, whose times differ as those of a busy
# machine do, but the same each time this test runs; changes, noise, rules and their forms.

import json
import math
import os
import random
import re

from fcfile import (Profile, Program, contains, equal, fail, folder, good, rows, run, section, simple, with_heap,
                    with_waits)

keep = folder()
os.mkdir("before")
os.mkdir("after")
old = Program("before/prog")
new = Program("after/prog-2", flags=["-O0"])
if old.build_id == new.build_id or old.start == new.start:
    fail("both builds are one")


def record(program, name, seed, work=1.0, calls=3, spread=0.02):
    """A run of `simple`, with so much noise in each function's own time; work's times `work`."""
    noise = random.Random(seed)
    local = {"main": 4_000_000, "work": 5_000_000 * work, "leaf": 1_000_000}
    local = {function: round(ns * noise.gauss(1, spread)) for function, ns in local.items()}
    profile = Profile(program, run_ns=sum(local.values()))
    inner = local["work"] + local["leaf"]
    profile.function("main", 1, inner + local["main"], local["main"])
    profile.function("work", 2, inner, local["work"])
    profile.function("leaf", calls, local["leaf"], local["leaf"])
    top = profile.context(None, 0x7f0000001234, "main", 1, inner + local["main"], local["main"])
    second = profile.context(top, "main+6", "work", 2, inner, local["work"])
    profile.context(second, "work+5", "leaf", calls, local["leaf"], local["leaf"])
    return profile.write(name)


def several(program, name, seed, count=5, **keywords):
    return [record(program, f"{name}-{i}.fc", seed + i, **keywords) for i in range(count)]


RULES = ["--fail-on=total:+5%", "--fail-on=local:+5%", "--fail-on=calls(le*,work):+0", "--fail-on=run:+5%"]
before = several(old, "before", 100)
same = several(new, "same", 200)
slower = several(new, "slower", 300, work=1.1)

# ---- Unchanged, and 10% slower ---------------------------------------------------------------

result = run("--diff", *RULES, *before, "--", *same)
equal((result.status, result.err), (0, ""), "an unchanged program, 5 and 5 runs")
contains(result.out, "Difference: 5 runs before, 5 after\n", "its title")
equal(section(result.out, "Functions that changed")[0], "None.", "its findings")
contains(result.out, "Not shown: 3 functions that differ by noise only.", "what is noise")
# Nor does it however else the noise falls.
for seed in range(1000, 3000, 100):
    runs = several(old, "x", seed) + several(new, "y", seed + 50)
    equal(run("--diff", *RULES, *runs[:5], "--", *runs[5:]).status, 0, f"unchanged, noise {seed}")

result = run("--diff", *RULES, *before, "--", *slower)
equal(result.status, 3, "a function that became 10% slower")
for what in ("total:+5%: work: total 6.0", "local:+5%: work: local 5.0"):
    contains(result.err, "fcdump: --fail-on=" + what, "the reason")
for name in ("leaf", "calls"):
    if name in result.err:
        fail(f"{name} did not change", result.err)
found = {row[-1]: row for row in rows(result.out, "Functions that changed")}
equal(found["work"][-2], "slower", "the finding")
if "leaf" in found:
    fail("leaf is no finding", result.out)
contains("\n".join(section(result.out, "Failed")), "--fail-on=local:+5%: work", "the reason in the report")
equal(run("--diff", "--fail-on=local(work):+15%", *before, "--", *slower).status, 0, "a limit that holds")
equal(run("--diff", "--fail-on=local(work):-5%", *slower, "--", *before).status, 3, "what became faster")
equal(run("--diff", "--fail-on=local(work):5%", *slower, "--", *before).status, 3, "either way")
equal(run("--diff", "--fail-on=local(work):+300us", *before, "--", *slower).status, 3, "a limit in time")
equal(run("--diff", "--fail-on=local(work):+1ms", *before, "--", *slower).status, 0, "a limit in time")
result = run("--diff", "--fail-on=bytes:+0", *before, "--", *slower)
equal(result.status, 1, "a limit on what was not recorded")
contains(result.err, f"fcdump: --fail-on=bytes:+0: nothing is known of memory in {before[0]}: set FC_MEMORY=1 for all runs",
         "a limit on what was not recorded")
equal(run("--fail-on=local:+5%", *slower, *[f"--baseline={name}" for name in before]).status, 3, "--baseline")
equal(good("--diff", *before, "--", *slower, "--tree"), good("--diff", "--tree", *before, "--", *slower),
      "options behind the profiles")

# ---- The figures, against the same worked out here -----------------------------------------------


def tail(t, freedom):
    """Of Student's t, on both sides, by integrating its density: with t = sqrt(f) tan(x) it is cos(x)^(f-1)."""
    def area(low, high, steps=4000):
        width = (high - low) / steps
        return sum((1 if i in (0, steps) else 2 if i % 2 == 0 else 4) * math.cos(low + i * width) ** (freedom - 1)
                   for i in range(steps + 1)) * width / 3
    half = math.pi / 2 - 1e-12
    return area(math.atan(abs(t) / math.sqrt(freedom)), half) / area(0, half)


def figures(files, function, key):
    return [next(f[key] for f in json.loads(good("--json", file))["functions"] if f["name"] == function)
            for file in files]


def moments(values):
    mean = sum(values) / len(values)
    return mean, sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)


told = json.loads(good("--diff", "--json", "--tree", *before, "--", *slower))
equal((told["format"], told["version"], told["runs_before"], told["runs_after"]),
      ("functioncheck-diff-json", 1, 5, 5), "the head of the JSON")
tails = []
for function in told["functions"]:
    for key in ("total_ns", "local_ns"):
        change = function[key]
        one, two = [moments(figures(files, function["name"], key)) for files in (before, slower)]
        error = math.sqrt(one[1] + two[1])
        freedom = (one[1] + two[1]) ** 2 / (one[1] ** 2 / 4 + two[1] ** 2 / 4)
        likely = tail((two[0] - one[0]) / error, freedom)
        tails += [likely] + ([likely] if key == "total_ns" else [])  # per call: of as many calls the same
        for name, value in (("before", one[0]), ("after", two[0]), ("change", two[0] - one[0])):
            if abs(change[name] - value) > 1e-6:
                fail(f"{function['name']} {key} {name}", change, value)
        bound = tail(change["margin"] / error, freedom)
        if abs(bound / told["level"] - 1) > 1e-6:
            fail(f"{function['name']} {key}: the margin is of {bound}", change, told["level"])
        equal(change["verdict"], "found" if likely <= told["level"] else "noise", f"{function['name']} {key}")
tails.sort()
expected = max((i for i in range(1, 10) if tails[i - 1] <= i * 0.01 / 9), default=1) * 0.01 / 9
if abs(told["level"] / expected - 1) > 1e-9:
    fail("the level by Benjamini and Hochberg", told["level"], expected)
equal([(told["functions"][c["function"]]["name"], c["parent"], c["calls"]["after"]) for c in told["contexts"]],
      [("main", None, 1), ("work", 0, 2), ("leaf", 1, 3)], "contexts")
equal(told["contexts"][1]["local_ns"]["after"], told["functions"][1]["local_ns"]["after"], "a context's time")

# ---- One run each: counts are exact, times are not known ---------------------------------------

more = record(new, "more.fc", 7, calls=4)
result = run("--diff", "--fail-on=calls(le*):+0", before[0], more)  # of two profiles the first is before
equal((result.status, result.err),
      (3, "fcdump: --fail-on=calls(le*):+0: leaf: calls 3 before, 4 after: +33.3%\n"), "a changed count")
found = {row[-1]: row for row in rows(result.out, "Functions that changed")}
equal((found["leaf"][-2], found["work"][-2]), ("more calls", "?"), "the findings of one run each")
contains(result.out, "One run each: counts are exact", "what one run can tell")
result = run("--diff", "--fail-on=total(work):+5%", before[0], "--", slower[0])
equal((result.status, result.err),
      (0, "fcdump: --fail-on=total(work):+5%: not proven: work: times of one run each prove nothing, take 3 of each or "
       "more\n"), "a time of one run each never fails")
result = run("--diff", "--fail-on=total(work):+5%", "--fail-on=calls:+0", before[0], "--", more)
equal(result.status, 3, "but a count of one run each does")
noisy = [several(program, f"noisy-{program is new}", 4000 + seed, work=work, spread=0.2)
         for program, work, seed in ((old, 1.0, 0), (new, 1.1, 50))]
result = run("--diff", "--fail-on=local(work):+2%", *noisy[0], "--", *noisy[1])
equal(result.status, 0, "a change within noise")
needed = re.search(r"not proven: work: runs differ by more anyway, of such a change some (\d+) of each would tell", result.err)
one, two = [moments(figures(files, "work", "cpu_local_ns")) for files in noisy]
error = math.sqrt(one[1] + two[1])
freedom = (one[1] + two[1]) ** 2 / (one[1] ** 2 / 4 + two[1] ** 2 / 4)
low, high = 0.0, 100.0  # the margin, in errors: one test at 1%
while high - low > 1e-9:
    low, high = ((low + high) / 2, high) if tail((low + high) / 2, freedom) > 0.01 else (low, (low + high) / 2)
expected = math.ceil(5 * (low * error / (two[0] - one[0])) ** 2)
if not needed or abs(int(needed[1]) - max(expected, 6)) > 1:
    fail("how many runs are needed", result.err, expected)
# One after: it is held against how those before spread.
equal(run("--diff", *RULES, *before, "--", same[0]).status, 0, "one run after")
equal(run("--diff", *RULES, *before, "--", record(new, "far.fc", 9, work=1.5)).status, 3, "one run after, far off")

result = run("--diff", "--json", *before, before[0], "./" + before[1], "--", *same, before[0])
told = json.loads(result.out)
equal((told["runs_before"], told["runs_after"]), (5, 6), "a run that is named again is none")
equal((result.status, result.err), (0, "".join(f"fcdump: {name}: named more than once, taken once\n"
                                               for name in (before[0], "./" + before[1]))), "and is told")

# ---- New, vanished, moved, memory ----------------------------------------------------------------

gone = simple(new)
gone.names["odd"] = gone.names.pop("leaf")
gone.functions[2] = (gone.place("odd"), *gone.functions[2][1:])
gone.write("gone.fc")
simple(old).write("simple.fc")
result = run("--diff", "--fail-on=calls(odd):+0", "--fail-on=calls:+5%", "simple.fc", "--", "gone.fc", "--tree")
equal((result.status, result.err), (3, "fcdump: --fail-on=calls(odd):+0: odd: calls 0 before, 3 after: +3\n"),
      "a new function")
found = {row[-1]: row for row in rows(result.out, "Functions that changed")}
equal((found["odd"][-2], found["leaf"][-2]), ("new", "vanished"), "new and vanished")
if "main" in found or "work" in found:
    fail("main and work are the same", result.out)
lines = [line for line in section(result.out, "Contexts that changed") if re.search("odd|leaf|work|main", line)]
equal([re.split(r"(?<=\S)\s{2,}", line)[-1].strip().split(" ")[-1] for line in lines],
      ["main", "work", "leaf", "odd"], "contexts that changed, with the way to them")

heap = with_heap(new)
heap.write("heap.fc")
with_heap(old).write("heap-old.fc")
result = run("--diff", "--fail-on=bytes:+0", "heap-old.fc", "--", "heap-old.fc", slower[1])
equal(result.status, 1, "a limit on what one run did not record")
contains(result.err, f"nothing is known of memory in {slower[1]}: ", "a limit on what one run did not record")
contains(good("--diff", "heap-old.fc", "heap.fc"), "allocated", "memory in the summary")
told = json.loads(good("--diff", "--json", "heap-old.fc", "heap.fc"))
equal([function["bytes"]["before"] for function in told["functions"]], [100, 4000, 0], "allocated by function")

# Of contexts, too, whose times and calls stay: main allocates 5000 bytes for 100.
with open("heap.fc", encoding="utf-8") as file:
    text = file.read()
changed = re.sub(r"(?m)^(0 .* -1) 1 100 1 ", r"\1 1 5000 1 ", text.replace("bytes 4164", "bytes 9064"))
equal(changed.count(" -1 1 5000 1 "), 1, "the changed site")
with open("more-heap.fc", "w", encoding="utf-8") as file:
    file.write(changed)
contexts = section(good("--diff", "heap-old.fc", "more-heap.fc", "--tree"), "Contexts that changed")
equal(len([line for line in contexts if re.search("main|work|leaf", line)]), 1, "contexts whose memory changed")
contains("\n".join(contexts), "4100 B  9000 B  +119.5%  main", "their bytes, with those of contexts below")
line, = [line for line in good("--diff", "heap-old.fc", "more-heap.fc", "--tree", "--csv").splitlines()
         if line.endswith(",main") and ",4100,9000,4900,found" in line]
equal(section(good("--diff", "heap-old.fc", "heap.fc", "--tree"), "Contexts that changed")[0], "None.",
      "contexts without any change")

# ---- Forms ---------------------------------------------------------------------------------------

text = run("--diff", "--markdown", *RULES, *before, "--", *slower).out
contains(text, "### Profile: 5 runs before, 5 after\n", "Markdown")
contains(text, "- **Failed**: `--fail-on=local:+5%: work: local", "Markdown: the reason")
table = [line for line in text.split("\n") if line.startswith("|")]
equal(len({line.count("|") for line in table}), 1, "Markdown: columns")
contains(text, "| `work` | slower | ", "Markdown: a function")
if "  " in text or " |\n |" in text or "% (noise)" in text:
    fail("Markdown has padding, or a percentage of noise", text)
contains(text, "- CPU time: ", "Markdown begins with the time on the CPU")
if text.index("- CPU time") > text.index("- Elapsed"):
    fail("CPU time is first", text)
for program, name in ((old, "waiting-1.fc"), (new, "waiting-2.fc")):
    with_waits(program).write(name)
for words, time, local in (([], "cpu", 4_000_000), (["--time=wall"], "wall", 10_000_000), (["--time=wait"], "wait", 6_000_000)):
    told = json.loads(good("--diff", "--json", *words, "waiting-1.fc", "waiting-2.fc"))
    equal((told["time"], told["whole"]["local_ns"]["before"]), (time, local), f"times {words}")
lines = good("--diff", "waiting-1.fc", "waiting-2.fc").splitlines()
equal([line.split("  ")[0] for line in lines if line.startswith(("CPU time", "elapsed", "calls"))],
      ["CPU time", "elapsed", "calls"], "the whole, the CPU time first")
lines = good("--diff", "--folded", "simple.fc", "--", "gone.fc").split("\n")
equal([line for line in lines if "odd" in line or "leaf" in line],
      ["main;work;leaf 1000000 0", "main;work;odd 0 1000000"], "folded stacks with both times")
text = good("--diff", "--all", *before, "--", *same)
equal(len(rows(text, "Functions that changed")), 3, "--all shows all")
table = rows(text, "Functions that changed")
if any("%" in cell and "noise" in cell for row in table for cell in row) or "noise" not in text:
    fail("no percentage where it is noise", text)
text = good("--diff", "--all", *before, "--", *slower)
verdicts = [row[-2] for row in rows(text, "Functions that changed")]
equal(verdicts, sorted(verdicts, key=lambda word: word == "noise"), "what is proven comes first")
equal(rows(good("--diff", "--all", "--only=leaf", *before, "--", *same), "Functions that changed")[0][-1], "leaf",
      "--only")

# ---- What is refused, and what can't be read -----------------------------------------------------

for words, part in (
        (["--diff", "a.fc"], "a '--' between the profiles before and those after is missing"),
        (["--diff", "--", "a.fc"], "the profiles before are missing"),
        (["--fail-on=total:+5%", "a.fc"], "--fail-on: there is nothing to compare"),
        (["--markdown", "a.fc"], "--markdown: there is nothing to compare"),
        (["--diff", "--dot", "a.fc", "b.fc"], "--dot can't show a difference"),
        (["--diff", "--sort=min", "a.fc", "b.fc"], "--diff has no bounds of calls: differences can be sorted by"),
        *[(["--diff", option, "a.fc", "b.fc"], f"--{option[2:].split('=')[0]} can't show a difference: that is shown by "
           "function, with --tree also by context") for option in
          ("--flat", "--graph", "--rgraph", "--threads", "--peek=main", "--path=main,work", "--trace", "--suggest-filter",
           "--hot-path", "--latency", "--by=file", "--mem-heap")],
        (["--diff", "--fail-on=speed:+5%", "a.fc", "b.fc"], "none of calls, total, local, per-call, bytes, run"),
        (["--diff", "--fail-on=total", "a.fc", "b.fc"], "a limit such as :+5% is missing"),
        (["--diff", "--fail-on=total:+5km", "a.fc", "b.fc"], "has a unit that does not fit"),
        (["--diff", "--fail-on=calls:+5ms", "a.fc", "b.fc"], "has a unit that does not fit"),
        (["--diff", "--fail-on=total(a:+5%", "a.fc", "b.fc"], "a list of functions in brackets"),
        (["--diff", "--fail-on=total():+5%", "a.fc", "b.fc"], "the list of functions is empty"),
        (["--diff", "--fail-on=run(main):+5%", "a.fc", "b.fc"], "a list of functions in brackets")):
    result = run(*words)
    equal((result.status, result.out), (2, ""), f"{words}")
    contains(result.err, part, f"{words}")
result = run("--diff", "none.fc", "--", *same)
equal(result.status, 1, "no run before")
contains(result.err, "none.fc: ", "no run before")
# One side having it is enough; what no run has is told.
result = run("--diff", "--only=odd,nobody,leaf", "--not=nothing", "simple.fc", "--", "gone.fc")
equal((result.status, result.err), (1, "fcdump: --only: 'nobody' fits no function of simple.fc, gone.fc\n"
                                    "fcdump: --not: 'nothing' fits no function of simple.fc, gone.fc\n"), "--only and --not")
equal(run("--diff", "--not=nothing", "simple.fc", "--", "gone.fc").status, 0, "--not")
result = run("--diff", "--thread=x", "simple.fc", "--", "gone.fc")
equal((result.status, result.out, result.err), (1, "", "fcdump: --thread: 'x' fits no thread of simple.fc, gone.fc\n"), "--thread")
result = run("--diff", "--fail-on=total(nobody):+5%", *before, "--", *same)
NAMED = ", ".join([*before, *same]) if len(before + same) < 5 else \
    ", ".join([*before, *same][:3]) + f" and {len(before + same) - 3} more"
equal((result.status, result.err), (1, f"fcdump: --fail-on=total(nobody):+5%: 'nobody' fits no function of {NAMED}\n"),
      "a pattern that fits nothing")
# Rebuilt where it was: the names of the old profile are those of an image that is gone, unless it is named.
os.rename("before/prog", "kept")
result = run("--diff", "simple.fc", "--", "gone.fc")
contains(result.err, "before/prog", "an image that is gone")
equal(result.status, 1, "an image that is gone")
text = good("--diff", "simple.fc", "kept", "--", "gone.fc")
found = {row[-1]: row[-2] for row in rows(text, "Functions that changed") if len(row) > 2}
equal(found, {"odd": "new", "leaf": "vanished"}, "an image on one side")

# On 80 columns names have room: of calls one figure and the change tell the other.  An error is no number of many digits.
for side, calls in (("narrow-old", 1000), ("narrow-new", 1500)):
    for number, ns in enumerate((1, 900)):
        made = Profile(new, run_ns=1_000_000_000)
        made.function("f", calls, ns * 1_000_000, ns * 1_000_000, where=0x20000)
        made.modules.append((0, 0, 0x40000, 0, 2**64 - 1, new.build_id, "/opt/a-library-of-some-length.so"))
        made.functions = [((1, f[0][1]), *f[1:]) for f in made.functions]
        made.thread(1, 0, 1_000_000_000, 1_000_000_000, calls, False, "prog")
        made.write(f"{side}-{number}.fc")
narrow, wide = (run("--diff", f"--width={width}", *[f"narrow-{side}-{number}.fc" if side != "--" else "--" for side, number in
                    [*[("old", n) for n in range(2)], ("--", 0), *[("new", n) for n in range(2)]]]).out for width in (80, 200))
for text, headings in ((narrow, ["before", "after", "change", "+-", "before", "change", "function"]),
                       (wide, ["before", "after", "change", "+-", "before", "after", "change"])):
    found = [line.split() for line in section(text, "Functions that changed")]
    if not any([word for word in line if word in headings][:7] == headings for line in found):
        fail("columns of a difference", text)
row = next(line for line in narrow.splitlines() if "-library" in line or line.endswith(".so"))
equal((len(row.split()[-1]) >= 24, len(row) <= 80), (True, True), f"the name on 80 columns: {row}")
contains(narrow, "calls after", "what has no room")
contains(narrow, " >999% ", "an error of many digits")
