#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times that hold one another: whatever was counted, estimated, folded and taken off, no call takes
longer than who made it, and all of them no longer than there was.

This must hold of every profile, so it is asked of a program that makes it hard: functions that call
one another in a circle, and code that is not profiled between others."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

ENVIRONMENTS = ({}, {"FC_DETAIL": "all"}, {"FC_CONTEXTS": "4"}, {"FC_CONTEXTS": "6"},
                {"FC_DETAIL": "all", "FC_CONTEXTS": "5"}, {"FC_FILTER": "count:term"},
                {"FC_DEPTH": "6"}, {"FC_TRANSPORT": "pipe"})
# ticks are rounded to ns one by one
ROUNDING_NS = 20


class Totals(fctest.Case):
    def load(self, program, env):
        done = self.run_quiet([program], env=env)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"1\n", b""))
        return json.loads(self.command([fctest.tool("fcdump"), "--json",
                                        self.path("functioncheck.fc")]))

    def at_most(self, part, whole, what):
        self.assertLessEqual(part, whole + ROUNDING_NS, what)

    def check(self, data):
        functions = data["functions"]
        whole = data["local_sum_ns"]
        contexts = data["contexts"]
        for function in functions:
            name = function["name"]
            self.at_most(function["total_ns"], whole, name)
            self.at_most(function["local_ns"], function["total_ns"], name)
            self.at_most(function["total_ns"], function["raw_total_ns"], name)
            self.at_most(function["local_wait_ns"], function["total_wait_ns"], name)
        for arc in data["arcs"]:
            callee = functions[arc["callee"]]
            self.at_most(arc["total_ns"], callee["total_ns"], callee["name"])
            if arc["caller"] is not None:
                caller = functions[arc["caller"]]
                self.at_most(arc["total_ns"], caller["total_ns"],
                             f"{caller['name']} -> {callee['name']}")
        for context in contexts:
            parent = contexts[context["parent"]] if context["parent"] is not None else None
            if parent and parent["function"] is not None:
                # an estimate of its own time is kept, whatever that of its caller is
                self.at_most(context["total_ns"], max(parent["total_ns"], context["local_ns"]),
                             functions[context["function"]]["name"])
        # main holds everything, and what it calls first is there
        main = next(function for function in functions if function["name"] == "main")
        self.at_most(whole, main["total_ns"], "main")

    def check_callers(self, data):
        """By their names; None: nobody that is profiled."""
        functions = data["functions"]
        called = {"mix": {"main"}, "early": {"main"}, "number": {"factor"},
                  "term": {"expression"}, "factor": {"term", "factor"}}
        for arc in data["arcs"]:
            callee = functions[arc["callee"]]["name"]
            caller = arc["caller"]
            if callee in called and arc["calls"] > 0:
                self.assertIn(caller is not None and functions[caller]["name"], called[callee])

    def check_program(self, *config):
        program = self.compile("expression.c", "-O2", config=config)
        for env in ENVIRONMENTS:
            with self.subTest(env=env):
                data = self.load(program, env)
                self.check(data)
                self.check_callers(data)

    def test_hooks(self):
        self.check_program()

    def test_after_inlining(self):
        self.check_program("--after-inlining")


if __name__ == "__main__":
    fctest.main()
