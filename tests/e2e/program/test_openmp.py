#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenMP: what worker threads do stands below the function that has the region, and nothing is lost by that."""

import json
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

THREADS = 4
ROUNDS = 5


class OpenMp(fctest.Case):
    def load(self, name="functioncheck.fc"):
        return json.loads(self.command([fctest.tool("fcdump"), "--json", name]))

    def tree(self, data):
        """Calls, total and local time by the names on the path, without the regions' own and the runtime's."""
        paths, found = [], {}
        for context in data["contexts"]:
            above = () if context["parent"] is None else paths[context["parent"]]
            name = data["functions"][context["function"]]["name"]
            is_openmp = "omp" in name.lower() or name.startswith("__kmpc")
            paths.append(above if is_openmp else (*above, name))
            if not is_openmp:
                calls, total, local = found.get(paths[-1], (0, 0, 0))
                found[paths[-1]] = (calls + context["calls"], total + context["total_ns"], local + context["local_ns"])
        return found

    def roots(self, data):
        return {data["functions"][context["function"]]["name"] for context in data["contexts"] if context["parent"] is None}

    def check(self, *flags, compiler="gcc"):
        program = self.compile("openmp.c", "-fopenmp", *flags, compiler=compiler)
        for detail in ("auto", "all"):
            with self.subTest(detail):
                done = self.run_quiet([program], env={"OMP_NUM_THREADS": str(THREADS), "FC_DETAIL": detail})
                self.assertEqual(done.returncode, 0, done.stderr)
                data = self.load()
                self.assertEqual(self.roots(data), {"main"})
                tree = self.tree(data)
                self.assertEqual(sum(tree[path][0] for path in tree if path[-1] == "kernel"), ROUNDS * (4 * 400 + 100))
                self.assertEqual(tree[("main", "often", "shared", "kernel")][0], ROUNDS * 3 * 400)
                self.assertEqual(tree[("main", "seldom", "shared", "kernel")][0], ROUNDS * 400)
                self.assertEqual(tree[("main", "tasks", "kernel")][0], ROUNDS * 100)
                self.check_sums(data)
                self.check_names()

    def check_names(self):
        """Regions and tasks have their functions' names.  clang has other lines for some than those of the words."""
        text = self.command([fctest.tool("fcdump"), "--tree", "--all"])
        self.assertNotRegex(text, r"_omp_fn|omp_outlined|omp_task_entry")
        for name in re.findall(r"\S+: parallel .*", text):
            self.assertRegex(name, r"^(shared: parallel at openmp\.c:(19|20)|tasks: parallel at openmp\.c:(38|39))$")
        for name in re.findall(r"\S+: task .*", text):
            self.assertRegex(name, r"^tasks: task at openmp\.c:(41|42|45)$")
        return text

    def check_sums(self, data):
        """The contexts of a function have its calls and its local time, and nobody has less time than who it calls."""
        for index, function in enumerate(data["functions"]):
            own = [context for context in data["contexts"] if context["function"] == index]
            self.assertEqual(sum(context["calls"] for context in own), function["calls"], function["name"])
            self.assertLessEqual(abs(sum(context["local_ns"] for context in own) - function["local_ns"]), 10 * len(own) + 10)
        below = [0] * len(data["contexts"])
        for context in data["contexts"]:
            if context["parent"] is not None:
                below[context["parent"]] += context["total_ns"]
        for context, callees in zip(data["contexts"], below):
            self.assertLessEqual(callees, context["total_ns"] * 1.001 + 1000)
        main, = [function for function in data["functions"] if function["name"] == "main"]
        self.assertLessEqual(sum(function["local_ns"] for function in data["functions"]), main["total_ns"] * 1.001 + 1000)

    def test_gcc(self):
        """The regions' code has no hooks."""
        self.check()

    def test_gcc_after_inlining(self):
        """It has."""
        self.config = ["--after-inlining"]
        self.check("-O1")

    def test_jumps(self):
        """A region's code ends by a jump to the runtime, which seems to be called by itself."""
        self.config = ["--after-inlining"]
        program = self.compile("openmp.c", "-fopenmp", "-O2")
        self.assertEqual(self.run_quiet([program], env={"OMP_NUM_THREADS": str(THREADS)}).returncode, 0)
        self.assertEqual(self.roots(self.load()), {"main"})
        text = self.check_names()
        for name in ("shared: parallel", "tasks: parallel", "tasks: task"):
            self.assertIn(name, text)

    def test_clang(self):
        self.check("-O1", compiler="clang")
        self.assertIn("shared: parallel", self.check_names())

    def check_waits(self, compiler, barrier, fork, critical):
        program = self.compile("openmp-waits.c", "-fopenmp", "-O1", compiler=compiler)
        plain = self.run_target([program], env={"FC_RANKS": "1", "PMI_RANK": "0", "OMP_NUM_THREADS": str(THREADS)})
        done = self.run_quiet([program], env={"OMP_NUM_THREADS": str(THREADS)})
        self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
        data = self.load()
        calls = {function["name"]: function["calls"] for function in data["functions"]}
        self.assertEqual((calls[barrier], calls[fork], sum(map(calls.get, critical))), (THREADS, 3, THREADS))
        self.assertEqual(self.roots(data), {"main"})
        self.assertRegex(self.command([fctest.tool("fcdump")]), "OpenMP's threads wait for one another for .*most in " + barrier)
        self.assertEqual(self.run_quiet([program], env={"OMP_NUM_THREADS": str(THREADS), "FC_OPENMP": "0"}).returncode, 0)
        self.assertEqual([name for function in self.load()["functions"] if (name := function["name"]).startswith(("GOMP", "__kmpc"))], [])

    def test_waits_gcc(self):
        """Waiting is in the runtime's functions, at the places where the program calls them."""
        self.check_waits("gcc", "GOMP_barrier", "GOMP_parallel", ["GOMP_critical_start"])

    def test_waits_clang(self):
        self.check_waits("clang", "__kmpc_barrier", "__kmpc_fork_call", ["__kmpc_critical"])

    def test_file_is_as_it_was(self):
        """The file has what was recorded: roots of the workers."""
        program = self.compile("openmp.c", "-fopenmp")
        self.assertEqual(self.run_quiet([program], env={"OMP_NUM_THREADS": str(THREADS)}).returncode, 0)
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertIn(("kernel",), {context.path for context in profile.contexts})

    def test_one_thread(self):
        program = self.compile("openmp.c", "-fopenmp")
        self.assertEqual(self.run_quiet([program], env={"OMP_NUM_THREADS": "1"}).returncode, 0)
        self.assertEqual(self.tree(self.load())[("main", "often", "shared", "kernel")][0], ROUNDS * 3 * 400)


if __name__ == "__main__":
    unittest.main(verbosity=2)
