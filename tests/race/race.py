#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""libfc and fcmanager as threads of one process, under ThreadSanitizer: no data race on the
channel, the threads' books and the shared chunks, and no call lost meanwhile.

    race.py PROGRAM [ROUNDS]
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 1


class Race(fctest.Case):
    def check(self, transport, **env):
        for _ in range(ROUNDS):
            done = self.run_target([PROGRAM], env={
                "FC_QUIET": "1", "FC_TRANSPORT": transport, "FC_TIME_MODE": "ext",
                "TSAN_OPTIONS": "exitcode=66 halt_on_error=1", **env})
            self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
            profile = fcprofile.load(self.path("race.fc"))
            calls = {function.name: function.calls for function in profile.functions}
            self.assertEqual(calls["step"], int(done.stdout))
            self.assertEqual((calls["main"], calls["busy"], calls["brief"]), (1, 30, 100))
            self.assertEqual((profile.losses, profile.repairs), ({}, {}))
            self.assertEqual(len(profile.threads), 1 + 3 + 30 + 100)

    def test_shared(self):
        self.check("shared")

    def test_shared_far_ahead(self):
        self.check("shared", FC_BUFFER_SIZE="1000000")

    def test_pipe(self):
        self.check("pipe")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
