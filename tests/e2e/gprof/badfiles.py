#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged and mismatched files, and sums of several: status, reports and gmon.sum must
be what gprof's are, and fcgprof must never crash.

usage: badfiles.py [all].  Without `all` only some places of a truncation are tried.
"""
import os
import subprocess
import sys
import tempfile

import gmonfile
import oracle

LOW, SIZE = 0x401000, 64
# What either tool does in a blink or, in two cases of each layout, gprof not in minutes.
oracle.CPU_S = 1


def write(folder, name, data):
    with open(os.path.join(folder, name), 'wb') as out:
        out.write(data)
    return name


def make_image(layout, folder, name='image'):
    image = gmonfile.Image(layout, bytes([0x90] * SIZE), LOW,
                           machine=62 if layout.bits == 64 else 3)
    for number, symbol in enumerate(('main', 'f', 'g', 'h')):
        image.add(symbol, LOW + 16 * number)
    image.add('_fini', image.addresses['.fini'], section='.fini')
    image.write(os.path.join(folder, name))
    return name


def bins(first=1, count=16):
    return [(first + i) % 5 for i in range(count)]


def arcs(layout):
    return b''.join(gmonfile.arc(layout, LOW + a, LOW + b, c)
                    for a, b, c in ((4, 16, 3), (20, 32, 5), (36, 16, 1), (2, 48, 9)))


def profiles(layout):
    """name: a sound profile of every kind."""
    head, old = gmonfile.header(layout), gmonfile.header(layout, 0)
    hist = gmonfile.hist(layout, LOW, LOW + SIZE, bins())
    blocks = [(LOW + 4 * i, i) for i in range(4)]
    calls = [(LOW + 4, LOW + 16, 3), (LOW + 20, LOW + 32, 5)]
    return {
        'tagged': head + hist + arcs(layout),
        'blocks': head + gmonfile.blocks(layout, blocks) + hist,
        'blocks0': old + gmonfile.blocks_v0(layout, b'a.c', blocks) + hist,
        'bsd': gmonfile.old_layout(layout, LOW, LOW + SIZE, bins(), calls),
        'bsd44': gmonfile.old_layout(layout, LOW, LOW + SIZE, bins(), calls, 128),
        'arcs': head + arcs(layout),
        'hist': head + hist,
        'nothing': head,
    }


def check_truncations(comparison, layout, folder, step):
    for name, data in profiles(layout).items():
        for length in range(0, len(data) + 1, step if layout.bits == 64 else 3 * step):
            if name.startswith('bsd') and length >= 20 and layout.bits == 64 and length < 24:
                continue
            cut = write(folder, f'{name}.{length}', data[:length])
            words = {'blocks': ['-bl'], 'blocks0': ['-bCl']}.get(name, ['-bi', '-p', '-q'])
            comparison.later(words + ['image', cut], folder)


def check_lies(comparison, layout, folder):
    """Numbers in a file that are not true, one after the other."""
    head = gmonfile.header(layout)
    good = gmonfile.hist(layout, LOW, LOW + SIZE, bins())
    at = 1 + 2 * layout.bits // 8
    cases = []
    for count in (0, 1, 15, 17, 1000, 1000000):
        cases.append(head + good[:at] + layout.u32(count) + good[at + 4:] + arcs(layout))
    for version in (0, 1, 2, 0x01000000, 0xffffffff):
        cases.append(gmonfile.header(layout, version) + good)
    for magic in (b'gmom', b'GMON', b'\0\0\0\0', b'\x7fELF'):
        # Taken for an old layout it would name a size that gprof takes gigabytes for.
        name = write(folder, 'magic' + magic.hex(), gmonfile.header(layout, 1, magic) + good[:60])
        comparison.later(['-b', '-Omagic', 'image', name], folder)
    for tag in (3, 4, 255):
        cases.append(head + good + bytes([tag]) + bytes(40))
    for low, high in ((LOW, LOW), (LOW + SIZE, LOW), (0, LOW + SIZE), (LOW, LOW + 1),
                      (LOW + 1, LOW + SIZE + 1), (LOW - 1000, LOW - 900), (0, 0)):
        # later gprofs credit what ends before it begins by sums that overflow, with 32 bits to other functions
        if low <= high or oracle.gprof_version() <= (2, 40):
            cases.append(head + gmonfile.hist(layout, low, high, bins()) + arcs(layout))
    # A rate of 0 makes gprof read a unit's prefix from behind its table.
    for rate in (1, 99, 0x7fffffff, 0xffffffff):
        cases.append(head + gmonfile.hist(layout, LOW, LOW + SIZE, bins(), rate) + arcs(layout))
    for dimension, letter in ((b'', b'\0'), (b'cache-misses', b'1'), (b'fifteen-letters', b'%')):
        cases.append(head + gmonfile.hist(layout, LOW, LOW + SIZE, bins(), 100, dimension,
                                          letter) + arcs(layout))
    cases.append(head + b'\2' + b'\xff\xff\x00\x00' + bytes(64))
    cases.append(head + gmonfile.blocks(layout, []) + good)
    for rate in (None, 60):
        cases.append(gmonfile.old_layout(layout, LOW + SIZE, LOW, bins(), [], rate))
        cases.append(gmonfile.old_layout(layout, LOW, LOW, bins(), [], rate))
    cases.append(gmonfile.old_layout(layout, LOW, LOW + SIZE, [], [], 60)[:-5])
    for number, data in enumerate(cases):
        name = write(folder, f'lie{number}', data)
        choices = (['-bi'], ['-bl', '-s'], ['-bT'], ['-bCz'])
        for words in (['-b'], choices[number % 4]):
            comparison.later(words + ['image', name], folder)


def check_sums(comparison, layout, folder):
    head = gmonfile.header(layout)

    def hist(low=0, size=SIZE, count=16, rate=100, dimension=b'seconds', letter=b's', first=1):
        return head + gmonfile.hist(layout, LOW + low, LOW + low + size, bins(first, count), rate,
                                    dimension, letter) + arcs(layout)
    parts = {'a': hist(), 'b': hist(first=3), 'rate': hist(rate=250), 'other': hist(low=SIZE),
             'overlap': hist(low=32), 'inside': hist(low=16, size=16, count=4),
             'scale': hist(low=SIZE, count=8), 'bins': hist(count=8),
             'dimension': hist(low=SIZE, dimension=b'minutes'),
             'letter': hist(low=SIZE, letter=b'm'), 'full': head + gmonfile.hist(
                 layout, LOW, LOW + SIZE, [65535] * 16)}
    parts.update(profiles(layout))
    for name, data in parts.items():
        write(folder, name, data)
    write(folder, 'gmon.sum', parts['tagged'])
    names = list(parts) if layout.bits == 64 and not layout.big else ['a', 'bsd44', 'blocks']
    number = 0
    for first in names:
        for second in names:
            # gprof reads a bin count of its own for each record of one range.
            if first != second and 'bins' in (first, second) and \
                    not {first, second} & {'bsd', 'bsd44'}:
                continue
            words = ['-b', '-s', '-i', 'image', first, second]
            comparison.later(words + [first] if number % 2 else words[:1] + words[3:], folder)
            number += 1
    for words in (['-s', 'image', 'gmon.sum', 'a'], ['-s', 'image', 'a', 'gmon.sum', 'gmon.sum'],
                  ['-bs', '-Omagic', 'image', 'a', 'b'], ['-bs', 'image', 'full', 'full'],
                  ['-b', '-Ob', 'image', 'bsd', 'bsd'], ['-b', '-O4', 'image', 'bsd44'],
                  ['-bs', '-Ob', 'image', 'bsd'], ['-bs', '-O4', 'image', 'bsd44', 'bsd44'],
                  ['-b', '-O4', 'image', 'bsd'], ['-b', '-Ob', 'image', 'bsd44'],
                  ['-b', '-Om', 'image', 'bsd'], ['-b', '-Op', 'image', 'a'],
                  ['-b', 'image'] + ['a'] * 40, ['-b', 'image', 'a', 'missing'],
                  ['-bi', 'image', 'a', 'missing', 'b'], ['-bs', 'image', 'blocks', 'blocks0']):
        comparison.later(words, folder)


def check_images(comparison, layout, folder):
    write(folder, 'good', profiles(layout)['tagged'])
    write(folder, 'text', b'hello\n' * 50)
    write(folder, 'empty', b'')
    write(folder, 'elfhead', b'\x7fELF' + bytes(60))
    with open(os.path.join(folder, 'image'), 'rb') as data:
        whole = data.read()
    for length in (1, 4, 16, 52, 64, 100, len(whole) // 2, len(whole) - 64, len(whole) - 1):
        write(folder, f'image.{length}', whole[:length])
        comparison.later(['-b', f'image.{length}', 'good'], folder)
    os.makedirs(os.path.join(folder, 'directory'), exist_ok=True)
    subprocess.run(['ar', 'rc', 'archive.a', 'image'], cwd=folder, check=False)
    for image in ('text', 'empty', 'elfhead', 'directory', 'archive.a', 'good', 'missing',
                  'gmon.out', '-', '/dev/null'):
        comparison.later(['-b', image, 'good'], folder)
    for profile in ('image', 'directory', 'empty', '/dev/null', '-'):
        comparison.later(['-b', 'image', profile], folder)
    comparison.later(['-b'], folder)
    comparison.later(['-b', 'image'], folder)
    comparison.later(['-b', 'image', '-'], folder, stdin=os.path.join(folder, 'good'))
    comparison.later(['-b', 'image', '-', '-'], folder, stdin=os.path.join(folder, 'good'))
    for words in (['-R', 'missing'], ['-S', 'missing'], ['-S', 'empty'], ['-R', 'empty'],
                  ['-r', '-R', 'empty'], ['@missing'], ['@words'], ['-w'], ['-O'], ['-Oz'],
                  ['--demangle=bogus'], ['-S', 'text'], ['-R', 'text'], ['-R', 'directory']):
        write(folder, 'words', b'-p -z "-P"main \'--no-\'graph\n')
        comparison.later(['-b'] + words + ['image', 'good'], folder)


def main():
    oracle.need_oracle()
    comparison = oracle.Comparison()
    step = 1 if 'all' in sys.argv[1:] else 7
    with tempfile.TemporaryDirectory() as root:
        for layout in (gmonfile.Layout(64), gmonfile.Layout(32), gmonfile.Layout(64, True)):
            folder = os.path.join(root, f'{layout.bits}-{layout.big}')
            for check in (lambda f, l=layout: check_truncations(comparison, l, f, step),
                          lambda f, l=layout: check_lies(comparison, l, f),
                          lambda f, l=layout: check_sums(comparison, l, f),
                          lambda f, l=layout: check_images(comparison, l, f)):
                os.makedirs(folder)
                make_image(layout, folder)
                check(folder)
                comparison.wait()
                folder += '+'
    comparison.finish()


main()
