#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The three commands of the README on the bundled example: its output is that of a
plain build, and the report has the counts that the output implies."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
from machine import MACHINE  # noqa: E402

SOURCE = os.path.join(os.environ["FC_SOURCE_ROOT"], "examples", "wordindex.c")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("FC_", "LD_", "MALLOC_"))}
ENVIRONMENT["PATH"] = os.environ["FC_BINDIR"] + ":" + os.environ["PATH"]


def run(command, folder, **more):
    return subprocess.run(command, shell=True, cwd=folder, env=dict(ENVIRONMENT, **more), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300)


def flat_calls(report):
    """Function to number of calls, from the flat profile: the last two columns.  The
    report on threads has rows that look the same."""
    report = report[report.index("\nFlat profile\n"):report.index("\nCall graph")]
    rows = re.findall(r"^(?:\s*\S+ (?:ns|us|ms|s)\b.*?)\s(\d+)  (\w+)$", report, re.MULTILINE)
    return {name: int(calls) for calls, name in rows}


class Example(unittest.TestCase):
    def profile(self, compiler, option=""):
        with tempfile.TemporaryDirectory(prefix="fc-example-") as folder:
            shutil.copy(SOURCE, os.path.join(folder, "wordindex.c"))
            plain = run(compiler + " -O2 -o plain wordindex.c && ./plain -t 3", folder)
            self.assertEqual(plain.returncode, 0, plain.stderr)

            built = run(compiler + f" -g -O2 `fc-config --cflags-libs {option}` -o wordindex wordindex.c", folder)
            self.assertEqual((built.returncode, built.stderr), (0, ""))
            ran = run("./wordindex -t 3", folder)
            self.assertEqual((ran.returncode, ran.stdout), (0, plain.stdout))
            self.assertTrue(all(line.startswith(("FCheck: ", "FCMng: "))
                                for line in ran.stderr.splitlines()), ran.stderr)
            reports = [run("fcdump functioncheck.fc " + options, folder) for options in (
                "--width=80", "--classic")]
            for shown in reports:
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            screen, classic = (shown.stdout for shown in reports)

        self.assertLessEqual(len(screen.splitlines()), 23)  # and a prompt
        if compiler == "gcc" and not option and MACHINE == "x86_64":
            self.check_pictures(screen)
        self.check_calls(flat_calls(classic), ran, bool(option))

    def check_calls(self, calls, ran, is_every):
        """By default those that the compiler has not inlined."""
        packed = int(re.search(r"packed (\d+) bytes", ran.stdout).group(1))
        for name, count in (("main", 1), ("work", 3), ("count_words", 1), ("put_bits", packed),
                            ("unpack_byte", packed), ("make_word", 400000), ("pick_rank", 400000),
                            ("next_random", 3 * 400000), ("free_table", 4)):
            if is_every or name in ("main", "work"):
                self.assertEqual(calls.get(name), count, name)
            else:  # some of its calls may be gone, or all
                self.assertLessEqual(calls.get(name, 0), count, name)
        # each function of the source that ran is there, and nothing else
        with open(SOURCE, encoding="utf-8") as file:
            defined = set(re.findall(r"^(?:static )?[\w ]+[ *](\w+)\([^;]*\)\n\{", file.read(), re.MULTILINE))
        self.assertLessEqual(set(calls), defined)
        if is_every:
            self.assertEqual(defined - set(calls), {"read_text"})
        else:
            self.assertLessEqual({"main", "work", "check_packing", "make_text", "add_word"}, set(calls))

    def check_pictures(self, report):
        """What the README and the manual show is what is printed today.  Which functions are the heaviest depends on
        the machine, and what is known of them."""
        root = os.environ["FC_SOURCE_ROOT"]
        with open(os.path.join(root, "doc", "sample.txt"), encoding="utf-8") as file:
            sample = file.read()
        with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
            readme = file.read()
        indented = "".join("    " + line if line.strip() else line
                           for line in sample.splitlines(keepends=True))
        self.assertIn(indented, readme, "the README shows another report than the manual")
        for text in (sample, report):
            lines = text.splitlines()
            self.assertRegex(lines[0], r"^wordindex.*: .* m?s; CPU .* m?s; \d threads; [\d.]+ k calls(; |$)")
            self.assertTrue(all(len(line) <= 80 for line in lines), text)
            findings = [line for line in lines if line.startswith("* ")]
            self.assertIn(len(findings), (1, 2, 3), text)
            at = lines.index("", lines.index("") + 1) + 1
            self.assertRegex(lines[at], r"^ *own +\+- +% +total( +waited)? +calls +function$")
            rows = lines[at + 1:at + 16]
            for row in rows:
                self.assertRegex(row, r"^ *[\d.]+ [num]?s +(<?>?\d+%|\?)? +[\d.]+% .* \w+$")
            self.assertTrue({"pack", "check_packing", "find_slot"} <= {row.split()[-1] for row in rows}, text)
            self.assertRegex(lines[at + 16], r"(^|\. )\d+ more: --all\.( How sure: --notes\.)?$")

    def test_gcc(self):
        self.profile("gcc")
        self.profile("gcc", "--every-function")

    def test_clang(self):
        if not shutil.which("clang"):
            self.skipTest("no clang here")
        self.profile("clang")
        self.profile("clang", "--every-function")


unittest.main(verbosity=2)
