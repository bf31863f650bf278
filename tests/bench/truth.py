#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the shares of a profile are from the truth.

    truth.py [--repeat N] [--tries N] [--rounds N] [MIX...|untuned]

Each mix (tests/bench/truth) is a program of phases that time themselves; built without hooks, what it
prints is the truth: time on the CPU.  Of a profile a phase's share is the total time of its function,
without waits, in that of all phases.  Plain and profiled programs run in turn, several times, and the shares of each are
the median.  Each run has the code at other places, as to 16 bytes in a line of the cache: a loop that happens to lie across two
lines may take twice as long, in the plain program or in that with hooks.  And each is the one of several that took the least time: on a
machine with other guests the processor is at times half another's, for parts of a second, which some phases feel and others do not.  Printed is, of each mix, by how many points the share of the worst phase is off, and how
many times longer than plain the program ran; below that the worst and the mean of all mixes.  It
prints, and judges nothing: what a loaded machine shows is no failure.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bench  # noqa: E402
import fctest  # noqa: E402

ROUNDS = 80  # a plain run takes about 0.2 s; of one that is over sooner chance decides
LONGER = {"containers -O0": 4, "callbacks -O0": 4}  # so many times, and so it makes fewer rounds
TRIES = 4
PLACES = 4  # to which functions are aligned within a line of the cache
PLACE_BYTES = 16
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "truth")
# name: source, compiler, flags
MIXES = {
    "leaf": ("leaf.c", "gcc", "-O2"),
    "accessors": ("accessors.cc", "g++", "-O2"),
    "virtual": ("virtual.cc", "g++", "-O2"),
    "recursion": ("recursion.c", "gcc", "-O2"),
    "memory": ("memory.c", "gcc", "-O2"),
    "trees": ("trees.c", "gcc", "-O2"),
    "threads": ("threads.c", "gcc", "-O2"),
    "plugin": ("plugin.c", "gcc", "-O2"),
    "text": ("text.c", "gcc", "-O2"),
    "containers": ("containers.cc", "g++", "-O2"),
    "machine": ("machine.c", "gcc", "-O2"),
    "sorting": ("sorting.c", "gcc", "-O2"),
    "middling": ("middling.c", "gcc", "-O2"),
    "refills": ("refills.c", "gcc", "-O2"),
    "leaf -O0": ("leaf.c", "gcc", "-O0"),
    "text -O0": ("text.c", "gcc", "-O0"),
    "containers -O0": ("containers.cc", "g++", "-O0"),
    "trees clang": ("trees.c", "clang", "-O2"),
    "virtual clang": ("virtual.cc", "clang++", "-O2"),
    "containers clang": ("containers.cc", "clang++", "-O2"),
}
# No constant may be tuned with these.
UNTUNED = {}
for _name in ("hashing", "vectors", "grammar", "queues", "opcodes"):
    UNTUNED[f"{_name} -O2"] = (_name + ".c", "gcc", "-O2")
    UNTUNED[f"{_name} -O0"] = (_name + ".c", "gcc", "-O0")
    UNTUNED[f"{_name} clang"] = (_name + ".c", "clang", "-O2")
UNTUNED["callbacks -O2"] = ("callbacks.cc", "g++", "-O2")
UNTUNED["callbacks -O0"] = ("callbacks.cc", "g++", "-O0")
UNTUNED["callbacks clang"] = ("callbacks.cc", "clang++", "-O2")
# column: which program, FC_DETAIL, the key of a function's time, and for which part of the rounds: where
# each call is recorded nothing is left to chance, and a run takes up to 80 times as long
WAYS = {
    "auto": ("hooks", "auto", "total_ns", 1),
    "all": ("hooks", "all", "total_ns", 8),
    "all, raw": ("hooks", "all", "raw_total_ns", 8),
    "inlined": ("inlined", "auto", "total_ns", 1),
}


class Mix:
    def __init__(self, name, place, folder):
        self.name = name
        self.source, self.compiler, self.level = {**MIXES, **UNTUNED}[name]
        self.place = place
        self.folder = folder
        self.build("plain", [], [])
        libs = fctest.fc_config("--libs")
        self.build("hooks", fctest.fc_config("--cflags", "--every-function"), libs)
        self.build("inlined", fctest.fc_config("--cflags", "--after-inlining"), libs)

    def build(self, kind, cflags, libs):
        os.makedirs(os.path.join(self.folder, kind))
        words = [self.compiler, self.level, "-g", f'-DPLACE="{(1 + self.place) * PLACE_BYTES}"', *cflags]
        source = os.path.join(SOURCES, self.source)
        if self.source == "plugin.c":
            subprocess.run([*words, "-shared", "-fPIC", "-DPLUGIN", "-o",
                            os.path.join(self.folder, kind, "plugin.so"), source, *libs],
                           check=True)
        subprocess.run([*words, "-o", os.path.join(self.folder, kind, "mix"), source, "-pthread",
                        "-ldl", *libs], check=True)

    def run(self, kind, rounds, tries=1, **env):
        """Of the run that took the least CPU time: what the phases print, and that time.  Its profile stays."""
        profile = os.path.join(self.folder, kind, "functioncheck.fc")
        least = None
        for _ in range(tries):
            found = self.run_once(kind, rounds, **env)
            if least is None or found[1] < least[1]:
                least = found
                if kind != "plain":
                    os.replace(profile, profile + ".least")
        if kind != "plain":
            os.replace(profile + ".least", profile)
        return least

    def run_once(self, kind, rounds, **env):
        done, took = bench.run_measured(
            ["./mix", str(rounds)], cwd=os.path.join(self.folder, kind),
            env=fctest.plain_environment(FC_QUIET="1", **env), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        printed = dict(line.split() for line in done.stdout.splitlines())
        return {name: int(ns) for name, ns in printed.items()}, took.cpu

    def profiled(self, kind, phases, key):
        """The phases' times in the profile of the last run."""
        done = subprocess.run([fctest.tool("fcdump"), "--json", "functioncheck.fc"], check=True,
                              stdout=subprocess.PIPE, cwd=os.path.join(self.folder, kind))
        times = {name: 0 for name in phases}
        for function in json.loads(done.stdout)["functions"]:
            name = function["name"].split("(")[0]
            if name in times:
                times[name] += function[key] - function["total_wait_ns"]
        return times


def shares(times):
    everything = sum(times.values())
    return {name: 100 * ns / everything for name, ns in times.items()}


def medians(runs):
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def measure(mixes, options):
    """Of each way the shares of the phases, and how many times the plain run's CPU time it took, as
    medians.  `mixes`: the same one at several places."""
    rounds = max(1, options.rounds // LONGER.get(mixes[0].name, 1))
    found = {name: [] for name in ("plain", *WAYS)}
    times = {name: [] for name in WAYS}
    for turn in range(options.repeat):
        mix = mixes[turn % len(mixes)]
        phases, took = mix.run("plain", rounds, options.tries)
        found["plain"].append(shares(phases))
        plain = {1: took}
        last = None
        for name, (kind, detail, key, part) in WAYS.items():
            if last != (kind, detail):
                fewer = max(1, rounds // part)
                if part not in plain:
                    plain[part] = mix.run("plain", fewer)[1]
                took = mix.run(kind, fewer, options.tries if part == 1 else 1, FC_DETAIL=detail)[1]
                last = (kind, detail)
            found[name].append(shares(mix.profiled(kind, phases, key)))
            times[name].append(took / plain[part])
    return ({name: medians(runs) for name, runs in found.items()},
            {name: statistics.median(each) for name, each in times.items()})


def show(name, found, times, is_verbose):
    worst = {}
    cells = []
    for way in WAYS:
        off = {phase: found[way][phase] - share for phase, share in found["plain"].items()}
        phase = max(off, key=lambda each: abs(off[each]))
        worst[way] = abs(off[phase])
        cells.append(f"{off[phase]:+6.1f} {phase.removeprefix('phase_'):11} "
                     f"{times[way]:5.1f}")
    print(f"{name:17} " + "  ".join(cells), flush=True)
    if is_verbose:
        for phase, share in found["plain"].items():
            print(f"    {phase.removeprefix('phase_'):13} {share:5.1f}  " +
                  "  ".join(f"{found[way][phase]:5.1f}" for way in WAYS), flush=True)
    return worst


def run_mixes(names, options):
    """Of each way the points that the worst phase of each mix is off."""
    worst = {way: [] for way in WAYS}
    print(f"points that the worst phase's share is off, and CPU time / plain; median of {options.repeat} runs")
    print(f"{'':17} " + "  ".join(f"{way:24}" for way in WAYS))
    for name in names:
        with tempfile.TemporaryDirectory(prefix="fc-truth-") as folder:
            mixes = [Mix(name, place, os.path.join(folder, str(place))) for place in range(min(PLACES, options.repeat))]
            for way, points in show(name, *measure(mixes, options), options.verbose).items():
                worst[way].append(points)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each")
    parser.add_argument("--tries", type=int, default=TRIES, help="for each, of which the shortest counts")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of the phases in each run")
    parser.add_argument("--verbose", action="store_true", help="each phase's share")
    parser.add_argument("mixes", nargs="*", metavar="MIX", help=", ".join((*MIXES, *UNTUNED)) + "; untuned: the latter")
    options = parser.parse_args()
    names = UNTUNED if options.mixes == ["untuned"] else options.mixes or MIXES
    worst = run_mixes(names, options)
    for what, of in (("worst", max), ("mean of worst", statistics.mean)):
        print(f"{what:17} " + "  ".join(f"{of(each):6.1f}{'':18}" for each in worst.values()))


if __name__ == "__main__":
    main()
