# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs GNU gprof and fcgprof side by side and compares what they print."""
import difflib
import os
import shutil
import subprocess
import sys

GPROF = shutil.which('gprof') or '/usr/bin/gprof'
FCGPROF = os.environ.get('FCGPROF') or os.path.join(os.environ.get('FC_BINDIR', ''), 'fcgprof')
SKIP = 77  # the exit status that tells Meson a test was skipped


def need_oracle():
    if not os.path.exists(GPROF):
        print('gprof is not installed')
        sys.exit(SKIP)
    text = subprocess.run([GPROF, '--version'], capture_output=True, text=True, check=False).stdout
    if ' 2.40' not in text:
        print('gprof is not 2.40 but', text.splitlines()[0])
        sys.exit(SKIP)


def run(tool, args, cwd, stdin=None, env=None):
    environment = dict(os.environ, LC_ALL='C', MALLOC_PERTURB_='255')
    environment.update(env or {})
    with open(stdin, 'rb') if stdin else open(os.devnull, 'rb') as source:
        done = subprocess.run([tool] + args, cwd=cwd, stdin=source, capture_output=True,
                              env=environment, timeout=600, check=False)
    return done.returncode, done.stdout, done.stderr


class Comparison:
    """Counts comparisons and remembers what differed."""

    def __init__(self, limit=10):
        self.done = 0
        self.failed = []
        self.limit = limit

    def check(self, args, cwd, stdin=None, files=(), env=None):
        """One command line with both tools; `files` are written by them and compared too."""
        self.done += 1
        results = []
        for tool in (GPROF, FCGPROF):
            for name in files:
                if os.path.exists(os.path.join(cwd, name)):
                    os.remove(os.path.join(cwd, name))
            status, out, err = run(tool, args, cwd, stdin, env)
            written = {}
            for name in files:
                path = os.path.join(cwd, name)
                if os.path.exists(path):
                    with open(path, 'rb') as data:
                        written[name] = data.read()
            results.append((status, out, written, err))
        expected, found = results
        if expected[:3] == found[:3]:
            return True
        self.report(args, cwd, expected, found)
        return False

    def report(self, args, cwd, expected, found):
        self.failed.append(args)
        if len(self.failed) > self.limit:
            return
        print('DIFFERENT: gprof', ' '.join(args), 'in', cwd)
        if expected[0] != found[0]:
            print('  status', expected[0], 'but', found[0])
            print('  gprof says', expected[3][:300])
            print('  fcgprof says', found[3][:300])
        before = expected[1].decode('latin-1').splitlines()
        after = found[1].decode('latin-1').splitlines()
        for line in list(difflib.unified_diff(before, after, 'gprof', 'fcgprof', lineterm='',
                                              n=1))[:30]:
            print('  ' + line)
        for name in set(expected[2]) | set(found[2]):
            if expected[2].get(name) != found[2].get(name):
                print('  file', name, 'differs')

    def finish(self):
        print(f'{self.done} comparisons, {len(self.failed)} differences')
        sys.exit(1 if self.failed or not self.done else 0)
