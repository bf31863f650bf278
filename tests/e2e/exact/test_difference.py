#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcdump --diff on runs of a program and of its next builds, recorded with the clock that counts
records, so that times vary from run to run, but the same each time that the test runs; each call is
recorded, as samples are random."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

RULE = "--fail-on=total:+5%"


class Difference(fctest.Case):
    def build(self, name, *flags):
        return self.compile("jitter.c", *flags, output=name)

    def record(self, program, seed, runs=5):
        names = []
        for i in range(runs):
            name = f"{os.path.basename(program)}-{seed + i}"
            names.append(self.path(name + ".fc"))
            done = self.run_test_clock([program, str(seed + i)], env={"FC_DUMP_NAME": name, "FC_DETAIL": "all"})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
        return names

    def diff(self, before, after, *options):
        done = subprocess.run([fctest.tool("fcdump"), "--diff", *options, *before, "--", *after],
                              capture_output=True, text=True, check=False, timeout=fctest.TIMEOUT_S,
                              env=fctest.plain_environment())
        return done.returncode, done.stdout, done.stderr

    def test_unchanged(self):
        before = self.record(self.build("old"), 100)
        after = self.record(self.build("new", "-O1"), 200)
        status, out, err = self.diff(before, after, RULE)
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("\nFunctions that changed\nNone.\n", out)
        after = self.record(self.build("more", "-DMORE"), 200)
        status, out, err = self.diff(before, after, RULE)
        self.assertEqual((status, err), (0, ""), out)
        self.assertRegex(out, "new +added\n")

    def test_slower(self):
        before = self.record(self.build("old"), 100)
        after = self.record(self.build("new", "-DPERCENT=110"), 300)
        status, _, err = self.diff(before, after, RULE)
        self.assertEqual(status, 3)
        self.assertRegex(err, r"^fcdump: --fail-on=total:\+5%: work: total .* before, .* after: \+(9|10)\..% \(")
        self.assertNotIn("rest", err)
        self.assertEqual(self.diff(before, after, "--fail-on=total(rest):+5%")[0], 0)

    def test_one_run(self):
        """A count is a finding in one run."""
        before = self.record(self.build("old"), 100, runs=1)
        after = self.record(self.build("new", "-DMORE"), 100, runs=1)  # the same seed
        status, out, err = self.diff(before, after, "--fail-on=calls(work,rest):+0")
        self.assertEqual((status, err), (0, ""), out)
        status, _, err = self.diff(before, after, "--fail-on=calls(tick):+0")
        self.assertEqual(status, 3)
        self.assertRegex(err, r"tick: calls (\d+) before, \d+ after: \+")


fctest.main()
