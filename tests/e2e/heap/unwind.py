#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""FC_MEMORY_UNWIND: the user's line, by way of whatever code it was that allocated."""

import os
import re
import subprocess
import sys

from heapfile import Heap
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
from fctest import Case, fc_config, main, needed, plain_environment, PROGRAMS  # noqa: E402


class Unwind(Case):
    def setUp(self):
        super().setUp()
        self.library = self.path("libunwound.so")
        self.command(["gcc", "-g", "-O1", "-shared", "-fPIC", "-o", self.library,
                      os.path.join(PROGRAMS, "heap_unwind_lib.c")])
        self.program = self.path("heap_unwind")
        self.source = os.path.join(PROGRAMS, "heap_unwind.c")
        self.command(["gcc", "-g", "-O0", "-D_GNU_SOURCE", "-o", self.program, self.source,
                      *fc_config("--cflags-libs"), self.library, f"-Wl,-rpath,{self.folder}"])

    def lines(self):
        """{size of a block: number of the line that is to be found}"""
        with open(self.source, encoding="utf-8") as stream:
            return {int(match.group(1)): number for number, line in enumerate(stream, 1)
                    if (match := re.search(r"/\* line: (\d+) \*/", line))}

    def line_of(self, module, offset):
        if module != self.program:
            return None
        text = subprocess.run(["addr2line", "-e", module, hex(offset - 1)], check=True,
                              capture_output=True, text=True, env=plain_environment()).stdout
        number = text.split(":")[-1].split()[0]
        return int(number) if number.isdigit() else None

    def run_memory(self, **env):
        done = self.run_quiet([self.program], env={"FC_MEMORY": "1", **env})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        heap = Heap(self.path("functioncheck.fc"))
        self.assertEqual(heap.mistakes(), [])
        self.assertEqual(len(heap.blocks), 5)
        return {block.bytes: block.place.point for block in heap.blocks}

    def test_lines(self):
        for transport in ("shared", "pipe"):
            points = self.run_memory(FC_MEMORY_UNWIND="1", FC_TRANSPORT=transport)
            wanted = self.lines()
            self.assertEqual(set(points), set(wanted))
            for size, point in points.items():
                stack = [self.line_of(*frame) for frame in
                         [(point.module, point.offset)] + point.frames]
                self.assertIn(wanted[size], stack, f"block of {size} bytes")
                # main's frame is on every one
                self.assertTrue(any(line and line > wanted[24] for line in stack), stack)
            # the library's own frames, of which the calls know nothing
            inside = [frame for frame in points[21].frames if frame[0] == self.library]
            self.assertEqual(len(inside), 3)

    def test_own_functions(self):
        """What libunwind calls is the C library's, though the program has such functions as well."""
        program = self.compile(self.write("own.c", """
            #define _GNU_SOURCE
            #include <link.h>
            #include <pthread.h>
            #include <signal.h>
            #include <stdlib.h>
            static int called;
            static int count(void) { return called++ * 0; }
            static void *end(void *to) { count(); return to; }
            int dl_iterate_phdr(int (*call)(struct dl_phdr_info *, size_t, void *), void *data)
            { (void)call, (void)data; return count(); }
            int sigprocmask(int how, const sigset_t *set, sigset_t *old)
            { (void)how, (void)set, (void)old; return count(); }
            int pthread_mutex_lock(pthread_mutex_t *mutex) { (void)mutex; return count(); }
            int pthread_mutex_unlock(pthread_mutex_t *mutex) { (void)mutex; return count(); }
            void *memcpy(void *to, const void *from, size_t bytes)
            { for (; bytes > 0; bytes--) ((char *)to)[bytes - 1] = ((const char *)from)[bytes - 1]; return end(to); }
            void *memset(void *to, int byte, size_t bytes)
            { for (; bytes > 0; bytes--) ((char *)to)[bytes - 1] = (char)byte; return end(to); }
            static void *make(size_t bytes) { return malloc(bytes); }
            int main(void)
            {
                for (size_t i = 1; i < 50; i++)
                    free(make(i));
                return make(50) ? called : 99;
            }
            """), "-fno-builtin", "-g")
        done = self.run_quiet([program], env={"FC_MEMORY": "1", "FC_MEMORY_UNWIND": "1"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        [block] = Heap(self.path("functioncheck.fc")).blocks
        self.assertEqual((block.bytes, len(block.place.point.frames) > 0), (50, True))

    def test_loaders_list(self):
        """While a function of dl_iterate_phdr's allocates, waits for another thread that does, or the process forks."""
        program = self.compile(self.write("list.c", """
            #define _GNU_SOURCE
            #include <link.h>
            #include <pthread.h>
            #include <stdlib.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static volatile int within, answered, is_over;
            static int fill(struct dl_phdr_info *info, size_t bytes, void *data)
            {
                (void)info, (void)bytes, (void)data;
                free(malloc(10));
                return 1;
            }
            static int each(struct dl_phdr_info *info, size_t bytes, void *data)
            {
                (void)info, (void)bytes, (void)data;
                within = 1;
                free(malloc(10));
                while (!answered) /* the other thread allocates */
                    usleep(100);
                free(malloc(10));
                dl_iterate_phdr(fill, NULL);
                return 1;
            }
            static void *answer(void *unused)
            {
                while (!within)
                    usleep(100);
                free(malloc(20));
                answered = 1;
                return unused;
            }
            static void *always(void *unused)
            {
                while (!is_over)
                    free(malloc(30));
                return unused;
            }
            int main(void)
            {
                pthread_t threads[3];
                pthread_create(&threads[0], NULL, always, NULL);
                pthread_create(&threads[1], NULL, always, NULL);
                pthread_create(&threads[2], NULL, answer, NULL);
                dl_iterate_phdr(each, NULL);
                for (int i = 0; i < 100; i++)
                    dl_iterate_phdr(fill, NULL);
                for (int i = 0; i < 20; i++)
                {
                    int status = 1;
                    pid_t child = fork();
                    if (child == 0)
                    {
                        free(malloc(40));
                        dl_iterate_phdr(fill, NULL);
                        _exit(0);
                    }
                    if (waitpid(child, &status, 0) != child || status != 0)
                        return 2;
                }
                is_over = 1;
                for (int i = 0; i < 3; i++)
                    pthread_join(threads[i], NULL);
                return 0;
            }
            """), "-g")
        done = self.run_quiet([program], env={"FC_MEMORY": "1", "FC_MEMORY_UNWIND": "1"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_without(self):
        """The context is that of the calls all the same; nothing else is loaded."""
        points = self.run_memory()
        self.assertEqual({size: (point.path[-1], point.frames) for size, point in points.items()},
                         {20: ("compare", []), 21: ("in_library", []), 22: ("in_libc", []),
                          23: ("directly", []), 24: ("main", [])})
        libfc = [name for name in needed(self.program) if name.startswith("libfc.so")][0]
        path = subprocess.run(["ldd", self.program], check=True, capture_output=True, text=True,
                              env=plain_environment()).stdout
        path = re.search(re.escape(libfc) + r" => (\S+)", path).group(1)
        self.assertLessEqual({re.sub(r"\.so.*", "", name) for name in needed(path)},
                             {"libc", "ld-linux-x86-64", "libpthread", "libdl"})

    def test_no_libunwind(self):
        folder = self.path("broken")
        os.mkdir(folder)
        with open(os.path.join(folder, "libunwind.so.8"), "w", encoding="utf-8"):
            pass
        done = self.run_told([self.program], env={"FC_MEMORY": "1", "FC_MEMORY_UNWIND": "1",
                                                  "LD_LIBRARY_PATH": folder})
        self.assertEqual(done.returncode, 0, done.stderr)
        if b"libunwind.so.8 could not be loaded" in done.stderr:
            self.assertEqual(len(Heap(self.path("functioncheck.fc")).blocks), 5)
        # else the loader found another one

    def test_many_threads(self):
        program = self.compile("heap_threads.c", "-O1")
        done = self.run_quiet([program, "8", "1", "5"],
                              env={"FC_MEMORY": "1", "FC_MEMORY_UNWIND": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        heap = Heap(self.path("functioncheck.fc"))
        self.assertEqual(heap.mistakes(), [])
        self.assertEqual(len(heap.left_in("take")), 5)


if __name__ == "__main__":
    main()
