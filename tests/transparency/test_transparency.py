#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A profiled program and a plain one can't be told apart: same output, status,
errno, children, signals, descriptors; also where there is no manager, where it
fails or dies, and where nothing can be written."""

import ctypes
import glob
import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402


# Its output is compared, and printed where it differs: nothing of the user's own.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C", "EMPTY": "",
               "TWO_LINES": "one\ntwo", "FCX": "not ours"}


def processes_below(folder):
    """Pids of processes whose working directory or executable is in `folder`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for link in ("cwd", "exe"):
            try:
                if os.readlink(f"/proc/{pid}/{link}").startswith(folder):
                    found.append(int(pid))
            except OSError:
                pass
    return found


class Observed(fctest.Case):
    def observe(self, *flags, env=None, compiler="gcc", **options):
        """Both programs' (stdout, stderr, status) in the same circumstances."""
        outcomes = []
        for profiled in (False, True):
            program = self.compile("observe.c", *flags, profiled=profiled,
                                   compiler=compiler)
            os.makedirs(self.path("run"), exist_ok=True)
            done = self.run_quiet([program, "one", "two words"], env=env, base=ENVIRONMENT,
                                  cwd=self.path("run"), **options)
            outcomes.append((done.stdout.decode().splitlines(), done.stderr.decode(),
                             done.returncode))
        return outcomes

    def check(self, *flags, profile=True, **options):
        plain, profiled = self.observe(*flags, **options)
        self.assertEqual(plain[2], 42, plain)
        self.assertEqual(profiled, plain)
        self.assertEqual(os.path.exists(self.path("run", "functioncheck.fcd")), profile)

    def test_gcc(self):
        self.check()

    def test_gcc_optimized(self):
        self.check("-O2")

    def test_clang(self):
        self.check("-O1", compiler="clang")

    def test_pipe_transport(self):
        self.check(env={"FC_TRANSPORT": "pipe"})

    def test_blocked_and_ignored_signals(self):
        def prepare():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGPIPE])
            signal.signal(signal.SIGUSR2, signal.SIG_IGN)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        self.check(preexec_fn=prepare)

    def test_sigchld_ignored(self):
        def prepare():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self.check(preexec_fn=prepare)

    def test_reaper(self):
        """Orphans become the program's children, as those of a container's first process do:
        the manager must not be one of them."""
        libc = ctypes.CDLL(None)
        self.check(preexec_fn=lambda: libc.prctl(36, 1, 0, 0, 0))  # PR_SET_CHILD_SUBREAPER

    def test_few_descriptors(self):
        def prepare():
            resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))
        self.check(preexec_fn=prepare)

    def test_descriptors(self):
        """No more of them, and no fewer left."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]

        def prepare():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        outcomes = []
        for env in (None, {"FC_TRANSPORT": "shared"}, {"FC_TRANSPORT": "pipe"},
                    {"FC_DETAIL": "auto"}):  # sends so little that all are taken by then
            program = self.compile("descriptors.c", profiled=env is not None)
            done = self.run_quiet([program], env=env or {}, preexec_fn=prepare)
            outcomes.append((done.returncode, done.stdout.decode().splitlines(), done.stderr))
            if env:
                turns = sum(function.calls for entry in
                            fcprofile.load_descriptor(self.path("functioncheck.fcd"))
                            for function in fcprofile.load(self.path(entry.file)).functions
                            if function.name == "turn")
                self.assertEqual(turns, 6 * 10000)
        self.assertEqual(outcomes[0][1][0], "start: limit 256, open 0 1 2, 253 more from 3")
        self.assertEqual(outcomes[1:], 3 * outcomes[:1])

    def test_manager_missing(self):
        self.check(profile=False, env={"FC_MANAGER": "/nonexistent/fcmanager"})

    def test_manager_fails(self):
        self.check(profile=False, env={"FC_MANAGER": self.manager(self.path("fails"), "return 1;")})

    def test_manager_succeeds_without_a_word(self):
        self.check(profile=False, env={"FC_MANAGER": self.manager(self.path("succeeds"), "return 0;")})

    def test_dump_path_missing(self):
        """Only what can't be written is said, even though FC_QUIET is set."""
        missing = {"FC_DUMP_PATH": self.path("not", "there"), "TMPDIR": self.path("neither")}
        plain, profiled = self.observe(env=missing)
        said = [line for line in profiled[1].splitlines() if line.startswith("FCMng: can't open ")]
        self.assertEqual(len(said), 1, profiled[1])
        rest = profiled[1].replace("".join(line + "\n" for line in said), "")
        self.assertEqual((profiled[0], rest, profiled[2]), plain)


class Failures(fctest.Case):
    def test_missing_manager_is_told_once(self):
        program = self.compile("nesting.c")
        failing = self.manager(self.path("fails", "manager"), "return 1;")
        for manager in ("/nonexistent/fcmanager", failing):
            done = self.run_target([program], env={"FC_MANAGER": manager})
            text = done.stderr.decode()
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            said = [line for line in text.splitlines() if "anager" in line]
            self.assertEqual(len(said), 1, text)
            self.assertTrue(said[0].startswith("FCheck: "), said[0])
            self.assertEqual(sorted(os.listdir(self.folder)), ["fails", "nesting"])

    def test_unwritable_folder(self):
        if os.geteuid() == 0:
            target = "/proc/self"  # where not even root can make a file
        else:
            target = self.path("locked")
            os.mkdir(target, 0o555)
        program = self.compile("nesting.c")
        env = {"FC_DUMP_PATH": target, "TMPDIR": target}
        for run in (self.run_target, self.run_quiet):
            done = run([program], env=env)
            self.assertEqual((done.returncode, done.stdout), (0, b""))
            self.assertRegex(done.stderr.decode(), r"FCMng: .*" + target)

    def manager_of(self, process, seen):
        """The pid that the banner tells; what was read of stderr is added to `seen`."""
        for line in process.stderr:
            seen.append(line)
            if line.startswith(b"FCMng: Profile manager: running ["):
                return int(line.split(b"[")[1].split(b"]")[0])
        self.fail(f"no manager was announced: {seen}")
        return None

    def test_manager_killed(self):
        program = self.compile("longrun.c")
        for transport in ("shared", "pipe"):
            flag = self.path("go-" + transport)
            with subprocess.Popen([program, flag], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE,
                                  env=fctest.plain_environment(FC_TRANSPORT=transport,
                                                               FC_VERBOSE="")) as process:
                manager = self.manager_of(process, [])
                self.assertEqual(process.stdout.readline(), b"started\n")
                os.kill(manager, signal.SIGKILL)
                open(flag, "w", encoding="utf-8").close()
                out, _ = process.communicate(timeout=fctest.TIMEOUT_S)
            self.assertEqual((process.returncode, out), (5, b"done\n"))
            self.assertFalse(os.path.exists(self.path("functioncheck.fc")))

    def test_manager_stopped_then_killed(self):
        """The program waits for a manager that does not read, but not for a dead one."""
        program = self.compile("longrun.c")
        flag = self.write("go", "")
        with subprocess.Popen([program, flag], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              env=fctest.plain_environment(FC_VERBOSE="")) as process:
            manager = self.manager_of(process, [])
            fctest.stop(manager)
            time.sleep(0.5)
            os.kill(manager, signal.SIGKILL)
            out, _ = process.communicate(timeout=fctest.TIMEOUT_S)
        self.assertEqual((process.returncode, out), (5, b"started\ndone\n"))

    def test_signals_behind_the_end(self):
        """What comes while the program waits for its manager to write the profile finds it gone, as
        it would without profiling: the status is the one that the profile tells."""
        program = self.compile("late_signals.c")
        for number, (transport, way) in enumerate((transport, way) for way in ((), ("_exit",))
                                                  for transport in ("shared", "pipe")):
            flag = self.path(f"go-{number}")
            with subprocess.Popen([program, flag, *way], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE,
                                  env=fctest.plain_environment(FC_TRANSPORT=transport,
                                                               FC_VERBOSE="")) as process:
                manager = self.manager_of(process, [])
                self.assertEqual(process.stdout.readline(), b"ready\n")
                fctest.stop(manager)
                open(flag, "w", encoding="utf-8").close()
                fctest.wait_until(lambda: self.blocks(process.pid, signal.SIGUSR1),
                                  "the program takes signals")
                for late in (signal.SIGUSR1, signal.SIGTERM, signal.SIGALRM):
                    process.send_signal(late)
                os.kill(manager, signal.SIGCONT)
                out, _ = process.communicate(timeout=fctest.TIMEOUT_S)
            self.assertEqual((process.returncode, out), (3, b""))
            profile = fcprofile.load(self.path("functioncheck.fc"))
            self.assertEqual((profile.end, profile.end_value), ("exit", 3))

    @staticmethod
    def blocks(pid, number):
        with open(f"/proc/{pid}/status", encoding="utf-8") as stream:
            mask = next(line for line in stream if line.startswith("SigBlk:"))
        return int(mask.split()[1], 16) >> (number - 1) & 1

    def test_manager_is_out_of_sight(self):
        """Not a child, not in the group, without the program's output."""
        program = self.compile("longrun.c")
        with subprocess.Popen([program, self.path("go")], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=fctest.plain_environment(FC_VERBOSE=""),
                              start_new_session=True) as process:
            manager = self.manager_of(process, [])
            process.stdout.readline()
            with open(f"/proc/{manager}/stat", encoding="utf-8") as stream:
                state = stream.read().rsplit(")", 1)[1].split()
            self.assertNotEqual(int(state[1]), process.pid, "the manager is a child")
            self.assertNotEqual(int(state[2]), process.pid, "the manager is in the group")
            output = os.stat(process.stdout.fileno())
            for fd in os.listdir(f"/proc/{manager}/fd"):
                held = os.stat(f"/proc/{manager}/fd/{fd}")
                self.assertNotEqual((held.st_dev, held.st_ino), (output.st_dev, output.st_ino),
                                    f"the manager holds the program's output open (fd {fd})")
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=fctest.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.wait_for_file()

    def test_nothing_is_left_running(self):
        program = self.compile("forks.c")
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        fctest.wait_until(lambda: not processes_below(self.folder),
                          "a process of the session stays behind")


class Descriptors(fctest.Case):
    def test_closed_standard_descriptors(self):
        program = self.compile("observe.c")
        plain = self.compile("observe.c", profiled=False)
        for transport, closed in itertools.product(("shared", "pipe"), ((0,), (1,), (2,), (0, 1, 2))):
            outcomes = []
            for words in ([plain], [program]):
                def prepare(closed=closed):
                    for fd in closed:
                        os.close(fd)
                done = self.run_quiet(words, base={**ENVIRONMENT, "FC_TRANSPORT": transport},
                                      preexec_fn=prepare)
                outcomes.append((done.stdout, done.stderr, done.returncode))
            self.assertEqual(outcomes[1], outcomes[0], f"{transport}, with {closed} closed")
            self.assertTrue(os.path.exists(self.path("functioncheck.fcd")))
            os.unlink(self.path("functioncheck.fcd"))

    def test_stdout_full(self):
        program = self.compile("observe.c")
        for transport in ("shared", "pipe"):
            with open("/dev/full", "wb") as full:
                done = self.run_quiet([program], env={"FC_TRANSPORT": transport}, stdout=full,
                                      stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr), (42, b"to standard error\n"), transport)

    def test_everything_closed(self):
        """A daemon closes all descriptors, and is profiled to the end; nothing of ours
        gets into the files that it opens then."""
        program = self.compile("closer.c")
        for env in ({}, {"FC_TRANSPORT": "pipe"}):
            done = self.run_target([program, self.path("file"), "20"], env=env)
            self.check_closer(done)
            calls = {function.name: function.calls for function in
                     fcprofile.load(self.wait_for_file()).functions}
            self.assertEqual(calls, {"main": 1, "work": 2, "step": 200000})
            os.unlink(self.path("functioncheck.fc"))

    def check_closer(self, done):
        self.assertEqual(done.returncode, 0)
        with open(self.path("file"), "rb") as stream:
            self.assertEqual(stream.read(), b"mine\n")

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind here")
    def test_valgrind(self):
        """It finds nothing to complain of in libfc, such as an argument of a system call that was
        never set."""
        for source, arguments in (("observe.c", ()), ("descriptors.c", ()),
                                  ("threads_many.c", ("at-once", "8")),
                                  ("exec_chain.c", ("fork-exec", "2"))):
            program = self.compile(source, "-g")
            for transport in ("shared", "pipe"):
                log = self.path("valgrind.log")
                # who is inlined in the C library would take a third of the time
                self.run_quiet(["valgrind", "-q", "--read-inline-info=no", "--log-file=" + log, program, *arguments],
                               env={"FC_TRANSPORT": transport})
                with open(log, encoding="utf-8") as stream:
                    self.assertEqual(stream.read(), "", f"{source} {transport}")
                self.assertTrue(glob.glob(self.path("functioncheck.fc*")), source)
                for path in glob.glob(self.path("functioncheck.fc*")):
                    os.unlink(path)

    def test_every_descriptor_taken(self):
        """Nothing is left for a profiler, which must not take what is not its own."""
        program = self.compile("closer.c")
        limit = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 65536)
        for env in ({}, {"FC_TRANSPORT": "pipe"}):
            self.check_closer(self.run_target([program, self.path("file"), str(limit)], env=env))


if __name__ == "__main__":
    fctest.main()
