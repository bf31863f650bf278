#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where GNU gprof fails, fcgprof goes on: the list in the manual, one by one.  That gprof
still fails is shown too, so that the list does not outlive its reasons."""
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import gmonfile
import oracle
import targets


def require(condition, what):
    if not condition:
        print('FAILED:', what)
        sys.exit(1)


def both(args, folder):
    return [oracle.run(tool, args, folder) for tool in (oracle.GPROF, oracle.FCGPROF)]


def try_lines_of_cxx(root):
    target = targets.build('shapes-O2', root)
    if not target:
        print('no g++: lines of C++ not tried')
        return
    theirs, ours = both(['-b', '-l', '-p', target.image, target.profiles[1]], target.folder)
    require(theirs[0] == 1 and b'somebody miscounted' in theirs[2], 'gprof -l works on C++')
    require(ours[0] == 0 and b'(shapes.cc:' in ours[1], 'no lines of C++')


def try_kinds_of_debugging(root):
    """Not beyond gprof, but as it: both have the files and lines that libbfd finds."""
    for version in (2, 3, 4, 5):
        for kind in ('', '-gsplit-dwarf', '-gdwarf64', '-gz=zlib', '-gz=zlib-gnu'):
            try_kind_of_debugging(root, f'-gdwarf-{version} {kind} -O2')
    for kind in ('-gstabs', '-gstabs+'):
        try_kind_of_debugging(root, kind + ' -O2')


def try_kind_of_debugging(root, flags):
    targets.VARIANTS[flags] = ('gcc', flags, 'chain.c chain_other.c')
    target = targets.build(flags, root)
    if not target:
        print(f'gcc has no {flags}: not tried')
        return
    for words in (['-b', '-C'], ['-b', '-l', '-p', '-z'], ['-b', '-q', '-L']):
        theirs, ours = both(words + [target.image, target.profiles[1]], target.folder)
        require(theirs[:2] == ours[:2], f'{words} differs with {flags}')
    require(b'cheap' in ours[1], f'no functions with {flags}')


def try_endless_order(root):
    target = targets.build('chain', root)
    ours = oracle.run(oracle.FCGPROF, ['-b', '-r', '-k', 'main/helper', target.image,
                                       target.profiles[0]], target.folder)
    names = ours[1].split()
    require(ours[0] == 0 and names.count(b'main') <= 3, 'an ordering repeats itself')


def try_synthetic(root):
    layout = gmonfile.Layout()
    image = gmonfile.Image(layout, bytes([0x90] * 64), 0x401000)
    image.add('f', 0x401000)
    image.add('last', 0x401020)
    path = os.path.join(root, 'image')
    image.write(path)
    head = gmonfile.header(layout)
    profile = targets.write(os.path.join(root, 'last'), head + gmonfile.hist(
        layout, 0x401000, 0x401040, [2] * 16))
    status, out, _ = oracle.run(oracle.FCGPROF, ['-b', '-p', '-z', path, profile], root)
    rows = {line.split()[-1]: line.split() for line in out.splitlines() if line}
    require(status == 0 and rows[b'f'][2] == b'0.16' and rows[b'last'][2] == b'0.16',
            'samples of the last symbol')
    profile = targets.write(os.path.join(root, 'rate'), head + gmonfile.hist(
        layout, 0x401000, 0x401040, [2] * 16, 0) + gmonfile.arc(layout, 0x401000, 0x401000, 1) +
        gmonfile.arc(layout, 0x401020, 0x401000, 1))
    status, out, _ = oracle.run(oracle.FCGPROF, ['-b', '-p', path, profile], root)
    require(status == 0 and b' as/call' in out, 'the unit of a clock without rate')
    calls = gmonfile.arc(layout, 0x401020, 0x401000, 0xffffffff)
    profile = targets.write(os.path.join(root, 'quick'), head + gmonfile.hist(
        layout, 0x401000, 0x401040, [1] * 16, 0x7fffffff) + calls * 9)
    theirs, ours = both(['-b', '-p', path, profile], root)
    require(theirs[0] == 0 and b' as/call' not in theirs[1], 'gprof knows that unit')
    require(ours[0] == 0 and b' as/call' in ours[1] and b'     0.10     0.10  f\n' in ours[1],
            'the unit of very short calls')
    huge = gmonfile.hist(layout, 0x401000, 0x401040, [])[:17] + b'\xff\xff\xff\xff'
    profile = targets.write(os.path.join(root, 'huge'), head + huge + bytes(40))
    status, out, err = oracle.run(oracle.FCGPROF, ['-b', path, profile], root)
    require(status == 1 and not out and b'end of file' in err, 'a size that is a lie')


def self_seconds(args, folder):
    """Seconds by function of fcgprof's flat profile, whatever memory held before."""
    seen = [oracle.run(oracle.FCGPROF, ['-b', '-p', '-z'] + args, folder,
                       env={'MALLOC_PERTURB_': str(byte)}) for byte in (0, 1, 85, 255)]
    require(seen[0][0] == 0 and all(one == seen[0] for one in seen), f'{args}: by chance')
    rows = [line.split() for line in seen[0][1].decode().splitlines() if line]
    return {row[-1]: row[2] for row in rows[4:]}


def try_last_function(root):
    """It ends with the code, though there are samples behind that, and no symbol."""
    layout = gmonfile.Layout()
    profile = targets.write(os.path.join(root, 'behind'), gmonfile.header(layout) + gmonfile.hist(
        layout, 0x401000, 0x401080, [2] * 32))
    listed = targets.write(os.path.join(root, 'listed'),
                           b'0000000000401000 T f\n0000000000401020 T last\n')
    for kind in (1, 2, 3):  # an object file, a program, a library
        image = gmonfile.Image(layout, bytes([0x90] * 64), 0x401000, kind=kind)
        start = 0 if kind == 1 else 0x401000  # an object file has symbols by section
        image.add('f', start)
        image.add('last', start + 0x20)
        path = os.path.join(root, f'alone{kind}')
        image.write(path)
        require(self_seconds([path, profile], root) == {'f': '0.16', 'last': '0.16'},
                f'no symbol behind the last of an image of kind {kind}')
        image.add('tail', start + 0x30, bind='local')
        image.symbols.sort(key=lambda symbol: symbol[3] != 'local')
        path = os.path.join(root, f'hidden{kind}')
        image.write(path)
        require(self_seconds(['-a', path, profile], root) == {'f': '0.16', 'last': '0.16'},
                f'-a for an image of kind {kind}')
        require(self_seconds(['-S', listed, path, profile], root) ==
                {'f': '0.16', 'last': '0.16'}, f'-S for an image of kind {kind}')


def try_symbols_without_address(root, target):
    """The first lines of nm -n have none: what counts of them is behind all functions."""
    listed = targets.write(os.path.join(root, 'no-address'), b'                 U time\n' + b''.join(
        b'%x T %s\n' % (addr, name.encode()) for addr, _, name in target.symbols))
    words = ['-b', '-r', '-S', listed, target.image, target.profiles[0]]
    seen = [oracle.run(oracle.FCGPROF, words, root, env={'MALLOC_PERTURB_': str(byte)})
            for byte in (0, 85, 255)]
    require(seen[0][0] == 0 and all(one == seen[0] for one in seen), 'an address by chance')
    require(seen[0][1].split()[-1] == b'ime', 'a symbol without address is not the last')


OUTSIDE = '''
	.section .init, "ax", @progbits
	.globl	early
	.type	early, @function
early:
	call	late
	.size	early, . - early
	.text
	.globl	late
	.type	late, @function
late:
	ret
	.size	late, . - late
	.globl	later
	.type	later, @function
later:
	ret
	.size	later, . - later
'''


def try_calls_outside_of_text(root):
    """gprof -c takes memory in front of .text's bytes for the code of .init."""
    source = targets.write(os.path.join(root, 'outside.s'), OUTSIDE.encode())
    good, err = targets.call(['gcc', '-nostdlib', '-no-pie', '-g', '-Wl,-e,late', source, '-o',
                              os.path.join(root, 'outside')], root)
    require(good, err)
    image = os.path.join(root, 'outside')
    starts = {name: addr for addr, _, name in targets.read_symbols(image)}
    layout = gmonfile.Layout()
    profile = targets.write(os.path.join(root, 'outside.out'), gmonfile.header(layout) +
                            gmonfile.hist(layout, starts['early'], starts['later'] + 1,
                                          [1] * ((starts['later'] + 1 - starts['early']) // 2)) +
                            gmonfile.arc(layout, starts['later'], starts['late'], 2))
    for words in (['-b', '-q', '-c'], ['-b', '-q', '-c', '-l']):
        words += [image, profile]
        seen = [oracle.run(oracle.FCGPROF, words, root, env={'MALLOC_PERTURB_': str(byte)})
                for byte in (0, 85, 232)]
        require(seen[0][0] == 0 and all(one == seen[0] for one in seen), 'calls by chance')
        require(b'2/2           later' in seen[0][1] and b'0/2' not in seen[0][1],
                'calls where there is no .text')
        if shutil.which('valgrind') and not oracle.has_other_static_calls(words):
            err = oracle.run(shutil.which('valgrind'), ['-q', oracle.GPROF] + words, root)[2]
            require(b'Invalid read' in err, 'gprof -c knows where code is')


def try_sum_and_debugging(root, target):
    folder = os.path.join(root, 'sum')
    os.mkdir(folder)
    words = [target.image, target.profiles[0]]
    status, plain, _ = oracle.run(oracle.FCGPROF, ['-b', '-s'] + words, folder)
    with open(os.path.join(folder, 'gmon.sum'), 'rb') as data:
        head = data.read(20)
    require(status == 0 and head[:4] == b'gmon' and head[8:] == bytes(12), 'spare bytes of gmon.sum')
    status, out, _ = oracle.run(oracle.FCGPROF, ['-b', '-d', '-s'] + words, folder)
    require(status == 0 and out == b'[main] debug-level=0xffffffff\n' + plain,
            'the debugging output is more than its first line')


def try_full_output(target):
    """Reports that nobody got are not done."""
    for tool, status in ((oracle.GPROF, 0), (oracle.FCGPROF, 1)):
        with open('/dev/full', 'wb') as full:
            done = subprocess.run([tool, '-b', target.image, target.profiles[0]], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        require(done.returncode == status and bool(done.stderr) == bool(status),
                f'{tool} writes to a full disk: {done.returncode} {done.stderr}')


def fill_disk():
    """What is written beyond a few bytes of a file fails, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


def try_full_disk(root, target):
    """A sum that has no room leaves the one of before."""
    folder = os.path.join(root, 'full')
    os.mkdir(folder)
    path = os.path.join(folder, 'gmon.sum')
    before = b'the sum of before'
    for tool, left in ((oracle.GPROF, False), (oracle.FCGPROF, True)):
        targets.write(path, before)
        done = subprocess.run([tool, '-s', target.image, target.profiles[0]], cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              preexec_fn=fill_disk)
        with open(path, 'rb') as data:
            require((data.read() == before) == left, f'{tool} -s on a full disk')
        require(os.listdir(folder) == ['gmon.sum'], f'{tool} leaves {os.listdir(folder)}')
    require((done.returncode, done.stderr) == (1, b'fcgprof: gmon.sum: File too large\n'), done)


def try_foreign_object(root):
    """Not beyond gprof either: libbfd relocates what is not linked yet for the machines that it
    was built for."""
    source = targets.write(os.path.join(root, 'foreign.c'),
                           b'int leaf(int n)\n{\n    return n + 1;\n}\n'
                           b'int work(int n)\n{\n    return leaf(n) * 2;\n}\n')
    image = os.path.join(root, 'foreign.o')
    if not shutil.which('clang') or not targets.call(
            ['clang', '--target=aarch64-linux-gnu', '-gdwarf-5', '-O0', '-c', source, '-o', image],
            root)[0]:
        print('no clang for AArch64: its object files not tried')
        return
    layout = gmonfile.Layout()
    profile = targets.write(os.path.join(root, 'foreign.out'), gmonfile.header(layout) +
                            gmonfile.hist(layout, 0, 0x18, [1] * 6))
    theirs, ours = both(['-b', '-l', '-p', '-z', image, profile], root)
    require(ours[0] == 0 and ours[:2] == theirs[:2], 'an object file of another machine')


def try_endless_text(root):
    """An image whose .text is said to go on behind the file: gprof -l asks for each address."""
    target = targets.build('labels', os.path.join(root, 'again'))
    with open(target.image, 'rb') as file:
        data = bytearray(file.read())
    table, = struct.unpack_from('<Q', data, 40)
    count, names = struct.unpack_from('<HH', data, 60)
    strings, = struct.unpack_from('<Q', data, table + 64 * names + 24)
    headers = {}
    for at in range(table, table + 64 * count, 64):
        start = strings + struct.unpack_from('<I', data, at)[0]
        headers[bytes(data[start:data.index(0, start)])] = at
    struct.pack_into('<Q', data, headers[b'.text'] + 32, 1 << 60)
    image = targets.write(os.path.join(root, 'endless'), data)
    status, out, _ = oracle.run(oracle.FCGPROF, ['-b', '-l', '-z', '-p', image,
                                                 target.profiles[0]], root)
    require(status == 0 and b'(labels.c:' in out, '.text without an end')
    struct.pack_into('<I', data, headers[b'.text'] + 4, 8)  # SHT_NOBITS: not in the file at all
    image = targets.write(os.path.join(root, 'absent'), data)
    status, out, _ = oracle.run(oracle.FCGPROF, ['-b', '-l', '-z', '-p', image,
                                                 target.profiles[0]], root)
    require(status == 0, '.text without an end that is not there')


def try_marks_of_files(root, target):
    """The order of files does not depend on what memory held before."""
    order = targets.write(os.path.join(root, 'order'), b'chain.o:main\nother.o:cheap\n')
    words = ['-b', '--file-ordering=' + order, target.image, target.profiles[0]]
    seen = [oracle.run(oracle.FCGPROF, words, root, env={'MALLOC_PERTURB_': str(byte)})
            for byte in (0, 1, 85, 170, 255)]
    require(all(one == seen[0] for one in seen) and seen[0][0] == 0, 'an order of files by chance')
    require(b'chain.o' in seen[0][1] and b'other.o' in seen[0][1], 'a file that is not placed')


def try_stale_debug_file(root):
    """Not beyond gprof, but as it: a debug file whose checksum does not fit is none."""
    target = targets.build('chain', os.path.join(root, 'stale'))
    image, debug = (os.path.join(target.folder, name) for name in ('linked', 'linked.debug'))
    for words in (['objcopy', '--only-keep-debug', target.image, debug],
                  ['strip', '-g', '-R', '.note.gnu.build-id', '-o', image, target.image],
                  ['objcopy', '--add-gnu-debuglink=' + debug, image]):
        subprocess.run(words, check=True, cwd=target.folder)
    words = ['-b', '-l', '-p', image, target.profiles[0]]
    theirs, ours = both(words, target.folder)
    require(theirs[:2] == ours[:2] and b'.c:' in ours[1], 'the debug file of a link')
    with open(debug, 'ab') as data:
        data.write(b'!')
    theirs, ours = both(words, target.folder)
    require(theirs[:2] == ours[:2] and b'.c:' not in ours[1], 'a stale debug file')


def try_far_line(root):
    """gprof takes memory for all the lines up to the last one: gigabytes here."""
    source = os.path.join(root, 'far.c')
    targets.write(source, b'int first(int n)\n{\n    return n;\n}\n#line 2147483646\n'
                  b'int far(int n) { return first(n); }\n#line 9\n'
                  b'int main(void) { return far(0); }\n')
    image = os.path.join(root, 'far')
    for words in (['gcc', '-pg', '-g', '-O0', '-o', image, source], [image]):
        subprocess.run(words, check=True, cwd=root)
    limited = ['bash', '-c', 'ulimit -v 1000000; exec "$@"', 'bash', oracle.FCGPROF, '-b', '-A',
               image, os.path.join(root, 'gmon.out')]
    done = subprocess.run(limited, capture_output=True, cwd=root, check=False)
    require(done.returncode == 0 and b'1 -> {' in done.stdout and
            b'\n2147483646          1\n' in done.stdout, 'a line far behind the others')


def main():
    oracle.need_oracle()
    if not shutil.which('gcc'):
        print('no gcc')
        sys.exit(oracle.SKIP)
    with tempfile.TemporaryDirectory() as root:
        try_lines_of_cxx(root)
        try_kinds_of_debugging(root)
        try_endless_order(root)
        try_synthetic(root)
        try_last_function(root)
        try_calls_outside_of_text(root)
        target = targets.build('chain', os.path.join(root, 'again'))
        try_symbols_without_address(root, target)
        try_sum_and_debugging(root, target)
        try_full_output(target)
        try_full_disk(root, target)
        try_foreign_object(root)
        try_endless_text(root)
        try_marks_of_files(root, target)
        try_stale_debug_file(root)
        try_far_line(root)


main()
