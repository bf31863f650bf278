#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes in PID namespaces of their own, as containers have: each is followed to its own end,
whatever number it has, and all that it called is in its profile."""

import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

CHILDREN = 12
LAST = 4
CALLS = 1000
OWN_CALLS = 3  # of the program outside
TRANSPORTS = ("shared", "pipe")
KEPT_BACK = 252 // 2  # calls that a killed thread may take with it, without shared memory
NAMESPACE = ["unshare", "--pid", "--fork"] + (["--user", "--map-root-user"] if os.geteuid() else [])


def complaint_of(words):
    """What keeps such namespaces from being made here, without a program of ours: a kernel's setting,
    a root folder that is no mount; empty: nothing."""
    done = subprocess.run([*words, "true"], check=False, capture_output=True, text=True,
                          timeout=fctest.TIMEOUT_S)
    return done.stderr.strip() if done.returncode != 0 else ""


@unittest.skipIf(complaint_of(NAMESPACE), "PID namespaces can't be made here")
class Namespaces(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("namespaces.c")

    def need(self, *words):
        complaint = complaint_of(words)
        if complaint:
            self.skipTest(complaint)

    def run_in(self, words, transport, status=0):
        """Gives what was printed and the profiles that are there when the program has ended."""
        folder = self.path(f"run-{len(os.listdir(self.folder))}")
        os.mkdir(folder)
        name = os.path.basename(self.folder) + os.path.basename(folder)
        done = self.run_quiet(words, cwd=folder,
                              env={"FC_TRANSPORT": transport, "FC_DUMP_NAME": name})
        files = sorted(os.listdir(folder))
        self.assertEqual((done.returncode, done.stderr), (status, b""), files)
        self.assertEqual([file for file in files if file.endswith(".tmp")], [])
        fctest.wait_until(lambda: not fctest.processes(f"--name={name}".encode()),
                          "a manager stays")
        self.assertEqual(sorted(os.listdir(folder)), files)
        return done.stdout.decode(), [self.load(os.path.join(folder, file), file == files[0])
                                      for file in files if not file.endswith(".fcd")]

    def load(self, path, is_first):
        """Without /proc the program's path is not known: who reads is told, of the first profile fcdump, too,
        which takes a while, as it looks up lines in the C library."""
        with open(path, encoding="utf-8") as stream:
            if "\nexecutable " in stream.read():
                return fcprofile.load(path)
        profile = fcprofile.load(path, self.program)
        if is_first:
            shown = fcprofile.JsonProfile(json.loads(self.command(
                [fctest.tool("fcdump"), "--json", f"--image={self.program}", path])))
            for found in ("pid", "ppid", "unique_id", "end", "end_value"):
                self.assertEqual(getattr(shown, found), getattr(profile, found))
            self.assertEqual({function.name: function.calls for function in shown.functions},
                             {function.name: function.calls for function in profile.functions})
        return profile

    def check_calls(self, profiles, expected, killed, transport):
        """`killed`: so many threads were ended by a signal."""
        calls = [sum(function.calls for function in profile.functions if function.name == "leaf")
                 for profile in profiles]
        missing = expected - sum(calls)
        if transport == "shared":
            self.assertEqual(missing, 0, calls)
        self.assertGreaterEqual(missing, 0, calls)
        self.assertLessEqual(missing, killed * KEPT_BACK, calls)

    def check_made(self, way, end, printed, killed, transport, *more):
        output, profiles = self.run_in([self.program, way, end, *more], transport)
        self.assertEqual(output, printed)
        self.assertEqual(len(profiles), 1 + 1 + CHILDREN)
        self.check_calls(profiles, CHILDREN * CALLS + OWN_CALLS, killed, transport)
        # the ids are those that the processes see themselves
        self.assertEqual(sorted(profile.pid for profile in profiles)[:1 + CHILDREN],
                         list(range(1, 1 + 1 + CHILDREN)))
        first = [profile for profile in profiles if profile.pid == 1]
        self.assertEqual([profile.ppid for profile in first], [0])
        return profiles

    def test_made_by_the_program(self):
        for transport in TRANSPORTS:
            for way in ("unshare", "clone"):
                self.check_made(way, "exit", "exit 0\n", 0, transport)

    def test_first_process_crashes(self):
        """The kernel keeps SIGABRT from it, and abort() goes on to crash."""
        for transport in TRANSPORTS:
            self.check_made("unshare", "abort", f"signal {int(signal.SIGSEGV)}\n", 1, transport)

    def test_first_process_is_killed(self):
        """And with it all that are in the namespace."""
        for transport in TRANSPORTS:
            profiles = self.check_made("unshare", "kill", f"signal {int(signal.SIGKILL)}\n", LAST,
                                       transport)
            ends = [(profile.end, profile.end_value) for profile in profiles]
            self.assertEqual(len([end for end in ends if end != ("exit", 0)]), 1 + LAST, ends)
            self.assertTrue(set(ends) <= {("exit", 0), ("signal", signal.SIGKILL), ("unknown", 0)})

    def test_another_has_the_locks(self):
        """By which the kernel tells who a process is."""
        for transport in TRANSPORTS:
            self.check_made("unshare", "exit", "exit 0\n", 0, transport, "lock")

    # Whose /proc there is: its own, that of the namespace around it, none.
    INSIDE = (["--mount-proc"], ["--mount"],
              ["--mount", "sh", "-c", 'mount -t tmpfs none /proc; exec "$@"', "sh"])

    def test_program_is_the_first_process(self):
        """The manager is in the namespace as well."""
        self.need(*NAMESPACE, "--mount")
        for transport in TRANSPORTS:
            for inside in self.INSIDE:
                _, profiles = self.run_in([*NAMESPACE, *inside, self.program, "here", "exit"],
                                          transport)
                self.assertEqual(len(profiles), 1 + CHILDREN, inside)
                self.check_calls(profiles, CHILDREN * CALLS, 0, transport)

    def test_started_before_the_fork(self):
        """The manager, a child, would be the first process of the namespace: there is none."""
        for transport in TRANSPORTS:
            folder = self.path(transport)
            os.mkdir(folder)
            done = self.run_target(["unshare", "--pid", self.program], cwd=folder,
                                   env={"FC_TRANSPORT": transport})
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"FCheck: children are in another PID namespace, the program is not "
                          b"profiled\n", done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_user_namespace(self):
        container = ["unshare", "--user", "--map-root-user", "--pid", "--fork"]
        self.need(*container, "--mount")
        for transport in TRANSPORTS:
            for inside in self.INSIDE:
                _, profiles = self.run_in([*container, *inside, self.program, "here", "exit"],
                                          transport)
                self.check_calls(profiles, CHILDREN * CALLS, 0, transport)

    def test_first_process_leaves(self):
        """The kernel kills all others, the manager too: it has written their profiles by then."""
        self.need(*NAMESPACE, "--mount-proc")
        for transport in TRANSPORTS:
            _, profiles = self.run_in([*NAMESPACE, "--mount-proc", self.program, "here", "leave"],
                                      transport)
            self.assertEqual(len(profiles), 1 + CHILDREN)
            ends = [(profile.end, profile.end_value) for profile in profiles]
            self.assertEqual(ends.count(("signal", signal.SIGKILL)), LAST, ends)
            self.check_at_least(profiles, transport)

    def check_at_least(self, profiles, transport):
        for profile in profiles:
            calls = {function.name: function.calls for function in profile.functions}
            if profile.pid != 1:
                self.assertGreaterEqual(calls["leaf"],
                                        CALLS - (KEPT_BACK if transport == "pipe" else 0))

    def test_executed_in_a_namespace(self):
        """By a program that is profiled outside: in its session where its manager can be seen."""
        self.need(*NAMESPACE, "--mount")
        outer = self.compile("runs.c")
        for transport in TRANSPORTS:
            for inside in self.INSIDE:
                _, profiles = self.run_in([outer, "/usr/bin/env", *NAMESPACE, *inside, self.program,
                                           "here", "exit"], transport)
                self.assertEqual(len(profiles), 2 + 1 + CHILDREN, inside)
                self.check_calls(profiles, CHILDREN * CALLS, 0, transport)
                sessions = {profile.unique_id for profile in profiles}
                self.assertEqual(len(sessions), 1 if inside == ["--mount"] else 2, inside)


if __name__ == "__main__":
    fctest.main()
