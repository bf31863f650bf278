#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that end in every way there is: not one call may be missing.  The
target counts for itself, in memory that outlives it."""

import os
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

CALLS = 12345


class Death(fctest.Case):
    def counters(self):
        try:
            with open(self.path("counters"), "rb") as stream:
                return struct.unpack("=16Q", stream.read())
        except (FileNotFoundError, struct.error):  # the target has only just started
            return (0,) * 16

    def wait_for_profile(self):
        """A killed program can't wait for its profile: the manager writes it soon."""
        return fcprofile.load(self.wait_for_file())

    def check(self, way, returncode, end, **env):
        program = self.compile("dying.c")
        done = self.run_quiet([program, self.path("counters"), way], env=env)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (returncode, b"", b""))
        self.assertEqual(self.counters()[0], CALLS)
        if returncode >= 0:
            self.assertTrue(os.path.exists(self.path("functioncheck.fc")),
                            "the profile is not complete when the program has ended")
        profile = self.wait_for_profile()
        calls = {function.name: function.calls for function in profile.functions}
        self.assertEqual(calls["tick"], CALLS)
        self.assertEqual(calls["main"], 1)
        self.assertEqual(profile.losses, {})
        # How a process ended may be unknown to the manager, which is not its parent;
        # a wrong word on it must not be there.
        if profile.end != "unknown" or way in ("return", "exit"):
            self.assertEqual((profile.end, profile.end_value), end)
        return profile

    def test_return(self):
        self.check("return", 7, ("exit", 7))

    def test_exit(self):
        self.check("exit", 7, ("exit", 7))

    def test_quick_exit(self):
        self.check("quick_exit", 7, ("exit", 7))

    def test_full_buffers(self):
        """What is in the buffers of threads that wait is sent, wherever in them the last record ends."""
        done = self.run_quiet([self.compile("full_buffers.c", "-pthread")], base=fctest.plain_environment("short"),
                              env={"FC_TRANSPORT": "pipe"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        profile = fcprofile.load(self.wait_for_file())
        calls = {function.name: function.calls for function in profile.functions}
        self.assertEqual([calls["leaf"], calls["wait_here"]], list(map(int, done.stdout.split())))
        self.assertEqual((profile.losses, profile.repairs), ({}, {}))

    def test__exit(self):
        self.check("_exit", 7, ("exit", 7))

    def test_sigkill(self):
        profile = self.check("sigkill", -signal.SIGKILL, ("signal", signal.SIGKILL))
        names = [function.name for function in profile.threads[0].stack]
        self.assertEqual(names, ["main", "end"])

    def test_sigkill_pipe(self):
        """By this transport records wait in the process until a message is full: as many
        are lost where it is killed, and not one more.  A call is two records."""
        program = self.compile("dying.c")
        done = self.run_quiet([program, self.path("counters"), "sigkill"],
                              env={"FC_TRANSPORT": "pipe"})
        self.assertEqual(done.returncode, -signal.SIGKILL)
        calls = {function.name: function.calls for function in self.wait_for_profile().functions}
        self.assertLessEqual(calls["tick"], CALLS)
        self.assertGreater(calls["tick"], CALLS - 4096 // 32 // 2)

    def test_exit_pipe(self):
        self.check("exit", 7, ("exit", 7), FC_TRANSPORT="pipe")

    def test_sigterm(self):
        self.check("sigterm", -signal.SIGTERM, ("signal", signal.SIGTERM))

    def test_abort(self):
        self.check("abort", -signal.SIGABRT, ("signal", signal.SIGABRT))

    def test_segv(self):
        self.check("segv", -signal.SIGSEGV, ("signal", signal.SIGSEGV))

    def test_pthread_exit(self):
        # the last thread ends, and so does the process, with status 0
        self.check("pthread_exit", 0, ("exit", 0))

    def test_killed_from_outside(self):
        """Threads in the middle of their work: each may have been within tick(),
        entered but not yet counted."""
        program = self.compile("dying.c", "-O2")
        threads = 4
        with subprocess.Popen([program, self.path("counters"), "wait", str(threads)],
                              env=fctest.plain_environment(FC_QUIET="1"),
                              cwd=self.folder) as process:
            fctest.wait_until(lambda: min(self.counters()[:threads]) >= 5000, "no calls")
            process.kill()
        counters = self.counters()[:threads]
        profile = self.wait_for_profile()
        calls = sorted(thread.functions["tick"][0] for thread in profile.threads)
        self.assertEqual(len(calls), threads)
        for counted, recorded in zip(sorted(counters), calls):
            self.assertIn(recorded - counted, (0, 1))
        self.assertEqual(profile.losses, {})

    def stand_still(self):
        counters = self.counters()
        time.sleep(1)
        return counters == self.counters()

    def test_killed_while_the_manager_is_stopped(self):
        """The threads, which get no chunk back, wait for it; none goes on in a buffer of its own, that
        would die with it."""
        program = self.compile("dying.c", "-O2")
        threads = 4
        with subprocess.Popen([program, self.path("counters"), "wait", str(threads)],
                              env=fctest.plain_environment(FC_QUIET="1"),
                              cwd=self.folder) as process:
            fctest.wait_until(lambda: min(self.counters()[:threads]) >= 5000, "no calls")
            manager, = fctest.managers_of(process.pid)
            fctest.stop(manager)
            try:
                fctest.wait_until(self.stand_still, "the threads do not wait")  # such buffers may be filled first
                self.assertEqual(fctest.state_of(manager), "T")
            finally:
                process.kill()
        counters = self.counters()  # where it was busy elsewhere a second is nothing
        os.kill(manager, signal.SIGCONT)
        profile = self.wait_for_profile()
        calls = sorted(thread.functions["tick"][0] for thread in profile.threads)
        for counted, recorded in zip(sorted(counters[:threads]), calls):
            self.assertIn(recorded - counted, (0, 1))
        self.assertEqual(profile.losses, {})

    def waits_without_children(self, pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as stream:
            children = stream.read()
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stream:
            return not children and stream.read().rpartition(")")[2].split()[0] == "S"

    def test_children_that_ended_before(self):
        """Killed, or left by exec, and waited for: their files are there when the program has ended.
        The manager hears of all deaths and of the program's end at once, as under load."""
        program = self.compile("ended_children.c")
        for transport, children in (("shared", 150), ("pipe", 150), ("shared", 3)):
            folder = self.path(f"{transport}-{children}")
            os.mkdir(folder)
            process = subprocess.Popen([program, str(children)], cwd=folder, stdin=subprocess.PIPE,
                                       env=fctest.plain_environment(FC_QUIET="1", FC_CHILDREN="apart",
                                                                    FC_TRANSPORT=transport),
                                       stdout=subprocess.PIPE)
            self.assertEqual(process.stdout.read(1), b"x")
            managers = fctest.managers_of(process.pid)
            self.assertEqual(len(managers), 1)
            fctest.stop(managers[0])
            process.stdin.close()
            fctest.wait_until(lambda pid=process.pid: self.waits_without_children(pid),
                              "the program did not end")
            os.kill(managers[0], signal.SIGCONT)
            self.assertEqual(process.wait(timeout=fctest.TIMEOUT_S), 0)
            process.stdout.close()
            files = os.listdir(folder)
            self.assertEqual([name for name in files if name.endswith(".tmp")], [])
            self.assertEqual(len(files), 1 + children + 1, files)

    def test_children_that_are_dead_when_met(self):
        """The manager asks how much there is to read, and is late: of what it reads then, a child's
        hello may be the last, and the child dead, with the rest of its messages yet to be read."""
        source = self.write("late.c", """#include <dlfcn.h>
            #include <stdarg.h>
            #include <sys/ioctl.h>
            #include <sys/stat.h>
            #include <unistd.h>
            static int is_pipe(int fd)
            {
                struct stat status;
                return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
            }
            ssize_t read(int fd, void *to, size_t bytes)
            {
                static ssize_t (*real)(int, void *, size_t);
                if (!real)
                    real = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
                return real(fd, to, bytes > 64 && is_pipe(fd) ? 64 : bytes);
            }
            int ioctl(int fd, unsigned long what, ...)
            {
                static int (*real)(int, unsigned long, ...);
                va_list list;
                va_start(list, what);
                void *argument = va_arg(list, void *);
                va_end(list);
                if (!real)
                    real = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
                int result = real(fd, what, argument);
                if (what == FIONREAD)
                    usleep(1000);
                return result;
            }""")
        late = self.compile(source, "-shared", "-fPIC", "-ldl", profiled=False, output="late.so")
        manager = self.write("manager", f"""#!/bin/sh
            # a manager with the address sanitizer wants that to come first
            ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
            export ASAN_OPTIONS
            LD_PRELOAD={late} exec {fctest.tool('fcmanager')} "$@"
            """)
        os.chmod(manager, 0o755)
        children, steps = 200, 6000
        source = self.write("quick.c", f"""#include <sched.h>
            #include <signal.h>
            #include <sys/wait.h>
            static char stack[65536] __attribute__((aligned(16)));
            static void step(void) {{}}
            static int child(void *argument)
            {{
                (void)argument;
                for (int i = 0; i < {steps}; i++)
                    step();
                return 0;
            }}
            int main(void)
            {{
                for (int i = 0; i < {children}; i++)
                    waitpid(clone(child, stack + sizeof stack, SIGCHLD, 0), 0, 0);
                return 0;
            }}""")
        done = self.run_quiet([self.compile(source)], env={"FC_MANAGER": manager, "FC_CHILDREN": "apart"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        entries = fcprofile.load_descriptor(self.wait_for_file("functioncheck.fcd"))
        profiles = [fcprofile.load(self.path(entry.file)) for entry in entries]
        self.assertEqual([profile.losses for profile in profiles], [{}] * (1 + children))
        self.assertEqual(sum(each.calls for profile in profiles for each in profile.functions
                             if each.name == "step"), children * steps)

    def test_children_that_end_together(self):
        """Each finds its own file when it has ended, whoever else waits for an answer."""
        program = self.compile("ends_together.c")
        for transport in ("shared", "pipe"):
            folder = self.path(transport)
            os.mkdir(folder)
            done = self.run_quiet([program, "5", "20"], env={"FC_TRANSPORT": transport, "FC_CHILDREN": "apart"}, cwd=folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"0\n", b""))
            self.assertEqual(len(os.listdir(folder)), 1 + 5 * 20 + 1)


if __name__ == "__main__":
    fctest.main()
