#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What compiles, links and runs without the flags of fc-config does so with them: small programs, compiled and linked in
many ways, each plainly, with the flags for compiling in both steps, in compiling alone, and with --libs where it is
linked.  Where libfc is linked the profile has the program's functions, else fcdump and a terminal say that it was not."""

import itertools
import os
import pty
import re
import shutil
import subprocess

from common import BINDIR, IS_FURTHER, LINKERS, MACHINE, cells, clean_environment, expect, finish, flags, folder, run

SOURCES = {
    "lib.c": """
        __attribute__((noinline)) int work(int a) { volatile int s = 0; for (int i = 0; i < 10; i++) s += a * i; return s; }
        """,
    "main.c": """
        #include <stdio.h>
        int work(int);
        __attribute__((noinline)) static int twice(int a) { return work(a) + work(a + 1); }
        int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += twice(i); printf("%d\\n", s); return 0; }
        """,
    "cxx.cc": """
        #include <cstdio>
        #include <stdexcept>
        struct One { virtual ~One() {} virtual int f(int x) { return x + 1; } };
        struct Two : virtual One { int f(int x) override { if (x == 50) throw std::runtime_error("x"); return x + 2; } };
        __attribute__((noinline)) int call(One &one, int i) { return one.f(i); }
        int main() {
            Two two; int s = 0;
            for (int i = 0; i < 100; i++) try { s += call(two, i); } catch (std::exception &) { s += 1000; }
            std::printf("%d\\n", s);
        }
        """,
    "free.c": """
        int f(int x) { return x + 1; }
        void _start(void) { int r = f(41) - 42; __asm__ volatile("syscall" : : "a"(60), "D"(r)); for (;;) ; }
        """,
    "clones.c": """
        #include <stdio.h>
        static int one(int x) { return x + 1; }
        static int two(int x) { return x + 2; }
        __attribute__((noinline)) static int choose(void) { volatile int chosen = 1; return chosen; }
        static int (*resolve(void))(int) { return choose() ? one : two; }
        int picked(int) __attribute__((ifunc("resolve")));
        __attribute__((target_clones("avx2", "default"))) int sum(int *a) { int s = 0; for (int i = 0; i < 64; i++) s += a[i]; return s; }
        int both(int *a) { return sum(a) + picked(3); }
        """,
    "uses.c": """
        #include <stdio.h>
        int both(int *a);
        int picked(int);
        static int counted;
        __attribute__((noinline)) void early(void) { counted++; }
        static void before(void) { early(); early(); }
        __attribute__((section(".preinit_array"), used)) static void (*first)(void) = before;
        __attribute__((constructor)) static void at_start(void) { early(); }
        int main(void) {
            int a[64]; int (*volatile by_pointer)(int) = picked;
            for (int i = 0; i < 64; i++) a[i] = i;
            printf("%d %d %d\\n", both(a), by_pointer(1), counted); return 0;
        }
        """,
    "attributes.c": """
        #include <stdio.h>
        __attribute__((naked)) int bare(void) { __asm__("mov $7, %eax\\n ret"); }
        __attribute__((no_instrument_function, noinline)) int left_out(int x) { return x * 2; }
        __attribute__((noipa)) int alone(int x) { return x * 3; }
        __attribute__((cold, noinline)) int rare(int x) { return x * 5; }
        int main(void) {
            int k = 3; int nested(int y) { return y + k; } int (*volatile p)(int) = nested;
            printf("%d\\n", bare() + left_out(3) + alone(4) + rare(5) + p(1)); return 0;
        }
        """,
    "tails.c": """
        #include <stdio.h>
        typedef long Step(long, long *);
        static Step up, down;
        static Step *volatile const steps[2] = {up, down};
        static long up(long n, long *at) { ++*at; return n ? steps[n & 1](n - 1, at) : *at; }
        static long down(long n, long *at) { --*at; return n ? steps[n & 1](n - 1, at) : *at; }
        int main(void) { long at = 0; printf("%ld\\n", up(5000000, &at)); return 0; }
        """,
    "must.c": """
        #include <stdio.h>
        typedef long Step(long, long *);
        static Step up, down;
        static Step *volatile const steps[2] = {up, down};
        static long up(long n, long *at) { ++*at; if (!n) return *at; __attribute__((musttail)) return steps[n & 1](n - 1, at); }
        static long down(long n, long *at) { --*at; if (!n) return *at; __attribute__((musttail)) return steps[n & 1](n - 1, at); }
        int main(void) { long at = 0; printf("%ld\\n", up(5000000, &at)); return 0; }
        """,
    "inline.c": """
        #include <stdio.h>
        inline int more(int x) { return x + 1; }
        int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += more(i); printf("%d\\n", s); return 0; }
        """,
    "explicit.cc": """
        template <class T> struct A { __attribute__((always_inline)) T f(T x) { return x + 1; } T g(T x) { return f(x) * 2; } };
        extern template struct A<int>;
        int main() { A<int> a; return a.f(1) - 2; }
        """,
    "asm.S": """
        .globl work
        work: lea (%rdi,%rdi),%eax
        ret
        .section .note.GNU-stack,"",@progbits
        """,
    "pre.h": "#include <stdio.h>\n",
    "pre.c": '#include "pre.h"\nint main(void) { puts("p"); return 0; }\n',
    "module.cc": "export module h;\nexport int hi(int x) { return x * 2; }\n",
    "user.cc": "import h;\nint main() { return hi(0); }\n",
    "own-enter.c": "void __cyg_profile_func_enter(void *a, void *b);\n"
                   "__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *a, void *b) { (void)a, (void)b; }\n",
    "own-fentry.c": "void __fentry__(void);\nvoid __fentry__(void) {}\n",
}

FLAGS = " ".join(flags("--cflags")), " ".join(flags("--libs"))
CC = "gcc $F -O2 -c main.c lib.c"
LINK = "gcc -o prog main.o lib.o $L"
# Compiled so, and linked as ever.
COMPILED = cells([
    "-O0", "-O2 -g3 -save-temps", "-O2 -pipe -gsplit-dwarf -g", "-O2 -fno-plt -fPIC", "-O2 -fcf-protection",
    "-O2 -masm=intel", "-O2 -fsplit-stack", "-O2 -mcmodel=large", "-O2 -fpatchable-function-entry=5,2",
    "-O2 -Wall -Wextra -Wpedantic -Werror -std=c99 -Wa,--fatal-warnings", "-O2 -pipe $F"], [
    "-O1", "-Os", "-Og", "-O2 -O0", "-O2 -g -pipe", "-O2 -pipe -save-temps", "-O2 -g -gsplit-dwarf", "-O2 -foptimize-sibling-calls",
    "-O2 -fno-dwarf2-cfi-asm -g", "-O2 -mgeneral-regs-only -mno-red-zone", "-O2 -ffunction-sections",
    "-O2 -mindirect-branch=thunk -mfunction-return=thunk", "-O2 -fcompare-debug", "-O2 -fno-asynchronous-unwind-tables",
    "-wrapper nice,-n,1 -O2", "-O2 -fexceptions -finstrument-functions-exclude-function-list=none", "-O2 $F"])
# Compiled and linked so, C and C++.
BOTH = cells(["-flto -pipe", "-fsanitize=address"],
             ["-flto", "-flto=2 -flto-partition=max", "-flto -ffat-lto-objects", "-fsanitize=undefined", "-fsanitize=thread", "-pg", "--coverage",
              "-fprofile-generate", "-fopenmp"])
# The same, C alone.
BOTH_OF_C = cells(["-flto -ffat-lto-objects", "-fsanitize=thread", "-pg"],
                  ["-flto", "-flto=2 -flto-partition=max", "-fsanitize=undefined", "--coverage", "-fprofile-generate", "-fopenmp"])
LINKED = cells([*("-fuse-ld=" + linker for linker in LINKERS if linker != "bfd"), "-Wl,--gc-sections", "-no-pie"],
               ["-Wl,-z,now,-z,text", "-static-libgcc", "-Wl,--as-needed", *(["-fuse-ld=gold -Wl,--icf=all"] if "gold" in LINKERS else [])])
# Name, commands; $F is for compiling, $L for linking.
OTHERS = [
    ("LTO, mixed", f"gcc $F -O2 -flto -c main.c; gcc $F -O2 -c lib.c; gcc -O2 -flto -o prog main.o lib.o $L"),
    ("a library", "gcc $F -O2 -fPIC -c main.c lib.c; gcc -shared -Wl,-z,defs -o libw.so lib.o $L; gcc -o prog main.o -L. -lw -Wl,-rpath,. $L"),
    ("a library, -nostdlib", "gcc $F -O2 -fPIC -c main.c lib.c; gcc -shared -nostdlib -Wl,-z,defs -o libw.so lib.o $L; gcc -o prog main.o -L. -lw -Wl,-rpath,. $L"),
    ("a library with a version script", "gcc $F -O2 -fPIC -c main.c lib.c; echo '{global: work; local: *;};' > v;"
     " gcc -shared -Wl,--version-script=v -o libw.so lib.o $L; gcc -o prog main.o -L. -lw -Wl,-rpath,. $L"),
    ("gcc -r", CC + "; gcc -r -o all.o main.o lib.o $F; gcc -o prog all.o $L"),
    ("ld -r", CC + "; ld -r -o all.o main.o lib.o; gcc -o prog all.o $L"),
    ("objcopy", CC + "; objcopy --localize-hidden main.o; objcopy --keep-global-symbol=work lib.o; " + LINK),
    ("-S, then -c", "gcc $F -O2 -S main.c; gcc $F -O2 -S lib.c; gcc -c main.s lib.s; " + LINK),
    ("-E, then -fpreprocessed", "gcc $F -O2 -E main.c -o main.i; gcc $F -O2 -fpreprocessed -c main.i; gcc $F -O2 -c lib.c; " + LINK),
    ("from a pipe", "gcc $F -O2 -pipe -xc -c - -o main.o <main.c; gcc $F -O2 -c lib.c; " + LINK),
    ("with specs of its own", "printf '*asm:\\n+ \\n\\n' > f.specs; gcc -specs=$PWD/f.specs $F -O2 -c main.c lib.c;"
     " gcc -specs=$PWD/f.specs -o prog main.o lib.o $L"),
    ("one command", "gcc $F -O2 main.c lib.c -o prog $L"),
    ("target_clones, ifunc, preinit", "gcc $F -O2 -c clones.c uses.c; gcc -o prog uses.o clones.o $L"),
    ("the same in a library", "gcc $F -O2 -fPIC -c clones.c uses.c; gcc -shared -Wl,-z,defs -o libw.so clones.o $L;"
     " gcc -o prog uses.o -L. -lw -Wl,-rpath,. $L"),
    ("attributes", "gcc $F -O2 -c attributes.c; gcc -o prog attributes.o $L"),
    ("tail calls", "gcc $F -O2 -c tails.c; gcc -o prog tails.o $L"),
    ("C99's inline", "gcc $F -O2 -std=c99 -c inline.c; gcc -o prog inline.o $L"),
    ("an explicit instantiation", "g++ $F -O2 -c explicit.cc; g++ -o prog explicit.o $L"),
    ("assembler", "gcc $F -O2 -pipe -c main.c asm.S; gcc -o prog main.o asm.o $L"),
    ("assembler, not preprocessed", "cp asm.S asm.s; gcc $F -O2 -pipe -c asm.s; gcc $F -O2 -c main.c; gcc -o prog main.o asm.o $L"),
    ("a precompiled header", "gcc $F -O2 pre.h; test -f pre.h.gch; gcc $F -O2 -Winvalid-pch -Werror -c pre.c; gcc -o prog pre.o $L"),
    ("modules", "g++ -std=c++20 -fmodules-ts $F -O2 -c module.cc user.cc; g++ -o prog module.o user.o $L"),
]
# No libfc in these: nothing is said of the profile.  With --libs a static link is refused, by linked.py.
UNPROFILED = [
    ("-fno-instrument-functions", f"gcc $F -O2 -fno-instrument-functions -c main.c lib.c; {LINK}"),
    *((option, CC + f"; case $L in *-lfc*) L=;; esac; gcc {option} -o prog main.o lib.o $L") for option in ("-static", "-static-pie")),
    ("freestanding", "gcc $F -O2 -ffreestanding -fno-stack-protector -c free.c; gcc -nostdlib -static -o prog free.o $F"),
    ("a flat binary", "gcc $F -O2 -ffreestanding -fno-pic -fno-asynchronous-unwind-tables -c free.c;"
     " ld -Ttext=0x1000 --oformat binary -o flat free.o"),
]
CLANG = cells([
    ("clang", "clang $F -O2 -Wall -Werror -c main.c lib.c; clang -o prog main.o lib.o $L"),
    ("clang, an explicit instantiation", "clang++ $F -O2 -c explicit.cc; clang++ -o prog explicit.o $L"),
    ("clang, C++", "clang++ $F -O2 -c cxx.cc; clang++ -o prog cxx.o $L"),
    ("clang, a library", "clang $F -O2 -fPIC -c main.c lib.c; clang -shared -Wl,-z,defs -o libw.so lib.o $L; clang -o prog main.o -L. -lw -Wl,-rpath,. $L"),
    ("clang and gcc", "clang $F -O2 -c main.c; gcc $F -O2 -c lib.c; clang -o prog main.o lib.o $L"),
    ("clang's musttail", "clang $F -O2 -c must.c; clang -o prog must.o $L"),
    ("clang links what gcc compiled", CC + "; clang -o prog main.o lib.o $L"),
    *([("clang -flto=thin", "clang $F -O2 -flto=thin -c main.c lib.c; clang -O2 -flto=thin -fuse-ld=lld -o prog main.o lib.o $L")]
      if "lld" in LINKERS else []),
], [
    ("clang, a precompiled header", "clang $F -O2 -x c-header pre.h -o pre.h.pch; clang $F -O2 -Werror -include-pch pre.h.pch -c pre.c; clang -o prog pre.o $L"),
    ("clang, -S, then -c", "clang $F -O2 -S main.c lib.c; clang -c main.s lib.s; clang -o prog main.o lib.o $L"),
    ("clang -r", "clang $F -O2 -c main.c lib.c; clang -r -o all.o main.o lib.o; clang -o prog all.o $L"),
])
CLANG += [
    *((f"clang {options}", f"clang $F {options} -c main.c lib.c; clang {options} -o prog main.o lib.o $L") for options in cells(
        ("-O2 -fno-integrated-as", "-O2 -std=c99 -pedantic -Wall -Wextra -Werror -Wno-newline-eof", "-O2 -fsanitize=address"),
        ("-O2 -flto=full -fuse-ld=lld" if "lld" in LINKERS else "-O2 -fPIC", "-O2 -mcmodel=large", "-O2 -fmodules",
         "-O0", "-O1 -masm=intel", "-O2 -save-temps", "-O2 -fsanitize=thread", "-O2 -fprofile-instr-generate -fcoverage-mapping",
         "-O2 -g -gsplit-dwarf")))]


def first_link(commands):
    """Where the first command that has $L begins: what is before it is the same whatever is linked with."""
    at = commands.find("$L")
    return len(commands) if at < 0 else commands.rfind(";", 0, at) + 1


def outcome(place, commands, compiling, linking):
    """What comes of it, and how many functions the profile has; where there is none, what libfc and the manager said."""
    done = run(["sh", "-ec", "F=$1; L=$2; " + commands, "sh", compiling, linking], place, CCACHE_DISABLE="1")
    if done.returncode != 0:
        return "fails: " + (done.stdout + done.stderr)[-1500:], ""
    if not os.path.exists(os.path.join(place, "prog")):
        return done.stdout, ""
    ran = run(["./prog"], place, FC_VERBOSE="", FC_LOG="said")
    said = os.path.join(place, "said")
    shown = open(said, encoding="utf-8").read() if os.path.exists(said) else ""
    if os.path.exists(os.path.join(place, "functioncheck.fc")):
        text = run([os.path.join(BINDIR, "fcdump"), "--no-reports", "--flat", "--csv", "functioncheck.fc"], place).stdout
        shown = max(len(text.splitlines()) - 1, 0)
    return (ran.returncode, ran.stdout, ran.stderr), shown


def outcomes(work, commands, compiling, links):
    """The outcome of each of the links.  What compiles is run once: it is the same for all of them."""
    at = first_link(commands)
    with folder() as place:
        shutil.copytree(work, place, dirs_exist_ok=True)
        done = run(["sh", "-ec", "F=$1; " + commands[:at], "sh", compiling], place, CCACHE_DISABLE="1")
        if done.returncode != 0:
            return [("fails: " + (done.stdout + done.stderr)[-1500:], "")] * len(links)
        compiled, found = set(os.listdir(place)), []
        for linking in links:
            found.append(outcome(place, commands[at:], compiling, linking))
            for name in set(os.listdir(place)) - compiled:
                os.unlink(os.path.join(place, name))
        return found


def check(work, name, commands, is_profiled=True, by_clang=False):
    compiling, libs = FLAGS
    (plain, _), = outcomes(work, commands, "", [""])
    expect(isinstance(plain, tuple) or not plain.startswith("fails"), f"{name}: plainly", plain)
    hows = {"both": compiling, "neither": "", "libs": libs}
    for how, (found, functions) in zip(hows, outcomes(work, commands, compiling, hows.values())):
        expect(found == plain, f"{name}, {how}: as plainly", f"{found}\nplainly {plain}")
        if how == "libs" or (how == "both" and not by_clang):
            expect(not is_profiled or (isinstance(functions, int) and functions > 0), f"{name}, {how}: functions in the profile", functions)


def on_terminal(words, work, **more):
    """What a program says where standard error is a terminal."""
    ours, its = pty.openpty()
    with open(ours, "rb", buffering=0) as reader, open(its, "wb", buffering=0) as writer:
        subprocess.run(words, cwd=work, stdout=subprocess.DEVNULL, stderr=writer, env=clean_environment(**more), check=True)
        writer.write(b"end\n")
        text = b""
        while not text.endswith(b"end\r\n"):
            text += reader.read(4096)
    return text.decode().replace("\r\n", "\n").removesuffix("end\n")


def check_said(work):
    """A program that was not linked for profiling says so on a terminal, and fcdump always."""
    says = "functioncheck: compiled for profiling, but linked without the flags of fc-config, or statically: nothing is profiled\n"
    for compiler, option in itertools.product([name for name in ("gcc", "clang") if shutil.which(name)], ("", "-static", "-no-pie")):
        done = run(f"{compiler} -O2 {' '.join(flags('--cflags'))} -c main.c lib.c && {compiler} {option} -o prog main.o lib.o", work)
        option = f"{compiler} {option}"
        expect(done.returncode == 0, option + " links", done.stderr)
        expect(on_terminal(["./prog"], work) == says, option + ": says so on a terminal", on_terminal(["./prog"], work))
        for quiet in ({"FC_QUIET": ""}, {"FC_": "", "FC": "", "F": "", "FC_QUIET": "1"}):
            expect(on_terminal(["./prog"], work, **quiet) == "", f"{option}: not with {quiet}")
        expect(on_terminal(["./prog"], work, FC_QUIETER="1", FC_QUIT="1") == says, option + ": of other variables it knows nothing")
        expect(run(["./prog"], work).stderr == "", option + ": nothing on a pipe")
        told = run([os.path.join(BINDIR, "fcdump"), "./prog"], work)
        wanted = "is linked statically" if option.endswith("-static") else "has hooks, but was not linked with the flags of fc-config"
        expect(wanted in told.stderr, option + ": fcdump says so", told.stderr)


def check_lost(work):
    """Code that gcc's link-time optimization makes has hooks after inlining only where the link gets the flags, too: else fcdump
    says so, of all functions that are missing or of some."""
    compiling, libs = " ".join(flags("--cflags", "--after-inlining")), " ".join(flags("--libs"))
    compiled = f"gcc -O2 -g {compiling}"
    for name, commands, has_lost in (
            ("neither", f"{compiled} -flto -c main.c lib.c; gcc -O2 -flto -o prog main.o lib.o", True),
            ("libs", f"{compiled} -flto -c main.c lib.c; gcc -O2 -flto -o prog main.o lib.o {libs}", True),
            ("libs, mixed", f"{compiled} -flto -c lib.c; {compiled} -c main.c; gcc -O2 -flto -o prog main.o lib.o {libs}", True),
            ("both", f"{compiled} -flto -c main.c lib.c; {compiled} -flto -o prog main.o lib.o", False),
            ("without -flto", f"{compiled} -c main.c lib.c; gcc -O2 -o prog main.o lib.o {libs}", False)):
        with folder() as place:
            shutil.copytree(work, place, dirs_exist_ok=True)
            done = run("set -e; " + commands + "; FC_QUIET= ./prog", place)
            expect(done.returncode == 0, f"lost hooks, {name}: links and runs", done.stderr)
            is_profiled = os.path.exists(os.path.join(place, "functioncheck.fc"))
            expect(is_profiled == (name != "neither"), f"lost hooks, {name}: a profile")
            told = run([os.path.join(BINDIR, "fcdump"), *([] if is_profiled else ["./prog"])], place)
            expect(told.returncode == (0 if is_profiled else 1), f"lost hooks, {name}: status", told.stderr)
            says = (f"fcdump: {place}/prog: functions are missing, as link-time optimization left their hooks out: " if is_profiled else
                    "fcdump: ./prog lost its hooks in link-time optimization: ")
            expect((says + "link" in told.stderr) == has_lost, f"lost hooks, {name}: fcdump says so", told.stderr)


def check_own_hooks(work):
    """A program's own hooks would not be called after inlining: an error says what to do, and doing it helps."""
    compiling, every = " ".join(flags("--cflags")), " ".join(flags("--cflags", "--every-function"))
    for source, hook in (("own-enter.c", "__cyg_profile_func_enter"), ("own-fentry.c", "__fentry__")):
        done = run(f"gcc {compiling} -O2 -c {source}", work)
        expect(done.returncode != 0 and re.search(f"this file defines {hook}, .* fc-config --cflags --every-function", done.stderr),
               hook + ": refused with a word", done.stderr)
        for words in (every + " -O2", compiling + " -O0"):
            done = run(f"gcc {words} -c {source}", work)
            expect(done.returncode == 0, f"{hook}: compiled with {words}", done.stderr)
    counting = """
        #include <stdio.h>
        static int calls;
        __attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *a, void *b) { (void)a, (void)b; calls++; }
        __attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *a, void *b) { (void)a, (void)b; }
        __attribute__((noinline)) static void called(void) { __asm__ volatile(""); }
        int main(void) { called(); called(); printf("%d\\n", calls); return 0; }
        """
    with open(os.path.join(work, "counting.c"), "w", encoding="utf-8") as out:
        out.write(counting)
    for libs in ("", " ".join(flags("--libs"))):
        done = run(f"gcc {every} -O2 counting.c -o counting {libs} && ./counting", work, FC_QUIET="")
        expect(done.stdout == "3\n", "own hooks are called", done.stdout + done.stderr)


def check_moved(work):
    """A tree that was moved, to a folder with a blank."""
    with folder() as other:
        moved = shutil.copytree(os.path.dirname(BINDIR), os.path.join(other, "a folder"), symlinks=True)
        done = run('eval "gcc -O2 $(\'%s/bin/fc-config\' --cflags) -c main.c lib.c" && eval "gcc $(\'%s/bin/fc-config\' --cflags) -o prog main.o lib.o"'
                   " && ./prog" % (moved, moved), work, FC_QUIET="")
        expect((done.returncode, done.stdout) == (0, "450000\n"), "a moved tree", done.stderr)
        loaded = run(["ldd", "prog"], work).stdout
        expect(os.path.realpath(moved) in os.path.realpath(re.search(r"libfc\S* => (.*) \(", loaded).group(1)), "its own libfc", loaded)
        expect(os.path.exists(os.path.join(work, "functioncheck.fc")), "a profile")


with folder() as work_folder:
    for name_, text_ in SOURCES.items():
        with open(os.path.join(work_folder, name_), "w", encoding="utf-8") as stream:
            stream.write(text_)
    if MACHINE == "x86_64":
        for flag in COMPILED:
            check(work_folder, flag, f"gcc $F {flag} -c main.c lib.c; {LINK}")
        for flag in BOTH:
            check(work_folder, flag + ", C++", f"g++ $F -O2 {flag} -c cxx.cc; g++ -O2 {flag} -o prog cxx.o $L")
        for flag in BOTH_OF_C + cells(BOTH, []):
            check(work_folder, flag, f"gcc $F -O2 {flag} -c main.c lib.c; gcc -O2 {flag} -o prog main.o lib.o $L")
        for flag in LINKED:
            check(work_folder, "linked with " + flag, f"{CC}; gcc {flag} -o prog main.o lib.o $L")
        for name_, commands_ in cells(OTHERS, []):
            check(work_folder, name_, commands_)
        for name_, commands_ in cells(UNPROFILED, []):
            check(work_folder, name_, commands_, is_profiled=False)
        if shutil.which("clang"):
            for name_, commands_ in CLANG:
                check(work_folder, name_, commands_, by_clang=True)
        if not IS_FURTHER:
            check_said(work_folder)
            check_lost(work_folder)
            check_own_hooks(work_folder)
    if not IS_FURTHER:
        check_moved(work_folder)
finish()
