#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that allocate and free each other's blocks: not one false report, and every count
exact.

    threads.py [SECONDS]     of each way, at full speed

By default a way has 2.5 seconds, and is over when one of its threads has made so many steps: what
8 threads do in 2.5 seconds where they find the processors free takes minutes where they don't.
"""

import os
import re
import sys

from heapfile import Heap
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
from fctest import Case, main  # noqa: E402

STEPS = [] if re.fullmatch(r"[\d.]+", sys.argv[-1]) else ["300000"]
SECONDS = 2.5 if STEPS else float(sys.argv.pop())
LEFT = 5


class Threads(Case):
    def check(self, **env):
        program = self.compile("heap_threads.c", "-O1")
        done = self.run_quiet([program, "8", str(SECONDS), str(LEFT), *STEPS],
                              env={"FC_MEMORY": "1", **env}, timeout=SECONDS * 20 + 200)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = done.stdout.decode().split()
        truth = {key: int(number) for key, number in zip(words[::2], words[1::2])}
        heap = Heap(self.path("functioncheck.fc"))
        self.assertEqual(heap.mistakes(), [])
        self.assertEqual(heap.in_function("take")[:2], (truth["taken"], truth["bytes"]))
        self.assertEqual(heap.in_function("resize")[0], truth["resized"])
        self.assertEqual(heap.in_function("take")[2] + heap.in_function("resize")[2],
                         truth["given"] + truth["resized"])
        self.assertEqual(len(heap.left_in("take")), LEFT)
        self.assertEqual(truth["left"], LEFT)
        print(f"{env}: {truth}, no mistake", file=sys.stderr)

    def test_shared(self):
        self.check(FC_TRANSPORT="shared")

    def test_pipe(self):
        self.check(FC_TRANSPORT="pipe")

    def test_far_ahead(self):
        """A thread may be many chunks ahead of the manager."""
        self.check(FC_BUFFER_SIZE="200000")

    def test_other_clock(self):
        self.check(FC_TIME_MODE="ext")


if __name__ == "__main__":
    main()
