#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page of --html of a real run in a browser, against --json: percentiles, slowest calls, the trace, what threads
# waited for, whole sources with the calls of lambdas and of what was inlined.  Debian's own Python, as its Selenium needs.

import json
import os
import subprocess

from fcfile import HERE, contains, equal, fail, folder, run
from browser import browser, go, shot, show, text, texts

keep = folder()
SOURCE = os.path.join(HERE, "page.cc")
config = subprocess.run([os.path.join(os.environ["FC_BINDIR"], "fc-config"), "--cflags-libs"], check=True, stdout=subprocess.PIPE)
subprocess.run(["g++", "-std=c++17", "-g", "-O1", *config.stdout.decode().split(), "-o", "shapes", SOURCE, "-pthread"], check=True)
subprocess.run(["./shapes"], check=True, stdout=subprocess.DEVNULL,
               env={**os.environ, "FC_QUIET": "1", "FC_LATENCY": "1", "FC_SLOWEST": "3", "FC_TRACE": "500"})
equal(run("--html=page.html", "functioncheck.fc").err, "fcdump: --html: not in it: call sites\n", "what it says")
data = json.loads(run("--json", "functioncheck.fc").raw)
functions = {function["name"]: function for function in data["functions"]}
with open(SOURCE, encoding="utf-8") as file:
    lines = file.read().split("\n")


def three(ns):
    """As the page has it."""
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= 0.9995 * size:
            value = ns / size
            return f"{value:.0f} {unit}" if value >= 99.95 else f"{value:.1f} {unit}" if value >= 9.995 else f"{value:.2f} {unit}"
    return f"{ns} ns"


def line_of(part):
    return 1 + next(i for i, line in enumerate(lines) if part in line)


def source(driver):
    """{number: {what: text}}"""
    heads = texts(driver, "#source .hd > *")
    return {int(number): dict(zip(heads, cells)) for number, cells in driver.execute_script(
        "return Array.from(document.querySelectorAll('#source [data-line]'), (line) => "
        "[line.dataset.line, Array.from(line.children, (cell) => cell.textContent)])")}


with browser() as driver:
    show(driver, "page.html", "#f=store::Log::put")
    put = functions["store::Log::put"]
    equal(texts(driver, "#percentiles td"), [three(put["latency"][f"p{key}_ns"]) for key in ("50", "90", "99", "999")]
          + [three(put["total_max_ns"])], "percentiles")
    equal([line.split(" after ")[0] for line in texts(driver, "#slowest > div")], [three(call["total_ns"]) for call in put["slowest"]],
          "slowest calls")
    contains(texts(driver, "#slowest > div")[0], f"in thread {put['slowest'][0]['tid']}", "in which thread")
    contains(texts(driver, "#slowest > div")[0], "write", "and who called it")
    waits = sorted((ns, kind[:-3]) for kind, ns in put["waits"].items() if ns > 0 and kind != "unknown_ns")
    if waits:
        contains(text(driver, "[data-figure='of it blocked']"), f"{waits[-1][1]} {three(waits[-1][0])}", "what it was blocked by")
    if put["preempted_ns"] > 0:
        equal(text(driver, "[data-figure='and preempted'] .n"), three(put["preempted_ns"]).replace(" ", ""), "preempted")
    go(driver, "#view=functions&columns=p50,p99,p999&sort=p99")
    shown = driver.execute_script("return Array.from(document.querySelectorAll('#functions tbody tr'), (row) => row.dataset.name)")
    known = [name for name in shown if functions[name]["latency"]]
    equal(known, sorted(known, key=lambda name: -functions[name]["latency"]["p99_ns"]), "sorted by a percentile")

    # The whole function, up to its brace, with the calls of its lambda, and those of what was inlined.
    go(driver, "#f=with_lambda&weight=elapsed")
    first = line_of("unsigned with_lambda")
    last = first + lines[first:].index("}") + 1
    found = source(driver)
    equal(max(found), last, "the last line of the function")
    for part, calls in (("unsigned sum = deep(level);", "1×"), ("// in the lambda", "1×"), ("sum += more(1);", "1×"), ("// inlined", "2×")):
        equal(found[line_of(part)]["calls"], calls, f"calls of the line {part}")
        if found[line_of(part)]["CPU"] == "":
            fail(f"no time at the line {part}", found)
    shot(driver, "run-source")

    # The trace: each call of it is drawn, or counted where several are too narrow.
    go(driver, "#view=trace")
    drawn = driver.execute_script("""
        const count = (box) => Number((/^(\\d+) short calls/.exec(box.dataset.tip) || [0, 1])[1]);
        return Array.from(document.querySelectorAll("#trace .box"), count).reduce((sum, number) => sum + number, 0);""")
    kept = driver.execute_script("return JSON.parse(document.getElementById('profile').textContent).trace.calls.length")
    equal(drawn, kept, "calls of the trace")
    contains(text(driver, ".card header"), f"the last {kept:,} calls; elapsed", "and how many they are")

    # Threads: what each ran and waited.
    go(driver, "#view=threads")
    lanes = driver.execute_script("return Array.from(document.querySelectorAll('#threads .lane.t'), (lane) => "
                                  "[Number(lane.dataset.thread), lane.querySelector('[data-k=blocked]').innerText, lane.querySelector('[data-k=calls]').innerText])")
    threads = {thread["tid"]: thread for thread in data["threads"]}
    equal({tid for tid, _, _ in lanes}, set(threads), "threads")
    for tid, blocked, _ in lanes:
        thread = threads[tid]
        equal(blocked, three(thread["wait_ns"] - min(thread["preempted_ns"], thread["wait_ns"])).replace(" ", ""), f"blocked time of thread {tid}")
    roles = texts(driver, "#threads .grp b") + texts(driver, "#threads .who b")
    equal(sorted(roles), ["idle", "main", "reader", "writer"], "what they were started for")

    placed = driver.execute_script("""
        const trace = JSON.parse(document.getElementById('profile').textContent).trace;
        const kept = trace.calls.filter((call) => call[0] === 0);
        const track = document.querySelector('#threads .track').getBoundingClientRect();
        const line = Array.from(document.querySelectorAll('#threads .track:first-of-type .traced'), (part) => part.getBoundingClientRect());
        return [kept.length, line.length, Math.min(...line.map((part) => part.left)) >= track.left - 1,
                Math.max(...line.map((part) => part.right)) <= track.right + 2];""")
    equal((placed[0] > 0, placed[1] > 0, placed[2], placed[3]), (True, True, True, True), f"where the trace has calls: {placed}")

    # The flame graph of one role is what is below its function.
    go(driver, "#view=flame&thread=reader")
    equal(driver.execute_script("return document.querySelector('#flame .box').innerText.split('\\n')[0]"), "reader", "the threads of one role")
    total = functions["reader(store::Log&)"] if "reader(store::Log&)" in functions else functions["reader"]
    box = driver.execute_script("return Number(document.querySelector('#flame .box').dataset.total)")
    if abs(box - total["cpu_total_ns"]) > 0.001 * box:  # contexts are rounded one by one
        fail("its time", box, total["cpu_total_ns"])
