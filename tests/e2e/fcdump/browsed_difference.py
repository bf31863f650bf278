#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The difference in the page of --html, in a browser: what it shows against --json.  Debian's own
# Python, as its Selenium needs.

import json
import random

from fcfile import Profile, Program, contains, equal, fail, folder, run
from browser import browser, click, drawn, shot, show, text, texts

keep = folder()
old = Program("old")
new = Program("new", flags=["-O0"])


def record(program, name, seed, work, other):
    """main calls work, which takes that long, and `other`, with 1% of noise."""
    noise = random.Random(seed)
    own, inner, rest = (round(us * 1000 * noise.gauss(1, 0.01)) for us in (2000, work, 1000))
    profile = Profile(program, run_ns=own + inner + rest)
    profile.function("main", 1, own + inner + rest, own)
    profile.function("work", 1, inner, inner)
    profile.function(other, 1, rest, rest)
    top = profile.context(None, 0x7f0000001234, "main", 1, own + inner + rest, own)
    profile.context(top, "main+6", "work", 1, inner, inner)
    profile.context(top, "main+8", other, 1, rest, rest)
    return profile.write(name)


before = [record(old, f"old-{i}.fc", i, 4000, "leaf") for i in range(5)]
after = [record(new, f"new-{i}.fc", 50 + i, 6000, "odd") for i in range(5)]
told = json.loads(run("--diff", "--json", "--tree", *before, "--", *after).raw)
result = run("--diff", "--html=page.html", "--fail-on=local:+5%", *before, "--", *after)
equal((result.status, result.out), (3, ""), "status and output")
contains(result.err, "fcdump: --fail-on=local:+5%: work: local", "the reason")


def boxes(driver):
    """{function: (its total time, the class that colours it)} of what is drawn."""
    return {name: (float(total), colour) for name, total, colour in driver.execute_script(
        "return Array.from(document.querySelectorAll('#diff-flame .box'), (box) => "
        "[box.dataset.name, box.dataset.total, ['worse', 'better', 'noise'].find((word) => box.className.includes(word)) || ''])")}


def means(side):
    """What each context has with all below it, by --json."""
    contexts = told["contexts"]
    names = {i: told["functions"][context["function"]]["name"] for i, context in enumerate(contexts)}
    times = {names[i]: context["total_ns"][side] for i, context in enumerate(contexts)}
    return {**times, "all": times["main"]}


def is_near(found, expected):
    drawn_boxes = {name: total for name, total in expected.items() if total > 0}
    if set(found) != set(drawn_boxes) or any(abs(found[name][0] - drawn_boxes[name]) > 1 for name in drawn_boxes):
        fail("the flame graph", found, drawn_boxes)


def rows(driver, where):
    """{function: its finding} in order."""
    return dict(driver.execute_script("return Array.from(document.querySelectorAll(arguments[0] + ' .dr[data-name]'), (row) => "
                                      "[row.dataset.name, row.dataset.finding])", where))


FINDINGS = {f["name"]: f["finding"] for f in told["functions"]}
with browser() as driver:
    show(driver, "page.html")
    equal(driver.title.split(" ")[0], "Diff", "the first view")
    contains(text(driver, "#verdict"), "5 runs before, 5 after", "the runs")
    contains(text(driver, "#verdict .big"), "1 function slower, 0 faster; the whole is more", "the sentence")
    contains(text(driver, "#verdict .warning"), "--fail-on=local:+5%: work", "the reason")
    spark = driver.execute_script("return Array.from(document.querySelectorAll('.spark rect'), (bar) => [bar.className.baseVal, Number(bar.getAttribute('height'))])")
    equal([side for side, _ in spark], ["before"] * 5 + ["after"] * 5, "a bar for each run")
    if max(height for side, height in spark if side == "before") >= min(height for side, height in spark if side == "after"):
        fail("runs before take less", spark)
    equal(rows(driver, "#proven"), {"work": FINDINGS["work"]}, "proven changes are first")
    equal(rows(driver, "#alone"), {"leaf": "vanished", "odd": "new"}, "and what is on one side alone")
    equal({**rows(driver, "#proven"), **rows(driver, "#otherwise"), **rows(driver, "#alone"), **rows(driver, "#noise")}, FINDINGS, "findings")
    work = next(f for f in told["functions"] if f["name"] == "work")["local_ns"]
    contains(text(driver, "#proven .by"), f"+{100 * work['change'] / work['before']:.1f} % ± {100 * work['margin'] / work['before']:.1f}", "the change")
    is_near(boxes(driver), means("after"))
    equal({name: colour for name, (_, colour) in boxes(driver).items() if name != "all"}, {"main": "worse", "work": "worse", "odd": "worse"}, "colours")
    shot(driver, "difference")
    drawn(driver, lambda: click(driver, "#width-before"))
    is_near(boxes(driver), means("before"))
    equal(boxes(driver)["leaf"][1], "better", "what vanished")
    drawn(driver, lambda: click(driver, "#by-total"))
    equal(list(rows(driver, "#proven")), ["work", "main"], "by total time, main is slower, too")
    total = next(f for f in told["functions"] if f["name"] == "main")["total_ns"]
    contains(texts(driver, "#proven .by")[1], f"+{100 * total['change'] / total['before']:.1f} %", "its change")
    drawn(driver, lambda: click(driver, "#by-calls"))
    contains(text(driver, "#verdict .big"), "0 functions with more, 0 with fewer", "calls are the same")
    drawn(driver, lambda: click(driver, "#diff-flame .box[data-name=work]"))
    equal("main" in boxes(driver), False, "zoom")
    drawn(driver, lambda: click(driver, "#reset"))
    equal("main" in boxes(driver), True, "reset")
    drawn(driver, lambda: click(driver, "#tab-flame"))
    equal(len(driver.find_elements("css selector", "#flame .box")) > 1, True, "the other views are there")
