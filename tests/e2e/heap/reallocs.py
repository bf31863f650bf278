#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The leaks of version 3.0 name the place of a block's last realloc, whichever that was, and none
for a block that was not reallocated; their sizes and stacks are those of the first allocation."""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
import fcprofile  # noqa: E402
from fctest import Case, fc_config, main, PROGRAMS  # noqa: E402


def marks(source):
    """{size at first: (line of the first allocation, line of the last realloc or None)}"""
    first, last = {}, {}
    with open(source, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            for kind, sizes in re.findall(r"(first|last):((?: \d+)+)(?= last:| \*/)", line):
                for size in sizes.split():
                    (first if kind == "first" else last)[int(size)] = number
    return {size: (line, last.get(size)) for size, line in first.items()}


class Reallocs(Case):
    def places(self, path, program):
        """The same of a profile's leaks in `program`: that of an address is its line."""
        with open(path, encoding="utf-8") as stream:
            profile = fcprofile.Profile(stream.read())
        module = next(m for m in profile.modules if m.path == program)
        found = {}
        for _, size, first, last, *stack in profile.v3_memory[0]:
            if not module.start <= int(first, 16) < module.end:
                continue
            self.assertEqual(stack[0], first)
            self.assertNotIn(int(size), found)
            found[int(size)] = tuple(
                self.line(program, int(address, 16) - module.base - 1) if address != "(nil)"
                else None for address in (first, last))
        return found

    def line(self, program, offset):
        return int(self.command(["addr2line", "-e", program, hex(offset)]).split(":")[1].split()[0])

    def run_memory(self, words, **env):
        for old in glob.glob(self.path("*.fc*")):
            os.unlink(old)
        done = self.run_quiet(words, env={"FC_MEMORY": "1", **env})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def test_every_way(self):
        source = os.path.join(PROGRAMS, "heap_realloc.c")
        wanted = marks(source)
        self.assertEqual(len(wanted), 11)
        # only one process reallocates this one
        without = {**wanted, 301: (wanted[301][0], None)}
        for compiler in ("gcc", "clang"):
            program = self.compile("heap_realloc.c", "-w", compiler=compiler,
                                   output="realloc-" + compiler)
            for env in ({}, {"FC_TRANSPORT": "pipe"}, {"FC_MEMORY_UNWIND": "1"}):
                self.run_memory([program], **env)
                self.assertEqual(self.places(self.path("functioncheck.fc"), program), without)
            child = self.run_memory([program, "fork"]).strip()
            paths = glob.glob(self.path("functioncheck.fc.*"))
            self.assertEqual(len(paths), 2)
            for path in paths:
                expected = wanted if path.endswith("." + child) else without
                self.assertEqual(self.places(path, program), expected)

    def test_before_the_start(self):
        library = self.path("libaround.so")
        source = os.path.join(PROGRAMS, "heap_around_lib.c")
        self.command(["gcc", "-g", "-shared", "-fPIC", "-o", library, source])
        program = self.path("heap_around")
        self.command(["gcc", "-g", "-o", program, os.path.join(PROGRAMS, "heap_around.c"),
                      *fc_config("--cflags-libs"), "-Wl,--no-as-needed", library,
                      f"-Wl,-rpath,{self.folder}", "-pthread"])
        self.run_memory([program, "1"])
        wanted = marks(source)
        self.assertEqual(list(wanted), [19])
        self.assertEqual(self.places(self.path("functioncheck.fc"), library), wanted)


if __name__ == "__main__":
    main()
