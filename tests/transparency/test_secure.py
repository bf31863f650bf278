#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody leads libfc to a program, a folder, a file or a session of his choice: not by a file in
the working directory, and not a program that has more rights than he.  Most of it needs root."""

import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

USER = "54321"


class SettingsFile(fctest.Case):
    """./.functioncheckrc: who may have written it, and what it may say."""

    NOT_USED = "./.functioncheckrc is not used: "
    OF_OTHERS = "belongs to another user, or others can write to it"

    def setUp(self):
        super().setUp()
        self.program = self.compile("nesting.c")
        self.run_folder = self.path("run")
        os.mkdir(self.run_folder, 0o755)
        self.settings = os.path.join(self.run_folder, ".functioncheckrc")

    def run_with(self, text, **env):
        with open(self.settings, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(self.settings, 0o644)
        return self.run_there(**env)

    def run_there(self, **env):
        done = self.run_target([self.program], env={"FC_VERBOSE": "", **env}, cwd=self.run_folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.decode()

    def profiles(self):
        return sorted(name for name in os.listdir(self.run_folder) if name.endswith(".fc"))

    def test_executes_nothing(self):
        proof = self.path("proof")
        evil = self.write("run/evil", f"#!/bin/sh\necho evil > {proof}\n")
        os.chmod(evil, 0o755)
        for value in (evil, "./evil", "evil"):
            said = self.run_with(f"FC_MANAGER {value}\n")
            self.assertIn("FC_MANAGER in ./.functioncheckrc is not used", said)
            self.assertFalse(os.path.exists(proof), value)
            self.assertEqual(self.profiles(), ["functioncheck.fc"])
        # nor by way of PATH, with a folder that is the working directory
        os.rename(evil, os.path.join(self.run_folder, "fcmanager"))
        os.unlink(self.settings)
        hidden = self.path("prefix")
        shutil.copytree(fctest.PREFIX, hidden, symlinks=True)
        self.bindir = self.path("prefix", os.path.relpath(fctest.BINDIR, fctest.PREFIX))
        self.program = self.compile("nesting.c")
        os.unlink(os.path.join(self.bindir, "fcmanager"))
        for path in (".:/bin", ":/bin", "../run:/bin"):
            self.run_there(PATH=path)
            self.assertFalse(os.path.exists(proof), path)

    def test_writes_within_the_folder(self):
        os.mkdir(self.path("run", "sub"))
        for value in (self.path("run"), "..", "../run", "sub/..", "sub/../../run"):
            said = self.run_with(f"FC_DUMP_PATH {value}\n")
            self.assertIn("FC_DUMP_PATH in ./.functioncheckrc is not used", said)
            self.assertEqual(self.profiles(), ["functioncheck.fc"], value)
        os.mkdir(self.path("elsewhere"))
        os.mkdir(self.path("elsewhere", "deeper"))
        os.symlink(self.path("elsewhere"), self.path("run", "link"))
        os.symlink("../../elsewhere", self.path("run", "sub", "link"))
        for value in ("link", "link/", "./link", "link/deeper", "sub/link", "sub//./link/deeper/"):
            said = self.run_with(f"FC_DUMP_PATH {value}\n")
            self.assertIn("FC_DUMP_PATH in ./.functioncheckrc is not used", said)
            self.assertEqual(self.profiles(), ["functioncheck.fc"], value)
        self.assertEqual(sorted(os.listdir(self.path("elsewhere"))), ["deeper"])
        self.assertEqual(os.listdir(self.path("elsewhere", "deeper")), [])
        os.unlink(self.path("run", "sub", "link"))
        self.run_with("FC_DUMP_PATH sub/\n")
        self.assertEqual(os.listdir(self.path("run", "sub")), ["functioncheck.fc"])

    def check_ignored(self, reason=f"it {OF_OTHERS}"):
        self.assertIn(f"FCheck: {self.NOT_USED}{reason}\n", self.run_there())
        self.assertEqual(self.profiles(), ["functioncheck.fc"])
        self.assertNotIn(self.NOT_USED, self.run_there(FC_QUIET="1"))

    def folder_of_others(self, folder):
        return f"its folder {os.path.realpath(folder)} {self.OF_OTHERS}"

    def test_others_can_write_it(self):
        # a group that has the number of the user is the user's own, unless that is root
        for mode in (0o664, 0o646) if os.geteuid() == 0 else (0o646,):
            self.run_with("")
            with open(self.settings, "w", encoding="utf-8") as stream:
                stream.write("FC_DUMP_NAME chosen\n")
            os.chmod(self.settings, mode)
            self.check_ignored()

    def test_others_can_replace_it(self):
        with open(self.settings, "w", encoding="utf-8") as stream:
            stream.write("FC_DUMP_NAME chosen\n")
        os.chmod(self.settings, 0o600)
        for mode in (0o777, 0o775) if os.geteuid() == 0 else (0o777,):
            os.chmod(self.run_folder, mode)
            self.check_ignored(self.folder_of_others(self.run_folder))
        os.chmod(self.run_folder, 0o1777)  # in which nobody replaces what is another's
        self.run_there()
        self.assertEqual(self.profiles(), ["chosen.fc", "functioncheck.fc"])

    def test_others_can_replace_a_folder_above(self):
        above = self.path("above")
        self.run_folder = os.path.join(above, "run")
        os.makedirs(self.run_folder, 0o755)
        self.settings = os.path.join(self.run_folder, ".functioncheckrc")
        self.run_with("FC_DUMP_NAME chosen\n")
        self.assertEqual(self.profiles(), ["chosen.fc"])
        os.unlink(os.path.join(self.run_folder, "chosen.fc"))
        os.chmod(above, 0o777)
        self.check_ignored(self.folder_of_others(above))

    def test_no_regular_file(self):
        target = self.write("target", "FC_DUMP_NAME chosen\n")
        for to in (target, self.path("nowhere"), self.settings):
            os.symlink(to, self.settings)
            self.check_ignored("it is a symbolic link")
            os.unlink(self.settings)
        os.mkfifo(self.settings, 0o600)
        self.check_ignored("it is no regular file")
        os.unlink(self.settings)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.settings)
        self.check_ignored("it is no regular file")
        os.unlink(self.settings)
        os.mkdir(self.settings, 0o700)
        self.check_ignored("it is no regular file")

    def test_no_descriptors(self):
        """With which nothing can be opened: what is not there is not spoken of."""
        words = ["/bin/sh", "-c", f"ulimit -n 4; exec {self.program}"]
        done = self.run_target(words, cwd=self.run_folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"no descriptors left", done.stderr)
        self.assertNotIn(b".functioncheckrc", done.stderr)
        with open(self.settings, "w", encoding="utf-8") as stream:
            stream.write("FC_DUMP_NAME chosen\n")
        said = self.run_target(words, env={"FC_VERBOSE": ""}, cwd=self.run_folder).stderr.decode()
        self.assertIn(self.NOT_USED + "it can't be opened: Too many open files\n", said)

    @unittest.skipIf(os.geteuid() == 0, "root can read everything")
    def test_unreadable(self):
        self.run_with("FC_DUMP_NAME chosen\n")
        os.chmod(self.settings, 0o200)
        self.check_ignored("it can't be opened: Permission denied")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_of_another_user(self):
        with open(self.settings, "w", encoding="utf-8") as stream:
            stream.write("FC_DUMP_NAME chosen\n")
        os.chmod(self.settings, 0o644)
        os.chown(self.settings, int(USER), int(USER))
        self.check_ignored()
        os.chown(self.settings, 0, 0)
        os.chown(self.run_folder, int(USER), int(USER))
        self.check_ignored(self.folder_of_others(self.run_folder))
        os.chown(self.run_folder, 0, 0)
        self.run_there()
        self.assertEqual(self.profiles(), ["chosen.fc", "functioncheck.fc"])


class Privileged(fctest.Case):
    """Programs with more rights than who starts them."""

    NOT_PROFILED = b"FCheck: this program has more rights than who started it, it is not profiled\n"

    def setUp(self):
        super().setUp()
        self.share_with_others()
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("the folder is mounted nosuid")
        self.program = self.compile("nesting.c")
        os.chmod(self.program, 0o4755)
        self.mine = self.path("user")
        os.mkdir(self.mine)
        os.chown(self.mine, int(USER), int(USER))

    def run_as_user(self, *words, cwd=None, **env):
        words = ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups",
                 *(words or [self.program])]
        return self.run_target(words, env={"FC_VERBOSE": "", **env}, cwd=cwd or self.mine)

    def set_uid(self, name, user=0, group=0, mode=0o4755):
        program = self.compile(name, profiled=False)
        os.chown(program, user, group)
        os.chmod(program, mode)
        return program


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class SetUid(Privileged):
    def check_not_profiled(self, *words, **env):
        done = self.run_as_user(*words, **env)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        self.assertEqual(done.stderr, self.NOT_PROFILED)
        self.assertEqual(os.listdir(self.mine), [])

    def test_is_not_profiled(self):
        self.check_not_profiled()

    def test_caller_chooses_nothing(self):
        target = self.path("rootonly")
        os.mkdir(target, 0o700)
        evil = self.write("evil", f"#!/bin/sh\necho evil > {self.mine}/proof\n")
        os.chmod(evil, 0o755)
        os.symlink(evil, self.path("fcmanager"))
        self.check_not_profiled(FC_MANAGER=evil, FC_DUMP_PATH=target, FC_DUMP_NAME="chosen",
                                FC_HELP="1", FC_QUIET="1", FC_SESSION="6:1:3:4:0:5:6:0:7:1:2",
                                PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual(os.listdir(target), [])

    def own_settings(self, text):
        path = self.write("nesting.functioncheckrc", text)
        os.chmod(path, 0o644)
        return path

    def test_its_own_settings_say_where_to(self):
        target = self.path("profiles")
        os.mkdir(target, 0o700)
        self.own_settings(f"FC_DUMP_PATH {target}\nFC_DUMP_NAME own\nFC_VERBOSE\n")
        done = self.run_as_user(FC_DUMP_NAME="chosen", FC_QUIET="1")
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        self.assertIn(b"own.fc", done.stderr)
        self.assertEqual(os.listdir(self.mine), [])
        self.assertEqual(os.listdir(target), ["own.fc"])
        status = os.stat(os.path.join(target, "own.fc"))
        self.assertEqual((status.st_uid, stat.S_IMODE(status.st_mode)), (0, 0o600))
        self.assertTrue(fcprofile.load(os.path.join(target, "own.fc")).functions)

    def test_links_are_not_followed(self):
        victim = self.write("victim", "precious\n")
        os.chmod(victim, 0o600)
        self.own_settings(f"FC_DUMP_PATH {self.mine}\n")
        for name in ("functioncheck.fc", "functioncheck.fcd"):
            os.symlink(victim, os.path.join(self.mine, name))
        self.assertEqual(self.run_as_user().returncode, 0)
        with open(victim, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "precious\n")
        status = os.lstat(os.path.join(self.mine, "functioncheck.fc"))
        self.assertTrue(stat.S_ISREG(status.st_mode))
        self.assertEqual(stat.S_IMODE(status.st_mode), 0o600)

    def test_settings_that_are_not_its_own(self):
        for text in ("FC_QUIET 1\n", "FC_DUMP_PATH profiles\n"):
            self.own_settings(text)
            self.assertEqual(self.run_as_user().returncode, 0)
            self.assertEqual(os.listdir(self.mine), [])
        path = self.own_settings(f"FC_DUMP_PATH {self.mine}\n")
        os.chown(path, int(USER), int(USER))
        self.assertIn(f"{path} is not used: it {SettingsFile.OF_OTHERS}\n", self.run_as_user().stderr.decode())
        self.assertEqual(os.listdir(self.mine), [])

    def test_settings_that_are_too_long(self):
        self.own_settings(f"FC_DUMP_PATH {self.mine}\n" + 16384 * "#")
        said = self.run_as_user().stderr
        self.assertIn(b"nesting.functioncheckrc is not used: it is longer than 16 KiB", said)
        self.assertIn(self.NOT_PROFILED, said)
        self.assertEqual(os.listdir(self.mine), [])

    def test_path_is_never_searched(self):
        """With the installed manager missing."""
        self.own_settings(f"FC_DUMP_PATH {self.mine}\n")
        os.unlink(os.path.join(self.bindir, "fcmanager"))
        os.mkdir(self.path("evil"))
        evil = self.write("evil/fcmanager", f"#!/bin/sh\necho evil > {self.mine}/proof\n")
        os.chmod(evil, 0o755)
        done = self.run_as_user(PATH=f"{self.path('evil')}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0)
        self.assertFalse(os.path.exists(os.path.join(self.mine, "proof")))


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class Joining(Privileged):
    """Which session a privileged process joins is not for an unprivileged one to say."""

    def address_of(self, pid):
        with open(f"/proc/{pid}/maps", encoding="utf-8") as stream:
            return re.search(r"functioncheck:([0-9:]+)", stream.read()).group(1)

    def test_mark_of_a_less_privileged_process(self):
        """The session is root's, the one who names it is not."""
        os.chmod(self.program, 0o755)
        os.mkdir(self.path("first"))
        first = subprocess.Popen([self.compile("waits.c")], cwd=self.path("first"),
                                 env=fctest.plain_environment(FC_QUIET="1"), stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE)
        self.assertEqual(first.stdout.read(1), b"x")
        address = self.address_of(first.pid)
        helper = self.compile("false_mark.c", profiled=False)
        done = self.run_as_user(helper, address, self.set_uid("raise.c"), "fork", self.program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.mine), ["functioncheck.fc"])  # a session of its own
        # and of the same user it is joined
        done = self.run_target([helper, address, self.program])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        first.communicate(timeout=fctest.TIMEOUT_S)
        self.assertEqual(len([name for name in os.listdir(self.path("first"))
                              if name.startswith("functioncheck.fc.")]), 2)

    def test_session_of_a_less_privileged_process(self):
        """A genuine one: that of the profiled program which starts the privileged one."""
        os.chmod(self.program, 0o755)
        outer = self.compile("runs.c")
        done = self.run_as_user(outer, self.set_uid("raise.c"), "fork", self.program, FC_QUIET="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        owners = sorted(os.stat(os.path.join(self.mine, name)).st_uid
                        for name in os.listdir(self.mine) if ".fc" in name)
        self.assertEqual(set(owners), {0, int(USER)}, os.listdir(self.mine))

    PIPE_OF_ITS_OWN = """
import os, subprocess, sys
end, pipe = os.pipe()
made = os.fstat(pipe)
os.set_blocking(pipe, False)
os.environ["FC_SESSION"] = f"6:{os.getpid()}:1:3:4:0:0:{made.st_dev}:{made.st_ino}:{pipe}:{os.getpid() << 32 | 5}:1:2:0:0"
subprocess.run(sys.argv[1:], pass_fds=[pipe], check=True, stdin=subprocess.DEVNULL)
os.close(pipe)
print("heard" if os.read(end, 100) else "nothing")
"""

    def test_pipe_that_is_left_open(self):
        """By somebody who has the other end: his own program tells him everything, no other one anything."""
        os.chmod(self.program, 0o755)
        target = self.path("profiles")
        os.mkdir(target)
        os.chmod(target, 0o777)
        words = [sys.executable, "-c", self.PIPE_OF_ITS_OWN]
        done = self.run_as_user(*words, self.program, FC_QUIET="1")
        self.assertEqual((done.returncode, done.stdout), (0, b"heard\n"), done.stderr)
        other = int(USER) + 1
        for helper in ((0, 0, 0o4755), (other, 0, 0o4755), (0, other, 0o2755)):
            done = self.run_as_user(*words, self.set_uid("raise.c", *helper), "keep", self.program, FC_QUIET="1",
                                    FC_DUMP_PATH=target, FC_DUMP_NAME="%p")
            self.assertEqual((done.returncode, done.stdout), (0, b"nothing\n"), done.stderr)
        self.assertEqual(len(os.listdir(target)), 3)

    def test_session_of_a_process_without_capabilities(self):
        os.chmod(self.program, 0o755)
        first = subprocess.Popen(["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups",
                                  self.compile("waits.c")], cwd=self.mine, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, env=fctest.plain_environment(FC_QUIET="1"))
        self.assertEqual(first.stdout.read(1), b"x")
        address = self.address_of(first.pid)
        for capabilities, profile in (([], False), (["--inh-caps", "+net_raw", "--ambient-caps", "+net_raw"], True)):
            done = self.run_target(["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", *capabilities,
                                    self.program], cwd=self.mine,
                                   env={"FC_SESSION": address, "FC_QUIET": "1", "FC_DUMP_NAME": "apart"})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual([name for name in os.listdir(self.mine) if name.startswith("apart")] != [], profile)
        first.communicate(timeout=fctest.TIMEOUT_S)

    def test_session_of_a_more_privileged_process(self):
        """A genuine one, of root: who gave up its rights before it was executed has its own."""
        os.chmod(self.program, 0o755)
        os.mkdir(self.path("root"), 0o700)
        outer = self.compile("runs.c")
        for transport in ("shared", "pipe"):
            done = self.run_target(
                [outer, shutil.which("setpriv"), "--reuid", USER, "--regid", USER, "--clear-groups",
                 "env", "-u", "FC_DUMP_PATH", "-C", self.mine, self.program],
                env={"FC_DUMP_PATH": self.path("root"), "FC_QUIET": "1", "FC_TRANSPORT": transport})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            for folder, user, images in ((self.path("root"), 0, 2), (self.mine, int(USER), 1)):
                found = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
                self.assertEqual({os.stat(path).st_uid for path in found}, {user}, found)
                profiles = [path for path in found if not path.endswith(".fcd")]
                self.assertEqual(len(profiles), images, found)
                for path in profiles:
                    self.assertEqual(fcprofile.load(path).losses, {}, path)
                for path in found:
                    os.unlink(path)


class Restricted(fctest.Case):
    def test_program_that_may_write_no_file(self):
        """What it executes writes no profile, and may not ask the manager for its pipe: it is left that."""
        program = self.compile("restricted.c")
        for way, transport in (("exec", "shared"), ("spawn", "pipe")):
            done = self.run_quiet([program, way], env={"FC_TRANSPORT": transport})
            if done.returncode == 77:
                self.skipTest("there is no Landlock here")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            entries = fcprofile.load_descriptor(self.path("functioncheck.fcd"))  # there at the program's end
            os.unlink(self.path("functioncheck.fcd"))
            profiles = [fcprofile.load(self.path(entry.file)) for entry in entries]
            self.assertEqual([profile.losses for profile in profiles], [{}, {}])
            self.assertEqual(sorted(function.calls for profile in profiles for function in profile.functions
                                    if function.name == "leaf"), [70, 1000])


class Figures(fctest.Case):
    def test_they_never_become_an_address(self):
        """Another process of the session writes what it likes to the shared memory."""
        program = self.compile("figures.c")
        for _ in range(3):
            done = self.run_quiet([program])
            self.assertEqual((done.returncode, done.stdout), (3, b""), done.stderr)


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class Dropped(fctest.Case):
    def test_program_that_drops_its_rights(self):
        """It goes on being profiled, into the folder that was opened in time or not at all;
        it never fails for it."""
        self.share_with_others()
        program = self.compile("forks.c")
        done = subprocess.run(["setpriv", "--reuid", USER, "--clear-groups", program],
                              cwd=self.folder, env=fctest.plain_environment(),
                              capture_output=True, timeout=fctest.TIMEOUT_S, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        told = [line for line in done.stderr.decode().splitlines()
                if "can't" in line or "denied" in line]
        self.assertTrue(told, done.stderr)


if __name__ == "__main__":
    fctest.main()
