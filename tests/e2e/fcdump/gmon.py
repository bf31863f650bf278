#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcdump --gmon: GNU gprof reads from the file what fcdump --json says of the profile."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fctest  # noqa: E402
import gprofread  # noqa: E402

CALLS = r"""
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static void once(void) {}
static void spin(volatile int *sink) { for (int i = 0; i < 300000; i++) *sink += i; }
int main(void)
{
    volatile int sink = 0;
    int numbers[200];
    for (int i = 0; i < 200; i++)
        numbers[i] = rand();
    qsort(numbers, 200, sizeof *numbers, compare);
    sink += fib(15) + even(101) + odd(50);
    once();
    for (int i = 0; i < 10; i++)
        spin(&sink);
    return 0;
}
"""

CXX = r"""
#include <stdexcept>
#include <string>
#include <vector>
namespace shapes {
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
struct Square : Shape { double side; explicit Square(double s) : side(s) {}
    double area() const override { return side * side; } };
template <typename T> T twice(T value) { return value + value; }
int checked(int n) { if (n % 7 == 0) throw std::runtime_error("seven"); return n; }
}
static shapes::Square global(3);
int main()
{
    std::vector<shapes::Shape *> all;
    double sum = 0;
    for (int i = 0; i < 20; i++) all.push_back(new shapes::Square(i));
    for (auto *shape : all) { sum += shapes::twice(shape->area()); delete shape; }
    for (int i = 0; i < 30; i++) try { sum += shapes::checked(i); } catch (std::exception &) {}
    return shapes::twice(std::string("x")).size() == 2 && sum > global.area() ? 0 : 1;
}
"""

THREADS = r"""
#include <pthread.h>
static void leaf(volatile long *sum) { for (int i = 0; i < 1000; i++) *sum += i; }
static void *work(void *data)
{
    volatile long sum = 0;
    for (int i = 0; i < 500; i++)
        leaf(&sum);
    return data;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
"""

FORKS = r"""
#include <sys/wait.h>
#include <unistd.h>
static void work(void) {}
int main(void)
{
    for (int i = 1; i <= 3; i++)
        if (fork() == 0) {
            for (int k = 0; k < i * 10; k++)
                work();
            return 0;
        }
    work();
    while (wait(0) > 0)
        ;
    return 0;
}
"""

LIBRARY = r"""
typedef int callback(int);
__attribute__((noinline)) static int inner(int n) { return n + 1; }
int lib_apply(callback *call, int n) { return call(n) + inner(n); }
int lib_next(int n) { return inner(n) * 2; }
int lib_self(int n) { return n <= 0 ? 0 : lib_self(n - 1) + 1; }
"""

USER = r"""
typedef int callback(int);
int lib_apply(callback *call, int n);
int lib_next(int n);
int lib_self(int n);
static int mine(int n) { return n - 1; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 40; i++)
        sum += lib_apply(i % 2 ? lib_next : mine, i) + lib_next(i);
    return sum + lib_self(12) > 0 ? 0 : 1;
}
"""


class Gmon(fctest.Case):
    def fcdump(self, *words, status=0):
        done = subprocess.run([fctest.tool("fcdump"), *words], cwd=self.folder, check=False,
                              capture_output=True, text=True, env=fctest.plain_environment(),
                              timeout=fctest.TIMEOUT_S)
        self.assertEqual(done.returncode, status, f"fcdump {words}: {done.stderr}")
        return done

    def build(self, text, *flags, name="prog", compiler="gcc"):
        source = self.write(name + (".cc" if compiler.endswith("++") else ".c"), text)
        return self.compile(source, *flags, compiler=compiler, output=name)

    def profile(self, *words):
        """Runs a target; gives the output of --json for its profile."""
        done = self.run_quiet(list(words))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.json()

    def json(self, *words):
        return json.loads(self.fcdump("--json", *words).stdout)

    def check(self, data, module, path="gmon.out", outside="_start"):
        report = gprofread.Report(module, self.path(path))
        expected = gprofread.Expected(data, module, outside)
        self.assertGreater(len(expected.flat), 1)
        self.assertEqual(gprofread.differences(report, expected), [])
        self.assertEqual(gprofread.tool_differences(module, self.path(path),
                                                    fctest.tool("fcgprof")), [])
        return expected

    def export_and_check(self, data, module, *words, outside="_start"):
        done = self.fcdump("--gmon=gmon.out", *words)
        self.assertEqual(done.stdout, "")
        self.assertIn("fcdump: gmon.out: note: ", done.stderr)
        return self.check(data, module, outside=outside)

    def test_kinds_of_program(self):
        for flags in (["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-O2"], ["-gdwarf-4"]):
            program = self.build(CALLS, *flags)
            data = self.profile(program)
            expected = self.export_and_check(data, program)
            self.assertIn(("main", "compare"), expected.arcs)  # by way of qsort
            self.assertIn(("fib", "fib"), expected.arcs)
            self.assertEqual(expected.arcs["_start", "main"], [1])

    def test_clang(self):
        if not any(os.access(os.path.join(folder, "clang"), os.X_OK)
                   for folder in os.environ["PATH"].split(":")):
            self.skipTest("there is no clang")
        program = self.build(CALLS, compiler="clang")
        self.export_and_check(self.profile(program), program)

    def test_cxx(self):
        program = self.build(CXX, compiler="g++")
        expected = self.export_and_check(self.profile(program), program)
        self.assertIn("_ZN6shapes5twiceIdEET_S1_", expected.flat)

    def test_threads(self):
        program = self.build(THREADS)
        expected = self.export_and_check(self.profile(program), program)
        self.assertEqual(expected.arcs["work", "leaf"], [2000])

    def test_sums(self):
        """A session of several processes, and profiles that are given together."""
        program = self.build(FORKS)
        expected = self.export_and_check(self.profile(program), program)
        self.assertEqual(expected.flat["work"][0][0], 61)
        descriptor = "functioncheck.fcd"
        expected = self.export_and_check(self.json(descriptor, descriptor), program, descriptor,
                                         descriptor)
        self.assertEqual(expected.flat["work"][0][0], 122)

    def build_with_library(self, *flags):
        source = self.write("own.c", LIBRARY)
        library = self.compile(source, "-shared", "-fPIC", output="libown.so")
        program = self.build(USER, *flags, "-Wl,--no-as-needed", library,
                             f"-Wl,-rpath,{self.folder}")
        return program, library

    def test_library(self):
        """Also for a program fixed at link time, which knows the library's functions by
        addresses of its own."""
        for flags in (["-fPIE", "-pie"], ["-fno-pie", "-no-pie"]):
            program, library = self.build_with_library(*flags)
            data = self.profile(program)
            done = self.fcdump("--gmon=gmon.out")
            self.assertIn("functions of other modules", done.stderr)
            if "-pie" in flags:
                self.check(data, program)
            for image in ("libown.so", library):
                done = self.fcdump("--gmon=gmon.out", "--image=" + image)
                self.assertIn("are said to be by _init", done.stderr)
                report = gprofread.Report(library, self.path("gmon.out"))
                self.assertEqual(
                    {name: [calls for calls, _ in figures] for name, figures in report.flat.items()
                     if figures[0][0]},
                    {"lib_apply": [40], "lib_next": [60], "lib_self": [1], "inner": [100]})
                self.assertEqual(report.arcs, {
                    ("_init", "lib_apply"): [40], ("_init", "lib_next"): [40],
                    ("lib_apply", "lib_next"): [20], ("lib_apply", "inner"): [40],
                    ("lib_next", "inner"): [60], ("_init", "lib_self"): [1],
                    ("lib_self", "lib_self"): [12]})
                if "-pie" in flags:
                    self.check(data, library, outside="_init")

    def test_several_modules(self):
        program, library = self.build_with_library()
        data = self.profile(program)
        self.fcdump("--gmon=out", "functioncheck.fc", program, "--image=libown.so")
        self.check(data, program, "out.prog")
        self.check(data, library, "out.libown.so", outside="_init")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_moved_program(self):
        program = self.build(CALLS)
        data = self.profile(program)
        os.rename(program, self.path("moved"))
        done = self.fcdump("--gmon=gmon.out", status=1)
        self.assertIn("gprof needs it for its symbols", done.stderr)
        self.assertFalse(os.path.exists(self.path("gmon.out")))
        self.fcdump("--gmon=gmon.out", "functioncheck.fc", "moved")
        report = gprofread.Report(self.path("moved"), self.path("gmon.out"))
        self.assertEqual([len(report.flat["fib"]), report.flat["once"][0][0]], [1, 1])
        self.assertEqual(len(data["functions"]), 7)

    def test_stripped_program(self):
        program = self.build(CALLS)
        self.command(["strip", program])
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        done = self.fcdump("--gmon=gmon.out", status=1)
        self.assertIn("has no symbols", done.stderr)
        self.assertFalse(os.path.exists(self.path("gmon.out")))

    def test_errors(self):
        program = self.build(CALLS)
        self.profile(program)
        before = os.stat(self.path("functioncheck.fc"))
        for words, status, text in (
                (["--gmon="], 2, "--gmon: a name is missing"),
                (["--gmon"], 2, "--gmon: FILE is missing"),
                (["--gmon=none/x"], 1, "fcdump: none/x: No such file or directory"),
                (["--gmon=/dev/full"], 1, "fcdump: /dev/full: No space left on device"),
                (["--gmon=functioncheck.fc"], 1, "not overwritten"),
                (["--gmon=prog"], 1, "not overwritten"),
                (["--gmon=x", "--image=libnone.so"], 1,
                 "fcdump: libnone.so: the profile has no such module"),
                (["--gmon=x", "--image=libc.so.6"], 1, "no functions of libc.so.6"),
                (["--gmon=x", "none.fc"], 1, "fcdump: none.fc: No such file or directory")):
            done = self.fcdump(*words, status=status)
            self.assertIn(text, done.stderr)
            self.assertFalse(os.path.exists(self.path("x")))
        after = os.stat(self.path("functioncheck.fc"))
        self.assertEqual((before.st_size, before.st_mtime_ns), (after.st_size, after.st_mtime_ns))


if __name__ == "__main__":
    if gprofread.GPROF is None:
        print("gprof is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
