#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Line programs and functions written by hand: rows out of order, sequences that overlap or have
no end, odd headers, names by way of other entries, units that do not state where they are, and
made-up mixtures of it all.  fcgprof must find in them what gprof finds.

usage: elflines.py [SEED COUNT].  The same seed gives the same mixtures.
"""
import os
import random
import struct
import sys
import tempfile

import gmonfile
import oracle
import targets

START, TEXT_BYTES = 0x1000, 0x200
END_SEQUENCE = b'\0\1\1'
OPERANDS = bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])  # of the standard opcodes
TAGS = {'unit': 0x11, 'function': 0x2e, 'inlined': 0x1d, 'entry': 0x03, 'block': 0x0b}
ATTRIBUTES = {'name': 3, 'linkage': 0x6e, 'origin': 0x31, 'specification': 0x47, 'low': 0x11,
              'high': 0x12, 'language': 0x13, 'lines': 0x10, 'folder': 0x1b}
FORMS = {'name': 0x08, 'linkage': 0x08, 'folder': 0x08, 'origin': 0x10, 'specification': 0x10,
         'low': 0x01, 'high': 0x01, 'language': 0x0b, 'lines': 0x17}
OPTIONS = [['-b', '-l', '-p', '-z', '-L'], ['-b', '-C', '-z', '-L'], ['-b', '-C', '-l', '-z']]


def uleb(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def sleb(value):
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value & 127])


def set_address(offset):
    return b'\0\x09\2' + struct.pack('<Q', START + offset)


def sequence(rows, end=None):
    """Rows of offset, line and perhaps file; without `end` the sequence has none."""
    out, last = b'', 1
    for offset, line, *file in rows:
        out += b''.join(b'\4' + uleb(f) for f in file) + set_address(offset)
        out += b'\3' + sleb(line - last) + b'\1'
        last = line
    return out + (set_address(end) + END_SEQUENCE if end is not None else b'')


def program(code, version=4, dirs=('/d', 'sub'), files=(('a.c', 0), ('b.c', 1)), line_range=12,
            opcode_base=13, min_inst=1, excess=0):
    """A line program with its header, whose stated length exceeds the true one by `excess`."""
    if version < 5:
        tables = b''.join(d.encode() + b'\0' for d in dirs) + b'\0'
        tables += b''.join(n.encode() + b'\0' + bytes([d, 0, 0]) for n, d in files) + b'\0'
    else:
        tables = b'\1\1\x08' + uleb(len(dirs)) + b''.join(d.encode() + b'\0' for d in dirs)
        tables += b'\2\1\x08\2\x0b' + uleb(len(files))
        tables += b''.join(n.encode() + b'\0' + bytes([d]) for n, d in files)
    header = bytes([min_inst]) + b'\1' * (version >= 4) + b'\1\xfd'
    header += bytes([line_range, opcode_base]) + OPERANDS[:opcode_base - 1]
    header += bytes(max(0, opcode_base - 13)) + tables
    body = struct.pack('<H', version) + (b'\x08\0' if version >= 5 else b'')
    body += struct.pack('<I', len(header) + excess) + header + code
    return struct.pack('<I', len(body)) + body


class Debugging:
    """.debug_info, .debug_abbrev and .debug_line, made unit by unit."""

    def __init__(self):
        self.info, self.lines = bytearray(), b''
        self.shapes, self.places, self.gaps = {}, {}, []

    def _entry(self, tag, label, attributes, kids=()):
        self.places[label] = len(self.info)
        shape = (TAGS[tag], bool(kids), tuple(name for name, _ in attributes))
        self.info += uleb(self.shapes.setdefault(shape, len(self.shapes) + 1))
        for name, value in attributes:
            form = FORMS[name]
            if form == 0x08:
                self.info += value.encode() + b'\0'
            elif form == 0x10:
                self.gaps.append((len(self.info), value))
                self.info += bytes(4)
            else:
                self.info += struct.pack({0x01: '<Q', 0x0b: '<B', 0x17: '<I'}[form], value)
        for kid in kids:
            self._entry(*kid)
        if kids:
            self.info.append(0)

    def add(self, entries, lines, attributes=(('language', 1), ('folder', '/c')), span=None):
        start = len(self.info)
        self.info += bytes(11)
        attributes = list(attributes) + [('lines', len(self.lines))]
        if span:
            attributes += [('low', START + span[0]), ('high', START + span[1])]
        self._entry('unit', None, attributes, entries)
        self.info[start:start + 11] = struct.pack('<IHIB', len(self.info) - start - 4, 3, 0, 8)
        self.lines += lines

    def sections(self):
        abbreviations = b''
        for (tag, has_kids, names), code in self.shapes.items():
            abbreviations += uleb(code) + bytes([tag, has_kids])
            abbreviations += b''.join(bytes([ATTRIBUTES[n], FORMS[n]]) for n in names) + b'\0\0'
        for at, label in self.gaps:
            self.info[at:at + 4] = struct.pack('<I', self.places[label])
        return {'.debug_info': bytes(self.info), '.debug_abbrev': abbreviations + b'\0',
                '.debug_line': self.lines}


def write_image(folder, name, debugging, symbols):
    layout = gmonfile.Layout()
    path = os.path.join(folder, name)
    image = gmonfile.Image(layout, b'\x90' * TEXT_BYTES, START)
    for symbol in symbols:
        image.add(*symbol)
    image.write(path)
    words = ['objcopy']
    for section, data in debugging.sections().items():
        words += ['--add-section', section + '=' +
                  targets.write(f'{path}{section}', data)]
    good, err = targets.call(words + [path], folder)
    if not good:
        sys.exit(err)
    return path


def names():
    """Functions at 0x10 that get their names in all the ways there are."""
    here = [('low', START + 0x10), ('high', START + 0x20)]
    for first in ('origin', 'specification'):
        for second in ('origin', 'specification'):
            for kind in ('name', 'linkage'):
                base = ('function', 'a', [(kind, 'A')])
                for middle in ([(second, 'a')], [(second, 'a'), ('name', 'B')],
                               [('name', 'B'), (second, 'a')]):
                    yield [base, ('function', 'b', middle),
                           ('function', 'c', [(first, 'b')] + here)]
    for kind in ('name', 'linkage'):
        for own in ([(kind, '')], [(kind, ''), ('name', 'N')], [('name', 'N'), (kind, '')]):
            yield [('function', 'c', own + here)]
            yield [('function', 'a', own), ('function', 'c', [('origin', 'a')] + here)]
            yield [('function', 'a', own), ('inlined', 'c', [('name', 'N'), ('origin', 'a')] + here)]


def programs():
    """Line programs that no sound compiler writes, and headers that few do."""
    good = sequence([(0x10, 1), (0x20, 2), (0x30, 3)], 0x40)
    for rows in ([0x20, 0x10], [0x20, 0x10, 0x30], [0x20, 0x10, 0x8], [0x10, 0x20, 0x30, 0x18],
                 [0x10, 0x20, 0x30, 0x8], [0x10, 0x20, 0x30, 0x20], [0x10, 0x20, 0x30, 0x10],
                 [0x10, 0x30, 0x20, 0x24, 0x20], [0x20, 0x24, 0x28, 0x10, 0x14, 0x18]):
        for end in (0x40, 0x18, None):
            yield program(sequence([(a, n + 1) for n, a in enumerate(rows)], end))
    for code in (good + sequence([(0x50, 1), (0x60, 2), (0x70, 3)]), good + b'\0', b'\0\0' + good,
                 b'\0\5\x99abcd' + good, b'\0\3\x80xx' + good, b'\0\2\4\7' + good, good + b'\6',
                 b'\0\5\2' + good, good + sequence([(0x18, 5), (0x20, 6)], 0x28),
                 good + sequence([(0x38, 5), (0x44, 6)], 0x50)):
        yield program(code)
    for version in (2, 3, 4, 5):
        for excess in (0, 1, -4, 100000):
            yield program(good, version, excess=excess)
        for dirs, files in (((), (('a.c', 0), ('b.c', 0))), (('', '/d'), (('a.c', 0), ('', 1))),
                            (('/d', 'e'), (('../a.c', 2), ('/abs.c', 1), ('b.c', 9)))):
            yield program(sequence([(8 * n, n + 1, n) for n in range(5)], 0x28), version, dirs,
                          files)
        for base, span, step in ((10, 12, 1), (13, 1, 1), (20, 255, 2)):
            yield program(set_address(0) + bytes(range(21, 70, 7)) + b'\2\4\1\x08\1\2\4' +
                          END_SEQUENCE, version, opcode_base=base, line_range=span, min_inst=step)


def mixture(rng):
    """Units side by side, their functions, and rows that reach beyond them."""
    debugging, labels = Debugging(), []
    n_units = rng.choice([1, 2, 3])
    size = TEXT_BYTES // n_units
    for unit in range(n_units):
        low = unit * size
        entries = [entry(rng, f'{unit}', low, size, labels, 0) for _ in range(rng.randrange(5))]
        code = b''
        for _ in range(rng.choice([1, 1, 2, 3])):
            rows = sorted(low + rng.randrange(size) for _ in range(rng.randrange(1, 6)))
            if rng.random() < 0.2:
                rng.shuffle(rows)
            end = rng.choice([max(rows) + rng.randrange(1, 60)] * 6 + [None])
            code += sequence([(a, rng.randrange(1, 50), rng.choice([1, 2])) for a in rows], end)
        attributes = [('folder', rng.choice(['/c', '/c', 'rel', '']))] * rng.randrange(2)
        attributes += [('language', rng.choice([1, 2, 4, 0xc, 0x1a, 0x21]))] * rng.randrange(2)
        debugging.add(entries, program(code, rng.choice([2, 3, 4, 5]), files=(
            ('a.c', 0), ('b.c', 1), ('c.c', 1))), attributes,
            rng.choice([(low, low + size), (low, low + size), None, (low + 16, low + 32)]))
    return debugging


def entry(rng, prefix, low, size, labels, depth):
    attributes = []
    if labels and rng.random() < 0.4:
        attributes.append((rng.choice(['origin', 'specification']), rng.choice(labels)))
    if rng.random() < 0.6:
        attributes.append(('name', rng.choice('fghi')))
    if rng.random() < 0.3:
        attributes.insert(rng.randrange(len(attributes) + 1), ('linkage', rng.choice('FGHI')))
    if rng.random() < 0.8:
        start = START + low + rng.randrange(0, size, 8)
        attributes += [('low', start), ('high', start + rng.choice([8, 16, 40, 100]))]
    label = f'{prefix}.{len(labels)}'
    labels.append(label)
    kids = [entry(rng, prefix, low, size, labels, depth + 1)
            for _ in range(rng.randrange(3) if depth < 3 else 0)]
    return rng.choice(['function', 'function', 'inlined', 'entry', 'block']), label, attributes, kids


def main():
    seed, count = (int(w) for w in (sys.argv[1:3] or ['1', '40']))
    oracle.need_oracle()
    layout = gmonfile.Layout()
    comparison = oracle.Comparison()
    last = ('last', START + TEXT_BYTES - 1, 'notype', 'weak')
    with tempfile.TemporaryDirectory() as root:
        profile = targets.write(os.path.join(root, 'profile'), gmonfile.header(layout) +
                                gmonfile.hist(layout, START, START + TEXT_BYTES - 64,
                                              [i % 7 + 1 for i in range(TEXT_BYTES // 2 - 32)]) +
                                gmonfile.arc(layout, START + 40, START + 8, 3))

        def check(name, debugging, symbols):
            image = write_image(root, name, debugging, symbols + [last])
            for words in OPTIONS:
                comparison.later(words + [image, profile], root, note=name)

        whole = program(sequence([(4 * n, n + 10) for n in range(TEXT_BYTES // 4)], TEXT_BYTES))
        for number, entries in enumerate(names()):
            for language in (1, 4):
                debugging = Debugging()
                debugging.add(entries, whole, [('language', language)], (0, TEXT_BYTES))
                check(f'names{number}.{language}', debugging, [('all', START)])
        for number, lines in enumerate(programs()):
            debugging = Debugging()
            debugging.add((), lines, span=(0, TEXT_BYTES))
            check(f'program{number}', debugging, [('all', START)])
        for number in range(seed, seed + count):
            rng = random.Random(number)
            symbols = [(f's{n}', START + 8 * rng.randrange(TEXT_BYTES // 8),
                        rng.choice(['func', 'func', 'notype']), 'global', '.text',
                        rng.choice([0, 8, 64])) for n in range(rng.randrange(1, 7))]
            check(f'mixture{number}', mixture(rng), symbols)
        comparison.finish()


main()
