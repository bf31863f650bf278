#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL at random moments: what the profile says was live is what was.

    kills.py [KILLS]

heap_kill.c counts before each call and behind it, in memory that outlives it."""

import os
import random
import subprocess
import sys
import time

from heapfile import Heap
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
sys.path.insert(0, os.path.join(HERE, "..", "shapes"))
from checks import Truth  # noqa: E402
from rows import TRANSPORTS  # noqa: E402
from fctest import Case, main, plain_environment, wait_for_end, wait_until  # noqa: E402

KILLS = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 40
THREADS = (1, 4)


class Kills(Case):
    def kill(self, program, threads, transport, delay, number, at_work):
        folder = self.path(str(number))
        os.mkdir(folder)
        token = f"heapkill{os.getpid()}-{number}"
        env = plain_environment(TRUTH=os.path.join(folder, "truth"), FC_TRANSPORT=transport,
                                FC_DUMP_NAME=token, FC_QUIET="1", FC_MEMORY="1")
        with subprocess.Popen([program, str(threads)], cwd=folder, env=env) as process:
            try:
                if at_work:
                    wait_until(lambda: self.taken(folder), "it does not begin")
                time.sleep(delay)
            finally:
                process.kill()
        wait_for_end(b"--name=" + token.encode())
        path = os.path.join(folder, token + ".fc")
        counters = Truth(os.path.join(folder, "truth")).counters
        if not at_work and (not os.path.exists(path) or "taken" not in counters):
            return
        self.check(Heap(path), counters, f"{transport}, {threads} threads, {delay:.4f} s: {folder}")

    @staticmethod
    def taken(folder):
        return Truth(os.path.join(folder, "truth")).counters.get("taken", (0, 0))[1]

    def check(self, heap, counters, what):
        # memory went at once; what else a buffer held can't be known
        heap.profile.losses.pop("unsent-buffers", None)
        self.assertEqual(heap.mistakes(), [], what)
        # calling, entered: begun and done
        (taking, taken), (giving, given), (resizing, resized) = (
            counters.get(name, (0, 0)) for name in ("taken", "given", "resized"))
        takes = heap.in_function("take")[0]
        resizes = heap.in_function("resize")[0]
        frees = heap.in_function("take")[2] + heap.in_function("resize")[2] - resizes
        for name, least, found, most in (("taken", taken, takes, taking),
                                         ("given", given, frees, giving),
                                         ("resized", resized, resizes, resizing)):
            self.assertTrue(least <= found <= most, f"{what}: {name}: {least} {found} {most}")
        live = [block for block in heap.blocks if block.place.point.module]
        own = len(heap.left_in("take")) + len(heap.left_in("resize"))
        self.assertTrue(taken - giving <= own <= taking - given, f"{what}: {own} of {len(live)}")

    def test_kills(self):
        program = self.compile("heap_kill.c", "-O1")
        chance = random.Random(time.time())
        for number in range(KILLS):
            self.kill(program, THREADS[number // 2 % 2], TRANSPORTS[number % 2],
                      chance.choice((0.02, 0.1, 0.3)) * chance.random(), number, at_work=number // 4 % 2)


if __name__ == "__main__":
    main()
