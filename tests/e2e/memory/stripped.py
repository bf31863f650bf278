#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the C library keeps on purpose, where it has its dynamic symbols only: the rules that can
fit do, the report says what can't be told, and a scan needs no names."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fctest  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keeps.c")
LOST = [2, 4, 12, 777]


def readelf(option, path):
    return subprocess.run(["readelf", option, path], capture_output=True, text=True, check=True,
                          env=fctest.plain_environment()).stdout


class Stripped(fctest.Case):
    def libc_alone(self, program):
        """A folder with a C library that no debug file belongs to; it is the same otherwise."""
        text = self.command(["ldd", program])
        path = re.search(r"libc\.so\.6 => (\S+)", text).group(1)
        with open(path, "rb") as stream:
            data = bytearray(stream.read())
        build_id = bytes.fromhex(re.search(r"Build ID: (\w+)", readelf("-n", path)).group(1))
        data[data.index(build_id)] ^= 0xff
        link = data.find(build_id[1:].hex().encode() + b".debug")
        if link >= 0:
            data[link] = ord("z")
        folder = self.path("alone")
        os.makedirs(folder, exist_ok=True)
        copy = os.path.join(folder, "libc.so.6")
        with open(copy, "wb") as stream:
            stream.write(data)
        if ".symtab" in readelf("-SW", copy):
            self.command(["strip", copy])
        return folder

    def run_memory(self, program, folder, **env):
        if folder:
            env["LD_LIBRARY_PATH"] = folder
        done = self.run_quiet([program], env={"FC_MEMORY": "1", **env})
        self.assertEqual((done.returncode, done.stdout), (0, b"hello\n"), done.stderr)
        file = self.path("functioncheck.fc")
        heap = json.loads(self.command([fctest.tool("fcdump"), "--json", file]))["heap"]
        return heap, self.command([fctest.tool("fcdump"), "--no-reports", "--mem-leaks", file])

    @staticmethod
    def leaks(heap):
        """(bytes, blocks, functions) of each place whose blocks are leaks."""
        return [(place["live_bytes"] - place["reachable_bytes"],
                 place["live_blocks"] - place["reachable_blocks"],
                 [frame["name"] for frame in place["stack"]])
                for place in heap["places"] if place["suppressed_by"] is None and
                place["live_blocks"] > place["reachable_blocks"]]

    def check(self, program, folder):
        heap, text = self.run_memory(program, folder)
        rules = {place["suppressed_by"] for place in heap["places"]} - {None}
        self.assertLessEqual({"direct:/ld-linux", "direct:^_IO_file_doallocate$", "leak:^getpw",
                              "leak:^getgr", "leak:^getserv", "leak:^gethostby"}, rules)
        unnamed = sum(blocks for _, blocks, stack in self.leaks(heap)
                      if re.search(r"libc\.so\.6\+", stack[0]))
        self.assertGreater(unnamed, 10)
        self.assertEqual(heap["unnamed"]["blocks"], unnamed)
        self.assertIn(f"{unnamed} blocks of {heap['unnamed']['bytes']} bytes of these were "
                      "allocated within the C library.", text)
        self.assertIn("as in strdup; FC_MEMORY_UNWIND=1 finds who called that.", text)
        # none of them is one of the program's own
        self.assertEqual([stack for size, _, stack in self.leaks(heap)
                          if stack[0] in ("loses", "strdup") and "loses" in stack and size == 777],
                         [["loses", "main"]])

        heap, text = self.run_memory(program, folder, FC_MEMORY_UNWIND="1")
        self.assertNotIn("finds who called that", text)
        rules = {place["suppressed_by"] for place in heap["places"]} - {None}
        self.assertLessEqual({"leak:^setlocale$", "leak:^bindtextdomain$", "leak:^textdomain$"},
                             rules)
        self.assertEqual([stack for _, _, stack in self.leaks(heap) if "users" in stack], [])
        self.assertEqual(len([stack for _, _, stack in self.leaks(heap) if "loses" in stack]), 4)
        self.check_scan(program, folder)

    def check_scan(self, program, folder):
        heap, text = self.run_memory(program, folder, FC_MEMORY_SCAN="1")
        self.assertEqual(heap["unnamed"], {"blocks": 0, "bytes": 0})
        self.assertNotIn("Without its symbols", text)
        self.assertIn("3 blocks of 18 bytes of these were allocated within the C library, as in strdup", text)
        self.assertEqual(sorted(size for size, _, _ in self.leaks(heap)), LOST)

    def test_compilers(self):
        for compiler in ("gcc", "clang"):
            program = self.compile(SOURCE, "-w", compiler=compiler, output="keeps-" + compiler)
            with self.subTest(compiler=compiler):
                self.check(program, self.libc_alone(program))
                self.check_scan(program, None)


if __name__ == "__main__":
    fctest.main()
