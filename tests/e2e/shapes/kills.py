#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL at random moments: the profile holds exactly the calls whose hooks had finished.

    kills.py [--long] [--kills N] [--counted] [--seed N]

The target (kill_random.c) counts before each call that it is about to call and in the
function that it was entered, in a file that outlives it: what was recorded must lie
between the two, for each function of each thread.  Without shared memory a thread may take
with it what its own buffer held, and no more."""

import argparse
import itertools
import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runner  # noqa: E402
from fctest import Case, plain_environment, processes, wait_until  # noqa: E402
import fcprofile  # noqa: E402

THREADS = (1, 3)


class Folder(Case):
    def runTest(self):
        """Not used: setUp and tearDown are called directly."""


def bounds_of(truth, threads):
    """For each thread, in the order of its calls: {function: (least, most)}"""
    rows = [{function: truth.counters[f"number:{number + 1}/{function}"][::-1]
             for function in ("leaf", "branch")} for number in range(threads)]
    return sorted((row for row in rows if row["branch"][1] > 0), key=lambda row: row["leaf"])


def first_outside(found, bounds, slack):
    for calls, bound in zip(found, bounds):
        for name, (least, most) in bound.items():
            if not least - slack <= calls[name] <= most:
                return (f"{name}: {calls[name]} calls recorded, {least} had been entered and "
                        f"{most} were begun, in a thread with {calls}")
    return None


def check(profile, truth, threads, slack):
    found = sorted(({name: thread.functions.get(name, (0,))[0] for name in ("leaf", "branch")}
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


def kill_once(case, program, transport, threads, delay, number):
    folder = runner.make_folder(case, f"{transport}-{number}")
    token = f"kill{os.getpid()}-{number}"
    env = plain_environment(TRUTH=os.path.join(folder, "truth"), FC_TRANSPORT=transport,
                            FC_DUMP_NAME=token, FC_QUIET="1")
    with subprocess.Popen([program, str(threads)], cwd=folder, env=env) as process:
        try:
            time.sleep(delay)
        finally:
            process.kill()
    option = b"--name=" + token.encode()
    wait_until(lambda: not processes(option), "the manager did not end")
    path = os.path.join(folder, token + ".fc")
    truth = runner.Truth(os.path.join(folder, "truth"))
    if not truth.counters or not os.path.exists(path):
        # killed before it had said hello, or before main
        begun = any(calling for calling, _ in truth.counters.values())
        return "no profile, but calls had been made" if begun else None
    slack = runner.BUFFER_CALLS if transport == "pipe" else 0
    return check(fcprofile.load(path), truth, threads, slack)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="1000 kills")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--counted", action="store_true",
                        help="with most calls counted, records in shared memory only")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    transports = runner.TRANSPORTS
    os.environ.setdefault("FCTEST_DETAIL", "all")
    if options.counted:
        os.environ["FCTEST_DETAIL"], transports = "eager", ("shared",)
    kills = 1000 if options.long else options.kills
    chance = random.Random(options.seed)
    case = Folder()
    case.setUp()
    failures = 0
    program = case.compile("kill_random.c", "-O1")
    for number in range(kills):
        transport = transports[number % len(transports)]
        threads = THREADS[number // 2 % len(THREADS)]
        delay = chance.choice((0.02, 0.1, 0.3)) * chance.random()
        problem = kill_once(case, program, transport, threads, delay, number)
        if problem is not None:
            failures += 1
            print(f"FAIL {transport}, {threads} threads, after {delay * 1000:.1f} ms "
                  f"({transport}-{number}): {problem}")
    print(f"{kills} kills with seed {options.seed}: {failures} failed")
    if failures:
        print(f"kept for a look: {case.folder}")
    else:
        case.tearDown()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
