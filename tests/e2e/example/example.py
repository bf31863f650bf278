#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The three commands of the README on the bundled example: its output is that of a
plain build, and the report has the counts that the output implies."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.join(os.environ["FC_SOURCE_ROOT"], "examples", "wordindex.c")
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("FC_", "LD_", "MALLOC_"))}
ENVIRONMENT["PATH"] = os.environ["FC_BINDIR"] + ":" + os.environ["PATH"]


def run(command, folder, **more):
    return subprocess.run(command, shell=True, cwd=folder, env=dict(ENVIRONMENT, **more), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=120)


def flat_calls(report):
    """Function to number of calls, from the flat profile: the last two columns.  The
    report on threads has rows that look the same."""
    report = report[report.index("\nFlat profile\n"):report.index("\nCall graph")]
    rows = re.findall(r"^(?:\s*\S+ (?:ns|us|ms|s)\b.*?)\s(\d+)  (\w+)$", report, re.MULTILINE)
    return {name: int(calls) for calls, name in rows}


class Example(unittest.TestCase):
    def profile(self, compiler):
        with tempfile.TemporaryDirectory(prefix="fc-example-") as folder:
            shutil.copy(SOURCE, os.path.join(folder, "wordindex.c"))
            plain = run(compiler + " -O2 -o plain wordindex.c && ./plain -t 3", folder)
            self.assertEqual(plain.returncode, 0, plain.stderr)

            built = run(compiler + " -g -O2 `fc-config --cflags-libs` -o wordindex wordindex.c", folder)
            self.assertEqual((built.returncode, built.stderr), (0, ""))
            ran = run("./wordindex -t 3", folder)
            self.assertEqual((ran.returncode, ran.stdout), (0, plain.stdout))
            self.assertTrue(all(line.startswith(("FCheck: ", "FCMng: "))
                                for line in ran.stderr.splitlines()), ran.stderr)
            shown = run("fcdump functioncheck.fc", folder)
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))

        calls = flat_calls(shown.stdout)
        packed = int(re.search(r"packed (\d+) bytes", ran.stdout).group(1))
        for name, count in (("main", 1), ("work", 3), ("count_words", 1), ("put_bits", packed),
                            ("unpack_byte", packed), ("make_word", 400000), ("pick_rank", 400000),
                            ("next_random", 3 * 400000), ("free_table", 4)):
            self.assertEqual(calls.get(name), count, name)
        # each function of the source that ran is there, and nothing else
        with open(SOURCE, encoding="utf-8") as file:
            defined = set(re.findall(r"^(?:static )?[\w ]+[ *](\w+)\([^;]*\)\n\{", file.read(), re.MULTILINE))
        self.assertLessEqual(set(calls), defined)
        self.assertEqual(defined - set(calls), {"read_text"})

    def test_gcc(self):
        self.profile("gcc")

    def test_clang(self):
        if not shutil.which("clang"):
            self.skipTest("no clang here")
        self.profile("clang")


unittest.main(verbosity=2)
