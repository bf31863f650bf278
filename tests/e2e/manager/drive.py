#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the installed fcmanager through its pipe and shared memory without libfc: this script
plays the profiled processes.  Run by Meson with FC_BINDIR in the environment."""

import ctypes
import os
import platform
import re
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import wire
from started import CODE, MANAGER, SANITIZED, TIMEOUT, Manager, call, pair


def sleeper():
    """A process to be followed."""
    return subprocess.Popen(['sleep', '1000'])


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


def functions(path):
    """Function address -> (calls, total), from the sections of our own."""
    found = {}
    with open(path, encoding='utf-8') as file:
        text = file.read()
    head = text.splitlines()
    arcs = int(head[7])
    count = int(head[8 + arcs])
    addresses = [int(line.split()[0], 16) for line in head[9 + arcs:9 + arcs + count]]
    section = re.search(r'^section functions \d+ (\d+)\n((?:.*\n)*?)(?=section |\Z)', text, re.M)
    for address, line in zip(addresses, section.group(2).splitlines()):
        words = line.split()
        found[address] = (int(words[2]), int(words[3]))
    return found


def value_of(path, word):
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.startswith(word + ' '):
                return line[len(word) + 1:].rstrip('\n')
    return None


# The manager gets the second pidfd when the process of the first is dead.
LATE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
long syscall(long number, ...)
{
    static int first = -1;
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    struct pollfd death = {first, POLLIN, 0};
    if (number == SYS_pidfd_open && first >= 0)
        poll(&death, 1, -1);
    long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_pidfd_open && first < 0)
        first = (int)result;
    return result;
}
"""


class Drive(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.cleanup = []
        self.cleanup_mounts = []

    def tearDown(self):
        for thing in self.cleanup:
            if isinstance(thing, Manager):
                thing.stop()
            elif thing.poll() is None:
                thing.kill()
                thing.wait()
        for folder in self.cleanup_mounts:
            subprocess.run(['umount', '-l', folder], check=True)
        self.temporary.cleanup()

    def manager(self, *options, **named):
        made = Manager(self.folder, *options, **named)
        self.cleanup.append(made)
        return made

    def process(self):
        made = sleeper()
        self.cleanup.append(made)
        return made

    def end(self, process):
        process.kill()
        process.wait()

    def files(self):
        return sorted(os.listdir(self.folder))

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_one_process(self):
        manager = self.manager()
        self.assertRegex(manager.greeting, r'^FCMng: Profile manager: running \[\d+\]\n$')
        child = self.process()
        key = child.pid << 32 | 1
        manager.shared.claim(1, key, 1, 0, 3)
        for slot, packed in enumerate(pair(10, 1) + pair(30, 2)):
            manager.shared.put(1, slot, packed)
        manager.shared.claim(2, key, 1, 1, 5)
        for slot, packed in enumerate(pair(50, 1, generation=5)):
            manager.shared.put(2, slot, packed)
        manager.send(wire.hello(key, child.pid, start=5),
                     wire.message(wire.THREAD_START, key, 1, child.pid, 5),
                     wire.message(wire.CHUNK, key, 1, 1, 4),
                     wire.message(wire.EXIT_STATUS, key, argument=7),
                     wire.message(wire.QUIT, key, 1, 2, 100))
        self.assertEqual(manager.wait_answer(2),
                         "FCMng: communication pipe closed. end of profiled program.\n"
                         "FCMng: Profile file is './/out.fc'\n"
                         "FCMng: Profile manager: exit\n")
        self.assertEqual(self.files(), ['out.fc']) # before it dies
        self.assertEqual(manager.shared.owner(1), 0)
        self.end(child)
        manager.close()
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc')),
                         {CODE + 0x100: (2, 20), CODE + 0x200: (1, 10)})
        self.assertEqual(value_of(self.path('out.fc'), 'end'), 'exit 7')
        self.assertEqual(value_of(self.path('out.fc'), 'run'), '95')
        self.assertEqual(manager.shared.owner(2), 0)

    def test_pipe_transport(self):
        manager = self.manager('--quiet', shared=False)
        self.assertEqual(manager.greeting, '')
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(wire.hello(key, child.pid, start=5),
                     wire.data(key, 1, 0, pair(10, 1), 3),
                     wire.data(key, 2, 0, pair(11, 1), 3),
                     wire.message(wire.QUIT, key, 1, 0, 100))
        self.assertEqual(manager.read_reply(), '')
        self.end(child)
        manager.close()
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc')), {CODE + 0x100: (2, 20)})

    def test_years_between_two_events(self):
        manager = self.manager('--quiet')
        child = self.process()
        key = child.pid << 32 | 1
        year = 365 * 86400 * 10 ** 9
        manager.shared.claim(1, key, 1, 0, 3)
        records = [call(wire.ENTER, 10, 1, 0), *pair(10 + year, 2, year, 1),
                   call(wire.EXIT, 10 + 3 * year, 1, 0)]
        for slot, packed in enumerate(records):
            manager.shared.put(1, slot, packed)
        manager.send(wire.hello(key, child.pid, start=5),
                     wire.message(wire.CHUNK, key, 1, 1, 4),
                     wire.message(wire.QUIT, key, 1, wire.NO_ANSWER, 10 + 3 * year))
        self.end(child)
        manager.close()
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc')),
                         {CODE + 0x100: (1, 3 * year), CODE + 0x200: (1, year)})

    def test_clock_that_jumps(self):
        """Times are of any size and in any order: the counts are right."""
        manager = self.manager('--quiet', '--memory-profiling', time_mode=2)
        child = self.process()
        key = child.pid << 32 | 1
        times = [2**64 - 1, 0, 1, 2**63, 7, 2**64 - 2, 2**32, 3]
        manager.shared.claim(1, key, 1, 0, 3)
        for slot, when in enumerate(times):
            kind = wire.EXIT if slot % 2 else wire.ENTER
            manager.shared.put(1, slot, call(kind, when, 1))
        manager.send(wire.hello(key, child.pid, start=2**62),
                     wire.message(wire.QUIT, key, 1, 2, 5))
        self.end(child)
        manager.close()
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc'))[CODE + 0x100][0], len(times) // 2)

    def test_killed(self):
        """What a process recorded counts though it was killed; its stack is kept."""
        manager = self.manager()
        child = self.process()
        key = child.pid << 32 | 1
        manager.shared.claim(3, key, 1, 0, 3)
        manager.shared.put(3, 0, call(wire.ENTER, 10, 1))
        manager.shared.put(3, 1, call(wire.ENTER, 20, 2, depth=1, site=CODE + 0x120))
        manager.send(wire.hello(key, child.pid, start=5))
        manager.close()
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc')),
                         {CODE + 0x100: (1, 10), CODE + 0x200: (1, 0)})
        self.assertIn(value_of(self.path('out.fc'), 'end'), ('signal 9', 'unknown 0'))

    def test_fork(self):
        """A child goes on with its parent's frames; both have a file, and there is a descriptor."""
        manager = self.manager()
        parent, child = self.process(), self.process()
        key, child_key = parent.pid << 32 | 1, child.pid << 32 | 2
        manager.send(wire.hello(key, parent.pid, start=5),
                     wire.data(key, 1, 0, [call(wire.ENTER, 10, 1)], 3),
                     wire.message(wire.FORK, key, 1, value=9),
                     wire.message(wire.FORK_DONE, key, 1, 1, 9),
                     wire.hello(child_key, child.pid, parent.pid, wire.FORKED, key, 1, 1, 9, 40),
                     wire.data(child_key, 1, 0, pair(50, 2, depth=1), 3))
        manager.shared.claim(4, child_key, 1, 0, 3)
        manager.send(wire.message(wire.QUIT, child_key, 1, 4, 90))
        self.assertEqual(manager.wait_answer(4), '')
        self.assertEqual(self.files(), [f'out.fc.{child.pid}'])
        manager.shared.claim(5, key, 1, 1, 3)
        manager.send(wire.message(wire.QUIT, key, 1, 5, 110))
        self.assertIn("Profile file is './/out.fcd'", manager.wait_answer(5))
        names = sorted(['out.fcd', f'out.fc.{parent.pid}', f'out.fc.{child.pid}'])
        self.assertEqual(self.files(), names)
        manager.close()
        self.end(parent)
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(self.files(), names)
        self.assertEqual(functions(self.path(f'out.fc.{parent.pid}')), {CODE + 0x100: (1, 100)})
        self.assertEqual(functions(self.path(f'out.fc.{child.pid}')),
                         {CODE + 0x100: (0, 50), CODE + 0x200: (1, 10)})
        with open(self.path('out.fcd'), encoding='utf-8') as file:
            text = file.read()
        self.assertIn('2 processes treated.', text)
        self.assertIn(f'Process id: {child.pid}\n    parent: {parent.pid}\n', text)
        self.assertLess(text.index(f'id: {parent.pid}'), text.index(f'id: {child.pid}'))

    def test_forked_child_that_never_came(self):
        """Then there is one process, and its file has the plain name in the end."""
        manager = self.manager()
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(wire.hello(key, child.pid, start=5),
                     wire.message(wire.FORK, key, 1, value=9),
                     wire.message(wire.FORK_DONE, key, 1, 1, 9),
                     wire.data(key, 1, 0, pair(10, 1), 3),
                     wire.message(wire.QUIT, key, 1, wire.NO_ANSWER, 110))
        manager.close()
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(self.files(), ['out.fc'])

    def test_failed_fork(self):
        manager = self.manager()
        child = self.process()
        key = child.pid << 32 | 1
        manager.shared.claim(1, key, 1, 1, 3)
        manager.send(wire.hello(key, child.pid, start=5),
                     wire.message(wire.FORK, key, 1, value=9),
                     wire.message(wire.FORK_DONE, key, 1, 0, 9),
                     wire.message(wire.QUIT, key, 1, 1, 110))
        self.assertIn("Profile file is './/out.fc'", manager.wait_answer(1))

    def check_exec(self, env):
        """Two images of one process: two files, of which none overwrites the other."""
        manager = self.manager(env=env)
        child = self.process()
        key, other = child.pid << 32 | 1, child.pid << 32 | 2
        manager.shared.claim(1, key, 1, 0, 3)
        manager.shared.put(1, 0, call(wire.ENTER, 10, 1))
        manager.send(wire.hello(key, child.pid, start=5),
                     wire.message(wire.EXEC, key, 1, value=60),
                     wire.hello(other, child.pid, flags=wire.EXECED, start=70),
                     wire.data(other, 1, 0, pair(80, 2), 3))
        manager.close()
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        first, second = f'out.fc.{child.pid}', f'out.fc.{child.pid}.2'
        self.assertEqual(self.files(), [first, second, 'out.fcd'])
        self.assertEqual(functions(self.path(first)), {CODE + 0x100: (1, 50)})
        self.assertEqual(functions(self.path(second)), {CODE + 0x200: (1, 10)})
        self.assertEqual(value_of(self.path(first), 'end'), 'exec 0')
        self.assertEqual(manager.shared.owner(1), 0)

    def test_exec(self):
        self.check_exec({})

    def test_exec_dead_when_met(self):
        """The second image's hello is met when the process is dead, of which the manager has not heard
        by way of the first."""
        with tempfile.TemporaryDirectory() as folder:
            source, late = os.path.join(folder, 'late.c'), os.path.join(folder, 'late.so')
            with open(source, 'w', encoding='ascii') as file:
                file.write(LATE)
            subprocess.run(['gcc', '-shared', '-fPIC', '-o', late, source, '-ldl'], check=True)
            # with the address sanitizer that wants to come first
            options = os.environ.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0'
            self.check_exec({'LD_PRELOAD': late, 'ASAN_OPTIONS': options})

    def test_thread_mode(self):
        manager = self.manager(mode=3)
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(wire.hello(key, child.pid, start=5),
                     wire.message(wire.THREAD_START, key, 1, 1001, 5),
                     wire.data(key, 1, 0, [call(wire.ENTER, 10, 1)], 3),
                     wire.message(wire.THREAD_START, key, 2, 1002, 5),
                     wire.data(key, 2, 0, pair(20, 2), 3),
                     wire.message(wire.THREAD_END, key, 2, value=40),
                     wire.message(wire.QUIT, key, 1, wire.NO_ANSWER, 110))
        self.end(child)
        self.assertEqual(manager.wait(), 0) # though the pipe is still open
        self.assertEqual(self.files(), ['out.fc.1001', 'out.fc.1002', 'out.fcd'])
        self.assertEqual(functions(self.path('out.fc.1001')), {CODE + 0x100: (1, 100)})
        self.assertEqual(functions(self.path('out.fc.1002')), {CODE + 0x200: (1, 10)})
        with open(self.path('out.fcd'), encoding='utf-8') as file:
            self.assertIn('Process id: 1002\n    parent: pthread_create\n', file.read())

    def test_thread_mode_with_one_thread(self):
        manager = self.manager(mode=3)
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(wire.hello(key, child.pid, start=5),
                     wire.message(wire.THREAD_START, key, 1, 1001, 5),
                     wire.data(key, 1, 0, pair(10, 1), 3))
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(self.files(), ['out.fc'])

    def test_use_pid(self):
        manager = self.manager('--use-pid')
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(wire.hello(key, child.pid, start=5), wire.data(key, 1, 0, pair(10, 1), 3))
        manager.close()
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(self.files(), [f'out.{child.pid}.fc'])

    def test_daemon(self):
        """A process that closed its descriptors is followed until it dies, and the manager does
        not spin meanwhile."""
        manager = self.manager()
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(wire.hello(key, child.pid, start=5))
        manager.shared.claim(1, key, 1, 0, 3)
        manager.close()
        with self.assertRaises(subprocess.TimeoutExpired):
            manager.child.wait(1)
        with open(f'/proc/{manager.child.pid}/stat', encoding='utf-8') as file:
            words = file.read().rsplit(')', 1)[1].split()
        self.assertLess(int(words[11]) + int(words[12]), os.sysconf('SC_CLK_TCK') / 2)
        for slot, packed in enumerate(pair(10, 1)):
            manager.shared.put(1, slot, packed)
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc')), {CODE + 0x100: (1, 10)})

    def test_nobody(self):
        """The program never said anything: no file."""
        manager = self.manager()
        manager.close()
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(self.files(), [])

    def test_already_dead(self):
        manager = self.manager()
        child = self.process()
        self.end(child)
        key = child.pid << 32 | 1
        # all at once, as the dead write no more
        manager.send(wire.hello(key, child.pid, start=5) + wire.data(key, 1, 0, pair(10, 1), 3))
        manager.close()
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc')), {CODE + 0x100: (1, 10)})

    def test_garbage(self):
        manager = self.manager()
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(b'FC' * 30000, wire.hello(key, child.pid, start=5), os.urandom(5000) + b'\0' * 4096,
                     wire.data(key, 1, 0, pair(10, 1), 3), wire.message(wire.CHUNK, key, 1, 77, 4),
                     wire.message(wire.CHUNK, key + 1, 1, 1, 4), b'FC')
        manager.close()
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc')), {CODE + 0x100: (1, 10)})
        with open(self.path('out.fc'), encoding='utf-8') as file:
            text = file.read()
        for loss in ('malformed-messages', 'orphan-messages', 'bad-chunk'):
            self.assertIn(loss, text)

    def test_folder_that_is_not_there(self):
        """Said at the start; a file that can be written in the end is written."""
        manager = self.manager(directory='later')
        self.assertIn("FCMng: can't open 'later': No such file", manager.greeting)
        child = self.process()
        key = child.pid << 32 | 1
        os.mkdir(self.path('later'))
        manager.shared.claim(1, key, 1, 0, 3)
        manager.send(wire.hello(key, child.pid, start=5), wire.message(wire.QUIT, key, 1, 1, 9))
        self.assertIn("Profile file is 'later/out.fc'\n", manager.wait_answer(1))
        self.assertEqual(os.listdir(self.path('later')), ['out.fc'])

    def run_and_quit(self, *options, **named):
        """The greeting and the farewell of a run of one process."""
        manager = self.manager(*options, **named)
        child = self.process()
        key = child.pid << 32 | 1
        manager.shared.claim(1, key, 1, 0, 3)
        manager.send(wire.hello(key, child.pid, start=5), wire.message(wire.QUIT, key, 1, 1, 9))
        return manager.greeting, manager.wait_answer(1)

    def fallback(self, answer):
        """The folder that the manager says it made in $TMPDIR."""
        return re.search(r"written to '(.*/tmp/functioncheck-\w{6})' instead\n", answer)[1]

    def test_folder_that_never_is(self):
        """The profile goes to $TMPDIR, where nobody else can see it, and that is said."""
        os.mkdir(self.path('tmp'))
        greeting, answer = self.run_and_quit(directory='never', env={'TMPDIR': self.path('tmp')})
        self.assertIn("FCMng: can't open 'never': No such file", greeting)
        folder = self.fallback(answer)
        self.assertIn(f"FCMng: Profile file is '{folder}/out.fc'\n", answer)
        self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
        self.assertEqual(os.listdir(folder), ['out.fc'])

    def test_nowhere_to_write(self):
        """Said, and no file is named that is not there."""
        _, answer = self.run_and_quit(directory='never', env={'TMPDIR': self.path('neither')})
        self.assertIn("FCMng: can't open 'never': No such file or directory; can't make a folder in "
                      f"'{self.path('neither')}': No such file or directory\n", answer)
        self.assertNotIn('Profile file is', answer)
        self.assertIn('FCMng: no profile was written\n', answer)

    def test_quiet(self):
        """Only that something went wrong with the profile is said."""
        os.mkdir(self.path('tmp'))
        env = {'TMPDIR': self.path('tmp')}
        self.assertEqual(self.run_and_quit('--quiet', env=env), ('', ''))
        greeting, answer = self.run_and_quit('--quiet', directory='never', env=env)
        self.assertEqual(greeting, "FCMng: can't open 'never': No such file or directory\n")
        self.assertRegex(answer, r"^FCMng: can't open 'never': .*; written to '.*' instead\n$")

    def small_disk(self, name):
        os.mkdir(self.path(name))
        mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none',
                                  self.path(name)], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f'mount: {mounted.stderr.decode().strip()}')
        self.cleanup_mounts.append(self.path(name))

    def fill(self, name):
        with open(self.path(f'{name}/filling'), 'wb', buffering=0) as file:
            try:
                while True:
                    file.write(b'x' * 1024)
            except OSError:
                pass

    def test_nothing_stale(self):
        """Where the profile can't be put in place, none of an earlier run is left there."""
        self.small_disk('full')
        with open(self.path('full/out.fc'), 'x', encoding='utf-8'):
            pass
        self.fill('full')
        os.mkdir(self.path('tmp'))
        _, answer = self.run_and_quit(directory='full', env={'TMPDIR': self.path('tmp')})
        self.assertIn("FCMng: can't write 'full/out.fc': cannot write: No space left", answer)
        self.assertEqual(os.listdir(self.fallback(answer)), ['out.fc'])
        self.assertEqual(os.listdir(self.path('full')), ['filling'])

    def test_some_files_elsewhere(self):
        """The disk is full when the second of two processes ends: the descriptor beside its profile
        leads to both."""
        self.small_disk('disk')
        os.mkdir(self.path('tmp'))
        manager = self.manager(directory='disk', env={'TMPDIR': self.path('tmp')})
        children = [self.process(), self.process()]
        keys = [child.pid << 32 | 1 for child in children]
        for chunk, (child, key) in enumerate(zip(children, keys), 1):
            manager.shared.claim(chunk, key, 1, 0, 3)
            manager.send(wire.hello(key, child.pid, start=5))
        manager.send(wire.message(wire.QUIT, keys[1], 1, 2, 9))
        manager.wait_answer(2)
        self.fill('disk')
        manager.send(wire.message(wire.QUIT, keys[0], 1, 1, 9))
        folder = self.fallback(manager.wait_answer(1))
        with open(os.path.join(folder, 'out.fcd'), encoding='utf-8') as file:
            named = re.findall('file: (.*)', file.read())
        self.assertEqual(named, [f'out.fc.{children[0].pid}',
                                 self.path(f'disk/out.fc.{children[1].pid}')])

    def test_names(self):
        """The name is without .fc: one that has it gets another."""
        self.run_and_quit(name='a.fc')
        self.assertEqual(self.files(), ['a.fc.fc'])

    @unittest.skipUnless(platform.machine() == 'x86_64', 'the numbers of its system calls')
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
                             wire.message(wire.CHUNK, key, 1, 1, 2))
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

    @unittest.skipIf(SANITIZED, 'a sanitizer takes memory of its own')
    def test_bounded_memory(self):
        """Millions of records, thousands of threads: memory does not grow with them."""
        manager = self.manager(shared=False)
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(wire.hello(key, child.pid, start=5))
        for thread in range(1, 3001):
            records = []
            for number in range(60):
                records += pair(10 + 20 * number, number % 7 + 1)
            manager.send(wire.data(key, thread, 0, records, 3),
                         wire.message(wire.THREAD_END, key, thread, value=5000))
        manager.send(wire.message(wire.QUIT, key, 1, 0, 6000))
        manager.read_reply()
        with open(f'/proc/{manager.child.pid}/status', encoding='utf-8') as file:
            peak = int(re.search(r'VmHWM:\s+(\d+) kB', file.read()).group(1))
        self.assertLess(peak, 64 * 1024)
        self.assertEqual(functions(self.path('out.fc'))[CODE + 0x100][0], 3000 * 9)


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


if __name__ == '__main__':
    unittest.main()
