#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC_FILTER: what is chosen for which functions.  That counts of all others stay exact in every shape
of program is for shapes.py --filtered.

    test_filter.py"""

import json
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

CALLS = {"main": 1, "outer": 300, "middle": 600, "inner": 1800, "Box<int>::get": 1800}

WAITS = """
#include <unistd.h>
__attribute__((noinline)) static void called(void) { __asm__ volatile(""); }
int main(void)
{
    called();
    usleep(50000);
    called();
    return 0;
}
"""

BOTH_KINDS = """
int OTHER(int);
__attribute__((noinline)) static int SELF_leaf(int x) { __asm__ volatile(""); return x; }
int SELF(int n) { return n <= 0 ? 1 : SELF_leaf(OTHER(n - 1)); }
"""


class Filter(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile("filter_shapes.cc", "-O0", "-g", compiler="g++")

    def run_filtered(self, words, env=None):
        done = self.run_told([self.program], env={
            "FC_FILTER": words, **(env or {})})
        self.assertEqual(done.returncode, 0)
        self.profile = fcprofile.load(self.path("functioncheck.fc"))
        self.said = done.stderr.decode()
        incomplete = {"filter-incomplete": 1} if re.search("FC_FILTER: (?!nothing fits)", self.said) else {}
        self.assertEqual((self.profile.losses, self.profile.repairs), (incomplete, {}))
        return {self.shown(function.name): function.calls for function in self.profile.functions}

    def shown(self, raw):
        done = self.command(["c++filt", "-p", raw])
        return done.strip()

    def left(self, *skipped):
        return {name: calls for name, calls in CALLS.items() if name not in skipped}

    def arcs(self):
        arcs = {}
        for arc in self.profile.arcs:
            key = (self.shown(arc.caller.name) if arc.caller else None, self.shown(arc.callee.name))
            arcs[key] = arcs.get(key, 0) + arc.calls
        return arcs

    def counted(self):
        text = self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")])
        return {function["name"]: function["counted"] for function in json.loads(text)["functions"]
                if function["counted"]}

    def test_names(self):
        for words, skipped in [
                ("skip:middle", ["middle"]),
                (" skip:middle ;; skip:inner; ", ["middle", "inner"]),
                ("skip:mid*;time:middle", []),
                ("time:middle;skip:mid*", ["middle"]),
                ("skip:_ZN3BoxIiE3getEv", ["Box<int>::get"]),
                ("skip:Box<int>::get()", ["Box<int>::get"]),
                ("skip:Box<*", ["Box<int>::get"]),
                ("skip:[mo]*er", ["outer"]),
                ("skip:midd", []),
                ("skip:file:filter_shapes.h", ["Box<int>::get"]),
                ("skip:file:programs/filter_shapes.h", ["Box<int>::get"]),
                ("skip:file:*/filter_shapes.cc", ["main", "outer", "middle", "inner"]),
                ("skip:module:filter_shapes;time:inner",
                 ["main", "outer", "middle", "Box<int>::get"]),
                ("skip:module:libm.so*", []),
                ("!inner;!outer", ["inner", "outer"]),
                ("inner", ["main", "outer", "middle", "Box<int>::get"]),
                ("file:filter_shapes.h;main", ["outer", "middle", "inner"]),
                ("*; !middle", ["middle"]),
                ("!middle; m*", ["outer", "inner", "Box<int>::get"]),
                ("module:filter_shapes;skip:outer;outer", []),
                ("count:outer;inner", ["main", "middle", "Box<int>::get"])]:
            with self.subTest(words=words):
                self.assertEqual(self.run_filtered(words), self.left(*skipped))

    def test_callers(self):
        for transport in "shared", "pipe":
            self.run_filtered("skip:middle;skip:outer", {"FC_TRANSPORT": transport})
            self.assertEqual(self.arcs(), {(None, "main"): 1, ("main", "inner"): 1800,
                                           ("inner", "Box<int>::get"): 1800})

    def test_counted_and_timed(self):
        self.assertEqual(self.run_filtered("count:inner", {"FC_DETAIL": "all"}), CALLS)
        self.assertEqual(self.counted(), {"inner": 1800})
        eager = {"FC_DETAIL": "auto", "LD_LIBRARY_PATH": fctest.eager_folder(),
                 "FC_MANAGER": fctest.tool("fcmanager")}
        self.assertEqual(self.run_filtered("time:inner;time:Box*", eager), CALLS)
        self.assertLessEqual({"middle"}, set(self.counted()))
        self.assertLessEqual(set(self.counted()), {"middle", "outer", "main"})

    def told(self):
        """What reports and JSON say of the filter."""
        file = self.path("functioncheck.fc")
        header = re.findall(r"Recorded with FC_FILTER=(.*?)(?:: what that skips .*)?\.$",
                            self.command([fctest.tool("fcdump"), "--header", file]), re.M)
        processes = json.loads(self.command([fctest.tool("fcdump"), "--json", file]))["processes"]
        return header, [process["filter"] for process in processes]

    def test_profile_says_so(self):
        words = "skip:middle; count:inner"
        self.run_filtered(words)
        self.assertEqual(self.told(), ([words], [words]))

    def test_costs_of_what_is_skipped(self):
        """Nobody knows how often that was called."""
        for words, skips in (("count:inner;time:outer", False), (" count:inner; !middle", True), ("outer;inner", True)):
            with self.subTest(words=words):
                self.run_filtered(words, {"FC_DETAIL": "all"})
                text = self.command([fctest.tool("fcdump"), "--header", self.path("functioncheck.fc")])
                self.assertEqual("but for those of skipped calls" in text, skips, text)
                self.assertEqual("with its overhead, is that of its callers" in text, skips, text)

    def test_nothing_is_left(self):
        self.run_filtered("skip:*")
        text = self.command([fctest.tool("fcdump"), self.path("functioncheck.fc")])
        self.assertIn("No function to show.\nFC_FILTER let through no function that ran, or", text)
        self.run_filtered("")
        self.assertEqual(self.told(), ([], [None]))
        self.run_filtered("skip:[ab")
        self.assertEqual(self.told(), ([], [None]))

    def test_what_is_wrong(self):
        for words, what in [("skip:", "lacks a pattern"), ("slip:outer", "one of skip:"),
                            ("skip:[ab", "without a ']'"), ("time:!outer", "no other action"),
                            ("skip:outer;file:", "lacks a pattern")]:
            self.assertEqual(self.run_filtered(words), CALLS)
            said = [line for line in self.said.splitlines() if "FC_FILTER" in line]
            self.assertEqual(len(said), 1, self.said)
            self.assertIn(what, said[0])
            self.assertTrue(said[0].endswith("all is profiled"), said[0])
        self.run_filtered("skip:outer;skip:nothing")
        self.assertIn("FC_FILTER: nothing fits 'skip:nothing'\n", self.said)
        self.assertEqual(self.run_filtered("skip:" + 5000 * "x"), CALLS)
        self.assertIn("FC_FILTER is too long and not used", self.said)

    def test_locale(self):
        """Names are bytes, in whatever locale."""
        self.assertEqual(self.run_filtered("skip:outer;skip:größe", {"LC_ALL": "C"}),
                         self.left("outer"))
        self.assertIn("FC_FILTER: nothing fits 'skip:größe'\n", self.said)

    def beside(self, helper):
        """An fcmanager with `helper`, a shell script, for fcfilter."""
        manager = self.path("moved/bin/fcmanager")
        os.makedirs(os.path.dirname(manager))
        os.makedirs(self.path("moved/libexec/functioncheck"))
        shutil.copy(fctest.tool("fcmanager"), manager)
        self.write("moved/libexec/functioncheck/fcfilter", "#!/bin/sh\n" + helper)
        os.chmod(self.path("moved/libexec/functioncheck/fcfilter"), 0o755)
        return {"FC_MANAGER": manager}

    def test_broken_helper(self):
        for helper, what in [
                ("exit 1", "did not answer, all is profiled"),
                ("exec sleep 1000", "did not answer, all is profiled"),
                (r"printf 'FCFz\0\0\0\0\0\0\0\0\0\0\0\0'", "nothing more is filtered"),
                (r"printf 'FCFz\0\0\0\0\0\0\0\0\0\0\0\0FCFz\0\0\0\0\377\377\377\377\0\0\0\0'",
                 "nothing more is filtered"),
                # always some more of it in time, and never all
                (r"printf 'FCFz\0\0\0\0\0\0\0\0\0\0\0\0FCFz\0\0\0\0\0\0\0\0\0\20\0\0'; "
                 "while printf x; do sleep 1; done", "nothing more is filtered")]:
            with self.subTest(helper=helper):
                env = self.beside(helper)
                self.assertEqual(self.run_filtered("skip:outer", env), CALLS)
                self.assertIn(what, self.said)
                shutil.rmtree(self.path("moved"))

    def test_slowest(self):
        """A call that is counted has no time."""
        self.assertEqual(self.run_filtered("count:inner", {"FC_SLOWEST": "2"}), CALLS)
        self.assertEqual(self.counted(), {})

    def test_settings_file(self):
        self.write(".functioncheckrc", "FC_FILTER skip:outer; skip:inner\n")
        done = self.run_target([self.program], env={"FC_QUIET": "1"})
        self.assertEqual(done.returncode, 0)
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual({self.shown(function.name) for function in profile.functions},
                         {"main", "middle", "Box<int>::get"})

    def test_executed_images(self):
        """All go by the filter of the first process."""
        done = self.run_target([self.program, "again"], env={"FC_FILTER": "skip:outer",
                                                             "FC_QUIET": "1"})
        self.assertEqual(done.returncode, 0)
        found = {}
        for entry in fcprofile.load_descriptor(self.path("functioncheck.fcd")):
            for function in fcprofile.load(self.path(entry.file)).functions:
                name = self.shown(function.name)
                found[name] = found.get(name, 0) + function.calls
        self.assertEqual(found, {**self.left("outer"), "main": 2})

    def test_waits(self):
        """From a thread's first call on it is seen that it waits."""
        program = self.compile(self.write("waits.c", WAITS))
        for env in {"FC_FILTER": "skip:nothing"}, {"FC_FILTER": "count:called"}, {"FC_DEPTH": "1"}:
            with self.subTest(env):
                done = self.run_quiet([program], env=env)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                text = self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")])
                waits_ns = {each["name"]: each["total_wait_ns"] for each in json.loads(text)["functions"]}
                self.assertGreaterEqual(waits_ns["main"], 49e6)


@unittest.skipUnless(MACHINE == "x86_64", "gcc has these hooks there only")
class AfterInlining(Filter):
    """With gcc's hooks after inlining, which count nothing by themselves."""
    config = ["--after-inlining"]

    def test_counted_and_timed(self):
        for words, counted in ("count:inner", {"inner"}), ("count:inner;count:Box*", {"inner", "Box<int>::get"}), \
                ("count:*;time:inner;skip:outer", {"main", "middle", "Box<int>::get"}):
            for detail in "all", "auto":
                left = self.left("outer") if "skip:" in words else CALLS
                self.assertEqual(self.run_filtered(words, {"FC_DETAIL": detail}), left)
                found = set(self.counted())
                if detail == "all":
                    self.assertEqual(found, counted)
                self.assertLessEqual(counted, found)  # others may prove short
                self.assertEqual("inner" in found, "time:inner" not in words)

    def test_time_of_counted(self):
        """As much as of timed ones: what the samples stand for."""
        times = {}
        for words in "time:*", "count:inner":
            self.run_filtered(words, {"FC_DETAIL": "all"})
            figures = json.loads(self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")]))
            times[words] = {function["name"]: function for function in figures["functions"]}
        self.assertGreater(times["count:inner"]["inner"]["timed"], 0)
        self.assertGreater(times["count:inner"]["inner"]["total_ns"], 0)

    def test_close_frames(self):
        """gcc does not align the stack for a call of what needs no aligned one: a function's return address may be
        next to its caller's, and each exit is still that of its own call."""
        program = self.compile("close_frames.c", "-O2")
        calls = {"main": 1, "outer": 20, "pair": 40, "leaf": 80}
        for words in ("skip:nothing", "time:*", "skip:pair", "skip:leaf", "count:leaf", "count:pair",
                      "count:outer;count:leaf"):
            for depth in "0", "1", "2", "3", "4":
                with self.subTest(words=words, depth=depth):
                    done = self.run_target([program, "20", "1000"], env={
                        "FC_FILTER": words, "FC_DEPTH": depth, "FC_DETAIL": "all", "FC_QUIET": "1"})
                    self.assertEqual((done.returncode, done.stdout), (0, b"8\n"))
                    self.profile = fcprofile.load(self.path("functioncheck.fc"))
                    self.assertEqual((self.profile.losses, self.profile.repairs), ({}, {}))
                    skipped = re.findall("skip:(.*)", words)
                    self.assertEqual({function.name: function.calls for function in self.profile.functions},
                                     {name: number for name, number in calls.items() if name not in skipped})
                    text = self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")])
                    own_ns = {each["name"]: each["local_ns"] - each["local_wait_ns"]
                              for each in json.loads(text)["functions"]}
                    # 20 ms are spent in main, next to nothing in the others
                    self.assertGreater(own_ns["main"], 0.8 * sum(own_ns.values()))

    def test_both_kinds(self):
        """Code with hooks of either kind calls one another, and itself."""
        self.write("one.c", BOTH_KINDS.replace("SELF", "one").replace("OTHER", "two"))
        self.write("two.c", BOTH_KINDS.replace("SELF", "two").replace("OTHER", "one"))
        self.write("main.c", "int one(int); int main(void) { return one(2000) != 1; }")
        after = self.compile_object("one.c", ["--after-inlining"])
        before = self.compile_object("two.c", [])
        program = self.compile(self.path("main.c"), after, before)
        for words, calls in [
                ("time:*", {"main": 1, "one": 1001, "two": 1000, "one_leaf": 1000, "two_leaf": 1000}),
                ("skip:*leaf", {"main": 1, "one": 1001, "two": 1000}),
                ("skip:one", {"main": 1, "two": 1000, "one_leaf": 1000, "two_leaf": 1000}),
                ("skip:two;count:one_leaf", {"main": 1, "one": 1001, "one_leaf": 1000, "two_leaf": 1000}),
                ("count:one;count:two",
                 {"main": 1, "one": 1001, "two": 1000, "one_leaf": 1000, "two_leaf": 1000})]:
            for depth in "0", "1", "5", "400":
                for transport in "shared", "pipe":
                    with self.subTest(words=words, depth=depth, transport=transport):
                        done = self.run_quiet([program], env={"FC_FILTER": words, "FC_DEPTH": depth,
                                                              "FC_TRANSPORT": transport})
                        self.assertEqual((done.returncode, done.stderr), (0, b""))
                        profile = fcprofile.load(self.path("functioncheck.fc"))
                        self.assertEqual((profile.losses, profile.repairs), ({}, {}))
                        self.assertEqual({function.name: function.calls
                                          for function in profile.functions}, calls)

    def compile_object(self, source, config):
        output = self.path(source + ".o")
        self.command(["gcc", "-g", "-O1", "-c", "-o", output, self.path(source),
                      *fctest.fc_config("--cflags", *config)])
        return output

    test_names_of_helper = test_what_is_wrong = test_locale = test_broken_helper = None
    test_slowest = test_settings_file = test_profile_says_so = None


if __name__ == "__main__":
    fctest.main()
