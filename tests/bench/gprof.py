#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcgprof's speed beside GNU gprof's, on the same files; run by meson test --benchmark.

usage: gprof.py graph|cycle|sum [full].  graph: 50,000 functions and a gmon.out of
1,000,000 arcs, with hundreds of small cycles.  cycle: the same size, but most functions
are in one cycle; gprof goes through all its members for each arc that closes a part of it,
so it is stopped after LIMIT_S (unless `full`: it took 16 minutes), which gives a bound, and a
tenth of the arcs of a twentieth of the functions gives the ratio.  sum: 1,000 gmon.out files of a
program with 2,000 functions.  Prints CPU seconds of each and their ratio; fails only
where the outputs differ.
"""
import hashlib
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

BASE, FUNCTION_BYTES = 0x401000, 32
LIMIT_S = 60


def write(path, data):
    with open(path, 'wb') as out:
        out.write(data)


def make_image(folder, n_functions):
    image = gmonfile.Image(gmonfile.Layout(), bytes([0x90]) * (n_functions * FUNCTION_BYTES), BASE)
    for i in range(n_functions):
        image.add(f'function_number_{i}', BASE + i * FUNCTION_BYTES, size=FUNCTION_BYTES)
    image.add('_fini', image.addresses['.fini'], section='.fini')
    image.write(os.path.join(folder, 'image'))


def profile(rng, n_functions, n_arcs, backward=0.0001):
    """Calls mostly from lower to higher numbers; `backward` is the part of the others,
    which make cycles of all that lies between."""
    layout = gmonfile.Layout()
    bins = [rng.choice((0, 0, 0, 1)) for _ in range(n_functions * FUNCTION_BYTES // 4)]
    parts = [gmonfile.header(layout),
             gmonfile.hist(layout, BASE, BASE + n_functions * FUNCTION_BYTES, bins)]

    def call(a, b):
        parts.append(gmonfile.arc(layout, BASE + a * FUNCTION_BYTES + 5, BASE + b * FUNCTION_BYTES,
                                  rng.randrange(1, 100)))
    for _ in range(n_arcs):
        a, b = sorted((rng.randrange(n_functions), rng.randrange(n_functions)))
        if rng.random() < backward:
            a, b = b, a
        call(a, b)
    if not backward:
        # Small cycles: three that call each other in turn.
        for first in range(0, n_functions - 3, 100):
            for k in range(3):
                call(first + k, first + (k + 1) % 3)
    return b''.join(parts)


def measure(tool, args, folder, limit_s=1200):
    """(CPU seconds, digest of the output), or None if it was stopped at the limit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    digest = hashlib.sha256()
    with subprocess.Popen([tool] + args, cwd=folder, stdout=subprocess.PIPE) as child:
        # The limit is one of CPU, so that a busy machine does not change what is measured.
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (limit_s, limit_s))
        while block := child.stdout.read(1 << 20):
            digest.update(block)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode < 0:
        return None
    if child.returncode != 0:
        sys.exit(f'{tool}: status {child.returncode}')
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, digest.digest()


def compare(what, args, folder, limit_s=1200):
    """Prints what each took; ends where the outputs differ."""
    ours = measure(oracle.FCGPROF, args, folder)
    theirs = measure(oracle.GPROF, args, folder, limit_s)
    if not ours:
        sys.exit(f'{what}: fcgprof was stopped')
    if not theirs:
        print(f'{what}: gprof stopped after {limit_s} s, fcgprof {ours[0]:.2f} s of CPU, '
              f'ratio below {ours[0] / limit_s:.3f}; outputs not compared')
        return
    print(f'{what}: gprof {theirs[0]:.2f} s, fcgprof {ours[0]:.2f} s of CPU, '
          f'ratio {ours[0] / theirs[0]:.3f}', flush=True)
    if ours[1] != theirs[1]:
        sys.exit(f'{what}: the outputs differ')


def compare_graph(what, folder, n_functions, n_arcs, backward, limit_s=1200):
    make_image(folder, n_functions)
    write(os.path.join(folder, 'gmon.out'), profile(random.Random(1), n_functions, n_arcs, backward))
    compare(f'{what}, {n_functions} functions, {n_arcs} arcs', ['-b', 'image', 'gmon.out'],
            folder, limit_s)


def main():
    oracle.need_oracle()
    what, is_full = sys.argv[1], 'full' in sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        if what == 'graph':
            compare_graph(what, folder, 50000, 1000000, 0)
        elif what == 'cycle':
            compare_graph(what, folder, 2500, 100000, 0.0001)
            compare_graph(what, folder, 50000, 1000000, 0.0001, 7200 if is_full else LIMIT_S)
        else:
            rng = random.Random(1)
            make_image(folder, 2000)
            names = [f'gmon.{i}' for i in range(1000)]
            some = [profile(rng, 2000, 2000) for _ in range(10)]
            for number, name in enumerate(names):
                write(os.path.join(folder, name), some[number % 10])
            compare(what, ['-b', 'image'] + names, folder)


main()
