#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The link flags, with every compiler and linker that is here, wherever they stand:
the program finds libfc without any environment and a profile comes out."""

import itertools
import os
import re

from common import (C_COMPILERS, CXX_COMPILERS, BINDIR, LINKERS, IS_FURTHER, MACHINE, cells, expect, finish, flags,
                    folder, profile_counts, run)

CALLS = 1234
SOURCE = """
#include <stdio.h>
extern int work(int x);
__attribute__((noinline)) int work(int x) { __asm__ volatile(""); return x + 1; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < %d; i++)
        sum += work(i);
    printf("%%d\\n", sum);
    return 3;
}
""" % CALLS
SUM = str(sum(i + 1 for i in range(CALLS))) + "\n"


def check_program(work, what, command):
    done = run(command, work)
    if not expect(done.returncode == 0 and done.stderr == "", what + ": links silently", done.stderr):
        return
    for name in ("functioncheck.fc", "p.fc"):
        if os.path.exists(os.path.join(work, name)):
            os.unlink(os.path.join(work, name))
    # nothing in the environment at all, not even a PATH
    done = run("exec env -i FC_QUIET=1 ./t", work)
    expect((done.returncode, done.stdout, done.stderr) == (3, SUM, ""), what + ": runs",
           "%s %s %s" % (done.returncode, done.stdout, done.stderr))
    profile = os.path.join(work, "functioncheck.fc")
    if expect(os.path.exists(profile), what + ": leaves a profile"):
        counts = profile_counts(profile)
        expect(counts == [CALLS, 1], what + ": counts", counts)


def check_positions(work):
    cflags, libs = flags("--cflags"), flags("--libs")
    for compiler in cells(C_COMPILERS, CXX_COMPILERS):
        source = ["t.cc"] if "++" in compiler else ["t.c"]
        base = [compiler, "-O2", "-Wall", "-Werror", "-o", "t"]
        for linker in LINKERS:
            chosen = base + ["-fuse-ld=" + linker, "-Wl,--as-needed", "-Wl,--fatal-warnings"]
            what = "%s with %s, " % (compiler, linker)
            check_program(work, what + "before", chosen + flags("--cflags-libs") + source)
            check_program(work, what + "after", chosen + source + flags("--libs-cflags"))
        check_program(work, compiler + " -no-pie", base + ["-fPIC", "-no-pie"] + cflags + source + libs)
        check_program(work, compiler + " twice", base + source + cflags + libs + libs)
        check_program(work, compiler + " -flto", base + ["-flto"] + source + cflags + libs)
        check_program(work, compiler + " -pthread -z now",
                      base + ["-pthread", "-Wl,-z,relro,-z,now"] + libs + source + cflags)


def check_steps(work):
    """Compiled and linked in two commands; the program's other libraries keep their rules."""
    for compiler in C_COMPILERS:
        for libs in (flags("--libs") + ["t.o"], ["t.o"] + flags("--libs")):
            done = run([compiler, "-c", "-Werror", *flags("--cflags"), "t.c"], work)
            expect(done.returncode == 0, compiler + " -c", done.stderr)
            check_program(work, compiler + " in two steps",
                          [compiler, "-Wl,--as-needed", "-o", "t", *libs, "-lm", "-ldl", "-lutil"])
            dynamic = run(["readelf", "-dW", "t"], work).stdout
            needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
            expect([n for n in needed if n.startswith("libfc.so")] == needed[:1],
                   "libfc comes before libc", needed)
            expect("libm.so.6" not in needed, "--as-needed still holds for -lm", needed)
            path = re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", dynamic)
            expect(path and all(os.path.isabs(p) for p in path[0].split(":")),
                   "an absolute run path", path)


def check_calls(work):
    """Hooks are called directly, wherever the flags stand, and what is marked as fit for the processor's guards
    against hijacked calls stays marked."""
    guard = "-fcf-protection" if MACHINE == "x86_64" else "-mbranch-protection=standard"
    classic = {"__cyg_profile_func_enter", "__cyg_profile_func_exit"}
    for compiler, option in itertools.product(C_COMPILERS, ([], ["--every-function"])):
        hooks = {"__fentry__", "__return__"} if not option and compiler == "gcc" and MACHINE == "x86_64" else classic
        words_for = flags("--cflags-libs", *option)
        for place, words in (("before", words_for + ["t.c"]), ("after", ["t.c"] + words_for)):
            for kind in ([], ["-fPIC", "-shared"], ["-fno-plt"]):
                what = "%s %s %s, %s the source" % (compiler, " ".join(kind), " ".join(option), place)
                done = run([compiler, "-O2", guard, *kind, *words, "-o", "t"], work)
                expect(done.returncode == 0, what, done.stderr)
                code = run(["objdump", "-d", "--no-show-raw-insn", "t"], work).stdout
                calls = re.findall(r"\b(?:call|bl)q?\s+(?:\S+ )?\S*<((?:__cyg_profile_func|__fentry|__return)_\w+\S*)>", code)
                expect(set(calls) == hooks, what, calls)
                symbols = run(["nm", "-D", "t"], work).stdout
                expect("__cyg_profile" not in symbols and "__fentry__" not in symbols, what + ": the hooks are its own", symbols)
                notes = run(["readelf", "-nW", "t"], work).stdout
                # the C library's own files for the start of programs have no mark here and there
                plain = run([compiler, "-O2", guard, *kind, "t.c", "-o", "plain"], work)
                expect(plain.returncode == 0, what, plain.stderr)
                before = run(["readelf", "-nW", "plain"], work).stdout
                mark = re.findall(r"Properties: .*", before)
                expect(mark == re.findall(r"Properties: .*", notes), what + ": keeps its marks", notes)


def check_refused(work):
    """There is no libfc that is linked statically, and none of 32 bits: an error says so, whoever links and wherever
    the flags stand."""
    source = "headers.c"  # of these clang sees that code is to have 32 bits
    for compiler in C_COMPILERS:
        refusals = [(option, linker, r"libfc, which is a shared library only; link without -static or -static-pie")
                    for option in ("-static", "-static-pie") for linker in LINKERS
                    if (option, linker) != ("-static-pie", "gold")]  # which gold does not know
        if os.uname().machine == "x86_64":
            refusals += [(option, "bfd", r"FunctionCheck has 64 bits only: compile without -m32")
                         for option in ("-m32", "-mx32")]
        for option, linker, says in refusals:
            for command in ([option, *flags("--cflags-libs"), source],
                            [*flags("--cflags-libs", "--after-inlining"), source, option]):
                done = run([compiler, "-fuse-ld=" + linker, *command, "-o", "refused"], work)
                expect(done.returncode == 1 and re.search(says, done.stderr),
                       "%s -fuse-ld=%s %s: is refused" % (compiler, linker, option), done.stderr)
    if "gcc" in C_COMPILERS and os.uname().machine == "x86_64":
        done = run(["gcc", "-m32", "-m64", *flags("--cflags-libs"), source, "-o", "t"], work)
        expect(done.returncode == 0, "gcc -m32 -m64", done.stderr)


def check_library(work):
    """An instrumented library of the program's own; the program is linked against both."""
    done = run("gcc -shared -fPIC -O2 %s work.c -o libwork.so" % " ".join(flags("--cflags-libs")), work)
    expect(done.returncode == 0, "a library links", done.stderr)
    check_program(work, "a program with a library",
                  ["gcc", *flags("--cflags-libs"), "main.c", "-o", "t", "-L.", "-lwork",
                   "-Wl,-rpath," + work])


def check_pkg_config(work):
    prefix = os.path.dirname(BINDIR)
    found = run(["find", prefix, "-name", "libfc.pc"], work).stdout.split()
    if not expect(len(found) == 1, "one libfc.pc", found):
        return
    for compiler in C_COMPILERS:
        done = run("%s -Wl,--as-needed -Werror t.c -o t $(pkg-config --cflags --libs libfc)" % compiler,
                   work, PKG_CONFIG_PATH=os.path.dirname(found[0]))
        expect(done.returncode == 0, "pkg-config's flags", done.stderr)
        check_program(work, compiler + " with pkg-config's flags", ["true"])


with folder() as work_folder:
    main_part = re.sub(r"__attribute__.*\n", "", SOURCE)
    for name, text in (("t.c", SOURCE), ("t.cc", SOURCE), ("main.c", main_part),
                       ("headers.c", "#include <stdlib.h>\nint main(void) { return abs(0); }\n"),
                       ("work.c", "extern int work(int x);\nint work(int x) { return x + 1; }\n")):
        with open(os.path.join(work_folder, name), "w") as out:
            out.write(text)
    check_positions(work_folder)
    if not IS_FURTHER:
        check_steps(work_folder)
        check_calls(work_folder)
        check_refused(work_folder)
        check_library(work_folder)
        check_pkg_config(work_folder)
finish()
