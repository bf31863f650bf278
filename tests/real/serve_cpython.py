# SPDX-License-Identifier: GPL-3.0-or-later
"""CPython's own tests of what is hard under a profiler: threads, forks, signals, descriptors.

Run by servers.py.  Tests that do not end alike in two runs of the plain build are left out.
"""

import json
import os
import resource
import sys

from real import HERE
from serving import LONG_S, Server, fc_flags, step


def limit_descriptors():
    """As at a terminal: some tests look at all up to the limit, beyond which libfc's own is."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))


def owner(path):
    status = os.stat(path)
    return status.st_uid, status.st_gid


class CPython(Server):
    package = "python3.11"
    binaries = ("python",)
    KINDS = (("profiled", "shared", False), ("shared", "shared", True))
    empty_environments = 0  # processes that a module starts so

    @staticmethod
    def make(folder, kind, log):
        step(["./configure", "CFLAGS=-O2 -g -w " + fc_flags(kind, "--cflags"),
              "LIBS=" + fc_flags(kind, "--libs")], folder, log)
        step(["make", "-j2"], folder, log)

    def check_losses(self, profile, transport):
        """As root a test of test_subprocess makes a child another user, which then closes all
        descriptors: it is cut off, as the manual says; how it ended may be seen."""
        if os.geteuid() == 0 and profile.end in ("unknown", "exit"):
            profile.losses.pop("profiling-stopped", None)
        super().check_losses(profile, transport)

    def drop_unpaired(self, counted, found):
        """What another user or group executes is not in the session of the first, as the manual
        says: the kernel names them as owners of the oracle's file.  Who is started with an
        empty environment is profiled, but without the oracle."""
        ours = (os.geteuid(), os.getegid())
        changed = 0
        for oracles in counted.values():
            others = [each for each in oracles if owner(each.path) != ours]
            changed += len(others)
            for each in others:
                oracles.remove(each)
        alone = found.keys() - counted.keys()
        self.assertLessEqual(len(alone), self.empty_environments)
        for pid in alone:
            del found[pid]
        print(f"not compared: {changed} images of another user or group, "
              f"{len(alone)} with an empty environment", file=sys.stderr, flush=True)

    def outcomes(self, run, module):
        """{test: how it ended}"""
        report = os.path.join(self.work_folder(), "report")
        words = [os.path.join(run.build, "python"), "-P",
                 os.path.join(HERE, "cpython_tests.py"), module, report]
        with open(self.path(f"{module}-{run.kind}.log"), "wb") as log:
            self.run_target(words, base=run.env, cwd=self.path("work"), timeout=LONG_S,
                            stdout=log, stderr=log, preexec_fn=limit_descriptors)
        with open(report, encoding="utf-8") as stream:
            return json.load(stream)

    def check_module(self, module, least_profiles=1):
        plain = []

        def scenario(run):
            found = self.outcomes(run, module)
            if run.kind == "plain":
                plain.extend((found, self.outcomes(run, module)))
            first, second = plain
            flaky = {name for name in {*first, *second} if first.get(name) != second.get(name)}
            if flaky and run.kind == "plain":
                print(f"{module}: left out: {sorted(flaky)}")
            return {name: outcome for name, outcome in found.items() if name not in flaky}
        self.run_kinds(scenario, least_profiles)
        self.assertGreater(len(plain[0]), 50)

    def test_threading(self):
        self.check_module("test_threading", 10)

    def test_subprocess(self):
        self.empty_environments = 2
        self.KINDS = Server.KINDS  # by pipe as well: it has most processes
        self.check_module("test_subprocess", 50)

    def test_signal(self):
        self.check_module("test_signal", 10)

    def test_os(self):
        self.check_module("test_os", 20)

    def test_multiprocessing_fork(self):
        self.check_module("test_multiprocessing_fork", 100)
