#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program has of the machine is the same with and without libfc: floating-point
state, address space within a bound, and what is left under narrow limits."""

import glob
import os
import resource
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

TRANSPORTS = ("shared", "pipe")
# 64 MiB of shared chunks, as much alignment as a chunk, libfc and its tables
GROWTH_MAX_KIB = 72 * 1024
NAME = f"limits{os.getpid()}"


class FloatingPoint(fctest.Case):
    def check(self, *flags, compiler="gcc"):
        plain = self.compile("fpstate.c", *flags, compiler=compiler, profiled=False)
        program = self.compile("fpstate.c", *flags, compiler=compiler)
        expected = self.run_quiet([plain])
        self.assertEqual((expected.returncode, expected.stdout.count(b" 0 changes")), (0, 5))
        for transport in TRANSPORTS:
            for mode in ("tsc", "ext", "cpu"):
                done = self.run_quiet([program], env={"FC_TRANSPORT": transport,
                                                      "FC_TIME_MODE": mode})
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, expected.stdout, b""), f"{transport}, {mode}")

    def test_gcc(self):
        self.check()

    def test_clang(self):
        self.check("-O2", compiler="clang")


class Environment(fctest.Case):
    def test_end_of_it(self):
        """The auxiliary vector is behind it, also in an image that joined its session."""
        plain = self.compile("behind_environment.c", profiled=False)
        program = self.compile("behind_environment.c")
        for base in (fctest.plain_environment(), {"HOME": "/"}, {}):
            env = {"FC_QUIET": "1"}
            expected = self.run_target([plain], base=base or {"FC_QUIET": "1"}, env=env)
            done = self.run_target([program], base=base or {"FC_QUIET": "1"}, env=env)
            self.assertRegex(expected.stdout, rb"^[1-9]\d+ [1-9]\d+\n")
            self.assertEqual((done.returncode, done.stdout), (0, expected.stdout))


class FullStandardError(fctest.Case):
    def test_program_does_not_wait(self):
        program = self.compile("nesting.c")
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, bytes(4096))
        except BlockingIOError:
            os.set_blocking(writer, True)
        done = self.run_target([program], env={"FC_VERBOSE": ""}, stderr=writer)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(fcprofile.load(self.path("functioncheck.fc")).functions)
        os.close(reader)
        os.close(writer)


class Twin(fctest.Case):
    def test_profiling_stops(self):
        """Two processes with one thread's memory: what came before them is exact."""
        program = self.compile("twin.c")
        for env in (*({"FC_TRANSPORT": transport} for transport in TRANSPORTS), {"FC_DETAIL": "auto"}):
            done = self.run_told([program], env=env)
            self.assertEqual((done.returncode, done.stdout), (3, b"500\n"))
            self.assertIn(b"CLONE_VM", done.stderr)
            profile = fcprofile.load(self.wait_for_file())
            self.assertEqual([function.calls for function in profile.functions
                              if function.name == "leaf"], [3000000], env)
            self.assertEqual(profile.losses.get("profiling-stopped"), 1, env)
            os.unlink(self.path("functioncheck.fc"))


class AddressSpace(fctest.Case):
    def measure(self, program, **env):
        out = self.path("sizes")
        self.assertEqual(self.run_quiet([program, out], env=env).returncode, 0)
        with open(out, encoding="utf-8") as stream:
            return [tuple(map(int, line.split())) for line in stream]

    def test_growth(self):
        plain = self.measure(self.compile("mappings.c", profiled=False))
        program = self.compile("mappings.c")
        for transport in TRANSPORTS:
            profiled = self.measure(program, FC_TRANSPORT=transport)
            for before, after in zip(plain, profiled):
                self.assertLess(after[0] - before[0], GROWTH_MAX_KIB, transport)
            # it does not go on growing: what the threads take they give back
            self.assertLess(profiled[2][0] - profiled[1][0],
                            plain[2][0] - plain[1][0] + 1024, transport)


class Limits(fctest.Case):
    """Each limit for the program and all that it starts: soft and hard."""

    def outcomes(self, limits, env=None, **options):
        def prepare():
            for which, value in limits.items():
                resource.setrlimit(which, (value, value))
        seen = []
        for profiled in (False, True):
            program = self.compile("frugal.c", profiled=profiled)
            done = self.run_quiet([program, self.path("file")], env=env, preexec_fn=prepare,
                                  **options)
            seen.append((done.returncode, done.stdout.decode(), done.stderr.decode()))
        return seen

    def wait_for_manager(self):
        """A child that was just reaped is in its books when it ends."""
        word = b"--name=" + NAME.encode()
        fctest.wait_for_end(word)

    def check(self, limits, profile=True, env=None, **options):
        for transport in TRANSPORTS:
            plain, profiled = self.outcomes(
                limits, {"FC_TRANSPORT": transport, "FC_DUMP_NAME": NAME, **(env or {})},
                **options)
            if not profile:  # whether it fits depends on its figures; the manager says where it does not
                told = [line for line in profiled[2].splitlines(True) if not line.startswith("FCMng: can't write ")]
                profiled = (*profiled[:2], "".join(told))
            self.assertEqual(profiled, plain, transport)
            self.wait_for_manager()
            if not profile:
                continue
            names = [os.path.join(self.folder, entry.file) for entry in
                     fcprofile.load_descriptor(self.path(NAME + ".fcd"))]
            self.assertEqual(len(names), 2)
            self.assertEqual(fcprofile.load(names[0]).losses, {})
            for name in glob.glob(self.path("*.fc*")):
                os.unlink(name)

    def test_no_limits(self):
        self.check({})

    def test_descriptors(self):
        self.check({resource.RLIMIT_NOFILE: 16})

    def test_very_few_descriptors(self):
        """Whether or not there is one left for us.  If there is the program has one less, so
        what it prints may differ."""
        for count in range(4, 13):
            with self.subTest(count=count):
                plain, profiled = self.outcomes({resource.RLIMIT_NOFILE: count})
                self.assertEqual(profiled[0], plain[0])
                self.assertEqual(len(profiled[1].splitlines()), len(plain[1].splitlines()))
                # the manager may say why there is no profile, and nobody else anything
                self.assertEqual([line for line in profiled[2].splitlines()
                                  if not line.startswith("FCMng: ")], [])

    def test_address_space(self):
        for mib in (24, 48, 100, 300):
            with self.subTest(mib=mib):
                self.check({resource.RLIMIT_AS: mib << 20})

    def test_file_size(self):
        """The program's file is cut short and it gets SIGXFSZ, or EFBIG."""
        for kib in (4, 64):
            with self.subTest(kib=kib):
                self.check({resource.RLIMIT_FSIZE: kib << 10}, profile=kib >= 64)

    def test_stack(self):
        self.check({resource.RLIMIT_STACK: 64 << 10})

    def test_locked_memory(self):
        """A program of a few megabytes locks them all, within the limit that most systems set."""
        if os.geteuid() != 0:
            self.skipTest("needs another user, who may not lock what he likes")
        self.share_with_others(0o777)
        for transport in TRANSPORTS:
            seen = []
            for profiled in (False, True):
                program = self.compile("locked.c", profiled=profiled)
                done = self.run_quiet(["setpriv", "--reuid", "54321", "--clear-groups", "prlimit",
                                       "--memlock=8388608:8388608", program],
                                      env={"FC_TRANSPORT": transport})
                seen.append((done.returncode, done.stdout, done.stderr))
            self.assertEqual(seen[0], (0, b"mlockall: done\n" * 2, b""))
            self.assertEqual(seen[1], seen[0])
            profile = fcprofile.load(self.path("functioncheck.fc"))
            calls = {function.name: function.calls for function in profile.functions}
            self.assertEqual((calls["step"], profile.losses), (2 * 4 * 200000, {}), transport)

    def test_no_processes(self):
        """There can be no manager: the program is not profiled, and told so once."""
        if os.geteuid() != 0:
            self.skipTest("needs another user, whose processes nobody else adds to")
        self.share_with_others(0o777)
        program = self.compile("nesting.c")
        words = ["setpriv", "--reuid", "54321", "--clear-groups", "prlimit", "--nproc=0:0",
                 program]
        done = self.run_target(words)
        text = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (0, b""), text)
        told = [line for line in text.splitlines() if "manager" in line]
        self.assertEqual(len(told), 1, text)
        self.assertEqual(self.run_quiet(words).stderr, b"")


class Traps(fctest.Case):
    """Signals of the processor and of the kernel's filters come where libfc has signals blocked, too."""
    def check(self, kind, calls, **env):
        plain = self.run_target([self.compile("traps.c", profiled=False), kind, str(calls)])
        if plain.returncode == 77:
            self.skipTest("the kernel forbids it")
        done = self.run_quiet([self.compile("traps.c"), kind, str(calls)], env=env)
        self.assertEqual((plain.returncode, done.returncode, done.stderr), (0, 0, b""), kind)
        found = {one.name: one.calls for one in fcprofile.load(self.wait_for_file()).functions}
        said = done.stdout.split()
        handled = int(said[2]) if said else calls
        self.assertEqual(found["leaf"], calls)
        for name, wanted in (("handler", handled), ("count", handled), ("work", 3 * handled)):
            # what libfc sends at the end is filtered as well
            self.assertIn(found[name], range(wanted, wanted + 90) if kind == "filter" else [wanted], f"{kind}, {name}")
        if kind not in ("step", "filter"):
            self.assertEqual((done.stdout, handled), (plain.stdout, calls))

    @unittest.skipUnless(os.uname().machine == "x86_64", "x86-64 only")
    def test_each(self):
        for env in ({}, {"FC_DETAIL": "all"}, {"FC_TRANSPORT": "pipe"}):
            self.check("step", 12, **env)
            self.check("filter", 1500, **env)
        for kind in ("break", "dispatch", "range"):
            self.check(kind, 700)


class Ignored(fctest.Case):
    def test_signals_that_are_ignored(self):
        """SIGXFSZ and SIGPIPE, ignored by whoever started it, are so for the program alone."""
        def prepare():
            for number in (signal.SIGXFSZ, signal.SIGPIPE, signal.SIGCHLD):
                signal.signal(number, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        plain = self.compile("lines.c", profiled=False)
        program = self.compile("lines.c")
        seen = []
        for words in ([plain, "20000"], [program, "20000"]):
            with open(self.path("out"), "wb") as out:
                done = self.run_quiet(words, preexec_fn=prepare, stdout=out,
                                      stderr=subprocess.PIPE)
            seen.append((done.returncode, done.stderr, os.path.getsize(self.path("out"))))
        self.assertEqual(seen[1], seen[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
