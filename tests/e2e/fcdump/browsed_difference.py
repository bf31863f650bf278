#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The difference in the page of --html, in a browser: what it shows against --json.  Debian's own
# Python, as its Selenium needs.

import json
import random

from fcfile import Profile, Program, contains, equal, fail, folder, run
from browser import browser, click, go, shot, show, text, texts, wait

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
    """{function: (its total time, its colour)} of what is drawn."""
    return {name: (float(total), fill) for name, total, fill in driver.execute_script(
        "return Array.from(document.querySelectorAll('#diff-flame .frame'), (box) => "
        "[box.dataset.name, box.dataset.total, box.querySelector('rect').getAttribute('fill')])")}


def means(side):
    """What each context has with all below it, by --json."""
    contexts = told["contexts"]
    names = {i: told["functions"][context["function"]]["name"] for i, context in enumerate(contexts)}
    times = {names[i]: context["total_ns"][side] for i, context in enumerate(contexts)}
    return {**times, "all": times["main"]}


def hue(color):
    red, _, blue = (int(part) for part in color[4:-1].split(","))
    return "red" if red > blue + 20 else "blue" if blue > red + 20 else "grey"


def is_near(found, expected):
    drawn = {name: total for name, total in expected.items() if total > 0}
    if set(found) != set(drawn) or any(abs(found[name][0] - drawn[name]) > 1 for name in drawn):
        fail("the flame graph", found, drawn)


with browser() as driver:
    show(driver, "page.html")
    contains(texts(driver, "h2")[0], "Difference: 5 runs before, 5 after", "the first view")
    contains(text(driver, ".warning"), "--fail-on=local:+5%: work", "the reason")
    is_near(boxes(driver), means("after"))
    equal({name: hue(fill) for name, (_, fill) in boxes(driver).items() if fill.startswith("rgb")},
          {"main": "red", "work": "red", "odd": "red"}, "colours")
    shot(driver, "difference")
    click(driver, "#width-before")
    wait(driver, "the width", lambda: "leaf" in boxes(driver))
    is_near(boxes(driver), means("before"))
    equal(hue(boxes(driver)["leaf"][1]), "blue", "what vanished")
    rows = driver.execute_script("return Array.from(document.querySelectorAll('#differences tbody tr'), "
                                 "(row) => Array.from(row.cells, (cell) => cell.textContent.trim()))")
    equal([row[-1] for row in rows][0], "work", "what changed most is first")
    equal({row[-1]: row[-2] for row in rows}, {f["name"]: f["finding"] for f in told["functions"]}, "findings")
    work = next(f for f in told["functions"] if f["name"] == "work")["local_ns"]
    contains(rows[0][0], f"ms, +{100 * work['change'] / work['before']:.1f}%", "the change")
    click(driver, "#diff-flame .frame[data-name=work]")
    wait(driver, "zoom", lambda: text(driver, "#diff-reset") != "")
    click(driver, "#diff-reset")
    wait(driver, "reset", lambda: text(driver, "#diff-reset") == "")
    go(driver, "#view=flame")
    contains(texts(driver, "h2")[0], "Flame graph by time", "the other views are there")
