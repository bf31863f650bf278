#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What fcmanager is started with: arguments, descriptors and signals that are not for it, system calls that are
denied.  Run by Meson with FC_BINDIR in the environment."""

import ctypes
import os
import re
import signal
import struct
import subprocess
import time
import unittest

import wire
from driven import Driven, functions
from started import CODE, MANAGER, TIMEOUT, pair
from machine import MACHINE


def deny(*calls):
    """A function that forbids the system calls to the calling process and what it executes."""
    def statement(code, value, yes=0, no=0):
        return struct.pack('<HBBI', code, yes, no, value)
    eperm = 0x50000 | 1
    code = [statement(0x20, 0)]  # load the number of the call
    for at, call_number in enumerate(calls):
        code.append(statement(0x15, call_number, yes=len(calls) - at))
    code += [statement(0x06, 0x7fff0000), statement(0x06, eperm)]
    instructions = ctypes.create_string_buffer(b''.join(code))
    program = ctypes.create_string_buffer(
        struct.pack('<HxxxxxxQ', len(code), ctypes.addressof(instructions)))
    libc = ctypes.CDLL(None, use_errno=True)

    def prepare():
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), 'seccomp')
    prepare.keep = instructions
    return prepare


class Surroundings(Driven):
    @unittest.skipUnless(MACHINE == 'x86_64', 'the numbers of its system calls')
    def test_sandboxes(self):
        """epoll_wait is denied, and poll as well: the manager ends all the same, with its files."""
        epoll, poll = (232, 281, 441), (7, 271)
        for calls in (epoll, epoll + poll):
            with self.subTest(calls=calls):
                manager = self.manager('--quiet', prepare=deny(*calls))
                child = self.process()
                key = child.pid << 32 | 1
                manager.shared.claim(1, key, 1, 0, 3)
                for slot, packed in enumerate(pair(10, 1)):
                    manager.shared.put(1, slot, packed)
                manager.send(wire.hello(key, child.pid, start=5),
                             wire.chunk(key, 1, 1, 2))
                deadline = time.monotonic() + TIMEOUT
                while manager.shared.owner(1) != 0 and time.monotonic() < deadline:
                    time.sleep(0.01)
                self.end(child)
                manager.close()
                self.assertEqual(manager.wait(), 0)
                self.assertEqual(functions(self.path('out.fc')), {CODE + 0x100: (1, 10)})
                os.remove(self.path('out.fc'))

    @staticmethod
    def is_path_only(name):
        """Whether the descriptor is neither to read nor to write, as that of a standard error is."""
        with open(name, encoding='ascii') as file:
            return int(re.search(r'flags:\s+(\d+)', file.read())[1], 8) & os.O_PATH != 0

    def test_out_of_the_way(self):
        """Only its own descriptors, no folder but the root, and no signal of the terminal ends it."""
        spare, write_fd = os.pipe()
        os.set_inheritable(spare, True)
        os.set_inheritable(write_fd, True)
        manager = self.manager()
        child = self.process()
        key = child.pid << 32 | 1
        manager.shared.claim(1, key, 1, 0, 3)
        manager.send(wire.hello(key, child.pid, start=5))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            manager.child.send_signal(number)
        manager.send(wire.message(wire.QUIT, key, 1, 1, 9))
        manager.wait_answer(1)
        base = f'/proc/{manager.child.pid}/'
        self.assertEqual(os.readlink(base + 'cwd'), '/')
        targets = [os.readlink(base + 'fd/' + name) for name in os.listdir(base + 'fd')
                   if not self.is_path_only(base + 'fdinfo/' + name)]
        for target in targets:
            self.assertRegex(target, r'^(/dev/null|/memfd:test.*|pipe:.*|anon_inode:.*|' + re.escape(self.folder)
                             + r')$')
        self.assertEqual(len([t for t in targets if t.startswith('pipe:')]), 1)
        os.close(spare)
        os.close(write_fd)


class CommandLine(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([MANAGER, *arguments], capture_output=True, text=True, check=False,
                              timeout=TIMEOUT)

    def test_by_hand(self):
        result = self.run_it()
        self.assertEqual(result.returncode, 2)
        self.assertTrue(result.stderr.startswith('fcmanager: '))
        self.assertEqual(result.stdout, '')

    def test_bad_arguments(self):
        good = ['--pipe=0', '--reply=1', '--name=x', '--directory=.', '--time-mode=1',
                '--profile-mode=2']
        for bad in (['--nonsense'], ['--time-mode=5'], ['--profile-mode=0'], ['--pipe=999'],
                    ['--pipe=x'], ['--shared=999'], ['word']):
            result = self.run_it(*good, *bad)
            self.assertEqual((result.returncode, result.stdout), (2, ''), bad)
            self.assertTrue(result.stderr.startswith('fcmanager: '), bad)

    def test_help_and_version(self):
        result = self.run_it('--help')
        self.assertEqual((result.returncode, result.stderr), (0, ''))
        self.assertIn('--pipe', result.stdout)
        result = self.run_it('--version')
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r'^fcmanager \(FunctionCheck\) \d+\.\d+\.\d+\n$')

    @unittest.skipUnless(os.path.exists('/dev/full'), 'needs /dev/full')
    def test_full_device(self):
        for option in ('--help', '--version'):
            with open('/dev/full', 'wb') as full:
                result = subprocess.run([MANAGER, option], stdout=full, stderr=subprocess.PIPE,
                                        text=True, check=False, timeout=TIMEOUT)
            self.assertEqual((result.returncode, result.stderr),
                             (1, 'fcmanager: standard output: No space left on device\n'), option)


if __name__ == '__main__':
    unittest.main()
