#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Symbol tables that no compiler writes but linkers and objcopy can: overlapping, of one address,
of any type and size.  fcgprof must name code as gprof does.

usage: elfsyms.py [SEED COUNT].  The same seed gives the same cases.
"""
import os
import random
import shutil
import struct
import sys
import tempfile

import gmonfile
import oracle
import targets

SYMBOL = struct.Struct('<IBBHQQ')  # name, type and binding, visibility, section, value, size
SECTION = struct.Struct('<IIQQQQIIQQ')
ROWS, ROW_BYTES, START = 64, 4, 0x1000
# A unit without functions: symbols alone name its lines.
SOURCE = '''
	.file	1 "lines.c"
	.text
	.globl	_start
_start:
%s
.Lend:
	.section .debug_info, "", @progbits
	.4byte	.Linfo_end - .Linfo
.Linfo:
	.2byte	4
	.4byte	.debug_abbrev
	.byte	8
	.uleb128 1
	.4byte	.debug_line
	.8byte	_start
	.8byte	.Lend - _start
	.asciz	"lines.c"
	.asciz	"/nowhere"
.Linfo_end:
	.section .debug_abbrev, "", @progbits
	.uleb128 1, 0x11
	.byte	0
	.uleb128 0x10, 0x17, 0x11, 1, 0x12, 7, 3, 8, 0x1b, 8, 0, 0
	.byte	0
'''
OPTIONS = [['-b', '-l', '-p', '-z'], ['-b', '-p', '-z'], ['-b', '-C', '-l', '-z']]
NAMES = ['a.b', 'f.0', 'g.constprop.0', 'f.clone.3', 'x$y', '__x', '_x', 'a name', 'a:b', 'f@V1',
         '_Z3fooi', '_ZN1A1BC1Ev', '.hidden', 'mcount', '__gnu_compiled_c', '']


class Elf:
    """An ELF64 file whose sections can be replaced."""

    def __init__(self, path):
        with open(path, 'rb') as source:
            self.data = bytearray(source.read())
        self.table = struct.unpack_from('<Q', self.data, 0x28)[0]
        self.headers = [list(SECTION.unpack_from(self.data, self.table + 64 * i))
                        for i in range(struct.unpack_from('<H', self.data, 0x3c)[0])]

    def replace(self, header, data):
        self.data += bytes(-len(self.data) % 16)
        header[4:6] = len(self.data), len(data)
        self.data += data

    def set_symbols(self, symbols):
        strings, table, n_local = bytearray(b'\0'), bytearray(24), 1
        for number, (name, kind, bind, visibility, section, addr, size) in enumerate(symbols):
            table += SYMBOL.pack(len(strings) if name else 0, bind << 4 | kind, visibility,
                                 section, addr, size)
            strings += name.encode() + b'\0' if name else b''
            n_local = number + 2 if bind == 0 else n_local
        symtab = next(h for h in self.headers if h[1] == 2)
        self.replace(symtab, table)
        symtab[7] = n_local
        self.replace(self.headers[symtab[6]], strings)

    def write(self, path):
        for number, header in enumerate(self.headers):
            SECTION.pack_into(self.data, self.table + 64 * number, *header)
        return targets.write(path, self.data)


def make_base(root):
    rows = '\n'.join(f'\t.loc 1 {n + 10}\n\t.skip {ROW_BYTES}, 0x90' for n in range(ROWS))
    targets.write(os.path.join(root, 'lines.s'), (SOURCE % rows).encode())
    for words in (['as', 'lines.s', '-o', 'lines.o'],
                  ['ld', '-N', f'-Ttext={START:#x}', 'lines.o', '-o', 'base']):
        good, err = targets.call(words, root)
        if not good:
            sys.exit(err)
    return os.path.join(root, 'base')


def random_symbols(rng, section):
    # gprof takes samples of the last symbol from memory that it never set.
    symbols = [('last', 0, 2, 0, section, START + ROWS * ROW_BYTES - 1, 0)]
    for number in range(rng.choice([1, 2, 3, 4, 6, 10])):
        name = rng.choice([f'f{number}'] * 3 + [f'_f{number}', rng.choice(NAMES)])
        symbols.append((name, rng.choice([2, 2, 2, 0, 0, 1, 10]), rng.choice([0, 1, 1, 2]),
                        rng.choice([0, 0, 2]), section,
                        START - 8 + ROW_BYTES * rng.randrange(rng.choice([ROWS - 2, 10, 5])),
                        rng.choice([0, 4, 8, 16, 64, 128, 1 << 33, rng.randrange(99)])))
    rng.shuffle(symbols)
    return symbols


def main():
    seed, count = (int(w) for w in (sys.argv[1:3] or ['1', '60']))
    oracle.need_oracle()
    if not shutil.which('as') or not shutil.which('ld'):
        print('no assembler')
        sys.exit(oracle.SKIP)
    comparison = oracle.Comparison()
    with tempfile.TemporaryDirectory() as root:
        base = make_base(root)
        layout = gmonfile.Layout()
        size = ROWS * ROW_BYTES
        profile = targets.write(os.path.join(root, 'profile'), gmonfile.header(layout) +
                                gmonfile.hist(layout, START, START + size - 4,
                                              [i % 7 + 1 for i in range(size // 2 - 2)]) +
                                gmonfile.arc(layout, START + 40, START + 8, 3))
        for number in range(seed, seed + count):
            elf = Elf(base)
            section = next(n for n, h in enumerate(elf.headers) if h[2] & 4)
            elf.set_symbols(random_symbols(random.Random(number), section))
            image = elf.write(os.path.join(root, f'image{number}'))
            for words in OPTIONS:
                comparison.later(words + [image, profile], root, note=f'seed {number}')
        comparison.finish()


main()
