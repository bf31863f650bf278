#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL at random moments: the profile holds exactly the calls whose hooks had finished.

    kills.py [--long] [--kills N] [--counted] [--after-inlining] [--lean] [--seed N] [--jobs N]

The target (kill_random.c) counts before each call that it is about to call and in the
function that it was entered, in a file that outlives it: what was recorded must lie
between the two, for each function of each thread.  As a thread calls one function at a
time, the two are alike but for at most one call of one function: that which was under way
when the kill came.  Without shared memory a thread may take with it what its own buffer
held, and no more.

With --counted calls are counted that prove short, in half of the runs most of them and
after a few calls (FC_TEST_EAGER)."""

import argparse
import concurrent.futures
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runner  # noqa: E402
from checks import Truth  # noqa: E402
from rows import BUFFER_CALLS, TRANSPORTS  # noqa: E402
from fctest import Case, is_written, plain_environment, processes, wait_until  # noqa: E402
import fcprofile  # noqa: E402

THREADS = (1, 3)
FUNCTIONS = ("leaf", "branch", "nest")
PATIENCE_S = 20  # for calls, which over the pipe are slow where many processes are ready to run


class Folder(Case):
    def runTest(self):
        """Not used: setUp and tearDown are called directly."""


def bounds_of(truth, threads):
    """For each thread, in the order of its calls: {function: (least, most)}"""
    rows = [{function: truth.counters.get(f"number:{number + 1}/{function}", (0, 0))[::-1]
             for function in FUNCTIONS} for number in range(threads)]
    return sorted((row for row in rows if row["branch"][1] > 0), key=lambda row: row["leaf"])


def first_outside(found, bounds, slack):
    for calls, bound in zip(found, bounds):
        for name, (least, most) in bound.items():
            if not least - slack <= calls[name] <= most:
                return (f"{name}: {calls[name]} calls recorded, {least} had been entered and "
                        f"{most} were begun, in a thread with {calls}")
    return None


def check(profile, truth, threads, slack):
    found = sorted(({name: thread.functions.get(name, (0,))[0] for name in FUNCTIONS}
                    for thread in profile.threads), key=lambda row: row["leaf"])
    found = [row for row in found if row["branch"] > 0]
    bounds = bounds_of(truth, threads)
    if len(found) > len(bounds) or (slack == 0 and len(found) < len(
            [row for row in bounds if row["branch"][0] > 0])):
        return f"{len(found)} threads, {len(bounds)} worked"
    # All threads make the same calls, and wait for the manager at about the same one: which of them
    # a row is of can't be told by a number alone.
    problems = [first_outside(found, order, slack)
                for order in itertools.permutations(bounds, len(found))]
    if None not in problems:
        return problems[0]
    if slack == 0 and profile.losses:
        return f"lost: {profile.losses}"
    if (profile.end, profile.end_value) not in (("signal", signal.SIGKILL), ("unknown", 0)):
        return f"ended by {profile.end} {profile.end_value}"
    return None


class Kill:
    """One of them: its number says how, `chance` when."""

    def __init__(self, number, options, chance):
        self.number = number
        self.transport = "shared" if options.lean else TRANSPORTS[number % 2]
        self.threads = THREADS[number // 2 % 2]
        self.detail = ("eager", "auto")[number // 4 % 2] if options.counted else ("short", "all")[number // 4 % 2]
        self.delay = chance.choice((0.02, 0.1, 0.3)) * chance.random()
        # or once its first thread has made so many calls, of which the last ones are counted
        self.calls = chance.randrange(10000, 200000) if number // 8 % 2 else None
        self.is_reached = False  # those calls were made
        self.counts = False  # whether the profile has counted calls
        self.problem = None

    def __str__(self):
        return (f"{self.transport}-{self.number}, {self.detail}, {self.threads} threads, "
                f"after {self.calls or f'{self.delay * 1000:.1f} ms'}")

    def wait(self, truth):
        """Until it is time, on a busy machine also where not all the calls were made."""
        if self.calls is None:
            time.sleep(self.delay)
            return
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if Truth(truth).counters.get("number:1/branch", (0, 0))[0] >= self.calls:
                self.is_reached = True
                return
            time.sleep(0.01)

    def run(self, case, program):
        try:
            self.problem = kill_once(case, program, self)
        except Exception as error:  # told like what is wrong with a profile
            self.problem = repr(error)


def has_counted(path):
    with open(path, encoding="utf-8") as stream:
        return any(re.match(r"section counted \d+ [1-9]", line) for line in stream)


def kill_once(case, program, kill):
    transport = kill.transport
    folder = runner.make_folder(case, f"{transport}-{kill.number}")
    token = f"kill{os.getpid()}-{kill.number}"
    env = plain_environment(detail=kill.detail, TRUTH=os.path.join(folder, "truth"),
                            FC_TRANSPORT=transport, FC_DUMP_NAME=token, FC_QUIET="1")
    with subprocess.Popen([program, str(kill.threads)], cwd=folder, env=env) as process:
        try:
            kill.wait(os.path.join(folder, "truth"))
        finally:
            process.kill()
    option = b"--name=" + token.encode()
    path = os.path.join(folder, token + ".fc")
    wait_until(lambda: is_written(path) or not processes(option), "the manager did not end")
    truth = Truth(os.path.join(folder, "truth"))
    if not truth.counters or not os.path.exists(path):
        # killed before it had said hello, or before main
        begun = any(calling for calling, _ in truth.counters.values())
        return "no profile, but calls had been made" if begun else None
    kill.counts = has_counted(path)
    if kill.is_reached and not kill.counts and (transport, kill.detail) == ("shared", "eager"):
        return "nothing was counted"
    slack = BUFFER_CALLS if transport == "pipe" else 0
    return check(fcprofile.load(path), truth, kill.threads, slack)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="1000 kills")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--counted", action="store_true",
                        help="with most calls counted")
    parser.add_argument("--after-inlining", action="store_true",
                        help="with the flags of that name")
    parser.add_argument("--lean", action="store_true",
                        help="with the flags of that name, in shared memory")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=4, help="so many at a time")
    options = parser.parse_args()
    kills = 1000 if options.long else options.kills
    chance = random.Random(options.seed)
    case = Folder()
    case.config = ["--lean"] if options.lean else ["--after-inlining"] if options.after_inlining else ["--every-function"]
    case.setUp()
    program = case.compile("kill_random.c", "-O1", "-fno-inline")
    all_kills = [Kill(number, options, chance) for number in range(kills)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda kill: kill.run(case, program), all_kills))
    failures = [kill for kill in all_kills if kill.problem]
    for kill in failures:
        print(f"FAIL {kill}: {kill.problem}")
    print(f"{kills} kills with seed {options.seed}: {len(failures)} failed, "
          f"{sum(kill.counts for kill in all_kills)} with counted calls")
    if failures:
        print(f"kept for a look: {case.folder}")
    else:
        case.tearDown()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
