# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of fcdump's symbols share: a folder of their own, compilers, the probe,
and the tools they compare it with (nm, addr2line, readelf, objdump)."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import namedtuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../support'))
from machine import MACHINE  # noqa: E402, F401

Answer = namedtuple('Answer', 'name raw start static file line')
PROBE = None
# Without the linker's plug-ins, LLVM's among them, which nm takes ten times as long to load as to read symbols.
NM = ('nm', '--plugin=/dev/null')


def run(*command, **options):
    """The command's output; a failure shows the command and what it said."""
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, errors='replace', **options)
    if result.returncode != 0:
        raise AssertionError(f'{" ".join(map(str, command))}: status {result.returncode}\n'
                             f'{result.stdout}{result.stderr}')
    return result.stdout


def need(*tools):
    """Skips the test where a tool is not installed."""
    for tool in tools:
        if not shutil.which(tool):
            raise unittest.SkipTest(f'{tool} is not installed')


def build_id(path):
    found = re.search(r'Build ID: ([0-9a-f]+)', run('readelf', '-n', path))
    return found and found.group(1)


def ask_raw(places, *options, environment=None):
    """Answers and warnings of the probe for (path, build-id or None, offset, kind)."""
    text = ''.join(f'{path}\t{build or "-"}\t{offset:x}\t{kind}\n'
                   for path, build, offset, kind in places)
    result = subprocess.run([PROBE, *options], input=text, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, errors='replace',
                            env=environment)
    if result.returncode != 0:
        raise AssertionError(f'probe: status {result.returncode}\n{result.stderr}')
    answers = []
    for line in result.stdout.splitlines():
        name, raw, start, static, file, number = line.split('\t')
        answers.append(Answer(name, None if raw == '-' else raw, int(start, 16),
                              static == 'static', None if file == '-' else file, int(number)))
    if len(answers) != len(places):
        raise AssertionError(f'{len(places)} questions, {len(answers)} answers')
    return answers, result.stderr.splitlines()


def functions(path, *options):
    """{address: set of names} of the functions in nm's view of the file."""
    found = {}
    for line in run(*NM, '--defined-only', *options, path).splitlines():
        words = line.split(None, 2)
        if len(words) == 3 and words[1] in 'TtWwi':
            found.setdefault(int(words[0], 16), set()).add(words[2])
    return found


def source_lines(path, addresses):
    """[(file, line)] as addr2line has it: None and 0 where it knows nothing."""
    result = run('addr2line', '-e', path, input='\n'.join(f'{a:x}' for a in addresses))
    lines = []
    for text in result.splitlines():
        file, _, number = re.sub(r' \(discriminator \d+\)$', '', text).rpartition(':')
        lines.append((None if file == '??' else file, int(number) if number != '?' else 0))
    return lines


def entry_lines(path):
    """{address: (base name, line)}: the first row of the line table at each address that
    begins a statement, which is where the function there begins in the source."""
    found = {}
    others = {}
    for line in run('readelf', '-W', '-wL', path).splitlines():
        match = re.match(r'(\S.*?)\s+(\d+)\s+0x([0-9a-f]+)\b(.*)', line)
        if match:
            row = os.path.basename(match.group(1)), int(match.group(2))
            rows = found if match.group(4).endswith('x') else others
            rows.setdefault(int(match.group(3), 16), row)
    return {**others, **found}


class Entry:
    """What readelf shows of a DW_TAG_subprogram."""

    def __init__(self):
        self.start = self.line = self.origin = self.name = None
        self.in_parts = False


def read_entries(path):
    """{offset: Entry} of the functions in readelf's view of the file."""
    entries = {}
    entry = Entry()
    for text in run('readelf', '-W', '-wi', path).splitlines():
        match = re.match(r' *<[0-9a-f]+><([0-9a-f]+)>: Abbrev Number: \d+ \((\w+)\)', text)
        if match:
            entry = Entry()
            if match.group(2) == 'DW_TAG_subprogram':
                entries[int(match.group(1), 16)] = entry
            continue
        match = re.match(r' *<[0-9a-f]+> +DW_AT_(\w+) *: (.*)', text)
        if not match:
            continue
        name, value = match.groups()
        if name == 'low_pc':
            entry.start = int(value.split()[-1], 16)
        elif name == 'ranges':
            entry.in_parts = True
        elif name == 'name':
            entry.name = value.split()[-1]
        elif name == 'decl_line':
            entry.line = int(value.split()[-1])
        elif name in ('abstract_origin', 'specification'):
            entry.origin = int(re.search(r'<(?:0x)?([0-9a-f]+)>', value).group(1), 16)
    return entries


def declared_lines(path):
    """{address: {(file, line)}}: entry_lines with the lines that readelf shows of the entries of functions with code at
    those addresses, from their declarations in place of their first row.  Functions with parts that gcc set apart
    are known by name: readelf does not show all lists of such parts.  Their first row may be that of what was
    inlined from another file, and stays then."""
    rows = entry_lines(path)
    found = {address: {row} for address, row in rows.items()}
    entries = read_entries(path)
    names = functions(path)
    starts = {entry.start for entry in entries.values()}
    for entry in entries.values():
        source = entry
        while source and (source.line is None or entry.in_parts and source.name is None):
            source = entries.get(source.origin)
        if not source:
            continue
        addresses = [entry.start]
        if entry.in_parts:
            addresses = [address for address, known in names.items()
                         if source.name in {name.split('.')[0] for name in known} and address not in starts]
        for address in addresses:
            if address in found:
                declared = rows[address][0], source.line
                found[address] = {declared} if address == entry.start else {declared, rows[address]}
    return found


def return_addresses(path):
    """The address behind each call instruction that objdump shows."""
    found = []
    is_call = False
    for line in run('objdump', '-d', '--no-show-raw-insn', path).splitlines():
        match = re.match(r'\s*([0-9a-f]+):\s+(\S+)', line)
        if not match:
            continue
        if is_call:
            found.append(int(match.group(1), 16))
        is_call = match.group(2).startswith('call')
    return found


class Case(unittest.TestCase):
    """A test in a temporary folder of its own."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix='fc-symbols-'))
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        return self.path(name)

    def ask(self, places, *options, **more):
        """The answers, where no warning is expected."""
        answers, warnings = ask_raw(places, *options, **more)
        self.assertEqual(warnings, [])
        return answers

    def compare_with_tools(self, path, asked=None, symbols_from=None, lines_from=None):
        """Every function's name with nm's, the line of its declaration with readelf's and the file with
        addr2line's.  `asked`: the path that the probe is asked about, if another one;
        `symbols_from`: the separate debug file; `lines_from`: a file with the same code."""
        known = functions(symbols_from or path)
        rows = declared_lines(lines_from or symbols_from or path)
        sizes = {}
        for line in run(*NM, '-S', '--defined-only', symbols_from or path).splitlines():
            words = line.split(None, 3)
            if len(words) == 4:
                sizes[int(words[0], 16)] = int(words[1], 16)
        addresses = sorted(a for a in known if sizes.get(a))
        self.assertTrue(addresses, f'nm knows no function in {path}')
        build = build_id(path)
        answers = self.ask([(asked or path, build, a, 'entry') for a in addresses],
                           '--demangle=none')
        lines = source_lines(symbols_from or path, addresses)
        for address, answer, (file, _) in zip(addresses, answers, lines):
            what = f'{path} {address:#x}'
            self.assertIn(answer.raw, known[address], what)
            self.assertEqual(answer.start, address, what)
            self.assertIn((answer.file and os.path.basename(answer.file), answer.line),
                          rows.get(address, {(None, 0)}), what)
            # addr2line takes another row, and the wrong file after link-time optimization
            if answer.file and os.path.basename(file) == os.path.basename(answer.file):
                self.assertEqual(os.path.dirname(answer.file), os.path.dirname(file), what)
        return {answer.raw: answer for answer in answers}

    def compare_calls(self, path, files=True):
        """The line of every call with addr2line's for the byte before its end.  Without
        `files` the number alone: addr2line takes the wrong file for clang's DWARF 5."""
        returns = return_addresses(path)
        self.assertTrue(returns)
        answers = self.ask([(path, None, a, 'return') for a in returns])
        lines = source_lines(path, [a - 1 for a in returns])
        for address, answer, (file, line) in zip(returns, answers, lines):
            if line:
                self.assertEqual(answer.line, line, f'{address:#x}')
            if line and files and not file.endswith('<artificial>'):
                self.assertEqual(answer.file, file, f'{address:#x}')


def main():
    global PROBE
    PROBE = sys.argv.pop(1)
    unittest.main(module='__main__', verbosity=2)
