#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""libfc and fcmanager as threads of one process, under ThreadSanitizer: no data race on the
channel, the threads' books, tables and the shared chunks, and no call lost meanwhile, also of
functions that change between timed and counted.

    race.py PROGRAM EAGER LIBRARY [--rounds N] [--ms N] [TEST...]
"""

import argparse
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

SUPPRESSED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "races.supp")
parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("eager", help="the same with most functions counted")
parser.add_argument("library")
parser.add_argument("--rounds", type=int, default=1)
parser.add_argument("--ms", type=int, default=1500, help="how long functions change")
options, tests = parser.parse_known_args()
PROGRAM, EAGER, LIBRARY = map(os.path.abspath, (options.program, options.eager, options.library))


class Race(fctest.Case):
    def run_race(self, words, transport, **env):
        """The profile, and what was printed."""
        done = self.run_target(words, env={
            "FC_QUIET": "1", "FC_TRANSPORT": transport, "FC_TIME_MODE": "ext",
            "TSAN_OPTIONS": "exitcode=66 halt_on_error=1 print_suppressions=0 suppressions=" + SUPPRESSED,
            **env}, timeout=fctest.TIMEOUT_S + options.ms / 1000)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        return fcprofile.load(self.path("race.fc")), done.stdout.decode()

    def check(self, transport, **env):
        for _ in range(options.rounds):
            profile, told = self.run_race([PROGRAM], transport, **env)
            calls = {function.name: function.calls for function in profile.functions}
            self.assertEqual(calls["step"], int(told))
            self.assertEqual((calls["main"], calls["busy"], calls["brief"]), (1, 30, 100))
            self.assertEqual((profile.losses, profile.repairs), ({}, {}))
            self.assertEqual(len(profile.threads), 1 + 3 + 30 + 100)

    def check_changes(self, transport, section, **env):
        profile, told = self.run_race([EAGER, LIBRARY, str(options.ms)], transport, **env)
        truth = {name: int(calls) for name, calls in map(str.split, told.splitlines())}
        calls = {}
        for function in profile.functions:  # compilers have clones of some, as leaf.constprop.0
            name = function.name.split(".")[0]
            calls[name] = calls.get(name, 0) + function.calls
        self.assertEqual({name: calls.get(name) for name in truth}, truth)
        # Each time that the library is loaded whole turns of a thread fall into, and are that time's.
        for function in profile.functions:
            calls_in_turn = {"outside": 50, "within": 150}.get(function.name.split(".")[0], 1)
            self.assertEqual(function.calls % calls_in_turn, 0, f"{function.name}: {function.calls} calls")
        self.assertEqual(profile.losses, {})
        with open(self.path("race.fc"), encoding="utf-8") as stream:
            self.assertRegex(stream.read(), section)

    def test_shared(self):
        self.check("shared")

    def test_shared_far_ahead(self):
        self.check("shared", FC_BUFFER_SIZE="1000000")

    def test_pipe(self):
        self.check("pipe")

    def test_changes(self):
        self.check_changes("shared", r"(?m)^section counted \d+ [1-9]")

    def test_changes_pipe(self):
        """Nothing is counted, as the counters are in shared memory."""
        self.check_changes("pipe", r"(?m)^section functions ")

    def test_short(self):
        """Every call is recorded, by short records for the most part, which only the time-stamp counter's times are
        in."""
        for transport in ("shared", "pipe"):
            self.check_changes(transport, r"(?m)^section functions ", FC_DETAIL="all", FC_TIME_MODE="tsc")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + tests, verbosity=2)
