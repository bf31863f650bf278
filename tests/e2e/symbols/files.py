# SPDX-License-Identifier: GPL-3.0-or-later
"""Which file the names come from: separate debug files wherever they may lie, stripped
programs, programs that moved, changed or are gone.  A wrong name is worse than none."""

import os
import shutil
import socket

import common
from common import ask_raw, build_id, functions, need, run

SOURCE = r'''
#include <stdio.h>
static int __attribute__((noinline)) inner(int a)
{
    return a * 3;
}
int __attribute__((noinline, visibility("default"))) outer(int a)
{
    return inner(a) + 1;
}
int main(int argc, char **argv)
{
    printf("%d\n", outer(argc));
    return 0;
}
'''


class WithProgram(common.Case):
    FLAGS = ()

    def setUp(self):
        super().setUp()
        need('gcc', 'objcopy', 'strip')
        self.program = self.build('program')
        self.addresses = {name: address for address, names in functions(self.program).items()
                          for name in names}
        self.id = build_id(self.program)
        self.whole = self.path('whole')
        shutil.copy(self.program, self.whole)

    def build(self, name, source=SOURCE, *flags):
        run('gcc', '-g', '-O1', '-rdynamic', *self.FLAGS, *flags,
            self.write(name + '.c', source), '-o', self.path(name))
        return self.path(name)

    def place(self, name, path=None, kind='entry'):
        return (path or self.program, self.id, self.addresses[name], kind)

    def check_all(self, *options, path=None):
        """Names and lines as if the program still had them."""
        inner, outer = self.ask([self.place('inner', path), self.place('outer', path)], *options)
        self.assertEqual((inner.name, inner.line), ('inner', 3))
        self.assertTrue(inner.static)
        self.assertEqual((outer.name, outer.line), ('outer', 7))
        self.assertEqual(outer.file, self.path('program.c'))

    def check_bare(self, *options, path=None, id='', warning=None, folder=''):
        """Addresses alone, and one warning with these words in it."""
        base = os.path.basename(path or self.program)
        places = [(path or self.program, id or self.id, self.addresses[name], 'entry')
                  for name in ('inner', 'outer', 'main')]
        answers, warnings = ask_raw(places, *options)
        for place, answer in zip(places, answers):
            self.assertEqual(answer.name, f'{base}+{place[2]:#x}')
            self.assertEqual((answer.raw, answer.start, answer.file, answer.line),
                             (None, place[2], None, 0))
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn(warning, warnings[0])
        return warnings[0]


class DebugFiles(WithProgram):
    def split(self, debug, link=None):
        """Moves the debug information into `debug`; the program names it by its link."""
        os.makedirs(os.path.dirname(debug), exist_ok=True)
        run('objcopy', '--only-keep-debug', self.program, debug)
        run('strip', self.program)
        if link is not False:
            run('objcopy', f'--add-gnu-debuglink={debug}', self.program)

    def test_link_beside(self):
        self.split(self.path('program.debug'))
        self.check_all()

    def test_link_in_dot_debug(self):
        self.split(self.path('.debug/program.debug'))
        self.check_all()

    def test_link_in_global_folder(self):
        self.split(self.path('global' + self.folder + '/program.debug'))
        self.check_all('--debug-folders=:.debug:' + self.path('global'))

    def test_build_id_folder(self):
        self.split(self.path(f'global/.build-id/{self.id[:2]}/{self.id[2:]}.debug'), link=False)
        self.check_all('--debug-folders=' + self.path('global'))

    def test_compressed_debug_file(self):
        self.split(self.path('program.debug'))
        run('objcopy', '--compress-debug-sections', self.path('program.debug'))
        run('objcopy', '--remove-section=.gnu_debuglink', self.program)
        run('objcopy', '--add-gnu-debuglink=' + self.path('program.debug'), self.program)
        self.check_all()

    def test_debug_file_of_another_build(self):
        other = self.build('other', '\n\n\n' + SOURCE.replace('inner', 'wrong'))
        run('objcopy', '--only-keep-debug', other, self.path('program.debug'))
        run('strip', self.program)
        run('objcopy', '--add-gnu-debuglink=' + self.path('program.debug'), self.program)
        inner, outer = self.ask([self.place('inner'), self.place('outer')])
        self.assertEqual((inner.name, inner.line), (f'program+{self.addresses["inner"]:#x}', 0))
        self.assertEqual((outer.name, outer.line), ('outer', 0))

    def test_shared_supplement(self):
        need('dwz')
        twin = self.build('twin', SOURCE + 'int more(void) { return 1; }')
        debugs = [self.path('program.debug'), self.path('twin.debug')]
        run('objcopy', '--only-keep-debug', self.program, debugs[0])
        run('objcopy', '--only-keep-debug', twin, debugs[1])
        run('dwz', '-m', self.path('common.debug'), *debugs, cwd=self.folder)
        self.assertIn('.gnu_debugaltlink', run('readelf', '-S', '-W', debugs[0]))
        run('strip', self.program)
        run('objcopy', '--add-gnu-debuglink=' + debugs[0], self.program)
        self.check_all()

    def test_mini_debug_information(self):
        need('xz')
        run('objcopy', '--only-keep-debug', self.program, self.path('mini'))
        run('strip', '-g', '--keep-file-symbols', self.path('mini'))
        run('xz', '-k', self.path('mini'))
        run('strip', self.program)
        run('objcopy', '--add-section', '.gnu_debugdata=' + self.path('mini.xz'), self.program)
        inner, = self.ask([self.place('inner')])
        self.assertEqual(inner.name, 'inner')

    def test_no_server_is_asked(self):
        run('strip', self.program)
        with socket.create_server(('127.0.0.1', 0)) as server:
            url = f'http://127.0.0.1:{server.getsockname()[1]}'
            cache = self.path('cache')
            self.ask([self.place('inner')],
                     environment=dict(os.environ, DEBUGINFOD_URLS=url, DEBUGINFOD_TIMEOUT='1',
                                      DEBUGINFOD_CACHE_PATH=cache))
            server.settimeout(0)
            with self.assertRaises(BlockingIOError):
                server.accept()
        self.assertFalse(os.path.exists(cache))


class Stripped(WithProgram):
    def test_dynamic_symbols(self):
        run('strip', self.program)
        inner, outer = self.ask([self.place('inner'), self.place('outer')])
        self.assertEqual((outer.name, outer.raw, outer.file), ('outer', 'outer', None))
        self.assertEqual((inner.name, inner.raw), (f'program+{self.addresses["inner"]:#x}', None))

    def test_static_functions_without_symbols(self):
        """ld -x leaves the debug information, which names them."""
        self.build('program', SOURCE, '-Wl,-x')
        self.id = build_id(self.program)
        self.assertNotIn({'inner'}, functions(self.program).values())
        self.check_all()
        places = [self.place('inner', kind='name')]
        self.assertEqual(self.ask(places)[0].raw, 'inner')

    def test_no_section_table(self):
        run('strip', self.program)
        with open(self.program, 'r+b') as file:
            file.seek(0x28)
            file.write(bytes(8))
            file.seek(0x3c)
            file.write(bytes(4))
        inner, outer = self.ask([self.place('inner'), self.place('outer')])
        self.assertIn(outer.name, ('outer', f'program+{self.addresses["outer"]:#x}'))
        self.assertEqual(inner.name, f'program+{self.addresses["inner"]:#x}')

    def test_nothing_left(self):
        library = self.path('library.so')
        run('gcc', '-shared', '-fPIC', '-fvisibility=hidden', '-x', 'c', '-', '-o', library,
            input='int f(int a) { return a; }')
        address, = [a for a, names in functions(library).items() if 'f' in names]
        run('strip', library)
        answer, = self.ask([(library, None, address, 'entry')])
        self.assertEqual(answer.name, f'library.so+{address:#x}')


class BuildIds(WithProgram):
    """Of any length, as linkers make them when they are asked to."""

    def check_id(self, digits):
        self.program = self.build('odd', SOURCE, f'-Wl,--build-id=0x{digits}')
        self.addresses = {name: address for address, names in functions(self.program).items() for name in names}
        self.id = digits[:128]  # as libfc records it
        answers, warnings = ask_raw([self.place('inner'), self.place('outer')])
        self.assertEqual(([answer.name for answer in answers], warnings), (['inner', 'outer'], []))
        moved = self.path('moved')
        os.replace(self.program, moved)
        self.assertEqual([answer.name for answer in self.ask([self.place('inner')], '--image=' + moved)], ['inner'])
        # Another one still is another one.
        shutil.copy(moved, self.program)
        self.check_bare(id='ef' + self.id[2:], warning=f'its build-id is {self.id}, not ef')
        return moved

    def test_lengths(self):
        for length in 1, 2, 3, 5, 19, 20, 21, 64, 65, 70:
            with self.subTest(length=length):
                self.check_id(''.join(f'{i + 160:02x}' for i in range(length)))

    def test_debug_file(self):
        moved = self.check_id('abcde1')
        debug = self.path('global/.build-id/ab/cde1.debug')
        os.makedirs(os.path.dirname(debug))
        run('objcopy', '--only-keep-debug', moved, debug)
        os.unlink(self.program)
        answers, _ = ask_raw([self.place('inner')], '--debug-folders=' + self.path('global'))
        self.assertEqual((answers[0].name, answers[0].line), ('inner', 3))


class ChangedOrGone(WithProgram):
    def test_rebuilt(self):
        self.build('program', SOURCE.replace('* 3', '* 5 + a / 7'))
        self.check_bare(warning='changed since the run')

    def test_rebuilt_without_build_id(self):
        self.build('program', SOURCE, '-Wl,--build-id=none')
        self.check_bare(warning='changed since the run')

    def test_profile_without_build_id(self):
        place = self.program, None, self.addresses['inner'], 'entry'
        written = os.stat(self.program).st_mtime_ns
        for options in ([], [f'--ended={written}'], [f'--ended={written - 1}',
                                                     f'--image={self.program}']):
            answer, = self.ask([place], *options)
            self.assertEqual(answer.name, 'inner')
        answers, warnings = ask_raw([place], f'--ended={written - 1}')
        self.assertEqual(answers[0].name, f'program+{place[2]:#x}')
        self.assertEqual(warnings, [f'{self.program}: changed since the run (it has no build-id, '
                                    'but a later date); its functions are shown by address'])

    def test_rebuilt_but_its_debug_file_is_kept(self):
        debug = self.path(f'global/.build-id/{self.id[:2]}/{self.id[2:]}.debug')
        os.makedirs(os.path.dirname(debug))
        run('objcopy', '--only-keep-debug', self.program, debug)
        self.build('rebuilt', SOURCE.replace('* 3', '* 5'))
        os.replace(self.path('rebuilt'), self.program)
        self.check_all('--debug-folders=' + self.path('global'))
        os.remove(self.program)
        self.check_all('--debug-folders=' + self.path('global'))

    def test_gone(self):
        os.remove(self.program)
        warning = self.check_bare(warning='No such file')
        self.assertEqual(warning.count(self.program), 1)
        self.assertTrue(warning.startswith(self.program + ': '))

    def test_directory(self):
        os.remove(self.program)
        os.mkdir(self.program)
        self.check_bare(warning='is a directory')

    def test_fifo(self):
        os.remove(self.program)
        os.mkfifo(self.program)
        self.check_bare(warning='not a regular file')

    def test_unreadable(self):
        if os.geteuid() == 0:
            self.skipTest('root reads everything')
        os.chmod(self.program, 0)
        self.check_bare(warning='ermission denied')

    def test_not_elf(self):
        self.write('program', '#!/bin/sh\nexit 0\n')
        self.check_bare(warning='not an ELF file')

    def test_empty(self):
        self.write('program', '')
        self.check_bare(warning='not an ELF file')

    def test_truncated(self):
        os.truncate(self.program, os.path.getsize(self.program) // 2)
        self.check_bare(warning='truncated or damaged')

    def test_object_file(self):
        run('gcc', '-c', self.path('program.c'), '-o', self.program)
        self.check_bare(warning='neither a program nor a shared library')

    def test_kernel_code_needs_no_file(self):
        answers = self.ask([('linux-vdso.so.1', None, 0x600, 'entry'),
                            ('[vdso]', None, 0x600, 'entry'), ('', None, 0x600, 'entry')])
        self.assertEqual([a.name for a in answers],
                         ['linux-vdso.so.1+0x600', '[vdso]+0x600', '0x7f0000000600'])

    def test_relative_path(self):
        place = ('./program', self.id, self.addresses['inner'], 'entry')
        self.assertEqual(self.ask([place], '--directory=' + self.folder)[0].name, 'inner')


class Moved(WithProgram):
    def setUp(self):
        super().setUp()
        self.moved = self.path('elsewhere/renamed')
        os.mkdir(self.path('elsewhere'))
        shutil.move(self.program, self.moved)
        self.wrong = self.build('wrong', SOURCE.replace('inner', 'liar'))

    def test_by_build_id(self):
        self.check_all('--image=' + self.moved)

    def test_by_base_name(self):
        same = self.path('elsewhere/program')
        os.rename(self.moved, same)
        answer, = self.ask([(self.program, None, self.addresses['inner'], 'entry')],
                           '--image=' + same)
        self.assertEqual(answer.name, 'inner')

    def test_without_a_recorded_path(self):
        """A program that ran without /proc: only its build-id is known."""
        place = ('', self.id, self.addresses['inner'], 'entry')
        self.assertEqual(self.ask([place])[0].name, f'{0x7f0000000000 + place[2]:#x}')
        for images in ([self.moved], [self.moved, self.wrong]):
            answers, warnings = ask_raw([place], *('--image=' + image for image in images))
            self.assertEqual(answers[0].name, 'inner')
            self.assertEqual(len(warnings), len(images) - 1, warnings)
        answers, warnings = ask_raw([place], '--image=' + self.wrong)
        self.assertEqual(answers[0].name, f'{0x7f0000000000 + place[2]:#x}')
        self.assertEqual(len(warnings), 1, warnings)

    def test_named(self):
        for recorded in self.program, 'program':
            answer, = self.ask([(self.program, None, self.addresses['inner'], 'entry')],
                               f'--image={recorded}={self.moved}')
            self.assertEqual(answer.name, 'inner')
            self.check_all(f'--image={recorded}={self.moved}')

    def test_build_id_goes_before_base_name(self):
        liar = self.path('elsewhere/program')
        os.rename(self.wrong, liar)
        self.check_all('--image=' + liar, '--image=' + self.moved)
        os.rename(self.moved, self.program)
        self.check_all('--image=' + self.program)

    def test_equals_sign_in_a_path(self):
        odd = self.path('a=b')
        os.rename(self.moved, odd)
        self.check_all('--image=' + odd)

    def test_wrong_image_is_refused(self):
        for image in f'program={self.wrong}', f'{self.program}={self.wrong}':
            answers, warnings = ask_raw([self.place('inner'), self.place('outer')],
                                        '--image=' + image)
            self.assertEqual(answers[0].name, f'program+{self.addresses["inner"]:#x}')
            self.assertEqual(len(warnings), 2, warnings)
            self.assertTrue(warnings[0].startswith(self.wrong + ': not the file that ran'))
            self.assertIn('No such file', warnings[1])

    def test_useless_image(self):
        os.rename(self.moved, self.program)
        for image, reason in ((self.folder, 'is a directory'), ('/nowhere/x', 'No such file'),
                              (self.path('program.c'), 'not an ELF file')):
            answers, warnings = ask_raw([self.place('inner')], '--image=' + image)
            self.assertEqual(answers[0].name, 'inner')
            self.assertEqual(len(warnings), 1, warnings)
            self.assertIn(reason, warnings[0])

    def test_image_that_fits_nothing(self):
        answers, warnings = ask_raw([(self.program, None, self.addresses['inner'], 'entry')],
                                    '--image=' + self.moved)
        self.assertEqual(answers[0].name, f'program+{self.addresses["inner"]:#x}')
        self.assertEqual(len(warnings), 2, warnings)
        self.assertTrue(warnings[1].startswith(self.moved + ': the profile has no such module'))

    def test_debug_file_as_image(self):
        run('objcopy', '--only-keep-debug', self.moved, self.path('names'))
        os.remove(self.moved)
        self.check_all('--image=' + self.path('names'))


if __name__ == '__main__':
    common.main()
