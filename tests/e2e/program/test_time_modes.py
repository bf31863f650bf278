#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The four clocks.  The target reads its own clocks just inside and just outside
of each function: whatever the machine is doing, the profile's total must lie
between the two.  (In mode tsc with 1 % for the calibration.)"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

MS = 1000 * 1000


class TimeModes(fctest.Case):
    def check(self, mode, clock, slack=0.0, flags=()):
        program = self.compile("clocks.c", *flags)
        done = self.run_quiet([program], env={"FC_TIME_MODE": mode})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        totals = {function.name: function for function in profile.functions}
        if "-DEARLY" not in flags:  # nothing is profiled before main or after it
            self.assertAlmostEqual(profile.threads[0].run_ns, totals["main"].raw_total_ns, delta=100,
                                   msg="the thread's run")
        measured = {}
        for line in done.stdout.decode().splitlines():
            name, which, inside, outside = line.split()
            if which == clock:
                measured[name] = int(inside)
                # A reading may be off by the clock's own step of 1 us (getrusage).
                self.assertGreaterEqual(totals[name].total_ns, int(inside) * (1 - slack) - 1000,
                                        name)
                self.assertLessEqual(totals[name].total_ns, int(outside) * (1 + slack) + 1000, name)
        self.assertEqual(set(measured), {"nap", "burn", "enter_kernel"})
        return totals, measured

    def test_ext(self):
        totals, _ = self.check("ext", "ext")
        self.assertGreaterEqual(totals["nap"].total_ns, 150 * MS)

    def test_tsc(self):
        totals, _ = self.check("tsc", "ext", 0.01)
        self.assertGreaterEqual(totals["nap"].total_ns, 148 * MS)

    def test_before_the_clock_is_chosen(self):
        """The first record is made before libfc's constructor ran, and read from the counter.  (So
        early there is no environment yet, which the C library sets up: the file serves.)"""
        for mode in ("ext", "cpu", "sys"):
            with self.subTest(mode):
                self.write(".functioncheckrc", f"FC_QUIET 1\nFC_TIME_MODE {mode}\n")
                totals, _ = self.check(mode, mode, flags=("-DEARLY",))
                self.assertEqual(totals["early"].calls, 1)

    def test_tsc_that_may_not_be_read(self):
        """The kernel forbids the process the counter before libfc starts: nothing reads it."""
        source = self.write("forbid.c", """#include <sys/prctl.h>
            #include <sys/syscall.h>
            __attribute__((no_instrument_function)) static void forbid(void)
            {
                register long unused4 __asm__("r10") = 0;
                long result = SYS_prctl;
                __asm__ volatile("syscall" : "+a"(result)
                                 : "D"((long)PR_SET_TSC), "S"((long)PR_TSC_SIGSEGV), "d"(0L),
                                   "r"(unused4) : "rcx", "r11", "memory");
            }
            __attribute__((section(".preinit_array"), used)) static void (*first)(void) = forbid;
            """)
        program = self.compile("nesting.c", source)
        done = self.run_target([program], env={"FC_VERBOSE": ""})
        text = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (0, b""), text)
        self.assertIn("FCheck: no invariant time-stamp counter here, time mode is ext\n", text)
        self.assertRegex(text, r"FCheck: +time mode : ext\n")
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual((profile.time_mode, len(profile.functions)), ("ext", 4))

    def test_cpu(self):
        totals, _ = self.check("cpu", "cpu")
        # asleep, a thread uses no CPU time; the bound is a fifth of what it slept
        self.assertLess(totals["nap"].total_ns, 30 * MS)
        self.assertGreaterEqual(totals["burn"].total_ns, 100 * MS)

    def test_sys(self):
        totals, measured = self.check("sys", "sys")
        self.assertLess(totals["nap"].total_ns, 30 * MS)
        self.assertGreater(measured["enter_kernel"], 0, "the target saw no system time at all")
        self.assertGreater(totals["enter_kernel"].total_ns, 0)


if __name__ == "__main__":
    fctest.main()
