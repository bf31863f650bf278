# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a shape of program (table.py) and compares what was profiled with what is true:
the oracle's counts, the program's own counters (tests/programs/truth.h), the tree of
processes, repairs and ends.

Used by shapes.py and by the transparency tests.  It must never take a difference for
an accident: whatever is not stated in the table's row is an error.
"""

import copy
import functools
import glob
import os
import re
import signal
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
import compare  # noqa: E402

ENTRY = struct.Struct("=I44sQQ")
BUFFER_CALLS = 126  # what a thread's own buffer holds without shared memory
TRANSPORTS = ("shared", "pipe")


# What FC_FILTER skips of any program; and the same with others that are counted from the start.
SKIPPED = re.compile("[a-h]").match
FILTERS = ("skip:[a-h]*", "skip:[a-h]*;count:[m-z]*")


# What FC_DEPTH leaves of any program: less than most of them need.
DEPTH = 2


class Shape:
    """A row of the table.

    name, source: the target; args: its arguments; flags: of the compiler
    compilers: it is built with each of them
    status: exit status, or minus the signal
    oracle: counts are compared with the oracle's, process by process
    processes: how many profiles there are (None: as many as the oracle saw)
    repairs: "none"; "jumped": as many frames mended as the program's counter "jumped" says;
        "some": at least one; "any": not looked at; "exits": nor are exits without entry
    pipe_may_lose: threads that may each take the rest of their buffer with them
    shared_may_lose: the same with shared memory, where there are more threads than chunks
    shared_stops: threads that can reach the manager no more, with shared memory
    callers: an arc's call site must lie in its caller
    end: (kind, value) of the first process; stack: names of the frames that were open, of the
        thread that is named first
    truth_slack: how many calls may be under way when the process ends
    check: function(run) for more
    build: function(case, shape, compiler, profiled) that makes the program
    expected_failure: {transport or "any": why}; a success is an error then
    long_args: instead of args with --long
    says: what libfc prints on standard error, although it is to be quiet
    after_inlining: columns that are others with --after-inlining; None: it is not run then
    counted: columns that are others with --counted
    other_stacks: there are calls on stacks that are not a thread's own.  What an exit after inlining is of is not
        known there: those of skipped functions are told, and are without entry
    further: arguments of the runs that are filtered, deep or after inlining, and of those beside a plain one, where
        these are for what takes long and has nothing to do with that; None: it is not filtered, deep or after inlining
    details: the report is looked at with files and lines, too
    """

    def __init__(self, name, source, args=(), **row):
        self.name, self.source, self.args = name, source, [str(word) for word in args]
        self.compilers = ("gcc",)
        self.flags = ("-O0",)
        self.env = {}
        self.status = 0
        self.oracle = True
        self.processes = None
        self.repairs = "none"
        self.pipe_may_lose = 0
        self.shared_may_lose = 0
        self.shared_stops = 0
        self.callers = True
        self.end = None
        self.stack = None
        self.truth_slack = 0
        self.check = None
        self.build = None
        self.expected_failure = {}
        self.long_args = None
        self.filter = None
        self.detail = None
        self.after_inlining = {}
        self.counted = {}
        self.other_stacks = False
        self.is_after_inlining = False
        self.transparent = True
        self.says = ""
        self.further = args
        self.details = True
        for key, value in row.items():
            if key not in self.__dict__:
                raise TypeError(f"{name}: no column {key}")
            setattr(self, key, value)
        if self.further is not None:
            self.further = [str(word) for word in self.further]

    def built_after_inlining(self):
        """The row for programs that are compiled with --after-inlining."""
        row = copy.copy(self)
        row.args, row.is_after_inlining = self.further, True
        row.__dict__.update(self.after_inlining)
        return row

    def with_counted_calls(self):
        """The row for runs in which most calls are counted."""
        row = copy.copy(self)
        row.__dict__.update(self.counted)
        row.details = False
        return row

    def filtered(self, words):
        """The row for runs with FC_FILTER: what is said of certain functions does not count.  What
        a filter does to a function is not a matter of who compiled it."""
        row = self.with_counted_calls() if "count:" in words else copy.copy(self)
        row.filter, row.check, row.compilers, row.details = words, None, self.compilers[:1], False
        row.args, row.env = self.further, {**self.env, "FC_FILTER": words}
        if "count:" in words:
            # Who calls at a site is learnt from samples, of which there may be none yet, and what
            # is counted is not on the stack; how often each site calls stays exact.
            row.repairs, row.callers, row.stack = "exits", False, None
        elif self.other_stacks and self.is_after_inlining:
            row.repairs = "exits"
        elif self.repairs not in ("none", "exits"):
            row.repairs = "any"
        if row.stack is not None:
            row.stack = [name for name in row.stack if not SKIPPED(name)]
        return row

    def with_detail(self, detail):
        """The row for runs with that FC_DETAIL, whatever FCTEST_DETAIL says."""
        row = copy.copy(self)
        row.detail = detail
        return row

    def deepened(self):
        """The row for runs with FC_DEPTH, beside which most calls are counted: here, too, it does not
        matter who compiled."""
        row = self.with_counted_calls()
        row.check, row.args, row.env = None, self.further, {**self.env, "FC_DEPTH": str(DEPTH)}
        row.compilers = self.compilers[:1]
        row.repairs, row.callers, row.stack = "exits", False, None
        return row

    def may_lose(self, transport):
        return self.pipe_may_lose if transport == "pipe" else self.shared_may_lose


class Difference(Exception):
    """What is not as it should be."""


class Truth:
    """The counters of truth.h: {name: (calling, entered)}"""

    def __init__(self, path):
        self.counters = {}
        if not os.path.exists(path):
            return
        with open(path, "rb") as stream:
            data = stream.read()
        for state, name, calling, entered in ENTRY.iter_unpack(data):
            if state:
                self.counters[name.split(b"\0", 1)[0].decode()] = (calling, entered)

    def value(self, name):
        return self.counters[name][1]


class Run:
    """What is left of one run: .done, .profiles (the first process's first), .truth"""

    def __init__(self, case, shape, program, transport):
        self.case, self.shape, self.program, self.transport = case, shape, program, transport
        self.lost = 0


def build(case, shape, compiler, profiled=True):
    if shape.build is not None:
        return shape.build(case, shape, compiler, profiled)
    tag = f"{os.path.splitext(shape.source)[0]}-{compiler}{''.join(shape.flags)}"
    output = tag.replace("/", "_") + ("" if profiled else "-plain")
    if not os.path.exists(case.path(output)):
        case.compile(shape.source, *shape.flags, compiler=compiler, profiled=profiled,
                     output=output)
    return case.path(output)


def words_of(program, shape, is_long, args=None):
    """The command, with these arguments or the row's; {folder} and {program} in them stand for its place and name."""
    args = args or (shape.long_args if is_long and shape.long_args else shape.args)
    places = {"folder": os.path.dirname(program), "program": os.path.basename(program)}
    return [program, *(word.format(**places) for word in args)]


def make_folder(case, *parts):
    folder = case.path(*parts)
    os.makedirs(folder)
    return folder


# ---- Running -------------------------------------------------------------------------


def run_oracle(case, shape, program, words, folder):
    env = {"TRUTH": os.path.join(folder, "oracle-truth"), **shape.env}
    done, files = case.run_oracle(words, env=env, cwd=folder)
    fctest.wait_until(lambda: not fctest.processes(None, os.path.realpath(program)),
                      "no end of the oracle's run")
    if files:  # those of processes that were still at work just now, too
        files = sorted(glob.glob(os.path.join(os.path.dirname(files[0]), "*")))
    if done.returncode != shape.status:
        raise Difference(f"status {done.returncode} with the oracle, not {shape.status}: "
                         f"{done.stderr.decode()}")
    return done, [compare.load_oracle(path) for path in files]


def run_profiled(case, shape, program, words, transport, folder):
    run = Run(case, shape, program, transport)
    token = f"shape{os.getpid()}-{os.path.basename(folder)}"  # others run at the same time
    truth = os.path.join(folder, "truth")
    run.done = case.run_quiet(words, cwd=folder, base=fctest.plain_environment(shape.detail), env={
        "TRUTH": truth, "FC_TRANSPORT": transport, "FC_DUMP_NAME": token, **shape.env})
    option = b"--name=" + token.encode()
    fctest.wait_until(lambda: not fctest.processes(option), "the manager did not end")
    run.truth = Truth(truth)
    paths = glob.glob(os.path.join(folder, token + ".fc*"))
    run.descriptor = os.path.join(folder, token + ".fcd")
    run.has_descriptor = run.descriptor in paths
    left = [name for name in os.listdir(folder) if name.startswith(".")]
    if left:
        raise Difference(f"temporary files are left: {left}")
    paths = sorted(path for path in paths if path != run.descriptor)
    run.profiles = [fcprofile.load(path) for path in paths]
    run.paths = paths
    pids = {profile.pid for profile in run.profiles}
    run.profiles.sort(key=lambda profile: profile.ppid in pids)
    return run


# ---- Checks ----------------------------------------------------------------------------


def check_counts(run, oracles):
    """Pairs the oracle's processes with the profiles: each must have its equal."""
    left = [compare.counts_of(profile) for profile in run.profiles]
    unmatched = []
    for oracle in oracles:
        for profile in left:
            if profile.functions == oracle.functions and \
                    not compare.differences(oracle, profile):
                left.remove(profile)
                break
        else:
            unmatched.append(oracle)
    if not unmatched and not left:
        return
    missing = 0
    lines = [f"{len(unmatched)} of {len(oracles)} processes are not as the oracle saw them, "
             f"{len(left)} profiles are left over"]
    total = lambda counts: sum(counts.functions.values())  # noqa: E731
    for oracle, profile in zip(sorted(unmatched, key=total), sorted(left, key=total)):
        missing += max(0, total(oracle) - total(profile))
        if len(lines) < 40:
            lines += compare.differences(oracle, profile)[:20]
        if total(profile) > total(oracle):
            missing += 10 ** 9
    if len(unmatched) == len(left) and \
            missing <= BUFFER_CALLS * run.shape.may_lose(run.transport):
        run.lost = missing
        return
    raise Difference("\n    ".join(lines))


def calls_of(profiles):
    calls = {}
    for profile in profiles:
        for function in profile.functions:
            calls[function.name] = calls.get(function.name, 0) + function.calls
    return calls


def calls_in_thread(profile, thread, function):
    if profile.profile_mode == "thread":  # a file for each, with nothing else in it
        return calls_of([profile]).get(function, 0)
    return thread.functions.get(function, (0,))[0]


def check_truth(run):
    calls = calls_of(run.profiles)
    for name, (calling, entered) in run.truth.counters.items():
        kind, _, rest = name.rpartition(":")
        if run.shape.filter and SKIPPED(rest.split("/")[-1]):
            if calls.get(rest.split("/")[-1], 0) != 0:
                raise Difference(f"{rest} is not skipped")
            continue
        if kind == "" and name != "jumped":
            got = calls.get(name, 0)
        elif kind == "thread":
            thread, function = rest.split("/")
            found = [calls_in_thread(p, t, function) for p in run.profiles for t in p.threads
                     if t.name == thread]
            if len(found) != 1:
                raise Difference(f"{len(found)} threads are called {thread}")
            got = found[0]
        else:
            continue
        least, most = entered, max(calling, entered) + run.shape.truth_slack
        least -= BUFFER_CALLS * run.shape.may_lose(run.transport)
        if not least <= got <= most:
            raise Difference(f"{name}: {got} calls recorded, {least} to {most} made")


def check_repairs(run):
    repairs = {}
    for profile in run.profiles:
        for kind, count in profile.repairs.items():
            repairs[kind] = repairs.get(kind, 0) + count
    unmatched = repairs.get("unmatched-exit", 0)
    mended = repairs.get("jump", 0) + repairs.get("missed-exit", 0)
    if unmatched and run.shape.repairs != "exits":
        raise Difference(f"exits without entry: {repairs}")
    if run.shape.repairs == "none" and repairs:
        raise Difference(f"mended what was whole: {repairs}")
    if run.shape.repairs == "some" and not mended:
        raise Difference("nothing was mended")
    if run.shape.repairs == "jumped":
        left = run.truth.value("jumped")
        if mended != left:
            raise Difference(f"{left} frames were left by jumps, {repairs} mended")


@functools.lru_cache(maxsize=None)
def ranges_of(path):
    """[(start, end, name)] of the functions that a file defines."""
    return sorted((offset, offset + size, name) for offset, size, kind, name in fcprofile.symbol_rows(path)
                  if size and kind in "tTwW")


def is_skipped(place):
    """Whether FC_FILTER skips the function that begins there, by one of its names."""
    path, offset = place
    if not path or not os.path.exists(path):
        return False
    raw = next((name for start, _, name in ranges_of(path) if start == offset), "")
    shown = subprocess.run(["c++filt", raw], capture_output=True, text=True,
                           env=fctest.plain_environment()).stdout if raw.startswith("_Z") else raw
    return SKIPPED(shown) is not None or SKIPPED(raw) is not None


def unskipped(oracle):
    """What is left of the oracle's counts."""
    skipped = {place for place in oracle.functions if is_skipped(place)}
    counts = compare.Counts()
    for (site, callee), calls in oracle.arcs.items():
        if callee not in skipped:
            counts.add(site, callee, calls)
    return counts


def check_callers(profile):
    """Who calls is whose code the call is in, unless that is not profiled."""
    profiled = {(function.module, function.offset) for function in profile.functions}
    for arc in profile.arcs:
        if arc.site_module is None or not os.path.exists(arc.site_module):
            continue
        for start, end, name in ranges_of(arc.site_module):
            if start < arc.site_offset <= end and (arc.site_module, start) in profiled:
                caller = (arc.caller.module, arc.caller.offset) if arc.caller else None
                if caller != (arc.site_module, start):
                    raise Difference(
                        f"{arc.callee.name} was called {arc.calls} times in {name}, but on the "
                        f"account of {arc.caller.name if arc.caller else 'nobody'}")
                break


def check_times(profile):
    """What must hold of any run's times."""
    most = profile.run_ns + 1000
    for thread in profile.threads:
        local = sum(figures[2] for figures in thread.functions.values())
        if local > thread.run_ns + 1000:
            raise Difference(f"thread {thread.tid}: {local} ns in a run of {thread.run_ns}")
        if thread.run_ns > most:
            raise Difference(f"thread {thread.tid} ran {thread.run_ns} ns of {profile.run_ns}")
    for function in profile.functions:
        if not 0 <= function.local_ns <= function.total_ns + 1000 or \
                function.total_ns > most * max(1, len(profile.threads)) or \
                function.total_min_ns > function.total_max_ns:
            raise Difference(f"times of {function.name} are impossible: {function}")


def check_end(run):
    first = run.profiles[0]
    # A parent that asks at once may leave the manager, which is none, nothing to ask: but a
    # wrong word must not be there.
    unknown = first.end == "unknown" and run.shape.status != 0
    if run.shape.end is not None and not unknown and \
            (first.end, first.end_value) != run.shape.end:
        raise Difference(f"ended by {first.end} {first.end_value}, not by {run.shape.end}")
    if run.shape.stack is not None and run.lost == 0:
        names = [frame.name for frame in first.threads[0].stack]
        if names != run.shape.stack:
            raise Difference(f"open at the end: {names}, not {run.shape.stack}")


def check_losses(run):
    losses = {}
    for profile in run.profiles:
        for kind, count in profile.losses.items():
            losses[kind] = losses.get(kind, 0) + count
    unsent = losses.pop("unsent-buffers", 0)
    stopped = losses.pop("profiling-stopped", 0)
    if run.transport == "shared" and stopped != run.shape.shared_stops:
        raise Difference(f"{stopped} threads are told to have stopped")
    if losses or unsent > run.shape.may_lose(run.transport):
        raise Difference(f"lost: {losses}, {unsent} buffers")
    if run.lost > unsent * BUFFER_CALLS:
        raise Difference(f"{run.lost} calls are missing, but only {unsent} buffers are told of")


def check_files(run, expected):
    if expected is not None and len(run.profiles) != expected:
        raise Difference(f"{len(run.profiles)} profiles, not {expected}")
    if len({profile.unique_id for profile in run.profiles}) > 1:
        raise Difference("the processes are not of one session")
    if not run.profiles:
        raise Difference("no profile")
    if len(run.profiles) > 1:
        entries = fcprofile.load_descriptor(run.descriptor)
        named = sorted(os.path.join(os.path.dirname(run.descriptor), e.file) for e in entries)
        if named != run.paths:
            raise Difference(f"the descriptor names {named}, there are {run.paths}")
    elif run.has_descriptor:
        raise Difference("a descriptor for a single profile")


def has_details(run):
    """Whether files and lines are looked up, for which fcdump may have to unpack those of the C library, and
    the stacks of those who ended well are shown: once for each program."""
    return run.shape.details and run.transport == TRANSPORTS[0]


def check_report(run, profile):
    """What the profile has of the end, the threads, repairs and losses is there to read."""
    ends = {"exit": "exited with status {}", "signal": "killed by signal {} (", "exec": "(exec)",
            "unknown": "ended in an unknown way"}
    if ends[profile.end].format(profile.end_value) not in run.report:
        raise Difference(f"the report does not say: {profile.end} {profile.end_value}")
    if len(profile.threads) > 1:
        for thread in profile.threads:
            if thread.name and f" {thread.name}\n" not in run.report:
                raise Difference(f"the report has no thread {thread.name}")
    for kind, count in [*profile.repairs.items(), *profile.losses.items()]:
        if re.search(rf"^ *{count} +{kind} ", run.report.replace(",", ""), re.M) is None:
            raise Difference(f"the report does not tell of {kind}, {count} times")
    for thread in profile.threads if has_details(run) else []:
        frames = "\n".join(f"  {i:2}  {frame.name}" for i, frame in
                           enumerate(reversed(thread.stack)))
        shown = re.sub(r", (called at|inlined).*", "", run.report)
        if frames not in shown:
            raise Difference(f"the stack at the end is not in the report:\n{frames}")


def check_dump(run):
    """fcdump reads it all."""
    path = run.descriptor if run.has_descriptor else run.paths[0]
    details = ["--details"] if has_details(run) else []
    done = run.case.run_target([fctest.tool("fcdump"), "--classic", *details, path])
    if done.returncode != 0:
        raise Difference(f"fcdump ends with {done.returncode}: {done.stderr.decode()}")
    run.report = done.stdout.decode()
    if len(run.profiles) == 1 and len(run.profiles[0].threads) < 1000:
        check_report(run, run.profiles[0])


def check(run, oracles, oracle_done):
    shape = run.shape
    if run.done.returncode != shape.status:
        raise Difference(f"status {run.done.returncode}, not {shape.status}: "
                         f"{run.done.stderr.decode()}")
    if run.done.stderr.decode() != shape.says:
        raise Difference(f"standard error: {run.done.stderr.decode()}")
    if oracle_done is not None and oracle_done.stdout != run.done.stdout:
        raise Difference(f"printed {run.done.stdout!r}, with the oracle {oracle_done.stdout!r}")
    check_files(run, shape.processes if shape.processes is not None
                else len(oracles) if oracles else None)
    if oracles:
        check_counts(run, [unskipped(oracle) for oracle in oracles] if shape.filter else oracles)
    check_truth(run)
    check_repairs(run)
    check_losses(run)
    for profile in run.profiles:
        check_times(profile)
        if shape.callers:
            check_callers(profile)
    check_end(run)
    if len(run.profiles) < 50:
        check_dump(run)
    if shape.check is not None:
        shape.check(run)


# ---- One shape --------------------------------------------------------------------------


def run_shape(case, shape, is_long=False, transports=TRANSPORTS, further=()):
    """Yields (label, None or what is wrong) for each compiler and transport, and for each of the
    `further` rows, which run the same program in other ways, with shared memory alone."""
    ways = [(transport, shape) for transport in transports]
    ways += [(f"shared {row.filter or row.detail}", row) for row in further]
    for compiler in shape.compilers:
        try:
            program = build(case, shape, compiler)
        except AssertionError as error:
            yield f"{shape.name} {compiler}", str(error)[:1500]
            continue
        words = words_of(program, shape, is_long)
        oracles, oracle_done = [], None
        label = shape.name + (f" {compiler}" if len(shape.compilers) > 1 else "")
        folder = make_folder(case, "run-" + label.replace(" ", "-"))
        if shape.oracle:
            try:
                oracle_done, oracles = run_oracle(case, shape, program, words,
                                                  make_folder(case, folder, "oracle"))
            except (Difference, AssertionError, ValueError) as error:
                yield f"{label} oracle", str(error)
                continue
        for number, (way, row) in enumerate(ways):
            problem = None
            try:
                check(run_profiled(case, row, program, words, way.split()[0],
                                   make_folder(case, folder, str(number))), oracles, oracle_done)
            except (Difference, AssertionError, LookupError, fcprofile.FormatError,
                    OSError, subprocess.TimeoutExpired) as error:
                problem = str(error) if isinstance(error, Difference) else repr(error)
            finally:
                for pid in fctest.processes(None, os.path.realpath(program)):
                    os.kill(pid, signal.SIGKILL)
            yield f"{label} {way}", problem[:1500] if problem else None


def expected_failure(shape, label):
    for key, reason in shape.expected_failure.items():
        if key == "any" or key in label.split():
            return reason
    return None
