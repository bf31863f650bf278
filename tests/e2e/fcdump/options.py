#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The command line: every option in both spellings, what is refused, help and version.

import os
import shutil

from fcfile import Program, contains, equal, fail, folder, good, recursive, run

keep = folder()
program = Program()
recursive(program).write("some.fc")
plain = good("--classic", "some.fc")

# Spelled with one dash or two an option does the same; arguments follow either way.
SWITCHES = """flat no-flat cumul graph rgraph no-graph header no-header info no-info demangle
demangle-gnu demangle-java demangle-ansi demangle-params no-demangle split csv raw details basename no-names
force-names cycles no-cycles propagate rpropagate memory no-memory mem-leaks no-mem-leaks
mem-free no-mem-free mem-realloc no-mem-realloc tree no-tree threads no-threads losses no-losses
notes no-notes json latency no-latency classic all summary no-summary
waits no-waits inlined no-inlined heaviest no-heaviest hot-path no-hot-path overview no-overview runs no-runs help version contact""".split()
for name in SWITCHES:
    equal(good("-" + name, "some.fc"), good("--" + name, "some.fc"), f"-{name} and --{name}")
# ... exports too, which say on standard error what is not in them.
equal([run(word, "some.fc").raw for word in ("-folded", "--folded")], [run("--folded", "some.fc").raw] * 2,
      "-folded")
for name in ("dot", "vcg", "no-reports"):
    equal(run("-" + name, "some.fc").raw, run("--" + name, "some.fc").raw, "-" + name)
for words in (["-flame", "a.svg"], ["--flame", "a.svg"], ["-flame=a.svg"], ["--flame=a.svg"]):
    equal(run(*words, "some.fc").status, 0, f"{words}")
    with open("a.svg", encoding="utf-8") as file:
        contains(file.read(), "</svg>", f"{words}")
    os.remove("a.svg")
shutil.copy("some.fc", "copy.fc")
for name, argument in {"sort": "local", "rsort": "calls", "only": "even,odd", "not": "even",
                       "pfile": "copy.fc", "image": "prog", "depth": "2", "min": "5", "top": "2", "peek": "even",
                       "path": "main,odd", "by": "file", "base": "even", "time": "wait", "process": "prog",
                       "weight": "calls", "width": "60", "units": "us", "names": "full"}.items():
    outputs = {good(*words, "some.fc", "--tree") for words in (
        [f"-{name}", argument], [f"--{name}", argument], [f"-{name}={argument}"],
        [f"--{name}={argument}"])}
    equal(len(outputs), 1, f"spellings of {name}")

for word, other in (("elapsed", "wall"), ("waiting", "wait")):
    equal(good(f"--time={word}", "some.fc"), good(f"--time={other}", "some.fc"), f"--time={word}")

# What those type who know other profilers.
for typed, meant in {"--callers": "--rgraph", "--callers=even": "--peek=even", "--callees=odd": "--peek=odd",
                     "--callees": "--graph", "--leaks": "--mem-leaks", "--leak-check": "--mem-leaks", "--heap": "--mem-heap",
                     "--callgraph": "--graph", "--call-graph": "--graph", "--calltree": "--tree", "--call-tree": "--tree",
                     "--hotpath": "--hot-path", "--hotspots": "--heaviest", "--percentiles": "--latency",
                     "--self": "--sort=local", "--inclusive": "--sort=total", "--full-names": "--names=full",
                     "--filter=even": "--only=even", "--exclude=even": "--not=even", "--limit=1": "--top=1",
                     "-p": "--flat", "--flat-profile": "--flat", "-q": "--graph", "-q=even": "--peek=even",
                     "--children": "--sort=total", "--no-children": "--sort=local", "--percent-limit=20": "--min=20",
                     "--pid=prog": "--process=prog", "--tid=*": "--thread=*", "--stdio": "--overview",
                     "-F=even": "--only=even", "-N=even": "--not=even", "--notrace=even": "--not=even", "-D=2": "--depth=2",
                     "--time-filter=1ms": "--min-time=1ms"}.items():
    equal(run(typed, "some.fc").raw, run(meant, "some.fc").raw, f"{typed} is {meant}")
for typed in ("--flamegraph=a.svg", "--flame-graph=a.svg", "--svg=a.svg"):
    equal(run(typed, "some.fc").status, 0, typed)
    with open("a.svg", encoding="utf-8") as file:
        contains(file.read(), "</svg>", typed)
    os.remove("a.svg")
equal(run("--compare", "some.fc", "copy.fc").raw, run("--diff", "some.fc", "copy.fc").raw, "--compare is --diff")

# A variable that is nearly one of ours is told; others may have names with FC_, too.
result = run("some.fc", env={"FC_SUPRESS": "x", "FC_TOOLCHAIN": "y", "FC_QUIET": "1", "FC_PAGER": "cat"})
equal((result.status, result.err), (0, "fcdump: FC_SUPRESS is no variable of FunctionCheck; the nearest is FC_SUPPRESS\n"),
      "a misspelt variable")

# Each report can be left out, and asked for alone.
TITLES = {"header": "FunctionCheck ", "info": "General information", "flat": "Flat profile",
          "graph": "Call graph", "cycles": "Cycles"}
PARTS = {"summary": "Summary", "heaviest": "Heaviest functions", "hot-path": "Hot path"}
for name, title in TITLES.items():
    contains("\n" + plain, "\n" + title, "the classic reports")
    if "\n" + title in "\n" + good(f"--no-{name}", "some.fc"):
        fail(f"--no-{name} does not work")
    alone = good(f"--{name}", "some.fc")
    if not alone.startswith(title) or [other for other in TITLES.values() if other != title and "\n" + other in alone]:
        fail(f"--{name} alone", alone)
    equal(good("--no-reports", f"--{name}", "some.fc"), alone, f"--no-reports --{name}")
places = [plain.index(title) for title in TITLES.values()]
equal(places, sorted(places), "the order of reports")
screen = good("some.fc")
equal(good("--overview", "some.fc"), screen, "--overview is the first screen")
if "\nHot path\n" in screen or "Summary" in screen:
    fail("the first screen is one report", screen)
for name, title in PARTS.items():
    equal(good(f"--{name}", "some.fc").split("\n")[0], title, f"--{name} alone")
    contains("\n" + good("--classic", f"--{name}", "some.fc"), "\n" + title + "\n", f"--classic --{name}")
    if "\n" + title + "\n" in plain:
        fail(f"{title} in the classic report")
two = good("--summary", "--hot-path", "some.fc")
contains(two, "Summary\n", "two reports")
contains(two, "\n\nHot path\n", "two reports")
contains(good("--rgraph", "some.fc"), "Call graph: callers", "--rgraph")
contains(good("--rgraph", "--graph", "some.fc"), "Call graph: callees", "--graph after --rgraph")
equal(good("--no-flat", "--flat", "some.fc"), plain, "the last option wins")
equal(good("--classic", "--", "some.fc"), plain, "the end of options")


def refused(part, *arguments):
    result = run(*arguments)
    equal((result.status, result.out), (2, ""), f"{arguments}: status and output")
    contains(result.err, "fcdump: ", f"{arguments}")
    contains(result.err, part, f"{arguments}")


refused("unknown option '--bogus'", "--bogus", "some.fc")
refused("unknown option '-x'", "-x")
refused("unknown option '--no-json'", "--no-json", "some.fc")
refused("--sort: TYPE is missing", "some.fc", "--sort")
refused("'speed'", "--sort=speed", "some.fc")
refused("'klingon'", "--demangle=klingon", "some.fc")
refused("'long' is none of short, full", "--names=long", "some.fc")
refused("--flat takes no argument", "--flat=yes", "some.fc")
refused("--details takes no argument", "--details=yes", "some.fc")
refused("'many'", "--depth=many", "some.fc")
refused("'wide' is no number", "--width=wide", "some.fc")
for columns in ("1", "19"):
    refused(f"--width: '{columns}' columns are too few: 20 and more,", f"--width={columns}", "some.fc")
refused("'h' is none of ns, us, ms, s", "--units=h", "some.fc")
refused("'-1'", "--depth=-1", "some.fc")
for percent in ("101", "-1", "x", "5x", "nan"):
    refused(f"'{percent}'", f"--min={percent}", "some.fc")
for number in ("0", "-1", "few", ""):
    refused(f"--top: '{number}' is no number", f"--top={number}", "some.fc")
refused("--flame: FILE is missing", "some.fc", "--flame")
refused("a name is missing", "--flame=", "some.fc")
refused("'speed' is none of time, cpu, calls, bytes,", "--weight=speed", "some.fc")
refused("unknown option '--no-flame'", "--no-flame", "some.fc")
refused("'sometimes'", "--color=sometimes", "some.fc")
refused("the list is empty", "--only=,", "some.fc")
refused("a name is missing", "--image=", "some.fc")
refused("a name is missing", "--base=", "some.fc")
refused("'place' is none of function, file, module", "--by=place", "some.fc")
refused("the list is empty", "--path=", "some.fc")

# Help names every option; version and contact are one line or two.
text = good("--help")
equal(good("-h"), text, "-h")
for name in SWITCHES + ["no-reports", "sort", "rsort", "only", "not", "pfile", "image", "depth", "min", "top", "color", "peek=LIST",
                        "path=A,B", "by=WHAT", "base=FUNCTION", "process=LIST", "thread=LIST",
                        "folded", "dot", "vcg", "flame=FILE", "weight=TYPE",
                        "debug", "suggest-filter[=PERCENT]", "diff", "baseline=OLD", "fail-on=RULE", "markdown"]:
    contains(text, "--" + name, "--help")
if max(map(len, text.split("\n"))) > 100:
    fail("--help has long lines", text)
contains(good("--version"), "fcdump (FunctionCheck) ", "--version")
contains(good("--contact"), "manual", "--contact")

result = run("--debug", "--classic", "some.fc")
equal((result.status, result.out), (0, plain), "--debug leaves the output alone")
contains(result.err, "some.fc: profile of process 4711: 7 functions, 11 arcs", "--debug")
