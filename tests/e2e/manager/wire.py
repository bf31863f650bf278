# SPDX-License-Identifier: GPL-3.0-or-later
"""The wire format of libfc/fc-format.h, written down a second time, for tests that
play the part of libfc.  Must not be generated from the header: it is to notice changes."""

import struct

MESSAGE_MAGIC = 0x4346
REPLY_MAGIC = 0x7a524346
SHARED_MAGIC = 0x3164657261684346
CHUNK_BYTES = 65536
CHUNK_HEADER_BYTES = 64
RECORD_BYTES = 32
UNIT_BYTES = 16
UNITS = RECORD_BYTES // UNIT_BYTES  # of a record, if it is a long one
WIRE_VERSION = 6
NO_ANSWER = 0xFFFFFFFF

(HELLO, TEXT, MODULE_LOAD, MODULE_UNLOAD, THREAD_START, THREAD_NAME, THREAD_END, FORK, FORK_DONE,
 EXEC, EXEC_FAILED, CHUNK, CHUNK_DATA, QUIT, EXIT_STATUS) = range(1, 16)
CONTROL = 26
TEXT_EXECUTABLE, TEXT_COMMAND_LINE, TEXT_DIRECTORY = 1, 2, 3
ENTER, EXIT = 1, 2
FORKED, EXECED = 1, 2


def message(kind, key, thread=0, argument=0, value=0, payload=b'', more=False):
    return struct.pack('<HBBIQIIQ', MESSAGE_MAGIC, kind, 1 if more else 0, 32 + len(payload), key,
                       thread, argument, value) + payload


def hello(key, pid, ppid=1, flags=0, parent=0, parent_thread=0, thread=1, token=0, start=0,
          monotonic=0, realtime=0):
    return message(HELLO, key, payload=struct.pack(
        '<IiiIQIIQQQq', WIRE_VERSION, pid, ppid, flags, parent, parent_thread, thread, token, start,
        monotonic, realtime))


def module(kind, key, base, start, end, path, time, build_id=b''):
    payload = struct.pack('<QQQII64s', base, start, end, len(build_id), 0, build_id) + path
    return message(kind, key, value=time, payload=payload)


def record(kind, time, function, site, address, generation, returns=0):
    where = (address & 0x0000FFFFFFFFFFF0) | kind | (returns & 0xFFFF) << 48
    return struct.pack('<QQQQ', where, time, function, site | generation << 48)


def data(key, thread, sequence, records, generation):
    payload = struct.pack('<IIII', sequence, UNITS * len(records), generation, 0) + b''.join(records) + bytes(UNIT_BYTES)
    return message(CHUNK_DATA, key, thread=thread, payload=payload)


def chunk(key, thread, index, records):
    return message(CHUNK, key, thread, index, UNITS * records)


class Shared:
    """The memory that libfc shares with the manager; `memory` is an mmap of it."""

    def __init__(self, memory, chunk_count):
        self.memory = memory
        struct.pack_into('<QIIII', memory, 0, SHARED_MAGIC, WIRE_VERSION, chunk_count, 0, 0)

    def claim(self, index, key, thread, sequence, generation):
        at = index * CHUNK_BYTES
        assert self.owner(index) == 0
        struct.pack_into('<QIIIIII', self.memory, at, key, thread, sequence, 1, 0, 0, generation)

    def put(self, index, slot, packed):
        at = index * CHUNK_BYTES + CHUNK_HEADER_BYTES + slot * RECORD_BYTES
        self.memory[at:at + RECORD_BYTES] = packed

    def owner(self, index):
        return struct.unpack_from('<Q', self.memory, index * CHUNK_BYTES)[0]

    def answer(self, index):
        """The answer's text, or None where there is none yet."""
        at = index * CHUNK_BYTES
        done, count = struct.unpack_from('<II', self.memory, at + 20)
        if not done:
            return None
        start = at + CHUNK_HEADER_BYTES
        return bytes(self.memory[start:start + count]).decode()
