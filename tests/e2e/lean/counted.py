#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of `fc-config --lean`: their counts are those of the oracle, whose hooks are in the same code, however the program is built,
with threads, forks and kills, and their times are samples."""

import json
import os
import re
import shutil
import signal

import lean
import compare
from cells import cells
import fcprofile
import fctest

BUILDS = cells([["-Os"], ["-O2", "-ffunction-sections"], ["-O2", "-fno-asynchronous-unwind-tables"]], [["-O1"], ["-O2"]])
# of these the calls of each call site are compared, too
BUILDS_FOR_ARCS = cells([["-O0"], ["-O2"], ["-O2", "-fno-plt", "-fPIC"], ["-O2", "-no-pie", "-fno-pic"]], [["-O3"], ["-O2", "-fcf-protection"]])

CALLS = """
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#define CALLED __attribute__((noinline))
static volatile long sink;
static jmp_buf place;
static inline long inlined(long x) { return x + sink; }
CALLED static long leaf(long x) { return inlined(x) * 3; }
CALLED static long middle(long x) { return leaf(x) + leaf(x + 1); }
CALLED long tail(long x) { sink += x; return middle(x + 2); }
CALLED long recursive(long x) { return x < 2 ? leaf(x) : recursive(x - 1) + recursive(x - 2); }
CALLED static void jumping(long x) { if (x % 3 == 0) longjmp(place, 1); leaf(x); }
CALLED static void catching(long x) { if (setjmp(place) == 0) jumping(x); leaf(x); }
CALLED static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
CALLED static double vectors(double a, double b, float c) { return a * b + c + sink; }
static long (*volatile indirect)(long) = tail;
static void at_end(void) { leaf(1); }
__attribute__((constructor)) static void at_start(void) { leaf(2); }
int main(void)
{
    int numbers[] = {5, 3, 9, 1, 7};
    long sum = 0;
    atexit(at_end);
    for (long i = 0; i < 300; i++)
    {
        sum += middle(i) + indirect(i) + recursive(i % 12) + (long)vectors(i, 2, 3);
        catching(i);
        qsort(numbers, 5, sizeof *numbers, compare);
    }
    printf("%ld\\n", sum);
    return 0;
}
"""

# Functions that jump to one another at their ends.
TAILS = """
#include <stdlib.h>
#ifdef __clang__
#define CALLED __attribute__((noinline))
#else
#define CALLED __attribute__((noinline, noclone))
#endif
static volatile unsigned sink;
CALLED static int work(int n) { for (int i = 0; i < n; i++) sink += i; return n; }
CALLED static int third(int n) { sink++; return work(n + 1); }
CALLED static int second(int n) { sink++; return n % 2 ? third(n + 1) : work(n + 2); }
CALLED static int first(int n) { sink++; return second(n + 1); }
CALLED static int rare(int n) { sink++; return second(n) + 1; }
CALLED static int pointed(int n) { for (int i = 0; i < n; i++) sink++; return n; }
static int (*volatile pointer)(int) = pointed;
CALLED static int by_pointer(int n) { sink++; return pointer(n) + 1; }
CALLED static int hidden(int n) { sink++; return second(n + 1); }
static int (*volatile other)(int) = hidden;
CALLED static int through(int n) { sink++; return other(n) + 1; }
CALLED static int never_sampled(int n) { return n + (int)sink; }
CALLED static int outer(int n) { return never_sampled(n) + never_sampled(n + 1); }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 400; i++)
        sum += first(100000 + i) + (i % 100 == 0 ? rare(10) : 0) + by_pointer(1000) + through(50000 + i) + outer(i);
    return sum == 1;
}
"""

THREADS = """
#include <pthread.h>
#include <stdlib.h>
#define CALLED __attribute__((noinline, noclone))
CALLED static int step(int x) { __asm__ volatile(""); return x + 1; }
CALLED static void *work(void *count)
{
    int x = 0;
    for (long i = 0; i < (long)count; i++)
        x = step(x);
    return (void *)(long)x;
}
int main(int argc, char **words)
{
    pthread_t threads[64];
    const int n = atoi(words[1]);
    (void)argc;
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)300000L) != 0)
            return 1;
    work((void *)200000L);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""

FORKS = """
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define CALLED __attribute__((noinline, noclone))
CALLED static void before(void) { __asm__ volatile(""); }
CALLED static void in_child(void) { __asm__ volatile(""); }
CALLED static void in_parent(void) { __asm__ volatile(""); }
int main(int argc, char **words)
{
    (void)words;
    for (int i = 0; i < 1000; i++)
        before();
    const pid_t child = fork();
    if (child < 0)
        return 1;
    for (int i = 0; i < 3000; i++)
        child == 0 ? in_child() : in_parent();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    if (argc > 1)
        kill(getpid(), SIGKILL);
    return 0;
}
"""

# One loop for both: processors take the same loop at another address for another time.
TIMES = """
static volatile unsigned sink;
#define CALLED __attribute__((noinline, noclone))
CALLED static void work(int n) { for (int i = 0; i < n; i++) sink += i; }
CALLED static void three(void) { work(300000); sink++; }
CALLED static void one(void) { work(100000); sink++; }
int main(void) { for (int i = 0; i < 1400; i++) { three(); one(); } return 0; }
"""

# A third of the time is spent in the C library, for `filler`, and about as much below `sorter`, mostly in the library and in `compare`.
CALLERS = """
#include <stdlib.h>
#include <string.h>
#define CALLED __attribute__((noinline))
static volatile unsigned sink;
static int numbers[20000];
static char room[1 << 16];
CALLED static int compare(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }
CALLED static void sorter(void) { for (int i = 0; i < 20000; i++) numbers[i] = i * 7919 % 20011; qsort(numbers, 20000, sizeof *numbers, compare); sink++; }
CALLED static void filler(void) { for (int i = 0; i < 300; i++) { memset(room, i, sizeof room); sink += room[i]; } }
#ifndef __clang__
__attribute__((noclone))
#endif
CALLED static void busy(int n) { for (int i = 0; i < n; i++) sink += i; }
CALLED static void outer(int n) { if (n > 0) outer(n - 1); else busy(700000); sink++; }
int main(void) { for (int i = 0; i < 150; i++) { sorter(); filler(); outer(3); } return 0; }
"""


# Some 200 ms in the kernel and in `busy`, and a sleep of 300 ms.
IN_KERNEL = """
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#define CALLED __attribute__((noinline))
static char room[1 << 16];
static volatile long sink;
static long spent(int system)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const struct timeval *time = system ? &usage.ru_stime : &usage.ru_utime;
    return time->tv_sec * 1000000 + time->tv_usec;
}
CALLED static void reader(int file) { while (spent(1) < 200000) for (int i = 0; i < 100; i++) sink += read(file, room, sizeof room); sink++; }
CALLED static void busy(void) { while (spent(0) < 200000) for (int i = 0; i < 1000000; i++) sink += i; }
CALLED static void sleeper(void) { struct timespec time = {0, 300000000}; nanosleep(&time, 0); sink++; }
int main(void) { reader(open("/dev/zero", O_RDONLY)); sleeper(); busy(); return 0; }
"""


class Counted(lean.Case):
    def check_program(self, program, words=(), **options):
        done, files = self.run_judged([program, *words], **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(files), 1)
        return self.assert_judged(files[0], self.path("functioncheck.fc"))

    def test_builds(self):
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for flags in BUILDS:
                with self.subTest(compiler=compiler, flags=flags):
                    program = self.compile_judged(self.source(CALLS), *flags, compiler=compiler)
                    self.assertGreater(self.check_program(program), 3000)

    def test_cxx(self):
        for compiler in filter(shutil.which, ("g++", "clang++")):
            for source in ("caught.cc", "throw_through.cc", "static_init.cc", "thread_local.cc"):
                with self.subTest(compiler=compiler, source=source):
                    program = self.compile_judged(source, "-O2", compiler=compiler)
                    self.check_program(program)

    def test_threads(self):
        for flags in (["-O2"], ["-O2", "-no-pie", "-fno-pic"]):
            with self.subTest(flags=flags):
                program = self.compile_judged(self.source(THREADS), *flags)
                for n in (1, 8, 64):
                    self.assertGreater(self.check_program(program, [str(n)]), 300000 * n)

    def check_forked(self, words, status):
        program = self.compile_judged(self.source(FORKS), "-O2")
        done, files = self.run_judged([program, *words])
        self.assertEqual(done.returncode, status)
        self.wait_for_file("functioncheck.fcd")
        self.assertEqual(len(files), 2)
        for file in files:
            self.assert_judged(file, self.path("functioncheck.fc." + file.rsplit(".", 1)[1]))

    def test_fork(self):
        self.check_forked([], 0)

    def test_fork_and_kill(self):
        self.check_forked(["killed"], -signal.SIGKILL)

    def test_times(self):
        """Three quarters of the time, whatever the machine does: both are sampled by the same clock."""
        if not self.has_samples():
            self.skipTest("the kernel allows no samples")
        program = self.compile(self.source(TIMES), "-O2")
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        self.check_parts(fcprofile.load_json(self.path("functioncheck.fc"), fctest.tool("fcdump")))
        # all of the time, with samples of either distance; user time, which the machine may be long in taking from the samples
        before = os.times()
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        took = os.times().children_user - before.children_user
        self.assertAlmostEqual(sum(fctest_flat(self).values()) / 1e9 / took, 1, delta=0.2)

    def check_parts(self, *profiles):
        """Three quarters, within five standard errors of so many samples: timers take about a hundred a run."""
        three = both = samples = 0
        for profile in profiles:
            totals = {function.name: function.total_ns for function in profile.functions}
            of_both = totals["three"] + totals["one"]
            three, both = three + totals["three"], both + of_both
            samples += profile.executed * of_both / sum(function.local_ns for function in profile.functions)
        self.assertGreater(samples, 20)
        self.assertAlmostEqual(three / both, 0.75, delta=5 * (0.75 * 0.25 / samples) ** 0.5)

    def test_callers(self):
        """By the stacks of the samples; what a library does has rows of its own."""
        if not self.has_samples():
            self.skipTest("the kernel allows no samples")
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for flags in cells([["-O2"]], [["-O1", "-fno-omit-frame-pointer"], ["-O2", "-no-pie", "-fno-pie"]]):
                with self.subTest(compiler=compiler, flags=flags):
                    program = self.compile(self.source(CALLERS), *flags, compiler=compiler, output=f"{compiler}-{len(flags)}{flags[0]}")
                    self.assertEqual(self.run_quiet([program]).returncode, 0)
                    self.check_callers(fcprofile.load_json(self.path("functioncheck.fc"), fctest.tool("fcdump")))

    def run_in_kernel(self, **env):
        """The process, its thread and its functions of a run of IN_KERNEL."""
        program = self.compile(self.source(IN_KERNEL), "-O2", output="in-kernel")
        self.assertEqual(self.run_quiet([program], env=env).returncode, 0)
        data = json.loads(self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")]))
        process, = data["processes"]
        thread, = data["threads"]
        self.assertGreaterEqual(thread["wait_ns"] - thread["preempted_ns"], 290e6)
        self.assertLess(thread["wait_ns"], thread["run_ns"])
        return process, {function["name"]: function for function in data["functions"]}

    def test_kernel(self):
        """Time in the kernel is that of the function that called it, if the kernel may be sampled; else it is told.  So are waits of threads."""
        if not self.has_samples():
            self.skipTest("the kernel allows no samples")
        process, functions = self.run_in_kernel()
        if process["unsampled_ns"] == 0:
            self.assertGreater(functions["reader"]["total_ns"], 100e6)
            self.assertLess(functions["reader"]["local_ns"], 0.5 * functions["reader"]["total_ns"])
        process, functions = self.run_in_kernel(FC_MANAGER=self.denied_manager("!(*(unsigned long *)(a + 40) >> 5 & 1)"))
        self.assertGreater(process["unsampled_ns"], 100e6)
        self.assertGreater(process["executed"], 20)
        self.assertIn("in the kernel are in no function's time", self.command([fctest.tool("fcdump"), self.path("functioncheck.fc")]))
        self.assertGreater(functions["busy"]["local_ns"], functions["reader"]["total_ns"])

    def test_arcs(self):
        """Each call site's calls are the oracle's; who is called by a pointer is only estimated."""
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for flags in BUILDS_FOR_ARCS:
                with self.subTest(compiler=compiler, flags=flags):
                    program = self.compile_judged(self.source(CALLS), "-fno-optimize-sibling-calls", *flags, compiler=compiler)
                    done, files = self.run_judged([program])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertGreater(self.assert_judged(files[0], self.path("functioncheck.fc")), 3000)
                    self.assertGreater(self.assert_same_arcs(program, files[0]), 10)

    def test_arcs_cxx(self):
        for source in ("caught.cc", "throw_through.cc", "counted.cc"):
            program = self.compile_judged(source, "-O2", "-fno-inline", "-fno-optimize-sibling-calls", compiler="g++")
            _, files = self.run_judged([program])
            self.assertGreater(self.assert_same_arcs(program, files[0]), 1)

    def assert_same_arcs(self, program, oracle_file):
        """How many were compared: all that begin in the program, but for indirect calls."""
        oracle = compare.load_oracle(oracle_file).arcs
        data = json.loads(self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")]))
        offsets = [fcprofile.address(function["entries"][0]["offset"]) for function in data["functions"]]
        mine = {(os.path.realpath(data["modules"][arc["site"]["module"]]["path"]), fcprofile.address(arc["site"]["offset"]), offsets[arc["callee"]]): arc["calls"]
                for arc in data["arcs"] if arc["calls"] and arc["caller"] is not None and not arc["apportioned"]}
        theirs = {(site, offset, callee): calls for ((site, offset), (module, callee)), calls in oracle.items()
                  if module == program and site == program and not self.is_indirect(program, offset)}
        self.assertEqual({key: mine.get(key) for key in theirs}, theirs)
        extra = {key: calls for key, calls in mine.items() if key not in theirs}
        self.assertEqual([key for key in extra if not lean.ARTIFICIAL.match(fcprofile.symbols_of(program).get(key[2], ""))], [])
        return len(theirs)

    def is_indirect(self, program, end):
        """Whether the call that ends there is one."""
        words = self.command(["objdump", "-d", f"--start-address={end - 8:#x}", f"--stop-address={end:#x}", program])
        return "call" in words and "*" in words.rsplit("call", 1)[1]

    def test_tail_jumps(self):
        """A function that is on no stack, since it jumped to another one, is its caller all the same."""
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for flags in (["-O2"], ["-O2", "-fPIC"], ["-O2", "-fno-pie", "-no-pie"]):
                with self.subTest(compiler=compiler, flags=flags):
                    program = self.compile(self.source(TAILS), *flags, compiler=compiler, output=f"{compiler}{len(flags)}{flags[-1]}")
                    self.assertEqual(self.run_quiet([program]).returncode, 0)
                    self.check_tail_jumps(fcprofile.load_json(self.path("functioncheck.fc"), fctest.tool("fcdump")))

    def check_tail_jumps(self, profile):
        callers = {}
        for arc in profile.arcs:
            key = (arc.caller.name if arc.caller else None, arc.callee.name)
            callers[key] = callers.get(key, 0) + arc.calls
        self.assertEqual({key: calls for key, calls in callers.items() if calls and None not in key},
                         {("main", "first"): 400, ("main", "rare"): 4, ("first", "second"): 400, ("rare", "second"): 4,
                          ("hidden", "second"): 400,
                          ("second", "third"): 400, ("second", "work"): 404, ("third", "work"): 400, ("main", "by_pointer"): 400,
                          ("main", "through"): 400, ("main", "outer"): 400, ("outer", "never_sampled"): 800}
                         | {key: 400 for key in (("by_pointer", "pointed"), ("through", "hidden")) if key in callers})
        functions = {function.name: function for function in profile.functions}
        self.assertEqual(functions["work"].calls, 804)
        if self.has_samples():  # `second` is on no stack, nor is `hidden`, of which no call site tells
            self.assertIn(("through", "hidden"), callers)
            self.assertGreater(functions["second"].total_ns, 0.8 * functions["main"].total_ns)
            self.assertLess(functions["second"].local_ns, 0.1 * functions["main"].total_ns)
        paths = {context.path for context in profile.contexts if context.calls}
        # `third` is in no stack: its calls are below the context of `second` that most samples show
        chains = [("main", *callers, "second", "third", "work") for callers in (("first",), ("through", "hidden"))]
        self.assertTrue(paths.intersection(chains), paths)
        self.assertIn(("main", "outer", "never_sampled"), paths)

    def check_callers(self, profile):
        functions = {function.name: function for function in profile.functions}
        callers = {(arc.caller.name if arc.caller else None, arc.callee.name): arc.calls for arc in profile.arcs if arc.calls}
        whole = functions["main"].total_ns
        self.assertEqual(sum(calls for (_, callee), calls in callers.items() if callee == "compare"), functions["compare"].calls)
        for caller, callee in (("main", "sorter"), ("main", "filler"), ("main", "outer"), ("outer", "outer"), ("outer", "busy"), ("sorter", "compare")):
            self.assertIn((caller, callee), callers)
        self.assertEqual((callers["main", "outer"], callers["outer", "outer"]), (150, 450))  # all samples have all four
        self.assertEqual({caller for caller, callee in callers if callee in ("filler", "sorter")}, {"main"})
        self.assertEqual(functions["outer"].calls, 600)
        if profile.executed >= 300:  # of a few samples it may have none
            self.assertGreater(functions["filler"].total_ns, 0.05 * whole)
        Counted.check_library(self, profile)
        self.assertGreater(functions["sorter"].total_ns, functions["compare"].total_ns)
        self.assertLessEqual(functions["outer"].total_ns, whole)
        self.assertGreaterEqual(functions["outer"].total_ns, functions["busy"].total_ns)
        self.assertAlmostEqual(sum(function.local_ns for function in profile.functions) / whole, 1, delta=0.05)

    def check_library(self, profile):
        """Time in the C library is that of functions below their callers, which nothing counts."""
        functions = {function.name: function for function in profile.functions}
        for caller in ("filler", "sorter"):
            arcs = [arc for arc in profile.arcs if arc.callee.uncounted and arc.caller is functions[caller]]
            # a sample may also be in the loader, when it binds the call
            modules = [os.path.basename(arc.callee.module) for arc in arcs]
            self.assertTrue(any("libc.so" in module for module in modules), modules)
            self.assertEqual([arc.calls for arc in arcs], [0] * len(arcs))
            self.assertAlmostEqual(sum(arc.total_ns for arc in arcs) + functions[caller].local_ns + (caller == "sorter") * functions["compare"].total_ns,
                                   functions[caller].total_ns, delta=0.01 * functions[caller].total_ns)
            for arc in arcs:
                self.assertEqual(arc.callee.total_ns, arc.callee.local_ns)
                self.assertIn(("main", caller, arc.callee.name), {context.path for context in profile.contexts})
        self.assertLess(functions["filler"].local_ns, 0.2 * functions["filler"].total_ns)
        flat = self.command([fctest.tool("fcdump"), "--flat", self.path("functioncheck.fc")])
        self.assertRegex(flat, r" - +" + re.escape(arcs[0].callee.name))
        self.assertNotRegex(flat, r"libfc")

    def has_samples(self):
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as stream:
            return int(stream.read()) <= 2 and shutil.which("perf") is not None and \
                self.run_target(["perf", "stat", "-e", "cpu-clock:u", "true"]).returncode == 0


def fctest_flat(case):
    """Local times in ns by function."""
    profile = fcprofile.load_json(case.path("functioncheck.fc"), fctest.tool("fcdump"))
    return {function.name: function.local_ns for function in profile.functions}


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    fctest.main()
