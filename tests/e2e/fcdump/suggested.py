#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcdump --suggest-filter: what it says is done, and what it predicted compared with that run.

    suggested.py"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

CALLS = {"main": 1, "outer": 20, "middle": 200, "Box<int>::get_rest": 20,
         "Box<long>::get": 20000, "tiny": 20000}
SMALL = ["Box<long>::get", "tiny"]
FLAG = "-finstrument-functions-exclude-function-list="
# In place of those that were measured, so that the same is suggested on every machine: of a call
# that is recorded, of one that is counted.
RECORDED_NS, COUNTED_NS = 40, 4
COSTS = "costs 40000 20000 4000 4000"
ATTRIBUTE = "__attribute__((no_instrument_function)): "
OVERLOADS = """
static int half(int x) { return x / 2; }
static long half(long x) { return x / 2; }
static unsigned half(unsigned x) { return x / 2; }
static double half(double x) { return x / 2; }
int main()
{
    double sum = 0;
    for (int i = 0; i < 10000; i++)
        sum += half(i) + half((long)i) + half((unsigned)i) + half((double)i);
    return sum < 0;
}
"""
# Each saves a thirtieth of what all of them save.
MANY = [f"f{i:02}" for i in range(30)]
ALIKE = ("".join(f"int {name}(int x) {{ return x + 1; }}\n" for name in MANY) +
         "int main(void)\n{\n    volatile int s = 0;\n    for (int i = 0; i < 2000; i++)\n    {\n" +
         "".join(f"        s = {name}(s);\n" for name in MANY) + "    }\n}\n")


def without_costs(text):
    """The profile without what was taken off its times: calls take what they are said to at the start."""
    return re.sub(r"(?m)^section cost-\S+ 1 \d+\n(?:(?!section ).*\n)*", "", text)


class Suggested(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.build(output="suggested")
        self.profile({})
        with open(self.path("functioncheck.fc"), encoding="utf-8") as file:
            self.text = file.read()
        self.given = self.write("given.fc", re.sub(r"(?m)^costs .*$", COSTS, without_costs(self.text)))

    def build(self, *flags, source="suggested.cc", config=(), output="smaller"):
        return self.compile(source, "-O0", "-g", *flags, compiler="g++", config=config, output=output)

    def profile(self, env):
        """{name: calls} of a run in which every call is recorded."""
        done = self.run_target([self.program], env={"FC_DETAIL": "all", "FC_QUIET": "1", **env})
        self.assertEqual(done.returncode, 0)
        profile = fcprofile.load(self.path("functioncheck.fc"))
        self.assertEqual((profile.losses, profile.repairs), ({}, {}))
        return {self.command(["c++filt", "-p", function.name]).strip(): function.calls
                for function in profile.functions}

    def suggest(self, percent, *options, file="given.fc"):
        return self.command([fctest.tool("fcdump"), f"--suggest-filter={percent}", "--no-header",
                             "--units=ns", *options, self.path(file)])

    def ask_for(self, part):
        """The text for that part of what hooks take now."""
        said = self.suggest(1e6)
        self.assertIn("leave out nothing", said)
        now = re.search(r"took about (\d+) ns for (\d+) calls: ([\d.]+)% of", said)
        self.assertEqual(now.group(2), str(sum(CALLS.values())))
        self.assertEqual(int(now.group(1)), RECORDED_NS * sum(CALLS.values()))
        return self.suggest(float(now.group(3)) * part)

    def prediction(self, said, start):
        """What to set or give, the calls that are left, what hooks take."""
        found = re.search(r"(?m)^    ('?" + re.escape(start) + r".*)\n    Predicted: (\d+) calls left, "
                          r"(\d+) ns for hooks", said)
        self.assertTrue(found, said)
        words = [found.group(1)] if start == ATTRIBUTE else shlex.split(found.group(1))
        self.assertEqual(len(words), 1)
        return words[0], int(found.group(2)), int(found.group(3))

    def check_cost(self, predicted_ns, calls):
        """What the new profile says of its hooks is the prediction, but for what a call costs
        now; of main the part after its end is in no function."""
        data = fcprofile.load(self.path("functioncheck.fc"))
        text = self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")])
        whole = json.loads(text)
        recorded_ns = whole["processes"][0]["costs"]["recorded_ps"] / 1000
        taken_ns = sum(f["raw_local_ns"] - f["local_ns"] for f in whole["functions"])
        self.assertEqual(sum(function.calls for function in data.functions), calls)
        self.assertEqual(predicted_ns, calls * RECORDED_NS)
        self.assertAlmostEqual(taken_ns / recorded_ns / (predicted_ns / RECORDED_NS), 1, delta=0.03)

    def test_filter(self):
        self.check_filter(self.ask_for(0.2))

    def check_filter(self, said):
        words, left, cost_ns = self.prediction(said, "FC_FILTER=")
        name, _, value = words.partition("=")
        self.assertEqual(sorted(value.split(";")), ["skip:" + function for function in SMALL])
        calls = self.profile({name: value})
        self.assertEqual(calls, {name: n for name, n in CALLS.items() if name not in SMALL})
        self.assertEqual(sum(calls.values()), left)
        self.check_cost(cost_ns - COUNTED_NS * sum(CALLS[name] for name in SMALL), left)

    def test_counted(self):
        """The same of runs in which most calls are counted, by default."""
        self.assertEqual(self.profile({"FC_DETAIL": "auto"}), CALLS)
        data = json.loads(self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")]))
        counted = {function["name"]: function["counted"] for function in data["functions"]}
        for small in SMALL:
            self.assertGreater(counted[small], CALLS[small] / 2)
        with open(self.path("functioncheck.fc"), encoding="utf-8") as file:
            self.write("counted.fc", re.sub(r"(?m)^costs .*$", COSTS, without_costs(file.read())))
        said = self.suggest(1e6, file="counted.fc")
        now_ns, calls, percent = re.search(r"took about (\d+) ns for (\d+) calls: ([\d.]+)% of", said).groups()
        self.assertEqual(int(calls), sum(CALLS.values()))
        self.assertLess(int(now_ns), RECORDED_NS * int(calls) / 2)
        words, left, cost_ns = self.prediction(self.suggest(float(percent) * 0.5, file="counted.fc"),
                                               "FC_FILTER=")
        name, _, value = words.partition("=")
        skipped = [word.removeprefix("skip:") for word in value.split(";")]
        self.assertLess(cost_ns, int(now_ns))
        found = self.profile({"FC_DETAIL": "auto", name: value})
        self.assertEqual(found, {name: n for name, n in CALLS.items() if name not in skipped})
        self.assertEqual(sum(found.values()), left)
        self.assertLess(left, int(calls))

    def test_flags(self):
        said = self.ask_for(0.2)
        flag, left, cost_ns = self.prediction(said, FLAG)
        self.assertEqual(sorted(flag[len(FLAG):].split(",")), ["::get", "tiny"])
        self.assertIn("so also: Box<int>::get_rest.\n", said)
        self.program = self.build(flag)
        calls = self.profile({})
        self.assertEqual(calls, {"main": 1, "outer": 20, "middle": 200})
        self.assertEqual(sum(calls.values()), left)
        self.check_cost(cost_ns, left)

    def test_json(self):
        """It holds what the text says; without the option there is nothing of it."""
        words = [fctest.tool("fcdump"), "--json", self.given]
        self.assertNotIn("suggested_filter", json.loads(self.command(words)))
        told = json.loads(self.command([*words, "--suggest-filter=1"]))["suggested_filter"]
        said = self.suggest(1)
        self.assertEqual((told["percent"], told["calls"]), (1, sum(CALLS.values())))
        self.assertAlmostEqual(told["cost_ns"], RECORDED_NS * told["calls"])
        self.assertAlmostEqual(told["cost_ns"] / told["plain_ns"] * 100, told["cost_percent"])
        self.assertEqual([way["set"] for way in told["ways"]], ["FC_FILTER", FLAG[:-1]])
        for way in told["ways"]:
            words, left, cost_ns = self.prediction(said, way["set"] + "=")
            self.assertEqual(f"{way['set']}={way['value']}", words)
            self.assertEqual((way["calls"], round(way["cost_ns"])), (left, cost_ns))
            self.assertGreater(way["hidden_ns"], 0)
            self.assertTrue(way["left_out"])
        self.assertEqual(told["ways"][1]["left_out_too"], ["Box<int>::get_rest"])
        self.assertEqual([(os.path.basename(file["file"]), file["functions"], file["calls"], file["cost_ns"])
                          for file in told["files"]],
                         [("suggested.cc", len(CALLS), told["calls"], told["cost_ns"])])
        again = json.loads(self.command([fctest.tool("fcdump"), "--json", "--raw", "--suggest-filter", self.given]))
        self.assertIsNone(again["suggested_filter"])
        nothing = json.loads(self.command([fctest.tool("fcdump"), "--json", "--suggest-filter=1e6", self.given]))
        self.assertEqual([way["value"] for way in nothing["suggested_filter"]["ways"]], [None, None])

    def test_files(self):
        """Where functions that can be named don't do, their files are."""
        files = "Overhead, by the functions' files:"
        self.assertIn(f"{files}\n    100.0%  {os.path.join(fctest.PROGRAMS, 'suggested.cc')}: {len(CALLS)} functions, "
                      f"{sum(CALLS.values())} calls\n", self.suggest(1e-6))
        self.assertNotIn(files, self.suggest(1e6))

    def test_taken(self):
        """What hooks took is what the header says; calls share it, and what is predicted is of it."""
        taken = self.write("taken.fc", re.sub(r"(?m)^costs .*$", COSTS, self.text))  # not what they took
        whole = json.loads(self.command([fctest.tool("fcdump"), "--json", taken]))
        taken_ns = sum(f["raw_local_ns"] - f["local_ns"] for f in whole["functions"])
        header = self.command([fctest.tool("fcdump"), "--no-reports", "--header", "--units=ns", taken])
        self.assertIn(f"without instrumentation overhead, {taken_ns} ns in all", header)
        said = self.suggest(1, file="taken.fc")
        self.assertIn(f"Hooks took about {taken_ns} ns for {sum(CALLS.values())} calls", said)
        _, left, cost_ns = self.prediction(said, FLAG)
        self.assertAlmostEqual(cost_ns, taken_ns * left / sum(CALLS.values()), delta=1)

    @unittest.skipIf(MACHINE != "x86_64", "gcc does that on x86-64 only")
    def test_after_inlining(self):
        """gcc's option would give the others other hooks: what works is named, does what is predicted."""
        self.program = self.build(config=["--after-inlining"], output="inlined")
        self.assertEqual(self.profile({}), CALLS)
        with open(self.path("functioncheck.fc"), encoding="utf-8") as file:
            self.write("given.fc", re.sub(r"(?m)^costs .*$", COSTS, without_costs(file.read())))
        said = self.ask_for(0.2)
        self.assertNotIn(FLAG, said)
        self.assertNotIn("fc-config", said)
        self.assertNotIn("leaves out each function whose name", said)
        self.check_filter(said)
        words, left, cost_ns = self.prediction(said, ATTRIBUTE)
        self.assertEqual(sorted(words[len(ATTRIBUTE):].split(", ")), SMALL)
        told = json.loads(self.command([fctest.tool("fcdump"), "--json", "--suggest-filter=1", self.path("given.fc")]))
        self.assertEqual([way["set"] for way in told["suggested_filter"]["ways"]], ["FC_FILTER", ATTRIBUTE[:-2]])
        # Only what has that name is left out: Box<int>::get_rest stays.
        with open(os.path.join(fctest.PROGRAMS, "suggested.cc"), encoding="utf-8") as file:
            source = file.read()
        for start in "    T get()", "static int tiny(":
            self.assertEqual(source.count(start), 1)
            source = source.replace(start, ATTRIBUTE[:-2] + start)
        self.program = self.build(source=self.write("left_out.cc", source), config=["--after-inlining"])
        calls = self.profile({})
        self.assertEqual(calls, {name: n for name, n in CALLS.items() if name not in SMALL})
        self.assertEqual(sum(calls.values()), left)
        self.check_cost(cost_ns, left)

    def test_clang(self):
        """It has no such option: the attribute does it, by whole names."""
        if not shutil.which("clang++"):
            self.skipTest("no clang++ here")
        self.program = self.compile("suggested.cc", "-O0", compiler="clang++", output="of-clang")
        self.assertEqual(self.profile({}), CALLS)
        with open(self.path("functioncheck.fc"), encoding="utf-8") as file:
            self.write("given.fc", re.sub(r"(?m)^costs .*$", COSTS, without_costs(file.read())))
        said = self.ask_for(0.2)
        self.assertNotIn(FLAG, said)
        words, left, _ = self.prediction(said, ATTRIBUTE)
        self.assertEqual((sorted(words[len(ATTRIBUTE):].split(", ")), left), (SMALL, sum(CALLS.values()) - 40000))

    def test_overloads(self):
        """Functions of one name are one word: FC_FILTER takes them together."""
        source = self.write("overloads.cc", OVERLOADS)
        self.program = self.build(source=source, output="overloads")
        self.assertEqual(self.profile({}), {"main": 1, "half": 10000})  # each of them
        said = self.suggest(1, file="functioncheck.fc")
        self.assertIn("    FC_FILTER='skip:half'\n    Predicted: 1 call left", said)
        self.assertIn(f"    {FLAG}'half'\n    Predicted: 1 call left", said)

    def test_no_more_than_needed(self):
        said = self.ask_for(0.7)
        for start in "FC_FILTER=", FLAG:
            words = self.prediction(said, start)[0]
            self.assertEqual(len(re.findall("get|tiny", words)), 1, words)

    def test_out_of_reach(self):
        said = self.ask_for(0.05)
        self.assertEqual(said.count("Hardly less can be had so.\n"), 1, said)
        words, left, _ = self.prediction(said, "FC_FILTER=")
        self.assertEqual(sorted(words[len("FC_FILTER="):].split(";")), ["skip:" + name for name in SMALL])
        self.assertEqual(left, sum(CALLS.values()) - sum(CALLS[name] for name in SMALL))

    def test_many_alike(self):
        """Functions each of which saves little are named where they save much together."""
        source = self.write("alike.c", ALIKE)
        self.program = self.compile(source, "-O0", "-g", output="alike")
        self.assertEqual(self.profile({}), {"main": 1, **dict.fromkeys(MANY, 2000)})
        with open(self.path("functioncheck.fc"), encoding="utf-8") as file:
            self.write("given.fc", re.sub(r"(?m)^costs .*$", COSTS, without_costs(file.read())))
        said = self.suggest(0)
        self.assertEqual(said.count("Hardly less can be had so.\n"), 2, said)
        for start, separator in ("FC_FILTER=", ";"), (FLAG, ","):
            words, left, cost_ns = self.prediction(said, start)
            named = {word.removeprefix("skip:") for word in words[len(start):].split(separator)}
            self.assertLessEqual(named, set(MANY))
            # But for less than a twentieth of what all save.
            self.assertEqual(len(named), len(MANY) - 1)
            self.assertEqual(left, 1 + 2000)
            skipped_ns = COUNTED_NS * 2000 * len(named) if start == "FC_FILTER=" else 0
            self.assertEqual(cost_ns, RECORDED_NS * left + skipped_ns)

    def test_whatever_is_shown(self):
        said = self.suggest(1)
        for option in "--time=wall", "--demangle=params", "--demangle=none", "--split":
            self.assertEqual(self.suggest(1, option), said, option)
        for option in "--raw", "--time=wait":
            self.assertIn("leave --raw and --time=wait out", self.suggest(1, option))

    def test_costs_not_known(self):
        text = re.sub(r"(?m)^costs .*\n", "", self.text).replace("section clock 1 3", "section clock 1 2")
        self.write("old.fc", text)
        self.assertIn("does not hold what its hooks cost", self.suggest(20, file="old.fc"))

    def test_wrong_use(self):
        for option in "--suggest-filter=much", "--suggest-filter=-1":
            done = subprocess.run([fctest.tool("fcdump"), option, self.given], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"is no percentage", done.stderr)


if __name__ == "__main__":
    fctest.main()
