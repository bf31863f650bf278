#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trace events (--chrome), opened by Perfetto's trace processor and by Catapult's trace viewer, which
was chrome://tracing: each call with name, beginning, duration, level, thread and process, against
--trace --csv.  Debian's own Python, as its Selenium needs."""

import collections
import csv
import io
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402
import tracereaders  # noqa: E402

Call = collections.namedtuple("Call", "begin_ns duration_ns level name")  # None: it did not return

SLICES = """select thread.tid, ts, dur, depth, slice.name, pid, process.name
    from slice join thread_track on slice.track_id = thread_track.id join thread using (utid)
    join process using (upid) order by slice.id"""
LOST = "select name, idx, value from stats where severity in ('error', 'data_loss') and value > 0"


class Readers(fctest.Case):
    @classmethod
    def setUpClass(cls):
        cls.driver = cls.enterClassContext(tracereaders.opened())

    def trace(self, source, *words, status=0, flags=(), name="functioncheck.fc", compiler="gcc", **env):
        program = self.compile(source, "-pthread", *flags, compiler=compiler)
        done = self.run_quiet([program, *words], env={"FC_TRACE": "100000", **env})
        self.assertEqual(done.returncode, status, done.stderr)
        self.wait_for_file(name)
        return os.path.basename(program)

    def told(self, *words):
        """{thread: calls} of --trace: stacks of their own are threads 123/1."""
        text = self.command([fctest.tool("fcdump"), "--trace", "--csv", "--all", *words])
        opened, calls = collections.defaultdict(list), collections.defaultdict(list)
        for row in csv.DictReader(io.StringIO(text)):
            time, level, thread = int(row["time (elapsed ns)"]), int(row["level"]) - 1, row["thread"]
            if row["row"] == "return":
                begin = opened[thread].pop()
                self.assertEqual((begin.level, begin.name), (level, row["call"]))
                self.assertEqual(time - begin.begin_ns, int(row["duration (elapsed ns)"]))
                calls[thread].append(begin._replace(duration_ns=int(row["duration (elapsed ns)"])))
            elif row["row"] == "call":
                opened[thread].append(Call(time, None, level, row["call"]))
            else:
                calls[thread].append(Call(time, int(row["duration (elapsed ns)"]), level, row["call"]))
        for thread, unfinished in opened.items():
            calls[thread] += unfinished
        return {thread: sorted(found, key=str) for thread, found in calls.items() if found}

    def check(self, *words, programs=None):
        """Both readers show what --trace tells; how many calls there are."""
        told = self.told(*words)
        done = subprocess.run([fctest.tool("fcdump"), "--chrome=" + self.path("trace.json"), *words], check=True,
                              capture_output=True, text=True, timeout=fctest.TIMEOUT_S)
        self.assertIn("--chrome: not in it: ", done.stderr)
        with open(self.path("trace.json"), "rb") as stream:
            trace = stream.read()
        processor = tracereaders.TraceProcessor(self.driver, trace)
        self.assertEqual(processor.rows(LOST), [])
        found, processes = collections.defaultdict(list), {}
        for thread, begin, duration, depth, name, pid, process in processor.rows(SLICES):
            found[thread].append(Call(begin, None if duration < 0 else duration, depth, name))
            processes[pid] = process
        names = dict(processor.rows("select tid, name from thread"))
        self.same(told, found, names, "Perfetto")
        if programs:
            self.assertEqual(sorted(processes.values()), programs)
        viewer = tracereaders.TraceViewer(self.driver, trace)
        self.assertEqual(viewer.warnings, [])
        start = min(call.begin_ns for calls in told.values() for call in calls)  # which Catapult has at 0
        found = collections.defaultdict(list)
        for pid, process, thread, name, call, begin_ms, duration_ms, unfinished, level in viewer.slices:
            self.assertEqual((process, name), (processes[pid], names[thread]))
            found[thread].append(Call(start + round(begin_ms * 1e6),
                                      None if unfinished else round(duration_ms * 1e6), level, call))
        self.same(told, found, names, "Catapult")
        return told, names

    def same(self, told, found, names, reader):
        """A stack of its own, which --trace names by its thread, is a track of its own."""
        self.assertEqual(len(told), len(found), reader)
        stacks = [calls for thread, calls in told.items() if "/" in thread]
        for thread, calls in found.items():
            calls = sorted(calls, key=str)
            if str(thread) in told:
                self.assertEqual(calls, told[str(thread)], reader)
            else:
                self.assertRegex(names[thread], r", stack \d+$")
                self.assertIn(calls, stacks, reader)
                stacks.remove(calls)
        self.assertEqual(stacks, [], reader)

    def test_threads_that_throw(self):
        self.write("throws.cpp", """
#include <stdexcept>
#include <thread>
#include <pthread.h>
volatile long sum;
__attribute__((noinline)) static void leaf(long n) { for (long i = 0; i < n; i++) sum = sum + i; }
__attribute__((noinline)) static void middle(long n) { for (long i = 0; i < n; i++) leaf(10 * i); }
__attribute__((noinline)) static void thrower(long n) { leaf(5); if (n % 3 == 0) throw std::runtime_error("third"); }
static void work(const char *name)
{
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < 10; i++)
        try { middle(20); thrower(i); } catch (const std::runtime_error &) { leaf(1); }
}
int main()
{
    std::thread first(work, "first"), second(work, "second");
    first.join();
    second.join();
}
""")
        program = self.trace(self.path("throws.cpp"), compiler="g++", flags=["-fno-threadsafe-statics"])
        told, names = self.check(self.path("functioncheck.fc"), programs=[program])
        count = collections.Counter(call.name.partition("(")[0] for calls in told.values() for call in calls)
        self.assertEqual((count["leaf"], count["middle"], count["thrower"], count["work"]), (2 * 214, 20, 20, 2))
        self.assertLessEqual({"first", "second"}, set(names.values()))

    def test_killed_and_stacks(self):
        """Calls that did not return, and signal handlers and coroutines on stacks of their own."""
        self.trace("traced.c", "killed", status=-signal.SIGKILL)
        told, _ = self.check(self.path("functioncheck.fc"))
        calls, = told.values()
        self.assertEqual(sorted(call.name for call in calls if call.duration_ns is None), ["inner", "main", "outer"])
        self.trace("traced.c", "handler", FC_DUMP_NAME="handler", name="handler.fc")
        told, _ = self.check(self.path("handler.fc"))
        self.assertEqual(len(told), 2)
        self.trace("coroutines.c", "threads", "5", FC_DUMP_NAME="coroutines", name="coroutines.fc")
        told, _ = self.check(self.path("coroutines.fc"))
        self.assertGreaterEqual(len(told), 4 * 6)

    def test_processes(self):
        program = self.trace("traced.c", "forks", name="functioncheck.fcd")
        told, _ = self.check(self.path("functioncheck.fcd"), programs=[program] * 2)
        self.assertEqual([len(calls) for calls in told.values()].count(0), 0)
        self.assertEqual(len(told), 2)


if __name__ == "__main__":
    fctest.main()
