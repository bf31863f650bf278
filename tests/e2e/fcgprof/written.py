#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcgprof on profiles that the test writes itself, for what is hard to record: times of any
size, contexts that are missing, version 3.0, code that is in no file.
"""

import os
import sys

import fcgprof
from fcgprof import OUTSIDE

sys.path.insert(0, os.path.join(fcgprof.HERE, "../fcdump"))
import fcfile  # noqa: E402

OUT = 0x7f0000001234  # a call from the C library


class Written(fcgprof.Case):
    def setUp(self):
        super().setUp()
        self.here = os.getcwd()
        os.chdir(self.folder)
        self.program = fcfile.Program()

    def tearDown(self):
        os.chdir(self.here)
        super().tearDown()

    def check_granularity(self, graph, text):
        self.assertEqual(graph.granularity, "granularity: times are measured, not sampled" + text)

    def make_simple(self, factor=1):
        """main calls work, work calls leaf: own times 4, 5 and 1 units."""
        profile = fcfile.Profile(self.program, run_ns=10 * factor)
        profile.function("main", 1, 10 * factor, 4 * factor)
        profile.function("work", 2, 6 * factor, 5 * factor)
        profile.function("leaf", 3, 1 * factor, 1 * factor)
        profile.arc(None, OUT, "main", 1, 10 * factor)
        profile.arc("main", "main+6", "work", 2, 6 * factor)
        profile.arc("work", "work+5", "leaf", 3, 1 * factor)
        return profile

    def add_contexts(self, profile, factor):
        top = profile.context(None, OUT, "main", 1, 10 * factor, 4 * factor)
        work = profile.context(top, "main+6", "work", 2, 6 * factor, 5 * factor)
        profile.context(work, "work+5", "leaf", 3, factor, factor)

    def test_units(self):
        # in all 10 ns, 9.99 us, 10 us, nearly 10 ms, 50 s, more than an hour
        for factor, unit, name, shown, call_unit, by_call in (
                (1, "nanosec", "nanoseconds", 5, "ns/call", 5),
                (999, "nanosec", "nanoseconds", 4995, "ns/call", 4995),
                (1000, "microsec", "microseconds", 5, "us/call", 5),
                (10**6 - 1, "microsec", "microseconds", 4999.99, "us/call", 4999.99),
                (5 * 10**9, "seconds", "seconds", 25, "s/call", 25),
                (4 * 10**11, "seconds", "seconds", 2000, "s/call", 2000)):
            profile = self.make_simple(factor)
            self.add_contexts(profile, factor)
            profile.write("some.fc")
            flat, rows = self.flat("some.fc")
            self.assertEqual((flat.unit, flat.call_unit.strip()), (unit, call_unit), factor)
            self.assertEqual(flat.above, [f"Times are measured, not sampled, and in {name}."])
            self.assertAlmostEqual(rows["work"][0], shown, delta=0.0051)
            self.assertAlmostEqual(rows["work"][2] * 2, by_call, delta=0.0201)

    def test_small_beside_large(self):
        # 40 ns beside two seconds are shown
        profile = fcfile.Profile(self.program, run_ns=2_000_000_040)
        profile.function("main", 1, 2_000_000_040, 2_000_000_000)
        profile.function("leaf", 8, 40, 40)
        profile.arc(None, OUT, "main", 1, 2_000_000_040)
        profile.arc("main", "main+6", "leaf", 8, 40)
        top = profile.context(None, OUT, "main", 1, 2_000_000_040, 2_000_000_000)
        profile.context(top, "main+6", "leaf", 8, 40, 40)
        profile.write("some.fc")
        flat, rows = self.flat("some.fc")
        self.assertEqual((flat.unit, flat.call_unit), ("millisec", "us/call"))
        self.assertEqual(rows, {"main": (2000, 1, 2000000.0, 2000000.0),
                                "leaf": (0.00004, 8, 0.005, 0.005)})
        self.assertIn("   2000.00  2000.00        1  2000000  2000000  main\n",
                      self.report("-b", "-p", "some.fc"))

    def test_without_contexts(self):
        expected = {
            "main": ((4, 6, 1, None), OUTSIDE, {"work": (5, 1, 2, 2)}),
            "work": ((5, 1, 2, None), {"main": (5, 1, 2, 2)}, {"leaf": (1, 0, 3, 3)}),
            "leaf": ((1, 0, 3, None), {"work": (1, 0, 3, 3)}, {})}
        profile = self.make_simple(10**6)
        profile.write("some.fc")
        graph, entries = self.graph("some.fc")
        self.check_granularity(graph, " (self of some arcs: estimated); 10.00 milliseconds in all")
        self.assertEqual(entries, expected)
        self.add_contexts(profile, 10**6)
        profile.write("some.fc")
        graph, entries = self.graph("some.fc")
        self.check_granularity(graph, "; 10.00 milliseconds in all")
        self.assertEqual(entries, expected)

    def test_too_many_contexts(self):
        # alpha calls work for 30 ms, beta for 10; of work's 40 half is its own, half leaf's.
        # Only the contexts of main and its callees have found room.
        ms = 10**6
        profile = fcfile.Profile(self.program, run_ns=50 * ms)
        for name, calls, total, local in (("main", 1, 50, 4), ("alpha", 1, 34, 4),
                                          ("beta", 1, 12, 2), ("work", 4, 40, 20),
                                          ("leaf", 9, 20, 20)):
            profile.function(name, calls, total * ms, local * ms)
        profile.arc(None, OUT, "main", 1, 50 * ms)
        profile.arc("main", "main+6", "alpha", 1, 34 * ms)
        profile.arc("main", "main+12", "beta", 1, 12 * ms)
        profile.arc("alpha", "alpha+5", "work", 1, 20 * ms)
        profile.arc("alpha", "alpha+9", "work", 1, 10 * ms)
        profile.arc("beta", "beta+5", "work", 2, 10 * ms)
        profile.arc("work", "work+5", "leaf", 9, 20 * ms)
        top = profile.context(None, OUT, "main", 1, 50 * ms, 4 * ms)
        profile.context(top, "main+6", "alpha", 1, 34 * ms, 4 * ms)
        profile.context(top, "main+12", "beta", 1, 12 * ms, 2 * ms)
        profile.context(None, fcfile.FOLDED, "work", 4, 40 * ms, 20 * ms)
        profile.context(None, fcfile.FOLDED, "leaf", 9, 20 * ms, 20 * ms)
        profile.repairs.append(("contexts-folded", 3))
        profile.write("some.fc")
        graph, entries = self.graph("some.fc")
        self.check_granularity(graph, " (self of some arcs: estimated); 50.00 milliseconds in all")
        self.assertEqual(entries["work"], (
            (20, 20, 4, None), {"alpha": (15, 15, 2, 4), "beta": (5, 5, 2, 4)},
            {"leaf": (20, 0, 9, 9)}))
        self.assertEqual(entries["alpha"][0], (4, 30, 1, None))
        self.assertEqual(entries["beta"][0], (2, 10, 1, None))
        # main's arcs have contexts, which do not tell of all that lies below
        self.assertEqual(entries["main"][0][1], 46)
        self.assertEqual(sum(row[0] for row in self.flat("some.fc")[1].values()), 50)

    def test_cycles_without_contexts(self):
        fcfile.recursive(self.program).write("some.fc")
        graph, entries = self.graph("some.fc")
        self.assertEqual(entries["<cycle 1 as a whole>"][0], (40, 0, 1, 3))
        self.assertEqual(entries["<cycle 2 as a whole>"][0], (60, 0, 1, 5))
        self.assertEqual(entries["main"], ((10, 100, 1, None), OUTSIDE, {
            "even": (40, 0, 1, 1), "alpha": (60, 0, 1, 1), "fib": (0, 0, 1, 1)}))
        self.assertEqual(entries["fib"][0], (0, 0, 1, 2))
        self.assertEqual({entry.cycle for entry in graph.entries if entry.cycle}, {1, 2})

    def test_version_3(self):
        # microseconds, no times of arcs, callers by the symbols of the program
        program = fcfile.Program("fixed", ["-no-pie"])
        profile = fcfile.Profile(program, base=0, run_ns=10**7)
        for name, calls, total, local in (("main", 1, 10, 4), ("work", 2, 6, 5), ("leaf", 3, 1, 1)):
            profile.function(name, calls, total * 10**6, local * 10**6)
        profile.arc(None, OUT, "main", 1, 0)
        profile.arc("main", "main+6", "work", 2, 0)
        profile.arc("work", "work+5", "leaf", 2, 0)
        profile.arc("main", "main+12", "leaf", 1, 0)
        profile.write("old.fc", extended=False)
        graph, entries = self.graph("fixed", "old.fc")
        self.check_granularity(
            graph, " (those of arcs: shared out by calls); 10.00 milliseconds in all")
        self.assertEqual(entries["leaf"], ((1, 0, 3, None), {
            "work": (0.67, 0, 2, 3), "main": (0.33, 0, 1, 3)}, {}))
        flat, rows = self.flat("fixed", "old.fc")
        self.assertEqual(flat.unit, "millisec")
        self.assertEqual({name: row[:2] for name, row in rows.items()},
                         {"main": (4, 1), "work": (5, 2), "leaf": (1, 3)})
        self.assertIn("plain version 3.0", self.report("-i", "old.fc"))

    def test_code_in_no_file(self):
        profile = self.make_simple(10**6)
        profile.function("made", 2, 3 * 10**6, 3 * 10**6, where=0x7e0000000010)
        profile.arc("main", "main+12", "made", 2, 3 * 10**6)
        profile.write("some.fc")
        _, entries = self.graph("some.fc")
        self.assertEqual(entries["0x7e0000000010"][:2], (
            (3, 0, 2, None), {"main": (3, 0, 2, 2)}))

    def test_library_loaded_twice(self):
        # and the same program in another process, at another address
        profile = self.make_simple(10**6)
        self.add_contexts(profile, 10**6)
        profile.write("one.fc")
        other = fcfile.Profile(self.program, base=0x7fff00000000, run_ns=10, pid=4712)
        other.function("work", 1, 9 * 10**6, 9 * 10**6)
        other.arc(None, "main+6", "work", 1, 9 * 10**6)
        other.context(None, "main+6", "work", 1, 9 * 10**6, 9 * 10**6)
        other.write("two.fc")
        _, entries = self.graph("one.fc", "two.fc")
        self.assertEqual(entries["work"][:2], ((14, 1, 3, None), {
            "<spontaneous>": (9, 0, 1, 3), "main": (5, 1, 2, 3)}))


if __name__ == "__main__":
    fcgprof.main()
