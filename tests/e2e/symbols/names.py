# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, files and lines of programs built in every way that changes where a symbol or its
line is found, compared with nm and addr2line."""

import os
import re
import subprocess

import common
from common import build_id, functions, need, run

FIRST = r'''
#include <stdio.h>
extern int second(int);
static int __attribute__((noinline)) twin(int a)
{
    return second(a) + 1;
}
int __attribute__((noinline)) first(int a)
{
    if (a > 100)
        puts("much");
    return twin(a) +
           second(a);
}
int main(int argc, char **argv)
{
    return first(argc);
}
'''
SECOND = r'''
#include <stdlib.h>
static int __attribute__((noinline)) twin(int a)
{
    if (a == 77)
        abort();
    return a * 3;
}
int second(int a)
{
    return twin(a) - 4;
}
'''
CPLUSPLUS = r'''
#include <string>
#include <vector>
namespace outer {
struct Thing {
    std::string text;
    explicit Thing(const char *t) : text(t) {}
    virtual ~Thing() {}
    virtual int count(int a, char b) const { return a + b + (int)text.size(); }
    Thing &operator+=(const Thing &other) { text += other.text; return *this; }
};
template <typename T> T __attribute__((noinline)) twice(T value) { return value + value; }
namespace { int __attribute__((noinline)) hidden(int a) { return twice(a) + 1; } }
int call(int a) { auto f = [a](int b) { return hidden(a) + b; }; return f(a); }
int
within(int a)
{
    {
        struct Local {
            int
            method(int b)
            {
                return hidden(b);
            }
        } local;
        return local.method(a);
    }
}
}
int main(int argc, char **argv)
{
    outer::Thing one(argv[0]), two("x");
    one += two;
    std::vector<double> numbers(1, outer::twice(2.5));
    return one.count(outer::call(argc), 'c') + outer::within(argc) + (int)numbers[0];
}
'''


def accepts(compiler, *flags):
    """Whether the compiler and its linker can do that here."""
    return subprocess.run([compiler, *flags, '-x', 'c', '-', '-o', '/dev/null'],
                          input='int main(void) { return 0; }', text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


class Compilers(common.Case):
    def check_c(self, compiler, *flags, optional=False):
        need(compiler)
        if optional and not accepts(compiler, *flags):
            self.skipTest(f'{compiler} does not take {" ".join(flags)}')
        folder = self.path(re.sub(r'\W+', '_', '_'.join((compiler, *flags))))
        os.mkdir(folder)
        self.write(os.path.join(folder, 'first.c'), FIRST)
        self.write(os.path.join(folder, 'second.c'), SECOND)
        run(compiler, '-g', *flags, 'first.c', 'second.c', '-o', 'program', cwd=folder)
        program = os.path.join(folder, 'program')
        plain = None
        if '-gsplit-dwarf' in flags:  # readelf takes the wrong addresses
            plain = os.path.join(folder, 'plain')
            others = [flag for flag in flags if flag != '-gsplit-dwarf']
            run(compiler, '-g', *others, 'first.c', 'second.c', '-o', plain, cwd=folder)
        found = self.compare_with_tools(program, lines_from=plain)
        self.assertTrue(found['main'].file.endswith('/first.c'))
        # where there is no declaration its brace, or what clang 19 takes for its start
        self.assertIn(found['main'].line, (16, 17) if '-gline-tables-only' in flags else (15,))
        self.compare_calls(program)
        return program

    def matrix(self, compiler):
        for placement in (['-pie', '-fPIE'], ['-no-pie', '-fno-pie']):
            for more in (['-O0'], ['-O2', '-gdwarf-4'], ['-O2', '-gdwarf-5'], ['-Og', '-gz=zlib'],
                         ['-O2', '-ffunction-sections', '-Wl,--gc-sections']):
                with self.subTest(flags=placement + more):
                    self.check_c(compiler, *placement, *more)

    def test_gcc(self):
        self.matrix('gcc')

    def test_clang(self):
        self.matrix('clang')

    def test_split_dwarf(self):
        for compiler in 'gcc', 'clang':
            for version in '4', '5':
                with self.subTest(compiler=compiler, version=version):
                    self.check_c(compiler, '-O1', '-gsplit-dwarf', f'-gdwarf-{version}')

    def test_link_time_optimization(self):
        self.check_c('gcc', '-O2', '-flto')

    def test_static(self):
        self.check_c('gcc', '-O1', '-static')

    def test_static_pie(self):
        self.check_c('gcc', '-O1', '-static-pie', '-fPIE')

    def test_zstd(self):
        self.check_c('gcc', '-O1', '-gz=zstd', optional=True)

    def test_lld(self):
        need('ld.lld')
        self.check_c('clang', '-O1', '-fuse-ld=lld', '-Wl,--build-id')

    def test_program_that_is_not_at_address_0(self):
        self.check_c('gcc', '-O1', '-pie', '-fPIE', '-Wl,-Ttext-segment=0x20000000')

    def test_line_tables_alone(self):
        self.check_c('clang', '-O1', '-gline-tables-only')
        self.check_c('gcc', '-O1', '-g1')

    def test_no_debug_information(self):
        program = self.check_c('gcc', '-O1')
        run('strip', '-g', program)
        found = self.compare_with_tools(program)
        self.assertEqual((found['main'].file, found['main'].line), (None, 0))

    def test_twins_stay_apart(self):
        program = self.check_c('gcc', '-O0')
        places = [a for a, names in functions(program).items() if 'twin' in names]
        self.assertEqual(len(places), 2)
        one, two = self.ask([(program, None, a, 'entry') for a in places])
        self.assertEqual((one.name, two.name), ('twin', 'twin'))
        self.assertTrue(one.static and two.static)
        self.assertNotEqual(one.start, two.start)
        self.assertEqual({os.path.basename(one.file), os.path.basename(two.file)},
                         {'first.c', 'second.c'})

    def test_nested_function(self):
        need('gcc')
        source = self.write('nested.c', 'int main(int argc, char **argv)\n{\n    int\n    inner(int a)\n    {\n'
                                        '        return a + argc;\n    }\n    return inner(1) - 2;\n}\n')
        run('gcc', '-g', '-O0', source, '-o', self.path('program'))
        found = self.compare_with_tools(self.path('program'))
        self.assertEqual([a.line for name, a in found.items() if name.startswith('inner')], [4])

    def test_shared_library(self):
        for compiler in 'gcc', 'clang':
            need(compiler)
            source = self.write('second.c', SECOND)
            for flags in ([], ['-Wl,-Ttext-segment=0x30000000']):
                if not accepts(compiler, '-shared', '-fPIC', *flags):
                    continue
                library = self.path('libsecond.so')
                run(compiler, '-g', '-O1', '-shared', '-fPIC', *flags, source, '-o', library)
                found = self.compare_with_tools(library)
                self.assertEqual(found['second'].line, 9)
                self.assertFalse(found['second'].static)

    def test_cplusplus(self):
        for compiler in 'g++', 'clang++':
            for flags in (['-O0'], ['-O2'], ['-O2', '-gdwarf-4', '-no-pie']):
                with self.subTest(compiler=compiler, flags=flags):
                    need(compiler)
                    source = self.write('thing.cc', CPLUSPLUS)
                    program = self.path('program')
                    run(compiler, '-g', *flags, source, '-o', program)
                    found = self.compare_with_tools(program)
                    self.compare_calls(program, files=compiler == 'g++' or '-gdwarf-4' in flags)
                    self.check_demangled(program, found)

    def check_demangled(self, program, found):
        """With parameters as c++filt has it, without as nm's demangler without them."""
        places = [(program, None, answer.start, 'name') for answer in found.values()]
        raws = [answer.raw for answer in found.values()]
        for style, option in (('params', []), ('plain', ['-p'])):
            filtered = run('c++filt', *option, input='\n'.join(raws)).splitlines()
            for raw, expected, answer in zip(raws, filtered,
                                             self.ask(places, f'--demangle={style}')):
                if style == 'plain' and '.' in raw and raw.startswith('_Z'):
                    expected += f' [clone {raw[raw.index("."):]}]'
                self.assertEqual(answer.name, expected)
                self.assertEqual(answer.raw, raw)
        self.assertIn('outer::call', [a.name for a in self.ask(places)])
        self.assertIn('outer::call(int)', [a.name for a in self.ask(places, '--demangle=params')])

    def test_rust(self):
        need('rustc')
        source = self.write('program.rs', '''
mod inner {
    pub trait Shape { fn area(&self) -> u32; }
    pub struct Square(pub u32);
    impl Shape for Square { #[inline(never)] fn area(&self) -> u32 { self.0 * self.0 } }
    #[inline(never)] pub fn sum<T: Shape>(a: &T, b: &T) -> u32 { a.area() + b.area() }
}
fn main() {
    println!("{}", inner::sum(&inner::Square(3), &inner::Square(std::process::id())));
}
''')
        for mangling in 'legacy', 'v0':
            program = self.path(mangling)
            command = ['rustc', '-g', '-Csymbol-mangling-version=' + mangling]
            if mangling == 'legacy':
                command.append('-Zunstable-options')
            run(*command, source, '-o', program,
                env=dict(os.environ, RUSTC_BOOTSTRAP='1'))
            known = [a for a, names in functions(program).items()
                     if any('program' in name and 'inner' in name for name in names)]
            names = {a.name for a in self.ask([(program, None, a, 'entry') for a in known])}
            self.assertTrue(any(re.match(r'program::inner::sum', name) for name in names), names)
            self.assertTrue(any(re.search('program::inner::Square.* as program::inner::Shape>::area', name)
                                for name in names), names)
            for answer in self.ask([(program, None, a, 'entry') for a in known]):
                self.assertTrue(answer.file.endswith('/program.rs'), answer)
                self.assertNotRegex(answer.name, r'17h[0-9a-f]{16}|::h[0-9a-f]{16}$')


class RunningProgram(common.Case):
    """The program itself says where it was: address less the load bias that the dynamic
    linker reports, and the line by __LINE__."""

    SOURCE = r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
static struct dl_phdr_info found;
static int look(struct dl_phdr_info *info, size_t size, void *address)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
    {
        const ElfW(Phdr) *head = &info->dlpi_phdr[i];
        if (head->p_type == PT_LOAD &&
            (ElfW(Addr))address - info->dlpi_addr - head->p_vaddr < head->p_memsz)
            found = *info;
    }
    return 0;
}
void __attribute__((noinline)) say(const char *name, void *address, int line)
{
    dl_iterate_phdr(look, address);
    printf("%s %lx %s %d\n", name, (long)address - (long)found.dlpi_addr, found.dlpi_name, line);
}
'''
    LIBRARY = SOURCE.replace('void __attr', 'static void __attr') + r'''
void __attribute__((noinline)) in_library(void) { say("in_library", (void *)in_library, __LINE__); }
static void __attribute__((noinline)) hidden(void) { say("hidden", (void *)hidden, __LINE__); }
void __attribute__((noinline)) caller(void (*back)(void)) { in_library(); hidden(); back(); puts(""); }
'''
    PROGRAM = SOURCE + r'''
extern void caller(void (*)(void));
extern void in_library(void);
static void __attribute__((noinline)) back(void)
{
    say("back", (void *)back, __LINE__ - 2);
}
int main(int argc, char **argv)
{
    say("main", (void *)main, __LINE__ - 2);
    if (argc > 99)
        in_library();
    caller(back);
    return 0;
}
'''

    def test_where_it_was(self):
        need('gcc')
        library = self.path('libthing.so')
        run('gcc', '-g', '-O1', '-shared', '-fPIC', self.write('thing.c', self.LIBRARY), '-o',
            library)
        source = self.write('program.c', self.PROGRAM)
        for flags in (['-pie', '-fPIE'], ['-no-pie', '-fno-pie'],
                      ['-pie', '-fPIE', '-Wl,-Ttext-segment=0x20000000']):
            with self.subTest(flags=flags):
                program = self.path('program')
                run('gcc', '-g', '-O1', *flags, source, '-o', program, library,
                    f'-Wl,-rpath,{self.folder}')
                said = [line.split(' ') for line in run(program).splitlines() if line]
                self.assertEqual(len(said), 4)
                for name, offset, file, line in said:
                    answer, = self.ask([(file or program, build_id(file or program),
                                         int(offset, 16), 'entry')])
                    self.assertEqual((answer.name, answer.line), (name, int(line)))


if __name__ == '__main__':
    common.main()
