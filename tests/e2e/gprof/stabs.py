#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged and disordered stabs: lines that are out of order, functions without an end, strings
behind the table.  fcgprof must find in them what gprof finds.

usage: stabs.py [SEED COUNT].  The same seed gives the same cases.
"""
import os
import random
import shutil
import struct
import sys
import tempfile

import oracle
import targets

STAB = struct.Struct('<IBBHI')  # string, type, other, description, value
TYPES = [0x24, 0x44, 0x46, 0x48, 0x64, 0x84, 0x80, 0x24, 0x44]
OPTIONS = [['-bl'], ['-b', '-C', '-l'], ['-b', '-A'], ['-b', '-l', '-p', '-L', '-z'], ['-b', '-C']]


def damage(rng, stabs):
    strings, values = [s[0] for s in stabs], [s[4] for s in stabs]
    for _ in range(rng.choice([1, 3, 10, 50, len(stabs) // 3])):
        at, other = (rng.randrange(1, len(stabs)) for _ in range(2))
        string, kind, rest, text, value = stabs[at]
        change = rng.randrange(8)
        if change == 0:
            stabs[at], stabs[other] = stabs[other], stabs[at]
            continue
        if change == 1:
            stabs.insert(other, stabs.pop(at))
            continue
        if change == 2:
            kind = rng.choice(TYPES)
        elif change == 3:
            value = rng.choice(values)
        elif change == 4:
            value = (value + rng.randrange(-20, 20)) & 0xffffffff
        elif change == 5:
            string = rng.choice(strings + [0, 0])
        elif change == 6:
            text = rng.choice([0, 1, 5, 70, 65535])
        elif rng.random() < 0.1:
            string = rng.choice([0x7fffffff, 0xffffffff, 0x10000])
        stabs[at] = (string, kind, rest, text, value)


def damaged(rng, target, folder):
    """A copy of the image whose .stab section is damaged."""
    os.mkdir(folder)
    section, image = os.path.join(folder, 'stab'), os.path.join(folder, 'image')
    good, err = targets.call(['objcopy', '--dump-section', '.stab=' + section, target.image,
                              image], folder)
    if good:
        with open(section, 'rb') as data:
            stabs = list(STAB.iter_unpack(data.read()))
        damage(rng, stabs)
        targets.write(section, b''.join(STAB.pack(*stab) for stab in stabs))
        good, err = targets.call(['objcopy', '--update-section', '.stab=' + section, target.image,
                                  image], folder)
    if not good:
        sys.exit(err)
    return image


def main():
    seed, count = (int(w) for w in (sys.argv[1:3] or ['1', '40']))
    oracle.need_oracle()
    if not shutil.which('gcc') or not shutil.which('objcopy'):
        print('no gcc or no objcopy')
        sys.exit(oracle.SKIP)
    comparison = oracle.Comparison()
    with tempfile.TemporaryDirectory() as root:
        built = [targets.build(name, root) for name in
                 ('labels-stabs', 'tricks-stabs', 'inlined-stabs', 'chain-stabs')]
        for number in range(seed, seed + count):
            rng = random.Random(number)
            target = rng.choice(built)
            folder = os.path.join(root, str(number))
            image = damaged(rng, target, folder)
            for words in OPTIONS:
                comparison.later(words + [image, rng.choice(target.profiles[1:])], folder,
                                 note=f'seed {number}')
            comparison.wait()
        comparison.finish()


main()
