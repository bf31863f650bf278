#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcmanager samples where threads are.  The target has a second of CPU: some thousand samples, of which
30 are enough; counts are exact with and without, and times add up."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

CPU_MS = 1000


class Samples(fctest.Case):
    def profile(self, ms, config=(), **env):
        program = self.compile("samples.c", "-O2", "-pthread", config=config)
        done = self.run_quiet([program, str(ms)], env=env)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        called = {name: int(calls) for name, calls in map(str.split, done.stdout.decode().splitlines())}
        profile = json.loads(self.fcdump("--json"))
        functions = {each["name"]: each for each in profile["functions"]}
        for name, calls in called.items():
            self.assertEqual(functions[name]["calls"], calls)
        for each in functions.values():
            self.assertLessEqual(each["local_ns"], each["total_ns"], each["name"])
            self.assertLessEqual(each["total_ns"], each["raw_total_ns"], each["name"])
            self.assertLessEqual(each["local_ns"], each["raw_local_ns"], each["name"])
        whole = sum(each["raw_local_ns"] for each in functions.values())
        outermost = sum(functions[name]["raw_total_ns"] for name in ("main", "sleep_on"))
        self.assertAlmostEqual(whole / outermost, 1, delta=0.001)
        return profile["processes"][0]["samples"], functions

    def fcdump(self, *options):
        return subprocess.run([fctest.tool("fcdump"), *options, self.path("functioncheck.fc")], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def check_samples(self, config=()):
        samples, functions = self.profile(CPU_MS, config)
        self.assertGreaterEqual(samples, 30)
        self.assertIn(f"by {samples} samples of where threads were", self.fcdump("--heaviest"))
        self.assertGreater(functions["lengthy"]["local_ns"], functions["brief"]["local_ns"])
        self.assertGreater(functions["lengthy"]["local_error_ns"], 0)

    def test_sampled(self):
        self.check_samples()

    @unittest.skipUnless(MACHINE == "x86_64", "gcc has hooks after inlining there alone")
    def test_after_inlining(self):
        self.check_samples(["--after-inlining"])

    def test_not_sampled(self):
        """Through the pipe, and where every call is recorded."""
        for env in ({"FC_TRANSPORT": "pipe"}, {"FC_DETAIL": "all"}):
            with self.subTest(env):
                samples, _ = self.profile(20, **env)
                self.assertEqual(samples, 0)
                self.assertNotIn("samples of where", self.fcdump("--heaviest"))


if __name__ == "__main__":
    unittest.main()
