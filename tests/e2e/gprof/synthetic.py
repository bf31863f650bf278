#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random images, profiles and command lines: fcgprof must print what gprof prints.

usage: synthetic.py [aarch64] SEED COUNT [FOLDER].  The same seed gives the same cases.
With `aarch64` the images are of that machine, which calls differently; the gprof to compare with
is the one for it.
"""
import os
import random
import shutil
import sys
import tempfile

import gmonfile
import oracle

NAMES = ['main', 'f', 'g', 'alpha', 'beta', '_start', '__x', '_init', 'a_b', 'x_', 'mcount',
         '_mcount', '__mcount', '_ZN3foo3barEi', '_ZNSt6vectorIiSaIiEE9push_backERKi', '_Z1fv',
         'f.0', 'f.constprop.0', 'f.part.0', 'g.clone.2', 'f.constprop.1.2', 'h.isra.0', 'a.b',
         '$x', 'p$q', 'dot.', '.L1', '_R', '_RNvC6_123foo3bar', 'long_name_that_takes_much_room',
         'another_very_long_function_name_that_does_not_fit_into_any_column_of_the_index',
         '__gnu_compiled_c', 'etext', 'x@@V1', 'q@plt', '.weird', '9digit', 'f.12', '_Z1gi@@V2',
         '_ZL5localv', '_GLOBAL__sub_I_main', 'z']


EM_386, EM_X86_64, EM_AARCH64 = 3, 62, 183


def arm_text(rng, size):
    """Instructions: some jump (B), some call (BL), forwards or backwards."""
    words = [rng.choice([0xd503201f, 0x14000000, 0x94000000, 0x97fffffe, 0x17ffffff,
                         rng.randrange(1 << 32)]) for _ in range(size // 4)]
    for _ in range(rng.randrange(1, 12)):
        kind = rng.choice([0x14000000, 0x94000000])
        words[rng.randrange(len(words))] = kind | rng.randrange(-60, 60) & 0x3ffffff
    return b''.join(word.to_bytes(4, 'little') for word in words)


def random_image(rng, layout, path, machine):
    size = rng.choice([64, 256, 1024, 5000])
    text = bytearray(rng.choice([0x90, 0xe8, 0, rng.randrange(256)]) for _ in range(size))
    base = rng.choice([0x401000, 0x1000, 0x8048000, 0x10])
    image = gmonfile.Image(layout, bytes(text), base + (0 if base > 0x100 else 0x200),
                           machine=machine if layout.bits == 64 else EM_386)
    base = image.text_addr
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(max(1, size - 5))
        distance = rng.randrange(0, 200)
        text[at:at + 5] = b'\xe8' + distance.to_bytes(4, 'little')
    image.text = arm_text(rng, size) if machine == EM_AARCH64 else bytes(text[:size])
    n = rng.choice([1, 2, 5, 12, 30])
    masks = [3, 3, 15, 0] if machine == EM_AARCH64 else [0, 1, 15]
    addrs = sorted(rng.randrange(size) & ~rng.choice(masks) for _ in range(n))
    for number, at in enumerate(addrs):
        name = rng.choice(NAMES) if rng.random() < 0.6 else f'fn{number}'
        image.add(name, base + at, rng.choice(['func'] * 8 + ['notype', 'object', 'ifunc', 'tls']),
                  rng.choice(['global'] * 4 + ['local'] * 3 + ['weak', 'unique']),
                  rng.choice(['.text'] * 12 + ['abs']), rng.randrange(0, 40))
        if rng.random() < 0.2:
            image.add(rng.choice(NAMES), base + at, rng.choice(['func', 'notype']),
                      rng.choice(['global', 'local', 'weak']), '.text', rng.randrange(0, 40))
    if rng.random() < 0.7:
        image.add('_init', image.addresses['.init'], section='.init')
    # As in programs; without symbols behind the code gprof reads behind its tables.
    image.add('_fini', image.addresses['.fini'], section='.fini')
    image.add('data_start', image.addresses['.data'], 'notype', 'weak', '.data')
    image.add('thing', image.addresses['.data'] + 8, 'object', 'global', '.data')
    if rng.random() < 0.3:
        image.add('odd', image.addresses['.plugin'], section='.plugin', bind='local')
    for section in ('.rodata.x', '.pdata.x'):
        if rng.random() < 0.2:
            image.add('in' + section[:3], image.addresses[section], section=section)
    if rng.random() < 0.2:
        image.add('puts', 0, section='undef')
        image.add('a.c', 0, 'file', 'local', 'abs')
    rng.shuffle(image.symbols)
    image.write(path)
    return image


def random_arcs(rng, image):
    places = [s[1] for s in image.symbols] or [image.text_addr]
    low, size = image.text_addr, len(image.text)
    arcs = []
    for _ in range(rng.choice([0, 1, 3, 10, 60])):
        source = rng.choice(places) + rng.randrange(4) if rng.random() < 0.8 else \
            low + rng.randrange(-32, size + 64)
        target = rng.choice(places) if rng.random() < 0.9 else low + rng.randrange(size)
        count = rng.choice([0, 1, 1, 2, 3, 10, 1000, 123456, 0xffffffff])
        arcs.append((max(source, 0), target, count))
    return arcs


def random_bins(rng, count):
    busy = rng.random()
    return [rng.choice([1, 2, 3, 17, 65535]) if rng.random() < busy * busy else 0
            for _ in range(count)]


def random_profile(rng, image, layout, shape):
    """`shape` keeps histograms of files that are to be summed alike."""
    if shape['old']:
        return gmonfile.old_layout(layout, shape['low'], shape['high'],
                                   random_bins(rng, shape['bins']), random_arcs(rng, image),
                                   shape['rate'])
    parts = []
    for _ in range(shape['hists']):
        parts.append(gmonfile.hist(layout, shape['low'], shape['high'],
                                   random_bins(rng, shape['bins']), shape['hz'],
                                   shape['dimension'], shape['letter']))
    if shape['second']:
        span = shape['high'] - shape['low']
        parts.append(gmonfile.hist(layout, shape['high'], shape['high'] + span,
                                   random_bins(rng, shape['bins']), shape['hz'],
                                   shape['dimension'], shape['letter']))
    if shape['arcs']:
        parts += [gmonfile.arc(layout, *a) for a in random_arcs(rng, image)]
    if shape['blocks']:
        places = [image.text_addr + rng.randrange(len(image.text)) for _ in range(5)]
        counts = [(rng.choice(places), rng.randrange(5)) for _ in range(rng.randrange(8))]
        if shape['version'] == 0:
            parts.append(gmonfile.blocks_v0(layout, b'file.c', counts))
        else:
            parts.append(gmonfile.blocks(layout, counts))
    rng.shuffle(parts)
    return gmonfile.header(layout, shape['version']) + b''.join(parts)


def random_shape(rng, image):
    size = len(image.text)
    low = image.text_addr - rng.choice([0, 0, 0, 0x100, 16])
    high = image.text_addr + rng.choice([size, size, size + 64, size // 2 + 2])
    return {'old': rng.random() < 0.15, 'low': max(low, 0), 'high': high,
            'bins': rng.choice([max(1, (high - low) // 2), max(1, (high - low) // 4),
                                max(1, (high - low) // 8), 7, 1, max(1, (high - low) // 16)]),
            'rate': rng.choice([None, 100, 128]), 'hists': rng.choice([0, 1, 1, 1, 1, 2]),
            'second': rng.random() < 0.15, 'hz': rng.choice([100, 100, 1000, 1, 1000000]),
            'dimension': rng.choice([b'seconds'] * 6 + [b'cache-misses', b'ticks']),
            'letter': rng.choice([b's', b's', b't']), 'arcs': rng.random() < 0.9,
            'blocks': rng.random() < 0.2, 'version': rng.choice([1, 1, 1, 0])}


def random_spec(rng, image, arcs=False):
    names = [s[0] for s in image.symbols if s[0]] + ['nosuch', 'main']
    spec = rng.choice(names)
    spec = rng.choice([spec] * 6 + ['file.c', ':' + spec, 'x.c:' + spec, '12', 'x.c:5'])
    if arcs:
        spec += '/' + rng.choice([rng.choice(names), '', ''])
    return spec


FLAGS = ['-a', '-b', '-c', '-D', '-i', '-l', '-L', '-T', '-x', '-z', '-p', '-q', '-C', '-A', '-r',
         '-P', '-Q', '-J', '-Z', '-B', '--no-demangle', '--demangle', '--inline-file-names',
         '--demangle=gnu-v3', '--line', '--brief', '--static-call-graph', '--trad', '--graph',
         '--flat', '--no-flat', '--exec', '-d1']


def random_options(rng, image, shape):
    options = ['-b'] if rng.random() < 0.97 else ['-bz']
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5])):
        options.append(rng.choice(FLAGS))
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 3])):
        letter = rng.choice('pPqQCZAJnNeEfFkqQk')
        joined = letter in 'pPqQCZAJ' or rng.random() < 0.5
        value = random_spec(rng, image, letter == 'k' or (letter in 'qQ' and rng.random() < 0.4))
        options += ['-' + letter + value] if joined else ['-' + letter, value]
    if rng.random() < 0.1:
        options += ['-w', rng.choice(['40', '132', '1', '0', 'x', '200'])]
    if rng.random() < 0.05:
        options += [rng.choice(['-Oa', '-Omagic', '-Oprof', '-Oxyz'] +
                               (['-Ob', '-O4.4bsd'] if shape['old'] else []))]
    if image.machine == EM_AARCH64:
        # With -c gprof reads freed memory then.
        options = [o for o in options if o not in ('-l', '--line')]
    return options


def case(rng, folder, comparison, machine):
    layout = gmonfile.Layout()
    if machine == EM_X86_64:
        layout = gmonfile.Layout(rng.choice([64, 64, 64, 32]), rng.random() < 0.15)
    image = random_image(rng, layout, os.path.join(folder, 'image'), machine)
    shape = random_shape(rng, image)
    names = []
    for number in range(rng.choice([1, 1, 1, 2, 3])):
        data = random_profile(rng, image, layout, shape)
        if rng.random() < 0.04:
            data = data[:rng.randrange(len(data) + 1)]
        if rng.random() < 0.02:
            data += bytes([rng.randrange(256)])
        names.append(f'gmon.{number}')
        with open(os.path.join(folder, names[-1]), 'wb') as out:
            out.write(data)
    always = ['-c'] if machine == EM_AARCH64 else []
    for _ in range(6):
        comparison.check(always + random_options(rng, image, shape) + ['image'] + names, folder)


def main():
    words, machine = sys.argv[1:], EM_X86_64
    if words[0] == 'aarch64':
        del words[0]
        machine = EM_AARCH64
        oracle.GPROF = shutil.which('aarch64-linux-gnu-gprof') or ''
    oracle.need_oracle()
    if machine == EM_AARCH64 and oracle.has_other_static_calls(['-c']):
        print('this gprof has another -c, which is what differs between machines')
        sys.exit(oracle.SKIP)
    seed, count = int(words[0]), int(words[1])
    comparison = oracle.Comparison()
    if len(words) > 2:  # leave the case's files in that folder
        case(random.Random(seed), words[2], comparison, machine)
        comparison.finish()
    for number in range(seed, seed + count):
        before = len(comparison.failed)
        with tempfile.TemporaryDirectory() as folder:
            case(random.Random(number), folder, comparison, machine)
        if len(comparison.failed) > before:
            print('  seed', number)
    comparison.finish()


main()
