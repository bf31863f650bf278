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
    def run_memory(self, program, **env):
        done = self.run_quiet([program], env={"FC_MEMORY": "1", **env})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(self.command([fctest.tool("fcdump"), "--json"]))["heap"]

    def leaks(self, program, **env):
        """{function that the block was allocated in: bytes} of what is not suppressed."""
        return {place["stack"][0]["name"]: place["live_bytes"] - place["reachable_bytes"]
                for place in self.run_memory(program, **env)["places"]
                if place["suppressed_by"] is None}

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

    def test_early_new(self):
        """What constructors that run before libfc's lose by operator new; what libstdc++ itself reserves
        for exceptions is suppressed where nobody looked whether it can be reached."""
        source = os.path.join(HERE, "registry.cc")
        self.command(["g++", "-std=c++17", "-O0", "-g", "-shared", "-fPIC", source,
                      "-o", self.path("libregistry.so")])
        program = self.path("registry")
        self.command(["g++", "-std=c++17", "-O2", "-g", "-DPROGRAM", "-o", program,
                      *fctest.fc_config("--cflags-libs"), source, "-L" + self.folder,
                      "-lregistry", "-Wl,-rpath," + self.folder])
        for env in ({}, {"FC_MEMORY_SCAN": "1"}):
            with self.subTest(env=env):
                heap = self.run_memory(program, **env)
                leaked = [(place["live_bytes"], place["stack"][0]["name"], place["call"])
                          for place in heap["places"] if place["suppressed_by"] is None and
                          place["live_blocks"] > place["reachable_blocks"]]
                self.assertEqual({call for _, _, call in leaked}, {"before the start"})
                self.assertEqual({name.split("(")[0] for _, name, _ in leaked}, {"operator new"})
                self.assertEqual(sum(size for size, _, _ in leaked), 5000 + 4 + 64 + 12)
                rules = {place["suppressed_by"] for place in heap["places"]} - {None}
                self.assertEqual("early:libstdc++.so" in rules, not env)


if __name__ == "__main__":
    fctest.main()
