# SPDX-License-Identifier: GPL-3.0-or-later
"""What the runs of real servers share: builds, plain and profiled, that are kept between
runs; a scenario that is run with the plain build, with the profiled one as a user has it, and
beside the oracle over each transport; and what must hold of all of them.

Imported by servers.py and its parts.  Whatever a scenario starts is ended by it, and what
listens does so in its own folder.
"""

import fcntl
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

from real import TRANSPORTS, RealProgram, fcprofile, fctest
from programs import source

LONG_S = 3600  # for a build, or a server's own tests
WORK = os.environ.get("FCTEST_SERVERS") or os.path.join(fctest.BUILD_ROOT, "servers")
PREFIX = os.path.join(WORK, "prefix")
ORACLE = os.path.join(WORK, "prefix", "liboracle.so")
KILLED = ("signal", "unknown")
# Of a thread, while the one that ends the process waits for the profile: CPython's makes some five
# each 5 ms where it waits for the interpreter, and a busy machine takes its time.
OVERTAKEN_CALLS = 1000
UNSENT_RECORDS = 126  # what a killed thread takes with it, without shared memory


def install_prefix():
    """Our own copy of the staged tree, which those who are not root can reach as well.
    Gives a lock to keep: no other run may exchange it."""
    os.makedirs(WORK, exist_ok=True)
    lock = open(os.path.join(WORK, "lock"), "w", encoding="utf-8")
    fcntl.flock(lock, fcntl.LOCK_EX)
    shutil.rmtree(PREFIX + ".new", ignore_errors=True)
    shutil.copytree(fctest.PREFIX, PREFIX + ".new", symlinks=True)
    shutil.rmtree(PREFIX, ignore_errors=True)
    os.rename(PREFIX + ".new", PREFIX)
    shutil.copy(fctest.ORACLE, ORACLE)
    return lock


def fc_flags(kind, *actions):
    """The flags as the one word that make and configure are given."""
    return shlex.join(fctest.fc_config(*actions, bindir=os.path.join(PREFIX, "bin"))) \
        if kind == "profiled" else ""


def step(words, folder, log, wrap=(), **env):
    """A command of a build."""
    with open(log, "a", encoding="utf-8") as stream:
        stream.write(f"$ {shlex.join(words)}\n")
        stream.flush()
        # what is run while it is built leaves its profiles where nobody looks
        env = fctest.plain_environment(FC_QUIET="1", FC_DUMP_PATH=os.path.join(folder, ".fc"),
                                       **env)
        os.makedirs(os.path.join(folder, ".fc"), mode=0o777, exist_ok=True)
        os.chmod(os.path.join(folder, ".fc"), 0o777)
        done = subprocess.run([*wrap, *words], stdout=stream, stderr=stream, cwd=folder, env=env,
                              stdin=subprocess.DEVNULL, timeout=LONG_S, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(words)} failed: see {log}")


class Run:
    """One run of a scenario: its kind, what to start from, with which environment."""

    def __init__(self, kind, build, env):
        self.kind = kind
        self.build = build  # folder of the build
        self.env = env


class Server(RealProgram):
    package = None
    binaries = ()  # in the folder of the build: none of them may be left running
    # (name, transport, beside the oracle): the first as a user profiles it
    KINDS = (("profiled", "shared", False),
             *((transport, transport, True) for transport in TRANSPORTS))

    @staticmethod
    def make(folder, kind, log):
        """Builds what is in `folder`, a copy of the source."""
        raise NotImplementedError

    @classmethod
    def build(cls, kind):
        folder = os.path.join(WORK, f"{cls.__name__.lower()}-{kind}")
        done = os.path.join(folder, ".built")
        if not os.path.exists(done):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(source(cls.package), folder, symlinks=True)
            log = folder + ".log"
            if os.path.exists(log):
                os.unlink(log)
            print(f"building {folder}", file=sys.stderr, flush=True)
            cls.make(folder, kind, log)
            with open(done, "w", encoding="utf-8"):
                pass
        return folder

    @classmethod
    def setUpClass(cls):
        cls.builds = {kind: cls.build(kind) for kind in ("plain", "profiled")}

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.addCleanup(self.end_all)

    def programs_of(self, build):
        """Pids of what still runs of a build."""
        return [pid for binary in self.binaries
                for pid in fctest.processes(None, link=os.path.join(self.builds[build], binary))]

    def end_all(self):
        for build in self.builds:
            for pid in self.programs_of(build):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def work_folder(self):
        """An empty one, of the same name for each run."""
        shutil.rmtree(self.path("work"), ignore_errors=True)
        os.mkdir(self.path("work"))
        return self.path("work")

    def run_kinds(self, scenario, least_profiles=1):
        """`scenario` gives, of a Run, what must be the same in all."""
        expected = scenario(Run("plain", self.builds["plain"], fctest.plain_environment()))
        self.check_nothing_runs("plain")
        for name, transport, beside in self.KINDS:
            folder = self.path("profiles-" + name)
            os.mkdir(folder)
            os.chmod(folder, 0o1777)
            env = fctest.plain_environment(FC_QUIET="1", FC_DUMP_PATH=folder, FC_USE_PID="1",
                                           FC_TRANSPORT=transport)
            if beside:
                env.update(LD_PRELOAD=ORACLE, ORACLE_BESIDE="1",
                           ORACLE_OUT=os.path.join(folder, "oracle"))
            with self.subTest(name):
                found = scenario(Run(name, self.builds["profiled"], env))
                self.assertEqual(found, expected)
                self.check_nothing_runs("profiled")
                self.wait_for_managers("--directory=" + folder)
                self.check_profiles(folder, transport, beside, least_profiles)
            self.end_all()

    def check_nothing_runs(self, build):
        fctest.wait_until(lambda: not self.programs_of(build), "the server did not end")

    def check_profiles(self, folder, transport, beside, least_profiles):
        profiles = {path for path in glob.glob(os.path.join(folder, "functioncheck*.fc*"))
                    if not re.search(r"\.fcd(\.\d+)?$", path)}
        descriptors = set(glob.glob(os.path.join(folder, "functioncheck*.fcd*")))
        oracles = sorted(glob.glob(os.path.join(folder, "oracle.*")))
        strays = {os.path.join(folder, each) for each in os.listdir(folder)}
        self.assertEqual(strays - profiles - descriptors - set(oracles), set())
        self.assertGreaterEqual(len(profiles), least_profiles)
        named = [os.path.join(folder, entry.file) for path in descriptors
                 for entry in fcprofile.load_descriptor(path)]
        if len(profiles) > 1:
            self.assertLessEqual(set(named), profiles)
        loaded = {path: fcprofile.load(path) for path in profiles}
        calls = sum(function.calls for profile in loaded.values()
                    for function in profile.functions)
        if beside:
            calls = self.check_pairs(oracles, loaded.values())
        ends = {}
        for profile in loaded.values():
            self.check_losses(profile, transport)
            ends[profile.end] = ends.get(profile.end, 0) + 1
        print(f"{self.id()} {os.path.basename(folder)}: {len(profiles)} profiles {ends}, "
              f"{calls} calls{', all as the oracle counted' if beside else ''}",
              file=sys.stderr, flush=True)

    def check_losses(self, profile, transport):
        """None, but for what the manual says of who is killed and has no shared memory."""
        if transport == "pipe" and profile.end in KILLED:
            profile.losses.pop("unsent-buffers", None)
        self.check_bounds(profile)

    def may_miss(self, profile):
        """Who is ended from outside may stand between the oracle's hook and libfc's.  A thread
        that its process's end overtakes goes on for a while."""
        threads = sum(not thread.ended for thread in profile.threads) + \
            profile.repairs.get("threads-not-listed", 0)
        return (threads if profile.end in KILLED else OVERTAKEN_CALLS * max(0, threads - 1)) + \
            UNSENT_RECORDS * profile.losses.get("unsent-buffers", 0)

    def start(self, words, run, **options):
        """A process, ended with the test at the latest; its output goes into a file."""
        log = open(self.path("work", "output"), "ab")
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   env=run.env, cwd=self.path("work"), **options)
        log.close()

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
        self.addCleanup(end)
        return process

    def read(self, name):
        with open(self.path("work", name), encoding="utf-8", errors="replace") as stream:
            return stream.read()

    def wait_for_word(self, name, word, times=1):
        """Until a log holds it so many times."""
        fctest.wait_until(lambda: os.path.exists(self.path("work", name)) and
                          self.read(name).count(word) >= times,
                          f"{name} does not say {word!r} {times} times")
