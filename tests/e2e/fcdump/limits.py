#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A profile as large as that of cppcheck, 1.3 million contexts of some 3,000 C++ functions: what the
# first screen and the page take of memory, how large the page gets, and that a browser can work with it.  How long they take is
# told and not judged: a benchmark is this script, too.

import os
import re
import resource
import subprocess
import sys

from fcfile import FCDUMP, HERE, Profile, contains, equal, fail, folder
from sanitized import is_sanitized

CONTEXTS = 1_300_000
FUNCTIONS = 3000
ARCS = 25_000
WAITING = 88_000
CHAIN = 25  # calls below each branching
DEPTH_MAX = 60
MEMORY_LIMIT = 500 << 20
PAGE_LIMIT = 20 << 20

if is_sanitized(FCDUMP):
    print("memory can't be told here")
    sys.exit(77)
keep = folder()

# ---- A program with that many functions ---------------------------------------------------

with open("many.cpp", "w", encoding="ascii") as file:
    file.write("template <int n, typename... T> struct Token { static int match(T...) "
               "{ return n; } };\n")
    for number in range(FUNCTIONS - 1):
        file.write(f"template struct Token<{number}, const char *, unsigned long const &, int *>;\n")
    file.write("int main() { return 0; }\n")


class Many:
    def __init__(self):
        subprocess.run(["g++", "-O0", "-Wl,--build-id", "-o", "many", "many.cpp"], check=True)
        self.path = os.path.abspath("many")
        listing = subprocess.run(["nm", "many"], stdout=subprocess.PIPE, check=True).stdout.decode()
        found = [line.split() for line in listing.splitlines()]
        self.start = {words[2]: int(words[0], 16) for words in found
                      if len(words) == 3 and words[1] in "TW" and re.match("_ZN5Token|main$", words[2])}
        notes = subprocess.run(["readelf", "-n", "many"], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.build_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


program = Many()
names = sorted(program.start, key=lambda name: name != "main")
equal(len(names), FUNCTIONS, "functions")

# ---- Its profile: written as it is made, for this process stays small ------------------------

profile = Profile(program, run_ns=100 * 10**9)
places = [profile.place(name)[1] for name in names]
for number, name in enumerate(names):
    profile.function(name, 1000 + number, 10**9, 10**6, (1, 10**6), (1, 10**6), [(20, 1000 + number)])
for number in range(1, ARCS):
    caller, callee = number * 7919 % FUNCTIONS, number * 104729 % FUNCTIONS
    profile.arc(names[caller], f"{names[caller]}+{1 + number % 7}", names[callee], 3, 10**6)


def contexts():
    """(parent, function, calls, total, local): chains that begin anywhere on others."""
    depths = [1]
    yield -1, 0, 1, 10**9, 100
    random = 1
    for number in range(1, CONTEXTS):
        parent = number - 1
        if number % CHAIN == 0:
            random = (random * 1103515245 + 12345) & 0x7fffffff
            parent = random % number
            while depths[parent] + CHAIN > DEPTH_MAX:
                parent //= 2
        depths.append(depths[parent] + 1)
        yield parent, 1 + number * 7919 % (FUNCTIONS - 1), 1 + number % 50, 100 + 900 * (CONTEXTS - number), 100


def write(path):
    head, tail = [], []
    target = head
    for title, lines in profile.sections():
        if title == "contexts":
            target = tail
            continue
        target.append(f"section {title} 1 {len(lines)}\n" + "".join(line + "\n" for line in lines))
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(profile.version3(True))
        stream.writelines(head)
        stream.write(f"section contexts 1 {CONTEXTS}\n")
        callers = [0]
        for number, (parent, function, calls, total, local) in enumerate(contexts()):
            if number > 0:
                callers.append(function)
            site = places[callers[parent]] + 1 + number % 7 if number > 0 else 0x1234
            stream.write(f"{parent} {0 if number > 0 else -1} {site:#x} {function} {calls} {total} {local}\n")
        stream.writelines(tail[:-1])
        stream.write(f"section cost-contexts 1 {CONTEXTS}\n")
        stream.writelines(f"{number} {900 + number} 100\n" for number in range(CONTEXTS))
        stream.write(f"section wait-contexts 1 {WAITING}\n")
        stream.writelines(f"{number} 50 50\n" for number in range(WAITING))
        stream.write(tail[-1])


write("many.fc")

# ---- What it takes ----------------------------------------------------------------------------


def measure(*arguments):
    """What fcdump prints; its memory is no larger than allowed."""
    with open("out", "wb") as out:
        child = subprocess.Popen([FCDUMP, *arguments, "many.fc"], stdout=out, stderr=subprocess.PIPE)
        complaints = child.stderr.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    equal(child.returncode, 0, f"{arguments}: {complaints}")
    print(f"fcdump {' '.join(arguments)}: {usage.ru_utime + usage.ru_stime:.2f} s of processor time, "
          f"{usage.ru_maxrss / 1024:.0f} MiB")
    if usage.ru_maxrss * 1024 > MEMORY_LIMIT:
        fail(f"{arguments} takes too much memory", usage.ru_maxrss)
    with open("out", encoding="utf-8") as out:
        return out.read(10_000_000)


if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > MEMORY_LIMIT / 2:
    fail("this script is too large to tell")
screen = measure()
contains(screen, f"{FUNCTIONS - 15} more: --all.", "the first screen")
if len(screen.splitlines()) > 24:
    fail("more than a screen", screen)
measure("--html=many.html")
size = os.path.getsize("many.html")
print(f"the page: {size / 1e6:.1f} MB")
if not 1 << 20 < size < PAGE_LIMIT:
    fail("the size of the page", size)
contains(measure("--dot"), "functions; left out: ", "the drawing")

# ---- And what a browser makes of it --------------------------------------------------------------

browsed = subprocess.run(["/usr/bin/python3", os.path.join(HERE, "browsed_limits.py"), "many.html"], check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
print(browsed.stdout.decode())
if browsed.returncode not in (0, 77):  # 77: there is none
    fail("the page in a browser", browsed.stdout.decode())
