#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The page of --html in a browser: what its views show against --json; weights, search, zoom, sort, columns, the
# back button, links, keys; names that are markup; what is said of doubt and of what is left out.  Debian's own
# Python, as its Selenium needs.

import json
import os
import re

from fcfile import FOLDED, Profile, Program, contains, equal, fail, folder, run, simple, with_heap, with_waits
from browser import browser, click, drawn, go, shot, show, text, texts, wait

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

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


with_waits(program).write("waits.fc")
run("--html=waits.html", "waits.fc")

# More threads than have a lane: those that ran least are counted.
crowd = Profile(program, run_ns=10_000_000)
crowd.function("main", 1, 10_000_000, 1_000_000)
crowd.function("work", 403, 81_406_000, 81_406_000)
for number in range(404):
    crowd.thread(1000 + number, 0, 9_000_000, 9_000_000, 1, True, "prog",
                 functions=[("work", 1, 1000 * number, 1000 * number) if number else ("main", 1, 10_000_000, 1_000_000)])
crowd.write("crowd.fc")
run("--html=crowd.html", "crowd.fc")


def boxes(driver, where="#flame", which=" .box"):
    """{name: total} of the boxes of a flame graph."""
    return dict(driver.execute_script(
        "return Array.from(document.querySelectorAll(arguments[0]), "
        "(box) => [box.dataset.name, Number(box.dataset.total)])", where + which))


UNITS = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 1024, "k": 1000, "M": 1e6, "": 1, "×": 1}


def number(words):
    """What a figure of three digits with its unit is, the first of the text."""
    found = re.match(r"[^\d]*([\d.,]+) ?(ns|µs|ms|s|KiB|B|k|M)?", words)
    return float(found[1].replace(",", "")) * UNITS[found[2] or ""]


def near(words, exact, what):
    """Whether the text is that figure, as far as three digits tell."""
    if abs(number(words) - exact) > 0.0051 * exact:
        fail(what, words, exact)


def keys(driver, words):
    """Pressed on the page, and followed by it."""
    drawn(driver, lambda: ActionChains(driver).send_keys(words).perform())


def search(driver, words):
    """Types them: the page follows with each letter."""
    for letter in words:
        drawn(driver, lambda: driver.find_element(By.ID, "search").send_keys(letter))


def choose(driver, weight):
    drawn(driver, lambda: click(driver, "#weight-" + weight))


def rows_of(driver, table="functions"):
    """{heading: text} of each row, the name by the function."""
    heads, rows = driver.execute_script("""
        const table = document.getElementById(arguments[0]);
        const clean = (cell) => cell.innerText.replace(/ [\\u2191\\u2193]$/, "").trim();
        return [Array.from(table.tHead.rows[0].cells, clean),
                Array.from(table.tBodies[0].rows, (row) => [Number(row.dataset.row), ...Array.from(row.cells, clean)])];""", table)
    return [(row[0], dict(zip(heads, row[1:]))) for row in rows]


def names_of(driver, table="functions"):
    return [data["functions"][index]["name"] for index, _ in rows_of(driver, table)]


def look_at_tables(driver):
    go(driver, "#view=functions")
    equal(names_of(driver), ["work", "main", "leaf", ODD], "functions by own time")
    for index, row in rows_of(driver):
        function = data["functions"][index]
        near(row["own Elapsed"], function["local_ns"], "own time")
        near(row["total Elapsed"], function["total_ns"], "total time")
        near(row["Elapsed per call"], function["total_ns"] / function["calls"], "time per call")
        equal(row["calls"], str(function["calls"]), "calls")
        share = 100 * function["local_ns"] / data["local_sum_ns"]
        contains(row["own Elapsed"], f"{share:.0f} %" if share >= 9.95 else f"{share:.1f} %", "share")
    at = 1 + [re.sub(r" [↑↓]", "", head) for head in texts(driver, "#functions th")].index("calls")
    drawn(driver, lambda: click(driver, f"#functions th:nth-child({at}) a"))
    equal(names_of(driver), [ODD, "leaf", "work", "main"], "sorted")
    equal(driver.execute_script("return document.querySelector('th[aria-sort]').innerText"), "calls ↓", "and said")
    drawn(driver, lambda: click(driver, f"#functions th:nth-child({at}) a"))
    equal(names_of(driver), ["main", "work", "leaf", ODD], "the other order")
    drawn(driver, driver.back)
    equal(names_of(driver), [ODD, "leaf", "work", "main"], "back")
    shot(driver, "page-functions")
    search(driver, "L")
    equal(sorted(names_of(driver)), [ODD, "leaf"], "search")
    search(driver, [Keys.BACKSPACE])
    search(driver, "MAI")
    equal(names_of(driver), ["main"], "search")
    equal(text(driver, "#found"), "1 function, with callees 100 % of elapsed time", "the share of what was found")
    keys(driver, Keys.ESCAPE)
    equal(len(names_of(driver)), 4, "Escape")
    click(driver, "#chooser summary")
    drawn(driver, lambda: click(driver, "#chooser a[href*='columns=']:first-of-type"))
    equal("own Elapsed" in rows_of(driver)[0][1], False, "a column that was put away")
    go(driver, "#view=functions&columns=own,min,live")
    equal(list(rows_of(driver)[0][1]), ["Function", "own · total", "own Elapsed", "fastest\nelapsed", "never freed"], "columns by the address")
    go(driver, "#view=functions&search=nothing")
    contains(text(driver, "#view .none"), "No function has “nothing” in its name or file.", "nothing fits")


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


def zoom(driver, name):
    drawn(driver, lambda: ActionChains(driver).double_click(
        driver.find_element(By.CSS_SELECTOR, f"#flame .box[data-name='{name}']")).perform())


def look_at_flames(driver):
    go(driver, "#view=flame")
    equal(boxes(driver), sums("local_ns"), "the flame graph by time")
    shot(driver, "page-flame")
    zoom(driver, "work")
    equal(boxes(driver), {"work": 6_000_000, "leaf": 1_000_000}, "zoom")
    drawn(driver, lambda: click(driver, "#reset"))
    contains(boxes(driver), "main", "reset")
    drawn(driver, driver.back)
    equal("main" in boxes(driver), False, "back to the zoom")
    keys(driver, Keys.ESCAPE)
    contains(boxes(driver), "main", "Escape")
    choose(driver, "calls")
    equal(boxes(driver), sums("calls"), "calls")
    go(driver, "#view=flame&weight=bytes")
    equal(boxes(driver), {"all": 4164, "main": 4100, "work": 4000, "outside of all functions": 64}, "bytes")
    keys(driver, "i")
    equal(boxes(driver, "#flame [data-level='1']", ""), {"work": 4000, "main": 100, "outside of all functions": 64}, "inverted: what each has itself")
    equal(boxes(driver, "#flame [data-level='2']", ""), {"main": 4000}, "and who called it")
    keys(driver, "w")
    equal(driver.execute_script("return document.querySelector('#weights .on').textContent"), "Elapsed", "the next weight")
    equal(boxes(driver, "#flame [data-level='1']", ""), {name: f["local_ns"] for name, f in functions.items()}, "inverted, by time")
    drawn(driver, lambda: click(driver, ".seg a:not(.on)[aria-pressed='false'][data-tip^='From the threads']"))
    ActionChains(driver).send_keys("/").perform()
    wait(driver, "the search", lambda: driver.execute_script("return document.activeElement.id") == "search")
    search(driver, "work")
    equal(driver.execute_script("return Array.from(document.querySelectorAll('.box.found'), (box) => box.dataset.name)"), ["work"],
          "search")
    shot(driver, "page-searched")
    keys(driver, Keys.ESCAPE)


def look_at_keys(driver):
    """The flame graph without a pointer."""
    go(driver, "#view=flame")
    press = lambda key: ActionChains(driver).send_keys(key).perform()  # noqa: E731
    focused = lambda: driver.execute_script("return document.activeElement.dataset.name")  # noqa: E731
    driver.execute_script("document.querySelector('.box[data-box=\"0\"]').focus()")
    for key, name in ((Keys.ARROW_DOWN, "main"), (Keys.ARROW_DOWN, "work"), (Keys.ARROW_RIGHT, ODD), (Keys.ARROW_LEFT, "work")):
        press(key)
        equal(focused(), name, "the focus")
    contains(text(driver, "#strip"), "total Elapsed 6.00 ms", "what is selected")
    contains(driver.execute_script("return document.activeElement.ariaLabel"), "work: 6.00 ms, 57 %", "what is said of the box")
    keys(driver, "z")
    equal(sorted(boxes(driver)), ["leaf", "work"], "zoomed by z")
    keys(driver, Keys.ESCAPE)
    keys(driver, Keys.ENTER)
    equal(text(driver, "#name"), "work", "opened by Enter")
    keys(driver, Keys.BACKSPACE)
    contains(boxes(driver), "main", "back")
    press("?")
    contains(text(driver, ".pop"), "move in the flame graph", "help")
    equal(driver.execute_script("return document.activeElement.dataset.close"), "", "which has the focus")
    press(Keys.ESCAPE)
    equal(texts(driver, ".pop"), [], "closed")
    theme = driver.execute_script("return document.documentElement.dataset.theme")
    keys(driver, "t")
    equal(driver.execute_script("return document.documentElement.dataset.theme") != theme, True, "light or dark")
    keys(driver, "t")


def source_line(driver, at):
    """The cells of the line of a call site: {what: text}."""
    line = program.line(at).rsplit(":", 1)[1]
    cells = driver.execute_script("return Array.from(document.querySelector(`#source [data-line=\"${arguments[0]}\"]`).children, "
                                  "(cell) => cell.textContent)", line)
    heads = driver.execute_script("return Array.from(document.querySelector('#source .hd').children, (cell) => cell.textContent)")
    return dict(zip(heads, cells))


def arcs(driver, where):
    """{function: (time, calls)}"""
    return {row[0]: (row[1], row[2]) for row in driver.execute_script(
        "return Array.from(document.querySelectorAll(arguments[0] + ' .arc:not([data-itself])'), (row) => "
        "[row.querySelector('.fn').innerText, row.querySelector('.v').innerText, row.lastElementChild.innerText])", where)}


def figure(driver, name):
    return text(driver, f"[data-figure='{name}'] .n")


def look_at_functions(driver):
    go(driver, "#f=work&weight=bytes")
    equal(arcs(driver, "#callers"), {"main": ("4,000B", "2×")}, "bytes by caller")
    equal(arcs(driver, "#callees"), {"leaf": ("0B", "3×")}, "bytes by callee")
    go(driver, "#f=work")
    equal(text(driver, "#name"), "work", "the name")
    contains(figure(driver, "Own Elapsed"), "5.00ms48 %", "own time")
    contains(figure(driver, "Total Elapsed"), "6.00ms57 %", "total time")
    equal(figure(driver, "Calls"), "2at least", "calls, of which records were lost")
    equal((figure(driver, "Fastest"), figure(driver, "Slowest")), ("2.00mselapsed", "4.00mselapsed"), "bounds")
    equal(figure(driver, "Allocated itself"), "4,000B40 blocks, 400 B never freed", "memory")
    equal(arcs(driver, "#callers"), {"main": ("6.00ms", "2×")}, "callers")
    equal(arcs(driver, "#callees"), {"leaf": ("1.00ms", "3×")}, "callees")
    contains(text(driver, "#callees [data-itself]"), "itself", "its own time")
    contains(text(driver, "#callees [data-itself]"), "5.00", "its own time")
    equal(boxes(driver, "#above"), {"all": 6_000_000, "work": 6_000_000, "main": 6_000_000} if "all" in boxes(driver, "#above")
          else {"work": 6_000_000, "main": 6_000_000}, "all callers")
    equal(boxes(driver, "#below"), {"work": 6_000_000, "leaf": 1_000_000}, "all callees")
    equal(driver.execute_script("return Array.from(document.querySelectorAll('#latency .bucket'), (bar) => "
                                "[Number(bar.dataset.from), Number(bar.dataset.calls)])"),
          [[bar["from_ns"], bar["calls"]] for bar in functions["work"]["histogram"]], "the histogram")
    lines = driver.execute_script("return Array.from(document.querySelectorAll('#source [data-line]'), "
                                  "(line) => [Number(line.dataset.line), line.lastElementChild.textContent])")
    place, first = program.declared("work").rsplit(":", 1)
    with open(place, encoding="utf-8") as file:
        source = file.read().split("\n")
    equal(dict(lines)[int(first)], source[int(first) - 1], "a line of the source")
    equal(source_line(driver, program.start["work"] + 4)["Elapsed"], "1.00 ms", "what a line called took")
    equal(source_line(driver, program.start["work"] + 4)["calls"], "3×", "and how often")
    shot(driver, "page-function")
    drawn(driver, lambda: click(driver, "#below .box[data-name=leaf]"))
    equal(text(driver, "#name"), "leaf", "the name")
    drawn(driver, driver.back)
    equal(text(driver, "#name"), "work", "back")
    go(driver, "#f=none")
    contains(text(driver, "#view .none"), "No function is called none.", "an unknown function")
    go(driver, "#view=functions")
    drawn(driver, lambda: click(driver, f"tr[data-row='{list(functions).index(ODD)}'] a"))
    equal(text(driver, ".whole-name"), ODD, "a strange name, which is shown whole below the short one")
    contains(driver.execute_script("return location.hash"), "f=%3C%7Cscript%3E", "its address")
    equal(driver.execute_script("return document.documentElement.scrollWidth <= window.innerWidth"), True,
          "a long name is wrapped")
    shot(driver, "page-long")


def look_at_the_rest(driver):
    go(driver, "#view=memory")
    equal(len(texts(driver, "#curve path.area")), 1, "the heap over time")
    equal(texts(driver, "#curve text[text-anchor=end]:not(.b)")[:5], ["0 B", "1 KiB", "2 KiB", "10.0 ms"], "marks at round sizes")
    ActionChains(driver).move_to_element(driver.find_element(By.CSS_SELECTOR, "#curve svg")).perform()
    contains(text(driver, "#held"), "at most 2,164 B up to 5.00 ms", "the size under the pointer")
    equal([row["bytes"].split("\n")[0] for _, row in rows_of(driver, "sites")], ["2,000B", "100B", "64B"], "who held the peak")
    drawn(driver, lambda: click(driver, "a[href*='heap=leaked']"))
    equal([row["bytes"].split("\n")[0] + " " + row["blocks"] for _, row in rows_of(driver, "sites")], ["400B 4", "64B 2"], "leaks")
    equal([line.split(" ")[0] for line in texts(driver, "#stack .frame > div:first-child")], ["work", "main"], "a leak's stack")
    equal(text(driver, "#heap-bad .n"), "0", "bad frees")
    shot(driver, "page-memory")
    keys(driver, "4")
    equal(len(texts(driver, "#threads .lane.t")), 2, "threads")
    drawn(driver, lambda: click(driver, "#threads [data-thread='4712']"))
    contains(text(driver, "#ran"), "leaf", "a thread's functions")
    contains(text(driver, "#ran"), "3ns", "and their times")
    contains(text(driver, "#processes tbody"), "./prog -v two words </script><!--", "a process")
    keys(driver, "1")
    near(text(driver, "#tile-elapsed .n"), 10_000_000, "the run's time")
    near(text(driver, "#tile-time .n"), data["local_sum_ns"], "the time in functions")
    near(text(driver, "#tile-heap .n"), 4164, "memory")
    contains(text(driver, "#tile-heap .s"), "464 B leaked · peak 2,164 B", "memory")
    equal(text(driver, "#tile-calls .n"), "13", "calls")
    equal(names_of(driver, "top"), ["work", "main", "leaf", ODD], "the heaviest functions")
    contains(text(driver, "#view .warning"), "lost-records: 3", "losses")
    shot(driver, "page-overview")
    click(driver, "[data-help=accuracy]")
    contains(text(driver, ".pop"), "Calls are at least these", "how sure they are")


STRIP = """const run = document.querySelector("#threads .run.timed").getBoundingClientRect();
return Array.from(document.querySelectorAll("#threads .run.timed .slot"), (slot) => {
  const box = slot.getBoundingClientRect();
  return [(box.left - run.left) / run.width, slot.style.getPropertyValue("--on"), slot.style.getPropertyValue("--ready"),
          getComputedStyle(slot).backgroundImage];
})"""


def look_at_lanes(driver):
    """The strip of a thread: each bucket of --json in its place, as high as its share."""
    thread, = json.loads(run("--json", "waits.fc").raw)["threads"]
    lanes = thread["lanes"]
    equal(sum(lanes["blocked_ns"]) + sum(lanes["preempted_ns"]), thread["wait_ns"], "all that it waited")
    slots = driver.execute_script(STRIP)
    equal(len(slots), len(lanes["blocked_ns"]), "buckets")
    equal(len({slot[3] for slot in slots}), 3, "kinds of pictures: all blocked, all running, half preempted")
    for at, (left, running, ready, _) in enumerate(slots):
        equal(abs(left - at * lanes["width_ns"] / thread["run_ns"]) < 0.005, True, f"place of bucket {at}")
        blocked, preempted = (lanes[key][at] / lanes["width_ns"] for key in ("blocked_ns", "preempted_ns"))
        equal((running, ready), (f"{100 * (1 - blocked - preempted):.1f}%", f"{100 * (1 - blocked):.1f}%"), f"bucket {at}")
    equal(texts(driver, "#threads .legend span, .card .legend > span")[:3], ["on the CPU", "preempted", "blocked"], "its legend")
    track = driver.find_element(By.CSS_SELECTOR, "#threads .lane.t .track")
    for share, told in ((0.35, "from 3.00 ms on, of 1.00 ms: on the CPU 0 ns, blocked 1.00 ms, preempted 0 ns"),
                        (0.95, "from 9.00 ms on, of 1.00 ms: on the CPU 500 µs, blocked 0 ns, preempted 500 µs")):
        ActionChains(driver).move_to_element_with_offset(track, int((share - 0.5) * track.size["width"]), 0).perform()
        equal(track.get_attribute("data-tip"), told, "what is said of a moment")


def findings_of(*arguments):
    """Those of the first screen, as one reads them."""
    screen = run(*arguments, env={"LC_ALL": "C.UTF-8", "COLUMNS": "400"}).out
    return re.findall(r"^[•*] (.*?)(?:: (?:--[\w=-]+|fcdump .*|fcrun .*))?$", screen, re.M)


with browser("--force-dark-mode") as driver:
    show(driver, "all.html")
    equal(driver.execute_script("return document.documentElement.dataset.theme"), "dark", "as the browser asks")
    equal(driver.execute_script("const data = JSON.parse(document.getElementById('profile').textContent);"
                                "return [data.base_ns, data.functions.length, performance.getEntriesByType('resource').length]"),
          [data["local_sum_ns"], len(functions), 0], "what it holds, and that it fetched nothing")
    contains(driver.page_source, "<noscript>", "who has no scripts")
    contains(open("waits.html", encoding="utf-8").read(), "<tr><td>3.00 ms<td>3.00 ms<td>3<td>work</tr>", "whose table is of CPU time")
    look_at_tables(driver)
    look_at_flames(driver)
    look_at_keys(driver)
    look_at_functions(driver)
    look_at_the_rest(driver)
equal([cell for cell in re.findall(r"<td>([^<]*)</tr>", open("all.html", encoding="utf-8").read())][:2], ["work", "main"],
      "the table for who has no scripts")

# What was folded stands under a box that says so.
folded = Profile(program, run_ns=100)
folded.function("main", 1, 40, 40, (40, 40), (40, 40))
folded.function("leaf", 5, 60, 50, (1, 50), (1, 50))
folded.context(None, 0, "main", 1, 40, 40)
folded.context(None, FOLDED, "leaf", 5, 60, 50)
folded.write("folded.fc")
run("--html=folded.html", "folded.fc")
run("--html=few.html", "--min=25", "all.fc")
marks = simple(program, end=("signal", 9))
marks.function("even", 1000, 4_000_000, 4_000_000, (1_000, 9_000))
marks.arc("work", "work+5", "even", 1000, 4_000_000)
marks.more = [("counted", ["2 3 1 900000 900000", "3 1000 5 1000 1000"]), ("apportioned-arcs", ["4"])]
marks.write("marks.fc")
run("--html=marks.html", "marks.fc")


def look_at_marks(driver):
    """The doubt of each own time is that of the first screen."""
    show(driver, "marks.html")
    contains(text(driver, "#view .warning"), "Killed by signal 9 (Killed)", "how it ended")
    go(driver, "#view=functions")
    screen = json.loads(run("--json", "marks.fc").raw)["functions"]
    for index, row in rows_of(driver):
        f = screen[index]
        percent = 100 * f["local_error_ns"] / f["local_ns"]
        expected = "" if percent == 0 else "± <1 %" if percent < 1 else f"± {percent:.0f} %"
        equal(row["±"], expected, f"the doubt of {f['name']}")
    equal(driver.execute_script("return document.querySelectorAll('#functions .pm.amber').length"), 1, "one that is large")
    click(driver, "[data-help=accuracy]")
    contains(text(driver, ".pop"), "Of 2 short functions 1003 calls were counted, and 6 of them timed", "the header")
    ActionChains(driver).send_keys(Keys.ESCAPE).perform()
    go(driver, "#f=even")
    equal(arcs(driver, "#callers"), {"work": ("~4.00ms", "~1,000×")}, "estimated time and calls of an arc")
    equal((figure(driver, "Fastest"), figure(driver, "Slowest")), ("~1.00µselapsed", "~9.00µselapsed"), "bounds of the calls that were timed")
    contains(text(driver, "#view"), "those of its calls that were timed", "and their histogram")
    go(driver, "#f=work")
    found = source_line(driver, program.start["work"] + 4)
    equal((found["Elapsed"], found["calls"]), ("~5.00 ms", "~1,003×"), "what a line called")
    equal((figure(driver, "Fastest"), figure(driver, "Slowest")), ("2.00mselapsed", "4.00mselapsed"), "of a function of which all were timed")


# A chain of calls that is higher than the window: its root is in view.
deep = Profile(program, run_ns=10**9)
deep.modules.append((0x1000000, 0x1000000, 0x2000000, 0, 2**64 - 1, None, "/none/deep.so"))
for number_of in range(100):
    deep.function(f"f{number_of}", 1, 1000 * (100 - number_of), 1000, where=0x1000000 + 16 * number_of)
    deep.functions[number_of] = ((1, 0x1000000 + 16 * number_of), *deep.functions[number_of][1:])
    deep.context(number_of - 1 if number_of else None, 0x1234, f"f{number_of}", 1, 1000 * (100 - number_of), 1000)
deep.write("deep.fc")
equal(run("--html=deep.html", "deep.fc").status, 1, "no image for names")
run("--html=based.html", "--base=work", "waits.fc")
run("--html=cpu.html", "--time=cpu", "waits.fc")
waits = json.loads(run("--json", "waits.fc").raw)
equal([f["name"] for f in waits["functions"]], ["main", "work"], "functions of the profile with waits")


def look_at_both_times(driver):
    """Graphs, figures, shares and tables follow the weight; CPU time leads."""
    show(driver, "waits.html", "#view=flame")
    equal(texts(driver, "#weights .seg a"), ["CPU", "Waited", "Elapsed", "Calls"], "weights")
    equal(boxes(driver), {"all": 4_000_000, "main": 4_000_000, "work": 3_000_000}, "CPU time to begin with")
    choose(driver, "elapsed")
    equal(boxes(driver), {"all": 10_000_000, "main": 10_000_000, "work": 9_000_000}, "elapsed time")
    choose(driver, "waited")
    equal(boxes(driver), {"all": 6_000_000, "main": 6_000_000, "work": 6_000_000}, "waiting")
    go(driver, "#view=flame&weight=time")
    equal(boxes(driver)["all"], 10_000_000, "as links of before named it")
    go(driver, "#view=functions")
    for weight, own, total in (("CPU", (1, 3), (4, 3)), ("Waited", (0, 6), (6, 6)), ("Elapsed", (1, 9), (10, 9))):
        go(driver, f"#view=functions&weight={weight.lower()}")
        for index, row in rows_of(driver):
            for column, expected in ((f"own {weight}", own[index]), (f"total {weight}", total[index])):
                if expected == 0:
                    equal(row[column], "–", column)
                else:
                    near(row[column], expected * 1_000_000, column)
    go(driver, "#f=work")
    for name, ms, share in (("Own CPU", 3, "75 %"), ("Total CPU", 3, "75 %"), ("Waited itself", 6, "100 %")):
        near(figure(driver, name), ms * 1_000_000, name)
        contains(figure(driver, name), share, name)
    for weight, ms in (("cpu", 3), ("waited", 6), ("elapsed", 9)):
        go(driver, f"#f=work&weight={weight}")
        near(arcs(driver, "#callers")["main"][0], ms * 1_000_000, f"the caller's, {weight}")
    go(driver, "#f=work&weight=calls")
    equal(arcs(driver, "#callers")["main"], ("3", "3×"), "calls")
    go(driver, "#f=main")
    at = source_line(driver, program.start["main"] + 5)
    equal((at["CPU"], at["Waited"], at["calls"]), ("1.50 ms", "3.50 ms", "2×"), "a line, each time in its own column")
    go(driver, "#view=threads")
    lane = text(driver, "#threads .lane.t")
    contains(lane, "4.00 ms" if "4.00 ms" in lane else "4.00ms", "a thread on the CPU")
    look_at_lanes(driver)
    contains(text(driver, "#waited"), "6.00ms", "where it waited")
    go(driver, "#view=overview")
    near(text(driver, "#tile-time .n"), 4_000_000, "all on the CPU")
    equal([re.sub(r"\s+", " ", row) for row in texts(driver, "#findings .sentence")][:3], findings_of("waits.fc")[:3],
          "findings are those of the first screen")
    show(driver, "crowd.html", "#view=threads")
    drawn = set(driver.execute_script("return Array.from(document.querySelectorAll('#threads .lane.t'), (lane) => Number(lane.dataset.thread))"))
    equal(drawn, {1000} | {1000 + number for number in range(5, 404)}, "the threads that ran most have lanes")
    contains(text(driver, "#threads .note"), "4 more threads of this kind, together: 4 calls.", "and the others are counted")
    contains(text(driver, ".card:has(#threads) header"), "404 threads", "all of them")
    contains(text(driver, ".card:has(#threads) header"), "the 400 that ran most have lanes", "and how many have lanes")
    show(driver, "based.html", "#f=work")
    contains(figure(driver, "Own CPU"), "100 %", "--base")
    go(driver, "#f=main&weight=elapsed")
    go(driver, "#view=functions&weight=elapsed")
    contains(dict(rows_of(driver))[0]["total Elapsed"], "111 %", "--base, elapsed")
    show(driver, "cpu.html", "#view=flame")
    equal(boxes(driver), {"all": 4_000_000, "main": 4_000_000, "work": 3_000_000}, "--time=cpu")
    equal(texts(driver, "#weights .seg a"), ["CPU", "Calls"], "the one clock of --time=cpu")


# Names of operators have a plus in their address, which is no space.
def look_at_addresses(driver):
    show(driver, "waits.html", "#f=work&search=a+b%2Bc")
    equal(driver.execute_script("return document.getElementById('search').value"), "a+b+c", "a plus is a plus")
    show(driver, "waits.html", "#f=operator+")
    contains(text(driver, "#view .none"), "No function is called operator+.", "in a name, too")
    show(driver, "waits.html", "#view=flame&inverted=1&order=name&theme=light&weight=waited")
    equal(driver.execute_script("return [document.documentElement.dataset.theme, document.querySelector('#invert').ariaPressed]"),
          ["light", "true"], "all of the state is in the address")


with browser() as driver:
    show(driver, "deep.html", "#view=flame")
    equal(driver.execute_script(
        "const root = document.querySelector('#flame .box').getBoundingClientRect();"
        "const pane = document.querySelector('#flame');"
        "return [root.top > 0, root.bottom < innerHeight, pane.scrollHeight > pane.clientHeight]"), [True, True, True],
          "the root of a high flame graph")
    look_at_both_times(driver)
    look_at_marks(driver)
    look_at_addresses(driver)
    show(driver, "folded.html", "#view=flame")
    equal(boxes(driver), {"all": 90, "main": 40, "folded contexts": 50, "leaf": 50}, "folded contexts")
    show(driver, "few.html", "#view=flame")
    contains(text(driver, "#omitted"), "of the lightest contexts are left out", "what --min left out")
