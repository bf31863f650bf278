#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC_DETAIL=auto: no call is lost where functions change between timed and counted, in many
threads at once and with handlers and jumps in between.

    test_counted.py [--ms N]"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

MS = int(sys.argv.pop()) if "--ms" in sys.argv else 500
sys.argv = [word for word in sys.argv if word != "--ms"]


class Counted(fctest.Case):
    def check(self, compiler, env):
        program = self.compile("counted_stress.c", "-O2", compiler=compiler,
                               output=f"stress-{compiler}")
        done = self.run_target([program, "8", str(MS)], env={"FC_QUIET": "1", **env})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        truth = {name: int(calls) for name, calls in
                 (line.split() for line in done.stdout.decode().splitlines())}
        profile = fcprofile.load(self.path("functioncheck.fc"))
        found = {}
        for function in profile.functions:  # gcc has clones of some, as in leaf.constprop.0
            name = function.name.split(".")[0]
            found[name] = found.get(name, 0) + function.calls
        self.assertEqual({name: found.get(name) for name in truth}, truth)
        self.assertEqual(profile.losses, {})
        with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
            self.assertRegex(stream.read(), r"(?m)^section counted \d+ [1-9]")

    def test_auto(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler=compiler):
                self.check(compiler, {"FC_DETAIL": "auto"})

    def test_eager(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler=compiler):
                self.check(compiler, {"FC_DETAIL": "auto", "LD_LIBRARY_PATH": fctest.eager_folder(),
                                      "FC_MANAGER": fctest.tool("fcmanager")})


if __name__ == "__main__":
    fctest.main()
