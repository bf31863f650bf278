#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A manager that the environment names is started only where nobody but the user, or root, can have
chosen it: each sentence of the rule in libfc/base/trust.h.  All of it needs root."""

import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fctest  # noqa: E402
import test_secure  # noqa: E402

# In the folders that FunctionCheck was built for, which it looks into where its own have none that it may use.
INSTALLED = os.path.join("/", os.path.relpath(fctest.tool("fcmanager"), os.path.join(fctest.BUILD_ROOT, "stage")))
unless_installed = unittest.skipIf(os.path.exists(INSTALLED), f"{INSTALLED} would be used in place of what is missing here")


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class Named(test_secure.Privileged):
    """Which manager is started that the environment names."""

    OTHER = int(test_secure.USER) + 1
    OF_OTHERS = test_secure.SettingsFile.OF_OTHERS

    def setUp(self):
        super().setUp()
        os.chmod(self.program, 0o755)
        self.ran = self.path("ran")
        os.mkdir(self.ran)
        os.chmod(self.ran, 0o777)
        self.own = self.manager(os.path.join(self.mine, "manager"), f"""
            char name[64];
            snprintf(name, sizeof name, "{self.ran}/%d-%d", (int)geteuid(), (int)getegid());
            fclose(fopen(name, "w"));
            return 1;""")
        os.chown(self.own, int(test_secure.USER), int(test_secure.USER))

    def who_ran(self):
        found = os.listdir(self.ran)
        for name in found:
            os.unlink(os.path.join(self.ran, name))
        return found

    def check_refused(self, *words, manager=None, reason=f"it {OF_OTHERS}", as_user=True, **env):
        """It is said why, and the installed one does the work."""
        manager = manager or self.own
        run = self.run_as_user if as_user else self.run_there
        done = run(*(words or [self.program]), FC_MANAGER=manager, FC_DUMP_PATH=self.ran, **env)
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        self.assertIn(f"FCheck: the profile manager {manager} is not used: {reason}\n", done.stderr.decode())
        self.assertEqual(self.who_ran(), ["functioncheck.fc"])

    def run_there(self, *words, **env):
        return self.run_target([*words], env={"FC_VERBOSE": "", **env}, cwd=self.path())

    def test_users_own(self):
        """What works as ever: group-writable, too, for the group that is the user's alone."""
        for mode in (0o755, 0o775):
            os.chmod(self.own, mode)
            os.chmod(self.mine, mode)
            self.assertEqual(self.run_as_user(FC_MANAGER=self.own).returncode, 0)
            self.assertEqual(self.who_ran(), [f"{test_secure.USER}-{test_secure.USER}"])
        os.chmod(self.own, 0o757)
        self.check_refused()
        os.chmod(self.own, 0o775)
        os.chown(self.mine, int(test_secure.USER), 0)
        self.check_refused(reason=f"its folder {self.mine} {self.OF_OTHERS}")

    def test_helper_that_becomes_its_owner(self):
        """The executed program has no more than its owner's ids, whatever its parent is."""
        for user, group, mode in ((0, 0, 0o4755), (self.OTHER, 0, 0o4755), (0, self.OTHER, 0o2755),
                                  (self.OTHER, self.OTHER, 0o6755)):
            helper = self.set_uid("raise.c", user, group, mode)
            for way in ("keep", "orphan"):
                with self.subTest(user=user, group=group, way=way):
                    self.check_refused(helper, way, self.program)
            done = self.run_as_user("/bin/sh", "-c", f"{helper} keep {self.program}; exit $?",
                                    FC_MANAGER=self.own, FC_QUIET="1", FC_DUMP_PATH=self.ran)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(self.who_ran(), ["functioncheck.fc"])

    def test_capabilities(self):
        """Those that an executed program inherits make it more than its user, too."""
        words = ["setpriv", "--reuid", test_secure.USER, "--regid", test_secure.USER, "--clear-groups", "--inh-caps", "+net_raw",
                 "--ambient-caps", "+net_raw", self.program]
        self.check_refused(*words, as_user=False)

    def test_root(self):
        evil = self.path("evil")
        shutil.copy(self.own, evil)
        script = self.write("script", f"#!/bin/sh\n: > {self.ran}/script\n")
        os.chmod(script, 0o755)
        self.assertEqual(self.run_there(self.program, FC_MANAGER=evil).returncode, 0)
        self.assertEqual(self.who_ran(), ["0-0"])
        no_manager = "it is no fcmanager, and no other program of root's is run"
        for manager in (script, "/bin/true", self.path("link")):
            if not os.path.exists(manager):
                os.symlink("/bin/true", manager)
            self.check_refused(manager=manager, reason=no_manager, as_user=False)
            self.check_refused(manager=manager, reason=no_manager)
        self.check_refused(as_user=False)  # as with sudo: of the user, in the user's folder
        for folder, owner, mode in ((self.mine, int(test_secure.USER), 0o755), (self.path("open"), 0, 0o777),
                                    (self.path("group"), 0, 0o775)):
            os.makedirs(folder, exist_ok=True)
            os.chown(folder, owner, owner)
            os.chmod(folder, mode)
            shutil.copy(evil, os.path.join(folder, "of-root"))
            self.check_refused(manager=os.path.join(folder, "of-root"), as_user=False,
                               reason=f"its folder {folder} {self.OF_OTHERS}")
        os.chmod(self.path("open"), 0o1777)  # in which nobody replaces what is another's
        self.run_there(self.program, FC_MANAGER=self.path("open", "of-root"))
        self.assertEqual(self.who_ran(), ["0-0"])

    @unless_installed
    def test_path(self):
        """PATH is as much of the environment; here the installed one is missing."""
        os.unlink(os.path.join(self.bindir, "fcmanager"))
        os.rename(self.own, os.path.join(self.mine, "fcmanager"))
        done = self.run_there(self.program, PATH=f"{self.mine}:/usr/bin:/bin")
        self.assertIn(f"{self.mine}/fcmanager is not used: it {self.OF_OTHERS}", done.stderr.decode())
        self.assertEqual(self.who_ran(), [])
        self.run_as_user(PATH=f"{self.mine}:/usr/bin:/bin")
        self.assertEqual(self.who_ran(), [f"{test_secure.USER}-{test_secure.USER}"])

    @unless_installed
    def test_installed(self):
        """Who can change libfc is in the process; nobody else can change the rest of it."""
        shutil.copytree(self.path("prefix"), self.path("open"), symlinks=True)
        os.chmod(self.path("open"), 0o777)
        os.chmod(self.bindir, 0o777)
        shutil.copy(self.own, os.path.join(self.bindir, "fcmanager"))
        done = self.run_there(self.program, FC_DUMP_PATH=self.ran)
        self.assertIn(f"fcmanager is not used: its folder {os.path.realpath(self.bindir)} {self.OF_OTHERS}",
                      done.stderr.decode())
        self.assertNotIn("0-0", self.who_ran())
        shutil.copy(fctest.tool("fcmanager"), os.path.join(self.bindir, "fcmanager"))
        os.chmod(self.bindir, 0o755)
        filters = self.path("prefix", "libexec", "functioncheck")
        os.chmod(filters, 0o777)
        done = self.run_there(self.program, FC_DUMP_PATH=self.ran, FC_FILTER="skip:main")
        self.assertRegex(done.stderr.decode(), f"fcfilter could not be started: .*{filters} {self.OF_OTHERS}, all is")
        self.assertEqual(self.who_ran(), ["functioncheck.fc"])
        self.bindir = self.path("open", os.path.relpath(fctest.BINDIR, fctest.PREFIX))
        self.run_there(self.compile("nesting.c"), FC_DUMP_PATH=self.ran)
        self.assertEqual(self.who_ran(), ["functioncheck.fc"])
        # of one who builds where a group may write
        for folder, _, _ in os.walk(self.path("open")):
            os.chown(folder, int(test_secure.USER), self.OTHER)
            os.chmod(folder, 0o775)
        done = self.run_as_user(FC_DUMP_PATH=self.ran)
        self.assertNotIn("is not used", done.stderr.decode())
        self.assertEqual(self.who_ran(), ["functioncheck.fc"])

    def test_saved_ids(self):
        """Those to which a process can go back: it loads what is profiled when it has changed them."""
        library = self.compile(self.write("late.c", "void late(void); void late(void) {}"), "-shared", "-fPIC",
                               output="late.so")
        program = self.compile(self.write("loads.c", f"""
            #include <dlfcn.h>
            #include <stdlib.h>
            #include <unistd.h>
            int main(int argc, char **argv)
            {{
                if (argc != 3 || setresgid(0, 0, atoi(argv[1])) || setresuid(0, 0, atoi(argv[2])))
                    return 125;
                void *library = dlopen("{library}", RTLD_NOW);
                void (*late)(void) = library ? (void (*)(void))dlsym(library, "late") : 0;
                return late ? late(), 0 : 126;
            }}"""), profiled=False)
        for ids, said in (((0, 0), b""), ((0, self.OTHER), self.NOT_PROFILED), ((self.OTHER, 0), self.NOT_PROFILED)):
            done = self.run_there(program, *map(str, ids), FC_DUMP_PATH=self.ran)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual(self.who_ran(), [] if said else ["functioncheck.fc"])

    def test_managers_environment(self):
        """What would have the C library load code in it stays behind."""
        manager = self.manager(self.path("manager"), f"""
            extern char **environ;
            for (char **at = environ; *at; at++)
                fprintf(stderr, "%s\\n", *at);
            return 1;""")
        done = self.run_there(self.program, FC_MANAGER=manager, GCONV_PATH="/tmp/no-such", CHARSET="no-such", LOCPATH="/tmp/no-such",
                              KEPT="1", LD_LIBRARY_PATH="/tmp/no-such", G_DEBUG="no-such")
        kept = [line for line in done.stderr.decode().splitlines() if "=" in line]
        self.assertIn("KEPT=1", kept)
        self.assertEqual([line for line in kept if "no-such" in line.partition("=")[2].split("/")], [])


if __name__ == "__main__":
    fctest.main()
