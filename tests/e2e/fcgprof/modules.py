#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcgprof on profiles of more than one image, process or thread, with the test clock."""

import os

import fcgprof
import fctest
import gproftext
from fcgprof import HERE, OUTSIDE

PROGRAMS = os.path.join(HERE, "../../programs")


class Modules(fcgprof.Case):
    def record_two(self):
        self.command(["gcc", "-g", "-O0", "-shared", "-fPIC", "-o", self.path("libtwo.so"),
                      os.path.join(HERE, "two.c"), *fctest.fc_config("--cflags-libs")])
        self.record("one.c", "-Wl,--no-as-needed", "-L" + self.folder, "-ltwo",
                    "-Wl,-rpath," + self.folder)

    def test_two_modules(self):
        # main+1 same+2-3 same+4-5 same+6-7 two_call+8 same+9 leaf+10-11 leaf+12-13 same-14
        # same+15 leaf+16-17 leaf+18-19 same-20 two_call-21 main-22
        self.record_two()
        _, rows = self.flat("functioncheck.fc")
        self.assertEqual(rows, {
            "main": (5, 1, 5, 21), "same (one)": (3, 3, 1, 1), "two_call": (3, 1, 3, 13),
            "same (libtwo.so)": (6, 2, 3, 5), "leaf": (4, 4, 1, 1)})
        _, entries = self.graph("functioncheck.fc")
        self.assertEqual(entries["same (one)"], (
            (3, 0, 3, None), {"main": (3, 0, 3, 3)}, {}))
        self.assertEqual(entries["same (libtwo.so)"], (
            (6, 4, 2, None), {"two_call": (6, 4, 2, 2)}, {"leaf": (4, 0, 4, 4)}))
        self.assertEqual(entries["two_call"][1], {"main": (3, 10, 1, 1)})
        index = gproftext.parse_index(gproftext.reports(
            self.report("-b", "-q", "functioncheck.fc"))[1])
        self.assertIn("same (one)", index)
        self.assertIn("same (libtwo.so)", index)

    def test_fixed_program(self):
        # where the program takes its address, a library's function has that of a stub of the
        # program's, in all modules; it is not another function than the library's
        library = self.compile(self.write("far.c", """
            static int leaf(int n) { return n + 1; }
            int far_apply(int (*call)(int), int n) { return call(n) + leaf(n); }
            int far_next(int n) { return leaf(n) * 2; }"""), "-shared", "-fPIC",
            output="libfar.so")
        self.record(self.write("near.c", """
            int far_apply(int (*call)(int), int n), far_next(int n);
            int main(void) { return far_apply(far_next, 1) + far_next(2) == 0; }"""),
            "-no-pie", "-fno-pie", "-Wl,--no-as-needed", library, "-Wl,-rpath," + self.folder)
        for options in ([], ["-c"], ["-z"], ["-c", "-z"]):
            _, entries = self.graph(*options, "functioncheck.fc")
            self.assertEqual([name for name in entries if "far_next" in name], ["far_next"])
            self.assertEqual(entries["far_next"], (
                (4, 2, 2, None), {"main": (2, 1, 1, 2), "far_apply": (2, 1, 1, 2)},
                {"leaf": (2, 0, 2, 3)}))
        _, rows = self.flat("-l", "functioncheck.fc")
        self.assertEqual(rows["far_next (far.c:4)"][:2], (4, 2))
        # nor do its calls come by way of that
        self.assertNotIn("via", self.command([fctest.tool("fcdump"), "--graph", "functioncheck.fc"]))

    def test_specs_reach_both(self):
        self.record_two()
        self.assertEqual(set(self.flat("-psame", "functioncheck.fc")[1]),
                         {"same (one)", "same (libtwo.so)"})
        self.assertEqual(set(self.flat("-ptwo.c:same", "functioncheck.fc")[1]),
                         {"same (libtwo.so)"})

    def test_static_calls_between_modules(self):
        self.record_two()
        _, entries = self.graph("-c", "-z", "functioncheck.fc")
        # by way of the procedure linkage table of the library
        self.assertEqual(entries["two_never"][1], {"two_call": (0, 0, 0, 0)})
        self.assertEqual(entries["same (libtwo.so)"][1], {
            "two_call": (6, 4, 2, 2), "two_never": (0, 0, 0, 2)})
        self.assertEqual(entries["main"][2], {
            "same (one)": (3, 0, 3, 3), "two_call": (3, 10, 1, 1)})

    def test_sources_of_both(self):
        self.record_two()
        text = self.report("-b", "-A", "functioncheck.fc")
        for name in ("one.c", "two.c"):
            self.assertIn(f"*** File {os.path.join(HERE, name)}:\n", text)
        text = self.report("-b", "-C", "functioncheck.fc")
        self.assertEqual(text.count(" executions\n"), 5)

    def test_processes(self):
        # parent: main+1 before+2 before-3 (fork) after+4 after-5 main-6
        # child:  (main is on the stack from 0) in_child+1-2 in_child+3-4 main-5
        program = self.compile(os.path.join(PROGRAMS, "forks.c"))
        self.run_test_clock([program])
        parent = self.flat("functioncheck.fcd")[1]
        self.assertEqual(parent, {
            "main": (6, 1, 6, 10), "before": (1, 1, 1, 1),
            "after": (1, 1, 1, 1), "in_child": (2, 2, 1, 1)})
        _, entries = self.graph("functioncheck.fcd")
        self.assertEqual(entries["main"], ((6, 4, 1, None), OUTSIDE, {
            "before": (1, 0, 1, 1), "after": (1, 0, 1, 1), "in_child": (2, 0, 2, 2)}))
        # the same from the files that it names
        files = sorted(name for name in os.listdir(self.folder)
                       if name.startswith("functioncheck.fc."))
        self.assertEqual(len(files), 2)
        self.assertEqual(self.flat(*files)[1], parent)

    def test_two_programs(self):
        # one process is replaced by another program: a descriptor of both
        other = self.compile(self.write("other.c", """
            static void leaf(void) {}
            int main(void) { leaf(); return 0; }
            """))
        first = self.compile(self.write("first.c", f"""
            #include <unistd.h>
            static void leaf(void) {{}}
            int main(void) {{ leaf(); leaf(); return execl("{other}", "other", (char *)0); }}
            """))
        self.run_test_clock([first])
        # main+1 leaf+2-3 leaf+4-5 and, not to be seen, up to the exec; main+1 leaf+2-3 main-4
        _, rows = self.flat("functioncheck.fcd")
        self.assertEqual({name: row[1] for name, row in rows.items()}, {
            "main (first)": 1, "leaf (first)": 2, "main (other)": 1, "leaf (other)": 1})
        self.assertEqual((rows["leaf (first)"][0], rows["leaf (other)"][0]), (2000, 1000))
        self.assertEqual(rows["main (other)"][0], 2000)

    def test_no_statics(self):
        # as gprof has it, static functions are part of the one before them; in the library
        # there is none before them
        self.record_two()
        _, rows = self.flat("-a", "functioncheck.fc")
        same, = set(rows) - {"main", "two_call", "same", "leaf"}
        self.assertEqual({name: row[:2] for name, row in rows.items()}, {
            "main": (5, 1), same: (3, 3), "two_call": (3, 1), "same": (6, 2), "leaf": (4, 4)})
        self.assertIn(same, ("_start", "_init"))

    def test_symbols_of_a_file(self):
        self.record_two()
        listing = self.command(["nm", "one"])
        self.write("symbols", listing.replace(" main\n", " entry\n"))
        _, rows = self.flat("-Ssymbols", "functioncheck.fc")
        self.assertEqual((rows["entry"][0], rows["two_call"][0]), (5, 3))
        self.assertNotIn("main", rows)

    def test_threads(self):
        # main thread: main+1 main-2; worker+1 leaf+2-3 leaf+4-5 worker-6;
        # worker+1 leaf+2-3 leaf+4-5 leaf+6-7 worker-8
        self.record(os.path.join(PROGRAMS, "threads.c"))
        _, entries = self.graph("functioncheck.fc")
        self.assertEqual(entries["worker"], (
            (7, 5, 2, None), OUTSIDE, {"leaf": (5, 0, 5, 5)}))

    def test_called_from_outside_too(self):
        # qsort's calls of less come while main is active; those at the end have no caller
        source = self.write("outside.c", """
            #include <stdlib.h>
            static void leaf(void) {}
            static void at_end(void) { leaf(); leaf(); }
            int main(void) { at_end(); return atexit(at_end); }
            """)
        # main+1 at_end+2 leaf+3-4 leaf+5-6 at_end-7 main-8; at_end+9 ... at_end-14
        self.record(source)
        _, entries = self.graph("functioncheck.fc")
        self.assertEqual(entries["at_end"], (
            (6, 4, 2, None), {"<spontaneous>": (3, 2, 1, 2), "main": (3, 2, 1, 2)},
            {"leaf": (4, 0, 4, 4)}))


if __name__ == "__main__":
    fcgprof.main()
