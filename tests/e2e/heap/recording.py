#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded of memory with FC_MEMORY: every function, from everywhere, before it is
too late; and that the program does not notice."""

import glob
import os
import re
import signal
import sys

import heapfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
from fctest import Case, fc_config, main, needed, PREFIX, PROGRAMS  # noqa: E402

TRANSPORTS = ("shared", "pipe")


class HeapCase(Case):
    def run_memory(self, words, status=0, **env):
        """The program's output, and its heap."""
        for old in glob.glob(self.path("*.fc*")):
            os.unlink(old)
        done = self.run_quiet(words, env={"FC_MEMORY": "1", **env})
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done.stdout.decode(), heapfile.Heap(self.wait_for_file())

    def check_operators(self, program, env):
        output, heap = self.run_memory([program], **env)
        wrong = [bad for bad in heap.bad_frees if bad.kind == "mismatch"]
        self.assertEqual(len(wrong), len(heap.bad_frees), heap.mistakes())
        self.assertEqual([(bad.allocated.call, bad.here.call) for bad in wrong],
                         [("new[]", "free"), ("malloc", "delete"), ("new", "delete[]")])
        self.assertEqual(heap.profile.losses, {})
        for line in output.splitlines():
            name, *numbers = line.split()
            name = re.sub(r"(\w+)\(\)", lambda m: f"_ZL{len(m.group(1))}{m.group(1)}v", name)
            found = heap.in_function(name)
            self.assertEqual((name, found[:2]), (name, tuple(map(int, numbers))))
            self.assertEqual(found[0], found[2], name)
        self.assertEqual(heap.calls_in("_ZL5sizedv"), {"new", "new[]"})
        return heap


class Kinds(HeapCase):
    def test_c(self):
        program = self.compile("heap_kinds.c")
        plain = self.run_target([self.compile("heap_kinds.c", profiled=False)]).stdout.decode()
        for transport in TRANSPORTS:
            output, heap = self.run_memory([program], FC_TRANSPORT=transport)
            self.assertEqual(output, plain)
            self.assertEqual(heap.mistakes(), [])
            for line in output.splitlines():
                name, *numbers = line.split()
                self.assertEqual((name, heap.in_function(name)), (name, tuple(map(int, numbers))))
            self.assertEqual(heap.left_in("left_behind"), [1000, 2500, 3000])
            self.assertEqual(len(heap.blocks), 3)
            self.assertEqual(heap.calls_in("by_reallocarray"), {"realloc"})
            self.assertEqual(heap.calls_in("by_aligned_alloc"), {"aligned"})
            page = os.sysconf("SC_PAGESIZE")
            self.assertEqual([heap.totals[key] for key in ("maps", "map-bytes", "unmaps",
                                                           "unmap-bytes")],
                             [2, 68 * page, 2, 68 * page])

    def test_operators(self):
        program = self.compile("heap_operators.cc", compiler="g++")
        for transport in TRANSPORTS:
            self.check_operators(program, {"FC_TRANSPORT": transport})

    def test_off(self):
        """Without the switch nothing is there, and nothing differs."""
        program = self.compile("heap_kinds.c")
        done = self.run_quiet([program])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(heapfile.Heap(self.path("functioncheck.fc")).is_recorded)
        operators = self.compile("heap_operators.cc", compiler="g++")
        self.assertEqual(self.run_quiet([operators]).returncode, 0)

    def test_modes(self):
        """Memory goes with THREAD mode; with clocks that threads do not share it does not."""
        program = self.compile("heap_kinds.c")
        _, heap = self.run_memory([program], FC_ALLOW_THREAD="1")
        self.assertEqual(heap.left_in("left_behind"), [1000, 2500, 3000])
        done = self.run_told([program], env={"FC_MEMORY": "1", "FC_TIME_MODE": "cpu"})
        self.assertIn(b"memory is profiled with the time of all threads, time mode is ext",
                      done.stderr)
        heap = heapfile.Heap(self.path("functioncheck.fc"))
        self.assertEqual((heap.profile.time_mode, heap.mistakes()), ("ext", []))


class Allocators(HeapCase):
    """Other people's malloc."""

    def libraries(self):
        found = [path for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4")
                 for path in glob.glob(f"/usr/lib/*/{name}") + glob.glob(f"/usr/lib/{name}")]
        if not found:
            self.skipTest("neither jemalloc nor tcmalloc here")
        return found

    def test_behind(self):
        libfc = glob.glob(os.path.join(PREFIX, "lib", "**", "libfc.so.4"), recursive=True)[0]
        kinds = self.compile("heap_kinds.c", "-DNO_PVALLOC")
        operators = self.compile("heap_operators.cc", compiler="g++")
        threads = self.compile("heap_threads.c", "-O1")
        for library in self.libraries():
            env = {"LD_PRELOAD": f"{libfc}:{library}"}
            self.check_operators(operators, env)
            output, heap = self.run_memory([threads, "4", "0.5", "3"], **env)
            self.assertEqual(heap.mistakes(), [])
            self.assertEqual(len(heap.left_in("take")), 3, output)
            # a profile of its own, which may come late: the program may be killed
            alone = self.run_target([kinds], env={"LD_PRELOAD": library, "FC_QUIET": "1", "FC_DUMP_NAME": "alone"})
            self.run_memory([kinds], status=alone.returncode, **env)

    def test_linked(self):
        for library in self.libraries():
            program = self.compile("heap_threads.c", "-O1", output="linked")
            self.command(["gcc", "-g", "-O1", "-o", program,
                          os.path.join(PROGRAMS, "heap_threads.c"),
                          *fc_config("--cflags-libs"), "-Wl,--no-as-needed", library, "-pthread"])
            output, heap = self.run_memory([program, "4", "0.5", "3"])
            self.assertEqual(heap.mistakes(), [])
            self.assertEqual(len(heap.left_in("take")), 3, output)

    def test_before(self):
        program = self.compile("heap_kinds.c")
        for library in self.libraries():
            done = self.run_told([program], env={"FC_MEMORY": "1", "LD_PRELOAD": library})
            self.assertIn(b"another malloc stands before libfc's, memory is not profiled",
                          done.stderr)
            # nor does the profile say that nothing was allocated
            heap = heapfile.Heap(self.wait_for_file())
            self.assertFalse(heap.is_recorded)
            self.assertEqual(heap.profile.losses, {"memory-not-recorded": 1})
            os.unlink(self.path("functioncheck.fc"))

    def test_fixed_address(self):
        """Where the program takes a function's address, that is one of its own."""
        source = self.write("fixed.c", """
            #include <stdlib.h>
            int main(void)
            {
                void *(*volatile take)(size_t) = malloc;
                void *(*volatile resize)(void *, size_t) = realloc;
                void (*volatile give)(void *) = free;
                give(resize(take(10), 20));
                return take(30) == NULL;
            }
            """)
        program = self.compile(source, "-fno-pie", "-no-pie")
        symbols = self.command(["readelf", "--dyn-syms", "-W", program])
        self.assertRegex(symbols, r"0*[1-9a-f][0-9a-f]+ +0 FUNC +GLOBAL DEFAULT +UND malloc")
        _, heap = self.run_memory([program])
        self.assertEqual(heap.in_function("main"), (3, 60, 2))
        for library in self.libraries():
            done = self.run_told([program], env={"FC_MEMORY": "1", "LD_PRELOAD": library})
            self.assertIn(b"another malloc stands before libfc's", done.stderr)

    def test_own(self):
        """One that the executable defines."""
        source = self.write("own.c", """
            #include <stddef.h>
            #include <string.h>
            static char arena[1 << 20];
            static size_t used;
            void *malloc(size_t bytes)
            {
                void *at = arena + used;
                used += (bytes + 15) & ~(size_t)15;
                return at;
            }
            void free(void *pointer) { (void)pointer; }
            void *calloc(size_t n, size_t bytes) { return malloc(n * bytes); }
            void *realloc(void *old, size_t bytes)
            {
                void *at = malloc(bytes);
                return old != NULL ? memcpy(at, old, bytes) : at;
            }
            int main(void) { free(malloc(10)); return 0; }
            """)
        program = self.compile(source)
        done = self.run_told([program], env={"FC_MEMORY": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"another malloc stands before libfc's, memory is not profiled", done.stderr)
        self.assertFalse(heapfile.Heap(self.path("functioncheck.fc")).is_recorded)


class DeepBind(HeapCase):
    """A library that calls the C library's allocator past libfc."""

    def test_no_false_report(self):
        library = self.write("deep.c", """
            #include <stdlib.h>
            __attribute__((constructor)) static void in(void) { free(malloc(9)); }
            void *give(int bytes) { return malloc(bytes); }
            void take(void *block) { free(block); }
            """)
        self.command(["gcc", "-shared", "-fPIC", "-o", self.path("libdeep.so"), library])
        source = self.write("host.c", """
            #include <dlfcn.h>
            #include <stdlib.h>
            int main(int argc, char **argv)
            {
                for (int i = 0; i < 20; i++)
                {
                    void *handle = dlopen(argv[1], argc > 2 ? RTLD_NOW | RTLD_DEEPBIND : RTLD_NOW);
                    if (handle == NULL)
                        return 1;
                    void *(*give)(int) = (void *(*)(int))dlsym(handle, "give");
                    void (*take)(void *) = (void (*)(void *))dlsym(handle, "take");
                    free(give(33));
                    take(malloc(44));
                    take(give(55));
                    free(malloc(33));
                    dlclose(handle);
                }
                return 0;
            }
            """)
        program = self.compile(source)
        for transport in TRANSPORTS:
            _, heap = self.run_memory([program, self.path("libdeep.so")], FC_TRANSPORT=transport)
            self.assertEqual(heap.mistakes(), [])
            self.assertFalse({9, 33, 44, 55} & set(heap.left_in("main")))
            _, heap = self.run_memory([program, self.path("libdeep.so"), "deep"],
                                      FC_TRANSPORT=transport)
            self.assertEqual(heap.bad_frees, [])
            self.assertEqual(heap.profile.losses["foreign-frees"], 20)
        done = self.run_told([program, self.path("libdeep.so"), "deep"], env={"FC_MEMORY": "1"})
        self.assertEqual(done.stderr.count(b"RTLD_DEEPBIND is not profiled"), 1)


class StaticRuntime(HeapCase):
    """A program that has the C++ runtime within it finds the operators in libfc alone."""

    FLAGS = ("-static-libstdc++", "-static-libgcc", "-std=c++17", "-w", "-fsized-deallocation")

    def test_operators(self):
        for compiler in ("g++", "clang++"):
            program = self.compile("heap_operators.cc", *self.FLAGS, compiler=compiler,
                                   output="operators-" + compiler)
            self.assertFalse([name for name in needed(program) if "stdc++" in name])
            self.check_operators(program, {})
            self.assertEqual(self.run_quiet([program]).returncode, 0)

    def test_exhausted(self):
        source = self.write("exhausted.cc", """
            #include <cstdint>
            #include <cstdio>
            #include <new>
            #include <stdexcept>
            #include <string>
            struct alignas(64) Aligned { char text[64]; };
            static int handled;
            static void handler() { if (++handled == 3) std::set_new_handler(nullptr); }
            static volatile std::size_t most = SIZE_MAX / 4;
            int main()
            {
                int right = 0;
                try { new char[most]; } catch (const std::bad_alloc &) { right++; }
                right += new (std::nothrow) char[most] == nullptr;
                std::set_new_handler(handler);
                try { new char[most]; } catch (const std::bad_alloc &) { right++; }
                right += handled == 3;
                Aligned *one = new Aligned, *more = new Aligned[3];
                right += (uintptr_t)one % 64 == 0 && (uintptr_t)more % 64 == 0;
                delete one;
                delete[] more;
                delete (int *)nullptr;
                try { std::string().at(5); } catch (const std::out_of_range &) { right++; }
                std::printf("%d\\n", right);
                return 0;
            }
            """)
        for flags in (self.FLAGS, self.FLAGS[2:]):
            program = self.compile(source, *flags, compiler="g++")
            output, heap = self.run_memory([program])
            self.assertEqual(output, "6\n")
            self.assertEqual(heap.mistakes(), [])
            self.assertEqual(self.run_quiet([program]).stdout, b"6\n")


class Around(HeapCase):
    def test_around_main(self):
        library = self.path("libaround.so")
        programs = PROGRAMS
        self.command(["gcc", "-g", "-shared", "-fPIC", "-o", library,
                      os.path.join(programs, "heap_around_lib.c")])
        program = self.path("heap_around")
        # the last library is the first to be initialised
        self.command(["gcc", "-g", "-o", program, os.path.join(programs, "heap_around.c"),
                      *fc_config("--cflags-libs"), "-Wl,--no-as-needed", library,
                      f"-Wl,-rpath,{self.folder}", "-pthread"])
        for transport in TRANSPORTS:
            for threads in (10, 1500):
                _, heap = self.run_memory([program, str(threads)], FC_TRANSPORT=transport)
                self.assertEqual(heap.mistakes(), [])
                self.assertEqual(heap.in_function("left"), (1, 17, 0))
                own = [block for block in heap.blocks
                       if block.place.point.module in (program, library)]
                self.assertEqual(sorted(block.bytes for block in own), [17, 21])
                early = [place for place in heap.places if place.point.module == library]
                # a third of them were reallocated
                self.assertEqual(sum(place.allocations for place in early), 5000 + 1667 + 2)
                self.assertEqual({place.point.call for place in early}, {"early"})
                self.assertEqual(heap.in_function("work")[0] - heap.in_function("work")[2], 0)
                self.assertEqual(heap.in_function("at_exit"), (1, 15, 1))
                self.assertEqual(heap.in_function("behind_exit"), (1, 16, 1))
                # no thread is told of twice
                self.assertEqual(len(heap.profile.threads), threads + 1)


class Bad(HeapCase):
    KINDS = {"double": "double", "inside": "inside", "stack": "stack", "unknown": "unknown",
             "realloc": "double", "thread": "double"}

    def test_before_the_end(self):
        """libc's abort comes too late to hide it."""
        program = self.compile("heap_bad.c", "-w")
        unprofiled = self.compile("heap_bad.c", "-w", profiled=False)
        for transport in TRANSPORTS:
            for what, kind in self.KINDS.items():
                plain = self.run_target([unprofiled, what])
                _, heap = self.run_memory([program, what], status=plain.returncode,
                                          FC_TRANSPORT=transport)
                if what not in ("realloc", "thread"):  # which libc does not see
                    self.assertIn(-plain.returncode, (signal.SIGABRT, signal.SIGSEGV), what)
                    self.assertEqual(heap.profile.end, "signal")
                self.assertEqual([bad.kind for bad in heap.bad_frees], [kind], what)
                bad = heap.bad_frees[0]
                wrong = "wrong_realloc" if what == "realloc" else "wrong"
                self.assertEqual(bad.here.path[-1], wrong)
                if kind in ("double", "inside"):
                    self.assertEqual(bad.allocated.path, ("main", "make"))
                    self.assertEqual(bad.bytes, 100)
                if kind == "double":
                    self.assertEqual(bad.freed.path, ("main", "release"))
                memory = heap.profile.v3_memory
                self.assertEqual([len(rows) for rows in memory[1:]],
                                 [0, 1] if what == "realloc" else [1, 0], what)


if __name__ == "__main__":
    main()
