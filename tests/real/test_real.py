#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs, built at -O2 from their source packages with fc-config's flags:
they do what a plain build does, every count is the oracle's, the times add up, and GNU gprof
reads the same from an export.

Lua takes 15 s of processor time, and up to a minute and a half beside other tests: three quarters of it are the
compiler's, for a plain, a profiled and a gcov build.  Tcc takes 12 s and up to a minute: half of that is the compiler's,
the rest is its own, which compiles itself seven times, and GNU gprof's.

Usage: test_real.py [Lua|Bzip2|Tcc]...; FCTEST_OFFLINE in the environment: use only
what was fetched before.
"""

import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from real import (HERE, TRANSPORTS, RealProgram, compare, fcprofile, fctest,  # noqa: E402
                  gprofread, main)
from programs import build_bzip2, build_lua, build_tcc  # noqa: E402


class OneProcess(RealProgram):
    def check(self, plain, profiled, arguments, least_calls, **options):
        """Both programs do the same; gives the profile.  What goes to standard output
        is compared, and returned."""
        expected = self.run_target([plain, *arguments], **options)
        counted = []
        for _ in range(2):
            done, files = self.run_oracle([profiled, *arguments], **options)
            self.assertEqual((done.returncode, len(files)), (expected.returncode, 1))
            counted.append(files[0])
        self.check_deterministic(*counted)
        for transport in TRANSPORTS:
            found = self.run_quiet([profiled, *arguments], env={
                "FC_TRANSPORT": transport, "FC_DUMP_PATH": self.folder}, **options)
            self.same(found, expected)
            profile = fcprofile.load(self.path("functioncheck.fc"))
            self.assertGreaterEqual(self.assert_counts_equal(counted[0], profile), least_calls)
            self.check_times(profile)
        return expected.stdout

    def check_deterministic(self, one, other):
        """The oracle agrees with itself, or a comparison with it would mean nothing."""
        lines = compare.differences(compare.load_oracle(one), compare.load_oracle(other))
        self.assertEqual(lines, [], "the program's own runs differ")

    def check_gprof(self, program):
        """GNU gprof reads from an export of the profile that is there what --json says."""
        if gprofread.GPROF is None:
            print("gprof is not installed: the export is not checked", file=sys.stderr)
            return
        data = json.loads(self.command([fctest.tool("fcdump"), "--json"]))
        self.command([fctest.tool("fcdump"), "--gmon=gmon.out"])
        report = gprofread.Report(program, self.path("gmon.out"))
        expected = gprofread.Expected(data, program)
        self.assertGreater(len(expected.flat), 20)
        self.assertGreater(len(expected.arcs), 20)
        self.assertEqual(gprofread.differences(report, expected), [])
        self.assertEqual(gprofread.tool_differences(program, self.path("gmon.out"),
                                                    fctest.tool("fcgprof")), [])

    def gcov_calls(self, program, arguments):
        """{name: sorted calls of the functions of that name}, as gcov counts them."""
        self.assertIn(self.run_target([program, *arguments]).returncode, (0, 3))
        out = subprocess.run(["gcov", "--json-format", "--stdout", *glob.glob(
            self.path("*.gcda"))], check=True, capture_output=True, text=True,
            cwd=self.folder).stdout
        calls = {}
        for line in out.splitlines():
            for source in json.loads(line)["files"]:
                for function in source["functions"]:
                    if function["execution_count"] > 0:
                        calls.setdefault(function["name"], []).append(
                            function["execution_count"])
        return {name: sorted(counts) for name, counts in calls.items()}

    def check_gcov(self, program, arguments, restarted=()):
        """The profile that is there has the calls that gcov counts in another build.
        For the functions `restarted`, which jump back to their own beginning, gcov
        counts the jumps as well."""
        found = {}
        for function in fcprofile.load(self.path("functioncheck.fc")).functions:
            found.setdefault(function.name, []).append(function.calls)
        expected = self.gcov_calls(program, arguments)
        self.assertGreater(len(expected), 20)
        for name in restarted:
            self.assertLess(sum(found.pop(name)), sum(expected.pop(name)))
        self.assertEqual({name: sorted(counts) for name, counts in found.items()}, expected)


class Lua(OneProcess):
    def test_script(self):
        plain = build_lua(self.path("lua-plain"), "reference")
        profiled = build_lua(self.path("lua"), "profiled")
        arguments = [os.path.join(HERE, "work.lua"), "4"]
        out = self.check(plain, profiled, arguments, 3000000)
        self.assertEqual(len(out.splitlines()), 4, out)
        self.check_gprof(profiled)
        # by a name as long, which the interpreter keeps: when it looks for garbage depends on that
        self.check_gcov(build_lua(self.path("cov"), "coverage"), arguments, restarted=["luaV_execute"])


class Bzip2(OneProcess):
    def test_both_ways(self):
        plain = build_bzip2(self.path("bzip2-plain"), "reference")
        profiled = build_bzip2(self.path("bzip2"), "profiled")
        text = self.write_text("text", 3000000)
        packed = self.check(plain, profiled, ["-9", "-c", text], 50000)
        self.assertLess(len(packed), os.path.getsize(text) / 2)
        self.check_gprof(profiled)
        self.check_gcov(build_bzip2(self.path("bzip2-coverage"), "coverage"), ["-9", "-c", text])
        with open(self.path("text.bz2"), "wb") as stream:
            stream.write(packed)
        # Unpacking makes fewer calls: some for each block, and one for each read and write.
        unpacked = self.check(plain, profiled, ["-d", "-c", self.path("text.bz2")],
                              os.path.getsize(text) // 5000 + len(packed) // 5000)
        self.check_gprof(profiled)
        with open(text, "rb") as stream:
            self.assertEqual(unpacked, stream.read())


class Tcc(OneProcess):
    """A compiler: deep mutual recursion, and a longjmp out of it at an error."""

    def setUp(self):
        super().setUp()
        self.plain = build_tcc(self.path("plain"), "reference")
        self.profiled = build_tcc(self.path("profiled"), "profiled")

    def test_itself(self):
        """It compiles its own source."""
        multiarch = self.command(["gcc", "-print-multiarch"]).strip()
        arguments = ["-B.", "-Iinclude", "-I/usr/include/" + multiarch, "-I.", "-DONE_SOURCE=1", "-w",
                     "-c", "tcc.c", "-o"]
        self.check(self.plain, self.profiled, [*arguments, self.path("out.o")], 3000000,
                   cwd=self.path("profiled"))
        objects = []
        for program in (self.plain, self.profiled):
            done = self.run_quiet([program, *arguments, self.path("out.o")],
                                  env={"FC_DUMP_PATH": self.folder}, cwd=self.path("profiled"))
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            with open(self.path("out.o"), "rb") as stream:
                objects.append(stream.read())
        self.assertTrue(objects[0] == objects[1], "it makes another object")
        self.check_gprof(self.profiled)

    def test_error(self):
        source = self.write("wrong.c", "int f(int a) { return a + (3 * (a - b)); }\n" * 2)
        self.check(self.plain, self.profiled, ["-c", source, "-o", self.path("wrong.o")], 500)
        self.assertEqual(self.run_target([self.profiled, "-c", source]).returncode, 1)
        self.assertGreater(fcprofile.load(self.path("functioncheck.fc")).repairs["jump"], 0)


PACKAGES = {"Lua": "lua5.4", "Bzip2": "bzip2", "Tcc": "tcc"}

if __name__ == "__main__":
    main(*(PACKAGES[name] for name in PACKAGES if name in sys.argv or len(sys.argv) == 1))
