# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of real programs share: comparison with the oracle and with plain
runs, what must hold of the times, and the word for sources that can't be had.

Imported by the test scripts of this folder.
"""

import collections
import glob
import hashlib
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
import gprofread  # noqa: E402
import compare  # noqa: E402
import programs  # noqa: E402
import sources  # noqa: E402

TRANSPORTS = ("shared", "pipe")
SKIPPED = 77


class RealProgram(fctest.Case):
    def wait_for_managers(self, option):
        fctest.wait_until(lambda: not fctest.processes(option.encode()), "a manager did not end")

    def write_text(self, name, least_bytes):
        """A file of random words that can be packed to less than its half."""
        generator = random.Random(1)
        words = [generator.randbytes(generator.randrange(2, 9)).hex() for _ in range(3000)]
        with open(self.path(name), "w", encoding="utf-8") as stream:
            while stream.tell() < least_bytes:
                stream.write(" ".join(generator.choices(words, k=200)) + "\n")
        return self.path(name)

    def same(self, found, expected):
        """Of two runs: status and all that was printed."""
        self.assertEqual(
            (found.returncode, hashlib.sha256(found.stdout).hexdigest(), found.stderr),
            (expected.returncode, hashlib.sha256(expected.stdout).hexdigest(), expected.stderr))

    def check_times(self, profile):
        """In the main thread local times add up to its run, but for the time that it waited for the manager, and
        that for which it was preempted between two functions (before main, or behind it); nothing is longer than
        what it is a part of."""
        main = profile.threads[0]
        self.assertGreater(main.run_ns, 0)
        missing = main.run_ns - main.raw_local_ns - main.manager_ns
        about = 0.01 * main.run_ns
        self.assertTrue(-about <= missing <= about + main.preempted_ns,
                        f"local times add up to {main.raw_local_ns} ns, {main.manager_ns} ns were the manager's, the "
                        f"main thread ran {main.run_ns} ns, and was preempted for {main.preempted_ns}")
        self.check_bounds(profile)

    def check_bounds(self, profile):
        for thread in profile.threads:
            self.assertLessEqual(thread.local_ns, thread.run_ns + 1000, thread)
            self.assertLessEqual(thread.run_ns, profile.run_ns + 1000, thread)
        for function in profile.functions:
            self.assertLessEqual(function.local_ns, function.total_ns, function.name)
            self.assertLessEqual(function.total_ns, profile.run_ns * len(profile.threads),
                                 function.name)
        self.assertEqual(profile.losses, {})

    def may_miss(self, profile):
        """How many calls the oracle may have counted that were not recorded."""
        del profile
        return 0

    def drop_unpaired(self, counted, found):
        """Takes out of both, {pid: [counts]}, the images that the manual says have no partner."""

    def check_pairs(self, oracle_files, profiles):
        """Each image of each process has one of the loaded profiles with its counts, and none
        is left over; gives the number of calls.  Who made no call needs no profile."""
        counted = collections.defaultdict(list)
        for path in filter(compare.is_begun, oracle_files):
            counts = compare.load_oracle(path)
            if counts.functions:
                counts.path = path
                pid = int(re.search(r"\.(\d+)(\.\d+)?$", path).group(1))
                counted[pid].append(counts)
        found, silent = collections.defaultdict(list), collections.defaultdict(list)
        for profile in profiles:
            counts = compare.counts_of(profile)
            counts.may_miss = self.may_miss(profile)
            if counts.functions:
                found[profile.pid].append(counts)
            elif counts.may_miss:  # of a few calls none may have been sent
                silent[profile.pid].append(counts)
        self.drop_unpaired(counted, found)
        for pid, oracles in counted.items():
            while silent[pid] and len(found[pid]) < len(oracles):
                found[pid].append(silent[pid].pop())
        numbers = {pid: (len(counted[pid]), len(found[pid])) for pid in {*counted, *found}}
        self.assertEqual({pid: pair for pid, pair in numbers.items() if pair[0] != pair[1]}, {},
                         "images of processes by the oracle, and profiles")
        calls = 0
        for pid, oracles in counted.items():
            for oracle in oracles:
                calls += sum(oracle.functions.values())
                differing = [compare.differences(oracle, profile) for profile in found[pid]]
                best = min(differing, key=len)
                profile = found[pid].pop(differing.index(best))
                missed = sum(oracle.functions.values()) - sum(profile.functions.values())
                # a missed call is missed by its function and by its arc
                self.assertTrue(0 <= missed <= profile.may_miss and len(best) <= 2 * missed,
                                f"process {pid} differs from the oracle's:\n" +
                                "\n".join(best[:40]))
        return calls

    def profile_tree(self, words, name, **options):
        """Profiles a tree of processes beside the oracle, into files of that name in a
        folder of its own.  Gives what is left of the run, the oracle's files, the profiles
        and the descriptor's path."""
        folder = self.path(name)
        os.makedirs(folder)
        env = {"FC_CHILDREN": "apart", "FC_DUMP_PATH": folder, "FC_DUMP_NAME": name, **options.pop("env", {})}
        done = self.run_beside_oracle(words, os.path.join(folder, "oracle"), env=env, **options)
        self.wait_for_managers("--directory=" + folder)
        self.assertEqual([each for each in os.listdir(folder) if each.startswith(".")], [])
        descriptor = os.path.join(folder, name + ".fcd")
        profiles = set(glob.glob(os.path.join(folder, name + ".fc*"))) - {descriptor}
        return (done, sorted(glob.glob(os.path.join(folder, "oracle.*"))), sorted(profiles),
                descriptor)


def main(*packages):
    """Runs the script's tests; or none, with a word why, where a source package is
    neither there nor to be fetched."""
    try:
        for package in packages:
            programs.source(package)
    except sources.SourceError as error:
        print(f"skipped: the source of a real program can't be had: {error}")
        sys.exit(SKIPPED)
    fctest.main()
