#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A set-uid program is not led anywhere by the user who runs it: not to a manager, a folder, a
name, a resource file or a session of his choice.  Needs root to make one."""

import os
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fctest  # noqa: E402

USER = "54321"


def may_be_used(folder):
    """Whether other users reach the folder, and set-uid works there."""
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        return False
    while folder != "/":
        if not os.stat(folder).st_mode & stat.S_IXOTH:
            return False
        folder = os.path.dirname(folder)
    return True


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class SetUid(fctest.Case):
    def setUp(self):
        super().setUp()
        self.share_with_others()
        if not may_be_used(self.folder):
            self.skipTest("another user can't get at the folder, or it is mounted nosuid")
        self.program = self.compile("nesting.c")
        os.chmod(self.program, 0o4755)
        self.mine = self.path("user")
        os.mkdir(self.mine)
        os.chown(self.mine, int(USER), int(USER))

    def run_as_user(self, cwd=None, **env):
        words = ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", self.program]
        return self.run_target(words, env=env, cwd=cwd or self.mine)

    def test_manager_is_not_the_users(self):
        evil = self.write("evil", f"#!/bin/sh\necho evil > {self.mine}/proof\n")
        os.chmod(evil, 0o755)
        done = self.run_as_user(FC_MANAGER=evil, PATH=f"{self.mine}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.mine, "proof")))

    def test_paths_are_ignored(self):
        target = self.path("rootonly")
        os.mkdir(target, 0o700)
        for env in ({"FC_DUMP_PATH": target}, {"FC_DUMP_NAME": "chosen"}):
            done = self.run_as_user(**env)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(target), [])
        self.assertFalse([name for name in os.listdir(self.mine) if name.startswith("chosen")])

    def test_resource_file_is_ignored(self):
        target = self.path("rootonly")
        os.mkdir(target, 0o700)
        with open(os.path.join(self.mine, ".functioncheckrc"), "w", encoding="utf-8") as stream:
            stream.write(f"FC_DUMP_PATH {target}\nFC_DUMP_NAME chosen\n")
        self.assertEqual(self.run_as_user().returncode, 0)
        self.assertEqual(os.listdir(target), [])

    def test_links_are_not_followed(self):
        victim = self.write("victim", "precious\n")
        os.chmod(victim, 0o600)
        for name in ("functioncheck.fc", "functioncheck.fcd"):
            os.symlink(victim, os.path.join(self.mine, name))
        self.assertEqual(self.run_as_user().returncode, 0)
        with open(victim, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "precious\n")

    def test_address_of_a_session_is_ignored(self):
        done = self.run_as_user(FC_SESSION="1:3:4:0:5:6:7:1:2")
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        # and the program can be told nothing by it
        self.assertNotIn(b"crash", done.stderr)


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
