# SPDX-License-Identifier: GPL-3.0-or-later
"""Symbols of unusual shape: aliases, assembly, indirect functions, versions, clones of the
optimizer, and functions whose address is another file's."""

import os

import common
from common import MACHINE, build_id, functions, need, run


class Shapes(common.Case):
    def compile(self, name, text, *flags, suffix='.c'):
        compiler = 'g++' if suffix == '.cc' else 'gcc'
        need(compiler)
        run(compiler, self.write(name + suffix, text), *flags, '-o', self.path(name))
        return self.path(name)

    def names_at(self, path, symbol, *options, shift=0, kind='name'):
        places = [(path, None, a + shift, kind) for a, names in sorted(functions(path).items())
                  if symbol in names]
        self.assertTrue(places, f'{symbol} is not in {path}')
        return [answer.name for answer in self.ask(places, *options)]

    def test_aliases(self):
        program = self.compile('aliases', r'''
int __real_thing(int a) { return a; }
extern int thing(int) __attribute__((alias("__real_thing")));
extern int weak_thing(int) __attribute__((alias("__real_thing"), weak));
static int local_thing(int) __attribute__((alias("__real_thing"), used));
static int only_local(int a) { return a + 1; }
extern int __only_public(int) __attribute__((alias("only_local")));
extern int zeta(int) __attribute__((alias("alpha")));
int alpha(int a) { return a + 2; }
int main(int argc, char **argv) { return thing(argc) + only_local(argc) + zeta(argc); }
''', '-O0')
        for symbol in '__real_thing', 'thing', 'weak_thing', 'local_thing':
            self.assertEqual(self.names_at(program, symbol), ['thing'])
        self.assertEqual(self.names_at(program, 'only_local'), ['__only_public'])
        self.assertEqual(self.names_at(program, 'zeta'), ['alpha'])

    def test_assembly(self):
        program = self.compile('assembly', r'''
    .text
    .globl sized, bare, label, tail
    .type sized, @function
sized:
    nop
inside:
    nop
second_entry:
    nop
    ret
    .size sized, . - sized
    .type second_entry, @function
    .type bare, @function
bare:
    nop
    nop
    ret
label:
    nop
    ret
.Lhidden:
    nop
tail:
    ret
    .globl main
    .type main, @function
main:
    nop
    ret
    .size main, . - main
''', '-g', suffix='.S')
        self.assertEqual(self.names_at(program, 'sized'), ['sized'])
        self.assertEqual(self.names_at(program, 'inside'), ['sized'])
        self.assertEqual(self.names_at(program, 'second_entry'), ['second_entry'])
        self.assertEqual(self.names_at(program, 'bare'), ['bare'])
        self.assertEqual(self.names_at(program, 'bare', shift=2), ['bare'])
        self.assertEqual(self.names_at(program, 'label'), ['label'])
        self.assertEqual(self.names_at(program, 'label', shift=2), ['label'])
        self.assertEqual(self.names_at(program, 'tail'), ['tail'])
        answer, = self.ask([(program, None, a, 'entry')
                            for a, names in functions(program).items() if 'bare' in names])
        self.assertEqual((os.path.basename(answer.file), answer.line), ('assembly.S', 16))

    def test_between_functions(self):
        program = self.compile('gap', r'''
    .text
    .globl main
    .type main, @function
    .type after, @function
main:
    nop
    ret
    .size main, . - main
    .skip 64
after:
    ret
    .size after, . - after
''', suffix='.S')
        address, = [a for a, names in functions(program).items() if 'main' in names]
        end = address + (2 if MACHINE == 'x86_64' else 8)
        answers = self.ask([(program, None, at, 'entry') for at in (end - 1, end, end + 37, end + 64)])
        self.assertEqual([a.name for a in answers],
                         ['main', f'gap+{end:#x}', f'gap+{end + 37:#x}', 'after'])

    def test_call_that_does_not_return(self):
        """The return address of the last call in `dies` is the first one of `next`."""
        call, jump = ('call abort@PLT', 'jmp') if MACHINE == 'x86_64' else ('bl abort', 'b')
        program = self.compile('dies', rf'''
    .text
    .globl main, dies, next
    .type dies, @function
    .type next, @function
dies:
    {call}
    .size dies, . - dies
next:
    ret
    .size next, . - next
main:
    {jump} next
''', '-g', suffix='.S')
        answer, = self.ask([(program, None, a, 'return')
                            for a, names in functions(program).items() if 'next' in names])
        self.assertEqual((answer.name, answer.line), ('dies', 7))
        self.assertEqual(self.names_at(program, 'next'), ['next'])

    def test_indirect_function(self):
        program = self.compile('indirect', r'''
static int one(int a) { return a; }
static int (*choose(void))(int) { return one; }
int thing(int) __attribute__((ifunc("choose")));
int main(int argc, char **argv) { return thing(argc); }
''', '-O0')
        self.assertEqual(self.names_at(program, 'one'), ['one'])
        self.assertEqual(self.names_at(program, 'choose'), ['thing'])

    def test_versions(self):
        self.write('map', 'V1 { global: thing; };\nV2 { global: thing; local: *; } V1;\n')
        library = self.compile('versions.so', r'''
__asm__(".symver old_thing, thing@V1");
__asm__(".symver new_thing, thing@@V2");
int old_thing(int a) { return a; }
int new_thing(int a) { return a + 1; }
''', '-shared', '-fPIC', '-Wl,--version-script=' + self.path('map'))
        found = functions(library)
        old, = [a for a, names in found.items() if any('thing@V1' in name for name in names)]
        new, = [a for a, names in found.items() if any('thing@@V2' in name for name in names)]
        names = [a.name for a in self.ask([(library, None, old, 'name'),
                                           (library, None, new, 'name')])]
        self.assertIn(names[0], ('thing@V1', 'old_thing'))
        self.assertIn(names[1], ('thing', 'new_thing'))

    def test_clones(self):
        text = r'''
static int __attribute__((noinline)) helper(int a, int b)
{
    volatile int x = a;
    for (int i = 0; i < a; i++)
        x += b * i;
    return x;
}
int __attribute__((noinline)) other(int a) { return helper(a, 5) + helper(a + 1, 5); }
int main(int argc, char **argv) { return other(argc); }
'''
        c = self.compile('clones', text, '-O2')
        self.assertEqual(self.names_at(c, 'helper.constprop.0'), ['helper.constprop.0'])
        cc = self.compile('clonescc', text, '-O2', suffix='.cc')
        raw, = [name for names in functions(cc).values() for name in names if 'helper' in name]
        self.assertEqual(self.names_at(cc, raw), ['helper [clone .constprop.0]'])
        self.assertEqual(self.names_at(cc, raw, '--demangle=params'),
                         ['helper(int, int) [clone .constprop.0]'])
        self.assertEqual(self.names_at(cc, raw, '--demangle=none'), [raw])

    def test_address_given_by_the_program(self):
        """A fixed program's address of a library's function is that of its own stub."""
        library = self.compile('libthing.so', '''
#include <stdio.h>
int thing(int a)
{
    printf("%p\\n", (void *)&thing);
    return a;
}
''', '-shared', '-fPIC', '-g')
        program = self.compile('program', '''
extern int thing(int);
int main(void)
{
    int (*volatile pointer)(int) = thing;
    return pointer(0);
}
''', '-no-pie', '-fno-pie', library, f'-Wl,-rpath,{self.folder}')
        address = int(run(program), 16)
        self.assertNotIn(address, functions(program))
        answer, = self.ask([(program, build_id(program), address, 'entry')],
                           '--also=' + library)
        self.assertEqual((answer.name, answer.raw, answer.file, answer.line),
                         ('thing', 'thing', self.path('libthing.so.c'), 3))
        answer, = self.ask([(program, build_id(program), address, 'name')])
        self.assertEqual(answer.name, 'thing')


class Manglings(common.Case):
    """Names as compilers make them; what to show is as c++filt has it, without Rust's hash."""

    NAMES = (
        # linkage name, plain, with parameters
        ('main', 'main', 'main'),
        ('_start', '_start', '_start'),
        ('_Znot_mangled_at_all', '_Znot_mangled_at_all', '_Znot_mangled_at_all'),
        ('_ZN3foo3barEi', 'foo::bar', 'foo::bar(int)'),
        ('_ZNK3foo3barERKSs', 'foo::bar',
         'foo::bar(std::string const&) const'),
        ('_Z3maxIiET_S0_S0_', 'max<int>', 'int max<int>(int, int)'),
        ('_ZN3fooC1Ev', 'foo::foo', 'foo::foo()'),
        ('_ZN3fooD0Ev', 'foo::~foo', 'foo::~foo()'),
        ('_ZN3fooplERKS_', 'foo::operator+', 'foo::operator+(foo const&)'),
        ('_ZZ4mainENKUliE_clEi', 'main::{lambda(int)#1}::operator()',
         'main::{lambda(int)#1}::operator()(int) const'),
        ('_ZThn16_N3foo3barEv', 'non-virtual thunk to foo::bar()',
         'non-virtual thunk to foo::bar()'),
        ('_Z3foov.cold', 'foo [clone .cold]', 'foo() [clone .cold]'),
        ('_Z3foov.part.0.constprop.1', 'foo [clone .part.0] [clone .constprop.1]',
         'foo() [clone .part.0] [clone .constprop.1]'),
        ('_RNvC6_123foo3bar', '123foo::bar', '123foo::bar'),
        ('_RNvMNtCs4fqI2P2rA04_4core5sliceSh9ends_with', '<[u8]>::ends_with',
         '<[u8]>::ends_with'),
        ('_RINvNtC3std3mem8align_ofdE', 'std::mem::align_of::<f64>',
         'std::mem::align_of::<f64>'),
        ('_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE', 'core::fmt::Write::write_fmt',
         'core::fmt::Write::write_fmt'),
        ('_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.123456',
         'core::fmt::Write::write_fmt', 'core::fmt::Write::write_fmt'),
        ('_ZN61_$LT$a..Square$u20$as$u20$a..Shape$GT$4area17h0123456789abcdefE',
         None, None),
    )

    def test_names(self):
        """Through symbols of these names in an assembled program."""
        text = ['.text', '.globl main']
        for raw, _, _ in self.NAMES:
            if raw != 'main':
                text.append(f'.globl "{raw}"')
            if raw == '_start':
                continue
            text += [f'.type "{raw}", @function', f'"{raw}":', '    ret',
                     f'.size "{raw}", . - "{raw}"']
        need('gcc')
        program = self.path('program')
        run('gcc', self.write('names.s', '\n'.join(text) + '\n'), '-o', program)
        where = {name: a for a, names in functions(program).items() for name in names}
        for style, column in (('none', 0), ('plain', 1), ('params', 2)):
            answers = self.ask([(program, None, where[row[0]], 'name') for row in self.NAMES],
                               f'--demangle={style}')
            for row, answer in zip(self.NAMES, answers):
                self.assertEqual(answer.raw, row[0])
                if row[column]:
                    self.assertEqual(answer.name, row[column])


if __name__ == '__main__':
    common.main()
