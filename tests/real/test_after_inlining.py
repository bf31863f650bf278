#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs built at -O2 with `fc-config --after-inlining`, by gcc with its hooks that keep every register, and
bzip2 by clang as well: they do what a plain build does, and every count is the oracle's.  GNU gprof is not asked:
it takes the functions that are left in parts (those with a point in their names) for no functions.

Ninja takes 20 s of processor time, of which the compiler has nearly all, Lua 15, bzip2 10.

Usage: test_after_inlining.py [Lua|Ninja|Bzip2]...; FCTEST_OFFLINE as in test_real.py.
"""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import given  # noqa: E402
from real import HERE, main  # noqa: E402
from programs import build_bzip2, build_bzip2_by_clang, build_lua, build_ninja_at_o2, built  # noqa: E402
from test_real import OneProcess  # noqa: E402


class AfterInlining(OneProcess):
    def check_fentry(self, profiled):
        """The program was built in gcc's own way, and has nothing of the other one."""
        code = self.command(["objdump", "-d", "--no-show-raw-insn", profiled])
        called = set(re.findall(r"\bcall\s.*<(__fentry__|__return__|__cyg_profile_func_\w+?)(?:@plt)?>$", code, re.M))
        self.assertEqual(called, {"__fentry__", "__return__"})


class Lua(AfterInlining):
    def test_script(self):
        profiled = build_lua(self.path("lua"), "after-inlining")
        self.check_fentry(profiled)
        self.check(build_lua(self.path("lua-plain"), "reference"), profiled,
                   [os.path.join(HERE, "work.lua"), "4"], 1000000)


class Ninja(AfterInlining):
    def test_lists(self):
        plain, profiled = (built(build_ninja_at_o2, kind) for kind in ("reference", "after-inlining"))
        self.check_fentry(profiled)
        self.write("build.ninja", given.ninja_rules())
        self.assertIn(b"out/obj7.o: cc", self.check(plain, profiled, ["-t", "targets", "all"], 100000))
        self.check(plain, profiled, ["-t", "commands"], 100000)


class Bzip2(AfterInlining):
    def check_both_ways(self, profiled):
        plain = build_bzip2(self.path("bzip2-plain"), "reference")
        text = self.write_text("text", 3000000)
        packed = self.check(plain, profiled, ["-9", "-c", text], 50000)
        with open(self.path("text.bz2"), "wb") as stream:
            stream.write(packed)
        unpacked = self.check(plain, profiled, ["-d", "-c", self.path("text.bz2")], 1000)
        with open(text, "rb") as stream:
            self.assertEqual(unpacked, stream.read())

    def test_gcc(self):
        profiled = build_bzip2(self.path("bzip2"), "after-inlining")
        self.check_fentry(profiled)
        self.check_both_ways(profiled)

    def test_clang(self):
        if not shutil.which("clang"):
            self.skipTest("clang is not installed")
        self.check_both_ways(build_bzip2_by_clang(self.path("bzip2"), "after-inlining"))


PACKAGES = {"Lua": "lua5.4", "Ninja": "ninja-build", "Bzip2": "bzip2"}

if __name__ == "__main__":
    main(*(PACKAGES[name] for name in PACKAGES if name in sys.argv or len(sys.argv) == 1))
