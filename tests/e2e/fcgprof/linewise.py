#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcgprof -l, -A and -C on profiles: calls and times of lines.

With the test clock lines.c records: main+1, then five times twice+, leaf+ and leaf- five
times, twice- (11 us, 6 of its own), and at last leaf+62-63 and main-64.
"""

import os
import re
import resource
import signal

import fcgprof
import gproftext
from fcgprof import OUTSIDE, HERE

SOURCE = os.path.join(HERE, "lines.c")


def fill_disk():
    """What is written beyond a few bytes of a file fails."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


class Linewise(fcgprof.Case):
    def setUp(self):
        super().setUp()
        self.record("lines.c")

    def test_graph(self):
        _, entries = self.graph("-l", "functioncheck.fc")
        # Entries are functions; their callers are lines.
        self.assertEqual(set(entries), {"main (lines.c:20)", "twice (lines.c:11)",
                                        "leaf (lines.c:6)"})
        self.assertEqual(entries["leaf (lines.c:6)"][:2], ((26, 0, 26, None), {
            "twice (lines.c:12)": (10, 0, 10, 26), "twice (lines.c:15)": (15, 0, 15, 26),
            "main (lines.c:25)": (1, 0, 1, 26)}))
        self.assertEqual(entries["twice (lines.c:11)"], (
            (30, 25, 5, None), {"main (lines.c:24)": (30, 25, 5, 5)},
            {"leaf (lines.c:6)": (25, 0, 25, 26)}))
        self.assertEqual(entries["main (lines.c:20)"], (
            (7, 56, 1, None), OUTSIDE,
            {"twice (lines.c:11)": (30, 25, 5, 5), "leaf (lines.c:6)": (1, 0, 1, 26)}))

    def test_version_3(self):
        # no times of arcs, but call sites; here all calls take the same time
        program = self.record("lines.c", "-no-pie", "-fno-pie")
        with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
            text = stream.read()
        self.write("plain.fc", text[:text.index("section ")].replace("+sections", ""))
        graph, entries = self.graph("-l", program, "plain.fc")
        self.assertIn("shared out by calls", graph.granularity)
        self.assertEqual(entries["leaf (lines.c:6)"][1], {
            "twice (lines.c:12)": (10, 0, 10, 26), "twice (lines.c:15)": (15, 0, 15, 26),
            "main (lines.c:25)": (1, 0, 1, 26)})
        self.assertEqual(entries["twice (lines.c:11)"][1],
                         {"main (lines.c:24)": (30, 25, 5, 5)})
        self.assertEqual(self.flat("-l", program, "plain.fc")[1],
                         self.flat("-l", "functioncheck.fc")[1])
        self.assertEqual(self.report("-A", "-b", "-l", program, "plain.fc"),
                         self.report("-A", "-b", "-l", "functioncheck.fc"))

    def test_calls_by_line(self):
        # calls are left out, or in, by the line that they come from
        _, entries = self.graph("-l", "-klines.c:15/leaf", "functioncheck.fc")
        self.assertEqual(entries["leaf (lines.c:6)"][:2], ((26, 0, 11, None), {
            "twice (lines.c:12)": (10, 0, 10, 11), "main (lines.c:25)": (1, 0, 1, 11)}))
        self.assertEqual(entries["twice (lines.c:11)"], (
            (30, 10, 5, None), {"main (lines.c:24)": (30, 10, 5, 5)},
            {"leaf (lines.c:6)": (10, 0, 10, 11)}))
        _, entries = self.graph("-l", "-q15/leaf", "functioncheck.fc")
        self.assertEqual(entries["leaf (lines.c:6)"][1], {"twice (lines.c:15)": (15, 0, 15, 15)})
        # a function stands for all its lines
        _, entries = self.graph("-l", "-ktwice/leaf", "functioncheck.fc")
        self.assertEqual(entries["leaf (lines.c:6)"][1], {"main (lines.c:25)": (1, 0, 1, 1)})
        self.assertEqual(self.flat("-l", "-k15/", "functioncheck.fc")[1]["leaf (lines.c:6)"][1], 11)

    def test_flat(self):
        flat, rows = self.flat("-l", "functioncheck.fc")
        self.assertEqual(rows, {
            "twice (lines.c:11)": (30, 5, 6, 11), "leaf (lines.c:6)": (26, 26, 1, 1),
            "main (lines.c:20)": (7, 1, 7, 63),
            # what was called from a line: no time of its own, calls, and what one took
            "twice (lines.c:15)": (0, 15, 0, 1), "twice (lines.c:12)": (0, 10, 0, 1),
            "main (lines.c:24)": (0, 5, 0, 11), "main (lines.c:25)": (0, 1, 0, 1)})
        self.assertEqual(sum(row.self for row in flat.rows), 63)
        names = {row.name for row in flat.rows}
        self.assertTrue(all(re.search(r" @ [0-9a-f]+\)$", name) for name in names), names)

    def margins(self, text):
        """By line number: self, total, counts; and the source has to be as it is."""
        with open(SOURCE, encoding="utf-8") as stream:
            source = stream.read().split("\n")
        lines = text.split("\n")
        found = {}
        for number, line in enumerate(source[:-1], 1):
            shown = lines[number - 1]
            self.assertEqual(shown[36:], line)
            margin = (shown[:10].strip(), shown[10:20].strip(), shown[20:36])
            if any(part.strip() for part in margin):
                self.assertTrue(margin[2].endswith(" -> "), shown)
                found[number] = (*margin[:2], margin[2][:-4].strip())
        return found

    def test_annotated(self):
        text = self.report("-A", "-b", "-l", "functioncheck.fc")
        head, rest = text.split("\n", 1)
        self.assertEqual(head, f"*** File {SOURCE}:")
        self.assertEqual(self.margins(rest), {
            6: ("26.0us", "26.0us", "26"), 11: ("30.0us", "55.0us", "5"),
            12: ("", "10.0us", "5,5"), 15: ("", "15.0us", "15"),
            20: ("7.0us", "63.0us", "1"), 24: ("", "55.0us", "5"), 25: ("", "1.0us", "1")})
        self.assertIn("Top 10 Lines:\n\n     Line      Count       Self      Total\n\n"
                      "        6         26     26.0us     26.0us\n"
                      "       15         15                15.0us\n"
                      "       12         10                10.0us\n", text)
        self.assertIn("\n       63   Total number of line executions\n", text)

    def test_annotated_functions(self):
        text = self.report("-A", "-b", "functioncheck.fc").split("\n", 1)[1]
        self.assertEqual(self.margins(text), {
            6: ("26.0us", "26.0us", "26"), 11: ("30.0us", "55.0us", "5"),
            20: ("7.0us", "63.0us", "1")})

    def test_annotated_files(self):
        self.assertEqual(self.report("-A", "-y", "-b", "-m6", "functioncheck.fc"), "")
        with open(self.path("lines.c-ann"), encoding="utf-8") as stream:
            found = self.margins(stream.read())
        self.assertEqual([found[number][2] for number in (6, 11, 20)], ["26", "#####", "#####"])

    def test_annotated_on_full_disk(self):
        """What cannot be written is said, and leaves what was there."""
        with open(self.path("lines.c-ann"), "w", encoding="utf-8") as stream:
            stream.write("that of before")
        before = os.listdir(self.folder)
        done = self.run_tool("-A", "-y", "-b", "functioncheck.fc", preexec_fn=fill_disk)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", "fcgprof: lines.c-ann: File too large\n"))
        with open(self.path("lines.c-ann"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "that of before")
        self.assertEqual(os.listdir(self.folder), before)

    def test_counts(self):
        text = self.report("-C", "-b", "-l", "functioncheck.fc")
        counts = re.findall(r"^(.*):(\d+): \((\w+):0x[0-9a-f]+\) (\d+) executions$", text, re.M)
        self.assertEqual(text.count("\n"), len(counts))
        self.assertEqual([(int(line), name, int(count)) for _, line, name, count in counts], [
            (6, "leaf", 26), (11, "twice", 5), (12, "twice", 5), (12, "twice", 5),
            (15, "twice", 15), (20, "main", 1), (24, "main", 5), (25, "main", 1)])
        self.assertEqual({path for path, *_ in counts}, {SOURCE})
        text = self.report("-C", "-b", "functioncheck.fc")
        self.assertEqual([int(count) for count in re.findall(r" (\d+) executions", text)],
                         [26, 5, 1])

    def margins_of(self, source, *words):
        """Counts and totals of the lines that have some, by number."""
        lines = self.report("-A", "-b", *words, "functioncheck.fc").split("\n")[1:]
        found = {}
        for number, text in enumerate(source.split("\n")):
            self.assertEqual(lines[number][36:], text)
            margin = lines[number][20:36].removesuffix(" -> ").strip()
            if lines[number][:36].strip():
                found[number + 1] = lines[number][10:20].strip(), margin
        return found

    def test_inlined_lines(self):
        # leaf is called from lines that are in the program twice; and where walk calls
        # itself, inl, which is inlined into it, is not called
        source = """#define INLINE static inline __attribute__((always_inline))
static void leaf(void) {}
INLINE void inl(void)
{
    leaf();
    leaf();
}
static void walk(int n)
{
    inl();
    if (n > 0)
        walk(n - 1);
}
int main(void)
{
    void (*volatile far)(void) = inl;
    walk(3);
    far();
    return 0;
}
"""
        self.record(self.write("twice.c", source))
        # main+1 walk+2 inl+3 leaf+4-5 leaf+6-7 inl-8 walk+9 ... inl-29 walk-30-31-32-33
        # inl+34 leaf+35-36 leaf+37-38 inl-39 main-40
        expected = {2: ("10.0us", "10"), 4: ("25.0us", "5"), 5: ("5.0us", "1,4"),
                    6: ("5.0us", "1,4"), 9: ("31.0us", "1"), 12: ("", "3"),
                    15: ("39.0us", "1"), 17: ("31.0us", "1"), 18: ("5.0us", "1")}
        self.assertEqual(self.margins_of(source, "-l"), expected)
        self.assertEqual(self.margins_of(source), {
            line: expected[line] for line in (2, 4, 9, 15)})
        graph = gproftext.parse_graph(gproftext.reports(
            self.report("-b", "-q", "-l", "functioncheck.fc"))[0])
        inl, = [entry for entry in graph.entries if entry.name.startswith("inl ")]
        self.assertEqual([(fcgprof.plain(line.name), line.self, line.children, line.called)
                          for line in inl.parents], [
            ("main (twice.c:18)", 3, 2, 1), ("walk (twice.c:9)", 12, 8, 4)])

    def test_cold_lines(self):
        # the compiler puts what is seldom done behind the function that is called there
        source = """static volatile int sink;
__attribute__((cold, noinline)) static void report(int n)
{
    sink += n;
}
__attribute__((noinline)) static void work(int n)
{
    sink++;
    if (n % 10 == 3)
        report(n);
}
int main(void)
{
    for (int i = 0; i < 100; i++)
        work(i);
    return 0;
}
"""
        self.record(self.write("cold.c", source), "-O2")
        # main+1, a hundred times work+ and work-, within ten of them report+ report-, main-
        _, entries = self.graph("-l", "functioncheck.fc")
        self.assertEqual(entries["report (cold.c:3)"], (
            (10, 0, 10, None), {"work (cold.c:10)": (10, 0, 10, 10)}, {}))
        self.assertEqual(entries["work (cold.c:7)"][1], {"main (cold.c:15)": (110, 10, 100, 100)})
        # nor is it report that calls report
        self.assertEqual(self.graph("-c", "-l", "functioncheck.fc")[1], entries)
        self.assertEqual(self.graph("-c", "functioncheck.fc")[1],
                         self.graph("functioncheck.fc")[1])

    def test_many_sites_on_a_line(self):
        calls = "leaf();" * 25
        source = f"""static void leaf(void) {{}}
int main(void)
{{
    leaf();leaf();leaf();
    {calls}
    return 0;
}}
"""
        self.record(self.write("many.c", source))
        self.assertEqual(self.margins_of(source, "-l"), {
            1: ("28.0us", "28"), 3: ("57.0us", "1"), 4: ("3.0us", "1,1,1"), 5: ("25.0us", "25")})
        self.assertEqual(len(re.findall(r"many.c:5: \(main:0x[0-9a-f]+\) 1 executions\n", self.report(
            "-C", "-b", "-l", "functioncheck.fc"))), 25)

    def test_recursion_by_line(self):
        # fact calls itself from its line 7: no call of another
        program = os.path.join(HERE, "../../programs/recursion.c")
        self.record(program)
        _, entries = self.graph("-l", "functioncheck.fc")
        name, = [name for name in entries if name.startswith("fact")]
        own, parents, _ = entries[name]
        self.assertEqual(own, (5000, 0, 1, 2))
        self.assertEqual(sorted(parents.values(), key=str), [(5000, 0, 1, 1),
                                                             (None, None, 2, None)])


if __name__ == "__main__":
    fcgprof.main()
