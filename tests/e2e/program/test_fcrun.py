#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcrun: the program has its own output, input, status and signals; behind it the first screen, of a profile of its own."""

import glob
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

SOURCE = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sum;
static void works(int rounds) { for (int i = 0; i < rounds; i++) sum += i * 7u; }
static volatile sig_atomic_t ended;
static void end(int number) { ended = number; }
int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    works(count > 2 ? atoi(arguments[2]) : 1000000);
    if (strcmp(how, "leaks") == 0)
        return malloc(1000) == NULL;
    if (strcmp(how, "dies") == 0)
        raise(SIGKILL);
    if (strcmp(how, "forks") == 0)
    {
        if (fork() == 0)
            _exit(0);
        wait(NULL); /* fcrun waits only for the program itself */
    }
    if (strcmp(how, "waits") == 0)
    {
        signal(SIGTERM, end), signal(SIGINT, end);
        puts("waiting"), fflush(stdout);
        while (!ended)
            usleep(1000);
        return 100 + ended;
    }
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
    return strcmp(how, "fails") == 0 ? 3 : 0;
}
"""


class Fcrun(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile(self.write("prog.c", SOURCE), "-O1", output="prog")

    def fcrun(self, *words, env=None, typed=""):
        with open(self.write("typed", typed), "rb") as file:
            return self.run_target([fctest.tool("fcrun"), *words], env=env, stdin=file)

    def check(self, done, status=0, out=b""):
        self.assertEqual((done.returncode, done.stdout), (status, out), done.stderr.decode())
        return done.stderr.decode()

    def profiles(self):
        return sorted(os.path.basename(each) for each in glob.glob(self.path("*.fc")) + glob.glob(self.path("*.fcd")))

    def test_screen(self):
        for number in (1, 2):
            told = self.check(self.fcrun("--", self.program, "plain", typed="words\n"), out=b"words\n")
            self.assertTrue(told.startswith("prog plain: "), told)
            # works, or main where the start took longer
            self.assertRegex(told, r"\n\* \w+ itself takes \d+% of the CPU time")
            self.assertTrue(told.endswith(f"\nProfile: prog-{number}.fc\n"), told)
        self.assertEqual(self.profiles(), ["prog-1.fc", "prog-2.fc"])
        told = self.check(self.fcrun("-o", "mine", "--all", self.program))
        self.assertTrue(told.endswith("\nProfile: mine.fc\n"), told)
        os.mkdir(self.path("other"))
        told = self.check(self.fcrun("--output=own.fc", self.program, env={"FC_DUMP_PATH": "other"}))
        self.assertTrue(told.endswith("\nProfile: other/own.fc\n"), told)
        told = self.check(self.fcrun("--", self.program, "forks"))
        self.assertRegex(told, r"2 processes(.|\n)*Profile: prog-3.fcd\n$")

    def test_status(self):
        told = self.check(self.fcrun("--", self.program, "fails"), 3)
        self.assertIn("exited with status 3", told)
        told = self.check(self.fcrun("--", self.program, "dies"), 128 + signal.SIGKILL)
        self.assertRegex(told, r"killed by signal 9(.|\n)*Profile: prog-2.fc\n$")
        self.assertEqual(self.check(self.fcrun("--", "./none"), 127), "fcrun: ./none: No such file or directory\n")
        self.assertEqual(self.check(self.fcrun("--", "./prog.c"), 126), "fcrun: ./prog.c: Permission denied\n")
        told = self.check(self.fcrun("--", "sh", "-c", "exit 5"), 5)
        self.assertEqual(told, "fcrun: sh: there is no profile sh-1: was it compiled with fc-config's flags?\n")
        for words, text in (((), "no program is named"), (("--repeat=0", "--", "true"), "--repeat: fewer than one run"),
                            (("--bogus",), "Unknown option --bogus")):
            self.assertEqual(self.check(self.fcrun(*words), 125), f"fcrun: {text}\nTry 'fcrun --help'.\n")
        self.assertEqual(self.check(self.fcrun("--compare=none.fc", "--", self.program), 125).split("\n")[0],
                         "fcdump: none.fc: No such file or directory")

    def signalled(self, number, group):
        """Sends it to fcrun, or to all that the terminal would."""
        with subprocess.Popen([fctest.tool("fcrun"), "--", self.program, "waits"], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=fctest.plain_environment(), process_group=0) as run:
            self.assertEqual(run.stdout.readline(), b"waiting\n")
            (os.killpg if group else os.kill)(run.pid, number)
            told = run.stderr.read().decode()
        self.assertEqual(run.returncode, 100 + number, told)
        self.assertIn("\nProfile: prog-", told)

    def test_signals(self):
        self.signalled(signal.SIGTERM, group=False)
        self.signalled(signal.SIGINT, group=False)
        self.signalled(signal.SIGINT, group=True)

    def test_memory(self):
        self.assertNotIn("leaked", self.check(self.fcrun("--", self.program, "leaks")))
        self.assertRegex(self.check(self.fcrun("--memory", "--", self.program, "leaks")), r"1000 B leaked in 1 block")

    def test_page(self):
        told = self.check(self.fcrun("--html", "--", self.program))
        self.assertTrue(told.endswith("\nPage: prog-1.html\nProfile: prog-1.fc\n"), told)
        with open(self.path("prog-1.html"), encoding="utf-8") as file:
            self.assertIn("works", file.read())

    def test_repeat(self):
        told = self.check(self.fcrun("--repeat=3", "--", self.program))
        found = re.match(r"3 runs: elapsed ([\d.e-]+) s \+-([\d.e-]+) s, CPU ([\d.e-]+) s \+-([\d.e-]+) s \(95% intervals", told)
        self.assertTrue(found, told)
        elapsed, _, cpu, _ = map(float, found.groups())
        self.assertGreater(elapsed, 0)
        self.assertGreater(cpu, 0)
        self.assertIn("\nProfiles: prog-1.fc to prog-3.fc\n", told)
        self.assertRegex(told, r"(?m)^prog: 3 runs; CPU [\d.]+ [mu]s( \+-<?\d+%)? a run$")
        self.assertRegex(told, r"(?m)^ *own +\+- +total +\+- +calls +function$")
        self.assertRegex(told, r"(?m) 1  works$")
        self.assertEqual(self.profiles(), [f"prog-{number}.fc" for number in (1, 2, 3)])
        told = self.check(self.fcrun("--repeat=3", "-o", "failing", "--", self.program, "fails"), 3)
        self.assertEqual(len(glob.glob(self.path("failing*"))), 1, "no other run after one that failed")
        self.assertTrue(told.startswith(f"fcrun: {self.program}: run 1 of 3 ended with status 3, so it was the last\n"), told)

    def test_compare(self):
        self.check(self.fcrun("--repeat=2", "-o", "old", "--", self.program, "plain", "1000000"))
        told = self.check(self.fcrun("--repeat=2", "--compare=old-1.fc", "--compare=old-2.fc", "--", self.program,
                                     "plain", "30000000"))
        self.assertIn("Difference: 2 runs before, 2 after", told)
        self.assertRegex(told, r"\ncalls +2 +2")

    def test_older_profile(self):
        """One of that name, of an earlier run, is not taken for this one's."""
        self.check(self.fcrun("-o", "same", "--", self.program))
        old = time.time() - 1000
        os.utime(self.path("same.fc"), (old, old))
        told = self.check(self.fcrun("-o", "same", "--", "true"))
        self.assertEqual(told, "fcrun: true: there is no profile same: was it compiled with fc-config's flags?\n")


if __name__ == "__main__":
    fctest.main()
