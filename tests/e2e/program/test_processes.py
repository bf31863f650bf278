#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of processes, threads, and code before and after main: which files there
are, and that every count in them is right."""

import glob
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

# two threads that are still there when the process ends, or a signal ends it, and one that is not
NAMED = """
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void *stays(void *name) { pthread_setname_np(pthread_self(), name); return pause(), NULL; }
static void *leaves(void *name) { pthread_setname_np(pthread_self(), name); return NULL; }
int main(int count, char **words)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leaves, "went (1)");
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, NULL, stays, i ? "second" : ") stays(");
    usleep(1000 * 1000);
    if (count > 1)
        raise(SIGKILL);
    exit(0);
}
"""

DATE = r"[-0-9]+ [0-9:]+(?: [-+]\d{4})?"


def calls_of(profile):
    return {function.name: function.calls for function in profile.functions}


class Tree(fctest.Case):
    def files(self):
        return sorted(name for name in os.listdir(self.folder) if re.search(r"\.fcd?\b", name))

    def run_tree(self, *words, env=None):
        """The lines that the processes print: {pid: (ppid, level, calls)}"""
        program = self.compile("tree.c")
        done = self.run_quiet([program, *words], env=env)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        rows = [tuple(map(int, line.split())) for line in done.stdout.decode().splitlines()]
        return {row[0]: row[1:] for row in rows}

    def test_tree(self):
        seen = self.run_tree("2", "3")
        self.assertEqual(len(seen), 1 + 3 + 9)
        self.assertEqual(self.files(), sorted(
            [f"functioncheck.fc.{pid}" for pid in seen] + ["functioncheck.fcd"]))
        ids = set()
        for pid, (ppid, level, calls) in seen.items():
            profile = fcprofile.load(self.path(f"functioncheck.fc.{pid}"))
            self.assertEqual((profile.pid, profile.ppid), (pid, ppid))
            counts = calls_of(profile)
            self.assertEqual(counts["step"], calls)
            # what is inherited at a fork was called elsewhere
            self.assertEqual((counts["grow"], counts["main"]), (1, 1 if level == 0 else 0))
            self.assertEqual((profile.losses, profile.end_value), ({}, level))
            ids.add(profile.unique_id)
        self.assertEqual(len(ids), 1, "the session's processes do not share their id")

    def test_names_of_threads(self):
        """Those that are there to the end tell no name themselves."""
        program = self.compile(self.write("named.c", NAMED), "-pthread")
        for words in ([], ["killed"]):
            with self.subTest(words=words):
                self.run_quiet([program, *words])
                self.wait_for_file()
                profile = fcprofile.load(self.path("functioncheck.fc"))
                os.unlink(self.path("functioncheck.fc"))
                self.assertEqual(sorted(str(thread.name) for thread in profile.threads),
                                 [") stays(", "named", "second", "went (1)"])

    def test_first_record_before_libc(self):
        """Settings and session are found before the C library has set the environment, in which the
        program then finds nothing that was not there before."""
        printed = []
        for profiled in (False, True):
            program = self.compile("first_record.c", profiled=profiled)
            done = self.run_target([program], base={"FIRST": "1", "LAST": "2"} if not profiled else
                                   {"FIRST": "1", "FC_QUIET": "1", "FC_DUMP_NAME": "named",
                                    "LAST": "2"})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            printed.append([line for line in done.stdout.decode().splitlines()
                            if line not in ("FC_QUIET=1", "FC_DUMP_NAME=named")])
        self.assertEqual(printed[1], printed[0])
        entries = fcprofile.load_descriptor(self.path("named.fcd"))
        self.assertEqual(sorted(calls_of(fcprofile.load(self.path(entry.file)))["early"]
                                for entry in entries), [1, 1])

    def test_descriptor(self):
        seen = self.run_tree("1", "2")
        with open(self.path("functioncheck.fcd"), encoding="utf-8") as stream:
            text = stream.read()
        match = re.fullmatch(
            r"FunctionCheck descriptor file\.\n3 processes treated\.\n"
            rf"Treatments started at: {DATE}\nTreatments ended at: {DATE}\n\n"
            r"((?:Process id: \d+\n    parent: \d+\n      file: \S+\n\n?)+)\n*", text)
        self.assertIsNotNone(match, text)
        for block in match.group(1).strip().split("\n\n"):
            pid, parent, name = re.findall(r": (\S+)", block)
            self.assertEqual(int(parent), seen[int(pid)][0])
            self.assertTrue(os.path.exists(self.path(name)), name)
            self.assertEqual(os.path.basename(name), f"functioncheck.fc.{pid}")

    def test_no_fork(self):
        seen = self.run_tree("1", "2", env={"FC_NO_FORK": "1"})
        parent = next(pid for pid, row in seen.items() if row[1] == 0)
        self.assertEqual(self.files(), ["functioncheck.fc"])
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual(profile.pid, parent)
        self.assertEqual(calls_of(profile), {"main": 1, "grow": 1, "step": seen[parent][2]})

    def test_tree_equals_the_oracle(self):
        program = self.compile("tree.c")
        # Process ids differ between the runs: the counts are compared as a sorted whole.
        import compare
        _, files = self.run_oracle([program, "2", "2"])
        done = self.run_quiet([program, "2", "2"])
        self.assertEqual(done.returncode, 0)
        expected = sorted(repr(sorted(compare.load_oracle(name).functions.items()))
                          for name in files)
        found = sorted(repr(sorted(compare.load_profile(name).functions.items()))
                       for name in glob.glob(self.path("functioncheck.fc.*")))
        self.assertEqual(len(expected), 7)
        self.assertEqual(found, expected)


    def test_fork_past_libc(self):
        """Nobody was told of it: the child is noticed with its first record, also one that counts its
        calls, does not fill a chunk, and is killed.  Both say that calls may be missing."""
        program = self.compile(self.write("past.c", """
            #include <signal.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static volatile long steps;
            static void step(void) { steps++; }
            static void last(void) { steps++; }
            static long fork_past_libc(void)
            {
            #if defined(__x86_64__)
                long child = 57; /* fork */
                __asm__ volatile("syscall" : "+a"(child) : : "rcx", "r11", "memory");
            #else
                register long child __asm__("x0") = SIGCHLD;
                register long stack __asm__("x1") = 0, parent __asm__("x2") = 0, tls __asm__("x3") = 0, id __asm__("x4") = 0;
                register long clone __asm__("x8") = 220;
                __asm__ volatile("svc #0" : "+r"(child) : "r"(stack), "r"(parent), "r"(tls), "r"(id), "r"(clone) : "memory");
            #endif
                return child;
            }
            int main(int argc, char **argv)
            {
                int status;
                for (int i = 0; i < 100000; i++)
                    step();
                for (int n = 0; n < 4; n++)
                {
                    long child = fork_past_libc();
                    if (child == 0)
                    {
                        for (int i = 0; i < 10 + n; i++)
                            step();
                        if (n % 2)
                            kill(getpid(), SIGKILL);
                        last();
                        return 4;
                    }
                    waitpid((pid_t)child, &status, 0);
                    step();
                }
                return WIFSIGNALED(status) ? 5 : 1;
            }
            """))
        for env in ({}, {"FC_TRANSPORT": "pipe"}, {"FC_DETAIL": "all"}, {"FC_TIME_MODE": "cpu"},
                    {"FC_TIME_MODE": "ext", "FC_TRANSPORT": "pipe"},
                    {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}, {"FC_FILTER": "count:step"},
                    {"FC_DEPTH": "1"}):
            with self.subTest(env=env):
                self.assertEqual(self.run_quiet([program], env=env).returncode, 5)
                names = [entry.file
                         for entry in fcprofile.load_descriptor(self.path("functioncheck.fcd"))]
                profiles = [fcprofile.load(self.path(name)) for name in names]
                self.assertEqual(profiles[0].losses, {"unseen-forks": 4})
                found = [calls_of(profile) for profile in profiles]
                self.assertEqual(found[0], {"main": 1, "step": 100004, "fork_past_libc": 4})
                kept = 4
                if env.get("FC_TRANSPORT") == "pipe": # what the killed had not sent is lost, and told
                    kept = [profile.losses.pop("unsent-buffers", 0)
                            for profile in profiles[1:]].count(0)
                    self.assertEqual(kept, 2)
                self.assertEqual([profile.losses for profile in profiles[1:]],
                                 [{"unseen-forks": 1}] * 4)
                self.assertEqual(sorted((counts["step"], counts.get("last", 0))
                                        for counts in found[1:] if counts),
                                 [(10, 1), (11, 0), (12, 1), (13, 0)][::1 if kept == 4 else 2])


class Threads(fctest.Case):
    def test_many(self):
        program = self.compile("manythreads.c")
        for env in ({}, {"FC_TRANSPORT": "pipe"}, {"FC_BUFFER_SIZE": "1"}):
            with self.subTest(env=env):
                done = self.run_quiet([program, "8", "20000"], env=env)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                profile = fcprofile.load(self.path("functioncheck.fc"))
                counts = calls_of(profile)
                self.assertEqual(counts["step"], 8 * 20000 + 8)
                self.assertEqual((counts["busy"], counts["leaves_early"], counts["leave"],
                                  counts["detached"], counts["create"], counts["main"]),
                                 (8, 4, 4, 4, 16, 1))
                self.assertEqual(len(profile.threads), 17)
                self.assertEqual(profile.losses, {})
                for thread in profile.threads:
                    # the profiled functions are open from first to last; rounded each
                    self.assertAlmostEqual(thread.raw_local_ns + thread.manager_ns,
                                           thread.run_ns, delta=20)

    def test_many_equals_the_oracle(self):
        program = self.compile("manythreads.c", "-O2")
        done, files = self.run_oracle([program, "4", "5000"])
        self.assertEqual((done.returncode, len(files)), (0, 1))
        self.assertEqual(self.run_quiet([program, "4", "5000"]).returncode, 0)
        self.assert_counts_equal(files[0], self.path("functioncheck.fc"))

    def test_thread_mode(self):
        program = self.compile("threads.c")
        done = self.run_quiet([program], env={"FC_ALLOW_THREAD": "1"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        entries = fcprofile.load_descriptor(self.path("functioncheck.fcd"))
        self.assertEqual(len(entries), 3)
        calls = [calls_of(fcprofile.load(self.path(entry.file))) for entry in entries]
        self.assertEqual(sorted(calls, key=repr), [
            {"main": 1}, {"worker": 1, "leaf": 2}, {"worker": 1, "leaf": 3}])
        for entry, counts in zip(entries, calls):
            self.assertEqual(entry.is_thread, "main" not in counts)


class AroundMain(fctest.Case):
    def test_before_and_after_main(self):
        program = self.compile("aroundmain.c")
        done, files = self.run_oracle([program])
        self.assertEqual((done.returncode, len(files)), (0, 1))
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        counts = calls_of(fcprofile.load(self.path("functioncheck.fc")))
        self.assertEqual(counts, {"built": 1, "main": 1, "at_exit": 1, "torn_down": 1, "step": 4})
        self.assert_counts_equal(files[0], self.path("functioncheck.fc"))


if __name__ == "__main__":
    fctest.main()
