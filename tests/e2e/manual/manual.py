#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual and man pages tell of what the programs themselves say they have: each
variable with its default, each option, each tool; and of nothing else."""

import os
import re
import subprocess
import tempfile
import unittest

DOC = os.path.join(os.environ["FC_SOURCE_ROOT"], "doc")
BINDIR = os.environ["FC_BINDIR"]
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("FC_", "LD_", "MALLOC_"))}
ENVIRONMENT["PATH"] = BINDIR + ":" + os.environ["PATH"]


def chapter(name):
    with open(os.path.join(DOC, name), encoding="utf-8") as file:
        return file.read()


def output(command, **more):
    done = subprocess.run(command, shell=True, env=dict(ENVIRONMENT, **more), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return done.stdout + done.stderr


def options_of(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


class Manual(unittest.TestCase):
    def test_variables(self):
        with tempfile.TemporaryDirectory(prefix="fc-manual-") as folder:
            program = os.path.join(folder, "program")
            output("echo 'int main(void) { return 9; }' >%s.c &&"
                   " gcc $(fc-config --cflags-libs) %s.c -o %s" % (program, program, program))
            rows = re.findall(r"^  (FC_\w+) +(.*)$", output(program, FC_HELP="1"), re.MULTILINE)
        self.assertGreater(len(rows), 10)
        text = chapter("running.texi")
        self.assertEqual({name for name, _ in rows}, set(re.findall(r"@vindex (FC_\w+)", text)))
        items = re.split(r"(?m)^@item (?=FC_)", text)
        for name, says in rows:
            default = re.search(r"\((\w+)\)$", says)
            if default:
                item = [i for i in items if "@vindex %s\n" % name in i][0]
                self.assertIn(default.group(1), item, name)

    def test_options(self):
        for tool, name in (("fc-config", "compiling.texi"), ("fcdump", "fcdump.texi")):
            known = options_of(output(tool + " --help"))
            told = options_of(chapter(name))
            self.assertGreater(len(known), 5)
            self.assertEqual(known - told, set(), "%s: not in %s" % (tool, name))

    def test_man_pages(self):
        for tool in sorted(os.listdir(BINDIR)):
            page = chapter(tool + ".1").replace("\\-", "-")
            self.assertIn(tool, page)
            if tool != "fcmanager":  # takes none from a user
                known = options_of(output(tool + " --help"))
                self.assertEqual(options_of(page) - known, set(), tool)


unittest.main(verbosity=2)
