#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Profiles of gigabytes: read in bounded memory, with progress on a terminal, and the rest of a
# list of millions of blocks in the sums.
#
# Through a pipe, so that no disk is filled: 2.2 GB take a while.

import os
import pty
import resource
import subprocess
import sys

from fcfile import FCDUMP, Profile, Program, contains, equal, fail, folder
from sanitized import is_sanitized

LEAKS = 27000000
LISTED = 250000
SIZE = 40
MEMORY_LIMIT = 512 << 20  # the list of 27 million blocks alone would be a gigabyte

if is_sanitized(FCDUMP):
    print("memory can't be limited here")
    sys.exit(77)
keep = folder()
program = Program()
profile = Profile(program, run_ns=100)
profile.function("main", 1, 100, 100, (100, 100), (100, 100))
profile.write("small.fc")

# The version 3.0 part alone: libraries, leaks, bad frees and bad reallocs end it, none so far.
with open("small.fc", "rb") as file:
    head = file.read().split(b"\n0\n0\n0\n0\n")[0].replace(b"+sections", b"") + b"\n0\n"
site = hex(profile.place("main+4")[1]).encode()
# Each stack of its own would be kept: the readers must not keep those of blocks that they don't.
lines = [b"%#x %d %s (nil) %s %s %#x (nil)\n" % (0x10000000 + 64 * i, SIZE, site, site, site,
                                                   0x7000000 + i)
         for i in range(LISTED)]
piece = b"".join(lines)
total = len(head) + len(piece) * (LEAKS // LISTED)
if total < 2 << 30:
    fail(f"only {total} bytes")


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def dump(stderr):
    """Runs fcdump on the profile, as it comes through a pipe; its output and status."""
    with subprocess.Popen([FCDUMP, "--no-reports", "--mem-leaks", "/dev/stdin"],
                          stdin=subprocess.PIPE, stdout=open("out", "wb"), stderr=stderr,
                          preexec_fn=limit) as process:
        try:
            process.stdin.write(head + b"%d\n" % LEAKS)
            for _ in range(LEAKS // LISTED):
                process.stdin.write(piece)
            process.stdin.write(b"0\n0\n")
            process.stdin.close()
        except BrokenPipeError:
            pass
        return process.wait()


master, slave = pty.openpty()
child = os.fork()
if child == 0:
    os.close(master)
    os._exit(dump(slave))
os.close(slave)
screen = b""
while True:
    try:
        got = os.read(master, 65536)
    except OSError:  # the other end was closed
        break
    if not got:
        break
    screen += got
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
screen = screen.decode()
equal(status, 0, f"status; on the terminal: {screen[-300:]!r}")
contains(screen, "\rfcdump: /dev/stdin: read ", "progress on the terminal")
if not screen.endswith("\r\033[K"):
    fail("the line of progress stays", repr(screen[-80:]))
with open("out", encoding="utf-8") as file:
    out = file.read(2000)
contains(out, f"{LEAKS} blocks of {LEAKS * SIZE} bytes in all.\nThe first {LISTED} are listed.",
         "the sums")

# No progress where nobody looks, nor where it is done at once.
done = subprocess.run([FCDUMP, "small.fc"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                      check=True)
equal(done.stderr, b"", "no terminal")
sys.exit(0)
