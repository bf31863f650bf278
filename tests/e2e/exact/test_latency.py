#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Percentiles of --latency and --json against those of all calls, whose times are known: recorded
with the clock that counts records, a microsecond each."""

import csv
import io
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

SHARES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p999_ns": 0.999}


def lengths(seed):
    """As the program makes them: those of often(), and of seldom()."""
    state = seed
    made = []
    for _ in range(3200):
        length = 1
        for _ in range(3):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            length *= (state >> 33) % 12
        made.append(length)
    return made[:3000], [10 * length for length in made[3000:]]


def percentiles(times):
    times = sorted(times)
    return {key: times[math.ceil(share * len(times)) - 1] for key, share in SHARES.items()}


class Latency(fctest.Case):
    def fcdump(self, *words):
        return self.command([fctest.tool("fcdump"), *words])

    def check(self, told, times, what):
        self.assertEqual(told["calls"], len(times), what)
        for key, expected in percentiles(times).items():
            self.assertLessEqual(abs(told[key] - expected), 0.03 * expected, f"{what}: {key}")

    def test_percentiles(self):
        program = self.compile("latencies.c")
        everything = []
        for seed in (1, 2):
            done = self.run_test_clock([program, str(seed)], env={"FC_DUMP_NAME": f"run{seed}", "FC_LATENCY": "1"})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            often, seldom = [[(2 * n + 1) * 1000 for n in part] for part in lengths(seed)]
            everything += [often, seldom]
            self.look(json.loads(self.fcdump("--json", self.path(f"run{seed}.fc"))), often, seldom)
        # Summed.
        self.look(json.loads(self.fcdump("--json", self.path("run1.fc"), self.path("run2.fc"))),
                  everything[0] + everything[2], everything[1] + everything[3])

    def look(self, data, often, seldom):
        functions = {function["name"]: function for function in data["functions"]}
        self.check(functions["work"]["latency"], often + seldom, "work")
        self.check(functions["tick"]["latency"], [1000] * (sum(often + seldom) // 2000 - len(often + seldom) // 2),
                   "tick")
        names = [function["name"] for function in data["functions"]]
        arcs = {(names[arc["caller"]], names[arc["callee"]]): arc for arc in data["arcs"]
                if arc["caller"] is not None}
        self.check(arcs["often", "work"]["latency"], often, "often to work")
        self.check(arcs["seldom", "work"]["latency"], seldom, "seldom to work")

    def slowest(self, source, *words, name="functioncheck.fc", **env):
        """function: its slowest calls, in us, from the start, and their contexts"""
        program = self.compile(source, "-pthread")
        self.assertEqual(self.run_test_clock([program, *words], env={"FC_SLOWEST": "2", **env}).returncode, 0)
        data = json.loads(self.fcdump("--json", self.path(name)))
        start = data["processes"][0]["start_realtime_ns"]
        names = [function["name"] for function in data["functions"]]

        def path(index):
            context = data["contexts"][index]
            above = path(context["parent"]) + " > " if context["parent"] is not None else ""
            return above + names[context["function"]]

        self.tids = {call["tid"] for function in data["functions"] for call in function["slowest"]}
        self.assertLessEqual(self.tids, {thread["tid"] for thread in data["threads"]})
        return {function["name"]: [(call["total_ns"] / 1000, (call["realtime_ns"] - start) / 1000,
                                    path(call["context"])) for call in function["slowest"]]
                for function in data["functions"]}

    def test_slowest(self):
        # main+1 work+2 work-3 work+4 leaf+5-6 leaf+7-8 leaf+9-10 work-11
        # work+12 leaf+13-14 work-15 main-16
        expected = {
            "main": [(15, 1, "main")],
            "work": [(7, 4, "main > work"), (3, 12, "main > work")],
            "leaf": [(1, 5, "main > work > leaf"), (1, 7, "main > work > leaf")]}
        for transport in ("shared", "pipe"):
            # what is counted has no time
            self.assertEqual(self.slowest("minmax.c", FC_TRANSPORT=transport, FC_DETAIL="auto"), expected)
        text = self.fcdump("--no-reports", "--slowest", "--only=work", self.path("functioncheck.fc"))
        tid, = self.tids
        rows = re.findall(r"^ *(\S+ us)  (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}) +(\d+)  (.*)$", text, re.M)
        self.assertEqual([(time, thread, context) for time, _, thread, context in rows],
                         [("7.000 us", str(tid), "main > work"), ("3.000 us", str(tid), "main > work")])
        # the later of two was made 8 us after the other
        first, second = [int(at[-6:]) for _, at, _, _ in rows]
        self.assertEqual((second - first) % 1000000, 8)

    def test_slowest_of_threads(self):
        # a worker: worker+1 leaf+2-3 leaf+4-5 (leaf+6-7) worker-6 (-8)
        found = self.slowest("threads.c")
        self.assertEqual([total for total, _, _ in found["worker"]], [7, 5])
        self.assertEqual(len(self.tids), 3)
        self.assertEqual([total for total, _, _ in found["leaf"]], [1, 1])

    def test_slowest_of_several(self):
        for seed in ("1", "2"):
            self.slowest("latencies.c", seed, FC_DUMP_NAME=f"run{seed}", name=f"run{seed}.fc")
        data = json.loads(self.fcdump("--json", self.path("run1.fc"), self.path("run2.fc")))
        work = next(function for function in data["functions"] if function["name"] == "work")
        longest = sorted([length for seed in (1, 2) for length in sorted(sum(lengths(seed), []))[-2:]])
        self.assertEqual([call["total_ns"] for call in work["slowest"]],
                         [(2 * length + 1) * 1000 for length in reversed(longest)])

    def test_report(self):
        program = self.compile("latencies.c")
        self.assertEqual(self.run_test_clock([program, "1"], env={"FC_LATENCY": "1"}).returncode, 0)
        text = self.fcdump("--classic", "--no-reports", "--latency", self.path("functioncheck.fc"))
        rows = {line.split("  ")[-1]: re.split(r"\s{2,}", line.strip()) for line in text.split("\n\n")[0].split("\n")}
        _, seldom = lengths(1)
        self.assertEqual(rows["work"][0], "3200")
        self.assertEqual((rows["from often"][0], rows["from seldom"][0]), ("3000", "200"))
        units = {"ns": 1, "us": 1e3, "ms": 1e6}
        told = [float(number) * units[unit] for number, unit in (cell.split(" ") for cell in rows["from seldom"][1:5])]
        for ns, expected in zip(told, percentiles((2 * n + 1) * 1000 for n in seldom).values()):
            self.assertLessEqual(abs(ns - expected), 0.03 * expected)
        data = json.loads(self.fcdump("--json", self.path("functioncheck.fc")))
        table = csv.DictReader(io.StringIO(self.fcdump("--csv", "--latency", self.path("functioncheck.fc")), newline=""))
        read = {(row["of function"], row["row"], row["function"]): row for row in table}
        for key, latency in ((("work", "function", "work"), next(f["latency"] for f in data["functions"] if f["name"] == "work")),):
            for name, column in (("p50_ns", "p50"), ("p999_ns", "p99.9")):
                self.assertEqual(int(read[key][f"total time of a call {column} (elapsed ns)"]), latency[name])
        self.assertEqual(read["work", "caller", "often"]["calls"], "3000")
        work = next(function for function in data["functions"] if function["name"] == "work")
        self.assertLessEqual(work["latency"]["p999_ns"], work["total_max_ns"])


fctest.main()
