#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time off the CPU.  The target reads its own clocks around each of its functions: whatever the
machine is doing, what the profile says lies within what they say.

It takes 48 s, and more beside other tests: most of it some 50 runs wait, for 0.3 s or longer each so that a
wait is no accident, and for 20 s they and what looks at their profiles use a processor."""

import csv
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

MS = 1000 * 1000

PR_SET_TIMERSLACK = 29


# waits with a few records made, until a signal ends it
SLEEPER = """
#include <sys/time.h>
#include <unistd.h>
static void sleeps(void) { pause(); }
int main(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = 1}, 0);
    sleeps();
}
"""


def stolen_ns():
    """How long the host of this virtual machine has kept its processors from it ("steal" in proc_stat(5))."""
    with open("/proc/stat", encoding="ascii") as stream:
        words = stream.readline().split()
    return int(words[8]) * 1000 * MS // os.sysconf("SC_CLK_TCK")


class OffCpu(fctest.Case):
    """What was stolen is seen when the thread is switched out the next time, maybe in another function than the one that
    it was stolen from: that one's time on the CPU is less by it."""

    def dumped(self, name="functioncheck.fc"):
        """The profile as fcdump tells it."""
        return json.loads(self.command([fctest.tool("fcdump"), "--json", self.path(name)]))

    def run_timed(self, words, **options):
        """The same as run_quiet; self.stolen_ns is what was stolen meanwhile."""
        before_ns = stolen_ns()
        done = self.run_quiet(words, **options)
        self.stolen_ns = stolen_ns() - before_ns
        return done

    def measure(self, env, config=(), **options):
        """The target's words as {function: (wall, cpu)}, and fcdump's as {function: object}."""
        program = self.compile("off_cpu.c", "-pthread", config=config)
        done = self.run_timed([program], env=env, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        own = {words[0]: (int(words[1]), int(words[2]))
               for words in map(str.split, done.stdout.decode().splitlines())}
        profile = self.dumped()
        return own, {each["name"]: each for each in profile["functions"]}, profile["threads"]

    def check(self, env, waits, **options):
        own, found, threads = self.measure(env, **options)
        for name, (wall, cpu) in own.items():
            total, wait = found[name]["total_ns"], found[name]["total_wait_ns"]
            slack = wall // 100 + MS  # the length of a tick, and a clock after the other
            self.assertLessEqual(total, wall + slack, name)
            self.assertLessEqual(wait, total, name)
            self.assertLessEqual(total - wait, cpu + slack, f"{name}: on the CPU")
        self.assertEqual([each["waits"] for each in threads], [waits] * 2)
        sleeps, works = found["sleeps"], found["works"]
        self.assertGreaterEqual(sleeps["total_wait_ns"], 300 * MS * 0.98)
        self.assertGreaterEqual(works["total_ns"] - works["total_wait_ns"], 300 * MS * 0.98 - MS - self.stolen_ns)
        for name in ("main", "calls_all"):
            self.assertGreaterEqual(found[name]["total_wait_ns"],
                                    found[name]["local_wait_ns"] + sleeps["total_wait_ns"], name)
        thread = next(each for each in threads if each["calls"] == 1)
        self.assertGreaterEqual(thread["wait_ns"], 700 * MS * 0.98)
        return found

    def test_seen(self):
        self.check({}, "seen")

    def test_timers_without_slack(self):
        """As with a real-time policy, or by systemd's TimerSlackNSec=."""
        libc = ctypes.CDLL(None)
        self.check({}, "seen", preexec_fn=lambda: libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0))

    def test_by_the_system_clock(self):
        self.check({"FC_TIME_MODE": "ext"}, "seen")

    def test_through_the_pipe(self):
        self.check({"FC_TRANSPORT": "pipe"}, "seen")

    def test_without_rseq(self):
        self.check({"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}, "coarse")

    @unittest.skipUnless(MACHINE == "x86_64", "there are no other hooks")
    def test_without_rseq_after_inlining(self):
        self.check({"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}, "coarse", config=["--after-inlining"])

    @unittest.skipUnless(MACHINE == "x86_64", "its sequence is for that")
    def test_own_rseq(self):
        """A program that uses the kernel's pointer itself keeps it, and its times are right."""
        program = self.compile("own_rseq.c", "-O2")
        for env in ({"FC_DETAIL": "all"}, {"FC_DETAIL": "auto"}):
            with self.subTest(env=env):
                done = self.run_timed([program], env=env)
                if done.returncode == 77:
                    self.skipTest("there is no rseq")
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                content = self.dumped()
                thread, = content["threads"]
                self.assertEqual(thread["waits"], "coarse")
                found = {each["name"]: each for each in content["functions"]}
                for name, wall, cpu in map(str.split, done.stdout.decode().splitlines()):
                    total, wait = found[name]["total_ns"], found[name]["total_wait_ns"]
                    slack = int(wall) // 100 + MS
                    self.assertLessEqual(total, int(wall) + slack, name)
                    self.assertLessEqual(total - wait, int(cpu) + slack, name)
                    if name == "sleeps":
                        self.assertGreaterEqual(wait, 300 * MS * 0.98)
                    else:
                        self.assertGreaterEqual(total - wait, 300 * MS * 0.98 - MS - self.stolen_ns)

    @unittest.skipUnless(MACHINE == "x86_64", "as above")
    def test_unseen(self):
        """Of time off the CPU that was not seen it is not known in which function it was: it is not that which was
        innermost, or called that, when it was found out."""
        program = self.compile("unseen_wait.c", "-O2", "-fno-inline")
        for env in ({"FC_DETAIL": "all"}, {"FC_DETAIL": "auto"}, {"FC_TRANSPORT": "pipe"}):
            with self.subTest(env=env):
                done = self.run_quiet([program], env=env)
                if done.returncode == 77:
                    self.skipTest("there is no rseq")
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                profile = self.dumped()
                found = {each["name"]: each for each in profile["functions"]}
                _, wall, cpu = done.stdout.split()
                works, calls = found["works"], found["calls"]
                slack = int(wall) // 100 + MS
                on_cpu = works["total_ns"] - works["total_wait_ns"]
                self.assertGreaterEqual(works["total_ns"], int(wall) - slack)
                self.assertLessEqual(on_cpu, int(cpu) + slack)
                self.assertGreaterEqual(on_cpu, 50 * 2 * MS - slack)
                self.assertLess(calls["local_wait_ns"], calls["local_ns"])
                self.assertGreaterEqual(profile["threads"][0]["wait_ns"], 100 * MS)

    def test_before_other_records(self):
        """What was waited before an exception, a jump, another stack or an allocation is the time of
        the function that waited, not of what comes after."""
        program = self.compile("off_cpu_jumps.cc", compiler="g++")
        for env in ({"FC_DETAIL": "all"}, {"FC_DETAIL": "auto"}, {"FC_MEMORY": "1"}):
            with self.subTest(env=env):
                done = self.run_quiet([program], env=env)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                profile = self.dumped()
                found = {each["name"]: each for each in profile["functions"]}
                for name, wall, cpu in map(str.split, done.stdout.decode().splitlines()):
                    total, wait = found[name]["total_ns"], found[name]["total_wait_ns"]
                    slack = int(wall) // 100 + MS
                    self.assertLessEqual(total - wait, int(cpu) + slack, name)
                    if name == "works":
                        self.assertGreaterEqual(total - wait, 40 * 10 * MS - slack)
                    else:
                        self.assertGreaterEqual(wait, 10 * 10 * MS * 0.98, name)

    def test_clocks_that_stand_still(self):
        _, found, threads = self.measure({"FC_TIME_MODE": "cpu"})
        self.assertEqual([each["waits"] for each in threads], [None, None])
        self.assertEqual({each["total_wait_ns"] for each in found.values()}, {0})

    def test_waiting_at_the_end(self):
        """No record tells of a wait that is not over when the process ends."""
        program = self.compile("waits_at_end.c", "-pthread")
        for env in ({}, {"FC_TRANSPORT": "pipe"}, {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}):
            with self.subTest(env=env):
                done = self.run_timed([program], env=env)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                on_cpu = int(done.stdout)
                profile = self.dumped()
                found = {each["name"]: each for each in profile["functions"]}
                for name in ("waits_on", "both"):
                    total, wait = found[name]["total_ns"], found[name]["total_wait_ns"]
                    self.assertGreaterEqual(wait, 300 * MS * 0.98, name)
                    self.assertLessEqual(total - wait, on_cpu + total // 100 + MS, name)
                self.assertGreaterEqual(found["works"]["total_ns"] - found["works"]["total_wait_ns"],
                                        19 * MS - self.stolen_ns)

    def test_waited_before_the_end(self):
        """No record comes after a wait before which exit or exec is called, either."""
        program = self.compile("ends_after_wait.c")
        for end in ("exit", "exec"):
            for env in ({}, {"FC_TRANSPORT": "pipe"}, {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}):
                with self.subTest(end, env=env):
                    done = self.run_quiet([program, end], env=env)
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    on_cpu = int(done.stdout)
                    profile = self.wait_for_file()
                    content = self.dumped()
                    begun = min(each.load_ns for each in fcprofile.load(profile).modules)
                    os.unlink(profile)
                    process, = content["processes"]
                    thread, = content["threads"]
                    self.assertGreaterEqual(process["run_ns"], thread["run_ns"])
                    self.assertLessEqual(process["run_ns"], thread["end_ns"] - begun, "with the start")
                    found = {each["name"]: each for each in content["functions"]}
                    total, wait = found["ends"]["total_ns"], found["ends"]["total_wait_ns"]
                    self.assertGreaterEqual(wait, 300 * MS * 0.98)
                    self.assertLessEqual(total - wait, on_cpu + total // 100 + MS)

    def check_child(self, program, how, env, least, cut):
        """Of who waits, a child unless it is a thread.  `cut`: its last wait is not known to its end."""
        done = self.run_quiet([program, how], env=env)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        on_cpu = int(done.stdout)
        files = [name for name in os.listdir(self.folder) if name.startswith("functioncheck.fc")
                 and not name.endswith(".fcd")]
        fctest.wait_until(lambda: how == "thread" or os.path.exists(self.path("functioncheck.fcd")),
                          "the profiles are not there")
        found = {}
        for name in files:
            content = self.dumped(name)
            os.unlink(self.path(name))
            own = {each["name"]: each for each in content["functions"]}
            if how == "thread" or own["waits"]["calls"] == 0:
                found = own
                thread = content["threads"][-1]
        if os.path.exists(self.path("functioncheck.fcd")):
            os.unlink(self.path("functioncheck.fcd"))
        is_coarse = cut or "GLIBC_TUNABLES" in env
        self.assertEqual(thread["waits"], "coarse" if is_coarse else "seen")
        waiter = found["ends_in_thread" if how == "thread" else "waits"]
        for which in ("total", "local"):
            total, wait = waiter[f"{which}_ns"], waiter[f"{which}_wait_ns"]
            self.assertGreaterEqual(wait, least)
            if not cut:
                self.assertLessEqual(total - wait, on_cpu + total // 100 + MS)
            if how == "works":
                self.assertGreaterEqual(total - wait, 99 * MS)

    def test_children_without_records(self):
        """A child has time in the frames that it inherits before it makes a record, if ever it
        does; and no record comes after a wait before which a thread ends in its function."""
        program = self.compile("child_waits.c", "-pthread")
        for how in ("_exit", "exit", "exec", "late", "works", "thread"):
            for env in ({}, {"FC_TRANSPORT": "pipe"}, {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}):
                with self.subTest(how, env=env):
                    self.check_child(program, how, env, 300 * MS * 0.98, False)

    def test_killed_while_waiting(self):
        """fcmanager looks at threads that wait, ten times a second: what is not known is less."""
        program = self.compile("child_waits.c", "-pthread")
        for how in ("killed", "system call"):
            for env in ({}, {"FC_TRANSPORT": "pipe"}):
                with self.subTest(how, env=env):
                    self.check_child(program, how, env, 500 * MS, True)

    def test_killed_after_few_calls(self):
        """Whose first chunk fcmanager has not read is looked at, too; and who waited then is not taken to
        have computed since."""
        program = self.compile(self.write("sleeper.c", SLEEPER))
        for env in ({}, {"FC_DETAIL": "all"}):
            with self.subTest(env=env):
                self.assertEqual(self.run_quiet([program], env=env).returncode, -signal.SIGALRM)
                self.wait_for_file()
                profile = self.dumped()
                os.unlink(self.path("functioncheck.fc"))
                sleeps = next(each for each in profile["functions"] if each["name"] == "sleeps")
                self.assertGreaterEqual(sleeps["total_wait_ns"], 980 * MS)
                self.assertEqual(profile["threads"][0]["waits"], "coarse")

    def test_in_a_recursion(self):
        """What is off the CPU within calls of a recursion is in the contexts of which these are not, too: no
        less than was measured, and in main, which is in none, as much as for the function."""
        program = self.compile("recursion_waits.c", "-O2")
        for env in ({"FC_DETAIL": "all"}, {}):
            with self.subTest(env=env):
                self.assertEqual(self.run_quiet([program], env=env).returncode, 0)
                profile = self.dumped()
                functions = {each["name"]: each for each in profile["functions"]}
                contexts = {}
                for each in sorted(profile["contexts"], key=lambda each: each["total_wait_ns"]):
                    contexts[profile["functions"][each["function"]]["name"]] = each
                waited = functions["waits"]["total_wait_ns"]
                self.assertGreaterEqual(waited, 3 * 98 * MS)
                for name in ("waits_often", "command", "run", "main"):
                    self.assertGreaterEqual(contexts[name]["total_wait_ns"], waited - MS, name)
                for time in ("total_ns", "total_wait_ns"):
                    self.assertLessEqual(abs(contexts["main"][time] - functions["main"][time]), MS, time)

    def test_held_signals(self):
        """What a handler takes is its own, though its signal came while libfc was at work."""
        program = self.compile("held_signals.c")
        for env in ({"FC_DETAIL": "all"}, {"FC_DETAIL": "all", "FC_TRANSPORT": "pipe"}):
            with self.subTest(env):
                done = self.run_quiet([program], env=env)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                content = self.dumped()
                found = {each["name"]: each for each in content["functions"]}
                took = int(done.stdout)
                for name in ("waits", "handler"):
                    self.assertGreaterEqual(found[name]["raw_total_ns"], took * 0.99, name)
                whole = sum(each["raw_local_ns"] for each in found.values())
                self.assertLessEqual(whole, content["processes"][0]["run_ns"])

    def test_stopped_manager(self):
        """The program waits for a manager that is stopped: that is in no function's time."""
        program = self.compile("longrun.c")
        for transport in ("shared", "pipe"):
            with self.subTest(transport):
                end = self.path(f"end-{transport}")
                with subprocess.Popen([program, end], cwd=self.folder, stdout=subprocess.PIPE,
                                      env=fctest.plain_environment(
                                          FC_QUIET="1", FC_DETAIL="all",
                                          FC_TRANSPORT=transport)) as process:
                    self.assertEqual(process.stdout.readline(), b"started\n")
                    manager, = fctest.managers_of(process.pid)
                    fctest.stop(manager)
                    fctest.wait_until(lambda pid=process.pid: fctest.state_of(pid) == "S", "it goes on")
                    begun = time.monotonic()
                    time.sleep(1.5)
                    waited_ns = (time.monotonic() - begun) * 1e9
                    os.kill(manager, signal.SIGCONT)
                    self.write(os.path.basename(end), "")
                    self.assertEqual(process.stdout.read(), b"done\n")
                    self.assertEqual(process.wait(timeout=fctest.TIMEOUT_S), 5)
                profile = fcprofile.load(self.path("functioncheck.fc"))
                thread, = profile.threads
                self.assertGreaterEqual(thread.manager_ns, waited_ns * 0.9)
                self.assertLessEqual(abs(thread.raw_local_ns + thread.manager_ns - thread.run_ns),
                                     thread.run_ns // 1000)
                report = subprocess.run([fctest.tool("fcdump"), "--header", self.path("functioncheck.fc")],
                                        check=True, capture_output=True, text=True).stdout
                self.assertIn("waited for the profile manager", report)

    def check_on_cpu(self, data):
        """No context and no function has less time on the CPU than its own and what it called had,
        but for roundings.  Recursions are left out, whose elapsed times are no sums either."""
        functions = data["functions"]
        parts = [[] for _ in data["contexts"]]
        for context, own in reversed(list(zip(data["contexts"], parts))):
            self.check_parts(functions[context["function"]]["name"], context, own)
            if context["parent"] is not None:
                parts[context["parent"]].append(context)
        parts = [[] for _ in functions]
        for arc in data["arcs"]:
            if arc["caller"] is not None:
                parts[arc["caller"]].append(arc)
        for function, own in zip(functions, parts):
            self.check_parts(function["name"], function, own)

    def check_parts(self, name, figures, parts):
        self.assertLessEqual(figures["local_wait_ns"], figures["local_ns"], name)
        self.assertLessEqual(figures["total_wait_ns"], figures["total_ns"], name)
        rounding = len(parts) + 2
        elapsed = figures["local_ns"] + sum(part["total_ns"] for part in parts)
        if figures["total_ns"] + rounding < elapsed:
            return
        on_cpu = figures["local_ns"] - figures["local_wait_ns"] + sum(
            part["total_ns"] - part["total_wait_ns"] for part in parts)
        self.assertGreaterEqual(figures["total_ns"] - figures["total_wait_ns"] + rounding, on_cpu,
                                f"{name}: {figures}, {parts}")

    def test_sums_in_a_crowd(self):
        """Processes that take the CPU from one another and from the manager."""
        program = self.compile("crowded.c")
        for env in ({"FC_DETAIL": "all"}, {"FC_DETAIL": "auto"}, {"FC_TRANSPORT": "pipe"}):
            with self.subTest(env=env):
                done = self.run_quiet([program], env=env)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                files = [name for name in os.listdir(self.folder)
                         if name.startswith("functioncheck.fc.")]
                self.assertEqual(len(files), 6)
                for name in files:
                    self.check_on_cpu(self.dumped(name))
                    os.unlink(self.path(name))

    def test_reports(self):
        """A thread that waits leads no report; what is on the CPU does."""
        self.measure({})

        def first(*options):
            out = subprocess.run([fctest.tool("fcdump"), "--no-reports", "--flat", *options,
                                  "--sort=local", self.path("functioncheck.fc")],
                                 check=True, capture_output=True, text=True).stdout
            lines = [line.split() for line in out.splitlines()]
            start = next(i for i, words in enumerate(lines) if words[-1:] == ["function"])
            return lines[start + 1][-1]
        self.assertEqual(first(), "works")
        self.assertEqual(first("--time=cpu"), "works")
        for part, is_said in (("cpu", False), ("wait", True), ("wall", False)):
            out = subprocess.run([fctest.tool("fcdump"), "--no-reports", "--flat", f"--time={part}",
                                  self.path("functioncheck.fc")],
                                 check=True, capture_output=True, text=True).stdout
            self.assertEqual("min and max: of one call" in " ".join(out.split()), is_said, part)
        self.assertEqual(first("--only=sleeps,waits_long", "--time=wait"), "waits_long")

        def bounds(part):
            out = subprocess.run([fctest.tool("fcdump"), "--no-reports", "--flat", "--csv", f"--time={part}",
                                  self.path("functioncheck.fc")],
                                 check=True, capture_output=True, text=True).stdout
            return {row[-1]: row for row in csv.reader(out.splitlines())}
        data = self.dumped()
        sleeps = next(each for each in data["functions"] if each["name"] == "sleeps")
        for which in ("total", "local"):
            least, most = sleeps[f"cpu_{which}_min_ns"], sleeps[f"cpu_{which}_max_ns"]
            self.assertLessEqual(least, most)
            self.assertLessEqual(least * sleeps["calls"], sleeps[f"{which}_ns"] - sleeps[f"{which}_wait_ns"]
                                 + sleeps["calls"] * 1000)
            self.assertLess(most, sleeps[f"{which}_max_ns"])
        self.assertNotEqual(bounds("cpu")["sleeps"], bounds("wall")["sleeps"])


if __name__ == "__main__":
    fctest.main()
