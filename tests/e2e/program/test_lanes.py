#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""When threads were off the CPU: the buckets of fcdump --json against what the program does, and when."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

MS = 1000 * 1000

# A thread that uses the processor for 200 ms, sleeps for 300 ms and goes on for 200 ms; it prints when the sleep
# began and ended, in ns since it began.
PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
__attribute__((no_instrument_function)) static long long ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
static void works(void)
{
    const long long until = ns(CLOCK_THREAD_CPUTIME_ID) + 200000000;
    while (ns(CLOCK_THREAD_CPUTIME_ID) < until)
        ;
}
static void sleeps(void) { usleep(300000); }
static void *body(void *unused)
{
    const long long begun = ns(CLOCK_MONOTONIC);
    works();
    const long long from = ns(CLOCK_MONOTONIC);
    sleeps();
    const long long to = ns(CLOCK_MONOTONIC);
    works();
    printf("%lld %lld\\n", from - begun, to - begun);
    return unused;
}
__attribute__((no_instrument_function)) int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, body, 0);
    return pthread_join(thread, 0);
}
"""


class Lanes(fctest.Case):
    def dumped(self, *names):
        return json.loads(self.command([fctest.tool("fcdump"), "--json", *map(self.path, names)]))["threads"]

    def check_sums(self, thread):
        lanes = thread["lanes"]
        self.assertEqual(sum(lanes["blocked_ns"]) + sum(lanes["preempted_ns"]), thread["wait_ns"])
        # of the delay after a wait records do not tell, so lanes have it as a part of the wait
        self.assertLessEqual(sum(lanes["preempted_ns"]), thread["preempted_ns"] + 1)
        self.assertEqual(len(lanes["blocked_ns"]), len(lanes["preempted_ns"]))
        self.assertLessEqual(len(lanes["blocked_ns"]), 128)
        life = thread["end_ns"] - lanes["start_ns"]
        slack = len(lanes["blocked_ns"]) + 1  # each width is rounded
        self.assertGreaterEqual(len(lanes["blocked_ns"]) * lanes["width_ns"], life - slack)
        self.assertLess((len(lanes["blocked_ns"]) - 1) * lanes["width_ns"], life)

    def test_sleep_between_work(self):
        self.write("sleeper.c", PROGRAM)
        program = self.compile(self.path("sleeper.c"), "-pthread")
        for name, env in (("every", {"FC_DETAIL": "all"}), ("pipe", {"FC_TRANSPORT": "pipe"}),
                          ("coarse", {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"})):
            with self.subTest(name):
                done = self.run_quiet([program], env={**env, "FC_DUMP_NAME": name})
                self.assertEqual(done.returncode, 0, done.stderr)
                begun, ended = map(int, done.stdout.split())
                thread, = [each for each in self.dumped(name + ".fc") if each["calls"] == 4]
                self.check_sums(thread)
                lanes = thread["lanes"]
                width = lanes["width_ns"]
                self.assertEqual(lanes["start_ns"], thread["start_ns"])
                blocked = lanes["blocked_ns"]
                inside = range(begun // width + 2, ended // width - 1)  # buckets that are wholly in the sleep
                self.assertGreater(len(inside), 5)
                for at in inside:
                    self.assertGreaterEqual(blocked[at], 0.95 * width, (at, lanes))
                self.assertLess(sum(blocked[:begun // width - 1]), 20 * MS, lanes)
                self.assertLess(sum(blocked[ended // width + 2:]), 20 * MS, lanes)
        every, = [each for each in self.dumped("every.fc") if each["calls"] == 4]
        both = [each["lanes"] for each in self.dumped("every.fc", "pipe.fc") if each["calls"] == 4]
        self.assertEqual(len(both), 2)  # a sum lists the threads, with what is theirs
        self.assertIn(every["lanes"], both)

    def test_not_known(self):
        """The clock of the processor stands still while a thread waits."""
        self.write("sleeper.c", PROGRAM)
        done = self.run_quiet([self.compile(self.path("sleeper.c"), "-pthread")], env={"FC_TIME_MODE": "cpu"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({each["lanes"] for each in self.dumped("functioncheck.fc")}, {None})


if __name__ == "__main__":
    fctest.main()
