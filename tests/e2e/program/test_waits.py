#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What threads wait for, and when that is told: those that wait for one another are contended, those that wait for input
or for work are not."""

import contextlib
import json
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

MS = 1000 * 1000


def may_read_calls():
    """Whether the kernel tells who is no ancestor which system call a process waits in: fcmanager is none.  If not, a
    lock is known as another futex is, by the kernel's function."""
    pid = int(subprocess.run(["sh", "-c", "sleep 20 > /dev/null 2>&1 & echo $!"], check=True, capture_output=True).stdout)
    fctest.wait_until(lambda: fctest.state_of(pid) == "S", "it does not sleep")
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
            return file.read().split()[0].isdigit()
    except OSError:
        return False
    finally:
        os.kill(pid, 9)


MAY_READ_CALLS = may_read_calls()
CALLS_ARE_KNOWN = MAY_READ_CALLS and MACHINE == "x86_64"


class Waits(fctest.Case):
    def run_it(self, how):
        """The first screen's findings, the summary and the functions by name."""
        program = self.compile("waits_for.c", "-pthread", "-O1", "-fno-inline")
        self.assertEqual(self.run_quiet([program, how]).returncode, 0)
        name = self.path("functioncheck.fc")
        screen = self.command([fctest.tool("fcdump"), "--width=120", name])
        summary = self.command([fctest.tool("fcdump"), "--summary", name])
        data = json.loads(self.command([fctest.tool("fcdump"), "--json", name]))
        os.remove(name)
        return ([line[2:] for line in screen.splitlines() if line.startswith("* ")], summary,
                {each["name"]: each for each in data["functions"]})

    def line_of(self, function, words):
        """Of the first line of the function that has these words in it."""
        with open(os.path.join(fctest.PROGRAMS, "waits_for.c"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        begin = next(number for number, line in enumerate(lines) if re.search(rf"\b{function}\([^;]*$", line))
        return next(number for number, line in enumerate(lines, 1) if number > begin and words in line)

    def check_site(self, function, kind, words):
        """The function waits for that mostly at this call in its own code."""
        if not CALLS_ARE_KNOWN:
            return
        line = self.line_of(function["name"], words)
        most = max(function["wait_sites"], key=lambda each: each[f"{kind}_ns"])
        self.assertEqual((most["site"]["name"], most["site"]["line"], most["own"]["line"]), (function["name"], line, line),
                         function["wait_sites"])
        self.assertGreater(most[f"{kind}_ns"], function["waits"][f"{kind}_ns"] / 2)
        self.assertLessEqual(sum(each[f"{kind}_ns"] for each in function["wait_sites"]), function["waits"][f"{kind}_ns"])
        return line

    def mostly(self, function, kind):
        """Nearly all of its blocked time is of that kind, and that is all there is."""
        waits = function["waits"]
        self.assertEqual(sum(waits.values()) + function["preempted_ns"], function["local_wait_ns"])
        self.assertGreaterEqual(waits[f"{kind}_ns"], 0.9 * sum(waits.values()), waits)

    def contended(self, found, summary):
        return [each for each in found if re.search(r"threads wait (for|in)", each)] or "Contended" in summary

    @unittest.skipUnless(MAY_READ_CALLS, "a lock can't be told from another futex here")
    def test_lock(self):
        found, summary, functions = self.run_it("lock")
        waits = functions["holds_lock"]["waits"]
        self.assertGreater(waits["lock_ns"], waits["sleep_ns"], "two of three threads wait for the third")
        self.assertGreater(waits["sleep_ns"], 0)
        line = self.check_site(functions["holds_lock"], "lock", "pthread_mutex_lock") or r"\d+"
        self.check_site(functions["holds_lock"], "sleep", "sleep_ms")
        self.assertRegex("\n".join(found), rf"3 threads wait for a lock in holds_lock \(waits_for\.c:{line}\) for .*: --waits")
        self.assertRegex(summary, r"Contended +3 threads wait for a lock in holds_lock")

    def test_condition(self):
        """Each works while the others wait for their turn: so do they."""
        found, summary, functions = self.run_it("condition")
        waits = functions["takes_turns"]["waits"]
        if waits["threads_ns"] == 0:  # so busy is the machine that no sample fell into one of these short waits
            self.assertEqual(waits["unknown_ns"], sum(waits.values()))
            return
        self.check_site(functions["takes_turns"], "threads", "pthread_cond_wait")
        self.assertRegex("\n".join(found), r"threads wait for one another in takes_turns")
        self.assertRegex(summary, "Contended +[23] threads wait in takes_turns")

    def test_idle_pool(self):
        found, summary, functions = self.run_it("pool")
        self.mostly(functions["waits_for_work"], "threads")
        self.check_site(functions["waits_for_work"], "threads", "pthread_cond_wait")
        self.assertFalse(self.contended(found, summary), (found, summary))

    def test_input(self):
        found, summary, functions = self.run_it("poll")
        self.mostly(functions["polls"], "input")
        line = self.check_site(functions["polls"], "input", "poll(&one") or r"\d+"
        self.assertFalse(self.contended(found, summary), (found, summary))
        self.assertRegex("\n".join(found), rf"polls \(waits_for\.c:{line}\) waits for input for .* in 3 threads")

    def test_sleep(self):
        found, summary, functions = self.run_it("sleep")
        self.mostly(functions["sleeps"], "sleep")
        line = self.check_site(functions["sleeps"], "sleep", "sleep_ms") or r"\d+"
        self.assertFalse(self.contended(found, summary), (found, summary))
        self.assertRegex("\n".join(found), rf"sleeps \(waits_for\.c:{line}\) sleeps for .* in 3 threads")

    def test_child(self):
        program = self.compile("waits_for.c", "-pthread", "-O1", "-fno-inline")
        self.assertEqual(self.run_quiet([program, "child"]).returncode, 0)
        fctest.wait_until(lambda: os.path.exists(self.path("functioncheck.fcd")), "the profiles are not there")
        text = self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fcd")])
        waits = next(each for each in json.loads(text)["functions"] if each["name"] == "waits_for_child")["waits"]
        self.assertGreater(waits["other_ns"], 400 * MS)
        self.assertGreater(waits["sleep_ns"], 400 * MS, "of the child, which sleeps meanwhile")

    @contextlib.contextmanager
    def busy_machine(self):
        others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
        try:
            yield
        finally:
            for other in others:
                other.kill()
                other.wait()

    def test_preempted(self):
        """A thread that only computes, beside others: it is preempted, and not blocked."""
        source = """#include <time.h>
            static void works(void) { for (clock_t end = clock() + CLOCKS_PER_SEC / 4; clock() < end;) continue; }
            int main(void) { works(); return 0; }"""
        program = self.compile(self.write("works.c", source))
        with self.busy_machine():
            self.assertEqual(self.run_quiet([program]).returncode, 0)
        text = self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")])
        works = next(each for each in json.loads(text)["functions"] if each["name"] == "works")
        self.assertGreater(works["preempted_ns"], 10 * MS)
        self.assertGreaterEqual(works["preempted_ns"], 0.9 * works["local_wait_ns"])
        screen = self.command([fctest.tool("fcdump"), self.path("functioncheck.fc")])
        self.assertIn("The machine was busy", screen)

    def test_machine_of_killed(self):
        """Which processors it might use is known, although the kernel knows it no more."""
        program = self.compile(self.write(
            "dies.c", "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
            "int main(int argc, char **words) { usleep(atoi(words[1])); return raise(SIGKILL); }"))
        for us in (0, 200000):  # before the manager has seen it, and then
            self.assertEqual(self.run_target([program, str(us)]).returncode, -9)
            fctest.wait_until(lambda: os.path.exists(self.path("functioncheck.fc")), "the profile is not there")
            machine = json.loads(self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")]))["processes"][0]["machine"]
            self.assertEqual(machine["processors"], len(os.sched_getaffinity(0)))
            os.remove(self.path("functioncheck.fc"))

    def test_woken(self):
        """A thread that was woken is ready until it gets a CPU: a busy machine makes no thread idle."""
        program = self.compile("waits_for.c", "-pthread", "-O1", "-fno-inline")
        with self.busy_machine():
            self.assertEqual(self.run_quiet([program, "condition"]).returncode, 0)
        name = self.path("functioncheck.fc")
        data = json.loads(self.command([fctest.tool("fcdump"), "--json", name]))
        ready_ns = sum(each["preempted_ns"] for each in data["threads"])
        told_ns = sum(each["preempted_ns"] for each in data["functions"])
        if all(sum(each["waits"].values()) == each["waits"]["unknown_ns"] for each in data["functions"]):
            return  # so busy is the machine that the manager saw no thread
        self.assertGreater(ready_ns, 2 * told_ns, "records tell only of what interrupted the work")
        self.assertLess(ready_ns, sum(each["wait_ns"] for each in data["threads"]))
        self.assertRegex(self.command([fctest.tool("fcdump"), "--width=120", name]), "threads wait for .* in takes_turns")

    def test_shortest_call(self):
        """Of many calls that take a microsecond, some of which are preempted, none takes next to nothing."""
        source = """static volatile unsigned sum;
            __attribute__((noinline)) unsigned heavy(unsigned x)
            {
                for (int i = 0; i < 1000; i++)
                    x = x * 1664525u + 1013904223u;
                return x;
            }
            int main(void) { for (int i = 0; i < 400000; i++) sum += heavy(i); return 0; }"""
        program = self.compile(self.write("heavy.c", source), "-O1")
        with self.busy_machine():
            self.assertEqual(self.run_quiet([program], env={"FC_LATENCY": "1"}).returncode, 0)
        text = self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")])
        heavy = next(each for each in json.loads(text)["functions"] if each["name"] == "heavy")
        for key in ("total_min_ns", "local_min_ns", "cpu_total_min_ns", "cpu_local_min_ns"):
            self.assertGreaterEqual(heavy[key], heavy["latency"]["p50_ns"] / 4, key)


if __name__ == "__main__":
    fctest.main()
