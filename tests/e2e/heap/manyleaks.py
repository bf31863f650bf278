#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of thousands of blocks that were never freed: each is in the list of version 3.0, our
own sections say of a place what is common to its blocks, and whoever reads the file needs
memory for it, but not several times.

    manyleaks.py [BLOCKS]
"""

import json
import os
import subprocess
import sys

from heapfile import Heap
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
from fctest import Case, main, plain_environment, tool  # noqa: E402

BLOCKS = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 200000
PLACES = 2
# As it was written: 36 bytes.  As long as a block's neighbours are like it: 10.
SECTION_BYTES = 20
# What fcdump may need beyond the file itself: for each block in both lists, and the rest.
BLOCK_BYTES = 2 * 48
REST_BYTES = 64 << 20

# Ours is not to be seen in it: a child begins with as much as its parent has.
MEASURE = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)")


class ManyLeaks(Case):
    def setUp(self):
        super().setUp()
        source = self.write("many.c", """
            #include <stdlib.h>
            static void *leak(int i) { return malloc(16 + i % 200); }
            static void *further(int i) { return leak(i); }
            int main(int argc, char **argv)
            {
                for (int i = 0, n = atoi(argv[argc - 1]); i < n; i++)
                {
                    void *volatile lost = i & 1 ? leak(i) : further(i);
                    (void)lost;
                }
                return 0;
            }
            """)
        self.program = self.compile(source, "-O0")
        done = self.run_quiet([self.program, str(BLOCKS)], env={"FC_MEMORY": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.file = self.path("functioncheck.fc")

    def section_bytes(self, name):
        with open(self.file, encoding="utf-8") as stream:
            text = stream.read()
        start = text.index(f"\nsection {name} ")
        return text.index("\nsection ", start + 1) - start

    def test_file(self):
        heap = Heap(self.file)
        own = [place for place in heap.places if "leak" in place.point.path]
        self.assertEqual([place.live_blocks for place in own], [BLOCKS // 2] * PLACES)
        blocks = {block.pointer: block.bytes for block in heap.blocks}
        listed = {int(row[0], 16): int(row[1]) for row in heap.profile.v3_memory[0]}
        self.assertEqual(blocks, listed)
        sizes = sorted(size for size in blocks.values() if size < 216)
        self.assertGreaterEqual(len(sizes), BLOCKS)
        for name in ("heap", "heap-places"):
            self.assertLess(self.section_bytes(name), 2000, name)
        self.assertLess(self.section_bytes("heap-blocks"), SECTION_BYTES * BLOCKS)

    def test_reading(self):
        environment = plain_environment()
        done = subprocess.run([sys.executable, "-c", MEASURE, tool("fcdump"), "--no-reports",
                               "--mem-leaks", self.file],
                              capture_output=True, text=True, check=True, env=environment)
        text, most = done.stdout, int(done.stderr.split()[-1]) * 1024
        self.assertRegex(text, rf"{BLOCKS} blocks of \d+ bytes were never freed")
        self.assertLess(text.count("\n"), 30)
        limit = os.path.getsize(self.file) + BLOCK_BYTES * BLOCKS + REST_BYTES
        self.assertLess(most, limit)
        done = subprocess.run([tool("fcdump"), "--json", self.file], capture_output=True,
                              check=True, env=environment)
        self.assertGreaterEqual(len(json.loads(done.stdout)["heap"]["blocks"]), BLOCKS)


if __name__ == "__main__":
    main()
