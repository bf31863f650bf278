#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of thousands of blocks that were never freed: up to the bound each is in both lists;
beyond it the file does not grow any more, each site keeps its share, and the sums stay exact.

    manyleaks.py [BLOCKS [BEYOND]]
"""

import json
import os
import subprocess
import sys

from heapfile import Heap
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
from fctest import Case, main, plain_environment, tool  # noqa: E402

NUMBERS = [int(word) for word in sys.argv[1:] if word.isdigit()]
sys.argv = [word for word in sys.argv if not word.isdigit()]
BLOCKS, BEYOND = (NUMBERS + [200000, 400000][len(NUMBERS):])[:2]
LISTED = 250000  # FC_PROFILE_BLOCKS_MAX
LISTED_BYTES = 200  # of each, in both lists, at most
FEW = 3
STACK_ADDRESSES = 1 << 22  # of the list of version 3.0
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


class Beyond(Case):
    """More than are listed: BEYOND of one site, every 1,000th of them large, and FEW of another."""

    def setUp(self):
        super().setUp()
        source = self.write("more.c", """
            #include <stdlib.h>
            static void *many(int i) { return malloc(i %% 1000 == 999 ? 100000 : 16); }
            static void *few(int i) { return malloc(48); }
            int main(int argc, char **argv)
            {
                for (int i = 0, n = atoi(argv[1]); i < n; i++)
                {
                    void *volatile lost = many(i);
                    (void)lost;
                }
                for (int i = 0; i < %d; i++)
                {
                    void *volatile lost = few(i);
                    (void)lost;
                }
                return 0;
            }
            """ % FEW)
        self.program = self.compile(source, "-O0")
        self.file = self.path("functioncheck.fc")

    def record(self):
        done = self.run_quiet([self.program, str(BEYOND)], env={"FC_MEMORY": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return Heap(self.file)

    def dump(self, *options):
        return subprocess.run([tool("fcdump"), *options, self.file], capture_output=True,
                              text=True, check=True, env=plain_environment()).stdout

    def test_choice(self):
        heap = self.record()
        places = {name: place for place in heap.places for name in ("many", "few")
                  if name in place.point.path}
        self.assertEqual(places["many"].live_blocks, BEYOND)
        large = BEYOND // 1000
        self.assertEqual(places["many"].live_bytes, large * 100000 + (BEYOND - large) * 16)
        self.assertEqual(len(heap.blocks), LISTED)
        self.assertEqual(heap.left_in("few"), [48] * FEW)
        of_many = [block for block in heap.blocks if block.place is places["many"]]
        self.assertEqual(sum(block.bytes == 100000 for block in of_many), large)
        # the others are the first
        latest = max(block.time_ns for block in of_many if block.bytes == 16)
        fewer = [block for block in of_many if block.bytes == 100000 and block.time_ns < latest]
        self.assertAlmostEqual(len(fewer), (LISTED - large) / 1000, delta=2)
        unlisted = sum(place.live_blocks for place in heap.places) - LISTED
        self.assertEqual(heap.totals["unlisted-blocks"], unlisted)
        listed = {int(row[0], 16): int(row[1]) for row in heap.profile.v3_memory[0]}
        self.assertEqual(listed, {block.pointer: block.bytes for block in heap.blocks})
        self.assertEqual(heap.totals["unlisted-leaks"], unlisted)
        self.assertEqual(heap.totals["unlisted-leak-bytes"], heap.totals["unlisted-bytes"])
        self.assertLess(os.path.getsize(self.file), LISTED * LISTED_BYTES)

        data = json.loads(self.dump("--json"))
        self.assertEqual(data["heap"]["blocks_not_listed"], unlisted)
        self.assertEqual(data["heap"]["bytes_not_listed"], heap.totals["unlisted-bytes"])
        self.assertEqual(data["heap"]["leaked"]["blocks"] + data["heap"]["suppressed"]["blocks"],
                         LISTED + unlisted)
        self.assertEqual(data["memory"]["leaks_not_listed"], unlisted)
        self.assertEqual(data["memory"]["leak_bytes_not_listed"], heap.totals["unlisted-bytes"])
        text = self.dump("--no-reports", "--mem-leaks", "--details")
        self.assertIn(f"{unlisted} blocks of {heap.totals['unlisted-bytes']} bytes are not listed "
                      "one by one", text)
        more = BEYOND - len(of_many)
        self.assertRegex(text, rf"and {more:,}".replace(",", ".?") + r" more, .* together")
        self.assertNotIn("not listed", self.dump("--no-reports", "--mem-leaks"))

    def test_deep_stacks(self):
        """The list of version 3.0, which has a stack for each block, is bounded in addresses."""
        source = self.write("deep.c", """
            #include <stdlib.h>
            #define LEVEL(n, next) static void *f##n(void) { return next(); }
            static void *leaf(void) { return malloc(8); }
            LEVEL(1, leaf) LEVEL(2, f1) LEVEL(3, f2) LEVEL(4, f3) LEVEL(5, f4) LEVEL(6, f5)
            LEVEL(7, f6) LEVEL(8, f7) LEVEL(9, f8) LEVEL(10, f9) LEVEL(11, f10) LEVEL(12, f11)
            LEVEL(13, f12) LEVEL(14, f13) LEVEL(15, f14) LEVEL(16, f15) LEVEL(17, f16)
            LEVEL(18, f17) LEVEL(19, f18) LEVEL(20, f19) LEVEL(21, f20) LEVEL(22, f21)
            int main(void)
            {
                for (int i = 0; i < 200000; i++)
                {
                    void *volatile lost = f22();
                    (void)lost;
                }
                return 0;
            }
            """)
        program = self.compile(source, "-O0")
        done = self.run_quiet([program], env={"FC_MEMORY": "1", "FC_MEMORY_STACK": "64"})
        self.assertEqual(done.returncode, 0, done.stderr)
        heap = Heap(self.file)
        self.assertEqual(heap.totals["unlisted-blocks"], 0)
        leaks = heap.profile.v3_memory[0]
        addresses = sum(len(row) - 5 for row in leaks)
        self.assertLessEqual(addresses, STACK_ADDRESSES)
        self.assertGreater(addresses, STACK_ADDRESSES * 9 // 10)
        self.assertEqual(len(leaks) + heap.totals["unlisted-leaks"], len(heap.blocks))


if __name__ == "__main__":
    main()
