#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives the installed fcmanager through its pipe and shared memory without libfc: this script
plays the profiled processes, which live, fork, execute others and die.  Run by Meson with FC_BINDIR in the
environment."""

import os
import re
import struct
import subprocess
import tempfile
import unittest

import wire
from driven import Driven, functions, value_of
from started import CODE, SANITIZED, call, pair

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


class Processes(Driven):
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
                     wire.chunk(key, 1, 1, 4),
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
                     wire.chunk(key, 1, 1, 4),
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
                     wire.data(key, 1, 0, pair(10, 1), 3), wire.chunk(key, 1, 77, 4),
                     wire.chunk(key + 1, 1, 1, 4), b'FC')
        manager.close()
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(functions(self.path('out.fc')), {CODE + 0x100: (1, 10)})
        with open(self.path('out.fc'), encoding='utf-8') as file:
            text = file.read()
        for loss in ('malformed-messages', 'orphan-messages', 'bad-chunk'):
            self.assertIn(loss, text)

    def test_strange_questions(self):
        """Of another version, too short, by nobody, through what is no pipe or another one: nobody is answered, and
        nothing is written anywhere."""
        manager = self.manager()
        child = self.process()
        key = child.pid << 32 | 1
        end, pipe = os.pipe()
        with open(self.path('file'), 'wb') as file:
            made, found = os.fstat(pipe), os.fstat(file.fileno())
            def control(what, pid, asker, fd, status, version=wire.WIRE_VERSION, cut=0):
                payload = struct.pack('<IiiiQQ', what, pid, asker, fd, status.st_dev, status.st_ino)
                return wire.message(wire.CONTROL, 0, value=version, payload=payload[:32 - cut])
            own = os.getpid()
            manager.send(wire.hello(key, child.pid, start=5),
                         control(1, child.pid, own, pipe, made, version=5), control(1, child.pid, own, pipe, made, cut=1),
                         control(1, 0, own, pipe, made), control(2, child.pid, 1 << 30, pipe, made),
                         control(2, child.pid, own, file.fileno(), found), control(2, child.pid, own, pipe, found),
                         control(2, child.pid, own, 1 << 20, made), wire.data(key, 1, 0, pair(10, 1), 3))
            # what is all right is answered behind them: in two parts, and where there is no such request, not
            manager.send(control(9, child.pid, own, pipe, made), control(1, 1 << 22, own, pipe, made))
            text = b''
            while not text.endswith(b'FunctionCheck'):
                text += os.read(end, 4096)
            self.end(child)
            manager.close()
            self.assertEqual(manager.wait(), 0)
        self.assertEqual(os.path.getsize(self.path('file')), 0)
        os.close(pipe)
        self.assertEqual(os.read(end, 100), b'')
        os.close(end)
        self.assertEqual(len(re.findall(b'FCtl', text)), 3)
        self.assertIn(b'the profile manager does not know request 9', text)
        self.assertEqual(functions(self.path('out.fc')), {CODE + 0x100: (1, 10)})
        with open(self.path('out.fc'), encoding='utf-8') as file:
            self.assertIn('\nmalformed-messages 3\n', file.read())

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


if __name__ == '__main__':
    unittest.main()
