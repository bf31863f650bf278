#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that leak or free wrongly: memcheck, LeakSanitizer and FunctionCheck must find
the same blocks, bytes, lines and bad frees.  The differences that are known are in the
manual, under "Other memory checkers".

Usage: differ.py leaks|objects|wrong [CASE]..."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fctest  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import checkers  # noqa: E402

SOURCES = {"leaks": "leaks.c", "objects": "objects.cc", "wrong": "wrong.cc"}
SUITE = sys.argv[1]
VALGRIND = ["valgrind", "--leak-check=full", "--show-leak-kinds=all", "--num-callers=60",
            # what the C library keeps is compared as well
            "--run-libc-freeres=no", "--run-cxx-freeres=no", "--trace-children=yes",
            # of the C library, whose frames are left out: a quarter of each run's time
            "--read-inline-info=no", "--child-silent-after-fork=no"]


# What is known to differ, by case; the manual has the reasons.
NOT_SEEN_BY_MEMCHECK = {"whole-page": [1, 4096]}  # pvalloc
OTHER_TOTALS = {"realloc-fails", "new-fails"}  # memcheck counts the one that failed
FORKING = {"forked"}  # whose children say nothing of who they are
# The loader's blocks for a thread depend on how many libraries there are, and libfc is one.
LOADER = ("the loader",)


class Differ(fctest.Case):
    shared = None  # a folder with the programs, for all tests of the class
    said = {}  # what the other checkers said, by tool and case: several tests compare with it

    def setUp(self):
        super().setUp()
        self.own = {SOURCES[SUITE]: True, "quiet.c": False}
        if not self.shared:
            type(self).shared = tempfile.mkdtemp(prefix="fc-differ-")
            self.build_programs()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def program(self, name):
        return os.path.join(self.shared, name)

    def build_programs(self):
        source = os.path.join(HERE, SOURCES[SUITE])
        compiler = "g++" if source.endswith(".cc") else "gcc"
        flags = ["-std=c++17"] if compiler == "g++" else []
        self.command(["gcc", "-g", "-O0", "-shared", "-fPIC", "-o", self.program("libquiet.so"),
                      os.path.join(HERE, "quiet.c")])
        flags += ["-w", "-Wl,--no-as-needed", "-L" + self.shared, "-Wl,-rpath," + self.shared]
        if SUITE == "leaks":
            flags += ["-Wl,--push-state,--no-as-needed", "-lquiet", "-Wl,--pop-state"]
        self.compile(source, *flags, compiler=compiler, output=self.program("profiled"))
        self.compile(source, *flags, compiler=compiler, profiled=False,
                     output=self.program("plain"))
        self.compile(source, *flags, "-fsanitize=leak", compiler=compiler, profiled=False,
                     output=self.program("lsan"))

    # ---- the three tools, each: reports of the first process and of its child ----

    def ask_valgrind(self, cases):
        """Of several cases at a time, each in a process of its own (in_turn.h): memcheck takes five times as long to
        begin as it takes for one of them."""
        done = self.run_target([*VALGRIND, "--log-file=" + self.path("vg.%p"),
                                self.program("plain"), *cases])
        texts = {}
        for name in glob.glob(self.path("vg.*")):
            with open(name, encoding="utf-8") as stream:
                texts[name.rpartition(".")[2]] = stream.read()
            os.unlink(name)
        self.assertTrue(texts, done.stderr)
        if len(cases) == 1:
            # a fork's has no header
            self.said["valgrind", cases[0]] = sorted(texts.values(), key=lambda text: "Command:" not in text)
            return
        played = dict(re.findall(r"^(\d+) plays (\S+)$", done.stdout.decode(), re.M))
        self.assertEqual(sorted(played.values()), sorted(cases), done.stderr)
        for pid, case in played.items():
            self.said["valgrind", case] = [texts[pid]]

    def run_valgrind(self, case, unwound):
        if ("valgrind", case) not in self.said:
            alone = {case} & FORKING
            self.ask_valgrind([case] if alone else [each for each in self.cases() if each not in FORKING])
        return [checkers.read_valgrind(text, self.own, unwound)
                for text in self.said["valgrind", case]]

    def run_lsan(self, case, unwound):
        if ("lsan", case) not in self.said:
            done = self.run_target([self.program("lsan"), case],
                                   env={"LSAN_OPTIONS": "fast_unwind_on_malloc=0:exitcode=0"})
            self.said["lsan", case] = done.stderr.decode("utf-8", "replace")
        said = self.said["lsan", case]
        if "LeakSanitizer has encountered a fatal error" in said:  # no ptrace here
            print(f"{case}: LeakSanitizer does not work here", file=sys.stderr)
            return None
        return checkers.read_lsan(said, self.own, unwound)

    def run_fc(self, case, unwind, **more):
        folder = self.path("fc-" + case)
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        env = {"FC_MEMORY": "1", **({"FC_MEMORY_UNWIND": "1"} if unwind else {}), **more}
        self.run_quiet([self.program("profiled"), case], env=env, cwd=folder)
        expected = "functioncheck.fcd" if case == "forked" else "functioncheck.fc*"
        fctest.wait_until(lambda: any(map(fctest.is_written, glob.glob(os.path.join(folder, expected)))),
                          f"{expected} was not written")  # a program that died could not wait
        files = sorted(glob.glob(os.path.join(folder, "functioncheck.fc*")))
        summed = "FC_ALLOW_THREAD" in more and len(files) > 1  # the files of one process
        texts = [subprocess.run([fctest.tool("fcdump"), "--json", name], capture_output=True,
                                text=True, check=True, cwd=folder,
                                env=fctest.plain_environment()).stdout
                 for name in files if name.endswith(".fcd") == summed]
        return [checkers.read_fc(text, self.own) for text in texts]

    # ---- comparing ----

    def compare_leaks(self, case, ours, theirs, lsan):
        mine, other = dict(ours.leaks), dict(theirs.leaks)
        for leaks in (mine, other):
            if LOADER in leaks:
                leaks[LOADER] = [leaks[LOADER][0], 0]
        if case in NOT_SEEN_BY_MEMCHECK:
            extra = [way for way in mine if way not in other]
            self.assertEqual([mine.pop(way) for way in extra], [NOT_SEEN_BY_MEMCHECK[case]])
        self.assertEqual(mine, other, f"{case}: memcheck's leaks are the second")
        self.assertEqual(ours.losses, [])
        if lsan is None:
            return
        for way, (blocks, size) in lsan.leaks.items():
            found = ours.states.get((way, True), [0, 0])
            self.assertLessEqual([blocks, size], list(found), f"{case}: {way} of LeakSanitizer")

    def check_case(self, case, unwind):
        theirs = self.run_valgrind(case, unwind)
        ours = self.run_fc(case, unwind)
        self.assertEqual(len(ours), len(theirs), f"{case}: profiles of {len(ours)} processes")
        if SUITE == "wrong":
            key = str
            self.assertEqual(sorted(ours[0].frees, key=key), sorted(theirs[0].frees, key=key),
                             f"{case}: memcheck's bad frees are the second")
            self.assertEqual(len(ours[0].frees), case != "nothing-wrong", case)
            return
        if len(ours) == 2:  # the child has the larger pid, or it has not: by what they leaked
            ours.sort(key=lambda report: str(sorted(report.leaks)))
            theirs.sort(key=lambda report: str(sorted(report.leaks)))
        lsan = self.run_lsan(case, unwind)
        for mine, other in zip(ours, theirs):
            self.assertEqual(mine.frees, [], f"{case}: no bad free")
            self.assertEqual(other.frees, [])
            self.compare_leaks(case, mine, other, lsan if len(ours) == 1 else None)
            if case not in OTHER_TOTALS:
                self.compare_totals(case, mine, other)

    def compare_totals(self, case, ours, theirs):
        more_blocks, more_bytes = NOT_SEEN_BY_MEMCHECK.get(case, [0, 0])
        allocations, frees, size = theirs.totals
        size += ours.leaks.get(LOADER, [0, 0])[1] - theirs.leaks.get(LOADER, [0, 0])[1]
        self.assertEqual(ours.totals, (allocations + more_blocks, frees, size + more_bytes),
                         f"{case}: allocations, frees, bytes; memcheck's are the second")

    def cases(self):
        cases = sys.argv[2:] or self.run_target([self.program("plain")]).stdout.decode().split()
        self.assertGreater(len(cases), 0)
        return cases

    def check_all(self, unwind):
        for case in self.cases():
            with self.subTest(case=case, unwind=unwind):
                self.check_case(case, unwind)

    def test_contexts(self):
        self.check_all(False)

    def test_thread_mode(self):
        """The heap is in the file of the first thread, and so in the sum of all."""
        for case in {"leaks": ("simple", "threads"), "objects": ("workers",)}.get(SUITE, ()):
            ours = self.run_fc(case, False, FC_ALLOW_THREAD="1")
            theirs = self.run_valgrind(case, False)
            self.assertEqual(len(ours), 1)
            self.compare_leaks(case, ours[0], theirs[0], None)
            self.compare_totals(case, ours[0], theirs[0])

    def check_scanned(self, case):
        """(was it looked, is all that is lost for memcheck lost for us)."""
        ours = self.run_fc(case, False, FC_MEMORY_SCAN="1")
        if len(ours) > 1 or not ours[0].scanned:
            return False, False
        mine = ours[0].lost()
        theirs = self.run_valgrind(case, False)[0].lost()
        for way, found in mine.items():
            self.assertLessEqual(found, theirs.get(way, (0, 0)), f"{case}: {way} lost for us alone")
        return True, mine == theirs

    def test_scanned(self):
        """With FC_MEMORY_SCAN nothing is lost but what memcheck calls so too, and hardly less:
        a number that looks like a pointer, on a stack that is gone, keeps a block."""
        if SUITE == "wrong":
            return
        looked, equal = [], []
        for case in self.cases():
            with self.subTest(case=case):
                if case in NOT_SEEN_BY_MEMCHECK:
                    continue
                was_looked, is_equal = self.check_scanned(case)
                looked += [case] * was_looked
                equal += [case] * is_equal
        self.assertGreater(len(looked), len(self.cases()) * 0.6, looked)
        self.assertGreater(len(equal), len(looked) * 0.6, set(looked) - set(equal))

    def test_unwound(self):
        """With FC_MEMORY_UNWIND each line of each call is theirs."""
        self.check_all(True)


if __name__ == "__main__":
    for needed in ("valgrind", "gcc", "g++"):
        if shutil.which(needed) is None:
            print(f"no {needed} here")
            sys.exit(77)
    import unittest
    unittest.main(argv=sys.argv[:1], verbosity=2)
