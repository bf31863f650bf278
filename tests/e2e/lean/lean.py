# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of fc-config --lean share: programs with counters of entries and, in the same code, the oracle's hooks."""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402
sys.path.insert(0, os.path.join(fctest.SOURCE_ROOT, "tests", "oracle"))
import compare  # noqa: E402
import fcprofile  # noqa: E402

# The same functions as those with counters: what is left after inlining.
JUDGED = {"gcc": ["-pg", "-mfentry", "-minstrument-return=call", "-mno-red-zone"],
          "clang": ["-finstrument-functions-after-inlining"]}


# What compilers make beside the functions of the source has a counter, but no hook; nor has a function of throw_through.cc that is
# not to be instrumented.
ARTIFICIAL = re.compile(r"_GLOBAL__sub_I_|__cxx_global_var_init|__clang_call_terminate|_ZT[WH]|__tls_init|_ZL6hiddeni$")


DENIED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
long syscall(long number, long a, long b, long c, long d, long e, long f)
{
    static long (*next)(long, long, long, long, long, long, long);
    if (number == SYS_perf_event_open && (DENIED))
        return errno = EACCES, -1;
    if (!next)
        next = (long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, "syscall");
    return next(number, a, b, c, d, e, f);
}
"""


class Case(fctest.Case):
    config = ["--lean"]

    def source(self, text, name="program.c"):
        return self.write(name, text)

    def compile_judged(self, source, *flags, compiler="gcc", links=()):
        """With counters and the oracle's hooks.  In two steps, as the linker is not to see -pg."""
        kind = "clang" if "clang" in compiler else "gcc"
        if not os.path.isabs(source):
            source = os.path.join(fctest.PROGRAMS, source)
        self.programs = getattr(self, "programs", 0) + 1
        output = f"program-{self.programs}"  # what is known of a file's symbols is kept by its name
        compiled = self.path(output + ".o")
        self.command([compiler, "-g", "-D_GNU_SOURCE", *fctest.fc_config("--cflags", "--lean"), *JUDGED[kind], *flags, "-c",
                      "-o", compiled, source])
        self.command([compiler, *fctest.fc_config("--cflags-libs", "--lean"), *flags, "-o", self.path(output), compiled,
                      *links, "-pthread", "-lm"])
        return self.path(output)

    def run_judged(self, words, env=None, **options):
        """Runs it with the oracle for its hooks; the run, and the oracle's files."""
        for old in glob.glob(self.path("oracle.*")) + glob.glob(self.path("functioncheck.fc*")):
            os.unlink(old)
        done = self.run_quiet(words, env={"LD_PRELOAD": fctest.ORACLE, "ORACLE_OUT": self.path("oracle"), **(env or {})}, **options)
        return done, sorted(glob.glob(self.path("oracle.*")))

    def assert_judged(self, oracle_file, profile):
        """Each function's calls are the oracle's."""
        oracle = compare.load_oracle(oracle_file).functions
        found = {place: calls for place, calls in compare.load_profile(profile).functions.items()
                 if place in oracle or not ARTIFICIAL.match(fcprofile.symbols_of(place[0]).get(place[1], ""))}
        self.assertTrue(oracle, f"{oracle_file} holds no count")
        lines = [f"{compare.show(key)}: oracle {oracle.get(key, 0)}, profile {found.get(key, 0)}"
                 for key in sorted(set(oracle) | set(found), key=repr) if oracle.get(key, 0) != found.get(key, 0)]
        self.assertEqual(lines, [], "counts differ from the oracle's:\n" + "\n".join(lines[:40]))
        return sum(oracle.values())

    def denied_manager(self, which="1"):
        """A manager that the kernel refuses samples, as in containers: all, or those that the condition is true of."""
        source = self.write("denied.c", DENIED)
        self.command(["gcc", "-O2", f"-DDENIED={which}", "-shared", "-fPIC", "-o", self.path("denied.so"), source])
        return self.manager(self.path("manager"), f'''
            extern int putenv(char *);
            putenv("LD_PRELOAD={self.path("denied.so")}");
            execv("{fctest.tool("fcmanager")}", argv);''')
