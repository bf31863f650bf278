#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What fcgprof takes for a profile, what it refuses, and what it says then."""

import os
import random
import shutil
import subprocess
import unittest

import fcgprof
import fctest
from fcgprof import HERE
from sanitized import is_sanitized


class Inputs(fcgprof.Case):
    def setUp(self):
        super().setUp()
        self.program = self.record("dear.c")
        self.expected = self.report("-b", "functioncheck.fc")

    def check_refused(self, message, *words):
        done = self.run_tool(*words)
        self.assertEqual((done.returncode, done.stdout), (1, ""), words)
        self.assertRegex(done.stderr, "^fcgprof: " + message)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_operands(self):
        for words in ([], ["dear"], ["dear", "functioncheck.fc"], ["functioncheck.fc", "dear"],
                      [self.path("functioncheck.fc")], ["./functioncheck.fc"]):
            self.assertEqual(self.report("-b", *words), self.expected, words)
        # by content, not by name
        os.rename(self.path("functioncheck.fc"), self.path("gmon.out"))
        self.assertEqual(self.report("-b", "dear"), self.expected)
        os.rename(self.path("gmon.out"), self.path("a.out"))
        self.assertEqual(self.report("-b", "a.out"), self.expected)

    def test_standard_input(self):
        tool = fctest.tool("fcgprof")
        for command in (f"{tool} -b - < functioncheck.fc", f"cat functioncheck.fc | {tool} -b -",
                        f"cat functioncheck.fc | {tool} -b dear -"):
            self.assertEqual(self.command(["sh", "-c", command]), self.expected, command)
        program = self.compile(os.path.join(HERE, "dear.c"), "-pg", profiled=False)
        self.run_target([program])
        expected = self.report("-b", program, "gmon.out")
        self.assertEqual(self.command(["sh", "-c", f"cat gmon.out | {tool} -b {program} -"]),
                         expected)

    def limited(self, command):
        """Runs a shell command with 1.5 GB of memory: what reads without an end would fail.  With a sanitizer,
        which needs more, without a limit."""
        limit = "" if is_sanitized(fctest.tool("fcgprof")) else "ulimit -v 1500000; "
        return subprocess.run(["sh", "-c", limit + command], capture_output=True,
                              text=True, cwd=self.folder, env=fctest.plain_environment(),
                              timeout=fctest.TIMEOUT_S, check=False)

    @unittest.skipIf(is_sanitized(fctest.tool("fcgprof")), "memory can't be limited here")
    def test_endless(self):
        tool = fctest.tool("fcgprof")
        program = self.compile(os.path.join(HERE, "dear.c"), "-pg", profiled=False)
        self.run_target([program])
        endless = "{ head -c 20 gmon.out; cat /dev/zero; }"
        for command, message in (
                (f"{tool} {program} /dev/zero", "/dev/zero: not in a format"),
                (f"{tool} {program} - < /dev/zero", "-: not in a format"),
                (f"cat /dev/zero | {tool} {program} -", "-: not in a format|-: too large"),
                (f"mkfifo a; {endless} > a & {tool} {program} a", "a: too large"),
                (f"{endless} | {tool} {program} -", "-: too large|-: the histogram"),
                (f"{tool} /dev/zero gmon.out", "/dev/zero: not an executable")):
            done = self.limited(command)
            self.assertEqual((done.returncode, done.stdout), (1, ""), (command, done.stderr))
            self.assertRegex(done.stderr, f"^fcgprof: ({message})", command)

    def test_strange_sources(self):
        # The image names them: what is no file is no source, and nothing waits for it or reads on and on.
        os.mkfifo(self.path("fifo"))
        for source in ("/dev/zero", self.path("fifo"), self.folder):
            with self.subTest(source):
                self.write("strange.i", f'# 1 "{source}"\nint f(int x) {{ return x + 1; }}\n'
                           'int main(void) { return f(-1); }\n')
                program = self.compile(self.path("strange.i"), "-pg", "-g", profiled=False)
                self.run_target([program])
                done = self.limited(f"{fctest.tool('fcgprof')} -A {program} gmon.out")
                self.assertEqual((done.returncode, done.stdout), (0, ""))
                self.assertIn(f"fcgprof: {source}: source not found: ", done.stderr)

    def test_damaged_images(self):
        # Whatever its debugging information says, the image is used or refused, and soon.  One
        # like these took the decoder of our own that was here first longer than anyone waits.
        program = self.compile(os.path.join(HERE, "shapes.cc"), "-g", compiler="g++")
        self.record_program(program)
        with open(program, "rb") as stream:
            sound = stream.read()
        sections = {}
        for line in self.command(["readelf", "-SW", program]).splitlines():
            words = line.replace("[ ", "[").split()
            if len(words) > 5 and words[1] in (".debug_info", ".debug_abbrev", ".debug_line",
                                               ".debug_str", ".symtab"):
                sections[words[1]] = (int(words[4], 16), int(words[5], 16))
        self.assertEqual(len(sections), 5)
        rng = random.Random(1)
        used = 0
        for _ in range(100):
            data = bytearray(sound)
            start, size = sections[rng.choice(sorted(sections))]
            for _ in range(rng.choice([1, 2, 8])):
                data[start + rng.randrange(size)] = rng.randrange(256)
            image = self.path("damaged")
            with open(image, "wb") as stream:
                stream.write(data)
            done = subprocess.run([fctest.tool("fcgprof"), "-b", "-l", image, "functioncheck.fc"],
                                  capture_output=True, cwd=self.folder, check=False,
                                  env=fctest.plain_environment(), timeout=fctest.TIMEOUT_S)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            used += done.returncode == 0
        self.assertGreater(used, 50)

    def test_no_stand_in(self):
        # a name that is wrong is not made good by the file of the usual name
        self.check_refused("functioncheck.cf: No such file or directory", "functioncheck.cf")
        self.check_refused("nowhere: No such file or directory", "nowhere", "functioncheck.cf")
        self.write("text", "not a profile")
        self.check_refused("text: ", "text")

    def test_gmon_wins(self):
        # where both lie in the folder, without a name given
        program = self.compile(os.path.join(HERE, "dear.c"), "-pg", profiled=False)
        self.run_target([program])
        self.assertIn("Each sample counts as", self.report("-b", "-p", program))
        self.assertEqual(self.report("-b", "functioncheck.fc"), self.expected)
        self.check_refused("gmon.out: samples and measured times", program, "functioncheck.fc",
                           "gmon.out")
        self.check_refused("gmon.out: samples and measured times", program, "gmon.out",
                           "functioncheck.fc")

    def test_sum(self):
        shutil.copy(self.path("functioncheck.fc"), self.path("second.fc"))
        _, rows = self.flat("functioncheck.fc", "second.fc")
        self.assertEqual(rows["work"], (50, 10, 5, 9))
        self.assertEqual(rows["main"], (6, 2, 3, 55))
        _, entries = self.graph("dear", "functioncheck.fc", "second.fc")
        self.assertEqual(entries["work"][1], {"often": (8, 0, 8, 10), "once": (42, 40, 2, 10)})
        names = ["functioncheck.fc", *(f"copy-{i}.fc" for i in range(199))]
        for name in names[1:]:
            shutil.copy(self.path("functioncheck.fc"), self.path(name))
        flat, rows = self.flat(*names)
        self.assertEqual(flat.unit, "millisec")
        self.assertEqual((rows["work"][0], rows["once"][0]), (5, 0.4))

    def test_named_twice(self):
        # once in the sum, with a word about it
        done = self.run_tool("-b", "dear", "functioncheck.fc", "./functioncheck.fc")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "fcgprof: ./functioncheck.fc: named more than once, taken once\n"))
        self.assertEqual(done.stdout, self.expected)

    def test_no_gmon_sum(self):
        self.check_refused("gmon.sum is made of gmon.out files only", "-s", "functioncheck.fc")
        self.assertFalse(os.path.exists(self.path("gmon.sum")))

    def test_file_info(self):
        self.assertRegex(self.report("-i", "functioncheck.fc"), """\
^File `functioncheck.fc' \\(profile of process \\d+\\) contains:
\t1 thread
All together:
\t1 thread
\t5 functions
\t6 call sites
\t6 calling contexts
$""")

    def test_rebuilt(self):
        self.compile(os.path.join(HERE, "ring.c"), output="dear")
        done = self.run_tool("-b", "functioncheck.fc")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^fcgprof: \S+/dear: changed since the run .*\n$")
        for name in ("ping", "pong", "leaf", "work"):
            self.assertNotIn(name, done.stdout)
        self.assertRegex(done.stdout, r"45\.45 +25\.00 +25\.00 +5 +5\.00 +9\.00  dear\+0x")

    def test_moved(self):
        os.mkdir(self.path("elsewhere"))
        shutil.move(self.program, self.path("elsewhere", "dear"))
        done = self.run_tool("-b", "functioncheck.fc")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^fcgprof: \S+/dear: No such file or directory; ")
        self.assertEqual(self.report("-b", "elsewhere/dear", "functioncheck.fc"), self.expected)

    def test_wrong_image(self):
        other = self.compile(os.path.join(HERE, "ring.c"))
        done = self.run_tool("-b", other, "functioncheck.fc")
        self.assertEqual((done.returncode, done.stdout), (1, self.expected))
        self.assertRegex(done.stderr, r"^fcgprof: \S+/ring: the profile has no such module; not used")

    def test_stripped(self):
        plain = self.expected
        self.command(["strip", self.program])
        done = self.run_tool("-b", "functioncheck.fc")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("work", done.stdout)
        self.assertRegex(done.stdout, r"45\.45 +25\.00 +25\.00 +5 +5\.00 +9\.00  dear\+0x")
        self.assertEqual(done.stdout.count("---\n"), plain.count("---\n"))

    def test_debug_file(self):
        by_line = self.report("-b", "-l", "-z", "functioncheck.fc")
        self.command(["objcopy", "--only-keep-debug", "dear", "dear.debug"])
        self.command(["objcopy", "--strip-all", "--add-gnu-debuglink=dear.debug", "dear"])
        self.assertNotIn("work", self.command(["readelf", "-sW", "dear"]))
        self.assertEqual(self.report("-b", "functioncheck.fc"), self.expected)
        self.assertEqual(self.report("-b", "-l", "-z", "functioncheck.fc"), by_line)
        self.assertIn("never", self.report("-b", "-c", "-z", "functioncheck.fc"))

    def test_bad_files(self):
        done = self.run_tool("-b", "functioncheck.fc", "no.fc")
        self.assertEqual((done.returncode, done.stdout), (1, self.expected))
        self.assertEqual(done.stderr, "fcgprof: no.fc: No such file or directory\n")
        with open(self.path("functioncheck.fc"), encoding="utf-8") as stream:
            text = stream.read()
        for size in (20, len(text) // 3, len(text) // 2, len(text) - 2):
            self.write("cut.fc", text[:size])
            self.check_refused("cut.fc: line \\d+: ", "cut.fc")
        self.write("empty.fcd", "FunctionCheck descriptor file.\n")
        self.check_refused("empty.fcd: ", "empty.fcd")

    def test_formats_of_gmon_out(self):
        # -O asks for a format: then a profile is not looked for
        self.check_refused("functioncheck.fc: ", "-Omagic", "dear", "functioncheck.fc")

    def test_bad_options(self):
        done = self.run_tool("--nosuch", "functioncheck.fc")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.check_refused("no-map: No such file", "-Rno-map", "functioncheck.fc")

    def test_help_and_layout_of_index(self):
        self.assertIn("functioncheck.fc", self.report("--help"))
        wide = self.report("-b", "-q", "-w200", "functioncheck.fc")
        self.assertIn("[4] leaf (dear.c)", wide)

    def test_traditional(self):
        text = self.report("-b", "-T", "functioncheck.fc")
        self.assertIn("granularity: times are measured, not sampled; 55.00 microseconds in all",
                      text)
        self.assertRegex(text, r"\n {15}21\.00       20\.00       1/5           once \[3\]\n")

    def test_pipe(self):
        # a reader that goes away
        done = subprocess.run(f"{fctest.tool('fcgprof')} functioncheck.fc | head -1", shell=True,
                              cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual((done.stdout, done.stderr), ("Flat profile:\n", ""))


if __name__ == "__main__":
    fcgprof.main()
