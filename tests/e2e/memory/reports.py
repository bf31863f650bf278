#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reports of memory: figures that are known beforehand, the options that choose and
suppress, the status for scripts, and the lists of version 3.0."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "figures.c")


def line_of(text, nth=0):
    """The number of the nth line of the source that has `text`."""
    with open(SOURCE, encoding="utf-8") as stream:
        return [number for number, line in enumerate(stream, 1) if text in line][nth]


class Reports(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile(SOURCE)

    def run_memory(self, *arguments, **env):
        if os.path.exists(self.path("functioncheck.fc")):
            os.unlink(self.path("functioncheck.fc"))
        self.run_quiet([self.program, *arguments], env={"FC_MEMORY": "1", **env})
        self.wait_for_file()

    def fcdump(self, *arguments, status=0, env=None):
        done = self.run_target([fctest.tool("fcdump"), *arguments], env=env)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        self.error = done.stderr.decode()
        return done.stdout.decode()

    def alone(self, *arguments, **options):
        """The words of each line of what fcdump prints with nothing else."""
        text = self.fcdump("--no-reports", "--basename", *arguments, **options)
        return [line.split() for line in text.splitlines() if line.strip()]

    def heap(self):
        return json.loads(self.fcdump("--json"))["heap"]

    # ---- Figures ----

    def test_totals(self):
        self.run_memory()
        heap = self.heap()
        self.assertEqual({key: heap[key] for key in (
            "allocations", "frees", "bytes", "live_blocks", "live_bytes", "peak_bytes", "maps",
            "bad_frees")},
            {"allocations": 19, "frees": 15, "bytes": 21640, "live_blocks": 4, "live_bytes": 1000,
             "peak_bytes": 20000, "maps": 0, "bad_frees": []})
        self.assertEqual(max(sample["live_bytes"] for sample in heap["samples"]), 20000)
        times = [sample["time_ns"] for sample in heap["samples"]]
        self.assertEqual(times, sorted(times))
        self.assertTrue(0 < heap["peak_ns"] < times[-1])
        text = self.fcdump("--no-reports", "--mem-heap")
        for part in ("19 blocks, 21640 bytes (21.13 KiB)", "15 blocks, after",
                     "10 (52.6%) before the next", "4 blocks, 1000 bytes were live",
                     "20000 bytes (19.53 KiB) were live after"):
            self.assertIn(part, text)
        course = [line for line in text.splitlines() if line.rstrip().endswith("#" * 50)]
        self.assertGreater(len(course), 0, text)  # 2 ms of it
        holders = text.split("What was live at the peak")[1]
        self.assertEqual(len(re.findall(r"malloc in", holders)), 1, text)
        self.assertRegex(holders, r"19\.53 KiB +100\.0 +malloc in make")

    def test_functions(self):
        self.run_memory()
        rows = {row[-1]: row[:-1] for row in self.alone("--mem-functions") if len(row) > 13}
        # own, and with callees: blocks, bytes, live, temporary, lifetime, peak
        self.assertEqual(rows["make"][:6], ["18", "20.45", "KiB", "300", "B", "10"])
        self.assertEqual(rows["make"][8:15], ["100.0", "18", "20.45", "KiB", "300", "B", "10"])
        self.assertEqual(rows["make"][15:17], rows["make"][6:8])
        self.assertRegex(" ".join(rows["make"][15:]), r"^[\d.]+ (us|ms|s) 100\.0$")
        self.assertEqual(rows["lose"], ["1", "700", "B", "700", "B", "0", "-", "0.0",
                                        "4", "1000", "B", "1000", "B", "0", "-", "0.0"])
        self.assertEqual(rows["brief"][:14], ["0", "0", "B", "0", "B", "0", "-", "0.0",
                                              "10", "640", "B", "0", "B", "10"])
        self.assertRegex(" ".join(rows["brief"][14:]), r"^[\d.]+ (ns|us|ms|s) 0\.0$")
        self.assertEqual(rows["main"][8:14], ["19", "21.13", "KiB", "1000", "B", "10"])
        data = json.loads(self.fcdump("--json"))
        by_name = {data["functions"][entry["function"]]["name"]: entry
                   for entry in data["heap"]["functions"]}
        self.assertEqual(by_name["large"]["total"]["sizes"],
                         [{"from_bytes": 2048, "below_bytes": 4096, "blocks": 5}])
        self.assertGreater(by_name["large"]["total"]["lifetime_ns"], 5 * 2000000)
        self.assertEqual(by_name["large"]["own"]["allocations"], 0)
        self.assertEqual(by_name["brief"]["total"]["temporary"], 10)

    def test_contexts(self):
        self.run_memory()
        text = self.fcdump("--no-reports", "--basename", "--mem-contexts")
        make = line_of("return malloc")
        stacks = re.findall(r"(\w+ in .*)\n +from (.*)\n", text)
        self.assertEqual([(first.split("  at ")[0], second) for first, second in stacks], [
            ("malloc in make", f"large  at figures.c:{line_of('make(4000)')}"),
            ("calloc in lose", f"main  at figures.c:{line_of('lose();')}"),
            ("malloc in make", f"brief  at figures.c:{line_of('make(64)')}"),
            ("malloc in make", f"lose  at figures.c:{line_of('make(100)')}")])
        self.assertIn(f"malloc in make  at figures.c:{make}\n", text)
        # bytes, share, blocks, live bytes and blocks, temporary, then lifetime and peak share
        figures = [re.split(" (?=malloc|calloc)", " ".join(line.split()))[0].split(" ")
                   for line in text.splitlines() if " in " in line]
        self.assertEqual([row[:-1] if row[-2] == "-" else row[:-3] for row in figures], [
            "19.53 KiB 92.4 5 0 B 0 0".split(), "700 B 3.2 1 700 B 1 0 -".split(),
            "640 B 3.0 10 0 B 0 10".split(), "300 B 1.4 3 300 B 3 0 -".split()])
        self.assertEqual([row[-1] for row in figures], ["100.0", "0.0", "0.0", "0.0"])
        self.assertEqual(re.findall(r"\n +sizes: (.*)", text),
                         ["5 of 2-4 KiB", "1 of 512-1023 B", "10 of 64-127 B", "3 of 64-127 B"])
        # --json says the same
        self.assertEqual(
            sorted((place["bytes"], place["allocations"], place["live_bytes"],
                    place["live_blocks"], place["temporary"], place["peak_bytes"],
                    place["lifetime_ns"] > 0,
                    [(size["from_bytes"], size["blocks"]) for size in place["sizes"]])
                   for place in self.heap()["places"]),
            [(300, 3, 300, 3, 0, 0, False, [(64, 3)]), (640, 10, 0, 0, 10, 0, True, [(64, 10)]),
             (700, 1, 700, 1, 0, 0, False, [(512, 1)]),
             (20000, 5, 0, 0, 0, 20000, True, [(2048, 5)])])
        few = self.fcdump("--no-reports", "--mem-contexts", "--min=3")
        self.assertEqual(few.count(" in "), 2)
        self.assertIn("2 allocation sites left out", few)
        self.assertEqual(self.fcdump("--no-reports", "--mem-contexts", "--only=brief").count(
            " in "), 1)
        self.assertEqual(self.fcdump("--no-reports", "--mem-contexts", "--not=large").count(
            " in "), 3)

    def test_sizes(self):
        self.run_memory()
        rows = self.alone("--mem-sizes")
        start = next(i for i, row in enumerate(rows) if row[-1] == "<all>")
        self.assertEqual([row[:2] + row[2:6] for row in rows[start + 1:start + 4]], [
            ["13", "68.4", "64", "B", "128", "B"], ["1", "5.3", "512", "B", "1024", "B"],
            ["5", "26.3", "2048", "B", "4096", "B"]])

    def test_many_sizes(self):
        """Of one way: each power of two from 1 B to 8 MiB, and nothing."""
        self.run_memory("sizes")
        text = self.fcdump("--no-reports", "--mem-contexts", "--only=spread")
        lines = text[text.index("sizes:"):].splitlines()
        self.assertEqual([line.strip() for line in lines], [
            "sizes: 1 of 0 B, 1 of 1 B, 2 of 2-3 B, 1 of 4-7 B, 1 of 8-15 B,",
            "1 of 16-31 B, 1 of 32-63 B, 1 of 64-127 B, 1 of 128-255 B, 1 of 256-511 B,",
            "1 of 512-1023 B, 1 of 1-2 KiB, 1 of 2-4 KiB, 1 of 4-8 KiB, 1 of 8-16 KiB,",
            "1 of 16-32 KiB, 1 of 32-64 KiB, 1 of 64-128 KiB, 1 of 128-256 KiB, "
            "1 of 256-512 KiB,",
            "1 of 512-1024 KiB, 1 of 1-2 MiB, 1 of 2-4 MiB, 1 of 4-8 MiB, 1 of 8-16 MiB"])

    # ---- Leaks ----

    def test_leaks(self):
        self.run_memory()
        text = self.fcdump("--no-reports", "--basename", "--mem-leaks", "--details")
        self.assertIn("4 blocks of 1000 bytes were", text)
        self.assertIn("of 2 allocation sites", text)
        self.assertRegex(text, r"\n *700 B +70\.0 +1 +\w+ +calloc in lose  at figures\.c:%d\n"
                         % line_of("calloc("))
        self.assertRegex(text, r"\n *300 B +30\.0 +3 +\w+ +malloc in make")
        self.assertLess(text.index("700 B"), text.index("300 B"))  # largest first
        self.assertEqual(len(re.findall(r"0x[0-9a-f]+, 100 B, after ", text)), 3)
        # on by default, and not where there is nothing to say
        self.assertIn("Memory leaks", self.fcdump("--classic"))
        self.assertNotIn("Invalid pointers", self.fcdump("--classic"))
        self.assertIn("Invalid pointers given to free\nNone.", self.fcdump("--mem-free"))
        for off in ("-no-memory", "--no-mem-leaks"):
            self.assertNotIn("Memory leaks", self.fcdump(off))
        self.assertIn("Memory leaks", self.fcdump("-no-memory", "-memory"))

    def test_not_recorded(self):
        self.run_quiet([self.program])
        self.assertNotIn("emory", self.fcdump("--no-header", "--no-info"))
        self.assertIn("run with FC_MEMORY=1", self.fcdump("--mem-functions"))
        self.assertIsNone(json.loads(self.fcdump("--json"))["heap"])
        self.fcdump("--fail-on-leak", "--fail-on-bad-free", status=1)
        self.assertIn("nothing is known of memory in functioncheck.fc: set FC_MEMORY=1", self.error)

    def test_sum(self):
        """Two runs: figures are added, the peak is that of one."""
        self.run_memory()
        os.rename(self.path("functioncheck.fc"), self.path("one.fc"))
        self.run_memory()
        heap = json.loads(self.fcdump("--json", "one.fc", "functioncheck.fc"))["heap"]
        self.assertEqual((heap["allocations"], heap["live_bytes"], heap["peak_bytes"]),
                         (38, 2000, 20000))
        self.assertEqual((len(heap["places"]), len(heap["blocks"]), heap["samples"]), (4, 8, []))

    # ---- Suppressions and the status ----

    def test_suppressions(self):
        self.run_memory()
        rules = self.write("rules", "# comment\n\nleak:^make$\n")
        text = self.fcdump("--no-reports", "--mem-leaks", "--suppress=" + rules,
                           "--fail-on-leak", status=3)
        self.assertIn("1 block of 700 bytes", text)
        self.assertIn("3 blocks of 300 bytes suppressed:", text)
        self.assertIn(f"3 blocks of 300 bytes by leak:^make$ ({rules})", text)
        for pattern in ("lose", "^lo*e$", "*os", "figures.c", "/figures$", "main"):
            self.write("rules", f"leak:{pattern}\n")
            text = self.fcdump("--no-reports", "--mem-leaks", "--fail-on-leak",
                               env={"FC_SUPPRESS": rules})
            self.assertIn("Nothing leaked.", text, pattern)
        for pattern in ("los$", "^ose", "figures.c$x", "l*#*e", "mainx"):
            self.write("rules", f"leak:{pattern}\n")
            self.fcdump("--no-reports", "--suppress", rules, "--fail-on-leak", status=3)
        self.write("rules", "direct:^lose$\n")  # not those by way of make
        self.assertIn("3 blocks of 300 bytes were", self.fcdump(
            "--no-reports", "--mem-leaks", "--suppress", rules))
        self.write("rules", "leak:lose\nwhat is this\n")
        self.fcdump("--mem-leaks", "--suppress", rules, status=1)
        self.assertIn(f"fcdump: {rules}: line 2:", self.error)
        self.fcdump("--mem-leaks", "--suppress=nowhere", status=1)
        self.assertIn("fcdump: nowhere: No such file", self.error)

    def test_status(self):
        self.run_memory()
        self.fcdump("--fail-on-leak", status=3)
        self.fcdump("--fail-on-bad-free")
        self.fcdump("--fail-on-leak", "--only=brief,large")
        self.fcdump("--fail-on-leak", "--not=lose")
        self.fcdump("--fail-on-leak", "functioncheck.fc", "missing.fc", status=1)

    # ---- Bad frees ----

    def test_double_free(self):
        self.run_memory("twice")
        text = self.fcdump("--no-reports", "--basename", "--mem-free", "--fail-on-bad-free",
                           status=3)
        first, second = line_of("free(block);"), line_of("free(block);", 1)
        call = line_of("twice(make(24))")
        self.assertEqual(second, first + 1)
        words = " ".join(text.split())
        self.assertIn(f"again: free in twice at figures.c:{second} from main at figures.c:{call}",
                      words)
        self.assertIn(f"freed: free in twice at figures.c:{first} from main at figures.c:{call}",
                      words)
        self.assertIn(f"allocated: malloc in make at figures.c:{line_of('return malloc')} "
                      f"from main at figures.c:{call}", words)
        self.assertIn("was freed before: a block of 24 B", text)
        self.assertNotIn("Invalid pointers given to realloc", self.fcdump("--classic"))
        rules = self.write("rules", "free:^twice$\n")
        text = self.fcdump("--classic", "--suppress", rules, "--fail-on-bad-free")
        self.assertIn("1 suppressed", text)

    def test_wrong_realloc(self):
        self.run_memory("again")
        text = self.fcdump("--no-reports", "--mem-realloc", "--fail-on-bad-free", status=3)
        self.assertIn("was freed before: a block of 2000 B", text)
        self.assertRegex(text, r"again: realloc in main  at \S+figures\.c:%d"
                         % line_of("realloc(block, 3000"))
        self.assertNotIn("given to free", self.fcdump("--no-reports", "--mem-realloc"))

    def test_wild_pointers(self):
        """Those with bits that no address has, told by their call though the program dies of it."""
        for which, call, pointer, live in (("wild-free", "free", r"0x34[0-9a-f]{12}", 1050),
                                           ("wild-realloc", "realloc", r"0x34[0-9a-f]{12}", 1050),
                                           ("highest", "free", "0x80000000000000", 1000)):
            with self.subTest(which=which):
                self.run_memory(which)
                heap = self.heap()
                self.assertEqual((heap["frees"], heap["live_bytes"]), (15, live))
                self.assertEqual(len(heap["bad_frees"]), 1)
                text = self.fcdump("--classic", "--fail-on-bad-free", status=3)
                self.assertRegex(" ".join(text.split()), pointer + " was never allocated; after .*: "
                                 + call + " in wild")

    # ---- Version 3.0 ----

    def read_v3(self):
        """The three lists as a reader with scanf's %p sees them: integers, the stack's end
        taken off."""
        with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
            profile = fcprofile.Profile(stream.read())
        lists = []
        for entries in profile.v3_memory:
            for entry in entries:
                self.assertEqual(entry[-1], "(nil)")
                self.assertNotIn("(nil)", entry[4:-1] if entries is profile.v3_memory[0]
                                 else entry[:-1])
            lists.append([entry[:-1] for entry in entries])
        return profile, lists

    def line(self, profile, address):
        """file:line of a call, by binutils, of a return address of the run."""
        module = next(m for m in profile.modules if m.start <= int(address, 16) < m.end)
        if module.path != self.program:
            return None
        text = self.command(["addr2line", "-e", self.program,
                             hex(int(address, 16) - module.base - 1)])
        return os.path.basename(text.split(" (")[0].strip())

    def test_version_3(self):
        make, lose = line_of("return malloc"), line_of("make(100)")
        for frames in (None, 1, 2):
            self.run_memory("again", **({"FC_MEMORY_STACK": str(frames)} if frames else {}))
            profile, (leaks, frees, reallocs) = self.read_v3()
            self.assertEqual(frees, [])
            self.assertEqual(sorted(int(leak[1]) for leak in leaks), [100, 100, 100, 700])
            for leak in leaks:
                where = [self.line(profile, address) for address in [leak[2], *leak[4:]]]
                self.assertEqual(leak[3], "(nil)")  # not reallocated
                self.assertLessEqual(len(leak) - 4, frames or 8)
                if leak[1] == "100":
                    self.assertEqual(where[:2], [f"figures.c:{make}"] * 2)
                    self.assertEqual(where[2:3], [f"figures.c:{lose}"] if frames != 1 else [])
            self.assertEqual(len(reallocs), 1)
            self.assertEqual(self.line(profile, reallocs[0][0]),
                             f"figures.c:{line_of('realloc(block, 3000')}")
        self.run_memory("grown")
        profile, (leaks, frees, reallocs) = self.read_v3()
        grown = next(leak for leak in leaks if leak[1] == "10")  # the initial size
        self.assertEqual([self.line(profile, address) for address in grown[2:4]],
                         [f"figures.c:{make}", f"figures.c:{line_of('the last')}"])
        self.assertIn(500, [block["size_bytes"] for block in self.heap()["blocks"]
                            if block["pointer"] == grown[0]])
        self.assertEqual((frees, reallocs), ([], []))
        self.run_memory("twice")
        profile, (_, frees, reallocs) = self.read_v3()
        self.assertEqual((len(frees), reallocs), (1, []))
        self.assertEqual([self.line(profile, address) for address in [frees[0][0], *frees[0][2:4]]],
                         [f"figures.c:{line_of('free(block);', 1)}"] * 2 +
                         [f"figures.c:{line_of('twice(make(24))')}"])


if __name__ == "__main__":
    fctest.main()
