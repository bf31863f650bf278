#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manager under fire: killed, stopped, out of disk, its folder gone, garbage in the
pipe and in the shared memory.  The program's own result is unchanged, what could be
saved is saved, and one clear message says what was not.

    test_under_fire.py [--long] [TEST]...
"""

import os
import re
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

TRANSPORTS = ("shared", "pipe")
LONG = "--long" in sys.argv
STOP_S = 10 if LONG else 3
SCRIBBLES = 30 if LONG else 3


class Fire(fctest.Case):
    def start(self, words, **env):
        return subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=fctest.plain_environment(FC_VERBOSE="", **env))

    def manager_of(self, process, seen):
        """The pid that the banner tells; what was read of stderr is added to `seen`."""
        for line in process.stderr:
            seen.append(line.decode())
            if line.startswith(b"FCMng: Profile manager: running ["):
                return int(line.split(b"[")[1].split(b"]")[0])
        self.fail(f"no manager was announced: {seen}")
        return None

    def wait_for_end(self, pid):
        """Until it is a zombie at least: whoever inherits it may take his time."""
        fctest.wait_until(lambda: not self.is_alive(pid), "the manager does not end")

    @staticmethod
    def is_alive(pid):
        try:
            with open(f"/proc/{pid}/stat", "rb") as stream:
                return stream.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
        except FileNotFoundError:
            return False

    def saved(self):
        return sorted(name for name in os.listdir(self.folder) if ".fc" in name)

    def told(self, text):
        """The lines of the profiler that are not of its usual talk."""
        usual = ("FCheck: Starting", "FCheck: Profile parameters", "FCheck:  ", "FCheck:\n",
                 "FCMng: Profile manager: ", "FCMng: communication pipe closed",
                 "FCMng: Profile file is", "FCMng: no profile was written")
        lines = [line for line in text.splitlines(keepends=True) if not line.startswith(usual)]
        return [line for line in lines if line.strip() not in ("", "FCheck:")]


class Processes(Fire):
    def test_killed(self):
        """One message from each process that notices, and no file."""
        program = self.compile("longrun.c")
        for transport in TRANSPORTS:
            flag = self.path("go-" + transport)
            seen = []
            with self.start([program, flag], FC_TRANSPORT=transport) as process:
                manager = self.manager_of(process, seen)
                self.assertEqual(process.stdout.readline(), b"started\n")
                os.kill(manager, signal.SIGKILL)
                open(flag, "w", encoding="utf-8").close()
                out, rest = process.communicate(timeout=fctest.TIMEOUT_S)
            self.assertEqual((process.returncode, out), (5, b"done\n"))
            told = self.told("".join(seen) + rest.decode())
            self.assertEqual(len(told), 1, told)
            self.assertIn("manager is gone", told[0])
            self.assertEqual(self.saved(), [])

    def test_signal_of_killed_manager(self):
        """A write to a manager that is gone leaves no SIGPIPE behind, and takes none that is the
        program's own."""
        program = self.compile("broken_pipe.c")
        for mode, pending in (("open", b"none"), ("blocked", b"none"), ("pending", b"pending")):
            for detail in ("all", "auto"):
                flag = self.path(f"go-{mode}-{detail}")
                with self.start([program, flag, mode], FC_DETAIL=detail) as process:
                    manager = self.manager_of(process, [])
                    self.assertEqual(process.stdout.readline(), b"started\n")
                    os.kill(manager, signal.SIGKILL)
                    self.wait_for_end(manager)
                    open(flag, "w", encoding="utf-8").close()
                    out, rest = process.communicate(timeout=fctest.TIMEOUT_S)
                self.assertEqual((process.returncode, out), (5, pending + b"\n"), (mode, detail))
                self.assertIn(b"manager is gone", rest)

    def test_killed_at_random_among_forks_and_threads(self):
        programs = {self.compile("tree.c"): ["2", "4"],
                    self.compile("manythreads.c"): ["8", "50000"]}
        chance = random.Random(4711)
        for number in range(16):
            program, words = list(programs.items())[number % 2]
            expected = None if "tree" in program else b""
            seen = []
            with self.start([program, *words],
                            FC_TRANSPORT=TRANSPORTS[number // 2 % 2]) as process:
                manager = self.manager_of(process, seen)
                time.sleep(chance.random() * 0.03)
                try:
                    os.kill(manager, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # the program was faster
                out, _ = process.communicate(timeout=fctest.TIMEOUT_S)
            self.assertEqual(process.returncode, 0)
            if expected is None:
                self.assertEqual(len(out.splitlines()), 1 + 4 + 16)
            else:
                self.assertEqual(out, expected)

    def test_stopped_for_a_while(self):
        """The program waits, and nothing is missing afterwards."""
        program = self.compile("manythreads.c")
        done, files = self.run_oracle([program, "4", "200000"])
        self.assertEqual(done.returncode, 0)
        for transport in TRANSPORTS:
            with self.start([program, "4", "200000"], FC_TRANSPORT=transport) as process:
                manager = self.manager_of(process, [])
                fctest.stop(manager)
                time.sleep(STOP_S)
                self.assertIsNone(process.poll(), "the program did not wait for the manager")
                os.kill(manager, signal.SIGCONT)
                out, _ = process.communicate(timeout=fctest.TIMEOUT_S)
            self.assertEqual((process.returncode, out), (0, b""))
            self.assert_counts_equal(files[0], self.path("functioncheck.fc"))
            self.assertEqual(fcprofile.load(self.path("functioncheck.fc")).losses, {})


class Folders(Fire):
    def check_fallback(self, program, *words, **env):
        """The profile is in a new folder in $TMPDIR, and that is said, with FC_QUIET as well."""
        temporary = self.path("tmp")
        os.mkdir(temporary)
        os.chmod(temporary, 0o777)
        for quiet in ({}, {"FC_QUIET": "1"}):
            done = self.run_target(program, env={**env, **quiet, "TMPDIR": temporary})
            text = done.stderr.decode()
            self.assertEqual((done.returncode, done.stdout), (0, b""), text)
            told = self.told(text)[-1]
            for word in words:
                self.assertIn(word, told)
            folder = re.search("; written to '(.*)' instead$", told.rstrip())[1]
            self.assertEqual(os.path.dirname(folder), temporary)
            self.assertEqual(os.listdir(folder), ["functioncheck.fc"])

    def test_disk_full(self):
        program = self.compile("nesting.c")
        small = self.path("small")
        os.mkdir(small)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", small],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"mount: {mounted.stderr.decode().strip()}")
        try:
            with open(os.path.join(small, "filling"), "wb") as stream:
                stream.write(b"x" * 4096)
            self.check_fallback([program], small, "No space left", FC_DUMP_PATH=small)
            self.assertEqual(os.listdir(small), ["filling"])
        finally:
            # lazily: the manager may just be on its way out
            subprocess.run(["umount", "-l", small], check=True)

    def test_unwritable(self):
        if os.geteuid() != 0:
            words = []
        else:
            words = ["setpriv", "--reuid", "54321", "--clear-groups"]
        self.share_with_others()
        program = self.compile("nesting.c")
        locked = self.path("locked")
        os.mkdir(locked, 0o555)
        self.check_fallback([*words, program], locked, "Permission denied", FC_DUMP_PATH=locked)
        self.assertEqual(os.listdir(locked), [])

    def test_missing(self):
        program = self.compile("nesting.c")
        missing = self.path("not", "there")
        self.check_fallback([program], missing, "No such file", FC_DUMP_PATH=missing)

    def test_vanished(self):
        program = self.compile("longrun.c")
        folder, flag = self.path("folder"), self.path("go")
        os.mkdir(folder)
        seen = []
        os.mkdir(self.path("tmp"))
        with self.start([program, flag], FC_DUMP_PATH=folder, TMPDIR=self.path("tmp")) as process:
            self.manager_of(process, seen)
            self.assertEqual(process.stdout.readline(), b"started\n")
            shutil.rmtree(folder)
            open(flag, "w", encoding="utf-8").close()
            out, rest = process.communicate(timeout=fctest.TIMEOUT_S)
        self.assertEqual((process.returncode, out), (5, b"done\n"))
        told = self.told("".join(seen) + rest.decode())
        self.assertEqual(len(told), 1, told)
        self.assertIn(folder, told[0])

    def test_planted_links(self):
        """What is linked from the profile's place is not written to; the profile takes the
        place."""
        program = self.compile("forks.c")
        victim = self.write("victim", "precious\n")
        for name in ("functioncheck.fc", "functioncheck.fcd"):
            os.symlink(victim, self.path(name))
        done = self.run_quiet([program])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        with open(victim, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "precious\n")
        self.assertFalse(os.path.islink(self.path("functioncheck.fcd")))

    def test_place_taken_by_a_folder(self):
        program = self.compile("nesting.c")
        os.mkdir(self.path("functioncheck.fc"))
        self.check_fallback([program], "functioncheck.fc")
        self.assertEqual(sorted(os.listdir(self.folder)), ["functioncheck.fc", "nesting", "tmp"])

    def test_old_profile_is_replaced_whole(self):
        """A reader never sees half a profile: the old one stays until the new one is there."""
        program = self.compile("nesting.c")
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        first = os.stat(self.path("functioncheck.fc")).st_ino
        self.assertEqual(self.run_quiet([program]).returncode, 0)
        self.assertNotEqual(os.stat(self.path("functioncheck.fc")).st_ino, first)
        self.assertEqual(self.saved(), ["functioncheck.fc"])


class Wild(Fire):
    """The target scribbles over what it finds of the profiler's: it ends well, the manager does
    too, and what the profile then says of itself can be read."""

    def scribble(self, way, transport, seed):
        program = self.path("scribble")
        if not os.path.exists(program):
            self.compile("scribble.c")
        seen = []
        with self.start([program, way, str(seed)], FC_TRANSPORT=transport,
                        FC_FILTER="skip:nothing") as process:
            manager = self.manager_of(process, seen)
            out, rest = process.communicate(timeout=fctest.TIMEOUT_S)
        # the answer that libfc prints may be what the program itself scribbled over it
        said = "".join(seen) + rest.decode(errors="replace")
        context = f"{way}, {transport}, seed {seed}: {said}"
        self.assertEqual((process.returncode, out), (4, b"200000\n"), context)
        self.wait_for_end(manager)
        profile = None
        for name in self.saved():
            if not name.endswith(".fcd"):
                profile = fcprofile.load(self.path(name))
            os.unlink(self.path(name))
        self.assertIsNotNone(profile, "the manager wrote nothing: did it crash? " + context)
        return profile

    def check(self, way, *transports):
        seed = int(time.time())
        for number in range(SCRIBBLES):
            for transport in transports:
                yield self.scribble(way, transport, seed + number)

    def test_bytes(self):
        for profile in self.check("bytes", "shared", "pipe"):
            self.assertTrue(profile.losses, "garbage on the pipe was not noticed")

    def test_messages(self):
        for _ in self.check("messages", "shared", "pipe"):
            pass  # what a message that looks right does is its own affair

    def test_messages_of_its_own(self):
        """In its own name: of threads, chunks and a process that are there."""
        for _ in self.check("own", "shared"):
            pass

    def test_choices(self):
        """The answers to FC_FILTER, in memory of their own."""
        for _ in self.check("choices", "shared", "pipe"):
            pass

    def test_chunks(self):
        for _ in self.check("chunks", "shared"):
            pass

    def test_owners(self):
        """That of the chunk, too, in which the end would be answered."""
        for _ in self.check("owners", "shared"):
            pass

    def test_header(self):
        for _ in self.check("header", "shared"):
            pass

    def test_all(self):
        for _ in self.check("all", "shared", "pipe"):
            pass


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--long"], verbosity=2)
