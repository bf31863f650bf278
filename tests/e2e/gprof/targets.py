# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds and runs the targets of the fcgprof tests, compiled with -pg in many ways.

A target becomes a folder with the image, the gmon.out that its run wrote, and further
profiles of the same image whose histograms are made up, so that every function and
line has samples.  Needs a C compiler; a variant whose compiler is missing is left out.
"""
import os
import random
import shutil
import struct
import subprocess

import gmonfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, 'programs')

# name: compiler, flags, sources (in programs/), or a function of the folder
C, CXX, CLANG, CLANGXX, FORTRAN = 'gcc', 'g++', 'clang', 'clang++', 'gfortran'
VARIANTS = {
    'chain': (C, '-g -O0', 'chain.c chain_other.c'),
    'chain-nopie': (C, '-g -O1 -no-pie -fno-pie', 'chain.c chain_other.c'),
    'chain-nodebug': (C, '-O1', 'chain.c chain_other.c'),
    'cycles': (C, '-g -O1 -fno-inline -fno-optimize-sibling-calls', 'cycles.c'),
    'cycles-static': (C, '-g -O2 -static', 'cycles.c'),
    'pointers': (C, '-g -O1', 'pointers.c'),
    'pointers-static': (C, '-g -O0 -static', 'pointers.c'),
    'inlined': (C, '-g -O2', 'inlined.c'),
    'shapes': (CXX, '-g -O0', 'shapes.cc'),
    'shapes-O2': (CXX, '-g -O2', 'shapes.cc'),
    'threads': (C, '-g -O1 -pthread', 'threads.c'),
    'tricks': (C, '-g -O0', 'tricks.c tricks_other.c'),
    'tricks-lto': (C, '-g -O2 -flto', 'tricks.c tricks_other.c'),
    'labels': (C, '-g -O1', 'labels.c'),
    'templates': (CXX, '-g -O0', 'templates.cc'),
}
LONG_VARIANTS = {
    'chain-O2': (C, '-g -O2', 'chain.c chain_other.c'),
    'chain-dwarf4': (C, '-gdwarf-4 -O2', 'chain.c chain_other.c'),
    'cycles-O0': (C, '-g -O0', 'cycles.c'),
    'pointers-sections': (C, '-g -O2 -ffunction-sections -Wl,--gc-sections', 'pointers.c'),
    'inlined-O3': (C, '-g3 -O3 -gdwarf-4', 'inlined.c'),
    'inlined-O0': (C, '-g -O0', 'inlined.c'),
    'tricks-gz-gnu': (C, '-gdwarf-4 -O2 -gz=zlib-gnu', 'tricks.c tricks_other.c'),
    'tricks-O3-sections': (C, '-g -O3 -ffunction-sections -Wl,--gc-sections',
                           'tricks.c tricks_other.c'),
    'apart-clang-lto': (CLANG, '-g -O2 -flto -fuse-ld=lld', 'apart.c apart_third.c apart_other.c'),
    'templates-lto': (CXX, '-g -O0 -flto', 'templates.cc'),
    'chain-O3-lto': (C, '-g -O2 -flto', 'chain.c chain_other.c'),
    'chain-dwarf2': (C, '-gdwarf-2 -gstrict-dwarf -O1', 'chain.c chain_other.c'),
    'chain-dwarf3': (C, '-gdwarf-3 -Os', 'chain.c chain_other.c'),
    'chain-g1': (C, '-g1 -O2', 'chain.c chain_other.c'),
    'chain-gz': (C, '-g -gz -O2', 'chain.c chain_other.c'),
    'chain-gz-gnu': (C, '-gdwarf-3 -gz=zlib-gnu -O2', 'chain.c chain_other.c'),
    'chain-split': (C, '-gdwarf-4 -gsplit-dwarf -O2', 'chain.c chain_other.c'),
    'chain-large': (C, '-g -mcmodel=large -no-pie -fno-pie -O2', 'chain.c chain_other.c'),
    'chain-hash': (C, '-g -O2 -Wl,-z,separate-code -Wl,--build-id=none', 'chain.c chain_other.c'),
    'chain-types': (CXX, '-g -O2 -fdebug-types-section -fpermissive -w', 'shapes.cc'),
    'cycles-O2': (C, '-g -O2', 'cycles.c'),
    'cycles-O3': (C, '-g -O3 -mfentry', 'cycles.c'),
    'cycles-static-pie': (C, '-g -O2 -static-pie', 'cycles.c'),
    'cycles-cf': (C, '-g -O1 -fcf-protection=full', 'cycles.c'),
    'cycles-clang': (CLANG, '-g -O1', 'cycles.c'),
    'cycles-clang-dwarf4': (CLANG, '-gdwarf-4 -O2', 'cycles.c'),
    'chain-clang': (CLANG, '-g -O2', 'chain.c chain_other.c'),
    'chain-clang-nopie': (CLANG, '-g -O0 -no-pie -fno-pie', 'chain.c chain_other.c'),
    'inlined-clang': (CLANG, '-g -O2', 'inlined.c'),
    'inlined-lto': (C, '-g -O2 -flto', 'inlined.c'),
    'inlined-sections': (C, '-g -O2 -ffunction-sections -freorder-functions', 'inlined.c'),
    'inlined-prefix': (C, '-g -O2 -ffile-prefix-map=' + PROGRAMS + '=/nowhere/src', 'inlined.c'),
    'pointers-O0': (C, '-g -O0', 'pointers.c'),
    'pointers-O3': (C, '-g -O3', 'pointers.c'),
    'pointers-clang': (CLANG, '-g -O1', 'pointers.c'),
    'shapes-O3': (CXX, '-g -O3 -std=c++20', 'shapes.cc'),
    'shapes-dwarf4': (CXX, '-gdwarf-4 -O1', 'shapes.cc'),
    'shapes-static': (CXX, '-g -O1 -static', 'shapes.cc'),
    'shapes-lto': (CXX, '-g -O2 -flto', 'shapes.cc'),
    'shapes-nodebug': (CXX, '-O2', 'shapes.cc'),
    'shapes-clang': (CLANGXX, '-g -O1', 'shapes.cc'),
    'shapes-clang-dwarf4': (CLANGXX, '-gdwarf-4 -O0', 'shapes.cc'),
    'shapes-sections': (CXX, '-g -O2 -ffunction-sections -fdata-sections', 'shapes.cc'),
    'threads-static': (C, '-g -O2 -pthread -static', 'threads.c'),
    'tricks-static': (C, '-gdwarf-4 -O2 -static', 'tricks.c tricks_other.c'),
    'tricks-split': (C, '-gdwarf-4 -gsplit-dwarf -O2', 'tricks.c tricks_other.c'),
    'tricks-dwarf64': (C, '-gdwarf-4 -gdwarf64 -O1', 'tricks.c tricks_other.c'),
    'tricks-gold': (C, '-g -O2 -fuse-ld=gold', 'tricks.c tricks_other.c'),
    'tricks-clang': (CLANG, '-g -O1', 'tricks.c tricks_other.c'),
    'tricks-clang-lto': (CLANG, '-g -O2 -flto -fuse-ld=lld', 'tricks.c tricks_other.c'),
    'tricks-clang-lines': (CLANG, '-gline-tables-only -O2', 'tricks.c tricks_other.c'),
    'templates-O2': (CXX, '-g -O2', 'templates.cc'),
    'templates-static': (CXX, '-g -O0 -static', 'templates.cc'),
    'templates-types': (CXX, '-g -O0 -fdebug-types-section', 'templates.cc'),
    'templates-clang': (CLANGXX, '-std=c++17 -g -O1', 'templates.cc'),
    'numbers': (FORTRAN, '-g -O0 -J FOLDER', 'numbers.f90'),
    'numbers-O2': (FORTRAN, '-g -O2 -static -J FOLDER', 'numbers.f90'),
    'chain-m32': (C, '-m32 -g -O1', 'chain.c chain_other.c'),
    'cycles-m32': (C, '-m32 -g -O2 -no-pie -fno-pie', 'cycles.c'),
}


class Target:
    def __init__(self, name, folder, image, profiles):
        self.name = name
        self.folder = folder
        self.image = image
        self.profiles = profiles
        self.symbols = read_symbols(image)
        self.is_static = 'static' in name
        self.files = []


def call(words, cwd):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False,
                          timeout=300)
    return done.returncode == 0, done.stderr


def read_symbols(image):
    """(address, letter, name) of the code in an image, as nm lists it."""
    # no plug-in of the linker's, which takes longer to load than the symbols to read
    text = subprocess.run(['nm', '--plugin=/dev/null', image], capture_output=True, text=True,
                          check=False).stdout
    rows = [line.split(None, 2) for line in text.splitlines()]
    return sorted((int(r[0], 16), r[1], r[2]) for r in rows if len(r) == 3 and r[1] in 'tTWw')


def text_range(image):
    text = subprocess.run(['readelf', '-SW', image], capture_output=True, text=True,
                          check=False).stdout
    for line in text.splitlines():
        words = line.replace('[ ', '[').split()
        if len(words) > 5 and words[1] == '.text':
            start, size = int(words[3], 16), int(words[5], 16)
            return start, start + size
    return 0, 0


def layout_of(image):
    with open(image, 'rb') as data:
        ident = data.read(6)
    return gmonfile.Layout(32 if ident[4] == 1 else 64, ident[5] == 2)


def arcs_of(path, layout):
    """The arc records of a gmon.out file that has nothing unusual."""
    with open(path, 'rb') as data:
        raw = data.read()
    width, order, at, arcs = layout.bits // 8, layout.order, 20, []
    addr = 'I' if width == 4 else 'Q'
    while at < len(raw):
        tag, at = raw[at], at + 1
        if tag == 0:
            bins = struct.unpack_from(order + 'I', raw, at + 2 * width)[0]
            at += 2 * width + 24 + 2 * bins
        elif tag == 1:
            arcs.append(struct.unpack_from(f'{order}{addr}{addr}I', raw, at))
            at += 2 * width + 4
        else:
            break
    return arcs


def write(path, data):
    with open(path, 'wb') as out:
        out.write(data)
    return path


def made_up_profiles(folder, image, arcs, seed):
    """Profiles of `image` with samples everywhere, with odd bins, and of blocks."""
    rng = random.Random(seed)
    layout = layout_of(image)
    start, end = text_range(image)
    paths = []
    size = end - start
    if size <= 0:
        return paths
    head = gmonfile.header(layout)
    marked = b''.join(gmonfile.arc(layout, *a) for a in arcs)
    low = start & ~3
    fine = [rng.choice([0, 0, 0, 1, 2, 9]) for _ in range((end - low + 1) // 2)]
    high = low + 2 * len(fine)
    # Where nothing follows the code (object files, libraries with -a), gprof gives the last
    # symbol what it finds in the memory behind its table.
    last = max((s[0] for s in read_symbols(image) if s[1] in 'TW'), default=0)
    if low <= last < end:
        fine = [0 if low + 2 * i + 2 > last else b for i, b in enumerate(fine)]
    paths.append(write(os.path.join(folder, 'fine.out'), head + gmonfile.hist(
        layout, low, high, fine) + marked))
    coarse = [rng.choice([0, 1, 3, 500]) for _ in range(max(1, size // 37))]
    if low <= last < end:
        coarse = [0 for _ in coarse]
    paths.append(write(os.path.join(folder, 'coarse.out'), head + marked + gmonfile.hist(
        layout, low - 64, high + 128, coarse, rng.choice([100, 1000, 1024]))))
    blocks = [(start + rng.randrange(size), rng.randrange(20)) for _ in range(60)]
    paths.append(write(os.path.join(folder, 'blocks.out'), head + gmonfile.blocks(
        layout, blocks) + marked + gmonfile.hist(layout, low, high, fine)))
    return paths


def finish(name, folder, image, ran):
    arcs, profiles = [], []
    if ran and os.path.exists(os.path.join(folder, 'gmon.out')):
        profiles.append(os.path.join(folder, 'gmon.out'))
        arcs = arcs_of(profiles[0], layout_of(image))
    else:
        symbols = read_symbols(image)
        rng = random.Random(name)
        if symbols:
            arcs = [(rng.choice(symbols)[0] + 1, rng.choice(symbols)[0], rng.randrange(1, 9))
                    for _ in range(min(300, 2 * len(symbols)))]
    profiles += made_up_profiles(folder, image, arcs, name)
    return Target(name, folder, image, profiles)


def build(name, root):
    compiler, flags, sources = {**VARIANTS, **LONG_VARIANTS}[name]
    if not shutil.which(compiler):
        return None
    folder = os.path.join(root, name)
    os.makedirs(folder)
    image = os.path.join(folder, 'a.out')
    flags = [w.replace('FOLDER', folder) for w in flags.split()]
    good, err = call([compiler, '-pg', '-w'] + flags + ['-o', image] + sources.split(), PROGRAMS)
    if not good:
        print(f'{name}: not built: {err[:300]}')
        return None
    ran, _ = call([image], folder)
    return finish(name, folder, image, ran)


def build_generated(root, n_functions=3000, seed=1, name='generated'):
    """Thousands of functions in several files, with calls to any other."""
    folder = os.path.join(root, name)
    os.makedirs(folder)
    rng = random.Random(seed)
    n_files = 4
    for number in range(n_files):
        with open(os.path.join(folder, f'part{number}.c'), 'w', encoding='ascii') as out:
            for i in range(n_functions):
                out.write(f'int generated_{i}(int);\n')
            for i in range(number, n_functions, n_files):
                out.write(f'static int same_{i % 7}_{i}(int n)\n{{\n    return n + {i};\n}}\n')
                callees = [rng.randrange(n_functions) for _ in range(rng.randrange(3))]
                body = ''.join(f'    if (n % {rng.randrange(2, 5)} == 0)\n'
                               f'        n += generated_{c}(n / 2);\n' for c in callees)
                out.write(f'int generated_{i}(int n)\n{{\n    if (n <= 0)\n        return 1;\n'
                          f'{body}    return same_{i % 7}_{i}(n);\n}}\n')
            if number == 0:
                out.write('int main(void)\n{\n    int sum = 0;\n')
                for i in range(0, n_functions, 3):
                    out.write(f'    sum += generated_{i}({rng.randrange(1, 64)});\n')
                out.write('    return sum == 12345;\n}\n')
    image = os.path.join(folder, 'a.out')
    good, err = call(['gcc', '-pg', '-g', '-O0', '-o', image] +
                     [f'part{i}.c' for i in range(n_files)], folder)
    if not good:
        print(f'{name}: not built: {err[:300]}')
        return None
    call([image], folder)
    return finish(name, folder, image, True)


def build_library(root):
    """A shared library as the image, with the profile of a program that used it."""
    folder = os.path.join(root, 'library')
    os.makedirs(folder)
    image, program = os.path.join(folder, 'libwork.so'), os.path.join(folder, 'a.out')
    good, err = call(['gcc', '-pg', '-g', '-O1', '-shared', '-fPIC', '-o', image, 'library.c'],
                     PROGRAMS)
    if good:
        good, err = call(['gcc', '-pg', '-g', '-O1', '-o', program, 'library_main.c', image,
                          '-Wl,-rpath,' + folder], PROGRAMS)
    if not good:
        print('library: not built:', err[:300])
        return []
    call([program], folder)
    main = finish('library-main', folder, program, True)
    os.makedirs(os.path.join(folder, 'made'))
    library = finish('library', os.path.join(folder, 'made'), image, False)
    library.profiles.append(os.path.join(folder, 'gmon.out'))
    return [main, library]


def build_derived(root, base):
    """The same program as an object file, stripped in part, with its debugging
    information elsewhere, with sections compressed."""
    made = []
    recipes = {
        'object': [['gcc', '-pg', '-g', '-O1', '-c', '-o', '{image}',
                    os.path.join(PROGRAMS, 'cycles.c')]],
        'object-sections': [['gcc', '-pg', '-w', '-g', '-O1', '-c', '-o', '{image}',
                             os.path.join(PROGRAMS, 'tricks.c')]],
        'object-templates': [['g++', '-pg', '-w', '-g', '-O0', '-c', '-o', '{image}',
                              os.path.join(PROGRAMS, 'templates.cc')]],
        'strip-debug': [['strip', '-g', '-o', '{image}', base.image]],
        'strip-all': [['strip', '-s', '-o', '{image}', base.image]],
        'debuglink': [['objcopy', '--only-keep-debug', base.image, '{folder}/a.debug'],
                      ['strip', '-g', '-o', '{image}', base.image],
                      ['objcopy', '--add-gnu-debuglink={folder}/a.debug', '{image}']],
        'eu-strip': [['cp', base.image, '{image}'],
                     ['eu-strip', '-g', '-f', '{folder}/a.debug', '{image}']],
        'only-debug': [['objcopy', '--only-keep-debug', base.image, '{image}']],
        'compressed': [['objcopy', '--compress-debug-sections', base.image, '{image}']],
        'dwz': [['cp', base.image, '{image}'], ['dwz', '{image}']],
    }
    for name, commands in recipes.items():
        folder = os.path.join(root, f'{base.name}-{name}')
        os.makedirs(folder)
        image = os.path.join(folder, 'a.out')
        words = [[w.format(image=image, folder=folder) for w in c] for c in commands]
        if not all(shutil.which(c[0]) and call(c, folder)[0] for c in words):
            print(f'{name}: not made')
            continue
        target = finish(f'{base.name}-{name}', folder, image, False)
        if 'object' not in name:
            target.profiles += base.profiles
        target.symbols = target.symbols or base.symbols
        made.append(target)
    return made


def build_all(root, is_long):
    names = list(VARIANTS) + (list(LONG_VARIANTS) if is_long else [])
    made = [t for t in (build(n, root) for n in names) if t]
    made.append(build_generated(root, 3000 if is_long else 1500))
    made += build_library(root)
    for base in [t for t in made if t and t.name in ('inlined', 'shapes')]:
        if is_long or base.name == 'inlined':
            made += build_derived(root, base)
    return [t for t in made if t]
