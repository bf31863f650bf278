#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the first screen says where hooks took more than the program: how to build it again is right for how it was
built, and doing so does it.

    rebuilt.py"""

import os
import re
import shlex
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

SMALL = {"Box<long>::get", "tiny"}
# In place of what was measured: what calls cost, and what hooks took of each function's time.
COSTS = "costs 40000 20000 4000 4000"
TAKEN_NS = 10**12
ATTRIBUTE = "__attribute__((no_instrument_function))"
FLAG = "-finstrument-functions-exclude-function-list="
STARTS = {"Box<long>::get": "    T get()", "tiny": "static int tiny("}


class Rebuilt(fctest.Case):
    config = []
    built = 0

    def build(self, compiler, *flags, source="suggested.cc", config=()):
        self.built += 1  # names are kept by path
        return self.compile(source, *flags, compiler=compiler, config=config, output=f"program-{self.built}")

    def profile(self, program):
        """{name: calls}"""
        done = self.run_target([program], env={"FC_DETAIL": "all", "FC_QUIET": "1"})
        self.assertEqual(done.returncode, 0)
        profile = fcprofile.load(self.path("functioncheck.fc"))
        return {self.command(["c++filt", "-p", function.name]).strip(): function.calls for function in profile.functions}

    def finding(self, taken_ns=TAKEN_NS, *options):
        """The line of it in a profile whose hooks took that of the small functions; None: there is none."""
        with open(self.path("functioncheck.fc"), encoding="utf-8") as file:
            text = re.sub(r"(?m)^costs .*$", COSTS, file.read())
        names = [self.command(["c++filt", "-p", function.name]).strip()
                 for function in fcprofile.load(self.path("functioncheck.fc")).functions]
        lines = [f"{i} {taken_ns} {taken_ns}\n" for i, name in enumerate(names) if name in SMALL]
        text, count = re.subn(r"(?m)^section cost-functions 1 \d+\n(?:(?!section ).*\n)*",
                              f"section cost-functions 1 {len(lines)}\n{''.join(lines)}", text)
        self.assertEqual(count, 1)
        screen = self.command([fctest.tool("fcdump"), "--width=60", *options, self.write("taken.fc", text)])
        found = [line for line in screen.splitlines() if line.startswith("* Hooks took ")]
        self.assertLessEqual(len(found), 1)
        return found[0] if found else None

    def check_optimized(self, line, compiler, level="-O2"):
        """It says to optimize; by the flags that it says nothing is left of what is inlined."""
        self.assertRegex(line, "as long as the functions, most for (Box<long>::get, tiny|tiny, Box<long>::get); compile with ")
        words = re.search(r"compile with (\w+)=(\".*\"): --suggest-filter$", line)
        self.assertEqual(words.group(1), "CXXFLAGS")
        self.assertTrue(words.group(2).startswith(f'"{level} -g $(fc-config --cflags)'), line)
        again = self.path(f"again-{self.built}")
        flags = shlex.split(self.command(["sh", "-c", f"echo {words.group(2)}"], bin=True))
        self.command([compiler, *flags, "-o", again, os.path.join(fctest.PROGRAMS, "suggested.cc"),
                      *fctest.fc_config("--libs")])
        self.assertFalse(SMALL & set(self.profile(again)))

    def command(self, words, bin=False, **options):
        if bin:
            path = fctest.BINDIR + ":" + os.environ["PATH"]
            words = ["env", f"PATH={path}", *words]
        return super().command(words, **options)

    def check_attribute(self, line, compiler, *flags):
        words = re.search(f"; write {re.escape(ATTRIBUTE)} before (.*): --suggest-filter$", line)
        named = set(words.group(1).split(", "))
        self.assertTrue(named and named <= SMALL, line)
        with open(os.path.join(fctest.PROGRAMS, "suggested.cc"), encoding="utf-8") as file:
            source = file.read()
        for name in named:
            source = source.replace(STARTS[name], f"{ATTRIBUTE} {STARTS[name]}")
        program = self.build(compiler, *flags, source=self.write("named.cc", source))
        self.assertEqual(set(self.profile(program)), {"main", "outer", "middle", "Box<int>::get_rest", *SMALL} - named)

    def compilers(self):
        return [compiler for compiler in ("g++", "clang++") if shutil.which(compiler)]

    def test_unoptimized(self):
        for compiler in self.compilers():
            with self.subTest(compiler):
                self.profile(self.build(compiler, "-O0"))
                self.check_optimized(self.finding(), compiler)

    def test_every_function(self):
        for compiler in self.compilers():
            if MACHINE != "x86_64" and compiler == "g++":
                continue
            with self.subTest(compiler):
                self.assertLess(SMALL, set(self.profile(self.build(compiler, "-O1", "-finline-functions", config=["--every-function"]))))
                self.check_optimized(self.finding(), compiler, "-O1" if compiler == "g++" else "-O2")

    def test_after_inlining(self):
        """What the compiler has not inlined."""
        for compiler in self.compilers():
            if MACHINE != "x86_64" and compiler == "g++":
                continue
            with self.subTest(compiler):
                self.assertLess(SMALL, set(self.profile(self.build(compiler, "-O2", "-fno-inline"))))
                self.check_attribute(self.finding(), compiler, "-O2", "-fno-inline")

    def test_only_classic(self):
        """Where fc-config's flags put hooks in before inlining."""
        for flags in (["-O2", "-flto"], ["-O2", FLAG + "nosuch"], ["-O2", "-fsplit-stack"]):
            if "-fsplit-stack" in flags and MACHINE != "x86_64":
                continue
            with self.subTest(flags=flags):
                self.profile(self.build("g++", *flags))
                words = re.search(r"; compile with (\S*): --suggest-filter$", self.finding()).group(1)
                self.assertTrue(words.startswith(FLAG), words)
                named = shlex.split(words)[0][len(FLAG):].split(",")
                self.assertTrue(named and set(named) <= {"tiny", "::get"}, words)
                left = set(self.profile(self.build("g++", *flags, *shlex.split(words))))
                self.assertFalse([name for name in left for part in named if part in name])
                self.assertLessEqual({"main", "outer", "middle"}, left)

    def test_unknown(self):
        """Nothing says how it was compiled: just the names."""
        self.profile(self.build("g++", "-O0", "-g0"))
        self.assertRegex(self.finding(), "as long as the functions: --suggest-filter$|as long.*\\.\\.\\.: --suggest-filter$")

    def test_not_said(self):
        self.profile(self.build("g++", "-O0"))
        self.assertIsNone(self.finding(taken_ns=1))
        self.assertIsNone(self.finding(TAKEN_NS, "--raw"))
        self.assertIsNone(self.finding(TAKEN_NS, "--time=wait"))


if __name__ == "__main__":
    fctest.main()
