#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC_MEMORY_SCAN: blocks that can still be reached at the end, lost ones, and those that only
lost ones refer to; beside LeakSanitizer."""

import os
import re
import subprocess
import sys

from heapfile import Heap
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
from fctest import Case, main, plain_environment, tool  # noqa: E402

LOST = [0, 2001, 2002, 2003, 2024]
INDIRECT = [3001, 3002, 3003]
THREADS = [1012, 1013]
REACHABLE = list(range(1001, 1012)) + [1 << 20]


class Scan(Case):
    def run_memory(self, words, **env):
        done = self.run_quiet(words, env={"FC_MEMORY": "1", **env})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        heap = Heap(self.path("functioncheck.fc"))
        states = {}
        for block in heap.blocks:
            states.setdefault(block.state, []).append(block.bytes)
        self.assertEqual([one for one in heap.mistakes() if one != "not-scanned: 1"], [])
        return {state: sorted(sizes) for state, sizes in states.items()}, heap

    def test_states(self):
        for compiler in ("gcc", "clang"):
            program = self.compile("heap_scan.c", compiler=compiler, output="scan-" + compiler)
            states, heap = self.run_memory([program], FC_MEMORY_SCAN="1")
            self.assertEqual(heap.totals["scanned"], 1)
            self.assertEqual(states["lost"], LOST)
            self.assertEqual(states["indirect"], INDIRECT)
            # and what libc keeps for itself
            self.assertEqual([size for size in states["reachable"] if size > 1000], REACHABLE)

    def test_threads(self):
        """Those that are left are stopped, and what they have is a place for references."""
        program = self.compile("heap_scan.c")
        states, heap = self.run_memory([program, "thread"], FC_MEMORY_SCAN="1")
        self.assertEqual(heap.totals["scanned"], 1)
        self.assertEqual((states["lost"], states["indirect"]), (LOST, INDIRECT))
        self.assertEqual([size for size in states["reachable"] if size > 1000], sorted(REACHABLE + THREADS))

    def test_not(self):
        """Not asked for; threads that may not be stopped; no shared memory: no word on what can be reached, but on that."""
        program = self.compile("heap_scan.c")
        for words, env in (([program], {}),
                           ([program, "thread", "forbidden"], {"FC_MEMORY_SCAN": "1"}),
                           ([program], {"FC_MEMORY_SCAN": "1", "FC_TRANSPORT": "pipe"})):
            everything = sorted(LOST + INDIRECT + REACHABLE + THREADS * (len(words) > 1))
            states, heap = self.run_memory(words, **env)
            said = self.command([tool("fcdump"), "--no-reports", "--mem-leaks", self.path("functioncheck.fc")])
            self.assertEqual("FC_MEMORY_SCAN was not done" in said, bool(env), said)
            self.assertEqual(heap.totals["scanned"], 0)
            self.assertEqual(list(states), ["live"])
            self.assertEqual([size for size in states["live"] if size > 1000 or size == 0],
                             everything)

    def test_leak_sanitizer(self):
        program = self.compile("heap_scan.c", "-fsanitize=leak", profiled=False)
        done = subprocess.run([program], capture_output=True, text=True, check=False,
                              env=plain_environment())
        if "LeakSanitizer has encountered a fatal error" in done.stderr:
            self.skipTest("LeakSanitizer can't trace here")
        found = {kind: sorted(int(size) for size in re.findall(kind + r" leak of (\d+) byte",
                                                               done.stderr))
                 for kind in ("Direct", "Indirect")}
        # It makes a block of 1 byte of one of none, does not look into the program's own
        # mappings, and has no first block of a ring.
        direct = [size if size != 1 else 0 for size in found["Direct"]]
        self.assertEqual(direct, sorted(set(LOST) - {2002} | {1008}))
        self.assertEqual(found["Indirect"], [2002] + INDIRECT)

    def test_many(self):
        """A list of 60000 blocks, and as many lost."""
        source = self.write("many.c", """
            #include <stdlib.h>
            struct node { struct node *next; long number; };
            static struct node *list;
            int main(void)
            {
                struct node *lost = NULL;
                for (long i = 0; i < 60000; i++)
                {
                    struct node *one = malloc(sizeof *one);
                    one->next = list;
                    list = one;
                    struct node *other = malloc(40);
                    other->next = lost;
                    lost = other;
                }
                lost = NULL;
                return 0;
            }
            """)
        states, _ = self.run_memory([self.compile(source)], FC_MEMORY_SCAN="1")
        self.assertEqual(len(states["reachable"]), 60000)
        self.assertEqual((len(states["lost"]), len(states["indirect"])), (1, 59999))


if __name__ == "__main__":
    main()
