#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcdump --gmon: GNU gprof reads from the file what fcdump --json says of the profile."""

import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import fcfile  # noqa: E402
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


HOUR_NS = 3600 * 10**9


class Export(fctest.Case):
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

    def check(self, data, module, path="gmon.out", outside="_start", may_be_off=()):
        report = gprofread.Report(module, self.path(path))
        expected = gprofread.Expected(data, module, outside)
        self.assertGreater(len(expected.flat), 1)
        self.assertEqual(gprofread.differences(report, expected, may_be_off), [])
        self.assertEqual(gprofread.tool_differences(module, self.path(path),
                                                    fctest.tool("fcgprof")), [])
        return expected

    def export_and_check(self, data, module, *words, outside="_start"):
        done = self.fcdump("--gmon=gmon.out", *words)
        self.assertEqual(done.stdout, "")
        self.assertIn("fcdump: gmon.out: note: it has the calls and the own time", done.stderr)
        self.assertIn("times by line, as gprof -l has them, mean nothing", done.stderr)
        self.assertNotIn("own time is off", done.stderr)
        return self.check(data, module, outside=outside)


class Recorded(Export):
    """Profiles of programs."""

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
        os.mkdir(self.path("copy"))
        for name in os.listdir(self.folder):
            if name.startswith("functioncheck.fc"):
                shutil.copy(self.path(name), self.path("copy"))
        copy = os.path.join("copy", descriptor)
        expected = self.export_and_check(self.json(descriptor, copy), program, descriptor, copy)
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
            self.check(data, program)
            for image in ("libown.so", library):
                done = self.fcdump("--gmon=gmon.out", "--image=" + image)
                self.assertIn("said to be by _init", done.stderr)
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
                self.check(data, library, outside="_init")

    def test_several_modules(self):
        program, library = self.build_with_library()
        data = self.profile(program)
        self.fcdump("--gmon=out", "functioncheck.fc", program, "--image=libown.so")
        self.check(data, program, "out.prog")
        self.check(data, library, "out.libown.so", outside="_init")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_modules_of_one_name(self):
        libraries = []
        for name in "ab":
            os.mkdir(self.path(name))
            source = self.write(name + ".c", f"""
                static int in_{name}(int n) {{ return n + 1; }}
                int api_{name}(int n) {{ return in_{name}(n) + in_{name}(n + 1); }}""")
            libraries.append(self.compile(source, "-shared", "-fPIC",
                                          output=name + "/libown.so"))
        program = self.build("int api_a(int), api_b(int);"
                             "int main(void) { return api_a(1) + api_b(2) - 12; }",
                             "-Wl,--no-as-needed", *libraries)
        data = self.profile(program)
        for image in (libraries[1], "b/libown.so", "b/../b/libown.so"):
            self.fcdump("--gmon=gmon.out", "--image=" + image)
            self.check(data, libraries[1], outside="_init")
        self.fcdump("--gmon=out", "functioncheck.fc", "b/libown.so", "a/libown.so", "b/libown.so")
        self.check(data, libraries[1], "out.libown.so", outside="_init")
        self.check(data, libraries[0], "out.libown.so.2", outside="_init")
        self.assertFalse(os.path.exists(self.path("out.libown.so.3")))

    def test_plug_in(self):
        """A library that is loaded again and again, and is gone at the end."""
        source = self.write("plugin.c", "static int inner(int n) { return n + 1; }"
                            "int work(int n) { return inner(n) + inner(n); }")
        library = self.compile(source, "-shared", "-fPIC", output="plugin.so")
        program = self.build("""#include <dlfcn.h>
            int main(void) {
                int sum = 0;
                for (int i = 0; i < 5; i++) {
                    void *handle = dlopen("./plugin.so", RTLD_NOW);
                    int (*work)(int) = (int (*)(int))dlsym(handle, "work");
                    sum += work(i);
                    dlclose(handle);
                }
                return sum != 30;
            }""", "-ldl")
        data = self.profile(program)
        self.fcdump("--gmon=gmon.out", "--image=plugin.so")
        report = gprofread.Report(library, self.path("gmon.out"))
        self.assertEqual(report.arcs, {("_init", "work"): [5], ("work", "inner"): [10]})
        self.assertEqual(len(data["functions"]), 3)

    def test_sums_of_gprof(self):
        """gprof -s loses what sixteen bits can't hold, and a note says so; else it doesn't."""
        program = self.build("""
            #include <time.h>
            static void spins(clock_t us) { us += clock(); while (clock() < us) {} }
            static void nothing(void) {}
            int main(int count, char **words) {
                nothing();
                if (count > 1) spins(100000);
                return words[0] == 0;
            }""")
        for words in ([], ["x"]):
            data = self.profile(program, *words)
            done = self.fcdump("--gmon=gmon.out")
            is_lost = "loses time where it sums" in done.stderr
            self.assertTrue(is_lost or not words, done.stderr)
            self.check(data, program)
            self.command(["gprof", "-s", program, "gmon.out"])
            read, summed = [gprofread.Report(program, self.path(name)).flat
                            for name in ("gmon.out", "gmon.sum")]
            self.assertEqual(read != summed, is_lost)

    def test_names_that_gprof_drops(self):
        """Its figures must not go to the function before it."""
        program = self.build(CALLS.replace("once", "on$ce"))
        data = self.profile(program)
        done = self.fcdump("--gmon=gmon.out")
        self.assertIn("functions that gprof knows no symbol of, not in it: 1 (calls: 1, time: ",
                      done.stderr)
        dropped = [f for f in data["functions"] if f["name"] == "on$ce"]
        dropped[0]["entries"] = []
        self.check(data, program)

    def test_nobody_outside(self):
        """A library without anything that could stand for callers from outside."""
        source = self.write("own.c", LIBRARY)
        library = self.compile(source, "-shared", "-fPIC", "-nostartfiles", output="libown.so")
        program = self.build(USER, "-Wl,--no-as-needed", library, f"-Wl,-rpath,{self.folder}")
        data = self.profile(program)
        done = self.fcdump("--gmon=gmon.out", "--image=libown.so")
        self.assertIn("calls by callers that are not in it: 81, which gprof will not count: "
                      "libown.so has no function _start", done.stderr)
        report = gprofread.Report(library, self.path("gmon.out"))
        self.assertEqual(report.arcs, {
            ("lib_apply", "lib_next"): [20], ("lib_apply", "inner"): [40],
            ("lib_next", "inner"): [60], ("lib_self", "lib_self"): [12]})
        self.assertEqual(len(data["functions"]), 6)

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
                (["--gmon=x", "--image=libc.so.6"], 1, "no functions of libc.so.6; "
                 "--image=MODULE exports another"),
                (["--gmon=x", "none.fc"], 1, "fcdump: none.fc: No such file or directory")):
            done = self.fcdump(*words, status=status)
            self.assertIn(text, done.stderr)
            self.assertNotIn(": note: ", done.stderr)
            self.assertFalse(os.path.exists(self.path("x")))
        after = os.stat(self.path("functioncheck.fc"))
        self.assertEqual((before.st_size, before.st_mtime_ns), (after.st_size, after.st_mtime_ns))


class Written(Export):
    """Profiles that no program would make in the time of a test."""

    def setUp(self):
        super().setUp()
        self.program = fcfile.Program(self.path("prog"))

    def write_profile(self, figures, arcs, name="functioncheck.fc"):
        """figures: {name: (calls, local_ns)}; arcs: [(caller, site, callee, calls)]."""
        profile = fcfile.Profile(self.program, run_ns=1)
        for function, (calls, local_ns) in figures.items():
            profile.function(function, calls, local_ns, local_ns)
        for caller, site, callee, calls in arcs:
            profile.arc(caller, site, callee, calls, 0)
        profile.write(self.path(name))
        return self.json()

    def test_many_calls(self):
        """More calls than the 32 bits of a record hold, from one place and from several."""
        data = self.write_profile(
            {"main": (1, 100), "work": (10**12 + 7, 10**6), "leaf": (2**32 - 1, 10**6),
             "odd": (2**32, 0), "fib": (2**33 + 2**40, 5000)},
            [(None, 0x7f0000001234, "main", 1), ("main", "main+6", "work", 10**12),
             ("main", "main+12", "work", 7), ("work", "work+5", "leaf", 2**32 - 1),
             ("work", "work+5", "odd", 2**32), ("work", "work+9", "fib", 2**33),
             ("fib", "fib+6", "fib", 2**40)])
        self.export_and_check(data, self.program.path)

    def test_too_many_calls(self):
        self.write_profile({"main": (2**63, 100)}, [(None, 0x1234, "main", 2**63)])
        done = self.fcdump("--gmon=gmon.out", status=1)
        self.assertIn("more calls than a gmon.out file can hold", done.stderr)
        self.assertFalse(os.path.exists(self.path("gmon.out")))

    def test_wide_range(self):
        """One nanosecond is exact beside a minute."""
        data = self.write_profile(
            {"main": (1, 60 * 10**9), "work": (1, 1), "leaf": (1, 999), "alpha": (1, 10**9 + 1),
             "beta": (1, 65535), "delta": (1, 65536), "even": (1, 0)},
            [(None, 0x1234, "main", 1), *[("main", "main+6", name, 1) for name in (
                "work", "leaf", "alpha", "beta", "delta", "even")]])
        self.export_and_check(data, self.program.path)

    def test_too_wide_range(self):
        """Beside ten hours in a small function it can't be, and fcdump says so; everything
        from a tenth of a millisecond on is still within the bound."""
        data = self.write_profile(
            {"main": (1, 10 * HOUR_NS), "work": (1, 1), "leaf": (1, 2900), "alpha": (1, 123456789),
             "beta": (1, 345678), "even": (1, 0)},
            [(None, 0x1234, "main", 1), *[("main", "main+6", name, 1) for name in (
                "work", "leaf", "alpha", "beta", "even")]])
        done = self.fcdump("--gmon=gmon.out")
        self.assertRegex(done.stderr, "functions whose own time is off by more than 0.5%: 2; a "
                         r"tick is \d+ ns, and the longest of them, leaf, had 2900 ns")
        self.check(data, self.program.path, may_be_off=("work", "leaf"))
        self.assertLess(os.path.getsize(self.path("gmon.out")), 70000000)

    def test_days(self):
        """A week on a hundred processors."""
        data = self.write_profile({"main": (1, 100 * 7 * 24 * HOUR_NS), "work": (9, 3 * HOUR_NS)},
                                  [(None, 0x1234, "main", 1), ("main", "main+6", "work", 9)])
        self.export_and_check(data, self.program.path)

    def test_no_time(self):
        data = self.write_profile({"main": (1, 0), "work": (9, 0)},
                                  [(None, 0x1234, "main", 1), ("main", "main+6", "work", 9)])
        self.export_and_check(data, self.program.path)

    def test_inlined_and_by_way(self):
        """Call sites that are not in the caller: the calls are its own all the same."""
        data = self.write_profile(
            {"main": (1, 10), "work": (5, 10), "leaf": (7, 10)},
            [(None, 0x1234, "main", 1), ("main", "sorter+8", "work", 5),
             ("work", "main+6", "leaf", 3), ("work", 0x7f0000001234, "leaf", 4)])
        expected = self.export_and_check(data, self.program.path)
        self.assertEqual(expected.arcs["work", "leaf"], [7])
        self.assertNotIn(("main", "leaf"), expected.arcs)

    def test_call_at_the_end(self):
        """The return address of a call that does not return is the next function's."""
        end = self.program.start["work"] + self.program.size["work"]
        data = self.write_profile(
            {"main": (1, 10), "work": (5, 10), "leaf": (7, 10)},
            [(None, 0x1234, "main", 1), ("main", "main+6", "work", 5),
             ("work", f"work+{self.program.size['work']}", "leaf", 7)])
        expected = self.export_and_check(data, self.program.path)
        self.assertEqual(expected.arcs["work", "leaf"], [7])
        places = {source for source, _, calls in gprofread.File(self.path("gmon.out")).arcs
                  if calls == 7}
        self.assertEqual(places, {end - 1})

    def test_version3(self):
        """A plain version 3.0 file knows neither the program nor calls from outside."""
        program = fcfile.Program(self.path("fixed"), ["-no-pie"])
        profile = fcfile.Profile(program, base=0, run_ns=5000)
        profile.function("main", 1, 5000000, 2000000)
        profile.function("work", 3, 3000000, 3000000)
        profile.arc("main", "main+6", "work", 3, 3000000)
        profile.write(self.path("plain.fc"), extended=False)
        done = self.fcdump("--gmon=gmon.out", "plain.fc", status=1)
        self.assertIn("name one with --image", done.stderr)
        data = self.json("plain.fc", "fixed")
        self.fcdump("--gmon=gmon.out", "plain.fc", "fixed")
        report = gprofread.Report(program.path, self.path("gmon.out"))
        self.assertEqual(report.arcs, {("_start", "main"): [1], ("main", "work"): [3]})
        self.assertEqual((report.flat["main"][0][0], report.flat["work"][0][0]), (1, 3))
        self.assertEqual(len(data["functions"]), 2)


if __name__ == "__main__":
    if gprofread.GPROF is None:
        print("gprof is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
