#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A signal handler may make any number of records while it interrupts a hook: the hook's own is
not lost, and no chunk is, with little address space either."""

import os
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

SIGNALS = "60"
LITTLE = 20000 * 1024


class LongHandler(fctest.Case):
    def check(self, transport, **options):
        program = self.compile("long_handler.c")
        done = self.run_quiet([program, SIGNALS], env={"FC_TRANSPORT": transport}, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        words = done.stdout.decode().split()
        profile = fcprofile.load(self.path("functioncheck.fc"))
        calls = {function.name: function.calls for function in profile.functions}
        for name, count in zip(words[::2], words[1::2]):
            self.assertEqual(calls[name], int(count), name)
        self.assertEqual((profile.losses, profile.repairs.get("gaps", 0)), ({}, 0))

    def test_shared(self):
        self.check("shared")

    def test_pipe(self):
        self.check("pipe")

    def test_little_address_space(self):
        self.check("shared", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                   (LITTLE, LITTLE)))


if __name__ == "__main__":
    fctest.main()
