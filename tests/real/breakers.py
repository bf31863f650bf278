#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests that stand for the programs which once broke FunctionCheck, each over both transports,
again and again while other processes keep all processors busy.

Run by hand, as it is long: `ninja -C build`, then

    tests/real/breakers.py [--times N] [--hogs M] [NAME]...

N is 20 without it, M twice the number of processors.  Prints a line for each, with how often it passed, and what the first failure said.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import time

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SHAPES = "e2e/shapes/shapes.py"
STATE = "transparency/test_state.py"
TRANSPARENT = "transparency/test_transparency.py"
FAMILY = "transparency/test_family.py"
DEATH = "e2e/program/test_death.py"

# what broke it: the script and its words, which cover both transports
BREAKERS = {
    "a handler of many records": ("transparency/test_long_handler.py",),
    "a program's own clock_gettime": ("transparency/test_own_functions.py",),
    "the counter is forbidden": ("transparency/test_no_counter.py",),
    "a subreaper": (TRANSPARENT, "Observed.test_reaper"),
    "every kind of child is waited for": (FAMILY, "Family.test_waiting_for_every_kind_of_child"),
    "a signal to all processes": (FAMILY, "Family.test_signal_to_all_processes"),
    "PID namespaces": ("e2e/program/test_namespaces.py",),
    "killed while the manager is stopped": (
        DEATH, "Death.test_killed_while_the_manager_is_stopped"),
    "ends at one time": (DEATH, "Death.test_children_that_ended_before",
                         "Death.test_children_that_end_together"),
    "mlockall": (STATE, "Limits.test_locked_memory"),
    "the auxiliary vector": (STATE, "Environment"),
    "libraries at one address": (SHAPES, "plugins-crowded", "plugins-in-turn"),
    "clone with CLONE_VM": (SHAPES, "clone-same-memory"),
    "late thread-local destructors": (SHAPES, "thread-local"),
    "signals behind the end": (TRANSPARENT, "Failures.test_signals_behind_the_end"),
    "descriptors": (TRANSPARENT, "Observed.test_descriptors", "Descriptors"),
    "a first record before libc's": ("e2e/program/test_processes.py",
                                     "Tree.test_first_record_before_libc"),
    "ends of all kinds": (SHAPES, "ends"),
    "signals at any moment": (SHAPES, "signals"),
}


def burn():
    while True:
        pass


def run_once(words):
    script = os.path.join(TESTS, words[0])
    return subprocess.run([sys.executable, script, *words[1:]], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--hogs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("names", nargs="*", choices=[[], *BREAKERS], metavar="NAME")
    options = parser.parse_args()
    hogs = [multiprocessing.Process(target=burn, daemon=True)
            for _ in range(options.hogs)]
    for hog in hogs:
        hog.start()
    failures = 0
    for name in options.names or BREAKERS:
        began = time.monotonic()
        done = [run_once(BREAKERS[name]) for _ in range(options.times)]
        failed = [each for each in done if each.returncode != 0]
        failures += len(failed)
        print(f"{name}: {len(done) - len(failed)} of {len(done)} passed, "
              f"{time.monotonic() - began:.0f} s", flush=True)
        if failed:
            print(failed[0].stdout, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
