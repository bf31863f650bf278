#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""After a fork the child's books are those of the parent at that moment: heap_fork.c's children
free what threads of the parent allocated, and the parent's threads free it as well.

    forks.py [FORKS]
"""

import glob
import os
import sys

from heapfile import Heap
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
from fctest import Case, main  # noqa: E402

FORKS = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 20
BUSY = 2 * 16  # blocks that the busy threads hold at most


class Forks(Case):
    def check(self, transport):
        program = self.compile("heap_fork.c", "-O1")
        done = self.run_quiet([program, str(FORKS)],
                              env={"FC_MEMORY": "1", "FC_TRANSPORT": transport})
        self.assertEqual(done.returncode, 0, done.stderr)
        heaps = [Heap(path) for path in glob.glob(self.path("functioncheck.fc.*"))]
        self.assertEqual(len(heaps), FORKS + 1)
        left = []
        for heap in heaps:
            self.assertEqual(heap.bad_frees, [])
            # a block that a thread was about to free, which it is not in the child
            self.assertLessEqual(sum(heap.profile.losses.values()), 2, heap.profile.losses)
            self.assertEqual(heap.left_in("thread_takes"), [])
            left.append((len(heap.left_in("child")), len(heap.left_in("parent_leaves"))))
            self.assertLessEqual(len(heap.left_in("busy")), BUSY)
        self.assertEqual(sorted(left), [(0, FORKS)] + [(3, i + 1) for i in range(FORKS)])

    def test_shared(self):
        self.check("shared")

    def test_pipe(self):
        self.check("pipe")


if __name__ == "__main__":
    main()
