#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the hooks cost is measured when a session begins, and taken off the times.

How long it took nobody asks: the machine may be busy.  What is asked holds on any: the fastest of
many short batches is what is taken."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402


class Costs(fctest.Case):
    def dump(self, *options):
        return self.command([fctest.tool("fcdump"), *options, self.path("functioncheck.fc")])

    def costs_of(self, name="functioncheck.fc"):
        data = json.loads(self.command([fctest.tool("fcdump"), "--json", self.path(name)]))
        return data["processes"][0]["costs"]

    def test_measured(self):
        program = self.compile("nesting.c")
        for env in ({"FC_DETAIL": "all"}, {"FC_DETAIL": "auto"}, {"FC_TRANSPORT": "pipe"},
                    {"FC_TIME_MODE": "ext"}, {"FC_TIME_MODE": "cpu"}):
            with self.subTest(env=env):
                done = self.run_quiet([program], env=env)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
                costs = self.costs_of()
                self.assertGreater(costs["recorded_ps"], costs["inside_ps"])
                self.assertGreater(costs["inside_ps"], 0)
                self.assertLess(costs["counted_ps"], costs["recorded_ps"])
                self.assertLess(costs["counted_after_inlining_ps"], costs["recorded_ps"])
                if env.get("FC_DETAIL") != "all":
                    self.assertGreater(costs["counted_ps"], 0)
                # and nothing is left of the measurement
                profile = fcprofile.load(self.path("functioncheck.fc"))
                self.assertEqual(sorted(function.name for function in profile.functions),
                                 ["a", "b", "c", "main"])
                self.assertEqual((profile.repairs, profile.losses), ({}, {}))
                self.assertEqual(len(profile.threads), 1)

    def test_not_by_a_clock_of_milliseconds(self):
        program = self.compile("nesting.c")
        self.assertEqual(self.run_quiet([program], env={"FC_TIME_MODE": "sys"}).returncode, 0)
        self.assertEqual(self.costs_of()["recorded_ps"], 0)
        self.assertEqual(self.dump("--flat"), self.dump("--flat", "--raw"))

    def test_once_in_a_session(self):
        """Forked processes and executed images have the first one's figures."""
        source = self.write("images.c", """#include <stdlib.h>
            #include <sys/wait.h>
            #include <unistd.h>
            int main(int count, char **words)
            {
                if (count > 1)
                    return 0;
                if (fork() == 0)
                    execl(words[0], words[0], "again", NULL);
                wait(NULL);
                if (fork() == 0)
                    exit(0);
                wait(NULL);
                return 0;
            }""")
        done = self.run_quiet([self.compile(source)])
        self.assertEqual(done.returncode, 0)
        files = [entry.file for entry in fcprofile.load_descriptor(self.path("functioncheck.fcd"))]
        costs = [self.costs_of(name) for name in files]
        self.assertGreaterEqual(len(costs), 3)
        self.assertGreater(costs[0]["recorded_ps"], 0)
        figures = [list(each.values()) for each in costs]
        for other in figures[1:]:  # in ticks the same; how long one is becomes known better
            for first, again in zip(figures[0], other):
                self.assertAlmostEqual(first, again, delta=1 + 0.005 * first)

    def test_reports(self):
        """The header says what it was, --raw shows it all, and no sum is lost."""
        program = self.compile("manythreads.c")
        self.assertEqual(self.run_quiet([program, "2", "2000"]).returncode, 0)
        self.assertIn("Times are without instrumentation overhead", self.dump("--header"))
        self.assertNotIn("Times are without", self.dump("--header", "--raw"))
        data = json.loads(self.dump("--json"))
        raw = json.loads(self.dump("--json", "--raw"))
        for kind in ("functions", "contexts"):
            self.assertEqual([each["raw_local_ns"] for each in data[kind]],
                             [each["local_ns"] for each in raw[kind]])
            self.assertLess(sum(each["local_ns"] for each in data[kind]),
                            sum(each["raw_local_ns"] for each in data[kind]))
        for thread, measured in zip(data["threads"], raw["threads"]):
            self.assertEqual([each["raw_total_ns"] for each in thread["functions"]],
                             [each["total_ns"] for each in measured["functions"]])
            for each in thread["functions"]:
                self.assertLessEqual(each["local_ns"], each["raw_local_ns"])
                self.assertLessEqual(each["local_ns"], each["total_ns"])

if __name__ == "__main__":
    fctest.main()
