#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program may forbid itself the time-stamp counter: no hook reads it from then on.  What was
recorded before is in the profile.  That hooks read no clock when profiling is off is shown as well:
they would end the program."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

NOTICE = b"the program forbids itself the time-stamp counter, profiling stops here"

NAME = f"functioncheck-{os.getpid()}"  # managers of other tests are none of ours


class NoCounter(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("no_counter.c")

    def run_it(self, transport, mode):
        done = self.run_target([self.program],
                               env={"FC_TRANSPORT": transport, "FC_TIME_MODE": mode,
                                    "FC_DUMP_NAME": NAME})
        self.assertEqual((done.returncode, done.stdout), (3, b"2000 1000 512\n"), done.stderr)
        return done.stderr

    def leaves(self):
        fctest.wait_until(lambda: not fctest.processes(b"--name=" + NAME.encode()),
                          "a manager stays")
        found = sorted(name for name in os.listdir(self.folder)
                       if ".fc" in name and not name.endswith(".fcd"))
        counts = [sum(function.calls for function in fcprofile.load(self.path(name)).functions
                      if function.name == "leaf") for name in found]
        for name in found:
            os.unlink(self.path(name))
        return counts

    def test_profiling_stops(self):
        for transport in ("shared", "pipe"):
            self.assertIn(NOTICE, self.run_it(transport, "tsc"))
            self.assertEqual(self.leaves(), [1000], transport)

    def test_other_clocks_go_on(self):
        for transport in ("shared", "pipe"):
            for mode in ("ext", "cpu", "sys"):
                self.assertNotIn(NOTICE, self.run_it(transport, mode))
                self.assertEqual(sorted(self.leaves()), [1000, 3000])


if __name__ == "__main__":
    fctest.main()
