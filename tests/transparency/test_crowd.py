#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three times as many living threads as there are chunks: none waits for the others.

Time says little on a busy machine; how often a thread has to be scheduled again says it: a crowd
that wakes together, or looks again and again, is scheduled hundreds of times for each."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

THREADS = 3000
SWITCHES = 40  # of each thread; some 15 where it was measured, 4 with few calls

# Also how often the program's threads gave up the processor.
MEASURE = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw); "
           "sys.exit(done.returncode)")


class Crowd(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile(self.write("crowd.c", """
            #include <pthread.h>
            #include <stdlib.h>
            static pthread_barrier_t all_there, all_done;
            static int calls;
            static int leaf(int i) { return i + 1; }
            static void *work(void *unused)
            {
                volatile int sum = leaf(0);
                pthread_barrier_wait(&all_there);
                for (int i = 1; i < calls; i++)
                    sum += leaf(i);
                pthread_barrier_wait(&all_done);
                return unused;
            }
            int main(int argc, char **argv)
            {
                const unsigned count = (unsigned)atoi(argv[1]);
                pthread_t *threads = calloc(count, sizeof *threads);
                pthread_attr_t small;
                calls = atoi(argv[2]);
                pthread_attr_init(&small);
                pthread_attr_setstacksize(&small, 65536);
                pthread_barrier_init(&all_there, NULL, count);
                pthread_barrier_init(&all_done, NULL, count);
                for (unsigned i = 0; i < count; i++)
                    if (pthread_create(&threads[i], &small, work, NULL) != 0)
                        abort();
                for (unsigned i = 0; i < count; i++)
                    pthread_join(threads[i], NULL);
                return argc == 3 ? 0 : 1;
            }
            """))

    def check(self, transport, calls):
        done = subprocess.run([sys.executable, "-c", MEASURE, self.program, str(THREADS),
                               str(calls)], cwd=self.folder, capture_output=True, text=True,
                              timeout=fctest.TIMEOUT_S,
                              env={**fctest.plain_environment(), "FC_QUIET": "1",
                                   "FC_TRANSPORT": transport})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLess(int(done.stdout), SWITCHES * THREADS)
        profile = fcprofile.load(self.path("functioncheck.fc"))
        counted = {function.name: function.calls for function in profile.functions}
        self.assertEqual((counted["leaf"], counted["work"]), (THREADS * calls, THREADS))
        self.assertEqual(profile.losses, {})

    def test_few_calls(self):
        for transport in ("shared", "pipe"):
            self.check(transport, 10)

    def test_many_calls(self):
        for transport in ("shared", "pipe"):
            self.check(transport, 3000)


class OutOfMemory(fctest.Case):
    def test_others_are_sent(self):
        """The third thread gets no buffer: profiling stops, with what the others had in theirs."""
        program = self.compile(self.write("narrow.c", """
            #include <pthread.h>
            #include <sys/resource.h>
            #define QUIET __attribute__((no_instrument_function))
            static pthread_barrier_t turn;
            static int leaf(int i) { return i + 1; }
            static void profiled(void) { leaf(0); }
            QUIET static void *early(void *unused)
            {
                for (int i = 0; i < 50; i++)
                    profiled();
                pthread_barrier_wait(&turn);
                pthread_barrier_wait(&turn);
                return unused;
            }
            QUIET static void *late(void *unused)
            {
                pthread_barrier_wait(&turn);
                struct rlimit none = {1, RLIM_INFINITY};
                if (setrlimit(RLIMIT_AS, &none) != 0)
                    return unused;
                for (int i = 0; i < 50; i++)
                    profiled();
                pthread_barrier_wait(&turn);
                return &turn;
            }
            int main(void)
            {
                pthread_t threads[2];
                void *result = NULL;
                pthread_barrier_init(&turn, NULL, 2);
                pthread_create(&threads[0], NULL, early, NULL);
                pthread_create(&threads[1], NULL, late, NULL);
                pthread_join(threads[0], NULL);
                pthread_join(threads[1], &result);
                return result ? 0 : 1;
            }
            """))
        done = self.run_told([program], env={"FC_TRANSPORT": "pipe"})
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"no memory for a thread's buffer", done.stderr)
        profile = fcprofile.load(self.wait_for_file())
        counted = {function.name: function.calls for function in profile.functions}
        self.assertEqual((counted["main"], counted["profiled"], counted["leaf"]), (1, 50, 50))
        self.assertEqual(profile.losses.get("profiling-stopped"), 1)


if __name__ == "__main__":
    fctest.main()
