#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcas, in the assembler's place: which functions get counters with all the ways in which compilers call it, what it
leaves alone, and what it says."""

import os
import re
import shutil
import subprocess

import lean
import fcprofile
import fctest

C_SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#ifdef __clang__
#define CALLED __attribute__((noinline))
#else
#define CALLED __attribute__((noinline, noclone))
#endif
static volatile int sink;
__attribute__((cold, noinline)) static void rare(void) { sink = 5; }
CALLED static int with_cold(int x) { if (__builtin_expect(x == 12345, 0)) { rare(); abort(); } return x + sink; }
CALLED int exported(int x) { return with_cold(x) * 3; }
CALLED int with_asm(int x) { __asm__ volatile("# nothing" : "+r"(x)); return x; }
__attribute__((naked, noinline)) int bare(void) { __asm__(".byte 0xb8, 7, 0, 0, 0, 0xc3"); }
CALLED static int chosen_one(int x) { return x + sink; } /* clang 19 knows what the resolver chooses */
static int (*resolve(void))(int) { return chosen_one; }
int chosen(int) __attribute__((ifunc("resolve")));
CALLED int looping(int n) { do { sink += n; } while (--n > 0); return n; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += exported(i) + with_asm(i) + bare() + chosen(i) + looping(3);
    printf("%d\\n", sum);
    return 0;
}
"""
CALLS = {"main": 1, "exported": 100, "with_cold": 100, "with_asm": 100, "bare": 100, "looping": 100, "chosen_one": 100}

ASSEMBLY = """
        .text
        .globl by_hand
        .type by_hand, @function
by_hand:
        jc 1f
        movl $1, %eax
        ret
1:      movl $2, %eax
        ret
        .size by_hand, .-by_hand
        .section .note.GNU-stack,"",@progbits
"""
ASSEMBLY_USER = """
#include <stdio.h>
__asm__(".text\\n.type at_top, @function\\nat_top: movl $3, %eax\\n ret\\n.size at_top, .-at_top\\n");
int by_hand(void);
int at_top(void);
int main(void) { printf("%d\\n", by_hand() + at_top()); return 0; }
"""

WAYS = (["-O2"], ["-O2", "-pipe"], ["-O2", "-save-temps"], ["-O2", "-g3", "-gz"], ["-O2", "-gsplit-dwarf"], ["-O2", "-gdwarf-4"],
        ["-O2", "-flto"], ["-O2", "-fcf-protection=full"], ["-O2", "-fno-ident"], ["-O2", "-ffunction-sections", "-Wl,--gc-sections"],
        ["-O2", "-fpatchable-function-entry=4,2"], ["-O2", "-fno-dwarf2-cfi-asm"], ["-O1", "-g0"], ["-O3", "-march=native"])
OF_GCC = (["-O2", "-masm=intel"], ["-O2", "-freorder-blocks-and-partition"], ["-O2", "-mcmodel=medium"], ["-O2", "-flto", "-ffat-lto-objects"],
          ["-O2", "-fpie", "-pie", "-fno-plt"], ["-O2", "-no-pie", "-fno-pie"], ["-O2", "-mindirect-branch=thunk"])


class Assembled(lean.Case):
    def counts(self):
        profile = fcprofile.load(self.path("functioncheck.fc"))
        return {fcprofile.symbols_of(function.module).get(function.offset): function.calls for function in profile.functions
                if function.calls > 0}  # code that was only sampled is in the profile as well

    def build(self, compiler, flags, source):
        """Compiles and links in two commands, as builds do."""
        self.programs = getattr(self, "programs", 0) + 1
        program = f"program-{self.programs}"  # what is known of a file's symbols is kept by its name
        words = [compiler, "-g", *fctest.fc_config("--cflags", "--lean"), *flags]
        compiled = subprocess.run([*words, "-c", "-o", "program.o", source], cwd=self.folder, capture_output=True, text=True,
                                  env=fctest.plain_environment(), timeout=fctest.TIMEOUT_S, check=False)
        self.assertEqual((compiled.returncode, compiled.stderr), (0, ""))
        self.command([*words, *fctest.fc_config("--libs", "--lean"), "-o", program, "program.o"])
        done = self.run_quiet([self.path(program)])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def plain_output(self, compiler, source):
        self.command([compiler, "-O1", "-o", "plain", source])
        return self.run_target([self.path("plain")]).stdout

    def test_ways(self):
        source = self.source(C_SOURCE)
        for compiler in filter(shutil.which, ("gcc", "clang")):
            plain = self.plain_output(compiler, source)
            for flags in WAYS + (OF_GCC if compiler == "gcc" else ()):
                if compiler == "clang" and flags[-1] in ("-fno-dwarf2-cfi-asm", "-flto"):
                    continue  # it makes the code of -flto without an assembler
                with self.subTest(compiler=compiler, flags=flags):
                    self.assertEqual(self.build(compiler, flags, source), plain)
                    counts = self.counts()
                    self.assertEqual({name: counts.get(name) for name in CALLS}, CALLS)
                    self.assertNotIn("rare", counts)

    def assemble(self, assembler, source):
        """What it says of `source`, without the name."""
        done = subprocess.run([assembler, "--64", "-o", self.path("x.o"), source], check=False, capture_output=True, text=True,
                              env=fctest.plain_environment(), timeout=fctest.TIMEOUT_S)
        return done.returncode, re.findall(r":(\d+: .*)", done.stderr)

    def test_lines(self):
        """The assembler's messages name the lines of the compiler's output."""
        self.command(["gcc", "-S", "-O2", "-o", "plain.s", self.source(C_SOURCE)])
        with open(self.path("plain.s"), encoding="utf-8") as stream:
            text = stream.read()
        wrong = self.write("wrong.s", text.replace("\tret\n", "\tno_such_instruction\n"))
        status, said = self.assemble("as", wrong)
        self.assertEqual((status, self.assemble(self.fcas(), wrong)), (1, (1, said)))
        self.assertGreater(len(said), 3)

    def fcas(self):
        return [os.path.join(word[2:], "as") for word in fctest.fc_config("--cflags", "--lean") if word.startswith("-B")][0]

    def test_left_alone(self):
        """What no compiler wrote is assembled as it is, at the top of a C file as well."""
        source, by_hand = self.source(ASSEMBLY_USER), self.write("by_hand.s", ASSEMBLY)
        self.command(["gcc", "-O2", "-c", "-o", "plain.o", by_hand])
        self.command(["gcc", "-O2", *fctest.fc_config("--cflags", "--lean"), "-c", "-o", "lean.o", by_hand])
        for name in ("plain.o", "lean.o"):
            self.command(["objcopy", "-O", "binary", "-j", ".text", name, name + ".text"])
        with open(self.path("plain.o.text"), "rb") as plain, open(self.path("lean.o.text"), "rb") as counted:
            self.assertEqual(plain.read(), counted.read())
        program = self.path("program")
        self.command(["gcc", "-O2", *fctest.fc_config("--cflags", "--lean"), "-o", program, source, by_hand])
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        self.assertEqual(self.counts(), {"main": 1})

    def test_no_pic_of_main(self):
        """In a program that is linked without libfc they count where nobody looks."""
        source = self.source(C_SOURCE)
        self.command(["gcc", "-O2", *fctest.fc_config("--cflags", "--lean"), "-c", "-o", "program.o", source])
        self.command(["gcc", "-o", "program", "program.o"])
        self.assertEqual(self.run_quiet([self.path("program")]).stdout, self.plain_output("gcc", source))
        self.assertFalse(os.path.exists(self.path("functioncheck.fc")))

    def test_refused(self):
        source = self.source("int main(void) { return 0; }\n")
        for flags, words in ((["-m32"], "64 bits only"), (["-mcmodel=large"], "-mcmodel=large")):
            said = subprocess.run(["gcc", *fctest.fc_config("--cflags", "--lean"), *flags, "-c", source], cwd=self.folder, check=False,
                                  capture_output=True, text=True, env=fctest.plain_environment(), timeout=fctest.TIMEOUT_S)
            self.assertNotEqual(said.returncode, 0)
            self.assertIn(words, said.stderr)
        said = subprocess.run([self.fcas(), "--32", "-o", self.path("x.o"), source], check=False, capture_output=True,
                              text=True, env=fctest.plain_environment(), timeout=fctest.TIMEOUT_S)
        self.assertEqual(said.returncode, 1)
        self.assertIn("without --lean", said.stderr)


if __name__ == "__main__":
    fctest.main()
