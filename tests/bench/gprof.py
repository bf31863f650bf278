#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcgprof's speed beside GNU gprof's, on the same files; run by meson test --benchmark.

usage: gprof.py graph|sum.  graph: 50,000 functions and a gmon.out of 1,000,000 arcs;
sum: 1,000 gmon.out files of a program with 2,000 functions.  Prints the least time of
the runs of each and their ratio; fails only where the outputs differ.
"""
import os
import random
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'e2e', 'gprof'))

import gmonfile  # noqa: E402
import oracle  # noqa: E402

BASE, FUNCTION_BYTES, RUNS = 0x401000, 32, 1


def write(path, data):
    with open(path, 'wb') as out:
        out.write(data)


def make_image(folder, n_functions):
    image = gmonfile.Image(gmonfile.Layout(), bytes([0x90]) * (n_functions * FUNCTION_BYTES), BASE)
    for i in range(n_functions):
        image.add(f'function_number_{i}', BASE + i * FUNCTION_BYTES, size=FUNCTION_BYTES)
    image.add('_fini', image.addresses['.fini'], section='.fini')
    image.write(os.path.join(folder, 'image'))


def profile(rng, n_functions, n_arcs):
    layout = gmonfile.Layout()
    bins = [rng.choice((0, 0, 0, 1)) for _ in range(n_functions * FUNCTION_BYTES // 4)]
    parts = [gmonfile.header(layout),
             gmonfile.hist(layout, BASE, BASE + n_functions * FUNCTION_BYTES, bins)]
    for _ in range(n_arcs):
        # Mostly from lower to higher numbers, so that not all is one cycle.
        a, b = sorted((rng.randrange(n_functions), rng.randrange(n_functions)))
        if rng.random() < 0.0001:
            a, b = b, a
        parts.append(gmonfile.arc(layout, BASE + a * FUNCTION_BYTES + 5, BASE + b * FUNCTION_BYTES,
                                  rng.randrange(1, 100)))
    return b''.join(parts)


def measure(tool, args, folder):
    """(CPU seconds, output) of the quickest of some runs."""
    best, text = None, b''
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([tool] + args, cwd=folder, stdout=subprocess.PIPE, check=False,
                              timeout=1200)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if best is None or spent < best:
            best, text = spent, done.stdout
    return best, text


def main():
    oracle.need_oracle()
    rng = random.Random(1)
    what = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        if what == 'graph':
            make_image(folder, 50000)
            write(os.path.join(folder, 'gmon.out'), profile(rng, 50000, 1000000))
            args = ['-b', 'image', 'gmon.out']
        else:
            make_image(folder, 2000)
            names = [f'gmon.{i}' for i in range(1000)]
            some = [profile(rng, 2000, 2000) for _ in range(10)]
            for number, name in enumerate(names):
                write(os.path.join(folder, name), some[number % 10])
            args = ['-b', 'image'] + names
        theirs, expected = measure(oracle.GPROF, args, folder)
        ours, found = measure(oracle.FCGPROF, args, folder)
    print(f'{what}: gprof {theirs:.2f} s, fcgprof {ours:.2f} s of CPU, ratio {ours / theirs:.2f}')
    if expected != found:
        print('the outputs differ')
        sys.exit(1)


main()
