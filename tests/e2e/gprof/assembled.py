#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What assemblers and hands write and compilers do not: line number programs with rows out of
order, operations of odd lengths, sequences without an end, file tables with unusual columns;
and symbols inside of symbols, with and without types and sizes.

usage: assembled.py [SEED COUNT].  The same seed gives the same cases.
"""
import os
import random
import shutil
import struct
import sys
import tempfile

import oracle
import targets

OPTIONS = [['-blz'], ['-bzl', '-L', '-p'], ['-b', '-C', '-l', '-z'], ['-b', '--inline', '-z', '-p']]
SIZE = 40  # of the code, all of it one-byte instructions
NAMES = [b'a.c', b'b.c', b'/abs/x.c', b'd/e.c', b'a.c', b'x y.c', b'']
DIRS = [b'd', b'/dd', b'../up', b'e f', b'd', b'/comp', b'']
FORMS = {0x0b: '<B', 0x05: '<H', 0x06: '<I', 0x07: '<Q'}


def uleb(value):
    out = b''
    while True:
        byte, value = value & 0x7f, value >> 7
        if not value:
            return out + bytes([byte])
        out += bytes([byte | 0x80])


def sleb(value):
    out = b''
    while True:
        byte, value = value & 0x7f, value >> 7
        if value == (-1 if byte & 0x40 else 0):
            return out + bytes([byte])
        out += bytes([byte | 0x80])


def old_tables(rng):
    """Directories and files of versions 2 to 4."""
    out = b''.join(rng.choice(DIRS[:-1]) + b'\0' for _ in range(rng.randrange(3))) + b'\0'
    for _ in range(rng.randrange(1, 4)):
        out += rng.choice(NAMES[:-1]) + b'\0' + uleb(rng.choice([0, 0, 1, 2, 3])) + uleb(300) + b'\5'
    return out + b'\0'


def columns(rng, is_files):
    chosen = [(1, 0x08)]
    if is_files and rng.random() < 0.9:
        chosen.append((2, rng.choice([0x0b, 0x0f, 0x05, 0x06])))
    for chance, column, forms in ((0.2, 5, [0x1e]), (0.1, 3, [0x0f, 0x06]), (0.1, 4, [0x0f, 0x07]),
                                  (0.03, 0x2001, [0x08]), (0.03, 0x5000, [0x0f])):
        if is_files and rng.random() < chance:
            chosen.append((column, rng.choice(forms)))
    if rng.random() < 0.15:
        rng.shuffle(chosen)
    return chosen


def new_tables(rng):
    """The same of version 5."""
    out = b''
    for is_files in (False, True):
        chosen = columns(rng, is_files)
        n = rng.choice([1, 1, 2, 3])
        out += bytes([len(chosen)]) + b''.join(uleb(c) + uleb(f) for c, f in chosen) + uleb(n)
        for _ in range(n):
            for _, form in chosen:
                value = rng.choice([0, 0, 1, 2, 9])
                if form == 0x08:
                    out += rng.choice(NAMES if is_files else DIRS) + b'\0'
                elif form == 0x1e:
                    out += bytes(16)
                else:
                    out += struct.pack(FORMS[form], value) if form in FORMS else uleb(value)
    return out


def operation(rng, base, is_sound):
    """One step of a line program; the common ones are the frequent ones."""
    address = b'\0\x09\x02' + struct.pack('<Q', base + rng.randrange(SIZE))
    steps = [(50, bytes([rng.randrange(10, 100)])), (10, b'\x02' + uleb(rng.randrange(4)) + b'\x01'),
             (10, b'\x03' + sleb(rng.randrange(-3, 30))),
             (10, b'\x04' + uleb(rng.choice([0, 1, 1, 2, 2, 3, 4]))), (5, b'\x01'),
             (3, bytes([rng.choice([6, 7, 10, 11])])), (2, b'\x09' + struct.pack('<H', 3)),
             (1, b'\x08'), (2, b'\x05' + uleb(200)), (2, b'\0\x02\x04' + uleb(99)),
             (3, address + bytes([rng.randrange(13, 40)])), (1, b'\0\x08\x03def\0\0\0\0'),
             (0 if is_sound else 0.3, b'\0' + uleb(rng.randrange(4)) + bytes([rng.choice([0x80, 5, 0x11, 4, 3])]) +
              bytes(rng.randrange(3))),
             (0.4, b'\x03' + sleb(rng.choice([-1000, 10**6, 2**31, 2**32, -2**40]))),
             (0.3, b'\x02' + uleb(2**64 - rng.randrange(1, 6))), (1, b'\x0c' + uleb(3))]
    return rng.choices([s[1] for s in steps], [s[0] for s in steps])[0]


def line_program(rng, base, is_sound):
    out = b''
    for _ in range(rng.choice([1, 1, 2, 3])):
        if rng.random() < 0.95:
            out += b'\0\x09\x02' + struct.pack('<Q', base + rng.randrange(SIZE))
        out += b''.join(operation(rng, base, is_sound) for _ in range(rng.randrange(1, 12)))
        if is_sound or rng.random() < 0.9:
            out += b'\x02' + uleb(rng.randrange(12)) + b'\0\x01\x01'
    return out


def line_section(rng, base, is_sound):
    version = rng.choice([2, 3, 4, 4, 5, 5])
    first = rng.choice([13] * 6 + [10, 14, 4, 1])
    lengths = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2][:first - 1]
    head = bytes([rng.choice([1] * 8 + [2, 0])]) + (b'\1' if version >= 4 else b'')
    head += bytes([1, rng.choice([-5, -5, -3, 1, -100]) & 255, rng.choice([14, 14, 12, 1, 200]), first])
    head += bytes(lengths) + (new_tables if version >= 5 else old_tables)(rng)
    length = len(head) if rng.random() < 0.95 else rng.choice([0, len(head) + 5, 1000])
    body = struct.pack('<H', version) + (b'\x08\0' if version >= 5 else b'')
    body += struct.pack('<I', length) + head + line_program(rng, base, is_sound)
    return struct.pack('<I', len(body) - (not is_sound and rng.random() < 0.03)) + body


def assemble(folder, source, commands):
    """The path of the image."""
    targets.write(os.path.join(folder, 'made.s'), source.encode())
    image = os.path.join(folder, 'image')
    for words in [['as', '-o', 'made.o', 'made.s'],
                  ['ld', '-e', '0', '-Ttext=0x401000', '-o', image, 'made.o']] + commands:
        good, err = targets.call(words, folder)
        if not good:
            sys.exit(err)
    return image


def made_lines(rng, folder):
    """Two functions, or what claims to be one, and a line program for them."""
    # Without attributes for its place, a unit gets it from its lines.
    place = rng.random() < 0.9
    targets.write(os.path.join(folder, 'lines'), line_section(rng, 0x401000, not place))
    half, language = SIZE // 2, rng.choice([0x0c, 0x0c, 4, 0x8001])
    function = '' if rng.random() < 0.3 else \
        f'.uleb128 2\n.asciz "f"\n.8byte f, f + {rng.choice([half, 5, SIZE])}\n'
    return assemble(folder, f'''
.text
.type f, @function
f: .fill {half}, 1, 0x90
.size f, .-f
.type g, @function
g: .fill {half}, 1, 0x90
.size g, .-g
end:
.globl tail
tail: nop
.section .debug_abbrev,"",@progbits
.uleb128 1, 0x11, 1, 0x10, 0x17, {'0x11, 1, 0x12, 1,' if place else ''} 3, 8, 0x1b, 8, 0x13, 5, 0, 0
.uleb128 2, 0x2e, 0, 3, 8, 0x11, 1, 0x12, 1, 0, 0, 0
.section .debug_info,"",@progbits
.4byte 2f - 1f
1: .2byte 4
.4byte .debug_abbrev
.byte 8
.uleb128 1
.4byte .debug_line
{'.8byte f, end' if place else ''}
.asciz "n.c"
.asciz "{rng.choice(['/comp', 'rel', ''])}"
.2byte {language}
{function}.byte 0
2:
.section .debug_line,"",@progbits
.incbin "lines"
''', [])


def made_labels(rng, folder):
    """Symbols in each other, each instruction a line of its own."""
    source = '.file 1 "h.c"\n.text\n'
    for name in rng.sample('pqrstuvw', rng.randrange(2, 7)):
        start = rng.choice([0, rng.randrange(SIZE), 8])
        source += f'.set {name}, whole + {start}\n'
        source += rng.choice(['', f'.globl {name}\n', f'.weak {name}\n'])
        source += rng.choice(['', f'.type {name}, @function\n'])
        source += rng.choice(['', '', f'.size {name}, {rng.choice([1, 3, 5, 8, 20, 40])}\n'])
    source += 'whole:\n' + ''.join(f'.loc 1 {i + 1}\nnop\n' for i in range(SIZE))
    return assemble(folder, source, [['objcopy', '-N', 'whole', 'image']])


def main():
    seed, count = (int(w) for w in (sys.argv[1:3] or ['1', '60']))
    oracle.need_oracle()
    if not all(shutil.which(w) for w in ('as', 'ld', 'objcopy')):
        print('no assembler, no linker or no objcopy')
        sys.exit(oracle.SKIP)
    comparison = oracle.Comparison()
    with tempfile.TemporaryDirectory() as root:
        for number in range(seed, seed + count):
            rng = random.Random(number)
            folder = os.path.join(root, str(number))
            os.mkdir(folder)
            image = (made_labels if number % 3 == 0 else made_lines)(rng, folder)
            profiles = targets.finish(f'assembled {number}', folder, image, False).profiles
            for words in OPTIONS:
                comparison.later(words + [image, rng.choice(profiles)], folder,
                                 note=f'seed {number}')
            if number % 20 == 19:
                comparison.wait()
        comparison.finish()


main()
