#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcdump --ranks and --merge, and folders: every figure is worked out again from the ranks' own profiles."""

import csv
import gzip
import io
import json
import math
import os
import random
import re

import ranked

fctest = ranked.fctest
RANKS = 7
PROGRAM = """
#include <stdlib.h>
static volatile long sink;
__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < 20 * n; i++) sink += i; }
__attribute__((noinline)) static void only_odd(int n) { leaf(n); }
__attribute__((noinline)) static void work(int n) { for (int i = 0; i < n; i++) leaf(i); if (n % 2) only_odd(n); }
int main(void) { int rank = atoi(getenv("PMI_RANK")); for (int i = 0; i < 10; i++) work(rank * rank + i); return 0; }
"""


class Summed(ranked.Case):
    def setUp(self):
        super().setUp()
        program = self.compile(self.write("program.c", PROGRAM))
        os.mkdir(self.path("job"))
        for rank in range(RANKS):
            done = self.run_target([program], env={"PMI_RANK": str(rank), "PMI_SIZE": str(RANKS), "PMI_JOBID": "7.1",
                                                   "FC_DUMP_PATH": "job"})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.names = [f"job/functioncheck.7.1-{rank}.fc" for rank in range(RANKS)]

    def fcdump(self, *words):
        return self.command([fctest.tool("fcdump"), *words])

    def table(self, *words):
        """The rows of --ranks by function."""
        rows = csv.reader(io.StringIO(self.fcdump("--csv", *words)))
        head = next(rows)
        return {row[-1].strip(): dict(zip(head, row)) for row in rows}

    def own(self, key="functions"):
        """Of each rank: name -> (calls, local time on the CPU)."""
        return [{function["name"]: (function["calls"], function["local_ns"] - function["local_wait_ns"])
                 for function in self.json(name)[key]} for name in self.names]

    def check_figures(self, table):
        own = self.own()
        self.assertEqual(set(table), {"main", "work", "leaf", "only_odd"})
        for name, row in table.items():
            calls, times = ([rank[name][i] if name in rank else 0 for rank in own] for i in (0, 1))
            have = [name in rank for rank in own]
            mean = sum(times) / RANKS
            deviation = math.sqrt(max(sum(time * time for time in times) / RANKS - mean * mean, 0))
            self.assertEqual(int(row["ranks"]), sum(have))
            self.assertEqual(int(row["max (CPU ns)"]), max(times))
            self.assertEqual(int(row["of rank"]), times.index(max(times)))
            self.assertEqual(row["min (CPU ns)"], str(min(times)) if all(have) else "-")
            self.assertEqual(int(row["mean (CPU ns)"]), int(mean))
            self.assertLessEqual(abs(int(row["deviation (CPU ns)"]) - deviation), 1 + 1e-6 * deviation)
            self.assertLessEqual(abs(int(row["gain (CPU ns)"]) - (max(times) - mean)), 1)
            self.assertEqual(int(row["calls max"]), max(calls))
            self.assertEqual(int(row["calls of rank"]), calls.index(max(calls)))
            self.assertEqual(row["calls min"], str(min(calls)) if all(have) else "-")
            self.assertLessEqual(abs(float(row["calls mean"]) - sum(calls) / RANKS), 1)
        self.assertLess(int(table["only_odd"]["ranks"]), RANKS + 1)

    def test_functions(self):
        self.check_figures(self.table("--ranks", *self.names))
        shuffled = random.Random(1).sample(self.names, RANKS)
        self.assertEqual(self.table("--ranks", *shuffled), self.table("--ranks", "job"))

    def test_json(self):
        """--ranks --json has the figures of the tables, by function and context, and knows the rank that is asked for."""
        data = self.json("--ranks=3", *self.names)
        ranks, own = data["ranks"], self.own()
        self.assertEqual((ranks["count"], ranks["chosen"]), (RANKS, 3))
        rows = {data["functions"][row["function"]]["name"]: row for row in ranks["functions"]}
        table = self.table("--ranks", *self.names)
        self.assertEqual(set(rows), set(table))
        for name, row in rows.items():
            told, time, calls = table[name], row["cpu_local"], row["calls"]
            self.assertEqual((row["ranks"], time["max_ns"], time["max_rank"], row["local_gain_ns"], calls["max"], calls["max_rank"]),
                             tuple(int(told[key]) for key in ("ranks", "max (CPU ns)", "of rank", "gain (CPU ns)", "calls max",
                                                              "calls of rank")))
            self.assertEqual((int(time["mean_ns"]), int(time["deviation_ns"])),
                             (int(told["mean (CPU ns)"]), int(told["deviation (CPU ns)"])))
            self.assertEqual(["-" if row[key][least] is None else str(row[key][least])
                              for key, least in (("cpu_local", "min_ns"), ("calls", "min"))],
                             [told["min (CPU ns)"], told["calls min"]])
            self.assertEqual((calls["chosen"], time["chosen_ns"]), own[3].get(name, (0, 0)))
        contexts = {row["context"]: row for row in ranks["contexts"]}
        self.assertEqual({index: round(row["calls"]["mean"] * RANKS) for index, row in contexts.items()},
                         {index: context["calls"] for index, context in enumerate(data["contexts"])})
        self.assertNotIn("ranks", self.json(*self.names))
        self.assertNotIn("chosen", self.json("--ranks", *self.names)["ranks"]["functions"][0]["calls"])

    def test_lacking(self):
        """A function that some ranks lack is told."""
        table = self.table("--ranks", self.names[0], self.names[1])
        self.assertEqual(table["main"]["ranks"], "2")
        only = self.table("--ranks", "--only=only_odd", *self.names)
        self.assertEqual(list(only), ["only_odd"])
        said = self.fcdump("--ranks", "job")
        self.assertIn(f"Functions of ranks: {RANKS} ranks of job 7.1 by PMI on {os.uname().nodename}\n", said)

    def test_by_process(self):
        """With --only the processes that have these functions, with the time that they take there."""
        own = self.own()
        said = csv.DictReader(io.StringIO(self.fcdump("--by=process", "--only=only_odd,leaf", "--csv", "job")))
        found = {int(re.match(r"rank (\d+), ", row["name"])[1]): (int(row["calls"]), int(row["time (CPU ns)"])) for row in said}
        def of(rank, name):
            return own[rank].get(name, (0, 0))
        self.assertEqual(found, {rank: (of(rank, "only_odd")[0] + of(rank, "leaf")[0],
                                        of(rank, "only_odd")[1] + of(rank, "leaf")[1]) for rank in range(RANKS)})
        said = self.fcdump("--by=process", "--only=only_odd", "--csv", *self.names)
        self.assertEqual(len(said.splitlines()) - 1, sum("only_odd" in rank for rank in own))
        whole = csv.DictReader(io.StringIO(self.fcdump("--by=process", "--csv", "job")))
        self.assertEqual(sorted(int(row["calls"]) for row in whole),
                         sorted(sum(calls for calls, _ in rank.values()) for rank in own))

    def test_contexts(self):
        """The tree by rank: what stands below a function, with its callees, of every rank."""
        said = self.fcdump("--tree", "--ranks", "--csv", "job")
        rows = list(csv.reader(io.StringIO(said)))
        names = [row[-1] for row in rows[1:]]
        self.assertEqual(names[0], "main")
        self.assertEqual(sorted(names), sorted(["main", "  work", "    leaf", "    only_odd", "      leaf"]))
        totals = [{function["name"]: function["total_ns"] - function["total_wait_ns"]
                   for function in self.json(name)["functions"]} for name in self.names]
        [main] = [dict(zip(rows[0], row)) for row in rows[1:] if row[-1] == "main"]
        self.assertEqual(int(main["max (CPU ns)"]), max(total["main"] for total in totals))
        self.assertEqual(int(main["min (CPU ns)"]), min(total["main"] for total in totals))

    def test_exports(self):
        """Say which ranks they are of."""
        said = f"{RANKS} ranks of job 7.1"
        self.fcdump("--pprof=job.pb.gz", "--speedscope=job.json", "--callgrind=job.out", *self.names)
        with gzip.open(self.path("job.pb.gz")) as stream:
            self.assertIn(said.encode(), stream.read())
        with open(self.path("job.json"), encoding="utf-8") as stream:
            self.assertIn(said, json.load(stream)["name"])
        with open(self.path("job.out"), encoding="utf-8") as stream:
            self.assertIn(f"desc: Job: {said}", stream.read())

    def test_one(self):
        own = self.own()
        rows = list(csv.DictReader(io.StringIO(self.fcdump("--ranks=3", "--csv", "job"))))
        for row in rows:
            name = row["function"]
            self.assertEqual(int(row["time (CPU ns)"]), own[3].get(name, (0, 0))[1])
            self.assertEqual(int(row["calls time's"]), own[3].get(name, (0, 0))[0])
            self.assertEqual(int(row["mean (CPU ns)"]), sum(rank.get(name, (0, 0))[1] for rank in own) // RANKS)
        self.assertIn("No file is of rank 99.", self.fcdump("--ranks=99", "job"))

    def test_merged(self):
        """Merges of merges are the merge of all, to the byte, and say of ranks what these say."""
        self.fcdump("--merge=all.fc", "job")
        chance = random.Random(2)
        for attempt in range(5):
            groups, left, number = [], list(self.names), 0
            while left:
                size = chance.randint(1, 3)
                groups.append(f"part-{attempt}-{number}.fc")
                self.fcdump(f"--merge={groups[-1]}", *left[:size])
                left, number = left[size:], number + 1
            half = chance.randint(1, len(groups))
            merged, again = f"left-{attempt}.fc", f"again-{attempt}.fc"
            self.fcdump(f"--merge={merged}", *groups[:half])
            self.fcdump(f"--merge={again}", merged, *groups[half:])
            with open(self.path("all.fc"), encoding="utf-8") as one, open(self.path(again), encoding="utf-8") as two:
                self.assertEqual(one.read(), two.read())
        self.check_figures(self.table("--ranks", "all.fc"))
        sums, merged = self.json(*self.names), self.json("all.fc")
        for one, two in zip(sums["functions"], merged["functions"]):
            self.assertEqual({key: one[key] for key in ("name", "calls", "total_ns", "local_ns", "total_min_ns",
                                                        "total_max_ns", "local_wait_ns")},
                             {key: two[key] for key in ("name", "calls", "total_ns", "local_ns", "total_min_ns",
                                                        "total_max_ns", "local_wait_ns")})
        self.assertEqual([context["calls"] for context in sums["contexts"]],
                         [context["calls"] for context in merged["contexts"]])
        self.assertIn(f"{RANKS} ranks", self.fcdump("all.fc").split("\n")[0])

    def test_forked(self):
        """The processes of one rank are one rank."""
        program = self.compile("forks.c")
        os.mkdir(self.path("forked"))
        for rank in range(2):
            self.run_target([program], env={"PMI_RANK": str(rank), "PMI_JOBID": "8", "FC_DUMP_PATH": "forked"})
        self.assertEqual(len(os.listdir(self.path("forked"))), 6)
        calls = {name: int(row["calls max"]) for name, row in self.table("--ranks", "forked").items()}
        whole = self.json("forked/functioncheck.8-0.fcd")["functions"]
        self.assertEqual(calls, {function["name"]: function["calls"] for function in whole})

    def test_folder(self):
        """A folder is its profiles, without older ones and what is none."""
        self.write("job/notes.txt", "no profile")
        os.link(self.path(self.names[0]), self.path("job/functioncheck.old-1.fc"))
        self.assertEqual(len(self.json("job")["processes"]), RANKS)
        os.mkdir(self.path("empty"))
        done = self.run_target([fctest.tool("fcdump"), "empty"])
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"fcdump: empty: no profile is in this folder\n", done.stderr)

    def test_unranked(self):
        """Without a launcher each process is one."""
        for number in range(3):
            self.run_target([self.path("program")], env={"PMI_RANK": "x2", "FC_DUMP_NAME": f"p{number}"})
        said = self.fcdump("--ranks", "p0.fc", "p1.fc", "p2.fc")
        self.assertIn("No launcher numbered them: ranks are processes' ids.", said)
        self.assertTrue(re.search(r" 3 +10\.0 +10 +10 +\d+  work", said), said)

    def test_refused(self):
        for words, message in ((["--ranks=x"], "--ranks: 'x' is no number"),
                               (["--ranks", "--thread=main"],
                                "--thread does not go with --ranks: of ranks threads are summed"),
                               (["--merge=a.fc", "--json"], "--merge is written alone: no other export goes with it")):
            done = self.run_target([fctest.tool("fcdump"), *words, "job"])
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"fcdump: {message}\n", done.stderr.decode())
        self.fcdump("--merge=left.fc", "job")
        with open(self.path("left.fc"), "rb") as file:
            before = file.read()
        done = self.run_target([fctest.tool("fcdump"), "--merge=left.fc", "left.fc"])
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (1, "fcdump: left.fc: is a profile or a program; not overwritten\n"))
        with open(self.path("left.fc"), "rb") as file:
            self.assertEqual(file.read(), before)
        done = self.run_target([fctest.tool("fcdump"), "--merge=none/a.fc", "job"])
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"fcdump: none/a.fc: cannot create a file in its folder: No such file or directory\n", done.stderr)


if __name__ == "__main__":
    fctest.main()
