#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs that live on forks and execs: dash, at scripts and at a package's
configure, and GNU make, at a parallel build and at its own test suite.  They do what
plain builds do, and each count of each process is that of the oracle beside it.  The two largest trees
take one transport each, as a run costs ten seconds of processor time: configure, of one process at a time,
the pipe; the parallel build shared memory.  The others take both.

Usage: test_processes.py [Script|Configure|Build|Suite]...

Suite takes one to one and a half minutes alone and up to four beside other tests, of which it uses a processor for 20
to 30 s: make's own tests, above all those of --output-sync and -j, wait for seconds again and again.  Build takes
18 s of processor time, two thirds of it the compiler's for dash and make, and two minutes beside other tests: it is
thousands of processes, each of which begins and ends a profile.
"""

import glob
import json
import os
import re
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from real import HERE, TRANSPORTS, RealProgram, fcprofile, fctest, main  # noqa: E402
from programs import build_dash, build_make, configure_dash, copy_source  # noqa: E402

LONG_S = 900  # for a command


def contents(folder, names):
    found = {}
    for name in names:
        with open(os.path.join(folder, name), "rb") as stream:
            found[name] = stream.read()
    return found


def build_both(build, path, prefix=""):
    """The program that is compared with, and the one to be profiled."""
    return {name: build(path(prefix + name), kind)
            for name, kind in (("plain", "reference"), ("profiled", "profiled"))}


class Tree(RealProgram):
    def check_tree(self, files, profiles, descriptor, least_processes):
        """All of one session, and as the oracle counted."""
        loaded = [fcprofile.load(path) for path in profiles]
        calls = self.check_pairs(files, loaded)
        self.assertGreaterEqual(len(loaded), least_processes)
        for profile in loaded:
            self.check_bounds(profile)
            self.assertEqual(profile.repairs.get("unmatched-exit", 0), 0, profile.arguments)
        self.assertEqual(len({profile.unique_id for profile in loaded}), 1)
        named = {os.path.join(os.path.dirname(descriptor), entry.file)
                 for entry in fcprofile.load_descriptor(descriptor)}
        self.assertEqual(named, set(profiles))
        pids = {profile.pid for profile in loaded}
        self.check_sum(descriptor, calls)
        return [profile for profile in loaded if profile.ppid not in pids]

    def check_sum(self, descriptor, calls):
        """fcdump sums all of the processes."""
        done = self.run_target([fctest.tool("fcdump"), "--json", descriptor], timeout=LONG_S)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        functions = json.loads(done.stdout)["functions"]
        self.assertEqual(sum(function["calls"] for function in functions), calls)

    def remake(self, folder, pristine):
        """The folder as it was, under its own name: results may hold it."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(pristine, folder, symlinks=True)


class Script(Tree):
    def test_script(self):
        plain = build_dash(self.path("plain"), "reference")
        profiled = build_dash(self.path("profiled"), "profiled")
        script = os.path.join(HERE, "work.sh")
        expected = self.run_target([plain, script, plain])
        self.assertEqual((expected.returncode, expected.stderr), (3, b""))
        self.assertIn(b"fibonacci: 34\n", expected.stdout)
        for transport in TRANSPORTS:
            env = {"FC_TRANSPORT": transport}
            self.same(self.run_quiet([profiled, script, profiled], env=env), expected)
            done, *results = self.profile_tree([profiled, script, profiled], transport, env=env)
            self.same(done, expected)
            roots = self.check_tree(*results, 200)
            self.assertEqual([(root.end, root.end_value) for root in roots], [("exit", 3)])


class Configure(Tree):
    def test_configure(self):
        """A real script of 6,000 lines, which makes some thousand processes."""
        shells = build_both(build_dash, self.path)
        folder = self.path("work")
        self.remake(self.path("pristine"), copy_source("dash", self.path("package")))
        shell = self.path("shell")  # one name for both, as it is in what is made

        def configure(kind, transport=None):
            self.remake(folder, self.path("pristine"))
            if os.path.lexists(shell):
                os.unlink(shell)
            os.symlink(shells[kind], shell)
            words = [shell, "./configure", "--disable-lineno"]
            env = {"CONFIG_SHELL": shell, "SHELL": shell}
            results = ()
            if transport is None:
                done = self.run_target(words, cwd=folder, env=env, timeout=LONG_S)
            else:
                env["FC_TRANSPORT"] = transport
                done, *results = self.profile_tree(words, transport, cwd=folder, env=env,
                                                   timeout=LONG_S)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            made = contents(folder, ["config.h", "Makefile", "src/Makefile", "config.status"])
            return done, made, results

        expected, made, _ = configure("plain")
        done, found, results = configure("profiled", "pipe")
        self.same(done, expected)
        self.assertEqual(found, made)
        self.check_tree(*results, 500)


class Build(Tree):
    def test_parallel_build(self):
        """make -j4 builds dash, with dash for its shell."""
        shells = build_both(build_dash, self.path)
        makes = build_both(build_make, self.path, "make-")
        folder, pristine = self.path("work"), self.path("pristine")
        configure_dash(folder, "plain")
        shutil.copytree(folder, pristine, symlinks=True)

        def make(kind, transport=None):
            self.remake(folder, pristine)
            words = [makes[kind], "-j4", "CFLAGS=-O0 -w", "SHELL=" + shells[kind]]
            results = ()
            if transport is None:
                done = self.run_target(words, cwd=folder, timeout=LONG_S)
            else:
                done, *results = self.profile_tree(words, transport, cwd=folder, timeout=LONG_S,
                                                   env={"FC_TRANSPORT": transport})
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            # in parallel lines come in another order each time
            lines = sorted(re.sub(rb"\[\d+\]|make-(plain|profiled)/|/(plain|profiled)/", b"",
                                  line) for line in done.stdout.splitlines())
            return lines, contents(folder, ["src/dash"]), results

        lines, made, _ = make("plain")
        found_lines, found, results = make("profiled", "shared")
        self.assertEqual(found_lines, lines)
        self.assertEqual(found, made)
        roots = self.check_tree(*results, 50)
        # it executes itself when it has remade a makefile
        self.assertEqual({(root.pid, os.path.basename(root.executable)) for root in roots},
                         {(roots[0].pid, "make")})


class Suite(Tree):
    def change(self, path, changes):
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        for old, new in changes.items():
            if isinstance(old, str):
                old = re.compile(re.escape(old))
            text, count = old.subn(lambda _, new=new: new, text)
            self.assertEqual(count, 1, old)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)

    def start(self, kind, make, **env):
        """make's own test suite in a copy of its own.  It starts each make with an
        environment of its own as well, but for a list of names, to which ours are added."""
        folder = self.path("suite-" + kind)
        built = os.path.dirname(make)
        shutil.copytree(built, folder, symlinks=True)
        self.change(os.path.join(folder, "tests", "test_driver.pl"), {
            "'LD_LIBRARY_PATH',": "".join(f"'{name}', " for name in ("LD_LIBRARY_PATH", *env)),
            re.compile(r"\$test_timeout = \d+;"): "$test_timeout = 300;",
            # process ids come again: a name for each command keeps the profiles apart; every
            # other command goes over the pipe
            "  my $orig = $SIG{ALRM};": "  $ENV{FC_DUMP_NAME} = 'command' . ++$our_commands;\n"
                                        "  $ENV{FC_TRANSPORT} = (qw(shared pipe))[$our_commands % 2];\n"
                                        "  my $orig = $SIG{ALRM};"})
        # a busy machine is no failure: nor where a test has a limit of its own, or waits for another process
        self.change(os.path.join(folder, "tests", "run_make_tests.pl"),
                    {"$timeout and $test_timeout = $timeout;": ""})
        # what sleeps for a second less than another is to be the first of the two there, too
        self.change(os.path.join(folder, "tests", "thelp.pl"),
                    {re.compile(r"my \$timeout = \d+;"): "my $timeout = 300;", "sleep($nm);": "sleep(4 * $nm);"})
        # of later versions than 4.3 two go wrong without us, too: one goes by when others write, one reads its standard input
        if "GNU Make 4.3\n" not in subprocess.check_output([os.path.join(folder, "make"), "--version"], text=True):
            for name in ("output-sync", "temp_stdin"):
                os.remove(os.path.join(folder, "tests", "scripts", "features", name))

        def limit_files():  # as make's own makefile does: a test opens as many as it can
            resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))

        return subprocess.Popen(
            ["perl", "./run_make_tests.pl", "-srcdir", folder, "-make", "../make"],
            cwd=os.path.join(folder, "tests"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, preexec_fn=limit_files,
            # one of its tests complains where there is none, and names its folder
            env=fctest.plain_environment(SHELL="/bin/sh", **env))

    def test_own_suite(self):
        plain = build_make(self.path("plain"), "reference")
        profiled = build_make(self.path("profiled"), "profiled")
        out = self.path("out")
        os.makedirs(out)
        running = {"plain": self.start("plain", plain),
                   "profiled": self.start(
                       "profiled", profiled, FC_QUIET="1", FC_USE_PID="1", FC_TRANSPORT="shared",
                       FC_DUMP_PATH=out, LD_PRELOAD=fctest.ORACLE, ORACLE_BESIDE="1",
                       ORACLE_OUT=os.path.join(out, "oracle"))}
        said = {kind: process.communicate(timeout=LONG_S)[0] for kind, process in running.items()}
        for kind, text in said.items():
            self.assertIn("No Failures", text, f"{kind}:\n{text[-3000:]}")
            self.assertEqual(running[kind].returncode, 0)
        self.assertEqual(said["profiled"], said["plain"])
        self.wait_for_managers("--directory=" + out)
        profiles = set(glob.glob(os.path.join(out, "*.fc*")))
        profiles -= set(glob.glob(os.path.join(out, "*.fcd")))
        numbers = [re.search(r"/command(\d+)\.", path) for path in profiles]
        for which in range(len(TRANSPORTS)):
            self.assertGreaterEqual(sum(int(number[1]) % 2 == which for number in numbers if number), 350)
        loaded = [fcprofile.load(path) for path in profiles]
        self.check_pairs(glob.glob(os.path.join(out, "oracle.*")), loaded)
        for profile in loaded:
            self.check_bounds(profile)


if __name__ == "__main__":
    main("dash", "make-dfsg")
