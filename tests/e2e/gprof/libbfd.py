#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""fcgprof and the library that it reads images with: who links it, what is called of it, that
no image makes it load a plug-in, and that fcdump, without it, sees the same symbols.

usage: libbfd.py PROBE OBJECT: the program of image_probe.c, and fcgprof/object.c compiled, in an archive.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..', 'support'))
import fctest  # noqa: E402

PROBE = OBJECT = None
# What fcgprof may ask of libbfd: to open for reading, to look, to close, to demangle a name.
CALLS = {'bfd_init', 'bfd_openr', 'bfd_close', 'bfd_check_format', 'bfd_get_error', 'bfd_errmsg',
         'bfd_set_error_program_name', 'bfd_get_section_by_name', 'bfd_get_section_contents',
         'bfd_get_arch_size', 'bfd_arch_bits_per_address', 'bfd_get_file_size', 'bfd_demangle'}
PROGRAM = '''
static int used(int n) { return n + 1; }
static int twice(int n, int by) { return used(n) * by; }
__attribute__((weak)) int weak_one(int n) { return n; }
int other(int n) __attribute__((alias("_main_of")));
int _main_of(int n) { return twice(n, 3) + twice(n + 1, 3) + weak_one(n); }
int data_of = 1;
__attribute__((weak)) int weak_data = 2;
static int resolved(int n) { return n; }
static void *resolve(void) { return resolved; }
int indirect(int n) __attribute__((ifunc("resolve")));
int main(void)
{
    int inner(int n) { return n + data_of; }
    int (*volatile pointer)(int) = inner;
    return pointer(indirect(other(0))) + weak_data < 0;
}
'''


def output(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True,
                          env=fctest.plain_environment(), timeout=fctest.TIMEOUT_S,
                          **options).stdout


def needed(path):
    return re.findall(r'\(NEEDED\).*\[(.*)\]', output('readelf', '-dW', path))


class Linking(fctest.Case):
    def test_only_fcgprof_links_it(self):
        # Nobody needs the shared one: its name has the version in it, with which we would have to be built anew.
        library, = glob.glob(os.path.join(os.environ['FC_PREFIX'], '**', 'libfc.so.4'),
                             recursive=True)
        for path in (fctest.tool('fcgprof'), fctest.tool('fcdump'), fctest.tool('fcmanager'), library):
            names = needed(path)
            self.assertIn('libc.so.6', names)
            self.assertEqual([name for name in names if re.search('bfd|sframe', name)], [], path)
            symbols = output('nm', path) if path != library else output('nm', '-D', path)
            self.assertEqual(' bfd_openr' in symbols, path == fctest.tool('fcgprof'), path)

    def test_calls(self):
        names = output('nm', '--undefined-only', OBJECT).split()
        used = {name for name in names if re.match('_?bfd_', name)}
        self.assertEqual(used - CALLS, set())
        self.assertIn('bfd_openr', used)
        self.assertEqual([name for name in names if re.match(
            r'(dlopen|system|popen|exec\w+|posix_spawn\w*|fork)(@|$)', name)], [])


class Images(fctest.Case):
    def compare(self, image):
        seen = [output(PROBE, kind, image) for kind in ('libelf', 'libbfd')]
        self.assertEqual(*seen, image)
        self.assertGreater(len(seen[0].splitlines()), 5, image)

    def test_fcdump_sees_the_same(self):
        source = self.write('program.c', PROGRAM)
        number = 0
        for flags in (['-O0'], ['-O2', '-g'], ['-O3', '-static'], ['-O2', '-no-pie', '-fno-pie'],
                      ['-O2', '-shared', '-fPIC'], ['-O2', '-ffunction-sections', '-flto'],
                      ['-O1', '-fuse-ld=lld'], ['-O1', '-fuse-ld=gold'], ['-m32', '-O1']):
            image = self.path(f'image{number}')
            number += 1
            done = subprocess.run(['gcc', '-w', *flags, source, '-o', image], capture_output=True,
                                  env=fctest.plain_environment(), check=False)
            if done.returncode == 0:
                self.compare(image)
            else:
                print(f'{flags}: not built', file=sys.stderr)
        for name in ('fcdump', 'fcgprof', 'fcmanager'):
            self.compare(fctest.tool(name))

    def test_fcdump_sees_the_same_of_cxx(self):
        shapes = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs', 'shapes.cc')
        image = self.path('shapes')
        output('g++', '-w', '-g', '-O2', shapes, '-o', image)
        self.compare(image)

    def test_no_plug_in(self):
        # What would need one: an object of link-time optimization, alone and in an archive.
        self.write('lto.c', 'int main(void) { return 0; }\n')
        output('gcc', '-flto', '-fno-fat-lto-objects', '-c', 'lto.c', '-o', 'lto.o',
               cwd=self.folder)
        output('gcc-ar', 'rc', 'lto.a', 'lto.o', cwd=self.folder)
        self.write('gmon.out', '')
        environment = dict(fctest.plain_environment(), LD_DEBUG='files')
        for image in ('lto.o', 'lto.a'):
            loaded = {}
            for tool, words in (('nm', []), (fctest.tool('fcgprof'), ['gmon.out'])):
                done = subprocess.run([tool, image, *words], capture_output=True, text=True,
                                      env=environment, cwd=self.folder, check=False)
                loaded[tool] = [line for line in done.stderr.splitlines()
                                if 'calling init' in line and 'bfd-plugins' in line]
            if not loaded['nm']:
                self.skipTest('nm has no plug-ins here')
            self.assertEqual((done.returncode, loaded[fctest.tool('fcgprof')]), (1, []))

    def test_nothing_is_written(self):
        image = self.path('image')
        output('gcc', '-g', '-pg', self.write('program.c', PROGRAM), '-o', image)
        output(image, cwd=self.folder)
        before = sorted(os.listdir(self.folder))
        for words in (['-l'], ['-c'], ['-p'], ['-q']):
            output(fctest.tool('fcgprof'), *words, image, cwd=self.folder)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


if __name__ == '__main__':
    PROBE, OBJECT = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    if not shutil.which('gcc'):
        print('no gcc')
        sys.exit(77)
    fctest.main()
