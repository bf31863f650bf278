#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's examples that a comment "@c run: FOLDER" stands before, run again: each line that the manual
shows is printed today, but for the figures.  "[...]" stands for lines that the manual leaves out."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.environ["FC_SOURCE_ROOT"]
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("FC_", "LD_", "MALLOC_"))}
ENVIRONMENT.update(PATH=os.environ["FC_BINDIR"] + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
HEADERS = {
    "text.h": """static unsigned text_length(const char *text)
{
    unsigned length = 0;
    while (text[length] != 0)
        length++;
    return length;
}
""",
    "read.c": """#include "text.h"
int write_all(const char *text, int times);
static char long_text[3000];
int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 2999; i++)
        long_text[i] = 'x';
    for (int i = 0; i < 2000; i++)
        sum += text_length(long_text);
    return write_all(long_text + 1500, 4000) != 0 && sum == 0;
}
""",
    "write.c": """#include "text.h"
int write_all(const char *text, int times)
{
    unsigned sum = 0;
    for (int i = 0; i < times; i++)
        sum += text_length(text);
    return sum == 0;
}
""",
}
TRACED = """static volatile int sum;
static void leaf(int n)
{
    sum += n;
}
static void work(int times)
{
    for (int i = 0; i < times; i++)
        leaf(i);
}
int main(void)
{
    for (int i = 1; i <= 4; i++)
        work(10000 * i);
    work(2);
    return 0;
}
"""
# What issue and manual promise an example of.
OPTIONS = """--all --base --baseline --by --callgrind --chrome --classic --csv --depth --diff --dot --fail-on --flame --folded --gmon --graph --html
--image --json --last --latency --markdown --min --min-time --only --path --peek --pprof --process --rgraph --slowest --sort --speedscope --split
--suggest-filter
--thread --threads --time --top --trace --tree --units --width""".split()


def sh(command, folder):
    return subprocess.run(command, shell=True, cwd=folder, env=ENVIRONMENT, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300)


def examples():
    """(folder, [(command, lines)]) of each example that is to be run."""
    for name in ("fcdump.texi", "exports.texi", "differences.texi"):
        with open(os.path.join(ROOT, "doc", name), encoding="utf-8") as file:
            text = file.read()
        for folder, body in re.findall(r"^@c run: (\w+)\n@example\n(.*?)^@end example", text, re.M | re.S):
            body = re.sub(r"^@(end )?group\n", "", body, flags=re.M)
            body = re.sub(r"@([@{}])", r"\1", body).replace("\\\n", " ")
            parts = re.split(r"^\$ (.*)\n", body, flags=re.M)
            yield folder, list(zip(parts[1::2], parts[2::2]))


def shape(line):
    """Without what changes from run to run: figures and their units, how wide they make a column, signs, marks
    of uncertainty and how large that is, drawings, the folder that this runs in, and what an export lacks in some runs only."""
    line = re.sub(r", (repairs and losses|which times are estimates)", "", line)
    line = re.sub(r"/\S*/", "", line)
    line = re.sub(r"[?~<]?[+-]?\d+(\.\d+)?(e[+-]\d+)?( ?(ns|us|ms|s|h)\b)?", "#", line)
    line = re.sub(r"% (\?|noise) +#%", "% ?", line)  # how uncertain a change is, where that is known
    line = re.sub(r"#+( \?)?", "#", line).replace("|", " ").replace("`-", " ").replace("- ", " ")
    return " ".join(re.sub(r"-{2,}|^- ", "-", line).split()).replace("- ", "").replace(" -", "")


def shapes(text):
    return {shape(line) for line in text.splitlines()} - {""}


def without_limits(command):
    """The same that leaves nothing out: which rows are the heaviest depends on the machine."""
    return re.sub(r" --(top|min)=\S+", "", command).replace("fcdump ", "fcdump --all --depth=0 ", 1)


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="fc-manual-")
        for name in ("plain", "moved", "headers", "traced"):
            os.mkdir(os.path.join(cls.place.name, name))
        plain, moved, headers, traced = (os.path.join(cls.place.name, name)
                                         for name in ("plain", "moved", "headers", "traced"))
        with open(os.path.join(traced, "prog.c"), "w", encoding="ascii") as file:
            file.write(TRACED)
        shutil.copy(os.path.join(ROOT, "examples", "wordindex.c"), plain)
        for name, text in HEADERS.items():
            with open(os.path.join(headers, name), "w", encoding="ascii") as file:
                file.write(text)
        for folder, command in (
                (plain, "gcc -g -O2 `fc-config --cflags-libs --every-function` -o wordindex wordindex.c && ./wordindex -t 3"
                        " && FC_DUMP_NAME=more.fc ./wordindex -t 4"),
                (headers, "gcc -g -O0 `fc-config --cflags-libs` -o prog read.c write.c && ./prog"),
                (traced, "gcc -g -O0 `fc-config --cflags-libs` -o prog prog.c"
                         " && FC_TRACE=1000 FC_SLOWEST=2 FC_LATENCY=1 ./prog"),
                (moved, "cp ../plain/wordindex wordindex && ./wordindex -t 1 && mkdir there && mv wordindex there")):
            done = sh("export FC_QUIET=1; " + command, folder)
            assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_examples(self):
        seen = set()
        count = 0
        for folder, commands in examples():
            for command, expected in commands:
                with self.subTest(command):
                    self.assertTrue(expected.strip(), "nothing is shown")
                    where = os.path.join(self.place.name, folder)
                    done = [sh(text, where) for text in (command, without_limits(command))]
                    printed = set().union(*(shapes(one.stdout + one.stderr) for one in done))
                    told = shapes("\n".join(line for line in expected.splitlines() if line.strip() != "[...]"))
                    self.assertEqual(told - printed, set(), "no such lines are printed:\n"
                                     + done[0].stdout[:3000] + done[0].stderr)
                seen |= set(re.findall(r"(?<!\S)--[a-z-]+", command))
                count += 1
        self.assertGreater(count, 25)
        self.assertEqual(set(OPTIONS) - seen, set(), "options without an example that is run")


unittest.main(verbosity=2)
