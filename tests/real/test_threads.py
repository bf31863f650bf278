#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real program that lives on threads, pbzip2: it does what a plain build does, and
each count is that of the oracle beside it, as the threads share the work in another
way each time.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from real import TRANSPORTS, RealProgram, fcprofile, main  # noqa: E402
from programs import build_pbzip2  # noqa: E402

WORKERS = 8


class Pbzip2(RealProgram):
    def check(self, plain, profiled, arguments, least_calls):
        """What both print is returned."""
        expected = self.run_target([plain, *arguments])
        self.assertEqual((expected.returncode, expected.stderr), (0, b""))
        for transport in TRANSPORTS:
            self.same(self.run_quiet([profiled, *arguments], env={"FC_TRANSPORT": transport}),
                      expected)
            self.check_threads(fcprofile.load(self.path("functioncheck.fc")))
            done, files, profiles, _ = self.profile_tree(
                [profiled, *arguments], f"tree-{arguments[0]}-{transport}",
                env={"FC_TRANSPORT": transport})
            self.same(done, expected)
            self.assertEqual((len(files), len(profiles)), (1, 1))
            profile = fcprofile.load(profiles[0])
            self.assertGreaterEqual(self.check_pairs(files, [profile]), least_calls)
            self.check_threads(profile)
        return expected.stdout

    def check_threads(self, profile):
        self.check_times(profile)
        self.assertEqual(profile.repairs, {})
        workers = [thread for thread in profile.threads
                   if {"consumer", "consumer_decompress"} & set(thread.functions)]
        self.assertGreaterEqual(len(workers), WORKERS)
        for function in profile.functions:
            each = [thread.functions.get(function.name, (0, 0, 0)) for thread in profile.threads]
            named = [other for other in profile.functions if other.name == function.name]
            if len(named) == 1:
                self.assertEqual(sum(figures[0] for figures in each), function.calls)
                self.assertLessEqual(abs(sum(figures[2] for figures in each) - function.local_ns),
                                     len(each))

    def test_both_ways(self):
        plain = build_pbzip2(self.path("pbzip2-plain"), "reference")
        profiled = build_pbzip2(self.path("pbzip2"), "profiled")
        text = self.write_text("text", 3000000)
        how = [f"-p{WORKERS}", "-1", "-b1", "-k", "-c", text]
        packed = self.check(plain, profiled, ["-z", *how], 50000)
        self.assertLess(len(packed), os.path.getsize(text) / 2)
        with open(self.path("text.bz2"), "wb") as stream:
            stream.write(packed)
        unpacked = self.check(plain, profiled,
                              ["-d", f"-p{WORKERS}", "-c", self.path("text.bz2")], 2500)
        with open(text, "rb") as stream:
            self.assertEqual(unpacked, stream.read())


if __name__ == "__main__":
    main("bzip2", "pbzip2")
