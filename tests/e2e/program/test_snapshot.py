#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles of a program that goes on: what fcctl says and writes.  The program counts its own requests in a
file, so that a snapshot's calls can be told before and after."""

import contextlib
import shutil
import json
import os
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

USER = "54321"
THREADS = 3


class Server:
    """A running target, which `order` gives commands."""

    def __init__(self, test, words, threads):
        self.test, self.threads, self.served_file = test, threads, words[1]
        self.process = subprocess.Popen(words_of(test, words, threads), cwd=test.folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=test.environment)
        self.pid = self.process.pid
        test.assertEqual(self.answer(), "s")

    def answer(self):
        return self.process.stdout.readline().decode().strip()

    def order(self, letter):
        self.process.stdin.write(letter.encode())
        self.process.stdin.flush()
        return self.answer()

    def served(self):
        with open(self.served_file, "rb") as stream:
            return sum(struct.unpack(f"{self.threads}Q", stream.read(8 * self.threads)))

    def end(self):
        self.process.stdin.close()
        self.test.assertEqual(self.process.wait(fctest.TIMEOUT_S), 0)


def words_of(test, words, threads):
    return [*test.before, *words, str(threads)]


class Snapshots(fctest.Case):
    before = ()  # words before those of the server

    def fcctl(self, *words, status=0, before=(), folder=None):
        done = self.run_target([*before, os.path.join(self.bindir, "fcctl"), *map(str, words)], cwd=folder or self.folder)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, status, out + err)
        return out if status == 0 else err

    @contextlib.contextmanager
    def server(self, threads=THREADS, **env):
        program = self.compile("server.c", "-pthread")
        self.environment = {**fctest.plain_environment(), "FC_QUIET": "1", **env}
        server = Server(self, [program, self.path("served")], threads)
        try:
            yield server
            server.end()
        finally:
            server.process.kill()
            server.process.wait()
            server.process.stdin.close()
            server.process.stdout.close()

    def value(self, pid, name):
        return dict(line.split(" ", 1) for line in self.fcctl(pid, "status").splitlines())[name]

    def snapshot(self, pid, name="snapshot.fc"):
        self.assertEqual(self.fcctl(pid, "snapshot", name), "")
        return fcprofile.load(self.path(name))

    def calls(self, profile):
        found = {function.name: function.calls for function in profile.functions}
        return {name: found.get(name, 0) for name in ("handle", "parse", "cheap")}

    def check_idle(self, pid, requests):
        profile = self.snapshot(pid)
        self.assertEqual(self.calls(profile), {"handle": requests, "parse": requests, "cheap": 20 * requests})
        self.assertEqual((profile.end, profile.pid), ("running", pid))
        return profile


class Calls(Snapshots):
    def check_exact(self, **env):
        """Of an idle server the calls are exactly its own, again and again; and so are those of the end."""
        with self.server(**env) as server:
            self.check_idle(server.pid, 0)
            for _ in range(3):
                server.order("o")
                self.check_idle(server.pid, server.served())
                server.order("l")
                server.order("i")
                profile = self.check_idle(server.pid, server.served())
            self.assertEqual(profile.losses, {})
            served = server.served()
        final = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual(self.calls(final), {"handle": served, "parse": served, "cheap": 20 * served})
        self.assertEqual((final.end, final.losses), ("exit", {}))

    def test_idle(self):
        self.check_exact()

    def test_all_recorded(self):
        self.check_exact(FC_DETAIL="all")

    def test_memory(self):
        self.check_exact(FC_MEMORY="1")

    def test_clock_of_threads(self):
        self.check_exact(FC_TIME_MODE="cpu")

    def test_under_load(self):
        """Each call that was counted before the question is in the snapshot, and none that began after the answer;
        each is cumulative."""
        for detail in ("auto", "all"):
            with self.subTest(detail), self.server(FC_DETAIL=detail) as server:
                server.order("l")
                last = {"handle": 0, "parse": 0, "cheap": 0}
                for _ in range(12):
                    before = server.served()
                    calls = self.calls(self.snapshot(server.pid))
                    after = server.served()
                    self.assertLessEqual(before, calls["handle"])
                    self.assertLessEqual(calls["handle"], after + server.threads)
                    self.assertLessEqual(before - server.threads, calls["parse"])
                    self.assertLessEqual(calls["parse"], after)
                    self.assertLessEqual(20 * (before - server.threads), calls["cheap"])
                    self.assertLessEqual(calls["cheap"], 20 * after)
                    for name, count in last.items():
                        self.assertLessEqual(count, calls[name], name)
                    last = calls
                server.order("i")
                self.check_idle(server.pid, server.served())

    def test_few_chunks(self):
        """Threads that wait for chunks while the manager waits for its child."""
        with self.server(threads=8, FC_DETAIL="all", FC_BUFFER_SIZE="2048") as server:
            server.order("l")
            for _ in range(8):
                before = server.served()
                calls = self.calls(self.snapshot(server.pid))
                self.assertLessEqual(before, calls["handle"])
                self.assertLessEqual(calls["handle"], server.served() + server.threads)
            server.order("i")
            self.check_idle(server.pid, server.served())

    def test_open_frames(self):
        """Frames that are open count to now, and stand in the profile as open."""
        with self.server() as server:
            server.order("o")
            profile = self.check_idle(server.pid, THREADS)
            workers = [thread for thread in profile.threads if [f.name for f in thread.stack] == ["worker"]]
            self.assertEqual(len(workers), THREADS)
            first = {f.name: f.total_ns for f in profile.functions}["main"]
            later = {f.name: f.total_ns for f in self.check_idle(server.pid, THREADS).functions}["main"]
            self.assertGreater(later, first)

    def test_mode_thread(self):
        """A snapshot has all threads, though each will have a file of its own."""
        with self.server(FC_ALLOW_THREAD="1") as server:
            server.order("o")
            profile = self.check_idle(server.pid, THREADS)
            self.assertEqual(len(profile.threads), THREADS + 1)

    def test_pipe(self):
        """What threads keep to themselves a snapshot has not, and says so."""
        with self.server(FC_TRANSPORT="pipe") as server:
            server.order("o")
            profile = self.snapshot(server.pid)
            self.assertLessEqual(self.calls(profile)["handle"], THREADS)
            self.assertGreater(profile.losses["unsent-buffers"], 0)

    def test_child(self):
        """Of a forked child, whose mark is its parent's."""
        with self.server() as server:
            server.order("o")
            child = int(server.order("f").split()[0])
            self.check_idle(child, 7)
            self.check_idle(server.pid, THREADS)
        final = fcprofile.load(self.wait_for_file(f"functioncheck.fc.{child}"))
        self.assertEqual(self.calls(final), {"handle": 7, "parse": 7, "cheap": 140})

    def test_shown(self):
        with self.server() as server:
            server.order("o")
            self.snapshot(server.pid)
            for what in ("snapshot.fc", str(server.pid)):
                text = self.command([fctest.tool("fcdump"), what])
                self.assertIn("running: a snapshot", text.splitlines()[0])
                self.assertRegex(text, rf"(?m) {20 * THREADS} .* cheap$")
            # a file of that name is meant first
            os.rename(self.path("snapshot.fc"), self.path(str(server.pid)))
            server.order("o")
            self.assertRegex(self.command([fctest.tool("fcdump"), str(server.pid)]), rf"(?m) {20 * THREADS} .* cheap$")

    def test_not_shown(self):
        done = self.run_target([fctest.tool("fcdump"), "4194304"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, b"", b"fcdump: 4194304: no such process\n"))

    def test_delta(self):
        """Of the time between two snapshots: what was before is not in it."""
        with self.server() as server:
            server.order("l")
            fctest.wait_until(lambda: server.served() > THREADS, "no load")
            server.order("i")
            before = server.served()
            with subprocess.Popen([fctest.tool("fcctl"), str(server.pid), "delta", "3", "delta.fc"], cwd=self.folder,
                                  env=fctest.plain_environment()) as waits:
                fctest.wait_until(lambda: "\nsnapshots 1\n" in self.fcctl(server.pid, "status"), "no first snapshot")
                server.order("o")
                self.assertEqual(waits.wait(fctest.TIMEOUT_S), 0)
            delta = fcprofile.load(self.path("delta.fc"))
            self.assertEqual(self.calls(delta), {"handle": THREADS, "parse": THREADS, "cheap": 20 * THREADS})
            self.assertEqual(sum(arc.calls for arc in delta.arcs if arc.callee.name == "handle"), THREADS)
            self.assertEqual(sorted(thread.functions["handle"][0] for thread in delta.threads if "handle" in thread.functions),
                             [1] * THREADS)
            self.assertEqual({function.name for function in delta.functions}, {"main", "worker", "handle", "parse", "cheap",
                                                                              "command", "set", "wait_for_idle", "sum_served"})
            times = {function.name: function.total_ns for function in delta.functions}
            self.assertGreaterEqual(times["worker"], 2.9e9 * THREADS)
            self.assertLess(times["main"], delta.run_ns + 1e6)
            whole = self.snapshot(server.pid)
            self.assertEqual(self.calls(whole)["handle"], before + THREADS)


class ByTheClock(Snapshots):
    """FC_EVERY."""

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".fc"))

    def test_last_ones_stay(self):
        with self.server(FC_EVERY="100ms,keep=3") as server:
            server.order("o")
            name = f"functioncheck.{server.pid}.snapshot-%04u.fc"
            fctest.wait_until(lambda: self.files() and self.files()[-1] >= name % 6, "no sixth snapshot")
            self.assertLessEqual(len(self.files()), 4)  # one is deleted after the next is there
            status = dict(line.split(" ", 1) for line in self.fcctl(server.pid, "status").splitlines())
            self.assertGreaterEqual(int(status["periodic-snapshots"]), 6)
            self.assertEqual(status["snapshots"], "0")
            child = int(server.order("f").split()[0])
            fctest.wait_until(lambda: any(str(child) in name for name in self.files()), "none of the child")
        self.wait_for_file(f"functioncheck.fc.{child}")
        last = [name for name in self.files() if str(server.pid) in name]
        self.assertEqual(len(last), 3)
        profile = fcprofile.load(self.path(last[-1]))
        self.assertEqual(self.calls(profile), {"handle": THREADS, "parse": THREADS, "cheap": 20 * THREADS})
        self.assertEqual((profile.end, profile.pid, profile.losses), ("running", server.pid, {}))

    def test_names(self):
        with self.server(FC_EVERY="50ms", FC_DUMP_NAME="own-%p") as server:
            self.wait_for_file(f"own-{server.pid}.snapshot-0002.fc")

    def test_manager_killed_too(self):
        with self.server(FC_EVERY="50ms") as server:
            server.order("o")
            self.wait_for_file(f"functioncheck.{server.pid}.snapshot-0001.fc")
            manager = int(self.value(server.pid, "manager"))
            server.order("o")
            seen = self.files()[-1]
            fctest.wait_until(lambda: self.files()[-1] > seen[:-7] + f"{int(seen[-7:-3]) + 1:04}.fc", "no later one")
            os.kill(manager, 9)
            os.kill(server.pid, 9)
            server.process.wait()
            fctest.wait_until(lambda: not os.path.exists(f"/proc/{manager}/fd/0"), "the manager lives")
            self.assertNotIn("functioncheck.fc", self.files())
            profile = fcprofile.load(self.path(self.files()[-1]))
            self.assertEqual(self.calls(profile)["handle"], 2 * THREADS)
            server.end = lambda: None

    def test_bad_values(self):
        program = self.compile("nesting.c")
        for value in ("", "00", "x", "5x", "10s,keep=0", "10s,keep=", "10s,keep=1001", "10s,more", "1000h"):
            done = self.run_told([program], env={"FC_EVERY": value})
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"FCheck: FC_EVERY: bad value '{value}', using no snapshots\n", done.stderr.decode())
        self.assertEqual(self.files(), ["functioncheck.fc"])


    def test_not_written(self):
        """Is told once, at the end."""
        with self.server(FC_EVERY="50ms", FC_DUMP_PATH=self.path("later"), FC_LOG=self.path("log")) as server:
            # a second one begins when the first has failed
            fctest.wait_until(lambda: int(self.value(server.pid, "periodic-snapshots")) >= 2, "no snapshots")
            os.mkdir(self.path("later"))
            self.wait_for_file(f"later/functioncheck.{server.pid}.snapshot-%04u.fc" % (2 + int(self.value(server.pid, "periodic-snapshots"))))
        with open(self.path("log"), encoding="utf-8") as log:
            self.assertEqual(log.read().count("a snapshot could not be written (FC_EVERY, fc_snapshot)"), 1)


class Recovery(Snapshots):
    """The profile so far lies under the name of the whole run's."""

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if ".fc" in name)

    def wait_for_calls(self, requests, name="functioncheck.fc"):
        def is_there():
            if not os.path.exists(self.path(name)):
                return False
            profile = fcprofile.load(self.path(name))
            return (self.calls(profile)["handle"], profile.end) == (requests, "running")
        fctest.wait_until(is_there, f"no {name} of {requests} requests")

    def kill(self, server):
        """Program and manager at once, as a batch system does."""
        manager = int(self.value(server.pid, "manager"))
        for pid in (manager, server.pid):
            os.kill(pid, 9)
        server.process.wait()
        fctest.wait_until(lambda: not os.path.exists(f"/proc/{manager}/fd/0"), "the manager lives")
        server.end = lambda: None

    def test_killed_with_manager(self):
        with self.server() as server:
            server.order("o")
            self.wait_for_calls(THREADS)
            server.order("o")
            self.wait_for_calls(2 * THREADS)
            self.kill(server)
        self.assertEqual(self.files(), ["functioncheck.fc"])
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual((self.calls(profile)["handle"], profile.end, profile.losses), (2 * THREADS, "running", {}))
        self.assertIn("running", self.command([fctest.tool("fcdump")]))

    def test_replaced_at_the_end(self):
        with self.server(FC_KEEP="3") as server:
            self.wait_for_calls(0)
            server.order("o")
        with self.server(FC_KEEP="3", FC_LOG=self.path("log")) as server:
            self.wait_for_calls(0)
            server.order("o")
            server.order("o")
        self.assertEqual(self.files(), ["functioncheck.fc", "functioncheck.old-1.fc"])
        found = [fcprofile.load(self.path(name)) for name in self.files()]
        self.assertEqual([(self.calls(profile)["handle"], profile.end) for profile in found],
                         [(2 * THREADS, "exit"), (THREADS, "exit")])

    def test_name_of_process(self):
        with self.server(FC_DUMP_NAME="own-%p") as server:
            self.wait_for_calls(0, f"own-{server.pid}.fc")
            server.order("o")
        self.assertEqual(self.files(), [f"own-{server.pid}.fc"])
        self.assertEqual(fcprofile.load(self.path(self.files()[0])).end, "exit")

    def test_several_processes(self):
        with self.server() as server:
            self.wait_for_calls(0)
            child = int(server.order("f").split()[0])
        self.wait_for_file(f"functioncheck.fc.{child}")
        self.assertEqual(self.files(), sorted(["functioncheck.fcd", f"functioncheck.fc.{server.pid}", f"functioncheck.fc.{child}"]))

    def test_concurrent_run(self):
        """Another run ends meanwhile: both profiles stay, and nothing else."""
        with self.server() as server:
            server.order("o")
            self.wait_for_calls(THREADS)
            self.assertEqual(self.run_quiet([self.compile("nesting.c")]).returncode, 0)
            server.order("o")
            server.order("o")
        found = {self.calls(profile)["handle"]: profile.end for profile in
                 (fcprofile.load(self.path(name)) for name in self.files())}
        self.assertEqual(found, {3 * THREADS: "exit", 0: "exit"})
        self.assertEqual(len(self.files()), 2)

    def test_none(self):
        with self.server(FC_EVERY="0") as server:
            with open(f"/proc/{self.value(server.pid, 'manager')}/cmdline", encoding="utf-8") as stream:
                self.assertNotIn("--recovery", stream.read().split("\0"))


class Told(Snapshots):
    """What a program says by fc.h."""
    INCLUDE = "-I" + os.path.join(fctest.PREFIX, "include")

    def calls_of(self, name):
        text = self.command([fctest.tool("fcdump"), "--json", name])
        return {function["name"]: function["calls"] for function in json.loads(text)["functions"]}

    def check(self, *flags, compiler="gcc", config=()):
        if config:
            self.config = config
        program = self.compile("told.c", self.INCLUDE, "-pthread", *flags, compiler=compiler)
        for detail in ("auto", "all"):
            with self.subTest(detail):
                done = self.run_quiet([program], env={"FC_DETAIL": detail})
                self.assertEqual((done.returncode, done.stdout), (0, b"30\n"), done.stderr)
                snapshot, = [name for name in os.listdir(self.folder) if name.endswith(".snapshot-after_6_half.fc")]
                first, last = self.calls_of(snapshot), self.calls_of("functioncheck.fc")
                # it goes on meanwhile: at least what was before
                self.assertGreaterEqual((first["outer part"], first["inner part"]), (1, 6))
                self.assertLessEqual((first["outer part"], first["inner part"]), (2, 10))
                self.assertEqual((last["outer part"], last["inner part"]), (2, 10))
                text = json.loads(self.command([fctest.tool("fcdump"), "--json", "functioncheck.fc"]))
                self.assertIn("the other one", [thread["name"] for thread in text["threads"]])
                self.assertEqual(text["losses"] + text["repairs"], [])
                tree = self.command([fctest.tool("fcdump"), "--tree", "--all", "functioncheck.fc"])
                self.assertRegex(tree, r"regions(.|\n)*outer part(.|\n)*inner part")
                os.unlink(self.path(snapshot))
        return last

    def test_c(self):
        self.assertEqual(self.check()["leaf"], 16)

    def test_clang(self):
        self.assertEqual(self.check(compiler="clang")["leaf"], 16)

    def test_cxx(self):
        self.assertEqual(self.check("-x", "c++", "-std=gnu++17", compiler="g++")["leaf"], 16)

    def test_after_inlining(self):
        self.check("-O2", config=["--after-inlining"])

    def test_without_libfc(self):
        program = self.compile("told.c", self.INCLUDE, "-pthread", "-Wall", "-Wextra", "-Werror", profiled=False)
        done = self.run_target([program])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"30\n", b""))


class Waiting(Snapshots):
    def test_no_records(self):
        """A thread that makes no record waits and runs by turns; at the snapshot it may wait for the processor, as
        others are on it: its time on the processor is what the kernel says."""
        program = self.compile(self.write("naps.c", """
            #include <time.h>
            int main(void)
            {
                for (;;)
                {
                    struct timespec nap = {0, 200000};
                    nanosleep(&nap, NULL);
                    for (volatile int i = 0; i < 20000; i++) {}
                }
            }"""))
        processor = str(min(os.sched_getaffinity(0)))
        hogs = [subprocess.Popen(["taskset", "-c", processor, sys.executable, "-c", "while True: pass"]) for _ in range(3)]
        napping = subprocess.Popen(["taskset", "-c", processor, program], cwd=self.folder,
                                   env={**fctest.plain_environment(), "FC_QUIET": "1"})
        def used():
            with open(f"/proc/{napping.pid}/task/{napping.pid}/schedstat", encoding="ascii") as stream:
                return int(stream.read().split()[0])
        try:
            fctest.wait_until(lambda: used() > 5e7, "it does not run")
            for _ in range(10):
                main, = self.snapshot(napping.pid).functions
                text, = json.loads(self.command([fctest.tool("fcdump"), "--json", "snapshot.fc"]))["functions"]
                self.assertGreater(main.total_ns, 5e7)
                self.assertLessEqual(text["cpu_total_ns"], used() + 2e7)
        finally:
            for process in (*hogs, napping):
                process.kill()
                process.wait()


class Paused(Snapshots):
    """What comes in a pause is in no profile."""

    def check_server(self, **env):
        with self.server(**env) as server:
            for pause in range(4):
                server.order("o")
                self.assertEqual(self.fcctl(server.pid, "pause"), "")
                self.check_idle(server.pid, (pause + 1) * THREADS)
                server.order("o")
                self.check_idle(server.pid, (pause + 1) * THREADS)
                self.assertEqual(self.fcctl(server.pid, "resume"), "")
                self.check_idle(server.pid, (pause + 1) * THREADS)
            server.order("o")
        final = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual(self.calls(final), {"handle": 5 * THREADS, "parse": 5 * THREADS, "cheap": 100 * THREADS})
        self.assertEqual((final.end, final.losses, list(final.repairs)), ("exit", {}, ["paused-ms"]))
        self.assertEqual(sorted(thread.functions["handle"][0] for thread in final.threads if "handle" in thread.functions), [5] * THREADS)
        return final

    def test_server(self):
        self.check_server()

    def test_all_recorded(self):
        self.check_server(FC_DETAIL="all")

    def test_clock_of_threads(self):
        self.check_server(FC_TIME_MODE="cpu")

    def test_times(self):
        """The time of a pause is in no time, neither of frames that are open nor of the run."""
        with self.server() as server:
            self.fcctl(server.pid, "pause")
            began = float(self.value(server.pid, "paused-s"))
            fctest.wait_until(lambda: float(self.value(server.pid, "paused-s")) > began + 2, "the clock stands still")
            self.assertEqual(self.value(server.pid, "state"), "paused")
            whole = float(self.value(server.pid, "running-s"))
            self.fcctl(server.pid, "resume")
            self.assertEqual(self.value(server.pid, "state"), "recording")
            profile = self.check_idle(server.pid, 0)
            whole_after = float(self.value(server.pid, "running-s"))
            self.assertEqual(list(profile.repairs), ["paused-ms"])
            self.assertGreaterEqual(profile.repairs["paused-ms"], 2000)
            limit = (whole_after - 2) * 1e9
            self.assertLess(profile.run_ns, limit)
            self.assertGreater(whole, 2)
            for function in profile.functions:
                if function.name == "main":
                    self.assertLess(function.total_ns, limit)

    def test_under_load(self):
        with self.server() as server:
            server.order("l")
            fctest.wait_until(lambda: server.served() > 1000, "no load")
            before = server.served()
            self.fcctl(server.pid, "pause")
            after = server.served()
            paused = self.calls(self.snapshot(server.pid))
            fctest.wait_until(lambda: server.served() > after + 1000, "no load")
            self.assertLessEqual(before, paused["handle"])
            self.assertLessEqual(paused["handle"], after + THREADS)
            self.assertEqual(self.calls(self.snapshot(server.pid)), paused)
            self.fcctl(server.pid, "resume")
            self.fcctl(server.pid, "pause")
            server.order("i")
            last = self.calls(self.snapshot(server.pid))
            self.assertGreaterEqual(last["handle"], paused["handle"])
            self.assertLess(last["handle"], server.served() - 900)

    def check_empty(self, profile):
        """There may be functions that are open."""
        self.assertEqual([(f.calls, f.total_ns) for f in profile.functions if f.calls > 0 or f.total_ns > 0], [])
        self.assertEqual((profile.losses, list(profile.repairs), list(profile.contexts)), ({}, ["paused-ms"], []))

    def test_start(self):
        with self.server(FC_START="paused") as server:
            server.order("o")
            profile = self.snapshot(server.pid)
            self.check_empty(profile)
            self.fcctl(server.pid, "resume")
            server.order("o")
            self.check_idle(server.pid, THREADS)
        self.assertEqual(self.calls(fcprofile.load(self.path("functioncheck.fc")))["handle"], THREADS)

    def test_never_begun(self):
        with self.server(FC_START="paused") as server:
            server.order("o")
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.check_empty(profile)
        self.assertEqual(profile.functions, [])
        self.assertIn("paused-ms", self.command([fctest.tool("fcdump"), "--notes", "functioncheck.fc"]))

    def test_child(self):
        """A forked child is paused where its parent is."""
        with self.server() as server:
            self.fcctl(server.pid, "pause")
            child = int(server.order("f").split()[0])
            self.assertEqual(self.value(child, "state"), "paused")
            self.fcctl(child, "resume")
            self.check_idle(child, 0)
            self.assertEqual(self.value(server.pid, "state"), "paused")
        self.assertEqual(self.calls(fcprofile.load(self.wait_for_file(f"functioncheck.fc.{child}")))["handle"], 0)

    def test_periodic(self):
        with self.server(FC_EVERY="100ms", FC_START="paused") as server:
            server.order("o")
            path = self.wait_for_file(f"functioncheck.{server.pid}.snapshot-0002.fc")
            self.check_empty(fcprofile.load(path))

    def test_mode_thread(self):
        with self.server(FC_ALLOW_THREAD="1") as server:
            for word in ("pause", "resume"):
                self.assertEqual(self.fcctl(server.pid, word, status=1),
                                 f"fcctl: {server.pid}: there is no pause in THREAD mode (FC_ALLOW_THREAD)\n")

    def test_bad_values(self):
        program = self.compile("nesting.c")
        for value in ("", "pause", "10s"):
            done = self.run_told([program], env={"FC_START": value})
            self.assertIn(f"FCheck: FC_START: bad value '{value}', using no pause\n", done.stderr.decode())
        done = self.run_told([program], env={"FC_START": "paused", "FC_ALLOW_THREAD": "1"})
        self.assertIn("FCheck: there is no pause in THREAD mode: FC_START is not used\n", done.stderr.decode())
        self.assertGreater(len(fcprofile.load(self.path("functioncheck.fc")).functions), 0)


class PausedByProgram(Snapshots):
    INCLUDE = "-I" + os.path.join(fctest.PREFIX, "include")

    def check(self, *flags, compiler="gcc", config=(), unsent=0, **env):
        if config:
            self.config = config
        program = self.compile("paused.c", self.INCLUDE, "-pthread", *flags, compiler=compiler)
        for start in ("", "paused"):
            for detail in ("auto", "all"):
                with self.subTest(start=start, detail=detail):
                    begun = {"FC_START": start} if start else {}
                    done = self.run_quiet([program, "5"], env={"FC_DETAIL": detail, **begun, **env})
                    self.assertEqual((done.returncode, done.stdout), (0, b"45290\n"), done.stderr)
                    profile = fcprofile.load(self.path("functioncheck.fc"))
                    calls = {function.name: function.calls for function in profile.functions}
                    # `seen` and one call of ends_unseen and begins_unseen each
                    self.assertEqual(calls["leaf"], 10 + 5 * 10 + 100 + 20000 + 5 * 2 - unsent)
                    self.assertEqual((calls["seen"], calls["ends_unseen"]), (8 - (unsent > 0), 5))
                    self.assertEqual((calls.get("begins_unseen", 0), calls.get("unseen", 0)), (0, 0))
                    self.assertEqual((profile.losses, list(profile.repairs)), ({}, ["paused-ms"]))
                    self.assertEqual(sum(context.calls for context in profile.contexts if context.function.name == "seen"), 8 - (unsent > 0))

    def test_c(self):
        self.check()

    def test_clang(self):
        self.check(compiler="clang")

    def test_cxx(self):
        self.check("-x", "c++", "-std=gnu++17", compiler="g++")

    def test_after_inlining(self):
        self.check("-O2", config=["--after-inlining"])

    def test_lean(self):
        self.check("-O2", config=["--lean"])

    def test_memory(self):
        """Memory is recorded in pauses, too: a leak is one whenever it began.  Its context has no calls."""
        self.check(FC_MEMORY="1")
        data = json.loads(self.command([fctest.tool("fcdump"), "--json", "functioncheck.fc"]))
        leaks = {}
        for place in data["heap"]["places"]:
            if place["context"] is not None and place["live_bytes"] > 0:
                context = data["contexts"][place["context"]]
                name = data["functions"][context["function"]]["name"]
                leaks.setdefault(name, []).append((place["live_blocks"], place["live_bytes"], context["calls"]))
        self.assertEqual(sorted(leaks["unseen"]), [(1, 77, 0)] * 3 + [(5, 5 * 77, 0)])

    def test_pipe(self):
        """The thread that pauses has sent what it recorded, the other one not: its last 11 calls come in the pause."""
        self.check(FC_TRANSPORT="pipe", unsent=11)

    def test_without_libfc(self):
        program = self.compile("paused.c", self.INCLUDE, "-pthread", "-Wall", "-Wextra", "-Werror", profiled=False)
        done = self.run_target([program, "5"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"45290\n", b""))


@unittest.skipUnless(os.path.exists(fctest.tool("fctop")), "fctop is not built: there is no ncurses")
class Top(Snapshots):
    def top(self, *words, status=0):
        done = self.run_target([fctest.tool("fctop"), *map(str, words)])
        self.assertEqual(done.returncode, status, done.stderr)
        return (done.stdout if status == 0 else done.stderr).decode()

    def rows(self, text):
        """Of the functions of the last sample: name -> figures as texts."""
        lines = text.split("\n\n")[-1].splitlines()
        self.assertEqual(lines[0].split(), ["CPU%", "total%", "wait%", "calls/s", "function"])
        return {line.split()[-1]: line.split()[:-1] for line in lines[1:]}

    def test_batch(self):
        with self.server() as server:
            server.order("l")
            fctest.wait_until(lambda: server.served() > 1000, "no load")
            text = self.top("--batch", "-n", "2", "-d", "0.5", server.pid)
            self.assertRegex(text, rf"(?m)^server \({server.pid}\)  up 0:\d\d:\d\d  {THREADS + 1} threads  last \d+\.\d s$")
            rows = self.rows(text)
            self.assertLessEqual({"handle", "parse", "cheap", "worker"}, set(rows))
            # of parse alone a busy machine may have too few samples in half a second
            self.assertGreater(float(rows["parse"][1]), 0)
            self.assertGreaterEqual(float(rows["handle"][1]), float(rows["parse"][1]))
            self.assertNotIn("\nheap ", text)
            order = [float(figures[0]) for figures in rows.values()]
            self.assertEqual(order, sorted(order, reverse=True))
            self.assertEqual(list(self.rows(self.top("--batch", "-n", "1", "-d", "0.5", "--only=ar", "-s", "calls", server.pid))), ["parse"])
            threads = self.top("--batch", "-n", "1", "-d", "0.5", "--threads", server.pid)
            self.assertEqual(len([line for line in threads.splitlines() if line.endswith(("  parse", "  cheap", "  handle"))]), THREADS)
            server.order("i")
            rows = self.rows(self.top("--batch", "-n", "1", "-d", "0.5", server.pid))
            # estimates of earlier calls may change a little
            self.assertEqual([rows.get(name, ["", "", "", "0.00"])[3] for name in ("worker", "handle", "parse", "cheap")], ["0.00"] * 4)
            self.assertEqual(rows["worker"][0], "0.0")

    def test_heap(self):
        with self.server(FC_MEMORY="1") as server:
            self.assertRegex(self.top("--batch", "-n", "1", "-d", "0.1", server.pid), r"(?m)^heap .+ in \d+ blocks  .+ allocations/s$")

    def test_to_the_end(self):
        with self.server() as server:
            with subprocess.Popen([fctest.tool("fctop"), "--batch", "-d", "0.1", str(server.pid)], stdout=subprocess.PIPE) as top:
                self.assertIn(b"server", top.stdout.readline())
                server.end()
                server.end = lambda: None
                top.stdout.read()
                self.assertEqual(top.wait(fctest.TIMEOUT_S), 0)

    def test_refused(self):
        self.assertEqual(self.top("--batch", "4194304", status=1), "fctop: 4194304: no such process\n")
        for words, text in (((), "no process is named"), (("1", "2"), "one process at a time"), (("x",), "x: not the number of a process"),
                            (("--sort=name", "1"), "--sort is cpu, total, wait or calls"),
                            (("--delay=0", "1"), "--delay is from 0.1 to 86400 seconds"),
                            (("--count=-1", "1"), "--count is 0 or more"),
                            (("1",), "this is no terminal: use --batch")):
            self.assertEqual(self.top(*words, status=2), f"fctop: {text}\nTry 'fctop --help'.\n")

    @unittest.skipUnless(shutil.which("tmux"), "there is no tmux")
    def test_terminal(self):
        socket = self.path("tmux")
        def tmux(*words):
            return self.command(["tmux", "-S", socket, "-f", "/dev/null", *words])
        def wait_for(*texts):
            fctest.wait_until(lambda: all(text in tmux("capture-pane", "-p") for text in texts), f"no {texts}")
            return tmux("capture-pane", "-p")
        with self.server() as server:
            server.order("l")
            tmux("new-session", "-d", "-x", "100", "-y", "30",
                 f"{fctest.tool('fctop')} -d 0.2 {server.pid}; echo status $?; exec cat")
            try:
                screen = wait_for("CPU%  total%", "parse", "cheap", "F10 leave")
                self.assertEqual(len(screen.rstrip("\n").splitlines()), 30)
                tmux("send-keys", "H")
                wait_for("thread             mostly in")
                tmux("send-keys", "H")
                tmux("send-keys", "F4")
                tmux("send-keys", "chea")
                self.assertNotIn("parse", wait_for("Only: chea_", "cheap"))
                tmux("send-keys", "Escape")
                wait_for("parse", "F10 leave")
                tmux("send-keys", "h")
                wait_for("turn the order round")
                tmux("resize-window", "-x", "60", "-y", "10")
                tmux("send-keys", "C")
                wait_for("cheap")
                tmux("send-keys", "q")
                wait_for("status 0")
            finally:
                tmux("kill-server")


class Asking(Snapshots):
    def test_files(self):
        with self.server() as server:
            first, second = f"functioncheck.{server.pid}-1.fc\n", f"functioncheck.{server.pid}-2.fc\n"
            self.assertEqual([self.fcctl(server.pid, "snapshot"), self.fcctl(server.pid, "snapshot")], [first, second])
            self.assertTrue(self.fcctl(server.pid, "snapshot", "-").startswith("functioncheck_v3.0\n"))
            self.assertIn("no/where.fc: ", self.fcctl(server.pid, "snapshot", "no/where.fc", status=1))
            program = self.path("server")
            with open(program, "rb") as file:
                before = file.read()
            self.assertEqual(self.fcctl(server.pid, "snapshot", program, status=1), f"fcctl: {program}: is no profile; not overwritten\n")
            with open(program, "rb") as file:
                self.assertEqual(file.read(), before)
            self.fcctl(server.pid, "snapshot", first.strip())

    def test_status(self):
        with self.server() as server:
            self.snapshot(server.pid)
            lines = dict(line.split(" ", 1) for line in self.fcctl(server.pid, "status").splitlines())
            self.assertEqual((lines["process"], lines["program"]), (str(server.pid), self.path("server")))
            self.assertEqual((lines["threads"], lines["threads-ended"], lines["snapshots"]), (str(THREADS + 1), "0", "1"))
            self.assertEqual(self.fcctl(server.pid, "status", "more", status=2).splitlines()[1], "Try 'fcctl --help'.")

    def test_usage(self):
        for words, text in (((), "no process is named"), (("1",), "no command is given"),
                            (("x", "status"), "x: not the number of a process"),
                            (("1x", "status"), "1x: not the number of a process"),
                            (("99999999999", "status"), "99999999999: not the number of a process"),
                            (("1", "dump"), "dump: no such command"),
                            (("1", "delta"), "delta: for how many seconds?"),
                            (("1", "delta", "x"), "delta: 'x' is not a number of seconds up to 86400"),
                            (("1", "delta", "0"), "delta: '0' is not a number of seconds up to 86400"),
                            (("1", "snapshot", "a", "b"), "snapshot: unexpected argument 'b'")):
            self.assertEqual(self.fcctl(*words, status=2), f"fcctl: {text}\nTry 'fcctl --help'.\n")

    def check_refused(self, pid, text, **how):
        for command in ("status", "snapshot"):
            self.assertEqual(self.fcctl(pid, command, status=1, **how), f"fcctl: {pid}: {text}\n")
        # the other is the process's own profile, of which there is an early one once it has run for a second
        self.assertEqual({name for name in os.listdir(how.get("folder", self.folder)) if name.endswith(".fc")}
                         - {"functioncheck.fc"}, set())

    def test_no_profiled_process(self):
        self.check_refused(4194304, "no such process")
        with subprocess.Popen(["sleep", "60"]) as process:
            self.check_refused(process.pid, "is not profiled: it was built without FunctionCheck's flags, or runs "
                                            "without its library")
            process.kill()
            fctest.wait_until(lambda: fctest.state_of(process.pid) == "Z", "it is no zombie")
            self.check_refused(process.pid, "the process has ended")

    def test_thread(self):
        with self.server() as server:
            thread, = [tid for tid in os.listdir(f"/proc/{server.pid}/task") if int(tid) != server.pid][:1]
            self.check_refused(thread, f"is a thread of process {server.pid}")

    def test_manager_gone(self):
        with self.server() as server:
            manager = int(self.value(server.pid, "manager"))
            os.kill(manager, 9)
            fctest.wait_until(lambda: not os.path.exists(f"/proc/{manager}/fd/0"), "the manager lives")
            self.check_refused(server.pid, f"its profile manager (process {manager}) is gone, and nothing more is recorded")

    def mark(self, text):
        """A process that has put up this mark."""
        return subprocess.Popen([sys.executable, "-c", f"""if True:
            import mmap, os, sys
            fd = os.memfd_create("functioncheck:{text}")
            os.ftruncate(fd, 4096)
            page = mmap.mmap(fd, 4096)
            print("up", flush=True)
            sys.stdin.read()"""], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def test_strange_marks(self):
        own = os.stat("/proc/self/ns/pid").st_ino
        numbers = ":".join("9" * 10)
        for mark, text in ((f"1:{own}:{numbers}:1", "is profiled by an older FunctionCheck, which can't be asked"),
                           (f"77:{numbers}:1:1:1:1", "is profiled by another version of FunctionCheck (its protocol is 77, ours 6)"),
                           ("6:1:2", "the mark in its memory map is none of FunctionCheck's"),
                           (f"6:1:{own + 1}:{numbers}:1:1", "its profile manager is in another PID namespace (a container): "
                                                          "ask from in there"),
                           # another process's pipe is nobody's to write into
                           (f"6:{os.getpid()}:{own}:{numbers}:1:1",
                            f"its profile manager (process {os.getpid()}) is gone, and nothing more is recorded")):
            with self.mark(mark) as process:
                process.stdout.readline()
                self.check_refused(process.pid, text)
                process.stdin.close()


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class Users(Snapshots):
    """The kernel says who may ask."""
    OTHER = ("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups")
    check_refused = Asking.check_refused

    def setUp(self):
        super().setUp()
        self.share_with_others(0o777)

    def test_another_user(self):
        with self.server() as server:
            self.check_refused(server.pid, "is a process of another user (uid 0): the kernel lets only that user and "
                                           "root ask", before=self.OTHER)
            self.check_idle(server.pid, 0)

    def test_root_asks_a_user(self):
        """The file is root's."""
        self.before = self.OTHER
        with self.server() as server:
            server.order("o")
            self.check_idle(server.pid, THREADS)
            self.assertEqual(os.stat(self.path("snapshot.fc")).st_uid, 0)
            self.assertEqual(self.fcctl(server.pid, "snapshot", "own.fc", before=self.OTHER), "")

    def test_not_dumpable(self):
        self.before = self.OTHER
        with self.server() as server:
            server.order("d")
            self.check_refused(server.pid, "the kernel lets nobody but root look at it: it has called "
                                           "prctl(PR_SET_DUMPABLE, 0), or has other rights than its user",
                               before=self.OTHER)


if __name__ == "__main__":
    fctest.main()
