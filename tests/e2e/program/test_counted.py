#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC_DETAIL=auto: no call is lost where functions change between timed and counted, in many
threads at once and with handlers and jumps in between.

    test_counted.py [--ms N]"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

BUILDS = [("gcc",), ("clang",)]
if MACHINE == "x86_64":
    BUILDS.append(("gcc", "--after-inlining"))  # has hooks of its own there
MS = int(sys.argv.pop()) if "--ms" in sys.argv else 500
sys.argv = [word for word in sys.argv if word != "--ms"]


class Counted(fctest.Case):
    def check(self, env, compiler, *words):
        program = self.compile("counted_stress.c", "-O2", compiler=compiler, config=words,
                               output=f"stress-{compiler}{''.join(words)}")
        self.check_calls([program, "8", str(MS)], env)
        with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
            self.assertRegex(stream.read(), r"(?m)^section counted \d+ [1-9]")

    def check_calls(self, command, env):
        """The program prints how often it called what."""
        done = self.run_target(command, env={"FC_QUIET": "1", **env})
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

    def test_auto(self):
        for words in BUILDS:
            with self.subTest(words=words):
                self.check({"FC_DETAIL": "auto"}, *words)

    def test_eager(self):
        for words in BUILDS:
            with self.subTest(words=words):
                self.check({"FC_DETAIL": "auto", "LD_LIBRARY_PATH": fctest.eager_folder(),
                            "FC_MANAGER": fctest.tool("fcmanager")}, *words)

    def test_site_that_comes_back(self):
        for words in BUILDS:
            for env in ({}, {"LD_LIBRARY_PATH": fctest.eager_folder(),
                             "FC_MANAGER": fctest.tool("fcmanager")}):
                with self.subTest(words=words, env=env):
                    source = "recursion_through.c"
                    build = {"compiler": words[0], "config": words[1:]}
                    name = "".join(words)
                    library = self.compile(source, "-DLIBRARY", "-shared", "-fPIC", **build,
                                           output=f"through-{name}.so")
                    program = self.compile(source, **build, output=f"recursion-{name}")
                    self.check_calls([program, library], {"FC_DETAIL": "auto", **env})

    def test_found_late(self):
        """A function that proves short behind a deep recursion and thousands of others is counted."""
        self.check_calls([self.compile("found_late.c")], {"FC_DETAIL": "auto"})
        told = json.loads(self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")]))
        counted, = (function["counted"] for function in told["functions"] if function["name"] == "hot")
        self.assertGreater(counted, 1000000)


if __name__ == "__main__":
    fctest.main()
