#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators new and delete of C++ plug-ins that a C program loads, each with the runtime within it or
beside it: where no memory is left its own handler is called and what it catches is thrown."""

import os
import sys

import heapfile
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
from fctest import Case, main  # noqa: E402

STATIC = ("-static-libstdc++", "-static-libgcc")

# Words: +FILE loads a plug-in, NUMBER calls its run().
HOST = """
    #include <dlfcn.h>
    #include <stdio.h>
    #include <stdlib.h>
    int main(int argc, char **argv)
    {
        void *handles[64];
        int count = 0;
        for (int i = 1; i < argc; i++)
            if (argv[i][0] != '+')
                printf("%s: %d\\n", argv[i], ((int (*)(void))dlsym(handles[atoi(argv[i])], "run"))());
            else if ((handles[count++] = dlopen(argv[i] + 1, RTLD_NOW)) == NULL)
                return puts(dlerror()), 1;
        return 0;
    }
    """

# Of each run() one block by new and one by new[].
BLOCKS = """
            volatile std::size_t n = (std::size_t)1 << 60;
            int *volatile one = new int, *volatile more = new int[3];
            delete one;
            delete[] more;
"""
PLUGINS = {
    "fail": """
        #include <new>
        extern "C" int run()
        {
            %s
            try { char *volatile p = new char[n]; return p != 0; }
            catch (const std::bad_alloc &) { return 42; }
        }
        """ % BLOCKS,
    "handler": """
        #include <new>
        static volatile int heard;
        static void handler() { if ((heard = heard + 1) %% 3 == 0) std::set_new_handler(nullptr); }
        extern "C" int run()
        {
            %s
            std::set_new_handler(handler);
            try { char *volatile text = new char[n]; delete[] text; } catch (const std::bad_alloc &) { heard = heard + 100; }
            std::set_new_handler(handler);
            void *volatile text = operator new(n, std::nothrow);
            return text ? 0 : heard;
        }
        """ % BLOCKS,
    "aligned": """
        #include <new>
        struct alignas(64) Wide { char bytes[64]; };
        extern "C" int run()
        {
            %s
            n = (std::size_t)1 << 54;
            try { Wide *volatile wide = new Wide[n]; delete[] wide; } catch (const std::bad_alloc &) { return 43; }
            return 0;
        }
        """ % BLOCKS,
    # Its constructor and its destructor wait for a thread that allocates.
    "worker": """
        #include <pthread.h>
        static void *work(void *) { int *volatile one = new int; delete one; return nullptr; }
        static void wait_for_work()
        {
            pthread_t thread;
            pthread_create(&thread, nullptr, work, nullptr);
            pthread_join(thread, nullptr);
        }
        struct Both { Both() { wait_for_work(); } ~Both() { wait_for_work(); } } both;
        extern "C" int run() { return 7; }
        """,
}


class Plugins(Case):
    def setUp(self):
        super().setUp()
        source = self.write("host.c", HOST)
        self.plain = self.compile(source, profiled=False, output="plain")
        self.host = self.compile(source, output="host")

    def plugin(self, name, *flags, output=None):
        path = self.path((output or name) + ".so")
        self.command(["g++", "-O2", "-shared", "-fPIC", "-std=c++17", "-w", "-o", path,
                      self.write(name + ".cc", PLUGINS[name]), *flags])
        return path

    def check(self, words, expected):
        """The same is printed, plain and profiled; what the runs allocate is recorded."""
        for env in (None, {}, {"FC_MEMORY": "1"}):
            if os.path.exists(self.path("functioncheck.fc")):
                os.unlink(self.path("functioncheck.fc"))
            done = self.run_target([self.plain, *words]) if env is None else self.run_quiet([self.host, *words], env=env)
            said = (done.returncode, done.stdout.decode().split("\n")[:-1])
            self.assertEqual(said, (0, expected), (env, done.stderr))
        heap = heapfile.Heap(self.wait_for_file())
        self.assertEqual(heap.mistakes(), [])
        self.assertEqual(heap.profile.losses, {})
        counts = {}
        for place in heap.places:
            counts.setdefault(place.point.call, [0, 0])
            counts[place.point.call][0] += place.allocations
            counts[place.point.call][1] += place.frees
        for call in ("new", "new[]"):
            self.assertEqual(counts.get(call), [len(expected)] * 2, counts)

    def test_one(self):
        for flags in ((), STATIC):
            self.check(["+" + self.plugin("fail", *flags), "0", "0"], ["0: 42"] * 2)
            self.check(["+" + self.plugin("handler", *flags), "0", "0"], ["0: 105", "0: 210"])
            self.check(["+" + self.plugin("aligned", *flags), "0"], ["0: 43"])

    def test_one_after_another(self):
        """Whichever is first, each has its own."""
        handler = self.plugin("handler", *STATIC)
        shared = self.plugin("handler", output="shared")
        fail = self.plugin("fail")
        self.check(["+" + handler, "0", "+" + fail, "1", "0", "1"], ["0: 105", "1: 42", "0: 210", "1: 42"])
        self.check(["+" + fail, "0", "+" + handler, "1", "0", "+" + shared, "2", "1"],
                   ["0: 42", "1: 105", "0: 42", "2: 105", "1: 210"])

    def test_waiting(self):
        """Within constructors and destructors the loader has its lock."""
        plugin = self.plugin("worker", "-pthread")
        for env in ({}, {"FC_MEMORY": "1"}):
            done = self.run_quiet([self.host, "+" + plugin, "0"], env=env, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, b"0: 7\n"))


if __name__ == "__main__":
    main()
