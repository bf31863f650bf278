# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what was profiled of a run (runner.py) with what is true: the oracle's counts, the program's own counters
(tests/programs/truth.h), the tree of processes, repairs and ends.

It must never take a difference for an accident: whatever is not stated in the shape's row (rows.py) is an error.
"""

import collections
import functools
import os
import re
import struct
import subprocess

import compare
import fcprofile
import fctest
from rows import BUFFER_CALLS, SKIPPED, TRANSPORTS

# What qemu's user mode says itself when a signal ends the program.
EMULATOR = re.compile(r"^qemu: uncaught target signal .*\n", re.MULTILINE)

ENTRY = struct.Struct("=I44sQQ")


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


def sum_notes(notes):
    """Of all profiles of a run: {kind: how many}."""
    found = collections.Counter()
    for each in notes:
        found.update(each)
    return dict(found)


def check_repairs(run):
    repairs = sum_notes(profile.repairs for profile in run.profiles)
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
    losses = sum_notes(profile.losses for profile in run.profiles)
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
    said = EMULATOR.sub("", run.done.stderr.decode())
    if said != shape.says:
        raise Difference(f"standard error: {said}")
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
