#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC_TRACE: the last calls of each thread, against targets whose sequence is known, and beside
uftrace.  With the clock that counts records, each record of a thread is 1 us after the one before."""

import collections
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

LINE = re.compile(r" *(\d+\.\d{9})  +(>?\d[\d.]* [num]?s)? +(\d+(?:/\d+)?)  (.*)$")
Line = collections.namedtuple("Line", "time duration thread call")


class Trace(fctest.Case):
    def fcdump(self, *words):
        return self.command([fctest.tool("fcdump"), *words])

    def lines(self, *words, name="functioncheck.fc"):
        """Of --trace: without the times for those who know them from the calls."""
        text = self.fcdump("--trace", *words, self.path(name))
        found = [Line(*match.groups()) for match in map(LINE.match, text.split("\n")) if match]
        self.assertEqual(sorted(found, key=lambda line: float(line.time)), found, text)
        return found

    def calls(self, *words, name="functioncheck.fc"):
        return [(line.duration, line.call) for line in self.lines(*words, name=name)]

    def trace(self, source, *words, records=100000, status=0, clock=True, **env):
        program = self.compile(source, "-pthread")
        run = self.run_test_clock if clock else self.run_quiet
        done = run([program, *words], env={"FC_TRACE": str(records), **env})
        self.assertEqual(done.returncode, status, done.stderr)
        self.wait_for_file()

    # ---- Sequences ---------------------------------------------------------------------------

    def test_nesting(self):
        # main+1 a+2 b+3 b-4 c+5 c-6 a-7 b+8 b-9 main-10
        for transport in ("shared", "pipe"):
            self.trace("nesting.c", FC_TRANSPORT=transport)
            lines = self.lines()
            self.assertEqual([(float(line.time) * 1e6, line.duration, line.call) for line in lines], [
                (1, None, "main() {"),
                (2, None, "  a() {"),
                (3, "1.000 us", "    b();"),
                (5, "1.000 us", "    c();"),
                (7, "5.000 us", "  } /* a */"),
                (8, "1.000 us", "  b();"),
                (10, "9.000 us", "} /* main */")])
            self.assertEqual(len({line.thread for line in lines}), 1)

    def test_filters(self):
        self.trace("nesting.c")
        self.assertEqual(self.calls("--only=b"), [("1.000 us", "b();"), ("1.000 us", "b();")])
        self.assertEqual(self.calls("--not=a"), [
            (None, "main() {"), ("1.000 us", "  b();"), ("1.000 us", "  c();"),
            ("1.000 us", "  b();"), ("9.000 us", "} /* main */")])
        self.assertEqual(self.calls("--depth=2"), [
            (None, "main() {"), ("5.000 us", "  a();"), ("1.000 us", "  b();"),
            ("9.000 us", "} /* main */")])
        self.assertEqual(self.calls("--min-time=5us"), [
            (None, "main() {"), ("5.000 us", "  a();"), ("9.000 us", "} /* main */")])
        self.assertEqual(self.calls("--min=50"), [
            (None, "main() {"), ("5.000 us", "  a();"), ("9.000 us", "} /* main */")])
        # what had ended 3 us before the end is not in its last 3 us
        self.assertEqual(self.calls("--last=3us"), [
            (None, "main() {"), ("5.000 us", "  a();"), ("1.000 us", "  b();"),
            ("9.000 us", "} /* main */")])
        self.assertEqual(self.calls("--last=0.5us"), [("9.000 us", "main();")])
        self.assertEqual(self.calls("--top=2"), [("1.000 us", "  b();"),
                                                 ("9.000 us", "} /* main */")])
        self.assertIn("5 earlier rows with --all", self.fcdump("--trace", "--top=2",
                                                              self.path("functioncheck.fc")))
        self.assertEqual(len(self.calls("--top=2", "--all")), 7)
        self.assertIn("5 of 5 calls are left out", self.fcdump("--trace", "--min-time=1s",
                                                              self.path("functioncheck.fc")))

    def test_last_records(self):
        """Of what was called before them it is known when."""
        self.trace("nesting.c", records=4)
        # a-7 b+8 b-9 main-10
        self.assertEqual(self.calls(), [
            (None, "main() { /* called before */"), ("5.000 us", "  a(); /* called before */"),
            ("1.000 us", "  b();"), ("9.000 us", "} /* main */")])
        self.assertIn("of the 10 calls and returns these are of the last 4",
                      self.fcdump("--trace", self.path("functioncheck.fc")))
        thread, = json.loads(self.fcdump("--json", self.path("functioncheck.fc")))["threads"]
        self.assertEqual(thread["trace"]["made"], 10)
        self.assertEqual([(record["kind"], record["time_ns"], record["depth"], record["begun_ns"])
                          for record in thread["trace"]["records"]],
                         [("return", 7000, 2, 2000), ("call", 8000, 2, 8000),
                          ("return", 9000, 2, 8000), ("return", 10000, 1, 1000)])

    def test_csv(self):
        self.trace("nesting.c")
        rows = list(csv.DictReader(io.StringIO(self.fcdump("--csv", "--trace", "--depth=2",
                                                           self.path("functioncheck.fc")))))
        self.assertEqual([(row["time (elapsed ns)"], row["duration (elapsed ns)"], row["row"], row["level"],
                           row["call"]) for row in rows],
                         [("1000", "", "call", "1", "main"),
                          ("2000", "5000", "call and return", "2", "a"),
                          ("8000", "1000", "call and return", "2", "b"),
                          ("10000", "9000", "return", "1", "main")])

    def test_without(self):
        program = self.compile("nesting.c")
        self.run_quiet([program])
        self.assertIn("no trace", self.fcdump("--trace", self.path("functioncheck.fc")))
        with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
            written = stream.read()
        self.assertNotIn("section trace", written)

    def test_clocks_of_threads(self):
        note = "Each thread has a clock of its own"
        self.trace("threads.c", clock=False)
        self.assertNotIn(note, self.fcdump("--trace", self.path("functioncheck.fc")))
        self.trace("threads.c", clock=False, FC_TIME_MODE="cpu")
        self.assertIn(note, self.fcdump("--trace", self.path("functioncheck.fc")))

    def test_jump(self):
        # main+1 outer+2 inner+3 (jump 4) handle+5 leaf+6-7 handle-8 main-9
        self.trace("caught.c")
        self.assertEqual(self.calls(), [
            (None, "main() {"), (None, "  outer() {"), ("1.000 us", "    inner();"),
            ("2.000 us", "  } /* outer */"), (None, "  handle() {"), ("1.000 us", "    leaf();"),
            ("3.000 us", "  } /* handle */"), ("8.000 us", "} /* main */")])

    # ---- Ends ---------------------------------------------------------------------------------

    def ended(self, how, status):
        """The last three of a thousand leaves, below what did not return."""
        self.trace("traced.c", how, records=7, status=status)
        self.assertEqual(self.calls(), [
            (None, "main() { /* called before */ /* did not return */"),
            (None, "  outer() { /* called before */ /* did not return */"),
            (None, "    inner() { /* called before */ /* did not return */"),
            (None, "      leaves() { /* called before */"),
            ("1.000 us", "        leaf();"), ("1.000 us", "        leaf();"),
            ("1.000 us", "        leaf();"), ("2.001 ms", "      } /* leaves */")])

    def test_killed(self):
        self.ended("killed", -signal.SIGKILL)

    def test_crashed(self):
        self.ended("crashed", -signal.SIGSEGV)

    def test_exited(self):
        self.ended("exited", 0)

    # ---- Threads and processes -----------------------------------------------------------------

    def by_thread(self, lines):
        found = collections.OrderedDict()
        for line in lines:
            found.setdefault(line.thread, []).append(line.call)
        return list(found.values())

    def test_threads(self):
        self.trace("threads.c", clock=False)
        self.assertEqual(sorted(self.by_thread(self.lines())), sorted([
            ["main() {", "} /* main */"],
            ["worker() {", *["  leaf();"] * 2, "} /* worker */"],
            ["worker() {", *["  leaf();"] * 3, "} /* worker */"]]))
        # one after the other, and both while main() ran
        lines = self.lines()
        self.assertEqual((lines[0].call, lines[-1].call), ("main() {", "} /* main */"))
        names = [line.thread for line in lines[1:-1]]
        self.assertEqual(names, sorted(names, key=names.index))

    def test_a_file_for_each_thread(self):
        self.trace("threads.c", clock=False, FC_ALLOW_THREAD="1", FC_DUMP_NAME="each")
        self.assertEqual(sorted(self.by_thread(self.lines(name="each.fcd"))), sorted([
            ["main() {", "} /* main */"],
            ["worker() {", *["  leaf();"] * 2, "} /* worker */"],
            ["worker() {", *["  leaf();"] * 3, "} /* worker */"]]))

    def wait_for_file(self, name="functioncheck.fc"):
        fctest.wait_until(lambda: [file for file in os.listdir(self.path())
                                   if file.endswith((".fc", ".fcd")) and fctest.is_written(self.path(file))], "no profile")

    def test_forks(self):
        self.trace("traced.c", "forks", clock=False)
        self.wait_for_descriptor()
        found = self.by_thread(self.lines(name="functioncheck.fcd"))
        rest = ["    } /* fork_below */", "  } /* outer */", "} /* main */"]
        self.assertEqual(sorted(found, key=len), [
            ["main() {", "  outer() {", "    fork_below() {", "      leaves() {",
             *["        leaf();"] * count, "      } /* leaves */", *rest] for count in (2, 3)])

    def test_last_records_of_a_forked_child(self):
        """When its first calls were made is not known: before those that they hold."""
        self.trace("traced.c", "forks", records=4, clock=False)
        self.wait_for_descriptor()
        lines = self.lines(name="functioncheck.fcd")
        self.check_nesting(lines)
        before = " { /* called before */"
        self.assertIn(["main()" + before, "  outer()" + before, "    fork_below()" + before,
                       "      leaves(); /* called before */", "    } /* fork_below */",
                       "  } /* outer */", "} /* main */"], self.by_thread(lines))
        data = json.loads(self.fcdump("--trace=chrome", self.path("functioncheck.fcd")))
        self.check_events(data["traceEvents"])

    def wait_for_descriptor(self):
        fctest.wait_until(lambda: os.path.exists(self.path("functioncheck.fcd")), "no descriptor")

    def test_execs(self):
        self.trace("traced.c", "executes", clock=False, records=7)
        self.wait_for_descriptor()
        before = ["main() { /* did not return */", "  outer() { /* did not return */", "    leaf();"]
        after = ["main() { /* called before */ /* did not return */",
                 "  outer() { /* called before */ /* did not return */",
                 "    inner() { /* called before */ /* did not return */",
                 "      leaves() { /* called before */", *["        leaf();"] * 3,
                 "      } /* leaves */"]
        images = [self.calls(name=name) for name in os.listdir(self.path())
                  if name.startswith("functioncheck.fc.")]
        self.assertEqual(sorted([call for _, call in calls] for calls in images),
                         sorted([before, after]))
        self.assertEqual(len(self.calls(name="functioncheck.fcd")), len(before) + len(after))

    # ---- Other stacks --------------------------------------------------------------------------

    def test_handler_on_its_own_stack(self):
        # main+1 outer+2 handle_on_own_stack+3 on_signal+4 leaf+5-6 on_signal-7 -8 -9 -10
        self.trace("traced.c", "handler")
        lines = self.lines()
        tid = lines[0].thread
        self.assertEqual([line.call for line in lines if line.thread == tid], [
            "main() {", "  outer() {", "    handle_on_own_stack() {",
            "    } /* handle_on_own_stack */", "  } /* outer */", "} /* main */"])
        self.assertEqual([(line.thread, line.duration, line.call) for line in lines
                          if line.thread != tid], [
            (f"{tid}/1", None, "on_signal() {"), (f"{tid}/1", "1.000 us", "  leaf();"),
            (f"{tid}/1", "3.000 us", "} /* on_signal */")])

    def check_nesting(self, lines):
        """On each stack each call ends within the one around it, at the level that it began at."""
        opened = collections.defaultdict(list)
        for line in lines:
            stack = opened[line.thread]
            level = (len(line.call) - len(line.call.lstrip())) // 2
            if line.call.lstrip().startswith("}"):
                self.assertEqual(stack.pop(), line.call.strip()[5:-3])
                self.assertEqual(level, len(stack))
                continue
            self.assertEqual(level, len(stack), line)
            call = line.call.strip().removesuffix(" /* called before */")
            if call.endswith("{"):
                stack.append(call[:-4])
        self.assertEqual({thread: stack for thread, stack in opened.items() if stack}, {})

    def test_coroutines(self):
        for source in ("coroutines.c", "signal_coroutines.c"):
            self.trace(source, *(("turns", "5") if source == "coroutines.c" else ("5",)))
            lines = self.lines()
            self.check_nesting(lines)
            self.assertGreaterEqual(len({line.thread for line in lines}), 6, source)

    # ---- Detail --------------------------------------------------------------------------------

    def test_everything_is_recorded(self):
        """A call that is only counted has no time: FC_TRACE comes before FC_DETAIL."""
        self.trace("traced.c", "exited", records=2000, clock=False, FC_DETAIL="auto",
                   FC_DUMP_NAME="all")
        data = json.loads(self.fcdump("--json", self.path("all.fc")))
        self.assertEqual({function["counted"] for function in data["functions"]}, {0})
        self.assertEqual([call.strip() for _, call in self.calls(name="all.fc")].count("leaf();"), 999)

    # ---- Chrome's trace events -------------------------------------------------------------------

    def check_events(self, events):
        """What the format asks of each, and that on each track calls nest."""
        tracks = collections.defaultdict(list)
        for event in events:
            self.assertIsInstance(event["pid"], int)
            self.assertIn(event["tid"], range(2**32))  # what Perfetto can tell apart
            self.assertIsInstance(event["name"], str)
            if event["ph"] == "M":
                self.assertIn(event["name"], ("process_name", "thread_name"))
                self.assertIsInstance(event["args"]["name"], str)
                continue
            self.assertIn(event["ph"], ("B", "E"))
            self.assertGreaterEqual(event["ts"], 0)
            self.assertNotIn("dur", event)
            tracks[event["pid"], event["tid"]].append(event)
        for track, found in tracks.items():
            times = [event["ts"] for event in found]
            self.assertEqual(times, sorted(times), track)
            stack = []
            for event in found:
                what = event["name"], event.get("args")
                if event["ph"] == "B":
                    stack.append(what)
                else:
                    self.assertEqual(stack.pop(), what, track)
        names = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
        self.assertEqual(names, set(tracks))
        return tracks

    def test_chrome(self):
        self.trace("nesting.c")
        data = json.loads(self.fcdump("--trace=chrome", self.path("functioncheck.fc")))
        events, = self.check_events(data["traceEvents"]).values()
        self.assertEqual([(event["ph"], event["name"], event["ts"]) for event in events],
                         [("B", "main", 1), ("B", "a", 2), ("B", "b", 3), ("E", "b", 4), ("B", "c", 5), ("E", "c", 6),
                          ("E", "a", 7), ("B", "b", 8), ("E", "b", 9), ("E", "main", 10)])
        done = subprocess.run([fctest.tool("fcdump"), "--chrome=" + self.path("out.json"),
                               self.path("functioncheck.fc")], capture_output=True, check=True)
        self.assertIn(b"--chrome: not in it: calling contexts, numbers of calls", done.stderr)
        with open(self.path("out.json"), encoding="utf-8") as stream:
            self.assertEqual(json.load(stream), data)

    def test_chrome_of_the_rest(self):
        self.trace("traced.c", "killed", records=7, status=-signal.SIGKILL)
        data = json.loads(self.fcdump("--trace=chrome", self.path("functioncheck.fc")))
        events, = self.check_events(data["traceEvents"]).values()
        self.assertEqual([event["ph"] + " " + event["name"] for event in events],
                         ["B main", "B outer", "B inner", "B leaves", *["B leaf", "E leaf"] * 3, "E leaves"])
        self.trace("coroutines.c", "threads", "5", clock=False)
        data = json.loads(self.fcdump("--trace=chrome", self.path("functioncheck.fc")))
        self.assertGreaterEqual(len(self.check_events(data["traceEvents"])), 4 * 6)

    # ---- Beside uftrace ----------------------------------------------------------------------------

    def test_uftrace(self):
        """The same program tells the same calls in the same order, nested alike."""
        for source, words in (("nesting.c", ()), ("mutual.c", ()), ("recursion.c", ()),
                              ("minmax.c", ()), ("traced.c", ("handler",))):
            self.trace(source, *words, clock=False)
            # by levels of all stacks together, as uftrace does it
            told = [call.strip() for _, call in self.calls()]
            plain = self.compile(source, "-finstrument-functions", profiled=False,
                                 output="for-uftrace")
            self.command(["uftrace", "record", "--no-libcall", "--no-event", "--no-pager", "-d",
                          self.path("data"), plain, *words])
            text = self.command(["uftrace", "replay", "--no-pager", "-f", "none", "-d",
                                 self.path("data")])
            theirs = [line.strip() for line in text.split("\n") if line.strip()]
            self.assertEqual(told, theirs, source)


fctest.main()
