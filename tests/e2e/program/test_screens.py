#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first screen of real programs, on terminals of 80x24 and of 120x40: it fits, with its prompt, without a pager, and
holds what the program did."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fctest  # noqa: E402

SIZES = ((80, 24), (120, 40))

CRASH = """
#include <stdlib.h>
static int parse(const int *at) { return *at; }
static int reads(int depth) { return depth == 0 ? parse(NULL) : reads(depth - 1) + 1; }
int main(void) { return reads(3); }
"""

SHAPES = """
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace geometry { namespace detail {
template <int Sides> struct polygon
{
    double side;
    double area() const { double sum = 0; for (int i = 0; i < 2000 * Sides; i++) sum += side * i; return sum; }
};
struct registry
{
    std::map<std::string, std::vector<double>> found;
    void add(const std::string &name, double area) { found[name].push_back(area); }
};
} }
int main()
{
    geometry::detail::registry all;
    for (int i = 0; i < 300; i++)
    {
        all.add("three", geometry::detail::polygon<3>{i * 1.0}.area());
        all.add("eight", geometry::detail::polygon<8>{i * 1.0}.area());
    }
    return all.found.size() != 2;
}
"""

# Threads that wait for work, threads that serve under one lock, and one that listens.
SERVER = """
#include <condition_variable>
#include <mutex>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <vector>
static std::mutex store, pool;
static std::condition_variable work;
static bool over;
__attribute__((noinline)) void serve() { std::lock_guard<std::mutex> guard(store); usleep(4000); }
__attribute__((noinline)) void idle() { std::unique_lock<std::mutex> guard(pool); work.wait(guard, [] { return over; }); }
__attribute__((noinline)) void listen_on(int fd) { pollfd one{fd, POLLIN, 0}; poll(&one, 1, -1); }
static void server() { for (int i = 0; i < 40; i++) serve(); }
int main()
{
    int ends[2];
    if (pipe(ends) != 0) return 1;
    std::vector<std::thread> servers, others;
    for (int i = 0; i < 3; i++) servers.emplace_back(server);
    for (int i = 0; i < 2; i++) others.emplace_back(idle);
    others.emplace_back(listen_on, ends[0]);
    for (auto &each : servers) each.join();
    { std::lock_guard<std::mutex> guard(pool); over = true; }
    work.notify_all();
    if (write(ends[1], "x", 1) != 1) return 1;
    for (auto &each : others) each.join();
}
"""


class Screens(fctest.Case):
    def screen(self, columns, rows, *options):
        """What fcdump writes on a terminal of that size, without a pager in PATH."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        with subprocess.Popen([fctest.tool("fcdump"), *options, "functioncheck.fc"], cwd=self.folder, stdout=slave,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              env=fctest.plain_environment(LC_ALL="C.UTF-8", TERM="xterm", PAGER="cat")) as run:
            os.close(slave)
            text = b""
            while True:
                try:
                    piece = os.read(master, 65536)
                except OSError:  # the end
                    break
                if not piece:
                    break
                text += piece
            self.assertEqual(run.wait(), 0, text)
        os.close(master)
        return re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).replace("\r\n", "\n")

    def check(self, command, patterns, first, status=0):
        """`patterns`: of its facts and findings; `first`: of the first function of the table."""
        if os.path.exists(self.path("functioncheck.fc")):
            os.remove(self.path("functioncheck.fc"))
        self.assertEqual(self.run_quiet(command).returncode, status)
        self.wait_for_file()
        for columns, rows in SIZES:
            with self.subTest(f"{columns}x{rows}"):
                text = self.screen(columns, rows)
                lines = text.splitlines()
                self.assertLess(len(lines), rows, "with the prompt\n" + text)
                self.assertLessEqual(max(map(len, lines)), columns, text)
                for pattern in patterns:
                    self.assertRegex(text, pattern)
                self.assertLessEqual(len(re.findall(r"(?m)^• ", text)), 3, text)
                heading = next(i for i, line in enumerate(lines) if re.match(r" +own +", line))
                self.assertIn("±", lines[heading])
                self.assertRegex(lines[heading + 1], first)
                self.assertNotRegex(text, r"[~?]\d", "marks before figures")
        return text

    def test_example(self):
        source = os.path.join(fctest.SOURCE_ROOT, "examples", "wordindex.c")
        self.check([self.compile(source, "-g", "-O2", "-pthread", output="wordindex"), "-t", "3"],
                   [r"^wordindex -t 3: [\d.]+ m?s; CPU [\d.]+ ms; 4 threads; [\d.]+ [kM] calls",
                    # a run that hardly had a processor has too few samples to name a function
                    r"(?m)^• (\w+ itself takes \d+% of the CPU time|The machine was busy)"], r"ms +([<>]?\d+% +)?\d+%.* [a-z_]+$")

    def test_cxx(self):
        """Short names: the function is never cut, its scope may be."""
        text = self.check([self.compile(self.write("shapes.cc", SHAPES), "-g", "-O1", compiler="g++", output="shapes")],
                          [r"polygon<8>::area", r"polygon<3>::area", r"(?m)^• .*polygon<8>::area itself takes \d+%"],
                          r"polygon<8>::area$")
        self.assertNotIn("std::allocator", text)

    def test_crash(self):
        """The stack at death comes first."""
        self.check([self.compile(self.write("crash.c", CRASH), "-g", "-O0", output="crash")],
                   [r"^crash: killed by signal 11", r"(?m)^\n• It died in parse, called by reads, reads"], r"\S", status=-11)

    def test_server(self):
        """Who waits for a lock is told of; who waits for work or input is not in anybody's way."""
        text = self.check([self.compile(self.write("server.cc", SERVER), "-g", "-O1", "-pthread", compiler="g++",
                                        output="server")],
                          [r"(?m)^• 3 threads wait for (a lock|one another) in serve"], r"\S")
        self.assertNotRegex(text, r"wait for (a lock|one another) in (idle|listen_on)")
        for columns, rows in SIZES:
            text = self.screen(columns, rows, "--waits")
            self.assertLess(len(text.splitlines()), rows, text)
            self.assertLessEqual(max(map(len, text.splitlines())), columns, text)
            for function in ("serve", "idle", "listen_on"):
                self.assertRegex(text, rf"(?m) server\.cc:\d+ +{function}$")


if __name__ == "__main__":
    fctest.main()
