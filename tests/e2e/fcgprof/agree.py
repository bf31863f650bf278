#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcgprof on profiles against others: GNU gprof on the same program (counts, cycles, layout,
names), and fcdump --json on the same profile (counts and times).

One strict parser reads both gprof's and our text, so the layout is the same.
"""

import json
import os
import shutil
import unittest

import fcgprof
import fctest
import gproftext

GPROF = shutil.which("gprof")


class Agree(fcgprof.Case):
    def programs(self):
        yield os.path.join(fcgprof.HERE, "busy.c"), "gcc", ["-fno-optimize-sibling-calls"]
        yield os.path.join(fcgprof.HERE, "shapes.cc"), "g++", []

    def measure(self, source, compiler, flags, detail=None):
        program = self.compile(source, *flags, compiler=compiler)
        done = self.run_quiet([program], base=fctest.plain_environment(detail=detail))
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def report_gprof(self, source, compiler, flags):
        program = self.compile(source, "-pg", *flags, compiler=compiler, profiled=False)
        self.run_target([program])
        return self.command([GPROF, "-b", program, "gmon.out"])

    @staticmethod
    def arcs(graph):
        """(caller, callee): calls.  gprof, which can't know main's, has no entry for it."""
        return {(line.name, entry.name): line.called for entry in graph.entries
                for line in entry.parents if line.name != "<spontaneous>"}

    @unittest.skipUnless(GPROF, "there is no gprof")
    def test_gprof(self):
        for source, compiler, flags in self.programs():
            with self.subTest(source=source):
                self.measure(source, compiler, flags)
                theirs = gproftext.parse_all(self.report_gprof(source, compiler, flags))
                os.remove(self.path("gmon.out"))
                ours = gproftext.parse_all(self.report("-b", "functioncheck.fc"))
                # gprof does not know who called main
                counts = [{row.name: row.calls for row in flat.rows if row.name != "main"}
                          for flat, _, _ in (ours, theirs)]
                self.assertEqual(*counts)
                self.assertGreater(len(counts[0]), 6)
                self.assertEqual(self.arcs(ours[1]), self.arcs(theirs[1]))
                entries = [{entry.name: (entry.called, entry.total) for entry in graph.entries
                            if entry.name != "main"} for _, graph, _ in (ours, theirs)]
                self.assertEqual(*entries)
                cycles = [{(entry.name, entry.cycle) for entry in graph.entries if entry.cycle}
                          for _, graph, _ in (ours, theirs)]
                self.assertEqual(*cycles)
                self.assertEqual(ours[2].keys() - {"main"}, theirs[2].keys() - {"main"})

    @unittest.skipUnless(GPROF, "there is no gprof")
    def test_gprof_static_calls(self):
        # gprof finds forward calls only, and looks at bytes: what it finds is there
        source, compiler, flags = next(iter(self.programs()))
        self.measure(source, compiler, flags)
        program = self.compile(source, "-pg", *flags, compiler=compiler, profiled=False)
        self.run_target([program])
        done = self.command([GPROF, "-b", "-q", "-c", "-z", program, "gmon.out"])
        theirs = self.arcs(gproftext.parse_graph(gproftext.reports(done)[0]))
        ours = gproftext.parse_graph(gproftext.reports(
            self.report("-b", "-q", "-c", "-z", "functioncheck.fc"))[0])
        found = self.arcs(ours)
        named = {entry.name for entry in ours.entries}
        missing = {arc: calls for arc, calls in theirs.items()
                   if found.get(arc) != calls and set(arc) <= named}
        self.assertEqual(missing, {})
        self.assertIn(("never", "never"), found)
        self.assertEqual(found["never", "twice"], 0)

    def test_json(self):
        for source, compiler, flags in self.programs():
            for detail in ("all", "auto", "eager"):
                with self.subTest(source=source, detail=detail):
                    self.measure(source, compiler, flags, detail)
                    self.check_json()
                    self.check_json("--elapsed")

    def tick_ns(self):
        with open(self.path("functioncheck.fc"), encoding="utf-8", errors="replace") as file:
            return 1e9 / next(float(line.split()[1]) for line in file if line.startswith("ticks-per-second "))

    def check_json(self, *options):
        data = json.loads(self.command([fctest.tool("fcdump"), "--json", "--no-demangle",
                                        "functioncheck.fc"]))
        if not options:  # times on the CPU
            for each in data["functions"] + data["arcs"]:
                each["total_ns"] -= each["total_wait_ns"]
            for each in data["functions"]:
                each["local_ns"] -= each["local_wait_ns"]
        unit = {"nanosec": 1, "microsec": 1e3, "millisec": 1e6, "seconds": 1e9}
        flat, graph, _ = gproftext.parse_all(
            self.report("-b", "--no-demangle", *options, "functioncheck.fc"))
        ns = unit[flat.unit]
        # Each context's time is rounded to a tick: 16 ns on many arm64 machines.
        slack = len(data["contexts"]) * max(1, self.tick_ns())
        names = [function["linkage_name"] for function in data["functions"]]
        self.assertEqual({row.name for row in flat.rows}, set(names))
        for row in flat.rows:
            function = data["functions"][names.index(row.name)]
            self.assertAlmostEqual(row.self * ns, function["local_ns"], delta=0.0051 * ns)
        members = {name for cycle in data["cycles"] for name in
                   (names[index] for index in cycle)}
        entries = {entry.name: entry for entry in graph.entries if entry.name in names}
        self.assertEqual(set(entries), set(names))
        for entry in entries.values():
            function = data["functions"][names.index(entry.name)]
            self.assertEqual((entry.called or 0) + (entry.total or 0), function["calls"])
            if entry.name not in members:
                self.assertAlmostEqual((entry.self + entry.children) * ns, function["total_ns"],
                                       delta=0.0101 * ns + slack)
        self.check_arcs(data, names, members, entries, ns, slack)
        self.check_contexts(data["contexts"], slack)

    def check_contexts(self, contexts, slack):
        """No coroutine is left, so a context takes as long as what is in and below it, or longer."""
        below = [each["local_ns"] for each in contexts]
        for number, each in reversed(list(enumerate(contexts))):
            self.assertLessEqual(below[number], each["total_ns"] + slack, each)
            if each["parent"] is not None:
                below[each["parent"]] += below[number]

    def check_arcs(self, data, names, members, entries, ns, slack):
        """Calls of all arcs; the time of those whose calls are never nested, which are those
        that come from outside of a recursion."""
        sums = {}
        for arc in data["arcs"]:
            if arc["caller"] is None:
                continue
            key = names[arc["caller"]], names[arc["callee"]]
            calls, total = sums.get(key, (0, 0))
            sums[key] = calls + arc["calls"], total + arc["total_ns"]
        shown = {}
        for name, entry in entries.items():
            for line in entry.children_lines:
                shown[name, line.name] = line.called, line.self, line.children
        self.assertEqual({key: value[0] for key, value in shown.items()},
                         {key: value[0] for key, value in sums.items()})
        n_compared = 0
        for (caller, callee), (_, own, children) in shown.items():
            recursive = caller in members or (caller, caller) in sums
            if own is None or recursive:
                continue
            n_compared += 1
            self.assertAlmostEqual((own + children) * ns, sums[caller, callee][1],
                                   delta=0.0101 * ns + slack)
        self.assertGreater(n_compared, 5)

    def test_waits(self):
        program = self.compile("off_cpu.c", "-pthread")
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        kind = "Times are measured on the CPU, not sampled, and in milliseconds."
        cpu, rows = self.flat("functioncheck.fc")
        self.assertEqual(cpu.above, [kind])
        self.assertEqual(cpu.rows[0].name, "works")
        self.assertLess(rows["sleeps"][0], rows["works"][0])
        elapsed, rows = self.flat("--elapsed", "functioncheck.fc")
        self.assertEqual(elapsed.above, [kind.replace(" on the CPU", "")])
        self.assertGreaterEqual(rows["sleeps"][0], 300 * 0.98)

    def test_estimates(self):
        program = self.compile(os.path.join(fcgprof.HERE, "busy.c"))
        # On a busy machine no function of a run this short may be worth counting by default.
        self.assertEqual(self.run_quiet([program], base=fctest.plain_environment("eager")).returncode, 0)
        estimated = json.loads(self.command([fctest.tool("fcdump"), "--json", "functioncheck.fc"]))
        self.assertTrue(any(each["counted"] > each["timed"] for each in estimated["functions"]))
        flat, graph, _ = gproftext.parse_all(self.report("-b", "functioncheck.fc"))
        words = "measured on the CPU, of short functions at a few of their calls"
        self.assertIn(words, flat.above[0])
        self.assertIn(words, graph.granularity)
        self.assertIn("are estimated.  Numbers of calls are exact.",
                      self.report("functioncheck.fc"))

    def test_demangled(self):
        self.measure(os.path.join(fcgprof.HERE, "shapes.cc"), "g++", [])
        _, rows = self.flat("functioncheck.fc")
        self.assertLessEqual({"shapes::Shape::adjust(int)", "shapes::Shape::adjust(double)",
                              "int shapes::largest<int>(int const*, int)",
                              "shapes::Shape::operator<(shapes::Shape const&) const"}, set(rows))
        _, rows = self.flat("--no-demangle", "functioncheck.fc")
        self.assertIn("_ZN6shapes5Shape6adjustEi", rows)


if __name__ == "__main__":
    fcgprof.main()
