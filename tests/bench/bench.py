#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What profiling costs, as a ratio to the floor (floor.c) run beside it.

    bench.py fib|lua [--repeat N] [--size N]

All ways run in turn, several rounds; the fastest of each is printed: wall and CPU
time of the program, CPU time and peak memory of the manager.  It prints, and
judges nothing: what a loaded machine shows is no failure.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "real"))
import fctest  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH_BUILD = os.path.join(fctest.BUILD_ROOT, "tests", "bench")
MANAGER_LIMIT_KIB = 64 * 1024
ONCE = ("uftrace", "callgrind")  # one writes gigabytes, the other takes its time


class Result:
    """Of one run: seconds, KiB."""

    def __init__(self, wall, cpu, manager_cpu=None, manager_kib=None):
        self.wall = wall
        self.cpu = cpu
        self.manager_cpu = manager_cpu
        self.manager_kib = manager_kib


class Bench:
    def __init__(self, folder):
        self.folder = folder
        self.programs = {}
        self.arguments = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, name, source, *flags):
        output = self.path(name)
        subprocess.run(["gcc", "-O2", "-g", "-o", output, source, *flags], check=True)
        self.programs[name] = output

    def prepare_fib(self, size):
        source = os.path.join(HERE, "fib.c")
        self.compile("plain", source)
        self.compile("profiled", source, *fctest.fc_config("--cflags-libs"))
        self.compile("pg", source, "-pg")
        self.arguments = [str(size or 35)]

    def prepare_lua(self, size):
        import programs
        for name, kind in (("plain", "plain"), ("profiled", "profiled"), ("pg", "gprof")):
            self.programs[name] = programs.build_lua(self.path(name), kind)
        self.arguments = [os.path.join(fctest.SOURCE_ROOT, "tests", "real", "work.lua"),
                          str(size or 20)]

    def timed(self, words, env):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        subprocess.run(words, env=env, cwd=self.folder, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        wall = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Result(wall, cpu)

    def run_plain(self, name="plain"):
        return self.timed([self.programs[name], *self.arguments], fctest.plain_environment())

    def run_with_library(self, library):
        program = self.programs["profiled"]
        folder = fctest.stand_in_folder(program, library,
                                        self.path(os.path.basename(library) + ".d"))
        return self.timed([program, *self.arguments],
                          fctest.plain_environment(LD_LIBRARY_PATH=folder))

    def run_libfc(self, **env):
        out = self.path("meter")
        result = self.timed([self.programs["profiled"], *self.arguments], fctest.plain_environment(
            FC_QUIET="1", FC_MANAGER=os.path.join(BENCH_BUILD, "meter"),
            METER_MANAGER=fctest.tool("fcmanager"), METER_OUT=out, **env))
        fctest.wait_until(lambda: os.path.exists(out), "the manager's figures were not written")
        with open(out, encoding="utf-8") as stream:
            cpu, kib = stream.read().split()
        os.unlink(out)
        result.manager_cpu, result.manager_kib = float(cpu), int(kib)
        return result

    def run_uftrace(self):
        # Its hooks come before libfc's, which is to stay out of it.
        return self.timed(["uftrace", "record", "-d", self.path("uftrace.data"),
                           self.programs["profiled"], *self.arguments],
                          fctest.plain_environment(FC_QUIET="1", FC_MANAGER="/nonexistent"))

    def run_callgrind(self):
        return self.timed(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           self.programs["plain"], *self.arguments], fctest.plain_environment())

    def ways(self):
        ways = {
            "plain": self.run_plain,
            "floor": lambda: self.run_with_library(os.path.join(BENCH_BUILD, "libfloor.so")),
            "libfc": self.run_libfc,
            "libfc, pipe": lambda: self.run_libfc(FC_TRANSPORT="pipe"),
            "libfc, all": lambda: self.run_libfc(FC_DETAIL="all"),
            "libfc, trace": lambda: self.run_libfc(FC_TRACE="100000"),
        }
        if "pg" in self.programs:
            ways["gcc -pg"] = lambda: self.run_plain("pg")
        if shutil.which("uftrace"):
            ways["uftrace"] = self.run_uftrace
        if shutil.which("valgrind"):
            ways["callgrind"] = self.run_callgrind
        return ways


def best(results):
    """The fastest run; the manager's memory is the largest seen."""
    result = min(results, key=lambda result: result.wall)
    kib = [each.manager_kib for each in results if each.manager_kib is not None]
    result.manager_kib = max(kib) if kib else None
    return result


def show(name, result, floor):
    cells = [f"{name:12}", f"{result.wall:8.3f}", f"{result.wall / floor.wall:7.2f}",
             f"{result.cpu:8.3f}"]
    if result.manager_cpu is not None:
        total = result.cpu + result.manager_cpu
        cells += [f"{result.manager_cpu:8.3f}", f"{total / floor.cpu:7.2f}",
                  f"{result.manager_kib / 1024:8.1f}"]
        if result.manager_kib > MANAGER_LIMIT_KIB:
            cells.append("  above the 64 MiB that it may have")
    print(" ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("what", choices=("fib", "lua"))
    parser.add_argument("--repeat", type=int, default=5, help="rounds")
    parser.add_argument("--size", type=int, help="of the work: fib's argument, the script's")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="fc-bench-")
    try:
        bench = Bench(folder)
        getattr(bench, "prepare_" + options.what)(options.size)
        ways = bench.ways()
        results = {name: [] for name in ways}
        for _ in range(options.repeat):
            for name, run in ways.items():
                if name in ONCE and results[name]:
                    continue
                results[name].append(run())
        floor = best(results["floor"])
        print(f"{options.what} {' '.join(map(os.path.basename, bench.arguments))}: the fastest "
              f"of {options.repeat}; seconds; /floor: ratio to the floor's\n"
              f"{'':12} {'wall':>8} {'/floor':>7} {'cpu':>8} {'mng cpu':>8} {'/floor':>7} "
              f"{'mng MiB':>8}")
        for name in ways:
            show(name, best(results[name]), floor)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
