#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""In a pipeline and in a terminal a profiled program behaves as a plain one, and its
profile is whole: prog | head, Ctrl-C, Ctrl-Z, a terminal that is hung up."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

TRANSPORTS = ("shared", "pipe")


class Pipeline(fctest.Case):
    def wait_for_profile(self):
        profile = fcprofile.load(self.wait_for_file())
        os.unlink(self.path("functioncheck.fc"))
        return profile

    def test_head(self):
        """prog | head -n 3: SIGPIPE ends it, at the same place."""
        plain = self.compile("lines.c", profiled=False)
        program = self.compile("lines.c")
        script = 'set -o pipefail; "$0" 1000000 | head -n 3; echo "${PIPESTATUS[@]}"'
        expected = self.run_quiet(["bash", "-c", script, plain])
        self.assertEqual(expected.stdout, b"line 0\nline 1\nline 2\n141 0\n")
        for transport in TRANSPORTS:
            done = self.run_quiet(["bash", "-c", script, program],
                                  env={"FC_TRANSPORT": transport})
            self.assertEqual((done.stdout, done.stderr), (expected.stdout, b""), transport)
            profile = self.wait_for_profile()
            self.assertIn((profile.end, profile.end_value), (("signal", 13), ("unknown", 0)))

    def test_closed_reader_ignored_sigpipe(self):
        """With SIGPIPE ignored the write fails instead, and libfc's writes raise nothing."""
        for program in (self.compile("lines.c", profiled=False), self.compile("lines.c")):
            script = 'trap "" PIPE; "$0" 1000000 2>/dev/null | true; echo "${PIPESTATUS[0]}"'
            done = self.run_quiet(["bash", "-c", script, program])
            self.assertEqual(done.stdout, b"3\n")


class Terminal(Pipeline):
    def start(self, program, words=None, **env):
        """The program as the foreground of a terminal of its own; (pid, master)."""
        pid, master = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(program, words or [program, "0"],
                      fctest.plain_environment(FC_QUIET="1", **env))
        return pid, master

    def read_lines(self, master, count):
        text = b""
        while text.count(b"\n") < count:
            text += os.read(master, 4096)
        return text

    def read_until(self, master, wanted):
        text = b""
        deadline = time.monotonic() + fctest.TIMEOUT_S
        while wanted not in text:
            self.assertLess(time.monotonic(), deadline, f"no {wanted} in {text[-500:]}")
            try:
                if not select.select([master], [], [], 1)[0]:
                    continue
                text += os.read(master, 4096)
            except OSError:  # the terminal is over
                self.fail(f"no {wanted} in {text}")

    def reap(self, pid, options=0):
        deadline = time.monotonic() + fctest.TIMEOUT_S
        while True:
            found, status = os.waitpid(pid, options | os.WNOHANG)
            if found == pid:
                return status
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
                self.fail("the program does not end")
            time.sleep(0.01)

    def each_kind(self):
        yield None, self.compile("lines.c", profiled=False), {}
        for transport in TRANSPORTS:
            yield transport, self.compile("lines.c"), {"FC_TRANSPORT": transport}

    def test_interrupt(self):
        for transport, program, env in self.each_kind():
            pid, master = self.start(program, **env)
            self.read_lines(master, 5)
            os.write(master, b"\x03")
            status = self.reap(pid)
            self.assertEqual((os.WIFSIGNALED(status), os.WTERMSIG(status)), (True, signal.SIGINT))
            os.close(master)
            if transport == "shared":
                calls = {each.name: each.calls for each in self.wait_for_profile().functions}
                self.assertGreaterEqual(calls["line"], 5)
            elif transport:
                self.wait_for_profile()

    def test_stop_and_go_on(self):
        """Ctrl-Z, fg and Ctrl-\\ under a shell with job control."""
        script = 'set -m; "$0" 0; echo "stopped $?"; fg; echo "ended $?"'
        for transport, program, env in self.each_kind():
            pid, master = self.start("/bin/bash", ["bash", "-c", script, program], **env)
            self.read_until(master, b"line 3")
            os.write(master, b"\x1a")
            self.read_until(master, b"stopped 148")
            self.read_until(master, b"line")
            os.write(master, b"\x1c")
            self.read_until(master, b"ended 131")
            self.reap(pid)
            os.close(master)
            if transport:
                profile = self.wait_for_profile()
                self.assertIn((profile.end, profile.end_value),
                              (("signal", signal.SIGQUIT), ("unknown", 0)))

    def test_hang_up(self):
        """The manager does not hold the terminal, and outlives it."""
        for transport, program, env in self.each_kind():
            pid, master = self.start(program, **env)
            self.read_lines(master, 3)
            os.close(master)
            status = self.reap(pid)
            self.assertEqual(os.WTERMSIG(status), signal.SIGHUP)
            if transport:
                self.wait_for_profile()

    def test_end_of_file(self):
        """Whoever reads all output of the program reads to its end, not the manager's."""
        program = self.compile("closer.c")
        read_end, write_end = os.pipe()
        with subprocess.Popen([program, self.path("file")], stdout=write_end, stderr=write_end,
                              cwd=self.folder,
                              env=fctest.plain_environment(FC_QUIET="1")) as process:
            os.close(write_end)
            process.wait(timeout=fctest.TIMEOUT_S)
            self.assertEqual(os.read(read_end, 100), b"")
        os.close(read_end)


if __name__ == "__main__":
    fctest.main()
