#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manager is no relative of the program: not to those that wait for every kind of child, not to
a debugger that follows children; and what is sent to all processes does not reach it."""

import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

TRANSPORTS = ("shared", "pipe")
# As qemu's user mode: of clone's children there are threads and forks, and none that tell nobody of their end.
EMULATED = """
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <errno.h>
#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define REFUSE SECCOMP_RET_ERRNO | EINVAL
int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 5),
        LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_VM | CLONE_UNTRACED, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0xff, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, REFUSE), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, NULL); /* one that came would stay */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 125;
    execv(argv[1], argv + 1);
    return 126;
}
"""
NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc"] + (
    ["--user", "--map-root-user"] if os.geteuid() else [])


def may_make_namespaces():
    return subprocess.run([*NAMESPACE, "true"], check=False, capture_output=True,
                          timeout=fctest.TIMEOUT_S).returncode == 0


class Family(fctest.Case):
    def test_waiting_for_every_kind_of_child(self):
        """As a program that adopts orphans, from its start on and not."""
        plain = self.compile("family.c", profiled=False)
        program = self.compile("family.c")
        for way in ("adopt", "wait"):
            expected = self.run_target([plain, way]).stdout
            self.assertIn(b"waited for %d" % (2 if way == "adopt" else 1), expected)
            for transport in TRANSPORTS:
                done = self.run_quiet([program, way], env={"FC_TRANSPORT": transport})
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, b""))
        self.assertTrue(os.path.exists(self.path("functioncheck.fcd")))

    def test_no_child_but_by_fork(self):
        """Neither is a child that the program could have forked itself; and why there is none is still told."""
        emulated = self.compile(self.write("emulated.c", EMULATED), profiled=False)
        plain = self.compile("family.c", profiled=False)
        program = self.compile("family.c")
        for way in ("adopt", "wait"):
            expected = self.run_target([emulated, plain, way]).stdout
            for transport in TRANSPORTS:
                done = self.run_quiet([emulated, program, way], env={"FC_TRANSPORT": transport})
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, b""))
                os.unlink(self.path("functioncheck.fcd"))
        done = self.run_target([emulated, program, "wait"], env={"FC_MANAGER": self.path("none")})
        self.assertEqual((done.returncode, done.stdout), (0, expected))
        self.assertIn(b"none: No such file or directory)", done.stderr)

    def test_debugger_that_follows_children(self):
        follower = self.compile("follower.c", profiled=False)
        for source, children, profile in (("nesting.c", 0, "functioncheck.fc"),
                                          ("runs.c", 1, "functioncheck.fcd")):
            plain = self.compile(source, profiled=False)
            program = self.compile(source)
            expected = self.run_target([follower, plain, "/bin/true"]).stdout
            self.assertEqual(expected, b"%d children, status 0\n" % children)
            done = self.run_quiet([follower, program, "/bin/true"])
            self.assertEqual((done.stdout, done.stderr), (expected, b""))
            self.assertTrue(os.path.exists(self.path(profile)))

    @unittest.skipUnless(may_make_namespaces(), "PID namespaces can't be made here")
    def test_signal_to_all_processes(self):
        """From the first process of a container."""
        program = self.compile("family.c")
        numbers = [number for number in range(1, signal.SIGRTMAX + 1)
                   if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33)]
        for number in numbers:
            transport = TRANSPORTS[number % 2]
            done = self.run_quiet([*NAMESPACE, program, "kill", str(number)],
                                  env={"FC_TRANSPORT": transport})
            self.assertEqual((done.returncode, done.stderr), (0, b""), number)
            profile = fcprofile.load(self.path("functioncheck.fc"))
            calls = {function.name: function.calls for function in profile.functions}
            self.assertEqual((calls["leaf"], profile.losses), (200, {}), number)
            os.unlink(self.path("functioncheck.fc"))


if __name__ == "__main__":
    fctest.main()
