#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`fc-config --after-inlining` with gcc on x86-64, where libfc has hooks of its own for it: every
register stays as it is, counts are the oracle's however a program is built, unwinders find their
way, both kinds of code mix, and nothing of gprof is linked.  The shapes of programs are run by
shapes.py."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

BUILDS = (["-O1"], ["-O2"], ["-O3"], ["-Os"], ["-O2", "-fPIC"], ["-O2", "-fno-pic", "-no-pie"],
          ["-O2", "-fno-plt"], ["-O2", "-fcf-protection"], ["-Os", "-fcf-protection"],
          ["-O2", "-flto"], ["-O2", "-foptimize-sibling-calls"], ["-O2", "-fomit-frame-pointer"],
          ["-O2", "-fno-omit-frame-pointer", "-mrecord-mcount", "-fPIC"])

CALLS = """
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CALLED __attribute__((noinline, noclone))
static volatile long sink;
static jmp_buf place;
static inline __attribute__((always_inline)) long accessor(long x) { return x + sink; }
CALLED static long leaf(long x) { return accessor(x) * 3; }
CALLED static long middle(long x) { return leaf(x) + leaf(x + 1); }
CALLED static long tail(long x) { sink += x; return middle(x + 2); }
CALLED static long other_tail(long x) { sink -= x; return tail(x + 1); }
CALLED static long large(long x) { char a[100000]; memset(a, (int)x, sizeof a); return a[x % 1000]; }
CALLED static long allocating(long x) { char *a = alloca(x * 16 + 16); a[x] = 1; return leaf(a[x]); }
CALLED static void jumping(long x) { if (x % 3 == 0) longjmp(place, 1); leaf(x); }
CALLED static void catching(long x) { if (setjmp(place) == 0) jumping(x); leaf(x); }
CALLED static __attribute__((noreturn)) void last(void) { exit(leaf(0) != 0); }
__attribute__((naked, noinline)) static long bare(void) { __asm__("mov $7, %eax\\n ret"); }
static long local(long n) {
    long sum = 0;
    CALLED void nested(long x) { sum += leaf(x); }
    for (long i = 0; i < n; i++) nested(i);
    return sum;
}
int main(void) {
    long sum = 0;
    for (long i = 0; i < 3000; i++) {
        sum += middle(i) + other_tail(i) + large(i) + allocating(i) + bare();
        catching(i);
    }
    printf("%ld\\n", sum + local(100));
    sink = 0;
    last();
}
"""

# Nops stand before functions at even addresses alone: where there is an alignment (gcc 14 has none with the flags below).
PAGES = """
#include <stdint.h>
#include <sys/mman.h>
#define CALLED __attribute__((noinline, noclone))
#define PAGE 4096
static volatile long sink;
CALLED static long outer(long n) {
    CALLED __attribute__((aligned(PAGE))) void nested(long x) { sink += n + x; }
    nested(1);
    return n;
}
#define AT(N) __asm__(".text\\n .p2align 12\\n .skip 4096 + " #N ", 0x90 + (" #N " & 1) * 0x3c"); CALLED void at_##N(void) { sink += N; }
AT(0) AT(1) AT(2) AT(3) AT(4) AT(5) AT(6) AT(7) AT(8) AT(9) AT(10) AT(11) AT(12) AT(13)
__asm__(".p2align 12");
static void (*const all[])(void) = {at_0, at_1, at_2, at_3, at_4, at_5, at_6, at_7, at_8, at_9, at_10, at_11, at_12, at_13};
int main(void) {
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        char *page = (char *)((uintptr_t)all[i] / PAGE * PAGE);
        if (mprotect(page - PAGE, PAGE, PROT_NONE) != 0) return 1;
        all[i]();
    }
    return outer(0);
}
"""

# What molds make of a call through the offset table, alone and behind what stands before it; and a call that was
# direct, with a nop between functions before it.
MADE_CALLS = """
#define FUNCTION(NAME, PLACE, BEGIN) __asm__(".text\\n" PLACE "\\n .type " #NAME ", @function\\n" #NAME ": " BEGIN \\
    " call __fentry__\\n .size " #NAME ", . - " #NAME "\\n call __return__\\n ret"); void NAME(void);
#define NOP ".byte 0x90\\n"
#define REX ".byte 0x40\\n"
FUNCTION(made, ".p2align 4", NOP)
FUNCTION(made_behind_endbr, ".p2align 4", "endbr64\\n" NOP)
FUNCTION(made_by_prefix, ".p2align 4", REX)
FUNCTION(at_page_by_prefix, ".p2align 12", "endbr64\\n" REX)
FUNCTION(at_page, ".p2align 12", NOP)
FUNCTION(at_page_behind_endbr, ".p2align 12", "endbr64\\n" NOP)
FUNCTION(direct, ".p2align 4\\n .skip 2, 0x90", "")
FUNCTION(direct_at_page, ".p2align 12\\n .skip 2, 0x90", "")
int main(void) {
    for (int i = 0; i < 1000; i++) {
        made(), made_behind_endbr(), made_by_prefix(), direct();
        at_page(), at_page_behind_endbr(), at_page_by_prefix(), direct_at_page();
    }
    return 0;
}
"""

CONSTRUCTED = """
#include <stdio.h>
#define CALLED __attribute__((noinline, noclone))
CALLED static double scaled(double x, double y, double z) { return x * 100 + y * 10 + z; }
__attribute__((constructor, no_instrument_function)) static void begin(void)
{
    printf("%g\\n", scaled(1, 2, 3));
}
"""

LOADER = """
#include <dlfcn.h>
__attribute__((noinline)) static void other(void) { __asm__ volatile(""); }
int main(int count, char **words)
{
    other();
    return count != 2 || !dlopen(words[1], RTLD_NOW);
}
"""

# with all registers for arguments taken, and so the address in r10 or r11
TAIL_CALL = """
#include <stdio.h>
typedef long Called(long, long, long, long, long, long);
__attribute__((noinline)) long called(long a, long b, long c, long d, long e, long f)
{
    __asm__ volatile("");
    return a + b + c + d + e + f;
}
Called *volatile next = called;
__attribute__((noinline)) long goes_on(long a, long b, long c, long d, long e, long f)
{
    return next(b, a, d, c, f, e);
}
int main(void)
{
    long sum = 0;
    for (long i = 0; i < 5000; i++)
        sum += goes_on(i, 1, 2, 3, 4, 5);
    return sum != 12572500;
}
"""


class AfterInlining(fctest.Case):
    config = ["--after-inlining"]

    def counts(self, name="functioncheck.fc"):
        profile = fcprofile.load(self.path(name))
        # gcc numbers nested functions: nested.0
        return {function.name.split(".")[0]: function.calls for function in profile.functions}

    def check_against_oracle(self, program):
        """The profile's counts are the oracle's, and gprof had no part in it."""
        done, files = self.run_oracle([program])
        self.assertEqual((done.returncode, len(files)), (0, 1), done.stderr)
        found = self.run_quiet([program])
        self.assertEqual((found.returncode, found.stdout, found.stderr), (0, done.stdout, b""))
        self.assert_counts_equal(files[0], self.path("functioncheck.fc"))
        self.assertEqual(glob.glob(self.path("gmon.out")), [])

    def test_builds(self):
        source = self.write("calls.c", CALLS)
        for number, flags in enumerate(BUILDS):
            with self.subTest(flags=flags):
                program = self.compile(source, *flags, output=f"calls{number}")
                self.check_against_oracle(program)
                counts = self.counts()
                self.assertNotIn("accessor", counts)
                self.assertEqual({name: counts.get(name) for name in (
                    "middle", "tail", "other_tail", "catching", "jumping", "nested", "large",
                    "bare")},
                    {"middle": 6000, "tail": 3000, "other_tail": 3000, "catching": 3000,
                     "jumping": 3000, "nested": 100, "large": 3000, "bare": 3000})
                # what longjmp left, and the naked function, which returns by itself
                repairs = fcprofile.load(self.path("functioncheck.fc")).repairs
                self.assertEqual(repairs, {"jump": 1000 + 3000})

    def test_counted(self):
        """Short functions are counted and not recorded, each thread's; a longer one between them is not, and
        what exceptions leave does not confuse their exits."""
        program = self.compile("counted.cc", "-O2", compiler="g++")
        done = self.run_beside_oracle([program], self.path("out"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        out, = glob.glob(self.path("out.*"))
        self.assert_counts_equal(out, self.path("functioncheck.fc"))
        for detail in ("auto", "all"):
            self.run_quiet([program], env={"FC_DETAIL": detail})
            text = self.command([fctest.tool("fcdump"), "--json", self.path("functioncheck.fc")])
            functions = {each["name"].split("(")[0]: each for each in json.loads(text)["functions"]}
            counted = {name: each["counted"] for name, each in functions.items()}
            calls = {name: each["calls"] for name, each in functions.items()}
            self.assertEqual(calls["leaf"], 2 * 200000 + 2 * 20000)
            self.assertEqual(calls["within"], 2 * 20000)
            self.assertEqual(calls["throwing"], 2 * 2000)
            if detail == "all":
                self.assertEqual(set(counted.values()), {0})
            else:
                self.assertGreater(counted["leaf"], 200000)
                self.assertGreater(counted["within"], 10000)
                if os.environ.get("FCTEST_DETAIL") != "eager":  # to which nothing is long
                    self.assertEqual(counted["longer"], 0)
            repairs = fcprofile.load(self.path("functioncheck.fc")).repairs
            self.assertEqual(set(repairs) - {"jump"}, set())

    def test_beginning_of_a_page(self):
        """A function that begins there is where its symbol is, whatever stands before its call of the hook, and
        nothing before the page is read, which can't be."""
        source = self.write("pages.c", PAGES)
        expected = {**{f"at_{number}": 1 for number in range(14)}, "nested": 1, "outer": 1, "main": 1}
        for number, flags in enumerate((
                [], ["-fcf-protection"], ["-fPIC", "-fno-plt"], ["-fPIC", "-fno-plt", "-fcf-protection"],
                ["-fPIC", "-fno-plt", "-Wl,--no-relax"], ["-fPIC", "-fno-plt", "-fcf-protection", "-Wl,--no-relax"])):
            with self.subTest(flags=flags):
                program = self.compile(source, "-O2", "-fno-toplevel-reorder", "-falign-functions=1", *flags,
                                       output=f"pages{number}")
                for detail in ("all", "auto"):
                    done = self.run_quiet([program], env={"FC_DETAIL": detail})
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    self.assertEqual(self.counts(), expected)

    def test_made_calls(self):
        """A function begins where its symbol is, whatever the linker made of its first call."""
        program = self.compile(self.write("made.c", MADE_CALLS), "-O2", "-fno-toplevel-reorder")
        self.check_against_oracle(program)
        self.assertEqual(self.counts(), {"main": 1, **dict.fromkeys((
            "made", "made_behind_endbr", "made_by_prefix", "direct", "at_page", "at_page_behind_endbr",
            "at_page_by_prefix", "direct_at_page"), 1000)})

    def test_linkers(self):
        source = self.write("calls.c", CALLS)
        for linker in ("bfd", "gold", "lld", "mold"):
            if not shutil.which("ld." + linker):
                print(f"not tried for want of ld.{linker}")
                continue
            with self.subTest(linker=linker):
                self.check_against_oracle(self.compile(
                    source, "-O2", "-Wl,--as-needed", "-fuse-ld=" + linker, output="calls-" + linker))

    def test_registers(self):
        """With a buffer that is full after every few records, and a clock for which each hook
        leaves the fast path."""
        for flags in (["-O0"], ["-O2"]):
            program = self.compile("registers.c", *flags, output="registers" + flags[0])
            for env in ({"FC_BUFFER_SIZE": "1"}, {"FC_TIME_MODE": "ext"}, {"FC_TRANSPORT": "pipe"}):
                with self.subTest(flags=flags, env=env):
                    done = self.run_quiet([program, "30000"], env=env)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"0\n", b""))
                    self.assertEqual(self.counts()["integers"], 30000)
                    self.assertEqual(self.counts()["nested"], 30000)

    def test_vector_registers(self):
        """Nothing in libfc touches them, but where it keeps them all, and in the stubs of MPI_Pcontrol, which keep those
        that hold arguments."""
        library, = glob.glob(os.path.join(fctest.PREFIX, "lib*", "**", "libfc.so.4"), recursive=True)
        done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True, text=True,
                              stdout=subprocess.PIPE)
        stubs = r"<fc_mpi_control_stub(?:_fortran)?>:\n(?:.+\n)*"
        for stub in re.findall(stubs, done.stdout):
            for register in range(8):
                self.assertEqual(len(re.findall(rf"movups %xmm{register},0x\w+\(%rsp\)", stub)), 1)
                self.assertEqual(len(re.findall(rf"movups 0x\w+\(%rsp\),%xmm{register}\b", stub)), 1)
        rest = re.sub(stubs, "", done.stdout)
        self.assertEqual(re.findall(r".*%(?:[xyz]?mm[0-9]|st|k[0-7]).*", rest), [])
        self.assertEqual(len(re.findall(r"\bxsave64\b", done.stdout)), 1)

    def test_beside_the_oracle(self):
        program = self.compile("registers.c", "-O2")
        done = self.run_beside_oracle([program, "3000"], self.path("out"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"0\n", b""))
        out, = glob.glob(self.path("out.*"))
        self.assert_counts_equal(out, self.path("functioncheck.fc"))

    def test_mixed(self):
        """Objects of both kinds, and of clang, that call each other, with an exception through
        all of them."""
        self.write("one.cc", "void two(int); void one(int n) { if (n == 0) throw 7; two(n - 1); }\n")
        self.write("two.cc", "void three(int); void two(int n) { if (n == 0) throw 7; three(n - 1); }\n")
        self.write("three.cc", "void one(int); void three(int n) { if (n == 0) throw 7; one(n - 1); }\n")
        self.write("main.cc", "void one(int); int caught;\n"
                   "void leaf() {} int main() { for (int i = 0; i < 300; i++)"
                   " try { one(i % 10); } catch (int) { leaf(); caught++; } return caught != 300; }\n")
        kinds = {"one": ("g++", ["--cflags", "--after-inlining"]), "two": ("g++", ["--cflags", "--every-function"]),
                 "three": ("clang++", ["--cflags", "--after-inlining"]), "main": ("g++", ["--cflags", "--every-function"])}
        for name, (compiler, words) in kinds.items():
            self.command([compiler, "-O2", *fctest.fc_config(*words), "-c", name + ".cc"])
        self.command(["g++", "-o", "mixed", *(name + ".o" for name in kinds),
                      *fctest.fc_config("--libs", "--after-inlining")])
        self.check_against_oracle(self.path("mixed"))
        profile = fcprofile.load(self.path("functioncheck.fc"))
        counts = {function.name: function.calls for function in profile.functions}
        self.assertEqual((counts["main"], counts["leaf()"] if "leaf()" in counts
                          else counts["_Z4leafv"]), (1, 300))
        paths = {tuple(context.path) for context in profile.contexts}
        self.assertIn(("main", "_Z4leafv"), paths)
        self.assertNotIn("_Z4leafv", {name for path in paths if len(path) > 2 for name in path})

    def test_library(self):
        """A plug-in that was linked without libfc, in a program of the other kind."""
        source = self.write("library.c", "void step(void) { __asm__(\"\"); }\n"
                            "void steps(int n) { while (n-- > 0) step(); }\n")
        self.command(["gcc", *fctest.fc_config("--cflags", "--after-inlining"), "-fno-inline", "-shared",
                      "-fPIC", "-o", self.path("liblibrary.so"), source])
        self.write("caller.c", "void steps(int n); int main(void) { steps(40); return 0; }\n")
        self.config = ["--every-function"]
        program = self.compile(self.path("caller.c"), "-Wl,--no-as-needed",
                               self.path("liblibrary.so"), "-Wl,-rpath," + self.folder)
        self.check_against_oracle(program)
        self.assertEqual(self.counts(), {"main": 1, "steps": 1, "step": 40})

    def test_tail_call_in_a_register(self):
        """Behind the hook of a function's end the next thing may be a jump to an address in any register."""
        source = self.write("jumps.c", TAIL_CALL)
        program = self.compile(source, "-O2", "-foptimize-sibling-calls")
        self.check_against_oracle(program)
        self.assertEqual(self.counts(), {"main": 1, "called": 5000, "goes_on": 5000})

    def test_recursion(self):
        """It is not made a loop, by neither compiler."""
        source = self.write("recursion.c", "__attribute__((noinline)) long fib(long x)\n"
                                           "{ return x < 2 ? x : fib(x - 1) + fib(x - 2); }\n"
                                           "int main(void) { return fib(15) != 610; }\n")
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                program = self.compile(source, "-O2", compiler=compiler, output="recursion-" + compiler)
                self.assertEqual(self.run_quiet([program]).returncode, 0)
                self.assertEqual(self.counts(), {"main": 1, "fib": 1973})

    def test_filter_in_a_constructor(self):
        """The first call of a library that is being loaded: libfc asks the C library's loader what
        it is of, and the arguments stay."""
        source = self.write("constructed.c", CONSTRUCTED)
        self.command(["gcc", "-O2", *fctest.fc_config("--cflags", "--after-inlining"), "-shared",
                      "-fPIC", "-o", self.path("constructed.so"), source])
        loader = self.write("loader.c", LOADER)
        done = self.run_quiet([self.compile(loader, "-O2"), self.path("constructed.so")],
                              env={"FC_FILTER": "skip:other"})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"123\n", b""))
        self.assertEqual(self.counts(), {"main": 1, "scaled": 1})

    def test_stack_that_ends(self):
        """Where a chunk is full while signals are blocked the vector registers are kept on a stack of
        which that much is made sure of before: its end is handled by the program, thousands of times."""
        program = self.compile("ends.c", "-O0")
        for _ in range(6):
            done = self.run_quiet([program, "stack-overflows"],
                                  env=fctest.plain_environment("eager", FC_FILTER="skip:[a-h]*;count:[m-z]*"))
            self.assertEqual((done.returncode, done.stderr), (7, b""))

    def test_unwinders(self):
        """In both hooks, and in what they call when they need more: the callers are found, with
        their registers."""
        if not shutil.which("gdb"):
            self.skipTest("gdb is not installed")
        source = self.write("deep.c", """
            #include <stdio.h>
            #define CALLED __attribute__((noinline, noclone))
            CALLED long inner(long x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
            CALLED long outer(long x) { long kept = x * 3; return inner(x) + inner(kept) + kept; }
            int main(void) { return (int)outer(5) & 1 ? 0 : (int)outer(4) & 0; }
            """)
        for flags in (["-O0"], ["-O2"], ["-O2", "-fcf-protection"]):
            program = self.compile(source, *flags, output="deep" + "".join(flags))
            for hook in ("__fentry__", "__return__", "fc_hook_fentry", "fc_hook_return",
                         "fc_after_inlining_slow", "fc_after_inlining_record"):
                with self.subTest(flags=flags, hook=hook):
                    is_hook = "slow" not in hook and "record" not in hook
                    text = self.command([
                        # what it knows of the C library's lines would take most of the time
                        "gdb", "-nx", "-batch", "-iex", "set debug-file-directory /nonexistent",
                        "-ex", "set breakpoint pending on",
                        "-ex", "set env FC_QUIET=1", "-ex", "set env FC_TIME_MODE=ext",
                        # libfc calls them at its start, too
                        "-ex", "break inner", "-ex", "run",
                        "-ex", "break *" + hook if is_hook else "break " + hook,
                        "-ex", "continue", *(["-ex", "stepi 4"] if is_hook else []),
                        "-ex", "bt", "-ex", "kill", program])
                    names = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\w+)", text, re.M)
                    self.assertEqual(names[-1:], ["main"], text)
                    self.assertNotIn("corrupt", text)
                    self.assertIn("outer", names)

    def test_link_step_alone(self):
        """The linker gets what it gets for any program: no start files of gprof's."""
        source = self.write("calls.c", CALLS)
        program = self.compile(source, "-O2")
        symbols = self.command(["nm", program])
        self.assertNotRegex(symbols, r"\b(mcount|__monstartup|monstartup|_mcleanup)\b")

    def test_switched_off(self):
        """Without a manager the program runs all the same."""
        program = self.compile("registers.c", "-O2")
        done = self.run_quiet([program, "3000"], env={"FC_MANAGER": "/nonexistent/fcmanager"})
        self.assertEqual((done.returncode, done.stdout), (0, b"0\n"))
        self.assertEqual(glob.glob(self.path("*.fc")), [])


class Default(AfterInlining):
    """What users get: as above where it is optimized, with tail calls."""
    config = []

    def test_builds(self):
        """Counts are the oracle's, of the same functions as with --after-inlining.  (With -flto hooks are in every function,
        which the naked one is not made for.)"""
        source = self.write("calls.c", CALLS)
        for number, flags in enumerate(flags for flags in BUILDS if "-flto" not in flags):
            with self.subTest(flags=flags):
                program = self.compile(source, *flags, output=f"calls{number}")
                self.check_against_oracle(program)
                counts = self.counts()
                self.assertNotIn("accessor", counts)
                self.assertEqual({name: counts.get(name) for name in ("catching", "jumping", "large", "bare")},
                                 {"catching": 3000, "jumping": 3000, "large": 3000, "bare": 3000})

    def test_equal_functions(self):
        """Functions with equal code keep their names and counts."""
        source = self.write("equal.c", "\n".join(
            ["#define CALLED __attribute__((noinline))",
             *(f"CALLED int {name}_of(int x) {{ __asm__ volatile(\"\"); return x * 3 + 1; }}" for name in ("width", "price", "count")),
             "int main(void) { int s = 0; for (int i = 0; i < 2000; i++) s += price_of(i);",
             "for (int i = 0; i < 100; i++) s += width_of(i); for (int i = 0; i < 30; i++) s += count_of(i); return s == 0; }"]))
        for compiler in ("gcc", "clang"):
            program = self.compile(source, "-O2", compiler=compiler, output="equal-" + compiler)
            self.assertEqual(self.run_quiet([program]).returncode, 0)
            self.assertEqual(self.counts(), {"main": 1, "width_of": 100, "price_of": 2000, "count_of": 30})

    def test_without_optimization(self):
        """Hooks are in every function, as with --every-function: the very same code calls them."""
        source = self.write("calls.c", CALLS)
        for flags in ([], ["-O2", "-O0"]):
            self.compile(source, *flags, output="default")
            self.compile(source, *flags, output="every", config=["--every-function"])
            hooks = [re.findall(r"<(__cyg_profile_func_\w+|__fentry__|__return__)>$", self.command(
                ["objdump", "-d", "--no-show-raw-insn", self.path(name)]), re.M) for name in ("default", "every")]
            self.assertEqual(hooks[0], hooks[1])
            self.assertNotIn("__fentry__", hooks[0])


for inherited in ("test_recursion", "test_registers", "test_unwinders", "test_beginning_of_a_page", "test_made_calls", "test_mixed",
                  "test_library", "test_linkers", "test_filter_in_a_constructor", "test_stack_that_ends", "test_vector_registers",
                  "test_link_step_alone", "test_switched_off", "test_tail_call_in_a_register", "test_beside_the_oracle"):
    setattr(Default, inherited, None)


if __name__ == "__main__":
    fctest.main()
