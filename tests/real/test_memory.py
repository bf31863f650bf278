#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs with FC_MEMORY: they do what a plain build does, no free of theirs is
called wrong, and what they allocate is what memcheck counts, to the block and the byte.

memcheck counts twice: a plain build, and the very same executable that is profiled, with a
libfc that does nothing.  That the two agree shows that the compiler's hooks don't
allocate, and that their totals are the program's.

Usage: test_memory.py Lua|Bzip2; FCTEST_OFFLINE as in test_real.py.
"""

import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from real import HERE, TRANSPORTS, RealProgram, fctest, main  # noqa: E402
from programs import build_bzip2, build_lua  # noqa: E402

FLOOR = os.path.join(fctest.BUILD_ROOT, "tests", "bench", "libfloor.so")


def number(text):
    return int(text.replace(",", ""))


class Memory(RealProgram):
    def memcheck(self, words, env=None):
        """((status, standard output), (allocations, frees, bytes), (blocks, bytes) at exit)."""
        log = self.path("valgrind.log")
        # what the C library keeps stays allocated, as it does without memcheck
        done = self.run_target(["valgrind", "--run-libc-freeres=no", "--run-cxx-freeres=no",
                                "--undef-value-errors=no", "--read-inline-info=no", "--log-file=" + log, *words],
                               env=env, timeout=600)
        self.assertEqual(done.stderr, b"")
        with open(log, encoding="utf-8") as stream:
            text = stream.read()
        self.assertIn("ERROR SUMMARY: 0 errors", text)
        use = re.search(r"in use at exit: ([\d,]+) bytes in ([\d,]+) blocks", text)
        total = re.search(r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes",
                          text)
        return ((done.returncode, done.stdout), tuple(number(part) for part in total.groups()),
                (number(use.group(2)), number(use.group(1))))

    def build(self, build, name):
        """Plain and profiled, with names of one length: programs keep copies of theirs."""
        for folder in ("plain", "hooks"):
            os.mkdir(self.path(folder))
        return (build(self.path("plain", name), "reference"),
                build(self.path("hooks", name), "profiled"))

    def heap(self):
        text = self.command([fctest.tool("fcdump"), "--json", "functioncheck.fc"])
        data = json.loads(text)
        self.assertEqual(data["losses"], [])
        return data["heap"]

    def check(self, plain, profiled, arguments, least):
        out, totals, live = self.memcheck([plain, *arguments])
        self.assertGreater(totals[0], least)
        floor = fctest.stand_in_folder(profiled, FLOOR, self.path("floor-lib"))
        self.assertEqual(self.memcheck([profiled, *arguments], env={"LD_LIBRARY_PATH": floor}),
                         (out, totals, live), "memcheck does not agree with itself")
        for transport in TRANSPORTS:
            found = self.run_quiet([profiled, *arguments],
                                   env={"FC_MEMORY": "1", "FC_TRANSPORT": transport})
            self.assertEqual(((found.returncode, found.stdout), found.stderr), (out, b""))
            heap = self.heap()
            self.assertEqual(heap["bad_frees"], [])
            self.assertEqual((heap["allocations"], heap["frees"], heap["bytes"]), totals,
                             "allocations, frees, bytes; memcheck's are the second")
            self.assertEqual((heap["live_blocks"], heap["live_bytes"]), live,
                             "blocks and bytes at exit; memcheck's are the second")
            self.assertEqual(sum(sum(size["blocks"] for size in place["sizes"])
                                 for place in heap["places"]), totals[0])
        return out[1]


class Lua(Memory):
    def test_script(self):
        plain, profiled = self.build(build_lua, "lua")
        self.check(plain, profiled, [os.path.join(HERE, "work.lua"), "4"], 10000)


class Bzip2(Memory):
    def test_both_ways(self):
        plain, profiled = self.build(build_bzip2, "bzip2")
        text = self.write_text("text", 2000000)
        packed = self.check(plain, profiled, ["-9", "-c", text], 5)
        with open(self.path("text.bz2"), "wb") as stream:
            stream.write(packed)
        unpacked = self.check(plain, profiled, ["-d", "-c", self.path("text.bz2")], 3)
        with open(text, "rb") as stream:
            self.assertEqual(unpacked, stream.read())


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        print("no valgrind here")
        sys.exit(77)
    main("lua5.4" if "Lua" in sys.argv else "bzip2")
