#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the first screen says of real programs: where one died, memory that was freed wrongly."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402


class Findings(fctest.Case):
    def findings(self, source, status=0, **env):
        program = self.compile(self.write("program.c", source), "-O0")
        if os.path.exists(self.path("functioncheck.fc")):
            os.remove(self.path("functioncheck.fc"))
        self.assertEqual(self.run_quiet([program], env=env).returncode, status)
        if status < 0:  # the profile of one that was killed is written behind it
            self.wait_for_file()
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


if __name__ == "__main__":
    fctest.main()
