#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC_CHILDREN: one profile for all children of an image and arguments; nothing is lost that the files of each have."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

FAILS = 7  # the kind of child that exits with status 1


class Children(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("children.c")

    def go(self, count, kinds, folder, how=None, **env):
        os.mkdir(self.path(folder))
        env = {"FC_DUMP_PATH": folder, **({"FC_CHILDREN": how} if how else {}), **env}
        done = self.run_quiet([self.program, str(count), str(kinds)], env=env)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        return self.profiles(folder)

    def profiles(self, folder):
        return [name for name in os.listdir(self.path(folder)) if ".fc." in name]

    def load(self, path):
        return json.loads(self.command([fctest.tool("fcdump"), "--json", path]))

    def sums(self, data):
        """What doesn't depend on times."""
        names = [function["name"] for function in data["functions"]]
        def path(at):
            return () if at is None else (*path(data["contexts"][at]["parent"]), names[data["contexts"][at]["function"]])
        return (sorted((function["name"], function["calls"]) for function in data["functions"]),
                sorted((names[arc["callee"]], arc["calls"]) for arc in data["arcs"]),
                sorted((path(i), context["calls"]) for i, context in enumerate(data["contexts"])),
                data["losses"], data["repairs"],
                sum(process["processes"] for process in data["processes"]), sum(process["failed"] for process in data["processes"]))

    def check_same(self, count, kinds, files, how=None, **env):
        """Files: of the children; that of the first process is beside them."""
        self.assertEqual(len(self.go(count, kinds, "apart", "apart", **env)), 2 * count + 1)
        self.assertEqual(len(self.go(count, kinds, "merged", how, **env)), files + 1)
        apart, merged = (self.load(folder + "/functioncheck.fcd") for folder in ("apart", "merged"))
        self.assertEqual(self.sums(apart), self.sums(merged))
        self.assertEqual(self.sums(merged)[-2:], (2 * count + 1, len([i for i in range(count) if i % kinds == FAILS])))
        self.assertEqual(sum(process["run_ns"] > 0 for process in merged["processes"]), files + 1)
        return apart, merged

    def test_merge(self):
        _, merged = self.check_same(30, 3, 4, "merge")
        self.assertEqual(sorted((process["command_line"][1:], process["processes"]) for process in merged["processes"]),
                         [(["-0"], 10), (["-1"], 10), (["-2"], 10), (["30", "3"], 1), (["30", "3"], 30)])
        kinds = self.command([fctest.tool("fcdump"), "--by=process", "--all", "merged/functioncheck.fcd"])
        self.assertEqual(kinds.count("(10 processes)"), 3)
        self.assertIn("; 61 processes;", self.command([fctest.tool("fcdump"), "merged/functioncheck.fcd"]).splitlines()[0].replace("  ", " "))

    def test_failed(self):
        self.check_same(20, 9, 10, "merge")
        summary = self.command([fctest.tool("fcdump"), "--summary", "merged/functioncheck.fcd"])
        self.assertIn("2 of 41 were killed or exited with another status than 0", summary)

    def test_more_kinds_than_memory_has(self):
        """Sums that were put away are read again."""
        self.check_same(120, 40, 41, "merge")

    def test_by_default(self):
        """Up to 100 profiles have files of their own; of more each kind has one."""
        self.check_same(49, 2, 98)
        for folder in ("apart", "merged"):
            os.rename(self.path(folder), self.path(folder + "-few"))
        self.check_same(50, 2, 3)

    def test_memory(self):
        apart, merged = self.check_same(12, 2, 3, "merge", FC_MEMORY="1")
        for key in ("allocations", "frees", "bytes", "live_blocks", "live_bytes"):
            self.assertEqual(apart["heap"][key], merged["heap"][key])
        self.assertGreaterEqual(merged["heap"]["live_blocks"], 12)

    def test_ranks(self):
        """The children of a rank are its own."""
        for rank in "01":
            done = self.run_quiet([self.program, "10", "2"], env={"FC_CHILDREN": "merge", "PMI_RANK": rank, "PMI_SIZE": "2", "PMI_JOBID": "5"})
            self.assertEqual(done.returncode, 0, done.stderr)
        table = self.command([fctest.tool("fcdump"), "--ranks", "--csv", "functioncheck.5-0.fcd", "functioncheck.5-1.fcd"])
        row, = [line.split(",") for line in table.splitlines() if line.endswith(",work")]
        head = table.splitlines()[0].split(",")
        self.assertEqual(row[head.index("ranks")], "2")
        whole = self.load("functioncheck.5-0.fcd")
        self.assertEqual([f["calls"] for f in whole["functions"] if f["name"] == "work"], [5 * 1 + 5 * 2])

    def test_while_it_runs(self):
        """The sums are written now and then, though the program goes on."""
        environment = {**fctest.plain_environment(), "FC_QUIET": "1", "FC_CHILDREN": "merge"}
        with subprocess.Popen([self.program, "10", "1", "wait"], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=environment) as parent:
            self.assertEqual(parent.stdout.readline(), b"done\n")
            def whole():
                return [name for name in self.profiles(".") if self.load(name)["processes"][0]["processes"] == 10]
            fctest.wait_until(lambda: len(whole()) == 2, "the sums are not written")
            parent.stdin.close()
            self.assertEqual(parent.wait(fctest.TIMEOUT_S), 0)
        data = self.load("functioncheck.fcd")
        self.assertEqual([f["calls"] for f in data["functions"] if f["name"] == "work"], [10])

    def test_folder_not_writable(self):
        done = self.run_told([self.program, "3", "1"], env={"FC_CHILDREN": "merge", "FC_DUMP_PATH": "/proc/none", "TMPDIR": "/proc/none"})
        self.assertEqual(done.returncode, 0)
        self.assertIn("/proc/none", done.stderr.decode())

    def test_bad_value(self):
        done = self.run_told([self.program, "0", "1"], env={"FC_CHILDREN": "together"})
        self.assertIn("FCheck: FC_CHILDREN: bad value 'together', using merge after the first 100\n", done.stderr.decode())


if __name__ == "__main__":
    unittest.main(verbosity=2)
