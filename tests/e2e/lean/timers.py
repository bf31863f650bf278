#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of `fc-config --lean` where the kernel refuses samples: timers of the threads take them, and the program does not notice."""

import glob
import json
import os

import counted
import lean
import fcprofile
import fctest

# Each thread is as busy as its number says; a forked child is, too.
THREADS = """
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#define CALLED __attribute__((noinline, noclone))
CALLED static void step(void) { for (volatile int i = 0; i < 100000; i++); }
CALLED static void *one(void *x) { for (int i = 0; i < 500; i++) step(); return x; }
CALLED static void *three(void *x) { for (int i = 0; i < 1500; i++) step(); return x; }
CALLED static void in_child(void) { for (int i = 0; i < 500; i++) step(); }
int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, three, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    const pid_t child = fork();
    if (child == 0)
    {
        in_child();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
}
"""

# What signals could disturb: waits of one thread while another one works, calls that are begun anew, a stack at whose end no memory
# follows, all signals blocked, a handler of the program's own, and all handlers reset.
SENSITIVE = """
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#define CALLED __attribute__((noinline, noclone))
#define CHECK(what) do { if (!(what)) { printf("line %d: errno %d\\n", __LINE__, errno); exit(1); } } while (0)
static int ends[2];
static volatile int is_done, counted;
static void count(int number) { (void)number; counted++; }
static ucontext_t back, there;
CALLED static void work(int n) { for (volatile long i = 0; i < n * 1000000L; i++); __asm__ volatile("" ::: "memory"); }
CALLED static void *busy(void *x) { while (!is_done) work(1); return x; }
CALLED static void *writer(void *x) { work(100); CHECK(write(ends[1], "x", 1) == 1); return x; }
CALLED static void *blocked(void *x)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    work(50);
    return x;
}
CALLED static void on_small_stack(void) { errno = 77; work(100); CHECK(errno == 77); }
int main(void)
{
    pthread_t one, two;
    char byte;
    const struct timespec wait = {0, 200000000};
    CHECK(pipe(ends) == 0);
    pthread_create(&one, NULL, busy, NULL);
    pthread_create(&two, NULL, writer, NULL);
    CHECK(read(ends[0], &byte, 1) == 1);
    CHECK(nanosleep(&wait, NULL) == 0);
    is_done = 1;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_create(&one, NULL, blocked, NULL);
    pthread_join(one, NULL);

    const long page = sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 18 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && mprotect(memory, page, PROT_NONE) == 0 && mprotect(memory + 17 * page, page, PROT_NONE) == 0);
    getcontext(&there);
    there.uc_stack.ss_sp = memory + page;
    there.uc_stack.ss_size = 16 * page;
    there.uc_link = &back;
    makecontext(&there, on_small_stack, 0);
    CHECK(swapcontext(&back, &there) == 0);

    signal(SIGURG, count);
    work(100);
    CHECK(counted <= 1);
    for (int i = 1; i < 65; i++)
        if (i != 32 && i != 33)
            signal(i, SIG_DFL);
    work(100);
    puts("undisturbed");
    return 0;
}
"""


# Runs a command without the right to perf_event_open, as containers do.
CONTAINED = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **words)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 125;
    execv(words[1], words + 1);
    return 126;
}
"""


class Timers(lean.Case):
    def setUp(self):
        super().setUp()
        self.environment = {"FC_MANAGER": self.denied_manager()}

    def profile(self, name="functioncheck.fc"):
        return fcprofile.load_json(self.path(name), fctest.tool("fcdump"))

    def run_denied(self, program):
        done = self.run_quiet([program], env=self.environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def profiles_of(self, run):
        """What `run` returns, of as many runs as bring some samples: a thread that has a processor for moments only,
        beside others, is seldom met by the kernel's ticks."""
        profiles = []
        while len(profiles) < 10 and sum(profile.executed for profile in profiles) < 60:
            profiles.append(run())
        return profiles

    def samples(self):
        process, = json.loads(self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")]))["processes"]
        return process["executed"], process["executed_by_timer"]

    def test_times(self):
        program = self.compile(self.source(counted.TIMES), "-O2")
        took = local = 0

        def run():
            nonlocal took, local
            before = os.times()
            self.run_denied(program)
            after = os.times()
            took += after.children_user + after.children_system - before.children_user - before.children_system
            profile = self.profile()
            local += sum(function.local_ns for function in profile.functions)
            executed, by_timer = self.samples()
            self.assertEqual(by_timer, executed)
            return profile

        counted.Counted.check_parts(self, *self.profiles_of(run))
        self.assertAlmostEqual(local / 1e9 / took, 1, delta=0.2)
        for report in (["--flat"], ["--callgraph"]):
            self.assertIn("by timers", " ".join(self.command([fctest.tool("fcdump"), *report, self.path("functioncheck.fc")]).split()))

    def test_contained(self):
        program = self.compile(self.source(counted.TIMES), "-O2")
        contained = self.compile(self.write("contained.c", CONTAINED), "-O2", profiled=False)

        def run():
            done = self.run_quiet([contained, program])
            self.assertEqual(done.returncode, 0, done.stderr)
            executed, by_timer = self.samples()
            self.assertEqual(by_timer, executed)
            return self.profile()

        counted.Counted.check_parts(self, *self.profiles_of(run))

    def test_callers(self):
        program = self.compile(self.source(counted.CALLERS), "-O2")
        self.run_denied(program)
        counted.Counted.check_callers(self, self.profile())

    def test_threads(self):
        program = self.compile(self.write("threads.c", THREADS), "-O2")

        def run():
            for name in glob.glob(self.path("functioncheck.*")):
                os.remove(name)
            self.run_denied(program)
            self.wait_for_file("functioncheck.fcd")
            profiles = [self.profile(name) for name in os.listdir(self.folder) if name.startswith("functioncheck.fc.")]
            functions = [{function.name: function for function in profile.functions} for profile in profiles]
            child, parent = sorted(functions, key=lambda each: each["step"].calls)
            self.assertEqual(parent["step"].calls, 2000)
            self.assertEqual(child["step"].calls, 500)
            in_child.append(child["in_child"].total_ns)
            return profiles[functions.index(parent)]

        in_child = []
        counted.Counted.check_parts(self, *self.profiles_of(run))
        self.assertGreater(sum(in_child), 0)

    def test_undisturbed(self):
        program = self.compile(self.write("sensitive.c", SENSITIVE), "-O2")
        for _ in range(5):
            self.assertEqual(self.run_denied(program).stdout, b"undisturbed\n")
        functions = {function.name: function for function in self.profile().functions}
        self.assertGreater(functions["on_small_stack"].total_ns, 0)
        self.assertGreater(functions["busy"].total_ns, 0)


if __name__ == "__main__":
    fctest.main()
