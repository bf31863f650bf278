#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries with counters of entries: linked, loaded and unloaded while threads run, in programs with and without counters, linked
as PIE and not; what a program that uses GS itself is told; runs without shared memory, and kills at any time."""


import json
import os
import random
import signal
import subprocess
import time

import lean
import fcprofile
import fctest

PLUGIN = """
#define CALLED __attribute__((noinline, noclone))
CALLED static int within(int x) { __asm__ volatile(""); return x + 1; }
int NAME(int n) { int x = 0; for (int i = 0; i < n; i++) x = within(x); return x; }
"""

# Threads run before the library is loaded, call it, and outlive it.  Words: how often, threads.
HOST = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define CALLED __attribute__((noinline, noclone))
static pthread_barrier_t barrier;
static int (*volatile function)(int);
static int rounds;
CALLED static int own(int x) { __asm__ volatile(""); return x + 1; }
static void *work(void *unused)
{
    int x = 0;
    for (int round = 0; round < rounds; round++)
    {
        for (int i = 0; i < 1000; i++)
            x = own(x);
        pthread_barrier_wait(&barrier);
        function(1000);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}
int main(int argc, char **words)
{
    pthread_t threads[16];
    const int n = atoi(words[3]);
    rounds = atoi(words[2]);
    (void)argc;
    pthread_barrier_init(&barrier, NULL, n + 1);
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int round = 0; round < rounds; round++)
    {
        void *library = dlopen(words[1], RTLD_NOW);
        if (!library)
            return fprintf(stderr, "%s\\n", dlerror()), 1;
        function = (int (*)(int))dlsym(library, "plugin");
        pthread_barrier_wait(&barrier);
        function(500);
        pthread_barrier_wait(&barrier);
        dlclose(library);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""

LINKED = """
int library(int n);
int main(void) { return library(700) != 700; }
"""

HAS_HANDLER = """
#include <signal.h>
#include <stdlib.h>
static void handle(int number) { abort(); }
static void begin(void) { signal(SIGURG, handle); }
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = begin;
"""

BOUND = """
#include <signal.h>
#include <unistd.h>
int library(int n);
__attribute__((noinline, noclone)) static int calling(int n) { return library(n) + 1; }
int main(int argc, char **words)
{
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += calling(700);
    if (argc > 1)
        kill(getpid(), SIGKILL);
    return sum != 5 * 701;
}
"""

USES_GS = """
#include <asm/prctl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static long mine[4] = {42, 43};
static void begin(void) { syscall(SYS_arch_prctl, ARCH_SET_GS, mine); }
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = begin;
__attribute__((noinline)) static long kept(void) { long x; __asm__ volatile("movq %%gs:8, %0" : "=r"(x)); return x; }
int main(void) { printf("%ld\\n", kept()); return 0; }
"""

ENDLESS = """
#include <pthread.h>
#include <unistd.h>
#define CALLED __attribute__((noinline, noclone))
static volatile unsigned long done[3];
CALLED static void step(unsigned long i) { done[i]++; }
static void *work(void *i) { for (;;) step((unsigned long)i); return i; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, (void *)1);
    pthread_create(&threads[1], NULL, work, (void *)2);
    write(1, "r", 1);
    work((void *)0);
}
"""


class Loaded(lean.Case):
    def calls(self, name="functioncheck.fc"):
        """By function, from all modules; not the code that was only sampled, as the C library's start."""
        calls = {}
        for function in fcprofile.load(self.path(name)).functions:
            if function.calls:
                symbol = fcprofile.symbols_of(function.module).get(function.offset)
                calls[symbol] = calls.get(symbol, 0) + function.calls
        return calls

    def library(self, name, *flags):
        source = self.write(name + ".c", PLUGIN.replace("NAME", name))
        self.command(["gcc", "-g", "-O2", "-fPIC", "-shared", *fctest.fc_config("--cflags-libs", "--lean"), *flags, "-o", f"lib{name}.so", source])
        return self.path(f"lib{name}.so")

    def test_linked(self):
        self.library("library")
        for flags in ([], ["-no-pie", "-fno-pie"]):
            with self.subTest(flags=flags):
                program = self.compile(self.write("linked.c", LINKED), "-O2", "-Wl,-rpath," + self.folder, *flags, "-L" + self.folder, "-Wl,--no-as-needed", "-llibrary",
                                       output=f"linked-{len(flags)}")
                done = self.run_quiet([program])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.calls(), {"main": 1, "library": 1, "within": 700})

    def test_bound(self):
        """Calls of another module's functions have exact arcs, whenever the loader binds them; after a kill, those that it bound at once."""
        self.library("library")
        for name, flags, words in (("lazy", ["-Wl,-z,lazy"], []), ("now", ["-Wl,-z,now"], []), ("slot", ["-fno-plt"], []), ("killed", ["-Wl,-z,now"], ["killed"])):
            with self.subTest(flags=flags, words=words):
                program = self.compile(self.write("bound.c", BOUND), "-O2", "-Wl,-rpath," + self.folder, *flags, "-L" + self.folder, "-Wl,--no-as-needed", "-llibrary",
                                       output="bound-" + name)
                self.assertEqual(self.run_quiet([program, *words]).returncode, -signal.SIGKILL if words else 0)
                data = json.loads(self.command([fctest.tool("fcdump"), "--json", self.wait_for_file()]))
                names = [function["name"] for function in data["functions"]]
                arcs = {(names[arc["caller"]], names[arc["callee"]]): arc["calls"] for arc in data["arcs"]
                        if arc["caller"] is not None and not arc["apportioned"]}
                self.assertEqual(arcs, {("main", "calling"): 5, ("calling", "library"): 5, ("library", "within"): 3500})
                os.unlink(self.path("functioncheck.fc"))

    def check_host(self, program, rounds, threads, has_counters=True):
        done = self.run_told([program, self.path("libplugin.so"), str(rounds), str(threads)])
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        self.assertEqual(calls["plugin"], rounds * (threads + 1))
        self.assertEqual(calls["within"], rounds * (1000 * threads + 500))
        if has_counters:
            self.assertEqual((calls["main"], calls.get("own", 0)), (1, rounds * threads * 1000))
        return done.stderr.decode()

    def test_loaded(self):
        """Each time it is another module, at the same addresses or not."""
        self.library("plugin")
        program = self.compile(self.write("host.c", HOST), "-O2")
        for rounds, threads in ((1, 0), (1, 4), (20, 3)):
            with self.subTest(rounds=rounds, threads=threads):
                self.assertNotIn("share", self.check_host(program, rounds, threads))

    def test_loaded_where_no_distance_fits(self):
        """The counters of the library are all threads'; nothing crashes, and it is said."""
        self.library("plugin")
        program = self.compile(self.write("host.c", HOST), "-O2", "-no-pie", "-fno-pie")
        # without randomized addresses libraries end just below the stack
        done = self.run_told(["setarch", "-R", program, self.path("libplugin.so"), "3", "4"])
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        self.assertEqual(calls["own"], 3 * 4 * 1000)
        self.assertLessEqual(calls["within"], 3 * 4500)
        self.assertGreater(calls["within"], 0)
        self.assertIn("some threads share counters", done.stderr.decode())

    def test_loaded_into_plain_program(self):
        self.library("plugin")
        program = self.compile(self.write("host.c", HOST), "-O2", profiled=False)
        done = self.run_quiet([program, self.path("libplugin.so"), "1", "0"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), {"plugin": 1, "within": 500})

    def test_gs_in_use(self):
        program = self.compile(self.write("gs.c", USES_GS), "-O0")
        done = self.run_told([program])
        self.assertEqual((done.returncode, done.stdout), (0, b"43\n"))
        self.assertEqual(self.calls(), {"begin": 1, "main": 1, "kept": 1})
        self.assertIn("uses the register GS itself", done.stderr.decode())

    def test_no_shared_memory(self):
        program = self.compile(self.write("linked.c", PLUGIN.replace("NAME", "library") + LINKED), "-O2", "-fno-inline")
        done = self.run_told([program], env={"FC_TRANSPORT": "pipe"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not counted", done.stderr.decode())

    def test_no_samples(self):
        """Calls are exact all the same, and the profile says what it lacks: neither the kernel samples nor timers can, as the program has a
        handler for their signal."""
        program = self.compile(self.write("linked.c", PLUGIN.replace("NAME", "library") + HAS_HANDLER + LINKED), "-O2", "-fno-inline")
        self.assertEqual(self.run_quiet([program], env={"FC_MANAGER": self.denied_manager()}).returncode, 0)
        calls = self.calls()
        self.assertEqual([calls[name] for name in ("main", "library", "within")], [1, 1, 700])
        self.assertEqual(fcprofile.load(self.path("functioncheck.fc")).losses, {"not-sampled": 1})

    def test_kills(self):
        """What was counted when it was killed is there, but for the steps that were being made."""
        program = self.compile(self.write("endless.c", ENDLESS), "-O2")
        for _ in range(10):
            with subprocess.Popen([program], cwd=self.folder, stdout=subprocess.PIPE, env=fctest.plain_environment(FC_QUIET="1")) as process:
                process.stdout.read(1)
                time.sleep(random.random() / 20)
                process.send_signal(signal.SIGKILL)
            profile = fcprofile.load(self.wait_for_file())
            os.unlink(self.path("functioncheck.fc"))
            self.assertEqual(profile.losses, {})
            self.assertGreaterEqual(len(profile.threads), 1)
            self.assertGreater(self.steps(profile), 1000)

    def steps(self, profile):
        return sum(function.calls for function in profile.functions
                   if fcprofile.symbols_of(function.module).get(function.offset) == "step")


if __name__ == "__main__":
    fctest.main()
