#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of fcgprof from profiles, worked out by hand.

The targets run with a libfc whose clock is a counter: in each thread the first record
has time 1 us, each further one 1 us more, so a call that calls nothing takes 1 us.
`main+1` is main's entry at 1 us, `main-10` its exit at 10 us.
"""

import os

import fcgprof
import fctest  # on the path by fcgprof
from fcgprof import OUTSIDE


class Exact(fcgprof.Case):
    def test_dear_and_cheap(self):
        # main+1 often+2 work+3-4 work+5-6 work+7-8 work+9-10 often-11 once+12 work+13
        # leaf+14-15 ... leaf+52-53 work-54 once-55 main-56
        self.record("dear.c")
        flat, rows = self.flat("functioncheck.fc")
        self.assertEqual((flat.unit, flat.call_unit), ("microsec", "us/call"))
        self.assertEqual(flat.above, ["Times are measured, not sampled, and in microseconds."])
        self.assertEqual(rows, {
            # work: 4 calls of 1, and 41 less 20 calls of leaf; 45 with what it calls
            "work": (25, 5, 5, 9), "leaf": (20, 20, 1, 1), "often": (5, 1, 5, 9),
            "main": (3, 1, 3, 55), "once": (2, 1, 2, 43)})
        self.assertEqual([row.name for row in flat.rows], ["work", "leaf", "often", "main", "once"])
        self.assertEqual([row.cumulative for row in flat.rows], [25, 45, 50, 53, 55])
        self.assertEqual([row.percent for row in flat.rows], [45.45, 36.36, 9.09, 5.45, 3.64])
        graph, entries = self.graph("functioncheck.fc")
        self.assertEqual(graph.granularity,
                         "granularity: times are measured, not sampled; 55.00 microseconds in all")
        # GNU gprof would say that often spends 4/5 of work's time.
        self.assertEqual(entries["work"], (
            (25, 20, 5, None), {"often": (4, 0, 4, 5), "once": (21, 20, 1, 5)},
            {"leaf": (20, 0, 20, 20)}))
        self.assertEqual(entries["often"], (
            (5, 4, 1, None), {"main": (5, 4, 1, 1)}, {"work": (4, 0, 4, 5)}))
        self.assertEqual(entries["once"], (
            (2, 41, 1, None), {"main": (2, 41, 1, 1)}, {"work": (21, 20, 1, 5)}))
        self.assertEqual(entries["main"], (
            (3, 52, 1, None), OUTSIDE, {"often": (5, 4, 1, 1), "once": (2, 41, 1, 1)}))
        self.assertEqual([(entry.name, entry.percent) for entry in graph.entries], [
            ("main", 100.0), ("work", 81.8), ("once", 78.2), ("leaf", 36.4), ("often", 16.4)])

    def test_text(self):
        self.record("dear.c")
        self.assertEqual(self.report("-b", "-q", "-p", "functioncheck.fc"), """\
Flat profile:

Times are measured, not sampled, and in microseconds.
  %   cumulative   self              self     total           
 time  microsec  microsec    calls  us/call  us/call  name    
 45.45     25.00    25.00        5     5.00     9.00  work
 36.36     45.00    20.00       20     1.00     1.00  leaf
  9.09     50.00     5.00        1     5.00     9.00  often
  5.45     53.00     3.00        1     3.00    55.00  main
  3.64     55.00     2.00        1     2.00    43.00  once
\f
\t\t\tCall graph


granularity: times are measured, not sampled; 55.00 microseconds in all

index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    3.00   52.00       1         main [1]
                2.00   41.00       1/1           once [3]
                5.00    4.00       1/1           often [5]
-----------------------------------------------
                4.00    0.00       4/5           often [5]
               21.00   20.00       1/5           once [3]
[2]     81.8   25.00   20.00       5         work [2]
               20.00    0.00      20/20          leaf [4]
-----------------------------------------------
                2.00   41.00       1/1           main [1]
[3]     78.2    2.00   41.00       1         once [3]
               21.00   20.00       1/5           work [2]
-----------------------------------------------
               20.00    0.00      20/20          work [2]
[4]     36.4   20.00    0.00      20         leaf [4]
-----------------------------------------------
                5.00    4.00       1/1           main [1]
[5]     16.4    5.00    4.00       1         often [5]
                4.00    0.00       4/5           work [2]
-----------------------------------------------
\f
Index by function name

   [4] leaf (dear.c)           [5] often (dear.c)          [2] work (dear.c)
   [1] main                    [3] once (dear.c)
""")

    def test_recursion(self):
        # main+1 f+2 f+3 f+4 f-5 f-6 f-7 main-8
        self.record(os.path.join(fctest.PROGRAMS, "recursion.c"))
        flat, rows = self.flat("functioncheck.fc")
        self.assertEqual((flat.unit, flat.call_unit), ("nanosec", "ns/call"))
        self.assertEqual(rows, {"fact": (5000, 1, 5000, 5000), "main": (2000, 1, 2000, 7000)})
        _, entries = self.graph("functioncheck.fc")
        self.assertEqual(entries["fact"], (
            (5000, 0, 1, 2), {"fact": (None, None, 2, None), "main": (5000, 0, 1, 1)},
            {"fact": (None, None, 2, None)}))

    def test_cycle(self):
        # main+1 ping+2 leaf+3-4 pong+5 leaf+6-7 leaf+8-9 ping+10 leaf+11-12 ping-13 pong-14
        # ping-15 enter+16 pong+17 leaf+18-19 leaf+20-21 pong-22 enter-23 main-24
        self.record("ring.c")
        _, rows = self.flat("functioncheck.fc")
        # ping: 13 less leaf's 1 and pong's 9, and 3 less 1; pong: 9 less 2 and ping's 3, 5 less 2
        self.assertEqual({name: row[0] for name, row in rows.items()},
                         {"ping": 5, "pong": 7, "leaf": 6, "enter": 2, "main": 3})
        graph, entries = self.graph("functioncheck.fc")
        self.assertEqual(entries["<cycle 1 as a whole>"], (
            (12, 6, 2, 2), {}, {"pong": (7, 4, 2, None), "ping": (5, 2, 2, None)}))
        self.assertEqual(entries["ping"], (
            (5, 2, 2, None), {"pong": (None, None, 1, None),
                              # all of the cycle that this call led to: 9 of its own, 4 leaves
                              "main": (9, 4, 1, 2)},
            {"leaf": (2, 0, 2, 6), "pong": (None, None, 1, None)}))
        self.assertEqual(entries["pong"], (
            (7, 4, 2, None), {"ping": (None, None, 1, None), "enter": (3, 2, 1, 2)},
            {"leaf": (4, 0, 4, 6), "ping": (None, None, 1, None)}))
        self.assertEqual(entries["enter"][0], (2, 5, 1, None))
        self.assertEqual(entries["main"][0], (3, 20, 1, None))
        self.assertEqual({entry.name: entry.cycle for entry in graph.entries if entry.cycle},
                         {"ping": 1, "pong": 1})

    def test_filters(self):
        self.record("dear.c")
        # -n: the time of once, and of what it calls, and nothing else
        graph, entries = self.graph("-nonce", "functioncheck.fc")
        self.assertIn("43.00 microseconds", graph.granularity)
        self.assertEqual(entries["work"][0], (21, 20, 5, None))
        self.assertEqual(entries["work"][1], {"often": (0, 0, 4, 5), "once": (21, 20, 1, 5)})
        # -N: leaf's time counts nowhere
        graph, entries = self.graph("-Nleaf", "functioncheck.fc")
        self.assertIn("35.00 microseconds", graph.granularity)
        self.assertEqual(entries["work"], (
            (25, 0, 5, None), {"often": (4, 0, 4, 5), "once": (21, 0, 1, 5)},
            {"leaf": (0, 0, 20, 20)}))
        # -k: without that arc once has only its own time
        _, entries = self.graph("-konce/work", "functioncheck.fc")
        self.assertEqual(entries["once"][0], (2, 0, 1, None))
        self.assertEqual(entries["work"][1], {"often": (4, 0, 4, 4)})
        self.assertEqual(entries["main"][0], (3, 11, 1, None))
        # -q and -Q: which entries are printed
        _, entries = self.graph("-fonce", "functioncheck.fc")
        self.assertEqual(set(entries), {"once", "work", "leaf"})
        _, entries = self.graph("-Qwork", "functioncheck.fc")
        self.assertEqual(set(entries), {"main", "often", "once", "leaf"})
        _, rows = self.flat("-Pwork", "functioncheck.fc")
        self.assertNotIn("work", rows)
        self.assertEqual(set(self.flat("-pleaf", "functioncheck.fc")[1]), {"leaf"})

    def test_unused(self):
        self.record("dear.c")
        _, rows = self.flat("-z", "functioncheck.fc")
        self.assertEqual(rows["never"], (0, None, None, None))
        self.assertIn("_start", rows)

    def test_static_calls(self):
        self.record("dear.c")
        _, entries = self.graph("-c", "functioncheck.fc")
        self.assertEqual(entries["work"][1], {
            "never": (0, 0, 0, 5), "often": (4, 0, 4, 5), "once": (21, 20, 1, 5)})
        self.assertEqual(entries["main"][2]["never"], (0, 0, 0, 0))
        _, entries = self.graph("-c", "-z", "functioncheck.fc")
        self.assertEqual(entries["never"][1:], (
            {"never": (None, None, 0, None), "main": (0, 0, 0, 0)},
            {"never": (None, None, 0, None), "work": (0, 0, 0, 5)}))

    def test_orderings(self):
        self.record("dear.c")
        order = self.report("-b", "-r", "functioncheck.fc").split("\n")
        self.assertEqual(sorted(name for name in order if name in (
            "main", "often", "once", "work", "leaf")), ["leaf", "main", "often", "once", "work"])
        self.assertLess(order.index("work"), order.index("never"))
        self.write("map", "some.o:00000000 T work\nother.o:00000000 T leaf\n")
        self.assertEqual(sorted(self.report("-b", "-Rmap", "functioncheck.fc").split()),
                         ["other.o", "some.o"])


if __name__ == "__main__":
    fcgprof.main()
