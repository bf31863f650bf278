# SPDX-License-Identifier: GPL-3.0-or-later
"""Random command lines of gprof for a target: every option, in every spelling."""
import os
import subprocess

FLAGS = ['a', 'b', 'B', 'c', 'D', 'i', 'l', 'L', 'r', 's', 'T', 'x', 'y', 'z']
# Options whose value is optional: letter, long name, tables it fills.
STYLES = [('p', 'flat-profile'), ('P', 'no-flat-profile'), ('q', 'graph'), ('Q', 'no-graph'),
          ('A', 'annotated-source'), ('J', 'no-annotated-source'), ('C', 'exec-counts'),
          ('Z', 'no-exec-counts')]
LONG_FLAGS = {'a': 'no-static', 'b': 'brief', 'c': 'static-call-graph',
              'D': 'ignore-non-functions', 'i': 'file-info', 'l': 'line', 'L': 'print-path',
              'r': 'function-ordering', 's': 'sum', 'T': 'traditional', 'x': 'all-lines',
              'y': 'separate-files', 'z': 'display-unused-functions'}
LONG_VALUES = {'I': 'directory-path', 'm': 'min-count', 't': 'table-length', 'w': 'width',
               'n': 'time', 'N': 'no-time', 'O': 'file-format', 'R': 'file-ordering',
               'S': 'external-symbol-table'}
LONG_NAMES = (list(LONG_FLAGS.values()) + list(LONG_VALUES.values()) + [s[1] for s in STYLES] +
              ['demangle', 'no-demangle', 'inline-file-names', 'debug', 'help', 'version'])
STYLE_NAMES = ['none', 'auto', 'gnu-v3', 'java', 'gnat', 'dlang', 'rust', 'gnu', 'lucid', '']


def source_lines(target):
    """(file, line) pairs of an image's line table, as objdump decodes it."""
    if getattr(target, 'lines', None) is None:
        text = subprocess.run(['objdump', '--dwarf=decodedline', target.image],
                              capture_output=True, text=True, errors='replace',
                              check=False).stdout
        rows = {tuple(line.split()[:2]) for line in text.splitlines()
                if len(line.split()) >= 3 and line.split()[1].isdigit()}
        target.lines = sorted(r for r in rows if '/' not in r[0])[:5000]
        target.lines = target.lines or disassembled_lines(target)
    return target.lines


def disassembled_lines(target):
    """The same from a disassembly, for debugging information other than DWARF."""
    text = subprocess.run(['objdump', '-dl', target.image], capture_output=True, text=True,
                          errors='replace', check=False).stdout
    rows = {(os.path.basename(file), line) for file, colon, line in
            (row.rpartition(':') for row in text.splitlines()) if file[:1] == '/' and
            line.isdigit()}
    return sorted(rows)[:5000]


def spec(rng, target):
    """One symbol specification."""
    names = [s[2] for s in target.symbols]
    lines = source_lines(target)
    name = rng.choice(names) if names and rng.random() < 0.93 else 'nosuch'
    if rng.random() < 0.3:
        name = 'main'
    file, line = rng.choice(lines) if lines else ('chain.c', '12')
    return rng.choice([name] * 12 + [file, file, ':' + name, f'{file}:{name}', f'{file}:{name}',
                       f'{file}:{line}', f'{file}:{line}', line, ':' + line, 'other.c', 'odd:',
                       file + ':', '', ':', name + ':', f'{file}:{line}x', '0', 'a:b:' + name])


def arc_spec(rng, target):
    left = spec(rng, target) if rng.random() < 0.8 else ''
    right = spec(rng, target) if rng.random() < 0.8 else ''
    return left + '/' + right


def long_name(rng, name):
    """The name, or a beginning of it that may or may not be unique."""
    return '--' + (name[:rng.randrange(1, len(name) + 1)] if rng.random() < 0.25 else name)


def with_value(rng, letter, name, value):
    shape = rng.randrange(4)
    if shape == 0 or (shape > 1 and not name):
        return ['-' + letter + value] if value else ['-' + letter, value]
    if shape == 1:
        return ['-' + letter, value]
    if shape == 2:
        return [long_name(rng, name) + '=' + value]
    return [long_name(rng, name), value]


def style_option(rng, target):
    letter, name = rng.choice(STYLES)
    value = None
    if rng.random() < 0.5:
        value = spec(rng, target)
        if letter in 'qQ' and rng.random() < 0.4:
            value = arc_spec(rng, target)
    if rng.random() < 0.5:
        return [long_name(rng, name) + ('' if value is None else '=' + value)]
    return ['-' + letter + (value or '')]


def valued_option(rng, target):
    letter = rng.choice('nNeEfFkImtwORSnNeEfFk')
    if letter in 'nNeEfF':
        value = spec(rng, target)
    elif letter == 'k':
        value = arc_spec(rng, target) if rng.random() < 0.95 else spec(rng, target)
    elif letter == 'I':
        value = rng.choice(['.', '/nowhere', target.sources, target.sources + ':.', ':',
                            os.path.dirname(target.sources) + '/', ''])
    elif letter == 'm':
        value = rng.choice(['0', '1', '2', '50', '1000000', 'x', '-1', ' 5', '0x10', '3k'])
    elif letter == 't':
        value = rng.choice(['0', '1', '3', '10', '1000', 'x', '-5', '+2'])
    elif letter == 'w':
        value = rng.choice(['0', '1', '2', '3', '20', '40', '79', '80', '81', '132', '1000', 'x',
                            '-1', '100'])
    elif letter == 'O':
        # Not the old layouts: gprof takes gigabytes when it reads a new file as old.
        value = rng.choice(['auto', 'magic', 'a', 'm', 'auto', 'prof', 'p', 'xyz', '', 'AUTO'])
    elif letter == 'R':
        value = target.map_file
    else:
        value = target.symbol_list
    return with_value(rng, letter, LONG_VALUES.get(letter), value)


def flag_option(rng, target):
    del target
    letters = rng.sample(FLAGS, rng.choice([1, 1, 1, 2, 3]))
    if rng.random() < 0.4:
        return [long_name(rng, LONG_FLAGS[c]) for c in letters if c in LONG_FLAGS]
    return ['-' + ''.join(letters)]


def other_option(rng, target):
    del target
    return rng.choice([['--inline-file-names'], ['--no-demangle'], ['--demangle'],
                       ['--demangle=' + rng.choice(STYLE_NAMES)], ['-d1'], ['--debug=1'],
                       ['--inline-file-names'], ['--inline'], ['--demangle'], ['-l'], ['-l'],
                       ['-Tl'], ['-z'], ['-c'], ['-A'], ['-C'], ['-Al'], ['-Alx'], ['-x', '-A']])


def odd_option(rng, target):
    del target
    return rng.choice([['-X'], ['--bogus'], ['-g'], ['-G3'], ['--brief=3'], ['-w'], ['--width'],
                       ['--no-'], ['-k'], ['--time='], ['--line=5'], ['-'], ['--'],
                       ['--no-time']])


def options(rng, target):
    words = [] if rng.random() < 0.2 else ['-b']
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 6])):
        make = rng.choices([style_option, valued_option, flag_option, other_option, odd_option],
                           [6, 5, 4, 3, 0.15])[0]
        words += make(rng, target)
    return words


def command(rng, target):
    """The arguments after the program's name."""
    words = options(rng, target)
    profiles = [rng.choice(target.profiles)]
    while rng.random() < 0.15:
        profiles.append(rng.choice(target.profiles))
    if rng.random() < 0.05:
        return words  # a.out and gmon.out
    operands = [target.image] + profiles
    if rng.random() < 0.1:
        return [target.image] + words + profiles
    return words + operands


def prepare(target, sources):
    """Writes the files that -R and -S of a target's command lines name."""
    target.sources = sources
    target.lines = None
    target.map_file = os.path.join(target.folder, 'map')
    target.symbol_list = os.path.join(target.folder, 'list')
    with open(target.map_file, 'w', encoding='utf-8') as out:
        for number, (addr, letter, name) in enumerate(target.symbols):
            if number % 5 != 4:
                out.write(f'part{number * number % 7 // 2}.o:{addr:08x} {letter} {name}\n')
            if number % 9 == 3:
                out.write('No symbols in part9.o\n')
        out.write('empty.o:00000000 T nowhere_at_all\n')
    with open(target.symbol_list, 'w', encoding='utf-8') as out:
        for number, (addr, letter, name) in enumerate(target.symbols):
            if number % 6 != 5:
                out.write(f'{addr:016x} {letter} {name}\n')
            # What a library has to offer counts if its name begins with t, see the code.
            if number == 0:
                out.write(f'{"U":>18} time\n')
            if number % 7 == 3:
                out.write(f'{"U":>18} {letter}olower_{number}\n')
        # gprof's samples of the last symbol depend on memory behind its table.
        out.write('nonsense\n00000000ffffff00 T the_last\n')
