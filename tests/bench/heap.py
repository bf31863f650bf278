#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What profiling memory costs: pairs.c with libfc, heaptrack, memcheck and AddressSanitizer.

    heap.py [--repeat N] [--pairs N]

All ways run in turn, several rounds; of each the fastest is printed, the time that it adds to
the plain program's, and that as a ratio to what heaptrack adds.  Then the manager's memory
for ever more pairs.  It prints, and judges nothing: what a loaded machine shows is no
failure.
"""

import argparse
import os
import shutil
import tempfile

import bench
import fctest

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS = 2000000


class HeapBench(bench.Bench):
    def prepare(self, pairs):
        source = os.path.join(HERE, "pairs.c")
        self.compile("plain", source)
        # `linked`: the allocator's calls alone; `profiled`: the functions' as well
        self.compile("linked", source, *fctest.fc_config("--libs"))
        self.compile("profiled", source, *fctest.fc_config("--cflags-libs"))
        self.compile("asan", source, "-fsanitize=address")
        self.arguments = [str(pairs)]

    def run_with(self, name, **env):
        saved = self.programs["profiled"]
        self.programs["profiled"] = self.programs[name]
        try:
            return self.run_libfc(**env)
        finally:
            self.programs["profiled"] = saved

    def run_tool(self, *words):
        return self.timed([*words, self.programs["plain"], *self.arguments],
                          fctest.plain_environment())

    def ways(self):
        ways = {
            "plain": self.run_plain,
            "libfc, off": lambda: self.run_with("linked"),
            "FC_MEMORY": lambda: self.run_with("linked", FC_MEMORY="1"),
            "calls": lambda: self.run_with("profiled"),
            "calls, FC_MEMORY": lambda: self.run_with("profiled", FC_MEMORY="1"),
            "FC_MEMORY_UNWIND": lambda: self.run_with("linked", FC_MEMORY="1",
                                                      FC_MEMORY_UNWIND="1"),
            "AddressSanitizer": lambda: self.run_plain("asan"),
        }
        if shutil.which("heaptrack"):
            ways["heaptrack"] = lambda: self.run_tool("heaptrack", "-o", self.path("heaptrack"))
        if shutil.which("valgrind"):
            ways["memcheck"] = lambda: self.run_tool("valgrind")
        return ways


def cpu_of(run):
    return run.cpu + (run.manager_cpu or 0)


def show(results, pairs, repeat):
    walls = {name: bench.best(runs).wall for name, runs in results.items()}
    cpus = {name: min(map(cpu_of, runs)) for name, runs in results.items()}
    print(f"{pairs} pairs of malloc and free: the fastest of {repeat}; seconds, of all processes; "
          f"/heaptrack: what it adds, as a ratio to what heaptrack does\n"
          f"{'':18} {'wall':>8} {'added':>8} {'/heaptrack':>10} {'cpu':>8} {'added':>8} "
          f"{'/heaptrack':>10}")
    for name in walls:
        cells = [f"{name:18}"]
        for times in (walls, cpus):
            added = times[name] - times["plain"]
            base = times.get("heaptrack", 0) - times["plain"]
            cells.append(f"{times[name]:8.3f} {added:8.3f} " +
                         (f"{added / base:10.2f}" if base > 0 else ""))
        print(" ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--repeat", type=int, default=5, help="rounds")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="fc-bench-")
    try:
        heap = HeapBench(folder)
        heap.prepare(options.pairs)
        ways = heap.ways()
        results = {name: [] for name in ways}
        for number in range(options.repeat):
            for name, run in ways.items():
                if name in ("memcheck", "AddressSanitizer") and number > 1:
                    continue  # they take seconds
                results[name].append(run())
        show(results, options.pairs, options.repeat)
        for factor in (1, 4, 16):
            heap.arguments = [str(factor * options.pairs)]
            result = heap.run_with("linked", FC_MEMORY="1")
            print(f"the manager after {factor * options.pairs} pairs: "
                  f"{result.manager_kib / 1024:.1f} MiB", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
