#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program may have functions of its own under the C library's names: libfc calls none of
them."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

PROCESSES = 4  # the program, its child which executes it again, and that one's child


class OwnFunctions(fctest.Case):
    def test_each_is_called_by_the_program_alone(self):
        plain = self.compile("own_libc.c", "-fno-builtin", profiled=False)
        program = self.compile("own_libc.c", "-fno-builtin")
        expected = self.run_quiet([plain])
        self.assertEqual((expected.returncode, expected.stdout.count(b"\n")), (3, PROCESSES))
        for transport in ("shared", "pipe"):
            for mode in ("tsc", "ext", "cpu", "sys"):
                done = self.run_quiet([program], env={"FC_TRANSPORT": transport,
                                                      "FC_TIME_MODE": mode})
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (3, expected.stdout, b""), f"{transport}, {mode}")
                self.check_profiles()

    def check_profiles(self):
        counts = []
        for name in os.listdir(self.folder):
            if name.startswith("functioncheck.fc.") and not name.endswith(".fcd"):
                profile = fcprofile.load(self.path(name))
                self.assertEqual(profile.losses, {})
                counts.append(sum(function.calls for function in profile.functions
                                  if function.name == "leaf"))
                os.unlink(self.path(name))
        # the forked children work once, the images in the foreground also in a thread
        self.assertEqual(sorted(counts), [30000, 30000, 60000, 60000])

    def test_those_that_map(self):
        """Of a library the program is linked with, behind libfc, or that is loaded before it."""
        library = self.path("libaccount.so")
        self.command(["gcc", "-D_GNU_SOURCE", "-fno-builtin", "-shared", "-fPIC", "-o", library,
                      os.path.join(fctest.PROGRAMS, "own_mappings_lib.c"), "-ldl"])
        words = ["gcc", "-D_GNU_SOURCE", os.path.join(fctest.PROGRAMS, "own_mappings.c"), "-Wl,--no-as-needed", "-Wl,-rpath," + self.folder]
        self.command([*words, library, "-o", self.path("plain")])
        expected = self.run_quiet([self.path("plain")])
        self.assertRegex(expected.stdout, rb"^mapped 50 and 50, again 100, unmapped 50\n1, ")
        program = self.path("profiled")
        self.command([*words, *fctest.fc_config("--cflags-libs"), library, "-o", program])
        for preload in ({}, {"LD_PRELOAD": library}):
            for memory in ("0", "1"):
                done = self.run_quiet([program], env={"FC_MEMORY": memory, **preload})
                self.assertEqual((done.returncode, done.stdout), (0, expected.stdout), f"{preload}, {memory}")
        said = self.command([fctest.tool("fcdump"), "--memory", self.path("functioncheck.fc")])
        self.assertIn("200 calls, 1024000 bytes", said)


if __name__ == "__main__":
    fctest.main()
