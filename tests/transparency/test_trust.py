#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another process of the user gets hold of the memory that the manager maps, and shortens it in
each way that the kernel knows: none takes effect, and the session is not lost."""

import ctypes
import errno
import fcntl
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)
PAIRS = 20000
PAIRS_FOR_LONG = 200000  # through which a program looks for a while
KEEP_SIZE, PUNCH_HOLE, COLLAPSE, INSERT = 1, 2, 8, 32
F_ADD_SEALS, F_GET_SEALS = 1033, 1034
SEAL_SHRINK, SEAL_WRITE = 2, 8


def fallocate(fd, mode, offset, length):
    if LIBC.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(length)) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


def shorten(path):
    """Every way to make the file smaller; those that the kernel did not refuse."""
    fd = os.open(path, os.O_RDWR)
    size = os.fstat(fd).st_size
    page = 4096
    ways = {
        "ftruncate to 0": lambda: os.ftruncate(fd, 0),
        "ftruncate by a page": lambda: os.ftruncate(fd, size - page),
        "truncate": lambda: os.truncate(path, 0),
        "open": lambda: os.close(os.open(path, os.O_RDWR | os.O_TRUNC)),
        "open for reading": lambda: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)),
        "collapse": lambda: fallocate(fd, COLLAPSE, 0, page),
        "insert": lambda: fallocate(fd, INSERT, 0, page),
        "grow": lambda: os.ftruncate(fd, 2 * size),
        "seal": lambda: fcntl.fcntl(fd, F_ADD_SEALS, SEAL_WRITE),
    }
    worked = []
    for name, way in ways.items():
        try:
            way()
            worked.append(name)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EINVAL, errno.EBUSY):
                raise
    if os.fstat(fd).st_size != size:
        worked.append("size")
    os.close(fd)
    return worked


def spoil(path):
    """What stays allowed: to take its pages away, and to write into it."""
    fd = os.open(path, os.O_RDWR)
    size = os.fstat(fd).st_size
    fallocate(fd, KEEP_SIZE | PUNCH_HOLE, 0, size)
    os.pwrite(fd, b"\xff" * min(size, 1 << 20), size // 2)
    os.close(fd)


def is_sealed(path):
    """Whether it can no longer be shortened: it is not mapped before (the unit test `sealed` attacks it until then)."""
    try:
        fd = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return fcntl.fcntl(fd, F_GET_SEALS) & SEAL_SHRINK != 0
    finally:
        os.close(fd)


class Mapped(fctest.Case):
    def setUp(self):
        super().setUp()
        self.program = self.compile(self.write("keeps.c", """
            #include <stdio.h>
            #include <stdlib.h>
            struct node { struct node *next; };
            static struct node *list;
            static struct node *make(struct node *next)
            {
                struct node *one = malloc(sizeof *one);
                one->next = next;
                return one;
            }
            int main(int argc, char **argv)
            {
                struct node *lost = NULL;
                for (int i = 0; i < atoi(argv[argc - 1]); i++)
                {
                    list = make(list);
                    lost = make(lost);
                }
                lost = NULL;
                puts("ready");
                fflush(stdout);
                getchar();
                return 0;
            }
            """))
        self.pairs = PAIRS

    def start(self, **env):
        process = subprocess.Popen([self.program, str(self.pairs)], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=fctest.plain_environment(FC_VERBOSE="", FC_MEMORY="1",
                                                                FC_MEMORY_SCAN="1", **env))
        for line in process.stderr:
            if line.startswith(b"FCMng: Profile manager: running ["):
                manager = int(line.split(b"[")[1].split(b"]")[0])
                break
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process, manager

    @staticmethod
    def files_of(manager, name):
        folder = f"/proc/{manager}/fd"
        found = []
        for fd in os.listdir(folder):
            try:
                if os.readlink(f"{folder}/{fd}").startswith(f"/memfd:{name}"):
                    found.append(f"{folder}/{fd}")
            except FileNotFoundError:
                pass
        return found

    def finish(self, process, *lost):
        """`lost`: what may be among the losses."""
        out, rest = process.communicate(timeout=fctest.TIMEOUT_S)
        self.assertEqual((process.returncode, out), (0, b""), rest.decode())
        profile = fcprofile.load(self.path("functioncheck.fc"))
        calls = {function.name: function.calls for function in profile.functions}
        self.assertEqual((calls["make"], calls["main"]), (2 * self.pairs, 1))
        self.assertLessEqual(set(profile.losses), set(lost))

    def test_chunks(self):
        process, manager = self.start()
        files = self.files_of(manager, "functioncheck")
        self.assertTrue(files, "the manager has no shared memory")
        for path in files:
            self.assertEqual(shorten(path), [])
        process.stdin.write(b"\n")
        self.finish(process)

    def test_choices(self):
        """The answers to FC_FILTER, which the manager writes where each process reads."""
        for transport in ("shared", "pipe"):
            process, manager = self.start(FC_FILTER="skip:nothing", FC_TRANSPORT=transport)
            files = self.files_of(manager, "fc-choices")
            self.assertTrue(files, "the manager has no memory for its answers")
            for path in files:
                self.assertEqual(shorten(path), [], transport)
            process.stdin.write(b"\n")
            # without shared memory there is no list of blocks to look for
            self.finish(process, *(["not-scanned"] if transport == "pipe" else []))

    def attack_live_list(self, attack, *lost):
        """While the program looks through its memory, which takes it a while."""
        self.pairs = PAIRS_FOR_LONG
        process, manager = self.start()
        process.stdin.write(b"\n")
        process.stdin.flush()
        deadline = time.monotonic() + fctest.TIMEOUT_S
        files = []
        while not files and time.monotonic() < deadline:
            files = [path for path in self.files_of(manager, "live") if is_sealed(path)]
        os.kill(process.pid, signal.SIGSTOP)
        self.assertTrue(files, "there was no list")
        for path in files:
            attack(path)
        os.kill(process.pid, signal.SIGCONT)
        self.finish(process, *lost)

    def test_live_list(self):
        self.attack_live_list(lambda path: self.assertEqual(shorten(path), []))

    def test_live_list_without_pages(self):
        self.attack_live_list(spoil, "not-scanned")


if __name__ == "__main__":
    fctest.main()
