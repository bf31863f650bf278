#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The call in which a function waits, where its stack is hard to read: libraries come and go at the same addresses, their
files get shorter, the first thread has ended."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402
from machine import MACHINE  # noqa: E402

PLUGIN = """
#include <poll.h>
int plug(int ms)
{
    volatile char room[ROOM];
    room[0] = 1;
    poll(0, 0, ms);
    return room[0];
}
"""
HOST = """
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static int other(int ms) { return ms + 1; }
static int user(const char *name)
{
    int sum = 0;
    void *library = dlopen(name, RTLD_NOW);
    int (*plug)(int) = (int (*)(int))dlsym(library, "plug");
    for (int i = 0; i < 8; i++)
        sum += plug(50); /* waits */
    dlclose(library);
    return sum + other(1);
}
int main(int argc, char **names)
{
    for (int i = 0; i < 6; i++)
        user(names[1 + i % 2]);
    if (argc > 3)
    {
        if (truncate(names[1], 0) != 0)
            abort();
        user(names[2]);
    }
    return 0;
}
"""
THREADS = """
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
static void waits(int ms)
{
    poll(0, 0, ms); /* waits */
}
static void *work(void *unused)
{
    for (int i = 0; i < 10; i++)
        waits(50);
    exit(0);
    return unused;
}
int main(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    pthread_exit(NULL);
}
"""


@unittest.skipIf(MACHINE != "x86_64", "the unwinder knows x86-64 only")
class Lines(fctest.Case):
    def dumped(self, *options):
        return json.loads(self.command([fctest.tool("fcdump"), "--json", *options, self.path("functioncheck.fc")]))

    def function(self, name, *options):
        return next(each for each in self.dumped(*options)["functions"] if each["name"] == name)

    def check_line(self, name, source):
        """It waits at that line alone, and nearly all of its time."""
        function = self.function(name)
        line = next(number for number, text in enumerate(source.splitlines(), 1) if "/* waits */" in text)
        sites = function["wait_sites"]
        self.assertEqual({each["site"]["line"] for each in sites}, {line}, sites)
        waits = sum(value for key, value in function["waits"].items() if key != "unknown_ns")
        at_line = sum(value for each in sites for key, value in each.items() if key.endswith("_ns"))
        self.assertGreater(at_line, 0.7 * waits, function)

    def run_host(self, *more):
        libraries = [self.compile(self.write(f"{name}.c", PLUGIN), "-shared", "-fPIC", "-O1", f"-DROOM={room}", profiled=False,
                                  output=f"{name}.so") for name, room in (("small", 20), ("large", 3000))]
        program = self.compile(self.write("host.c", HOST), "-O1", "-fno-inline")
        done = self.run_quiet([program, *libraries, *more])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.check_line("user", HOST)
        self.assertEqual(self.function("other")["wait_sites"], [])

    def test_libraries_at_one_address(self):
        self.run_host()

    def test_shorter_file(self):
        """As where a linker writes a library anew that was in use."""
        self.run_host("shorten")

    def test_first_thread_ended(self):
        program = self.compile(self.write("threads.c", THREADS), "-O1", "-fno-inline", "-pthread")
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        self.check_line("waits", THREADS)

    def test_of_thread(self):
        """Not known by thread."""
        program = self.compile(self.write("threads.c", THREADS), "-O1", "-fno-inline", "-pthread")
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        thread = max(self.dumped()["threads"], key=lambda each: each["calls"])
        self.assertEqual(self.function("waits", f"--thread={thread['tid']}")["wait_sites"], [])


if __name__ == "__main__":
    fctest.main()
