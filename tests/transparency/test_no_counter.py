#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program may forbid itself the time-stamp counter: no hook reads it from then on.  What was
recorded before is in the profile.  That hooks read no clock when profiling is off is shown as well:
they would end the program."""

import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

# Of so many calls all are recorded, or most are counted.
CALLS = (900, 30000)
NOTICE = b"the program forbids itself the time-stamp counter, profiling stops here"

NAME = f"functioncheck-{os.getpid()}"  # managers of other tests are none of ours


class NoCounter(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("no_counter.c")

    def run_it(self, calls, transport, mode):
        done = self.run_told([self.program, str(calls)],
                               env={"FC_TRANSPORT": transport, "FC_TIME_MODE": mode,
                                    "FC_DUMP_NAME": NAME})
        self.assertEqual((done.returncode, done.stdout), (3, b"%d %d 512\n" % (2 * calls, calls)),
                         done.stderr)
        return done.stderr

    def leaves(self):
        fctest.wait_until(lambda: not fctest.processes(b"--name=" + NAME.encode()),
                          "a manager stays")
        found = sorted(name for name in os.listdir(self.folder)
                       if ".fc" in name and not name.endswith(".fcd"))
        loaded = [fcprofile.load(self.path(name)) for name in found]
        counts = [sum(function.calls for function in profile.functions if function.name == "leaf")
                  for profile in loaded]
        self.stops = [profile.losses.get("profiling-stopped", 0) for profile in loaded]
        for name in found:
            os.unlink(self.path(name))
        return counts

    def test_profiling_stops(self):
        for transport, calls in itertools.product(("shared", "pipe"), CALLS):
            self.assertIn(NOTICE, self.run_it(calls, transport, "tsc"))
            self.assertEqual((self.leaves(), self.stops), ([calls], [1]), transport)

    def test_other_clocks_go_on(self):
        for transport in ("shared", "pipe"):
            for mode in ("ext", "cpu", "sys"):
                self.assertNotIn(NOTICE, self.run_it(1000, transport, mode))
                self.assertEqual((sorted(self.leaves()), self.stops), ([1000, 3000], [0, 0]))

    def test_other_threads(self):
        """A thread that counts learns from its next sample that another one ended profiling; and it may
        forbid itself the counter then, too."""
        source = self.write("other.c", """
            #include <pthread.h>
            #include <stdlib.h>
            #include <sys/prctl.h>
            static pthread_barrier_t both;
            static int leaf(int x) { return x + 1; }
            static int many(int calls)
            {
                int sum = 0;
                for (int i = 0; i < calls; i++)
                    sum += leaf(i);
                return sum;
            }
            static void *work(void *unused)
            {
                many(30000);
                pthread_barrier_wait(&both);
                pthread_barrier_wait(&both);
                if (getenv("TOO") && prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
                    exit(1);
                many(200000);
                return unused;
            }
            int main(void)
            {
                pthread_t thread;
                pthread_barrier_init(&both, NULL, 2);
                pthread_create(&thread, NULL, work, NULL);
                pthread_barrier_wait(&both);
                if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
                    return 1;
                pthread_barrier_wait(&both);
                return pthread_join(thread, NULL);
            }
            """)
        for config, detail, too in itertools.product(([], ["--after-inlining"]), ("auto", "all"),
                                                     ({}, {"TOO": "1"})):
            program = self.compile(source, config=config)
            done = self.run_told([program], env={"FC_DETAIL": detail, "FC_DUMP_NAME": NAME, **too})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(NOTICE, done.stderr)
            counts = self.leaves()
            self.assertEqual((len(counts), self.stops), (1, [1]))
            self.assertGreaterEqual(counts[0], 30000, (config, detail))
            self.assertLess(counts[0], 30000 + 5000, (config, detail))

    def test_strict(self):
        """Four system calls are left to a thread, and no clock: no hook makes another, whether its calls
        are counted or recorded."""
        source = self.write("strict.c", """
            #include <linux/seccomp.h>
            #include <sys/prctl.h>
            #include <stdlib.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            static int leaf(int x) { return x + 1; }
            static int deep(int n) { return n > 0 ? deep(n - 1) + 1 : leaf(n); }
            int main(int argc, char **argv)
            {
                int sum = 0;
                for (int i = 0; i < atoi(argv[1]); i++)
                    sum += leaf(i);
                if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) != 0)
                    return 1;
                for (int i = 0; i < 400000; i++)
                    sum += leaf(i);
                sum += deep(2000);
                syscall(SYS_write, 1, "alive\\n", 6);
                syscall(SYS_exit, sum != 0 ? 3 : 4);
            }
            """)
        self.program = self.compile(source)
        inlined = self.compile(source, config=["--after-inlining"], output="inlined")
        for program, transport, detail, mode, calls in itertools.product(
                (self.program, inlined), ("shared", "pipe"), ("auto", "all"), ("tsc", "ext"), CALLS):
            done = self.run_told([program, str(calls)], env={
                "FC_TRANSPORT": transport, "FC_DETAIL": detail, "FC_TIME_MODE": mode,
                "FC_DUMP_NAME": NAME})
            self.assertEqual((done.returncode, done.stdout), (3, b"alive\n"), done.stderr)
            self.assertIn(b"forbids itself system calls, profiling stops here", done.stderr)
            self.assertEqual((self.leaves(), self.stops), ([calls], [1]),
                             (program, transport, detail, mode))


if __name__ == "__main__":
    fctest.main()
