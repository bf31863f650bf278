#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which functions the compile flags instrument.  With --every-function all of the program's own,
inline ones and templates too, none of a system header; by default, with optimization, those that are left when
the others were inlined.  Without a warning.  Seen in the object files, by objdump."""

import itertools
import os
import re
import shutil

from common import CXX_COMPILERS, C_COMPILERS, IS_FURTHER, MACHINE, cells, expect, finish, flags, folder, run

C_SOURCE = """
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "own.h"
#if defined(__x86_64__)
#include <immintrin.h>
int vector_sum(const int *numbers);
int vector_sum(const int *numbers)
{
    __m128i sum = _mm_loadu_si128((const __m128i *)numbers);
    return _mm_cvtsi128_si32(_mm_add_epi32(sum, sum));
}
#endif
static int helper(const char *text)
{
    return atoi(text) + tolower(text[0]) + own_inline(toupper(text[1]));
}
int main(int count, char **words)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", words[count - 1]);
    return putchar(helper(copy)) > 0 && strlen(copy) > 1;
}
"""
OWN_HEADER = """
static int own_deeper(int x) { return x + 1; }
static inline int own_inline(int x) { return x > 3 ? own_deeper(x) : 2 * x; }
"""
C_OWN = {"main", "helper", "own_inline", "own_deeper"}

CXX_SOURCE = """
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>
namespace own {
inline bool later(int a, int b) { return a > b; }
template <class T> T twice(T x) { return x + x; }
struct shape { virtual ~shape() {} virtual int area() const { return 1; } };
struct square : shape { int side = 3; int area() const override { return side * side; } };
}
int main()
{
    std::vector<int> numbers;
    for (int i = 0; i < 1000; i++)
        numbers.push_back(own::twice(i) % 37);
    std::sort(numbers.begin(), numbers.end(), own::later);
    auto odd = [](int n) { return n % 2 == 1; };
    std::unique_ptr<own::shape> one(new own::square);
    std::string text = "sum";
    text += std::to_string(std::accumulate(numbers.begin(), numbers.end(), 0));
    std::cout << text << std::count_if(numbers.begin(), numbers.end(), odd) << one->area();
}
"""
CXX_OWN = ("main", "own::later(int, int)", "int own::twice<int>(int)", "own::shape::area() const",
           "own::square::area() const", "::operator()(int) const")

# Members that the compiler itself declares where a class of the library is used by
# the program: no header's text holds them, so clang's attribute does not reach them.
CLANG_IMPLICIT = r"::~\w+\(\)$|__uniq_ptr_data<.*>::__uniq_ptr_impl\("

HOOK = "__cyg_profile_func_enter"
EVERY = flags("--cflags-libs", "--every-function")


def objects_calling(object_file, cwd, hooks=(HOOK,)):
    """Demangled names of the functions of an object file whose code calls one of the hooks."""
    text = run(["objdump", "-dr", "-C", "--no-show-raw-insn", object_file], cwd).stdout
    names = set()
    function = None
    for line in text.split("\n"):
        label = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if label:
            function = label.group(1)
        elif "R_" in line and any(hook in line for hook in hooks):
            names.add(function)
    return names


def check_c(work):
    for compiler in C_COMPILERS:
        for level in ("-O0", "-O1", "-O2"):
            what = "%s %s" % (compiler, level)
            done = run([compiler, level, "-c", "-Wall", "-Wextra", "-Werror", "-pedantic",
                        *EVERY, "t.c", "-o", "t.o"], work)
            if not expect(done.returncode == 0, what + " compiles", done.stderr):
                continue
            expect(done.stderr == "", what + " is silent", done.stderr)
            done = run([compiler, level, "-S", *flags("--cflags", "--every-function"), "t.c", "-o", "-"], work)
            calls = len(re.findall(r"\b(?:call|callq|jmp)\s+\*?" + HOOK, done.stdout))
            own = len(C_OWN) + (1 if MACHINE == "x86_64" else 0)
            callers = objects_calling("t.o", work)
            expect(callers <= C_OWN | {"vector_sum"}, what + ": only own functions call", callers)
            if level == "-O0":
                expect(len(callers) == own and calls == own, what + ": each calls once",
                       "%s %d" % (callers, calls))
            # inlined copies call for themselves, so there may be more
            expect(calls >= own, what + ": no own function is left out", calls)


def check_cxx(work):
    for compiler in CXX_COMPILERS:
        for level in ("-O0", "-O2"):
            what = "%s %s" % (compiler, level)
            done = run([compiler, level, "-c", "-Wall", "-Wextra", "-Werror", "-pedantic",
                        *EVERY, "t.cc", "-o", "tt.o"], work)
            if not expect(done.returncode == 0, what + " compiles", done.stderr):
                continue
            expect(done.stderr == "", what + " is silent", done.stderr)
            callers = objects_calling("tt.o", work)
            foreign = {name for name in callers if re.match(r"(.* )?(std|__gnu_cxx)::", name)
                       and not (compiler == "clang++" and re.search(CLANG_IMPLICIT, name))}
            expect(not foreign, what + ": nothing of the standard library calls", foreign)
            if level == "-O0":
                for own in CXX_OWN:
                    expect(any(own in name for name in callers), what + ": %s calls" % own, callers)


def check_default(work):
    """With optimization each function that there is calls a hook, once, and none that was inlined does; without, the hooks
    are those of --every-function."""
    for compiler, source in [*((one, "t.c") for one in C_COMPILERS), *((one, "t.cc") for one in CXX_COMPILERS)]:
        is_long = source == "t.cc"  # a second each
        for level in cells(("-O2",), ("-O1", "-Os")) if is_long else cells(("-O1", "-O2", "-Os"), ()):
            what = "%s %s, by default" % (compiler, level)
            done = run([compiler, level, "-c", "-Wall", "-Wextra", "-Werror", "-pedantic", *flags("--cflags"), source,
                        "-o", "d.o"], work)
            if not expect((done.returncode, done.stderr) == (0, ""), what + " compiles", done.stderr):
                continue
            after = compiler.startswith("g") and MACHINE == "x86_64"
            callers = objects_calling("d.o", work, ("__fentry__",) if after else (HOOK,))
            symbols = run("nm -C --defined-only d.o", work).stdout
            own = {name for name in re.findall(r"^\w+ [TtWw] (.*)$", symbols, re.M) if not name.endswith(".cold")
                   and (name in C_OWN | {"vector_sum"} or any(one in name for one in CXX_OWN))}
            expect(own <= callers and "main" in own, what + ": each own function that is left calls", own - callers)
            if after:
                expect(not objects_calling("d.o", work), what + ": no other hooks")
            if source == "t.c" and level == "-O2":
                expect(not callers & {"own_inline", "own_deeper"}, what + ": what was inlined is gone", callers)
                text = run(["objdump", "-dr", "--no-show-raw-insn", "d.o"], work).stdout
                hook = "__fentry__" if after else HOOK
                calls = len(re.findall(r"R_\w+\s+%s\b" % hook, text))
                expect(calls == len(callers), what + ": each calls once", "%d of %s" % (calls, callers))
        if compiler.startswith("g") and MACHINE == "x86_64":
            ways = [["-O2", "-O0"], ["-O2", "-fno-inline", "-finstrument-functions-exclude-function-list=main"]], [["-O0"], []]
            for words in cells(*ways) if is_long else cells(ways[0] + ways[1], ()):
                done = run([compiler, "-c", *words, *flags("--cflags"), source, "-o", "d.o"], work)
                expect(done.returncode == 0, " ".join(words), done.stderr)
                callers = objects_calling("d.o", work)
                expect(callers and not objects_calling("d.o", work, ("__fentry__",)), "%s %s: hooks in every function" %
                       (compiler, " ".join(words)), callers)
                if source == "t.c":  # in C++ main has the hooks of what it inlined
                    expect(("main" in callers) == ("exclude" not in " ".join(words)), " ".join(words), callers)


def check_excluded(work):
    """gcc's own lists of functions and files keep their effect in each way of hooks, beside those of the flags."""
    for name, text in (("near.h", "#include <stdlib.h>\nstatic __attribute__((noinline)) int of_header(int x) { return abs(x) + 1; }\n"),
                       ("near.c", '#include "near.h"\n__attribute__((noinline)) int tiny(int x) { return x + 1; }\n'
                                  "__attribute__((noinline)) int other(int x) { return tiny(x) + of_header(x); }\n")):
        with open(os.path.join(work, name), "w", encoding="utf-8") as out:
            out.write(text)
    own = {"of_header", "tiny", "other"}
    for option, level in itertools.product(([], ["--every-function"], ["--after-inlining"]),
                                           cells(("-O2",), ("-O0", "-O2 -flto -ffat-lto-objects"))):
        if option == ["--after-inlining"] and MACHINE != "x86_64":
            continue
        for lists, left_out in ((["function-list=tiny"], {"tiny"}), (["file-list=near.h"], {"of_header"}),
                                (["function-list=tiny", "file-list=near.h"], {"tiny", "of_header"}), ([], set())):
            words = ["-finstrument-functions-exclude-" + each for each in lists]
            for order in (words + flags("--cflags", *option), flags("--cflags", *option) + words):
                done = run(["gcc", *level.split(), "-c", *order, "near.c", "-o", "near.o"], work)
                what = "%s, %s, %s" % (option, level, words)
                expect((done.returncode, done.stderr) == (0, ""), what, done.stderr)
                callers = objects_calling("near.o", work, (HOOK, "__fentry__"))
                expect(callers == own - left_out, what + ": just those are left out", callers)


def check_paths(work):
    """A project in a folder that looks like a system's is instrumented all the same."""
    inside = os.path.join(work, "usr", "include", "mine")
    os.makedirs(inside)
    with open(os.path.join(inside, "own.h"), "w") as file:
        file.write(OWN_HEADER)
    source = os.path.join(inside, "t.c")
    with open(source, "w") as file:
        file.write(C_SOURCE.replace('"own.h"', "<own.h>"))
    for compiler in C_COMPILERS:
        done = run([compiler, "-O0", "-c", "-I", inside, *flags("--cflags"), source, "-o", "p.o"], work)
        expect(done.returncode == 0, compiler + " compiles there", done.stderr)
        callers = objects_calling("p.o", work)
        expect(C_OWN <= callers, compiler + ": all own functions of such a folder call", callers)


def check_languages(work):
    """Strict and old dialects, precompiled headers, assembler: no complaint."""
    with open(os.path.join(work, "old.c"), "w") as file:
        file.write("#include <stdio.h>\n#include <stdlib.h>\nint main(void) { return 0; }\n")
    with open(os.path.join(work, "a.s"), "w") as file:
        file.write(".globl thing\nthing:\n\t.section .note.GNU-stack,\"\",@progbits\n")
    shutil.copy(os.path.join(work, "a.s"), os.path.join(work, "b.S"))
    for compiler in C_COMPILERS:
        for options in (["-std=c89", "-pedantic-errors", "old.c"], ["-std=c11", "old.c"],
                        ["-x", "c-header", "own.h", "-o", "own.h.gch"], ["-E", "old.c"],
                        ["-M", "old.c"], ["-fsyntax-only", "old.c"], ["a.s"], ["b.S"], ["-flto", "old.c"],
                        ["-D_FORTIFY_SOURCE=2", "-O2", "old.c"]):
            done = run([compiler, "-c", "-Wall", "-Werror", *flags("--cflags"), *options], work)
            expect(done.returncode == 0 and done.stderr == "",
                   "%s %s" % (compiler, " ".join(options)), done.stderr)
    # programs make code and dependencies of it
    for option in ("-E", "-M", "-MM"):
        outputs = [run(["gcc", option, "-P", *words, "old.c"], work).stdout
                   for words in ([], flags("--cflags"))]
        expect(outputs[0] == outputs[1] != "", "gcc " + option + ": as without the flags", outputs[1])


with folder() as work_folder:
    for name, text in (("t.c", C_SOURCE), ("own.h", OWN_HEADER), ("t.cc", CXX_SOURCE)):
        with open(os.path.join(work_folder, name), "w") as out:
            out.write(text)
    check_default(work_folder)
    check_excluded(work_folder)
    if not IS_FURTHER:
        check_c(work_folder)
        check_cxx(work_folder)
        check_paths(work_folder)
        check_languages(work_folder)
finish()
