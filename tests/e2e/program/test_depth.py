#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC_DEPTH: calls within so many others are counted and make no record.  That the counts are exact in
every shape of program is for shapes.py --deep.

    test_depth.py"""

import csv
import io
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

NOTE = re.compile("Recorded with FC_DEPTH=(.*): deeper calls are only counted")
AFTER = "--after-inlining"  # of fc-config, for gcc
# name, arguments, flags, exit status: the same calls at each run
PROGRAMS = [
    ("nesting.c", [], ["-O0"], 0),
    ("caught.c", [], ["-O0"], 0),
    ("caught.c", [], ["-O2"], 0),
    ("longjmp_loop.c", ["deep-frames", "30"], ["-O0"], 0),
    ("longjmp_loop.c", ["different-frames", "40"], ["-O0"], 0),
    ("longjmp_loop.c", ["alternating", "40"], ["-O2"], 0),
    ("longjmp_loop.c", ["from-handler", "9"], ["-O0"], 0),
    ("longjmp_loop.c", ["tail-calls", "9"], ["-O2"], 0),
    ("traced.c", ["exited"], ["-O0"], 0),
    ("filter_shapes.cc", [], ["-O0"], 0),
    *([] if MACHINE != "x86_64" else [
        (source, words, [*flags, AFTER], 0) for source, words, flags in [
            ("nesting.c", [], ["-O0"]), ("caught.c", [], ["-O1"]), ("recursion.c", ["200"], ["-O1"]),
            ("close_frames.c", [], ["-O2"]),
            ("longjmp_loop.c", ["deep-frames", "30"], ["-O2"]),
            ("longjmp_loop.c", ["different-frames", "40"], ["-O2"]),
            ("filter_shapes.cc", [], ["-O2"])]]),
]
DEEPEST = 4  # that is tried


class Depth(fctest.Case):
    def fcdump(self, *words, name="functioncheck.fc"):
        return self.command([fctest.tool("fcdump"), *words, self.path(name)])

    def run_deep(self, program, *words, status=0, **env):
        done = self.run_quiet([program, *words], env={key: str(value) for key, value in env.items()})
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def build(self, source, *flags, compiler=None):
        config = [flag for flag in flags if flag == AFTER]
        return self.compile(source, *[flag for flag in flags if flag != AFTER], config=config,
                            compiler=compiler or ("g++" if source.endswith("cc") else "gcc"))

    def calls(self):
        return {function.name: function.calls
                for function in fcprofile.load(self.path("functioncheck.fc")).functions}

    def traced(self, *words, name="functioncheck.fc"):
        """What was recorded, in its order: the level of each call, and which it is."""
        text = self.fcdump("--csv", "--trace", "--all", *words, name=name)
        rows = csv.DictReader(io.StringIO(text))
        return [(row["row"], row["level"], row["call"]) for row in rows]

    # ---- What is recorded --------------------------------------------------------------------

    def test_levels(self):
        """What is recorded is what a full record has down to that level; all calls are counted."""
        compilers = [None, "clang"]
        for source, words, flags, status in PROGRAMS:
            for compiler in compilers if source.endswith(".c") and AFTER not in flags else [None]:
                program = self.build(source, *flags, compiler=compiler)
                env = {"FC_TRACE": 100000}
                self.run_deep(program, *words, status=status, **env)
                calls = self.calls()
                levels = {int(level) for _, level, _ in self.traced()}
                wanted = {depth: self.traced(f"--depth={depth}")
                          for depth in range(1, min(max(levels), DEEPEST) + 1)}
                for depth, lines in wanted.items():
                    for transport in "shared", "pipe":
                        with self.subTest(source=source, words=words, flags=flags, depth=depth,
                                          compiler=compiler, transport=transport):
                            self.run_deep(program, *words, status=status, FC_DEPTH=depth,
                                          FC_TRANSPORT=transport, **env)
                            self.assertEqual(self.traced(), lines)
                            self.assertEqual(self.calls(), calls)

    def test_signal_stack(self):
        """A handler on a stack of its own goes on at the depth that it interrupted."""
        program = self.build("longjmp_loop.c")
        levels = ["main"], ["off_signal_stack"], ["raising", "step", "use_signal_stack"], \
            ["jumping_handler"]
        for depth in 1, 2, 3, 4:
            self.run_deep(program, "off-signal-stack", "9", FC_TRACE=1000, FC_DEPTH=depth)
            self.assertEqual({call for _, _, call in self.traced()},
                             {name for names in levels[:depth] for name in names})

    def test_forks(self):
        """A child goes on at the depth that it was forked at."""
        program = self.build("traced.c")
        for depth in 1, 2, 3, 4:
            found = []
            for limit in 0, depth:
                self.run_deep(program, "forks", FC_TRACE=1000, FC_DEPTH=limit)
                entries = fcprofile.load_descriptor(self.path("functioncheck.fcd"))
                self.assertEqual(len(entries), 2)
                found.append(sorted(
                    (self.traced(f"--depth={depth}", name=entry.file),
                     sorted((function.name, function.calls) for function in
                            fcprofile.load(self.path(entry.file)).functions if function.calls))
                    for entry in entries))
            self.assertEqual(found[0], found[1])

    def test_times(self):
        """Calls that are too deep take no time of their own, and have no bounds; all time is in the others."""
        order = ["main", "outer", "middle", "inner", "Box<int>::get"]  # each is called by the one before it
        for flags in [[]] + ([[AFTER]] if MACHINE == "x86_64" else []):
            program = self.build("filter_shapes.cc", "-O0", *flags)
            for depth in 1, 2, 3:
                for detail in "auto", "all":
                    for transport in "shared", "pipe":
                        with self.subTest(flags=flags, depth=depth, detail=detail, transport=transport):
                            self.run_deep(program, FC_DEPTH=depth, FC_DETAIL=detail, FC_TRANSPORT=transport)
                            self.check_times(order[:depth], order[depth:])

    def check_times(self, timed, deep):
        for raw in [], ["--raw"]:
            profile = json.loads(self.fcdump("--json", *raw))
            functions = {function["name"]: function for function in profile["functions"]}
            self.assertEqual(set(functions), {*timed, *deep})
            rows = csv.DictReader(io.StringIO(self.fcdump("--csv", "--flat", *raw)))
            bounds = {row["function"]: [value for name, value in row.items() if re.search("min|max", name)]
                      for row in rows}
            for name in deep:
                self.assertEqual({value for key, value in functions[name].items()
                                  if key.endswith("_ns") or key == "counted"}, {0}, name)
                self.assertEqual(functions[name]["histogram"], [])
                self.assertEqual(bounds[name], 4 * [""], name)
            for name in timed:
                self.assertGreater(functions[name]["total_ns"], 0, name)
                self.assertGreater(functions[name]["raw_total_ns"], functions[name]["total_ns"] if not raw else 0)
                self.assertNotIn("", bounds[name], name)
            # rounded, each
            self.assertAlmostEqual(sum(functions[name]["local_ns"] for name in timed),
                                   functions["main"]["total_ns"], delta=len(timed) + 1)
            index = {number: function["name"] for number, function in enumerate(profile["functions"])}
            for arc in profile["arcs"]:
                if index[arc["callee"]] in deep:
                    self.assertEqual((arc["total_ns"], arc["raw_total_ns"]), (0, 0))
            for context in profile["contexts"]:
                if index[context["function"]] in deep:
                    self.assertEqual((context["total_ns"], context["raw_total_ns"]), (0, 0))
        self.assertEqual(functions["Box<int>::get"]["calls"], 1800)
        text = self.fcdump("--flat", "--time=wall", *["--only=" + name for name in deep[:1]])
        self.assertRegex(text, r"(?m)^ *0 ns +0\.0 +0 ns +0\.0 +- +- +- +- +\d+  \w")

    def test_skipped_are_no_level(self):
        """What FC_FILTER skips is as if it were not instrumented."""
        program = self.build("filter_shapes.cc")
        self.run_deep(program, FC_TRACE=100000, FC_FILTER="skip:outer")
        wanted = self.traced("--depth=3")
        self.run_deep(program, FC_TRACE=100000, FC_FILTER="skip:outer", FC_DEPTH=3)
        self.assertEqual(self.traced(), wanted)

    def test_coroutines(self):
        """From its first switch to a coroutine on a thread records everything."""
        program = self.build("coroutines.c", "-pthread")
        self.run_deep(program, "turns", "20", FC_TRACE=100000)
        wanted = self.calls(), self.traced()
        self.run_deep(program, "turns", "20", FC_TRACE=100000, FC_DEPTH=1)
        self.assertEqual(self.calls(), wanted[0])
        steps = [[row for row, _, call in rows if call == "step"]
                 for rows in (self.traced(), wanted[1])]
        self.assertEqual(steps[0], steps[1])
        self.assertGreater(len(steps[0]), 0)

    def test_memory(self):
        """Allocations stand where they were made, below the deepest recorded call."""
        program = self.compile(os.path.join(fctest.SOURCE_ROOT, "tests/e2e/memory/figures.c"))
        found = {}
        for depth in 0, 1, 2:
            self.run_deep(program, FC_MEMORY=1, FC_DEPTH=depth)
            heap = json.loads(self.fcdump("--json"))["heap"]
            found[depth] = {key: heap[key] for key in ("allocations", "frees", "bytes", "leaked",
                                                       "peak_bytes", "live_blocks")}
        self.assertGreater(found[0]["leaked"]["blocks"], 0)
        self.assertEqual(found[1], found[0])
        self.assertEqual(found[2], found[0])

    # ---- What is told ------------------------------------------------------------------------

    def told(self):
        processes = json.loads(self.fcdump("--json"))["processes"]
        return NOTE.findall(self.fcdump("--header")), [process["depth"] for process in processes]

    def test_profile_says_so(self):
        program = self.build("nesting.c")
        for depth, told in ("1", (["1"], [1])), ("1024", (["1024"], [1024])), ("0", ([], [0])):
            self.run_deep(program, FC_DEPTH=depth)
            self.assertEqual(self.told(), told)

    def test_bad_values(self):
        program = self.build("nesting.c")
        for value in "x", "-1", "1025", "", "2x", "99999999999":
            done = self.run_told([program], env={"FC_DEPTH": value})
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"FCheck: FC_DEPTH: bad value '{value}', using 0\n", done.stderr.decode())
            self.assertEqual(self.told(), ([], [0]))

    def test_executed_images(self):
        """All go by the limit of the first process, whatever their environment says."""
        program = self.build("traced.c")
        self.run_deep(program, "executes", FC_DEPTH=1)
        entries = fcprofile.load_descriptor(self.path("functioncheck.fcd"))
        for entry in entries:
            text = self.fcdump("--json", name=entry.file)
            self.assertEqual([process["depth"] for process in json.loads(text)["processes"]], [1])
        self.write(".functioncheckrc", "FC_DEPTH 2\n")
        self.run_deep(self.build("nesting.c"))
        self.assertEqual(self.told(), (["2"], [2]))


if __name__ == "__main__":
    fctest.main()
