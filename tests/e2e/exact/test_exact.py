#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times and counts of small programs, exact to the nanosecond.

The targets run with a libfc whose clock is a counter: in each thread the first
record has time 1 us, each further one 1 us more.  (A process or a thread starts
at 0; so does a forked child.)  So a call that calls nothing takes 1 us, and all
figures follow from the order of the records, which is written out below for
every target: `main+1` is main's entry at 1 us, `main-10` its exit at 10 us.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

US = 1000  # ns


def figures(function):
    """calls, then in us: total, local, shortest and longest total, of local."""
    times = (function.total_ns, function.local_ns, function.total_min_ns, function.total_max_ns,
             function.local_min_ns, function.local_max_ns)
    return (function.calls,) + tuple(ns / US for ns in times)


def functions_of(profile):
    return {function.name: figures(function) for function in profile.functions}


def arcs_of(profile):
    """(caller, callee): [(calls, total in us) of each call site, in order of address]"""
    arcs = {}
    for arc in sorted(profile.arcs, key=lambda arc: arc.site_offset):
        caller = arc.caller.name if arc.caller else None
        arcs.setdefault((caller, arc.callee.name), []).append((arc.calls, arc.total_ns / US))
    return arcs


def contexts_of(profile):
    """path from the root: (calls, total, local in us)"""
    return {"/".join(context.path): (context.calls, context.total_ns / US, context.local_ns / US)
            for context in profile.contexts}


def counted_calls(path):
    """How many calls made no record of their own."""
    with open(path, encoding="utf-8") as stream:
        section = re.search(r"(?m)^section counted .*\n((?:\d.*\n)*)", stream.read())
    return sum(int(line.split()[1]) for line in section.group(1).splitlines()) if section else 0


class Exact(fctest.Case):
    def load(self, name):
        """What fcdump tells of a profile, which is also what stands in the file."""
        told = fcprofile.load_json(self.path(name), fctest.tool("fcdump"))
        written = fcprofile.load(self.path(name))
        for facts in (functions_of, arcs_of, contexts_of):
            self.assertEqual(facts(told), facts(written))
        self.assertEqual(told.run_ns, written.run_ns)
        return told

    def profile(self, source, status=0, env=None):
        program = self.compile(source)
        done = self.run_test_clock([program], env=env)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (status, b"", b""))
        return self.load("functioncheck.fc")

    def check_clean(self, profile):
        self.assertEqual((profile.repairs, profile.losses), ({}, {}))

    def test_nesting(self):
        # main+1 a+2 b+3 b-4 c+5 c-6 a-7 b+8 b-9 main-10
        profile = self.profile("nesting.c")
        self.check_clean(profile)
        self.assertEqual(functions_of(profile), {
            # local of main: 9 less a's 5 and b's 1; of a: 5 less b's 1 and c's 1
            "main": (1, 9, 3, 9, 9, 3, 3),
            "a": (1, 5, 3, 5, 5, 3, 3),
            "b": (2, 2, 2, 1, 1, 1, 1),
            "c": (1, 1, 1, 1, 1, 1, 1)})
        self.assertEqual(arcs_of(profile), {
            (None, "main"): [(1, 9)], ("main", "a"): [(1, 5)], ("a", "b"): [(1, 1)],
            ("a", "c"): [(1, 1)], ("main", "b"): [(1, 1)]})
        self.assertEqual(contexts_of(profile), {
            "main": (1, 9, 3), "main/a": (1, 5, 3), "main/a/b": (1, 1, 1),
            "main/a/c": (1, 1, 1), "main/b": (1, 1, 1)})
        self.assertEqual(profile.threads[0].run_ns, 9 * US)
        self.assertEqual(profile.run_ns, 10 * US)  # of the process, which starts at 0
        self.assertEqual((profile.end, profile.end_value), ("exit", 0))

    def test_costs_are_taken_off(self):
        """A recorded call costs 0.5 us, 0.2 of these between its times; a counted one 0.03."""
        costs = ",".join(str(ticks * 256) for ticks in (500, 200, 30, 30))
        # as in test_nesting, less 0.2 for each call of one's own and 0.3 for each that one makes
        profile = self.profile("nesting.c", env={"FC_TEST_OVERHEAD": costs})
        self.check_clean(profile)
        functions = {name: found[:3] for name, found in functions_of(profile).items()}
        self.assertEqual(functions, {"main": (1, 6.8, 2.2), "a": (1, 3.8, 2.2),
                                     "b": (2, 1.6, 1.6), "c": (1, 0.8, 0.8)})
        self.assertEqual(contexts_of(profile), {
            "main": (1, 6.8, 2.2), "main/a": (1, 3.8, 2.2), "main/a/b": (1, 0.8, 0.8),
            "main/a/c": (1, 0.8, 0.8), "main/b": (1, 0.8, 0.8)})
        self.assertEqual(arcs_of(profile), {
            (None, "main"): [(1, 6.8)], ("main", "a"): [(1, 3.8)], ("a", "b"): [(1, 0.8)],
            ("a", "c"): [(1, 0.8)], ("main", "b"): [(1, 0.8)]})
        self.assertEqual(profile.threads[0].functions, {
            name: (calls, total * US, local * US)
            for name, (calls, total, local) in functions.items()})
        # all that was taken off is there to be put back
        raw = fcprofile.load_json(self.path("functioncheck.fc"), fctest.tool("fcdump"), "--raw")
        self.assertEqual({name: found[:3] for name, found in functions_of(raw).items()},
                         {"main": (1, 9, 3), "a": (1, 5, 3), "b": (2, 2, 2), "c": (1, 1, 1)})
        self.assertEqual(raw.threads[0].functions, {
            "main": (1, 9 * US, 3 * US), "a": (1, 5 * US, 3 * US), "b": (2, 2 * US, 2 * US),
            "c": (1, 1 * US, 1 * US)})

    def test_no_time_is_below_zero(self):
        """Where a call cost more than there was: a hundredth, as one of an empty function takes."""
        costs = ",".join(str(ticks * 256) for ticks in (9000, 4000, 30, 30, 10))
        profile = self.profile("nesting.c", env={"FC_TEST_OVERHEAD": costs})
        self.assertEqual({name: found[:3] for name, found in functions_of(profile).items()},
                         {"main": (1, 0.05, 0.01), "a": (1, 0.03, 0.01), "b": (2, 0.02, 0.02),
                          "c": (1, 0.01, 0.01)})
        # and the report does not pretend to know them
        flat = self.command([fctest.tool("fcdump"), "--flat", self.path("functioncheck.fc")])
        self.assertIn("? time: mostly uncertain", flat)
        for name in functions_of(profile):
            self.assertRegex(flat, rf"(?m)^ *\?.* \?.* {name}$")
        raw = self.command([fctest.tool("fcdump"), "--flat", "--raw",
                            self.path("functioncheck.fc")])
        self.assertNotIn("?", raw)

    def test_recursion(self):
        # main+1 f+2 f+3 f+4 f-5 f-6 f-7 main-8
        profile = self.profile("recursion.c")
        self.check_clean(profile)
        self.assertEqual(functions_of(profile), {
            "main": (1, 7, 2, 7, 7, 2, 2),
            # on the stack from 2 to 7, whatever the depth; the activations take 5, 3 and 1,
            # of which 2, 2 and 1 are their own
            "fact": (3, 5, 5, 1, 5, 1, 2)})
        self.assertEqual(arcs_of(profile), {
            (None, "main"): [(1, 7)], ("main", "fact"): [(1, 5)],
            ("fact", "fact"): [(2, 3)]})  # from 3 to 6
        self.assertEqual(contexts_of(profile), {"main": (1, 7, 2), "main/fact": (3, 5, 5)})

    def test_mutual_recursion(self):
        # main+1 even+2 odd+3 even+4 odd+5 even+6 even-7 odd-8 even-9 odd-10 even-11 main-12
        profile = self.profile("mutual.c")
        self.check_clean(profile)
        self.assertEqual(functions_of(profile), {
            "main": (1, 11, 2, 11, 11, 2, 2),
            # even's activations: 2-11, 4-9, 6-7: own 2, 2, 1
            "even": (3, 9, 5, 1, 9, 1, 2),
            # odd's: 3-10, 5-8: own 2 and 2
            "odd": (2, 7, 4, 3, 7, 2, 2)})
        self.assertEqual(arcs_of(profile), {
            (None, "main"): [(1, 11)], ("main", "even"): [(1, 9)],
            ("even", "odd"): [(2, 7)], ("odd", "even"): [(2, 5)]})  # 3-10; 4-9
        self.assertEqual(contexts_of(profile), {
            "main": (1, 11, 2), "main/even": (3, 9, 5), "main/even/odd": (2, 7, 4)})

    def test_shortest_and_longest(self):
        # main+1 work+2 work-3 work+4 leaf+5-6 leaf+7-8 leaf+9-10 work-11
        # work+12 leaf+13-14 work-15 main-16
        profile = self.profile("minmax.c")
        self.check_clean(profile)
        self.assertEqual(functions_of(profile), {
            "main": (1, 15, 4, 15, 15, 4, 4),
            # 1, 7 and 3 long, of which 1, 4 and 2 their own
            "work": (3, 11, 7, 1, 7, 1, 4),
            "leaf": (4, 4, 4, 1, 1, 1, 1)})
        self.assertEqual(arcs_of(profile)[("main", "work")], [(1, 1), (1, 7), (1, 3)])
        histogram = {function.name: function.histogram for function in profile.functions}
        # by duration in ns: 1000 in [512, 1024), 3000 in [2048, 4096), 7000 in [4096, 8192)
        self.assertEqual(histogram["work"], {10: 1, 12: 1, 13: 1})
        self.assertEqual(histogram["leaf"], {10: 4})

    def test_jump(self):
        """What the function that caught a jump calls next is its own callee, and the time from
        the jump on its own."""
        # main+1 outer+2 inner+3 (jump 4) handle+5 leaf+6-7 handle-8 main-9
        for compiler in ("gcc", "clang"):
            program = self.compile("caught.c", compiler=compiler, output=compiler)
            self.assertEqual(self.run_test_clock([program]).returncode, 0)
            profile = self.load("functioncheck.fc")
            self.assertEqual((profile.repairs, profile.losses), ({"jump": 2}, {}))
            self.assertEqual(contexts_of(profile), {
                "main": (1, 8, 3), "main/outer": (1, 2, 1), "main/outer/inner": (1, 1, 1),
                "main/handle": (1, 3, 2), "main/handle/leaf": (1, 1, 1)})

    def test_exception(self):
        expected = {
            # the exit hook is run for each frame that is left, between a jump and the next:
            # main+1 outer+2 inner+3 (4) inner-5 (6) ~Guard+7-8 outer-9 (10) handle+11
            # leaf+12-13 handle-14 main-15
            "g++": ({}, {
                "main": (1, 14, 4), "main/outer": (1, 7, 4), "main/outer/inner": (1, 2, 2),
                "main/outer/Guard::~Guard": (1, 1, 1),
                "main/handle": (1, 3, 2), "main/handle/leaf": (1, 1, 1)}),
            # no exit hook is run:
            # main+1 outer+2 inner+3 (4) ~Guard+5-6 (7) handle+8 leaf+9-10 handle-11 main-12
            "clang++": ({"jump": 2}, {
                "main": (1, 11, 3), "main/outer": (1, 5, 3), "main/outer/inner": (1, 1, 1),
                "main/outer/Guard::~Guard": (1, 1, 1),
                "main/handle": (1, 3, 2), "main/handle/leaf": (1, 1, 1)})}
        for compiler, (repairs, contexts) in expected.items():
            program = self.compile("caught.cc", compiler=compiler, output=compiler)
            self.assertEqual(self.run_test_clock([program]).returncode, 0)
            profile = fcprofile.load_json(self.path("functioncheck.fc"), fctest.tool("fcdump"))
            self.assertEqual((profile.repairs, profile.losses), (repairs, {}), compiler)
            self.assertEqual(contexts_of(profile), contexts, compiler)

    def test_threads(self):
        # main thread:  main+1 main-2
        # first thread: worker+1 leaf+2-3 leaf+4-5 worker-6
        # second:       worker+1 leaf+2-3 leaf+4-5 leaf+6-7 worker-8
        profile = self.profile("threads.c")
        self.check_clean(profile)
        self.assertEqual(functions_of(profile), {
            "main": (1, 1, 1, 1, 1, 1, 1),
            "worker": (2, 12, 7, 5, 7, 3, 4),
            "leaf": (5, 5, 5, 1, 1, 1, 1)})
        self.assertEqual(len(profile.threads), 3)
        self.assertEqual([thread.calls for thread in profile.threads], [1, 3, 4])
        self.assertEqual([thread.run_ns for thread in profile.threads], [1 * US, 5 * US, 7 * US])
        self.assertEqual([thread.functions for thread in profile.threads], [
            {"main": (1, 1 * US, 1 * US)},
            {"worker": (1, 5 * US, 3 * US), "leaf": (2, 2 * US, 2 * US)},
            {"worker": (1, 7 * US, 4 * US), "leaf": (3, 3 * US, 3 * US)}])
        self.assertEqual(profile.threads[0].tid, profile.pid)

    def test_outermost(self):
        """A function of which the nested calls are counted, as there were many, goes on without: its
        other calls become counted as well."""
        profile = self.profile("outermost.c", env={"FC_DETAIL": "auto"})
        calls = 10 * 1000 + 200000 + 200
        self.assertEqual({function.name: function.calls for function in profile.functions},
                         {"main": 1, "descend": calls})
        self.check_clean(profile)
        self.assertGreater(counted_calls(self.path("functioncheck.fc")), 0.95 * calls)

    def test_begin(self):
        """What libfc does, and records, where functions begin to be counted is nobody's time: each call
        that was recorded takes two readings, the first counted ones, which are never timed, none."""
        program = self.compile("begins.c")
        for rounds in range(230, 270):
            done = self.run_test_clock([program, str(rounds)], env={"FC_DETAIL": "auto"})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
            counted = counted_calls(self.path("functioncheck.fc"))
            if counted > 0:
                break
        self.assertIn(counted, (1, 2, 3, 4))
        profile = self.load("functioncheck.fc")
        self.check_clean(profile)
        self.assertEqual(functions_of(profile)["main"][:2], (1, 2 * (4 * rounds - counted) + 1))

    def test_fork(self):
        # parent: main+1 before+2 before-3 (fork) after+4 after-5 main-6
        # child:  (main is on the stack from 0) in_child+1-2 in_child+3-4 main-5
        program = self.compile("forks.c")
        done = self.run_test_clock([program])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        descriptor = fcprofile.load_descriptor(self.path("functioncheck.fcd"))
        self.assertEqual(len(descriptor), 2)
        parent, child = sorted((self.load(entry.file) for entry in descriptor),
                               key=lambda profile: profile.end_value)
        self.check_clean(parent)
        self.check_clean(child)
        self.assertEqual(functions_of(parent), {
            "main": (1, 5, 3, 5, 5, 3, 3), "before": (1, 1, 1, 1, 1, 1, 1),
            "after": (1, 1, 1, 1, 1, 1, 1)})
        # The child never called main, but spent its time in it: 5 less the two calls' 2.
        functions = functions_of(child)
        self.assertEqual(functions["main"][:3], (0, 5, 3))
        self.assertEqual(functions["in_child"], (2, 2, 2, 1, 1, 1, 1))
        self.assertEqual(set(functions), {"main", "in_child"})
        self.assertEqual((child.ppid, child.pid), (parent.pid, max(
            descriptor, key=lambda entry: entry.parent == parent.pid).id))
        self.assertEqual((child.end, child.end_value), ("exit", 3))


if __name__ == "__main__":
    fctest.main()
