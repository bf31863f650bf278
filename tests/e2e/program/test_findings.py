#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the first screen says of real programs: where one died, memory that was freed wrongly, functions that call one
another."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402


class Findings(fctest.Case):
    def findings(self, source, status=0, **env):
        program = self.compile(self.write("program.c", source), "-O0")
        self.assertEqual(self.run_quiet([program], env=env).returncode, status)
        text = self.command([fctest.tool("fcdump"), "--width=80", self.path("functioncheck.fc")])
        return [line[2:] for line in text.splitlines() if line.startswith("* ")]

    def test_death(self):
        found = self.findings("""#include <stdlib.h>
            static void inner(void) { abort(); }
            static void outer(void) { inner(); }
            int main(void) { outer(); return 0; }""", -6)
        self.assertEqual(found[0], "It died in inner, called by outer, main: --threads")

    def test_bad_free(self):
        source = """#include <stdlib.h>
            int main(void) { char *block = malloc(10); free(block); %s return 0; }"""
        found = self.findings(source % "", FC_MEMORY="1")
        self.assertFalse([each for each in found if "freed wrongly" in each])
        found = self.findings(source % "free(block);", -6, FC_MEMORY="1")
        self.assertIn("Memory is freed wrongly 1 time: --mem-free", found)

    def test_cycle(self):
        source = """#include <stdlib.h>
            static int odd(int n);
            static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
            static int odd(int n) { return n == 0 ? 0 : %s; }
            int main(void) { int sum = 0; for (int i = 0; i < 2000; i++) sum += even(100); return sum == 1; }"""
        found = self.findings(source % "even(n - 1)")
        self.assertTrue([each for each in found if "and 1 other function call one another: --cycles" in each], found)
        found = self.findings(source % "n")
        self.assertFalse([each for each in found if "call one another" in each], found)


if __name__ == "__main__":
    fctest.main()
