#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the built-in suppressions must leave alone: the program's own leaks."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fctest  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


class Suppressed(fctest.Case):
    def leaks(self, program, **env):
        """{function that the block was allocated in: bytes} of what is not suppressed."""
        done = self.run_quiet([program], env={"FC_MEMORY": "1", **env})
        self.assertEqual(done.returncode, 0, done.stderr)
        heap = json.loads(self.command([fctest.tool("fcdump"), "--json"]))["heap"]
        return {place["stack"][0]["name"]: place["live_bytes"] - place["reachable_bytes"]
                for place in heap["places"] if place["suppressed_by"] is None}

    def test_like_names(self):
        """A name that begins, or is, as one of the C library's."""
        source = os.path.join(HERE, "likenames.c")
        with open(source, encoding="utf-8") as stream:
            names = re.findall(r"^LEAKING\((\w+)\)", stream.read(), re.MULTILINE)
        program = self.compile(source, "-O1", "-fno-builtin")
        for env in ({}, {"FC_MEMORY_UNWIND": "1"}):
            with self.subTest(env=env):
                self.assertEqual(self.leaks(program, **env), {name: 100 for name in names})
        # a rule of the user's fits where it says
        rules = self.write("rules", "leak:^getserv\n")
        text = self.command([fctest.tool("fcdump"), "--no-reports", "--mem-leaks",
                             "--suppress", rules])
        self.assertIn(f"1 block of 100 bytes by leak:^getserv ({rules})", text)


if __name__ == "__main__":
    fctest.main()
