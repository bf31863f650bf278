#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --json against the figures that went in, read by Python's own parser; --dot and -vcg.

import json
import re

from fcfile import (FOLDED, Profile, Program, equal, fail, folder, good, recursive, run, simple,
                    with_waits)

keep = folder()
program = Program()
profile = simple(program, end=("signal", 9), pid=77)
profile.thread(78, 5, 600, 500, 2, True, 'we"ird\\n\u00e9', [("leaf", 1, 2, 3)],
               [("main+6", "work")])
profile.repairs.append(("jump", 12))
profile.losses.append(("lost-records", 3))
profile.header["arguments"] = ["./prog", "a\tb", "\u00fc\"\\"]
profile.modules.append((0x7000, 0x7000, 0x8000, 17, 99, None, "/usr/lib/libx.so"))
text = profile.text()
text = text.replace("argument a\tb", "argument a\\011b")
with open("all.fc", "w", encoding="utf-8") as file:
    file.write(text)

data = json.loads(run("--json", "all.fc").raw.decode("utf-8"))
equal((data["format"], data["version"], data["local_sum_ns"]), ("functioncheck-json", 1, 10_000_000),
      "the head")
process = data["processes"][0]
for key, value in {"file": "all.fc", "extended": True, "unique_id": "session-1", "time_mode": "tsc",
                   "profile_mode": "FORK", "pid": 77, "ppid": 4700, "thread_id": 0, "threads": 2,
                   "run_ns": 10_000_000, "ticks_per_second": 2e9,
                   "start_realtime_ns": 1700000000 * 10**9, "end_realtime_ns": 1700000001 * 10**9,
                   "executable": program.path, "directory": "/srv/work",
                   "command_line": ["./prog", "a\tb", "\u00fc\"\\"],
                   "end": {"kind": "signal", "value": 9}}.items():
    equal(process[key], value, f"processes[0].{key}")
BASE = 0x555500000000
equal(data["modules"][0], {"path": program.path, "build_id": program.build_id, "base": hex(BASE),
                           "start": hex(BASE), "end": hex(BASE + 0x100000), "load_ns": 0,
                           "unload_ns": None}, "a module")
equal((data["modules"][1]["build_id"], data["modules"][1]["unload_ns"]), (None, 99),
      "a module that was unloaded")

functions = {function["name"]: function for function in data["functions"]}
equal(sorted(functions), ["leaf", "main", "work"], "functions")
work = functions["work"]
for key, value in {"linkage_name": "work", "calls": 2, "total_ns": 6_000_000,
                   "local_ns": 5_000_000, "total_min_ns": 2_000_000, "total_max_ns": 4_000_000,
                   "local_min_ns": 1_800_000, "local_max_ns": 3_200_000,
                   "histogram": [{"from_ns": 2**20, "below_ns": 2**21, "calls": 1},
                                 {"from_ns": 2**21, "below_ns": 2**22, "calls": 1}],
                   "entries": [{"address": hex(BASE + program.start["work"]), "module": 0,
                                "offset": hex(program.start["work"])}]}.items():
    equal(work[key], value, f"work.{key}")
equal(f"{work['file']}:{work['line']}", program.declared("work"), "work's line")

index = {function["name"]: i for i, function in enumerate(data["functions"])}
arcs = {(arc["caller"], arc["callee"], arc["site"]["offset"]): arc for arc in data["arcs"]}
equal(len(arcs), 4, "arcs")
arc = arcs[index["main"], index["work"], hex(program.start["main"] + 12)]
equal((arc["calls"], arc["total_ns"], arc["via"], arc["site"]["name"]), (1, 2_000_000, None, "main"),
      "an arc")
equal(f"{arc['site']['file']}:{arc['site']['line']}", program.line(program.start["main"] + 11),
      "an arc's line")
outside = arcs[None, index["main"], hex(0x7f0000001234)]
equal((outside["site"]["module"], outside["site"]["file"], outside["calls"]), (None, None, 1),
      "an arc from outside")

equal([(c["parent"], c["function"], c["calls"], c["total_ns"], c["local_ns"])
       for c in data["contexts"]],
      [(None, index["main"], 1, 10_000_000, 4_000_000),
       (0, index["work"], 1, 4_000_000, 3_200_000), (1, index["leaf"], 2, 800_000, 800_000),
       (0, index["work"], 1, 2_000_000, 1_800_000), (3, index["leaf"], 1, 200_000, 200_000)],
      "contexts")
thread = data["threads"][1]
equal([thread[key] for key in ("tid", "name", "start_ns", "end_ns", "run_ns", "calls", "ended")],
      [78, 'we"ird\\n\u00e9', 5, 600, 500, 2, True], "a thread")
equal(thread["functions"],
      [{"function": index["leaf"], "calls": 1, "cpu_total_ns": 2, "cpu_local_ns": 3, "total_ns": 2, "local_ns": 3,
        "raw_total_ns": 2, "raw_local_ns": 3, "total_wait_ns": 0, "local_wait_ns": 0, "preempted_ns": 0,
        "waits": dict.fromkeys(("lock_ns", "threads_ns", "input_ns", "sleep_ns", "disk_ns", "other_ns", "unknown_ns"), 0)}],
      "a thread's functions")
equal([(frame["function"], frame["site"]["name"]) for frame in thread["stack"]],
      [(index["work"], "main")], "a thread's stack")
equal((data["repairs"], data["losses"]),
      ([{"kind": "jump", "count": 12}], [{"kind": "lost-records", "count": 3}]), "notes")
equal(data["memory"], {"leaks": [], "leaks_not_listed": 0, "leak_bytes_not_listed": 0,
                       "bad_frees": [], "bad_reallocs": []}, "memory")

# A selection does not change it; bytes that are no UTF-8 do not break it.
equal(run("--json", "--only=leaf", "--sort=name", "--no-names", "all.fc").raw, run("--json", "all.fc").raw,
      "JSON with a selection")
with open("bytes.fc", "w", encoding="utf-8") as file:
    file.write(text.replace("/srv/work", "/srv/\\377x"))
directory = json.loads(run("--json", "bytes.fc").raw.decode("utf-8"))["processes"][0]["directory"]
equal(directory, "/srv/\ufffdx", "invalid UTF-8")

recursive(program).write("recursive.fc")
data = json.loads(good("--json", "recursive.fc"))
names = [function["name"] for function in data["functions"]]
equal([sorted(names[i] for i in cycle) for cycle in data["cycles"]],
      [["even", "odd"], ["alpha", "beta", "delta"]], "cycles")

# ---- Drawn graphs -----------------------------------------------------------------------------

ARCS = {("main", "even"), ("even", "odd"), ("odd", "even"), ("main", "alpha"), ("alpha", "beta"),
        ("beta", "alpha"), ("beta", "delta"), ("delta", "beta"), ("main", "fib"), ("fib", "fib")}


def dot_graph(*arguments):
    text = run("--dot", "--all", *arguments).out
    nodes = dict(re.findall(r'^  (f\d+) \[label="([^\\"]*)\\n', text, re.M))
    arcs = re.findall(r"^  (f\d+) -> (f\d+) \[", text, re.M)
    return sorted(nodes.values()), {(nodes[a], nodes[b]) for a, b in arcs}


def vcg_graph(*arguments):
    text = run("-vcg", *arguments).out
    string = r'"(?:[^"\\]|\\.)*"'
    if not re.fullmatch(rf"graph: \{{\n(?:  (?:title: {string}|display_edge_labels: yes"
                        rf"|node: \{{ title: {string} label: {string} \}}"
                        rf"|edge: \{{ sourcename: {string} targetname: {string} label: {string} \}}"
                        rf")\n)*\}}\n", text):
        fail("not a graph for VCG", text)
    nodes = dict(re.findall(r'node: \{ title: "(f\d+)" label: "([^\\"]*)\\n', text))
    arcs = re.findall(r'edge: \{ sourcename: "(f\d+)" targetname: "(f\d+)"', text)
    return sorted(nodes.values()), {(nodes[a], nodes[b]) for a, b in arcs}


ALL = ["alpha", "beta", "delta", "even", "fib", "main", "odd"]
for draw in (dot_graph, vcg_graph):
    equal(draw("recursive.fc"), (ALL, ARCS), "a graph")
    equal(draw("recursive.fc", "--only=even,odd,fib"),
          (["even", "fib", "odd"], {("even", "odd"), ("odd", "even"), ("fib", "fib")}),
          "a graph with --only")
    equal(draw("recursive.fc", "--not=main", "--not=*a"), (["even", "fib", "odd"],
          {("even", "odd"), ("odd", "even"), ("fib", "fib")}), "a graph with --not")
    equal(draw("recursive.fc", "--only=odd", "--propagate")[0], ["even", "odd"],
          "a graph with --propagate")
    equal(draw("recursive.fc", "--min=36")[0], ["alpha", "beta", "even", "main"],
          "a graph with --min")

# Contexts that were folded, whose callers nobody knows: their calls are arcs as all others, which are never
# folded; no dotted arc leads past what is left out to them, and what they stand under is no node.  main
# calls alpha, which calls beta, which calls delta; alpha is the one that is left out of three.
for end in ("kept", "folded"):
    one = Profile(program, run_ns=100)
    for name, total, local in (("main", 100, 10), ("alpha", 90, 10), ("beta", 80, 40), ("delta", 40, 40)):
        one.function(name, 1, total, local, (total, total), (local, local))
    one.arc(None, 0x7f0000001234, "main", 1, 100)
    for caller, callee, total in (("main", "alpha", 90), ("alpha", "beta", 80), ("beta", "delta", 40)):
        one.arc(caller, caller + "+6", callee, 1, total)
    above = one.context(one.context(None, 0x7f0000001234, "main", 1, 100, 10), "main+6", "alpha", 1, 90, 10)
    above = one.context(*((above, "alpha+6") if end == "kept" else (None, FOLDED)), "beta", 1, 80, 40)
    one.context(above, "beta+6", "delta", 1, 40, 40)
    one.repairs = [("contexts-folded", 1)] if end == "folded" else []
    one.write(end + ".fc")
    for draw in (dot_graph, vcg_graph):
        equal(draw(end + ".fc"), (["alpha", "beta", "delta", "main"],
                                  {("main", "alpha"), ("alpha", "beta"), ("beta", "delta")}), f"all of {end}.fc")
equal(dot_graph("kept.fc", "--top=3"), (["beta", "delta", "main"], {("main", "beta"), ("beta", "delta")}),
      "a way past a function that is left out")
equal(dot_graph("folded.fc", "--top=3"), (["beta", "delta", "main"], {("beta", "delta")}),
      "no way to what was folded")

# Times are those on the CPU unless --time says otherwise; a gmon.out file is written alone.
with_waits(program).write("waits.fc")


def gmon(*arguments):
    equal(run("--gmon=out.gmon", *arguments, "waits.fc").status, 0, f"--gmon {arguments}")
    with open("out.gmon", "rb") as stream:
        return stream.read()


for words, time in (((), "3.000 ms (75.0%)"), (("--time=cpu",), "3.000 ms (75.0%)"), (("--time=wall",), "9.000 ms (90.0%)"),
                    (("--time=wait",), "6.000 ms (100.0%)")):
    for option in ("--dot", "--vcg"):
        if f"\\nlocal {time}" not in run(option, "--all", *words, "waits.fc").out:
            fail(f"{option} {words}: {time} is missing", run(option, "--all", *words, "waits.fc").out)
equal([gmon(*words) == gmon() for words in (["--time=cpu"], ["--html=x.html"], ["--time=wall"], ["--time=wait"])],
      [True, True, False, False], "times of --gmon")

# Labels: names that need escapes.
strange = Profile(program, run_ns=5)
strange.function("quoted", 1, 5, 5, (5, 5), (5, 5), where=0x9010)
strange.functions[0] = ((1, 0x9010), *strange.functions[0][1:])
strange.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, '/none/li"b\\.so'))
strange.write("strange.fc")
for option in ("--dot", "--vcg"):
    out = run(option, "--all", "strange.fc").out
    if 'label="li\\"b\\\\.so+0x10\\n' not in out.replace("label: ", "label="):
        fail(f"{option} does not escape names", out)
