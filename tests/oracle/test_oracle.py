#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The oracle against programs that know how often they call: what it says must be
worth comparing with."""

import glob
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402


class Oracle(fctest.Case):
    def counts(self, path):
        """{name: calls} and {(name, number of call sites): calls}"""
        import compare
        counts = compare.load_oracle(path)
        names = {place: fcprofile.symbols_of(place[0])[place[1]] for place in counts.functions}
        return ({names[place]: calls for place, calls in counts.functions.items()},
                sorted((names[callee], calls) for (_, callee), calls in counts.arcs.items()))

    def test_functions_and_arcs(self):
        done, files = self.run_oracle([self.compile("minmax.c")])
        self.assertEqual((done.returncode, done.stderr, len(files)), (0, b"", 1))
        functions, arcs = self.counts(files[0])
        self.assertEqual(functions, {"main": 1, "work": 3, "leaf": 4})
        self.assertEqual(arcs, [("leaf", 4), ("main", 1), ("work", 1), ("work", 1), ("work", 1)])

    def test_threads(self):
        done, files = self.run_oracle([self.compile("manythreads.c"), "8", "30000"])
        self.assertEqual((done.returncode, len(files)), (0, 1))
        self.assertEqual(self.counts(files[0])[0], {
            "main": 1, "create": 16, "busy": 8, "step": 8 * 30000 + 8, "leaves_early": 4,
            "leave": 4, "detached": 4})

    def test_processes(self):
        done, files = self.run_oracle([self.compile("tree.c"), "2", "2"])
        self.assertEqual((done.returncode, len(files)), (0, 7))
        for line in done.stdout.decode().splitlines():
            pid, _, level, calls = line.split()
            name = next(name for name in files if name.endswith("." + pid))
            expected = {"step": int(calls), "grow": 1}
            if level == "0":
                expected["main"] = 1
            self.assertEqual(self.counts(name)[0], expected)

    def test_killed(self):
        done, files = self.run_oracle([self.compile("dying.c"), self.path("n"), "sigkill"])
        self.assertEqual(done.returncode, -9)
        with open(self.path("n"), "rb") as stream:
            ticks = struct.unpack("=Q", stream.read(8))[0]
        self.assertEqual(ticks, 12345)
        self.assertEqual(self.counts(files[0])[0], {"main": 1, "tick": ticks, "end": 1})

    def test_beside_libfc(self):
        """libfc sees the program as if the oracle were not there, which counts the same as
        it does alone."""
        program = self.compile("longjmp_loop.c", "-O2")
        for how in (["tail-calls", "1000"], ["different-frames", "1000"]):
            _, alone = self.run_oracle([program, *how])
            self.run_quiet([program, *how])
            expected = fcprofile.load(self.path("functioncheck.fc"))
            out = self.path(how[0])
            done = self.run_beside_oracle([program, *how], out)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            files = glob.glob(out + ".*")
            self.assertEqual(len(files), 1)
            self.assert_counts_equal(files[0], self.path("functioncheck.fc"))
            self.assert_counts_equal(alone[0], self.path("functioncheck.fc"))
            found = fcprofile.load(self.path("functioncheck.fc"))
            self.assertEqual(found.repairs, expected.repairs)

    def test_library_linked_without_libfc(self):
        """It asks for the C library's version of the hooks."""
        source = self.write("library.c", "void step(void) {}\n"
                            "void steps(int n) { while (n-- > 0) step(); }\n")
        self.command(["gcc", *fctest.fc_config("--cflags"), "-shared", "-fPIC", "-o",
                      self.path("liblibrary.so"), source])
        self.write("caller.c", "void steps(int n); int main(void) { steps(40); return 0; }\n")
        program = self.compile(self.path("caller.c"), "-Wl,--no-as-needed",
                               self.path("liblibrary.so"), "-Wl,-rpath," + self.folder)
        done = self.run_beside_oracle([program], self.path("out"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        out, = glob.glob(self.path("out.*"))
        self.assertEqual(self.counts(out)[0], {"main": 1, "steps": 1, "step": 40})
        self.assert_counts_equal(out, self.path("functioncheck.fc"))

    def test_a_difference_of_one_is_seen(self):
        import compare
        _, files = self.run_oracle([self.compile("nesting.c")])
        one, other = compare.load_oracle(files[0]), compare.load_oracle(files[0])
        self.assertEqual(compare.differences(one, other), [])
        site, callee = next(iter(other.arcs))
        other.add(site, callee, 1)
        self.assertEqual(len(compare.differences(one, other)), 2)


if __name__ == "__main__":
    fctest.main()
