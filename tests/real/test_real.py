#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs, built at -O2 from their source packages with fc-config's flags:
they do what a plain build does, every count is the oracle's, the times add up, and GNU gprof
reads the same from an export.

Usage: test_real.py [Lua|Bzip2]...; FCTEST_OFFLINE in the environment: use only
what was fetched before.
"""

import glob
import hashlib
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
import gprofread  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import sources  # noqa: E402


def build(package, names, flags, output, kind):
    """Compiles all of the sources `names` (a function of the folder) at once; `kind`
    is plain, profiled, or coverage, which counts for gcov."""
    folder = sources.source_folder(os.path.join(fctest.BUILD_ROOT, "sources"), package)
    words = ["gcc", "-O2", "-g", *flags, "-o", output, *names(folder)]
    if kind == "profiled":
        words += fctest.fc_config("--cflags-libs")
    elif kind == "coverage":
        words += ["-O0", "--coverage"]  # it counts only what is left after early inlining
    done = subprocess.run(words + ["-lm", "-ldl"], capture_output=True, text=True,
                          env=fctest.plain_environment(), cwd=os.path.dirname(output))
    if done.returncode != 0:
        raise AssertionError(f"{package} does not build:\n{done.stderr[-3000:]}")
    return output


def build_lua(output, kind):
    # The interpreter hashes with a seed from the clock and the layout of memory, caches
    # strings by their address and sorts from a pivot by the clock: fixed here, or no
    # two runs make the same calls.
    flags = ["-std=gnu99", "-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN", "-DLUA_COMPAT_5_3",
             "-Dluai_makeseed(state)=20001u", "-DSTRCACHE_N=1", "-DSTRCACHE_M=1",
             "-Dl_randomizePivot()=0u", "-Wl,-E", "-w"]
    # The package's rules make this header: where this machine's C modules are, of
    # which there are none here.
    include = os.path.join(os.path.dirname(output), "include")
    os.makedirs(include, exist_ok=True)
    with open(os.path.join(include, "lua5.4-deb-multiarch.h"), "w", encoding="utf-8") as stream:
        stream.write('#define DEB_HOST_MULTIARCH "none"\n')
    flags.append("-I" + include)
    return build("lua5.4", lambda folder: sorted(
        set(glob.glob(folder + "/src/*.c")) - {folder + "/src/luac.c"}), flags, output, kind)


def build_bzip2(output, kind):
    files = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib",
             "bzip2")
    return build("bzip2", lambda folder: [f"{folder}/{name}.c" for name in files],
                 ["-D_FILE_OFFSET_BITS=64", "-w"], output, kind)


class RealProgram(fctest.Case):
    def check_times(self, profile):
        main = profile.threads[0]
        local = main.local_ns
        self.assertGreater(main.run_ns, 0)
        self.assertLessEqual(abs(local - main.run_ns), 0.01 * main.run_ns,
                             f"local times add up to {local}, the thread ran {main.run_ns} ns")
        for function in profile.functions:
            self.assertLessEqual(function.local_ns, function.total_ns, function.name)
            self.assertLessEqual(function.total_ns, profile.run_ns, function.name)
        self.assertEqual(profile.losses, {})

    def check(self, plain, profiled, arguments, least_calls, **options):
        """Both programs do the same; gives the profile.  What goes to standard output
        is compared, and returned."""
        expected = self.run_target([plain, *arguments], **options)
        for env in ({}, {"FC_TRANSPORT": "pipe"}):
            found = self.run_quiet([profiled, *arguments], env=env, **options)
            self.assertEqual(
                (found.returncode, hashlib.sha256(found.stdout).hexdigest(), found.stderr),
                (expected.returncode, hashlib.sha256(expected.stdout).hexdigest(),
                 expected.stderr))
            counted = []
            for _ in range(2):
                done, files = self.run_oracle([profiled, *arguments], **options)
                self.assertEqual((done.returncode, len(files)), (expected.returncode, 1))
                counted.append(files[0])
            self.check_deterministic(*counted)
            calls = self.assert_counts_equal(counted[0], self.path("functioncheck.fc"))
            self.assertGreaterEqual(calls, least_calls)
            self.check_times(fcprofile.load(self.path("functioncheck.fc")))
        return expected.stdout

    def check_deterministic(self, one, other):
        """The oracle agrees with itself, or a comparison with it would mean nothing."""
        import compare
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


class Lua(RealProgram):
    def test_script(self):
        plain = build_lua(self.path("lua-plain"), "plain")
        profiled = build_lua(self.path("lua"), "profiled")
        arguments = [os.path.join(HERE, "work.lua"), "4"]
        out = self.check(plain, profiled, arguments, 3000000)
        self.assertEqual(len(out.splitlines()), 4, out)
        self.check_gprof(profiled)
        self.check_gcov(build_lua(self.path("lua-coverage"), "coverage"), arguments,
                        restarted=["luaV_execute"])


class Bzip2(RealProgram):
    def test_both_ways(self):
        plain = build_bzip2(self.path("bzip2-plain"), "plain")
        profiled = build_bzip2(self.path("bzip2"), "profiled")
        text = self.path("text")
        generator = random.Random(1)
        words = [generator.randbytes(generator.randrange(2, 9)).hex() for _ in range(3000)]
        with open(text, "w", encoding="utf-8") as stream:
            while stream.tell() < 6000000:
                stream.write(" ".join(generator.choices(words, k=200)) + "\n")
        packed = self.check(plain, profiled, ["-9", "-c", text], 100000)
        self.assertLess(len(packed), os.path.getsize(text) / 2)
        self.check_gprof(profiled)
        self.check_gcov(build_bzip2(self.path("bzip2-coverage"), "coverage"), ["-9", "-c", text])
        with open(self.path("text.bz2"), "wb") as stream:
            stream.write(packed)
        unpacked = self.check(plain, profiled, ["-d", "-c", self.path("text.bz2")], 5000)
        self.check_gprof(profiled)
        with open(text, "rb") as stream:
            self.assertEqual(hashlib.sha256(unpacked).digest(),
                             hashlib.sha256(stream.read()).digest())


if __name__ == "__main__":
    fctest.main()
