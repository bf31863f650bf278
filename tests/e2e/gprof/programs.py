#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs built with -pg, every option and random combinations of them: fcgprof
must print and write what gprof does.

usage: programs.py [SEED COUNT [long [FOLDER]]].  COUNT random command lines; `long`
builds many more variants of the programs and tries all options with each, not a part.
FOLDER keeps what was built.  Seeds other than 0 leave the fixed command lines out.

Some hundreds of command lines, each given to both programs; the suite `slow` has others.  Of the time two thirds are these
two's, a fifth the compilers'; the number is what shows that both agree.
"""
import os
import pickle
import random
import sys
import tempfile

import choices
import oracle
import targets


def every_option(target):
    """Each option by itself, short and long, with each form of its value."""
    lines = choices.source_lines(target)
    file, line = lines[len(lines) // 2] if lines else ('chain.c', '12')
    names = [s[2] for s in target.symbols]
    name = names[len(names) // 2] if names else 'main'
    for letter in choices.FLAGS:
        yield ['-' + letter]
        yield ['-b' + letter + 'l']
        if letter in choices.LONG_FLAGS:
            yield ['--' + choices.LONG_FLAGS[letter]]
    for letter, long_name in choices.STYLES:
        for value in ('', name, file, f'{file}:{name}', f'{file}:{line}', ':' + name):
            yield ['-b', '-' + letter + value]
            yield ['-b', '-l', f'--{long_name}' + ('=' + value if value else '')]
    for letter in 'nNeEfF':
        for value in (name, 'main', f'{file}:{line}', file):
            yield ['-b', '-' + letter, value]
            yield ['-bl', '-' + letter + value]
    for value in (f'main/{name}', f'/{name}', f'{name}/', f'{file}/{file}', 'main/main'):
        for option in ('-k', '-q', '-Q'):
            yield ['-b', option + value]
    for style in choices.STYLE_NAMES:
        yield ['-b', '--demangle=' + style]
    for words in (['--demangle'], ['--no-demangle'], ['-l', '--no-demangle'],
                  ['--inline-file-names'], ['--inline-file-names', '-L'], ['-A', '-x'],
                  ['-A', '-l', '-x'], ['-A', '-y'], ['-A', '-t', '3'], ['-A', '-m', '5'],
                  ['-C', '-z'], ['-C', '-l'], ['-C', '-l', '-z'], ['-z', '-c'],
                  ['-R', target.map_file], ['-a', '-R', target.map_file],
                  ['-S', target.symbol_list], ['-l', '-S', target.symbol_list],
                  ['-T', '-l'], ['-T', '-z'], ['-w', '40'], ['-w', '200'], ['-A', '-I', '.'],
                  ['-A', '-I', target.sources]):
        yield ['-b'] + words


def check_every_option(comparison, target, start, step):
    """One in `step` of the options, from number `start` on."""
    for number, words in enumerate(every_option(target)):
        if number % step != start % step:
            continue
        profile = target.profiles[number % len(target.profiles)]
        comparison.later(words + [target.image, profile], target.folder)
    comparison.later(['-b'], target.folder)
    comparison.later(['-bl', '-s', target.image] + target.profiles, target.folder)
    comparison.later(['-b', 'a.out', '-'], target.folder, stdin=target.profiles[0])
    comparison.later(['-b', '-A'], target.folder, env={'GPROF_PATH': target.sources + ':/'})
    comparison.wait()


def check_random(comparison, built, seed, count, is_long):
    # With -l both programs take 0.2 s for an image that has the C library within, for another 5 ms.
    often = built if is_long else [t for t in built if not t.is_static] * 6 + built
    for number in range(seed, seed + count):
        rng = random.Random(number)
        target = rng.choice(often)
        comparison.later(choices.command(rng, target), target.folder, note=f'seed {number}')
        if number % 500 == 499:
            comparison.wait()
    comparison.wait()


def prepare(root, is_long):
    saved = os.path.join(root, 'built.pickle')
    if os.path.exists(saved):
        with open(saved, 'rb') as data:
            return pickle.load(data)
    built = targets.build_all(root, is_long)
    for target in built:
        choices.prepare(target, targets.PROGRAMS)
    with open(saved, 'wb') as out:
        pickle.dump(built, out)
    return built


def compare(root, seed, count, is_long):
    comparison = oracle.Comparison(40 if is_long else 10)
    built = prepare(root, is_long)
    if not built:
        print('no target could be built')
        sys.exit(oracle.SKIP)
    comparison.learn_blurbs(built[0].folder, built[0].image, built[0].profiles[0])
    for number, target in enumerate(built):
        before = len(comparison.failed)
        if seed == 0:
            check_every_option(comparison, target, number,
                               1 if is_long else 27 if target.is_static else 9)
        if len(comparison.failed) > before:
            print('    target', target.name)
    check_random(comparison, built, seed, count, is_long)
    comparison.finish()


def main():
    oracle.need_oracle()
    seed, count = (int(w) for w in (sys.argv[1:3] or ['0', '150']))
    is_long = 'long' in sys.argv[3:4]
    if len(sys.argv) > 4:
        os.makedirs(sys.argv[4], exist_ok=True)
        compare(os.path.abspath(sys.argv[4]), seed, count, is_long)
    with tempfile.TemporaryDirectory() as root:
        compare(root, seed, count, is_long)


main()
