# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the installed fcmanager and holds the other ends of its pipes and shared memory."""

import mmap
import os
import struct
import subprocess
import sys
import time

import wire

sys.path.insert(0, os.path.join(os.environ['FC_SOURCE_ROOT'], 'tests', 'support'))
import inherited  # noqa: E402, F401
from sanitized import is_sanitized  # noqa: E402

MANAGER = os.path.join(os.environ['FC_BINDIR'], 'fcmanager')
SANITIZED = is_sanitized(MANAGER)
CHUNKS = 8
CODE = 0x400000
TIMEOUT = 200


def call(kind, when, function, depth=0, site=0x99, generation=3):
    address = CODE + 0x100 * function
    return wire.record(kind, when, address, site, 0x7FFF00000000 - 64 * depth, generation,
                       address + (5 if kind == wire.ENTER else 99))


def pair(when, function, length=10, depth=0, generation=3):
    return [call(wire.ENTER, when, function, depth, generation=generation),
            call(wire.EXIT, when + length, function, depth, generation=generation)]


class Manager:
    """One fcmanager and the ends of its pipes."""

    def __init__(self, folder, *options, shared=True, directory='./', mode=2, time_mode=3,
                 name='out', env=None, prepare=None):
        self.folder = folder
        read_fd, self.pipe = os.pipe()
        self.reply, write_fd = os.pipe()
        fds = [read_fd, write_fd]
        arguments = [MANAGER, f'--pipe={read_fd}', f'--reply={write_fd}', f'--name={name}',
                     f'--directory={directory}', f'--time-mode={time_mode}',
                     f'--profile-mode={mode}', *options]
        self.shared = None
        if shared:
            memory = os.memfd_create('test', os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            os.ftruncate(memory, (1 + CHUNKS) * wire.CHUNK_BYTES)
            self.shared = wire.Shared(mmap.mmap(memory, 0), CHUNKS)
            fds.append(memory)
            arguments.append(f'--shared={memory}')
        self.child = subprocess.Popen(arguments, pass_fds=fds, cwd=folder,
                                      env={**os.environ, **(env or {})},
                                      preexec_fn=prepare)
        for fd in fds:
            os.close(fd)
        self.greeting = self.read_reply()

    def read_reply(self):
        head = self.read(16)
        magic, count, _ = struct.unpack('<IIQ', head)
        assert magic == wire.REPLY_MAGIC
        return self.read(count).decode()

    def read(self, count):
        data = b''
        while len(data) < count:
            more = os.read(self.reply, count - len(data))
            assert more, 'the manager closed the reply pipe'
            data += more
        return data

    def send(self, *messages):
        for message in messages:
            os.write(self.pipe, message)

    def close(self):
        os.close(self.pipe)
        self.pipe = -1

    def wait(self):
        return self.child.wait(TIMEOUT)

    def wait_answer(self, index):
        deadline = time.monotonic() + TIMEOUT
        while self.shared.answer(index) is None:
            assert time.monotonic() < deadline, 'no answer'
            time.sleep(0.002)
        return self.shared.answer(index)

    def stop(self):
        if self.pipe >= 0:
            os.close(self.pipe)
        os.close(self.reply)
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
