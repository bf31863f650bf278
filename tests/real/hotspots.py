#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the first screen of fcdump and the page of --html name the hot spot that callgrind
names: gawk, ninja, redis and cppcheck from their source packages.

Callgrind runs the very same executable, whose hooks a runtime that does next to nothing answers.
What functions of the C and C++ libraries take counts with who called them, as in a profile, and
times are those on the CPU, so that it does not matter what else the machine does.

Gawk takes 15 s, and over a minute beside other tests: half of its 17 s of processor time are configure's and the
compiler's, as the whole program must be instrumented, and most of the rest callgrind's and the browser's.  Ninja takes
10 s, and up to a minute: half is the compiler's, for a program in C++.

Redis and cppcheck take minutes to build and are no tests: by hand, without a word for all four,

    tests/real/hotspots.py [Gawk|Ninja|Redis|Cppcheck]...

Debian's own Python, as its Selenium needs.
"""

import collections
import os
import re
import shutil
import signal
import subprocess
import sys

import given
import real
from real import fctest, programs
from browser import browser, shot, show

FLOOR = os.path.join(fctest.BUILD_ROOT, "tests", "bench", "libfloor.so")
LONG_S = 1800
# How much more than the next one the hot spot must weigh by callgrind, so that what differs
# between instructions and time does not matter.
CLEAR = 1.5

if shutil.which("callgrind_annotate") is None:
    print("valgrind is not installed")
    sys.exit(real.SKIPPED)


class Callgrind:
    """What the functions of one object took themselves and in functions of other objects."""

    def __init__(self, path, program):
        self.names = {}
        self.own = collections.Counter()
        at = {"ob": "", "fn": ""}
        called = None
        with open(path, encoding="utf-8") as stream:
            for line in stream:
                key, _, value = line.rstrip("\n").partition("=")
                if key in ("ob", "fn"):
                    at[key] = self.name(key, value)
                    called = None
                elif key in ("cob", "cfn"):
                    called = {"ob": at["ob"], **(called or {}), key[1:]: self.name(key[1:], value)}
                elif re.match(r"[-+*\d]", line) and at["ob"].endswith(program):
                    cost = int(line.split()[1])
                    hook = called and self.is_hook(called["fn"])
                    if not called or not (hook or called["ob"].endswith(program)):
                        self.own[at["fn"]] += cost
                    called = None
        # what the start of the program called is all of it, and hooks are no functions of its own
        for name in ("(below main)", "_start", *filter(self.is_hook, list(self.own))):
            self.own.pop(name, None)

    @staticmethod
    def is_hook(name):
        return name.startswith("__cyg_profile_func_")

    def name(self, kind, text):
        """Each is written once, and is a number from then on."""
        number, name = re.match(r"\((\d+)\)(?: (.*))?$", text).groups()
        if name is not None:
            self.names[kind, number] = name
        return self.names[kind, number]

    def heaviest(self):
        weighs = collections.Counter()
        for name, cost in self.own.items():
            weighs[re.sub(r"'\d+$", "", name)] += cost
        return weighs.most_common(2)


class HotSpots(real.RealProgram):
    program = None

    def command(self):
        """The words to run it with, in the test's folder."""
        raise NotImplementedError

    def drive(self, words, env):
        """Runs it to its end."""
        done = self.run_target(words, env=env, timeout=LONG_S)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_hot_spot(self):
        words = self.command()
        floor = fctest.stand_in_folder(words[0], FLOOR, self.path("floor"))
        out = self.path("callgrind.out")
        self.drive(["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=" + out, *words],
                   {"LD_LIBRARY_PATH": floor})
        (name, cost), (_, next_cost) = Callgrind(out, self.program).heaviest()
        self.assertGreater(cost, CLEAR * next_cost, "a clear hot spot")
        name = self.demangled(name)
        print(f"callgrind: {name}", file=sys.stderr)
        self.drive(words, {"FC_QUIET": "1", "FC_DUMP_PATH": self.folder})
        profile = self.wait_for_file()
        self.assertEqual(self.bare(self.first_screen(profile)), self.bare(name))
        self.assertEqual(self.bare(self.page(profile)), self.bare(name))

    @staticmethod
    def demangled(name):
        return subprocess.run(["c++filt", name], check=True, capture_output=True,
                              text=True).stdout.strip()

    @staticmethod
    def bare(name):
        """Without the parameters, which are shown where there are several of the name."""
        return re.sub(r"(\[abi:\w+\])|\(.*", "", name)

    def first_screen(self, profile):
        done = self.run_target([fctest.tool("fcdump"), profile])
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout.decode()
        self.assertLessEqual(text.count("\n"), 24)
        heaviest = re.search(r"^\* (.*) itself takes \d+% ", text, re.M).group(1)
        first = re.split(r"\s{2,}", re.search(r" calls .*function\n(.*)\n", text).group(1))[-1]
        self.assertEqual(heaviest, first, text)
        print("\n".join(text.split("\n")[:20]), file=sys.stderr)
        return first

    def page(self, profile):
        path = self.path("page.html")
        done = self.run_target([fctest.tool("fcdump"), "--html=" + path, profile])
        self.assertEqual(done.returncode, 0, done.stderr)
        with browser() as driver:
            show(driver, path)
            shot(driver, "hotspots-" + self.program)
            return driver.execute_script("return document.querySelector('#top tbody tr').dataset.name")


class Gawk(HotSpots):
    """It puts numbers into text most of the time."""
    program = "gawk"

    def command(self):
        return [programs.built(programs.build_gawk_fast), "-f", self.write("work.awk", given.GAWK)]


class Ninja(HotSpots):
    """It prints a graph most of the time."""
    program = "ninja"

    def command(self):
        self.write("build.ninja", given.ninja_rules())
        return [programs.built(programs.build_ninja_fast), "-t", "graph"]


class Redis(HotSpots):
    """It puts a long list in order most of the time."""
    program = "redis-server"

    def command(self):
        return [programs.built(programs.build_redis), "--port", "0", "--unixsocket", self.path("socket"),
                "--dir", self.folder, "--save", "", "--hz", "1"]

    def drive(self, words, env):
        import serve_redis
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              env={**fctest.plain_environment(), **env}, cwd=self.folder) as server:
            fctest.wait_until(lambda: os.path.exists(self.path("socket")), "redis does not listen")
            client = serve_redis.Client(self.path("socket"))
            client.socket.settimeout(LONG_S)
            client.send(["RPUSH", "list", *((i * 7919) % 10007 for i in range(5000))])
            client.reply()
            for _ in range(20):
                client.send(["SORT", "list", "LIMIT", "0", "1"])
                client.reply()
            client.close()
            server.send_signal(signal.SIGTERM)


class Cppcheck(HotSpots):
    """It looks through a table of tokens most of the time."""
    program = "cppcheck"

    def command(self):
        folder = programs.source("cppcheck")
        return [programs.built(programs.build_cppcheck), "-q", os.path.join(folder, "lib", "path.cpp")]


if __name__ == "__main__":
    real.main("gawk", "ninja-build")
