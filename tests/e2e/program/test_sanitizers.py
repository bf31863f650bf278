#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are built with a sanitizer as well, of both compilers: a sanitizer stands
before functions of the C library that libfc calls, and must not mind."""

import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

CALLS = {"main": 1, "worker": 2, "leaf": 5}


class Sanitizers(fctest.Case):
    def check(self, compiler, kind):
        if shutil.which(compiler) is None:
            self.skipTest(f"{compiler} is not installed")
        flags = [f"-fsanitize={kind}"]
        plain = self.compile("threads.c", *flags, compiler=compiler, profiled=False)
        expected = self.run_target([plain])
        self.assertEqual((expected.returncode, expected.stderr), (0, b""))
        program = self.compile("threads.c", *flags, compiler=compiler)
        for memory in ({}, {"FC_MEMORY": "1"}):
            done = self.run_quiet([program], env=memory)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
            profile = fcprofile.load(self.path("functioncheck.fc"))
            self.assertEqual({f.name: f.calls for f in profile.functions}, CALLS)
            os.remove(self.path("functioncheck.fc"))


def add_test(compiler, kind):
    def test(self):
        self.check(compiler, kind)
    setattr(Sanitizers, f"test_{compiler}_{kind}", test)


for each_compiler in ("gcc", "clang"):
    for each_kind in ("address", "undefined", "thread", "leak"):
        add_test(each_compiler, each_kind)


if __name__ == "__main__":
    unittest.main(verbosity=2)
