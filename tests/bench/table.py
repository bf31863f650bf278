#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What profiling costs and how true it is, as one table with the target beside each figure.

    table.py [--repeat N] [--write] [GROUP...]

The groups: default, lean, speed, long, trace, truth, busy, sampled.  The ways of a group run in turn, several rounds, those
of ONCE but once; a figure is the median of the rounds' ratios, which hardly depend on the machine, though on what else
it does.  --write keeps the table in results/, named by date and commit, with the machine.  In `speed`, `long` and `trace` the programs of a round run on one processor, fcmanager where it likes.  Figures
of `truth` and `busy` are of medians of shares; a mix that divides its time otherwise beside others even when it is not
profiled, as threads do that wait for one another, has no target in `busy`.  On a machine with other work
FC_BENCH_REALTIME=1 has what is measured run before that (`chrt`, as root), with a pause behind each run.  It judges
nothing: a figure that misses its target is marked.
"""

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.path.insert(0, os.path.join(HERE, "..", "real"))
import bench  # noqa: E402
import fctest  # noqa: E402
import given  # noqa: E402
import programs  # noqa: E402
import sampled  # noqa: E402
import truth  # noqa: E402
import untuned  # noqa: E402

MIXES_OF_BUSY = ("machine", "middling", "text", "trees", "threads")
BUSY = 4
TRACE = 100000
ONCE = ("uftrace", "callgrind")  # one writes gigabytes, the other takes its time
LUA = os.path.join(fctest.SOURCE_ROOT, "tests", "real", "work.lua")
FLOOR = os.path.join(bench.BENCH_BUILD, "libfloor.so")


LINES = []  # of the table, for --write


def say(line):
    LINES.append(line)
    print(line, flush=True)


def row(what, figure, target=None, note=""):
    mark = "" if target is None else "" if figure <= target else "  MISSED"
    say(f"{what:58} {figure:8.2f} {'' if target is None else format(target, '8.2f'):>8}"
        f"{mark}{'  ' + note if note else ''}")


def output_of(*words):
    return subprocess.run(words, cwd=fctest.SOURCE_ROOT, check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def processor_model():
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        return next((line.split(":", 1)[1].strip() for line in stream if line.startswith("model name")),
                    os.uname().machine)


def write_results():
    """Never over a table that is there: a second one of the same day and commit gets a number."""
    commit = output_of("git", "describe", "--always", "--dirty", "--abbrev=10")
    name = os.path.join(HERE, "results", f"{time.strftime('%Y-%m-%d')}-{commit}")
    number = 1
    while True:
        path = f"{name}{'' if number == 1 else f'-{number}'}.txt"
        try:
            with open(path, "x", encoding="utf-8") as stream:
                compiler = output_of("gcc", "--version").splitlines()[0]
                stream.write(f"{commit}, {time.strftime('%Y-%m-%d')}, {os.cpu_count()} x {processor_model()}, "
                             f"Linux {os.uname().release.split('-')[0]}, {compiler}\n\n")
                stream.writelines(line + "\n" for line in LINES)
            print("written:", path)
            return
        except FileExistsError:
            number += 1


def ratio(results, one, other, of):
    """The median of the rounds' ratios; what ran less often than the other, with its rounds."""
    return statistics.median(of(a) / of(b) for a, b in zip(results[one], results[other]))


def wall(result):
    return result.wall


def cpu(result):
    return result.cpu + (result.manager_cpu or 0)


def run_in_turn(speed, ways, repeat):
    results = {name: [] for name in ways}
    for _ in range(repeat):
        speed.next_round()
        for name, run in ways.items():
            if name not in ONCE or not results[name]:
                results[name].append(run())
    return results


# ---- Speed --------------------------------------------------------------------------


def on_one_processor(speed, run):
    def together():
        speed.is_alone = False
        try:
            return run()
        finally:
            speed.is_alone = True
    return together


def show_speed(what, folder, repeat):
    speed = bench.Bench(os.path.join(folder, what))
    os.makedirs(speed.folder)
    getattr(speed, "prepare_" + what)()
    ways = {"plain": speed.run_plain, "floor": lambda: speed.run_with_library(FLOOR),
            "auto": speed.run_libfc, "all": lambda: speed.run_libfc(FC_DETAIL="all"),
            "pipe": lambda: speed.run_libfc(FC_TRANSPORT="pipe"),
            "gcc -pg": lambda: speed.run_plain("pg")}
    if "empty" in speed.programs:
        ways["hooks that only return"] = lambda: speed.run_plain("empty")
    for name in ("floor", "auto"):
        ways[name + ", one"] = on_one_processor(speed, ways[name])
    if shutil.which("uftrace"):
        ways["uftrace"] = speed.run_uftrace
    if shutil.which("valgrind"):
        ways["callgrind"] = speed.run_callgrind
    results = run_in_turn(speed, ways, repeat)
    row(f"wall, {what}, default / floor", ratio(results, "auto", "floor", wall), 0.4)
    row(f"wall, {what}, default / plain", ratio(results, "auto", "plain", wall), 5)
    row(f"wall, {what}, FC_DETAIL=all / floor", ratio(results, "all", "floor", wall), 1.15)
    row(f"CPU with the manager, {what}, default / floor", ratio(results, "auto", "floor", cpu), 0.5)
    row(f"CPU with the manager, {what}, FC_DETAIL=all / floor",
        ratio(results, "all", "floor", cpu), 1.5)
    row(f"wall, {what}, program and manager on one processor / floor",
        ratio(results, "auto, one", "floor, one", wall), 0.6)
    row(f"the manager's memory, {what}, MiB",
        max(result.manager_kib for result in results["auto"] + results["all"]) / 1024, 64)
    for name in ("hooks that only return", "floor", "pipe", "gcc -pg", "uftrace", "callgrind"):
        if name in results:
            row(f"    wall, {what}, {name} / plain", ratio(results, name, "plain", wall))


def show_start(folder, repeat):
    """What a program that does next to nothing takes longer."""
    speed = bench.Bench(os.path.join(folder, "start"))
    os.makedirs(speed.folder)
    speed.prepare_fib()
    speed.arguments = ["1"]
    results = run_in_turn(speed, {"plain": speed.run_plain, "auto": speed.run_libfc}, repeat)
    row("wall, start and end of libfc, ms",
        1000 * statistics.median(a.wall - b.wall for a, b in zip(results["auto"], results["plain"])))


def group_speed(folder, options):
    for what in ("fib", "lua"):
        show_speed(what, folder, options.repeat)
    show_start(folder, options.repeat)


def group_long(folder, options):
    """Functions of 200 ns and more: of the mix `middling`, with its shortest made longer."""
    speed = bench.Bench(folder)
    for name, flags in (("plain", []), ("profiled", fctest.fc_config("--cflags-libs")),
                        ("pg", ["-pg"])):
        speed.compile(name, os.path.join(truth.SOURCES, "middling.c"), "-DSHORT=200", *flags)
    speed.arguments = ["60"]
    results = run_in_turn(speed, {"plain": speed.run_plain, "auto": speed.run_libfc,
                                  "gcc -pg": lambda: speed.run_plain("pg")}, options.repeat)
    row("wall, functions of 200 ns and more, default / plain",
        ratio(results, "auto", "plain", wall), 1.15)
    row("    the same, gcc -pg / plain", ratio(results, "gcc -pg", "plain", wall))


def group_trace(folder, options):
    """What FC_TRACE takes beyond recording each call, which it has for a condition."""
    for what in ("fib", "lua"):
        speed = bench.Bench(os.path.join(folder, what))
        os.makedirs(speed.folder)
        getattr(speed, "prepare_" + what)()
        results = run_in_turn(speed, {"all": lambda run=speed: run.run_libfc(FC_DETAIL="all"),
                                      "trace": lambda run=speed: run.run_libfc(FC_TRACE=TRACE)}, options.repeat)
        row(f"wall, {what}, FC_TRACE={TRACE} / FC_DETAIL=all", ratio(results, "trace", "all", wall))
        row(f"CPU with the manager, {what}, FC_TRACE={TRACE} / FC_DETAIL=all",
            ratio(results, "trace", "all", cpu))


# ---- Truth ---------------------------------------------------------------------------


def group_truth(_folder, options):
    worst = truth.run_mixes(truth.MIXES, argparse.Namespace(repeat=options.repeat, tries=truth.TRIES,
                                                            rounds=truth.ROUNDS, verbose=False))
    for way, what, most in (("auto", "default", 22), ("inlined", "--after-inlining", 12),
                            ("all", "FC_DETAIL=all", None), ("all, raw", "all, --raw", None)):
        row(f"truth, {what}: points off, worst of {len(worst[way])} mixes", max(worst[way]), most)
        row(f"truth, {what}: points off, mean of each mix's worst", statistics.mean(worst[way]),
            8 if way == "auto" else None)


class Others:
    """Busy processes of the same priority as what is measured, on the same two processors, which begin stopped."""

    def __enter__(self):
        words = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)\nwhile True: pass"]
        self.all = [subprocess.Popen(["chrt", "-r", "10", *words] if bench.REALTIME else words) for _ in range(BUSY)]
        for other in self.all:
            os.waitpid(other.pid, os.WUNTRACED)
        return self

    def go_on(self):
        for other in self.all:
            other.send_signal(signal.SIGCONT)

    def stop(self):
        for other in self.all:
            other.send_signal(signal.SIGSTOP)
            os.waitpid(other.pid, os.WUNTRACED)

    def __exit__(self, *_):
        for other in self.all:
            other.kill()
            other.wait()


BUSY_ROUNDS = 200  # half a second of plain runs, of which the others take most


def shares_of(mix, phases):
    """By the profile, and by the plain program itself."""
    mix.run("hooks", BUSY_ROUNDS)
    return (truth.shares(mix.profiled("hooks", phases, "total_ns")),
            truth.shares(mix.run("plain", BUSY_ROUNDS)[0]))


def worst_difference(one, other):
    one, other = truth.medians(one), truth.medians(other)
    return max(abs(other[phase] - share) for phase, share in one.items())


def group_busy(folder, options):
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(processors)[:2])
    for name in MIXES_OF_BUSY:
        mix = truth.Mix(name, 0, os.path.join(folder, name))
        phases = mix.run("plain", 1)[0]
        alone, beside = [], []
        with Others() as others:
            for _ in range(options.repeat):
                alone.append(shares_of(mix, phases))
                others.go_on()
                beside.append(shares_of(mix, phases))
                others.stop()
        profiled, plain = (worst_difference(*([shares[way] for shares in runs] for runs in (alone, beside)))
                           for way in (0, 1))
        row(f"share of CPU beside four busy processes, {name}: points off", profiled, 3 if plain <= 3 else None,
            f"the plain program's own shares: {plain:.2f}")
    os.sched_setaffinity(0, processors)


# ---- Real programs ------------------------------------------------------------------------


def real_programs(folder, suffix=""):
    """Each as name, (plain, profiled, arguments, folder to run in); built when it is asked for, as
    kinds with the suffix."""
    def path(name):
        return os.path.join(folder, name)

    def both(name, build):
        return [build(path(f"{name}-{kind}"), kind + suffix) for kind in ("plain", "profiled")]

    def both_kept(build):
        return [programs.built(build, kind + suffix) for kind in ("plain", "profiled")]

    def write(name, text):
        with open(path(name), "w", encoding="utf-8") as stream:
            stream.write(text)
        return path(name)
    yield "lua", (*both("lua", programs.build_lua), [LUA, "10"], folder)
    bzip2 = both("bzip2", programs.build_bzip2)
    pack = ["-9", "-c", write("text", "".join(f"{i * 7919 % 10007} of {i // 3}\n"
                                              for i in range(400000)))]
    yield "bzip2", (*bzip2, pack, folder)
    with open(path("packed"), "wb") as packed:
        subprocess.run([bzip2[0], *pack], stdout=packed, check=True)
    yield "bzip2 -d", (*bzip2, ["-d", "-c", path("packed")], folder)
    multiarch = subprocess.run(["gcc", "-print-multiarch"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.strip()
    yield "tcc", (*both("tcc", programs.build_tcc),
                  ["-B.", "-Iinclude", "-I/usr/include/" + multiarch, "-I.", "-DONE_SOURCE=1", "-w",
                   "-c", "tcc.c", "-o", path("out.o")], path("tcc-profiled"))
    awk = write("work.awk", given.GAWK.replace("20000", "200000"))
    yield "gawk", (*both_kept(programs.build_gawk), ["-f", awk], folder)
    write("build.ninja", given.ninja_rules())
    yield "ninja", (*both_kept(programs.build_ninja), ["-t", "graph"], folder)


# ---- Between functions ---------------------------------------------------------------------


def show_sampled(name, folder, program, repeat):
    plain, profiled, arguments, where = program
    plain = os.path.realpath(plain)
    found = sampled.stacks_of(plain, [plain, *arguments], folder, where)
    chains = sampled.functions_at(plain, found)
    apart = []
    for _ in range(repeat):
        mine = sampled.by_profile([profiled, *arguments], folder, where)
        apart.append(sampled.points_apart(mine, sampled.by_perf(found, chains, mine)))
    _, worst, ours, theirs = sorted(apart)[len(apart) // 2]
    row(f"local times beside perf's, {name}: points apart",
        statistics.median(points for points, *_ in apart), None,
        f"most: {worst[:40]} {ours:.1f} %, perf {theirs:.1f}")


def group_sampled(folder, options):
    if not shutil.which("perf"):
        print("local times beside perf's: there is no perf here")
        return
    for name, program in real_programs(folder, "-g"):
        show_sampled(name, folder, program, options.repeat)


# ---- By default ------------------------------------------------------------------------------


def measure_default(name, folder, plain, profiled, words, repeat, way="by default"):
    """Points apart, and CPU of the program itself and with fcmanager's, beside that of the plain one."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    found = sampled.stacks_of(plain, [plain, *words], folder, folder)
    chains = sampled.functions_at(plain, found)
    apart, ratios, wholes, by_chance, in_common = [], [], [], [], []
    meter = os.path.join(folder, "meter")
    for i in range(repeat):
        here = ["taskset", "-c", str(bench.PROCESSORS[i % len(bench.PROCESSORS)])]  # the processors of a machine differ
        done, alone = bench.run_measured([*here, plain, *words], env=fctest.plain_environment(), check=False, **quiet)
        same, hooked = bench.run_measured([*here, profiled, *words], check=False, **quiet,
                                          env=bench.metered(meter, FC_DUMP_PATH=folder))
        if same.returncode != done.returncode:
            raise AssertionError(f"{name}: status {same.returncode}, plain {done.returncode}")
        ratios.append(hooked.cpu / alone.cpu)
        wholes.append((hooked.cpu + bench.read_meter(meter)[0]) / alone.cpu)
        mine = sampled.by_profile([profiled, *words], folder, folder)
        plain_shares = sampled.by_perf(found, chains, mine)
        apart.append(sampled.points_apart(mine, plain_shares))
        first, theirs_first = (sorted(of, key=of.get, reverse=True)[:3] for of in (mine, plain_shares))
        in_common.append(len(set(first) & set(theirs_first)))
        if way == "lean":
            other = sampled.stacks_of(plain, [plain, *words], folder, folder, runs=1)
            again = sampled.by_perf(other, sampled.functions_at(plain, other), mine)
            by_chance.append(sampled.points_apart(again, plain_shares)[0])
    _, worst, ours, theirs = sorted(apart)[len(apart) // 2]
    points, ratio = statistics.median(each[0] for each in apart), statistics.median(ratios)
    row(f"{way}, {name}: local times beside perf's, points", points, None,
        f"most: {worst[:40]} {ours:.1f} %, perf {theirs:.1f}")
    row(f"{way}, {name}: of perf's first three functions among ours", statistics.median(in_common), None,
        f"{', '.join(first)}; perf {', '.join(theirs_first)}"[:150])
    if by_chance:
        row(f"{way}, {name}: one run under perf beside perf's, points", statistics.median(by_chance))
    row(f"{way}, {name}: CPU of the program, of the plain one's", ratio)
    row(f"{way}, {name}: with fcmanager's", statistics.median(wholes))
    return points, ratio, statistics.median(wholes)


def measure_programs(folder, options, way, flags):
    """Programs that nothing was tuned with, with those flags, and no more than CFLAGS; points, ratios, and these with the manager."""
    given_words = untuned.arguments(folder, is_long=way == "lean")
    results = []
    for name, words in given_words.items():
        plain, profiled = (os.path.realpath(untuned.build(name, os.path.join(folder, f"{name}-{kind}"), flags_of_it))
                           for kind, flags_of_it in (("plain", []), ("profiled", flags)))
        results.append(measure_default(name, folder, plain, profiled, words, options.repeat, way))
    return zip(*results)


def group_default(folder, options):
    """With the flags that users get."""
    if not shutil.which("perf"):
        print("local times beside perf's: there is no perf here")
        return
    points, ratios, wholes = measure_programs(folder, options, "by default", fctest.fc_config("--cflags"))
    row(f"by default, mean of {len(points)} programs: points", statistics.mean(points), 14)
    row(f"by default, median of {len(ratios)} programs: CPU", statistics.median(ratios), 2.3)
    row("by default, the worst: CPU", max(ratios), 3.5)
    row("by default, median with fcmanager's", statistics.median(wholes))


def group_lean(folder, options):
    """Without hooks."""
    if not shutil.which("perf"):
        print("local times beside perf's: there is no perf here")
        return
    points, ratios, wholes = measure_programs(folder, options, "lean", fctest.fc_config("--cflags", "--lean"))
    row(f"lean, mean of {len(points)} programs: points", statistics.mean(points))
    row(f"lean, median of {len(ratios)} programs: CPU", statistics.median(ratios), 1.05)
    row("lean, the worst: CPU", max(ratios), 1.15)
    row("lean, median with fcmanager's", statistics.median(wholes), 1.05)
    row("lean, the worst with fcmanager's", max(wholes), 1.15)


GROUPS = {"default": group_default, "lean": group_lean, "speed": group_speed, "long": group_long, "trace": group_trace, "truth": group_truth, "busy": group_busy,
          "sampled": group_sampled}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--repeat", type=int, default=5, help="rounds")
    parser.add_argument("--write", action="store_true", help="keep the table in tests/bench/results/")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    options = parser.parse_args()
    say(f"median of {options.repeat} rounds{', real-time priority' if bench.REALTIME else ''}; "
        f"load average {os.getloadavg()[0]:.1f}")
    say(f"{'':58} {'figure':>8} {'target':>8}")
    for name in options.groups or GROUPS:
        with tempfile.TemporaryDirectory(prefix="fc-bench-") as folder:
            GROUPS[name](folder, options)
    if options.write:
        write_results()


if __name__ == "__main__":
    main()
