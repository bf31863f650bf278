# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to run a program that the benchmarks compare: plain, with the floor (floor.c), with libfc
in its modes, with other tools; and how long a run took.

Used by table.py, truth.py and heap.py.  Programs that are measured run with real-time priority where
FC_BENCH_REALTIME is set, so that on a machine with other work they find an idle processor; behind
each such run there is a pause, for that other work.
"""

import os
import resource
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "real"))
import fctest  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH_BUILD = os.path.join(fctest.BUILD_ROOT, "tests", "bench")
REALTIME = os.environ.get("FC_BENCH_REALTIME")
PROCESSORS = sorted(os.sched_getaffinity(0))
ALL_PROCESSORS = ",".join(map(str, PROCESSORS))


class Result:
    """Of one run: seconds, KiB."""

    def __init__(self, wall, cpu, manager_cpu=None, manager_kib=None):
        self.wall = wall
        self.cpu = cpu
        self.manager_cpu = manager_cpu
        self.manager_kib = manager_kib


def run_measured(words, **others):
    """As subprocess.run; what it gives, and the Result."""
    if REALTIME:
        words = ["chrt", "-r", "10", *words]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(words, **others)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if REALTIME:
        time.sleep(min(wall, 1))
    return done, Result(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def metered(out, processors=ALL_PROCESSORS, **env):
    """The environment of a program whose manager's figures go to the file `out`."""
    return fctest.plain_environment(FC_QUIET="1", FC_MANAGER=os.path.join(BENCH_BUILD, "meter"), METER_MANAGER=fctest.tool("fcmanager"),
                                    METER_OUT=out, METER_PROCESSORS=processors, **env)


def read_meter(out):
    """Its CPU in seconds, and its memory in KiB."""
    fctest.wait_until(lambda: os.path.exists(out), "the manager's figures were not written")
    with open(out, encoding="utf-8") as stream:
        cpu, kib = stream.read().split()
    os.unlink(out)
    return float(cpu), int(kib)


class Bench:
    """From next_round() on all programs run on the round's processor, fcmanager where it likes: the
    processors of a machine may differ by a third for minutes, where other guests use the other
    halves of their cores."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = {}
        self.arguments = []
        self.rounds = 0
        self.processors = ALL_PROCESSORS
        self.is_alone = True  # or fcmanager runs on the program's, too

    def next_round(self):
        self.processors = str(PROCESSORS[self.rounds % len(PROCESSORS)])
        self.rounds += 1

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, name, source, *flags):
        output = self.path(name)
        subprocess.run(["gcc", "-O2", "-g", "-o", output, source, *flags], check=True)
        self.programs[name] = output

    def prepare_fib(self):
        source = os.path.join(HERE, "fib.c")
        self.compile("plain", source)
        self.compile("profiled", source, *fctest.fc_config("--cflags-libs"))
        self.compile("pg", source, "-pg")
        self.compile("empty", source, os.path.join(HERE, "empty.c"), "-finstrument-functions")
        # the plain program takes 75 ms: of 30 the start of libfc and its manager, 6 ms, was a fifth
        self.arguments = ["37"]

    def prepare_lua(self):
        import programs
        for name, kind in (("plain", "plain"), ("profiled", "profiled"), ("pg", "gprof")):
            self.programs[name] = programs.build_lua(self.path(name), kind)
        self.arguments = [os.path.join(fctest.SOURCE_ROOT, "tests", "real", "work.lua"),
                          "20"]

    def timed(self, words, env, processors=None):
        return run_measured(["taskset", "-c", processors or self.processors, *words], env=env,
                            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, check=False)[1]

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
        result = self.timed([self.programs["profiled"], *self.arguments],
                            metered(out, ALL_PROCESSORS if self.is_alone else self.processors, **env))
        result.manager_cpu, result.manager_kib = read_meter(out)
        return result

    def run_uftrace(self):
        """With the hooks that it has of its own: those of modules call no others.  It has several
        threads."""
        return self.timed(["uftrace", "record", "-d", self.path("uftrace.data"),
                           self.programs["pg"], *self.arguments], fctest.plain_environment(),
                          ALL_PROCESSORS)

    def run_callgrind(self):
        return self.timed(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           self.programs["plain"], *self.arguments], fctest.plain_environment())


def best(results):
    """The fastest run; the manager's memory is the largest seen."""
    result = min(results, key=lambda result: result.wall)
    kib = [each.manager_kib for each in results if each.manager_kib is not None]
    result.manager_kib = max(kib) if kib else None
    return result
