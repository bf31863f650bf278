#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A signal between any two instructions of the hooks, by a tracer that goes from one to the next: each call is
there, and has the caller that it had."""

import os
import sys
import types
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), *folder)
                for folder in (("../..", "support"), ("..", "shapes"))]
import fcprofile  # noqa: E402
import fctest  # noqa: E402
import checks  # noqa: E402

ROUNDS = 24


class Interrupts(fctest.Case):
    def check(self, words, seed, config=()):
        tracer = self.compile("interrupt.c", profiled=False, output="interrupt")
        program = self.compile("interrupted.c", config=config)
        truth = self.path("truth")
        done = self.run_quiet([tracer, str(seed), program, str(ROUNDS)], base=fctest.plain_environment("eager"),
                              env={"TRUTH": truth, "FC_FILTER": words, "FC_TRANSPORT": "shared"})
        if done.returncode == 77:
            self.skipTest("no process may be traced here")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        run = types.SimpleNamespace(profiles=[profile], truth=checks.Truth(truth),
                                    shape=types.SimpleNamespace(filter=None, truth_slack=0, may_lose=lambda _: 0),
                                    transport="shared")
        checks.check_truth(run)
        checks.check_callers(profile)
        self.assertEqual(run.truth.value("step") + run.truth.value("leap"), 16 * ROUNDS)
        self.assertGreater(run.truth.value("on_signal"), ROUNDS)
        return profile

    def test_called_is_recorded(self):
        """The handler is counted and has no frame, what it calls is recorded."""
        self.check("count:step;count:leap;count:on_signal;time:in_handler", 1)

    def test_caller_is_recorded(self):
        self.check("count:step;count:leap;time:on_signal;count:in_handler", 2)

    def test_all_counted(self):
        self.check("count:step;count:leap;count:on_signal;count:in_handler", 3)

    @unittest.skipIf(os.uname().machine != "x86_64", "gcc does that on x86-64 only")
    def test_after_inlining(self):
        self.check("count:step;count:leap;count:on_signal;time:in_handler", 4, config=["--after-inlining"])


if __name__ == "__main__":
    fctest.main()
