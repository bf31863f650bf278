#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page of --html in a browser: what it shows against --json; search, zoom, sort, weights, the
# back button, links, keys; names that are markup; a large profile.  Debian's own Python, as its
# Selenium needs.

import json
import os
import re
import time

from fcfile import FOLDED, Profile, Program, contains, equal, fail, folder, rows, run, simple, with_heap, with_waits
from browser import browser, click, drawn, go, shot, show, text, texts, wait

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

keep = folder()
program = Program()
LONG = "</script><b>&amp;" + "long::" * 35
profile = with_heap(program)
profile.header["arguments"].append("</script><!--")
profile.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, "/none/" + LONG.replace("/", "|")))
profile.function("odd", 7, 500_000, 500_000, (1, 100_000), where=0x9010)
profile.functions[-1] = ((1, 0x9010), *profile.functions[-1][1:])
profile.context(0, "main+20", "odd", 7, 500_000, 500_000)
profile.arc("main", "main+20", "odd", 7, 500_000)
profile.thread(4712, 5, 600, 500, 2, True, "helper", [("leaf", 1, 2, 3)])
profile.losses.append(("lost-records", 3))
profile.write("all.fc")
result = run("--html=all.html", "all.fc")
contains(result.err, "fcdump: --html: not in it: call sites\n", "notes")
data = json.loads(run("--json", "all.fc").raw)
functions = {function["name"]: function for function in data["functions"]}
ODD = next(name for name in functions if name.startswith("<"))


def boxes(driver, selector="svg.flame"):
    """{name: total} of the boxes of a flame graph that are no callers of what is zoomed to."""
    return dict(driver.execute_script(
        "return Array.from(document.querySelectorAll(arguments[0] + ' .frame:not(.above)'), "
        "(box) => [box.dataset.name, Number(box.dataset.total)])", selector))


def ns(time_text):
    number, unit = time_text.split(" ")
    return float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]


def keys(driver, words):
    """Pressed on the page, and followed by it."""
    drawn(driver, lambda: ActionChains(driver).send_keys(words).perform())


def search(driver, words):
    """Types them: the page follows with each letter."""
    for letter in words:
        drawn(driver, lambda: driver.find_element(By.ID, "search").send_keys(letter))


def choose(driver, weight):
    drawn(driver, lambda: Select(driver.find_element(By.ID, "weight")).select_by_visible_text(weight))


def look_at_tables(driver):
    go(driver, "#view=functions")
    rows = [re.split("\t", row) for row in driver.execute_script(
        "return Array.from(document.querySelectorAll('#functions tbody tr'), "
        "(row) => Array.from(row.cells, (cell) => cell.textContent.trim()).join('\\t'))")]
    equal([row[-1] for row in rows], ["work", "main", "leaf", ODD], "functions by local time")
    for row in rows:
        function = functions[row[-1]]
        if abs(ns(row[0]) - function["local_ns"]) > function["local_ns"] / 1000:
            fail("local time", row, function)
        if abs(ns(row[2]) - function["total_ns"]) > function["total_ns"] / 1000:
            fail("total time", row, function)
        equal(row[3], str(function["calls"]), "calls")
        equal(row[1], f"{100 * function['local_ns'] / data['local_sum_ns']:.1f}%", "share")
    last = "#functions td:last-child"
    at = 1 + texts(driver, "#functions th").index("calls")
    drawn(driver, lambda: click(driver, f"#functions th:nth-child({at})"))
    equal(texts(driver, last), [ODD, "leaf", "work", "main"], "sorted")
    drawn(driver, lambda: click(driver, "#functions th.sorted"))
    equal(texts(driver, last), ["main", "work", "leaf", ODD], "the other order")
    drawn(driver, driver.back)
    equal(texts(driver, last), [ODD, "leaf", "work", "main"], "back")
    shot(driver, "page-functions")
    search(driver, "A")
    equal(sorted(texts(driver, last)), [ODD, "leaf", "main"], "search")
    search(driver, "I")
    equal(texts(driver, last), ["main"], "search")
    contains(text(driver, "#found"), "1 functions, 100.0% of time", "the share of what was found")
    keys(driver, Keys.ESCAPE)
    equal(len(texts(driver, last)), 4, "Escape")


def sums(weight):
    """What each function weighs in all contexts below it, by --json."""
    contexts = data["contexts"]
    below = [context[weight] for context in contexts]
    for i in range(len(contexts) - 1, -1, -1):
        if contexts[i]["parent"] is not None:
            below[contexts[i]["parent"]] += below[i]
    total = {}
    for context, weighs in zip(contexts, below):
        name = data["functions"][context["function"]]["name"]
        total[name] = total.get(name, 0) + weighs
    return {**total, "all": sum(context[weight] for context in contexts)}


def look_at_flames(driver):
    go(driver, "#view=flame")
    equal(boxes(driver), sums("local_ns"), "the flame graph by time")
    shot(driver, "page-flame")
    drawn(driver, lambda: click(driver, ".frame[data-name=work]"))
    equal(boxes(driver), {"work": 6_000_000, "leaf": 1_000_000}, "zoom")
    drawn(driver, lambda: click(driver, "#reset"))
    contains(boxes(driver), "main", "reset")
    drawn(driver, driver.back)
    equal("main" in boxes(driver), False, "back to the zoom")
    keys(driver, Keys.ESCAPE)
    contains(boxes(driver), "main", "Escape")
    choose(driver, "calls")
    equal(boxes(driver), sums("calls"), "calls")
    choose(driver, "bytes")
    equal(boxes(driver), {"all": 4164, "main": 4100, "work": 4000, "<outside>": 64}, "bytes")
    ActionChains(driver).send_keys("/").perform()
    wait(driver, "the search", lambda: driver.execute_script("return document.activeElement.id") == "search")
    search(driver, "work")
    equal(len(texts(driver, ".frame.found")), 1, "search")
    equal(texts(driver, "#view > .note")[1:], [], "boxes that are not drawn")
    shot(driver, "page-searched")


def source_lines(driver):
    """Four parts each."""
    return driver.execute_script(
        "return Array.from(document.querySelectorAll('#source span'), (part) => part.textContent)")


def called_at(lines, name, offset):
    """How often and how long the line of that call site called."""
    at = lines.index(program.line(program.start[name] + offset).rsplit(":", 1)[1])
    return lines[at + 1:at + 3]


def look_at_functions(driver):
    go(driver, "#f=work")
    equal(text(driver, "#name"), "work", "the name")
    go(driver, "#f=work&weight=bytes")
    equal(graph(driver), ["4000 B, 2x", "0 B, 3x", "4000 B, 2 calls"], "bytes in the graph")
    go(driver, "#f=work")
    contains(text(driver, "#figures"), "local 5.000 ms (47.6%), total 6.000 ms (57.1%), 2 calls, "
             "2.000 ms to 4.000 ms each; 4000 B allocated, 400 B live at the end", "figures")
    equal(boxes(driver, "#callers"), {"work": 6_000_000, "main": 6_000_000}, "callers")
    equal(boxes(driver, "#callees"), {"work": 6_000_000, "leaf": 1_000_000}, "callees")
    equal(driver.execute_script(
        "return Array.from(document.querySelectorAll('#graph g'), (box) => box.textContent)"),
          ["mainmain6.000 ms, 2x", "leafleaf1.000 ms, 3x", "workwork6.000 ms, 2 calls"], "the graph around it")
    equal([line.split(" ")[-1] for line in texts(driver, "#latency tr")], ["1", "1"], "the histogram")
    lines = source_lines(driver)
    first = int(program.declared("work").rsplit(":", 1)[1])
    with open(program.declared("work").rsplit(":", 1)[0], encoding="utf-8") as file:
        source = file.read().split("\n")
    found = {int(lines[i]): lines[i + 3] for i in range(0, len(lines), 4)}
    equal(found[first], source[first - 1], "a line of the source")
    equal(called_at(lines, "work", 4), ["3x", "1.000 ms"], "what a line called")
    shot(driver, "page-function")
    drawn(driver, lambda: click(driver, "#callees .frame[data-name=leaf]"))
    equal(text(driver, "#name"), "leaf", "the name")
    drawn(driver, driver.back)
    equal(text(driver, "#name"), "work", "back")
    go(driver, "#f=none")
    contains(text(driver, "#view"), "No function is called none.", "an unknown function")
    go(driver, driver.execute_script("return hashOf({ f: arguments[0] })", ODD))
    equal(text(driver, "#name"), ODD, "a strange name")
    equal(driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth"), True,
          "a long name is wrapped")
    shot(driver, "page-long")


def graph(driver):
    return driver.execute_script(
        "return Array.from(document.querySelectorAll('#graph g'), (box) => box.lastChild.textContent)")


def look_at_both_times(driver):
    """Graph, figures, shares and tables follow the weight."""
    figures = text(driver, "#figures")
    contains(figures, "local 3.000 ms (75.0%), total 3.000 ms (75.0%), elapsed 9.000 ms and 9.000 ms", "figures, CPU")
    equal(graph(driver), ["3.000 ms, 3x", "3.000 ms, 3 calls"], "the graph, CPU")
    contains(text(driver, "#view"), "How long its calls took, elapsed", "the histogram is of one of them")
    go(driver, "#f=work&weight=time")
    figures = text(driver, "#figures")
    contains(figures, "local 9.000 ms (90.0%), total 9.000 ms (90.0%), of it on the CPU 3.000 ms and 3.000 ms", "figures")
    equal(graph(driver), ["9.000 ms, 3x", "9.000 ms, 3 calls"], "the graph, wall time")
    go(driver, "#f=work&weight=calls")
    equal(graph(driver), ["3x", "3 calls"], "the graph, calls")
    for weight, expected in (("time", ["90.0%", "10.0%"]), ("cpu", ["75.0%", "25.0%"])):
        go(driver, f"#view=functions&sort=calls&weight={weight}")
        equal(sorted(texts(driver, "#functions td:nth-child(2)")), sorted(expected), f"shares by {weight}")


def look_at_the_rest(driver):
    go(driver, "#view=memory")
    equal(len(texts(driver, "#heap path.area")), 1, "the heap over time")
    equal(texts(driver, "#heap > g:last-of-type text"), ["0 B", "512 B", "1 KiB", "1.5 KiB", "2 KiB"],
          "marks at round sizes")
    equal([line.split(" in ")[0] for line in texts(driver, "#holders summary")],
          ["2000 B: malloc", "100 B: malloc", "64 B: before the start"], "who held the peak")
    contains(texts(driver, "#leaks summary")[0], "400 B in 4 blocks: malloc in work at ", "leaks")
    click(driver, "#leaks summary")
    wait(driver, "a leak's stack", lambda: [line.split(" at ")[0] for line in texts(driver, "#leaks li") if line]
         == ["work", "main"])
    equal(texts(driver, "#bad"), ["None."], "bad frees")
    shot(driver, "page-memory")
    keys(driver, "5")
    equal(len(texts(driver, "#threads tbody tr")), 2, "threads")
    contains("\n".join(texts(driver, "#threads tbody tr")), "helper · leaf 3 ns", "a thread's functions")
    contains(texts(driver, "#processes tbody tr")[0], "./prog -v two words </script><!--", "a process")
    keys(driver, "1")
    equal(texts(driver, "#hot"), ["main 100.0% → work 57.1%"], "the overview")
    contains(text(driver, "#view"), "lost-records: 3", "losses")
    shot(driver, "page-overview")


def look_at_colours(driver, dark):
    """Letters and the page behind them are told apart, whichever mode the browser asks for."""
    asked, *colours = driver.execute_script(
        "const style = getComputedStyle(document.body);"
        "return [matchMedia('(prefers-color-scheme: dark)').matches, style.color, style.backgroundColor]")
    letters, page = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
    equal((asked, letters > page), (dark, dark), f"colours {colours}")
    if abs(letters - page) < 300:
        fail("letters that can hardly be read", colours)


with browser("--force-dark-mode") as driver:
    show(driver, "all.html")
    look_at_colours(driver, True)
    equal(driver.execute_script("return [data.base_ns, data.functions.length, performance.getEntriesByType("
                                "'resource').length]"),
          [data["local_sum_ns"], len(functions), 0], "what it holds, and that it fetched nothing")
    look_at_tables(driver)
    look_at_flames(driver)
    keys(driver, Keys.ESCAPE)
    look_at_functions(driver)
    look_at_the_rest(driver)

# 100,000 contexts: opened, drawn, and zoomed.  How long it took is told and not judged.
many = Profile(program, run_ns=10**9)
many.modules.append((0x1000000, 0x1000000, 0x2000000, 0, 2**64 - 1, None, "/none/many.so"))
for number in range(2000):
    many.function(f"f{number}", 50, 1000, 1000, where=0x1000000 + 16 * number)
    many.functions[number] = ((1, 0x1000000 + 16 * number), *many.functions[number][1:])
for number in range(100_000):  # three under each, all of another function than those around them
    many.context((number - 1) // 3 if number else None, 0x1234, f"f{number % 2000}", 1, 20, 20)
many.write("many.fc")
equal(run("--html=many.html", "many.fc").status, 1, "no image for names")
with browser() as driver:
    began = time.monotonic()
    show(driver, "many.html", "#view=flame")
    took = time.monotonic() - began
    look_at_colours(driver, False)
    equal(driver.execute_script("return treeOf(0).count"), 100_001, "contexts")
    print(f"100,000 contexts: opened in {took:.2f} s")
    began = time.monotonic()
    go(driver, "#f=" + driver.execute_script("return functions[1].name"))
    print(f"the view of a function: {time.monotonic() - began:.2f} s")
    shot(driver, "page-many")
# What was folded stands under a box that says so.
folded = Profile(program, run_ns=100)
folded.function("main", 1, 40, 40, (40, 40), (40, 40))
folded.function("leaf", 5, 60, 50, (1, 50), (1, 50))
folded.context(None, 0, "main", 1, 40, 40)
folded.context(None, FOLDED, "leaf", 5, 60, 50)
folded.write("folded.fc")
run("--html=folded.html", "folded.fc")
run("--html=few.html", "--min=1", "many.fc")
marks = simple(program, end=("signal", 9))
marks.function("even", 1000, 4_000_000, 4_000_000, (1_000, 9_000))
marks.arc("work", "work+5", "even", 1000, 4_000_000)
marks.more = [("counted", ["2 3 1 900000 900000", "3 1000 5 1000 1000"]), ("apportioned-arcs", ["4"])]
marks.write("marks.fc")
run("--html=marks.html", "marks.fc")


def look_at_marks(driver):
    """Each time has the mark that the reports have before it."""
    show(driver, "marks.html")
    contains(text(driver, "#view dl"), "; killed by signal 9 (Killed)", "how it ended")
    contains(text(driver, "#view dl"), "Of 2 short functions 1003 calls were counted, and 6 of them timed", "the header")
    contains(text(driver, "#omitted"), "? is a time that is mostly uncertain", "what ? means")
    flat = {row[-1]: row for row in rows(run("--no-reports", "--flat", "marks.fc").out, "Flat profile")}
    go(driver, "#view=functions")
    shown = {row.split(" ")[-1]: row for row in texts(driver, "#functions tbody tr")}
    for name, row in shown.items():
        mark = next(cell for cell in flat[name] if cell.endswith(("ms", "us", "ns")))[0]
        equal(row[0] if row[0] in "~?" else "", mark if mark in "~?" else "", f"the mark of {name}")
    equal({row[0] for row in shown.values()} >= {"~", "?"}, True, f"marks: {shown}")
    go(driver, "#f=even")
    graph = " ".join(texts(driver, "#graph text"))
    contains(graph, "~4.000 ms, ", "the time of an arc")
    contains(graph, "~1,000x", "calls that are apportioned")
    contains(text(driver, "#figures"), "~1.000 us to ~9.000 us each", "bounds of the calls that were timed")
    contains(text(driver, "#view"), "How long those of its calls took that were timed", "and their histogram")
    go(driver, "#f=work")
    equal(called_at(source_lines(driver), "work", 4), ["~1,003x", "~5.000 ms"], "what a line called")
    contains(text(driver, "#figures"), "2.000 ms to 4.000 ms each", "bounds of a function of which all were timed")


run("--html=counted.html", os.path.join(os.environ["FC_SOURCE_ROOT"], "tests", "fuzz", "corpus", "profile",
                                        "counted.fc"))
# A chain of calls that is higher than the window: its root is in view.
deep = Profile(program, run_ns=10**9)
deep.modules.append((0x1000000, 0x1000000, 0x2000000, 0, 2**64 - 1, None, "/none/deep.so"))
for number in range(100):
    deep.function(f"f{number}", 1, 1000 * (100 - number), 1000, where=0x1000000 + 16 * number)
    deep.functions[number] = ((1, 0x1000000 + 16 * number), *deep.functions[number][1:])
    deep.context(number - 1 if number else None, 0x1234, f"f{number}", 1, 1000 * (100 - number), 1000)
deep.write("deep.fc")
equal(run("--html=deep.html", "deep.fc").status, 1, "no image for names")
with_waits(program).write("waits.fc")
run("--html=waits.html", "waits.fc")
run("--html=based.html", "--base=work", "waits.fc")
with browser() as driver:
    show(driver, "deep.html", "#view=flame")
    wait(driver, "the root of the flame graph", lambda: driver.execute_script(
        "const box = document.querySelector('svg.flame').getBoundingClientRect();"
        "return box.height > window.innerHeight && box.bottom <= window.innerHeight + 1"))
    # Wall and CPU time, where both are known.
    show(driver, "waits.html", "#view=flame")
    equal(boxes(driver), {"all": 4_000_000, "main": 4_000_000, "work": 3_000_000}, "CPU time to begin with")
    go(driver, "#f=work")
    look_at_both_times(driver)
    go(driver, "#view=flame&weight=time")
    equal(driver.execute_script("return Array.from(document.querySelectorAll('#weight option'), (o) => o.text)"),
          ["wall time", "CPU time", "calls"], "weights")
    equal(boxes(driver), {"all": 10_000_000, "main": 10_000_000, "work": 9_000_000}, "wall time")
    choose(driver, "CPU time")
    equal(boxes(driver), {"all": 4_000_000, "main": 4_000_000, "work": 3_000_000}, "CPU time")
    go(driver, "#view=functions")
    equal(texts(driver, "#functions th")[:5], ["local CPU \u25be", "local %", "total CPU", "local", "total"], "their columns")
    equal([row.split(" ")[-1] for row in texts(driver, "#functions tbody tr")], ["work", "main"], "by local time")
    equal(texts(driver, "#functions td:nth-child(1)"), ["3.000 ms", "1.000 ms"], "local times on the CPU")
    equal(texts(driver, "#functions td:nth-child(2)"), ["75.0%", "25.0%"], "and their share of all")
    equal(texts(driver, "#functions td:nth-child(3)"), ["3.000 ms", "4.000 ms"], "total times on the CPU")
    go(driver, "#view=threads")
    contains(texts(driver, "#threads td")[0] + texts(driver, "#threads td")[-1], "4.000 ms", "a thread on the CPU")
    contains(texts(driver, "#threads td")[-1], "work 3.000 ms", "and its functions")
    go(driver, "#view=overview")
    contains(text(driver, "#view dl"), "4.000 ms in functions, on the CPU", "all on the CPU")
    choose(driver, "wall time")
    contains(text(driver, "#view dl"), "10.00 ms in functions, waiting included", "all, with waiting")
    go(driver, "#view=threads&weight=time")
    contains(texts(driver, "#threads td")[-1], "work 9.000 ms", "a thread's functions, with waiting")
    show(driver, "based.html", "#f=work")
    contains(text(driver, "#figures"), "local 3.000 ms (100.0%), total 3.000 ms (100.0%)", "--base")
    go(driver, "#f=main&weight=time")
    contains(text(driver, "#figures"), "local 1.000 ms (11.1%), total 10.00 ms (111.1%)", "--base, wall time")
    show(driver, "counted.html", "#view=functions")
    equal(texts(driver, "#functions td:first-child"), ["~3.000 us", "1.000 us", "~1.000 us"], "estimates")
    contains(text(driver, "#omitted"), "~ is a time that was estimated", "estimates")
    go(driver, "#view=overview")
    equal(texts(driver, "#top td:first-child")[0][0], "~", "an estimate in the overview")
    look_at_marks(driver)
    show(driver, "folded.html", "#view=flame")
    equal(boxes(driver), {"all": 90, "main": 40, "(folded contexts)": 50, "leaf": 50}, "folded contexts")
    show(driver, "few.html")
    contains(text(driver, "#omitted"), "of the lightest contexts are left out", "what --min left out")
