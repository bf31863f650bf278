#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What libfc.so brings into a process: the names it exports, the libraries it needs."""

import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fctest  # noqa: E402


def documented():
    """The names that the manual's section on the functions that libfc stands in for gives."""
    with open(os.path.join(fctest.SOURCE_ROOT, "doc", "inside.texi"), encoding="utf-8") as file:
        text = file.read()
    section = text[text.index("@node Stand-ins"):text.index("@node Limits")]
    names = set(re.findall(r"@code\{(\w+)\}", section))
    return names | {"__cyg_profile_func_enter", "__cyg_profile_func_exit"}


def is_operator(name):
    return re.match(r"_Z(n|d)(w|a|l)", name) is not None


class Library(fctest.Case):
    def libraries(self):
        found = glob.glob(os.path.join(fctest.PREFIX, "**", "libfc.so"), recursive=True)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def output(self, *words):
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def test_exports(self):
        text = self.output("nm", "-D", "--defined-only", self.libraries())
        names = [line.split()[-1].split("@")[0] for line in text.splitlines()
                 if " A " not in line]  # the version's own name
        self.assertIn("__cyg_profile_func_enter", names)
        self.assertIn("__cyg_profile_func_exit", names)
        self.assertEqual(sorted({name for name in names if not is_operator(name)}),
                         sorted(documented()))

    def test_needs(self):
        names = fctest.needed(self.libraries())
        self.assertIn("libc.so.6", names)
        self.assertEqual([name for name in names
                          if not re.match(r"libc\.so|ld-linux|libunwind", name)], [])

    def test_no_executable_stack_nor_text_relocation(self):
        text = self.output("readelf", "-dlW", self.libraries())
        self.assertNotIn("TEXTREL", text)
        self.assertRegex(text, r"GNU_STACK.* RW ")

    def test_soname_is_versioned(self):
        text = self.output("readelf", "-dW", self.libraries())
        self.assertRegex(text, r"SONAME.*\[libfc\.so\.\d+\]")


if __name__ == "__main__":
    fctest.main()
