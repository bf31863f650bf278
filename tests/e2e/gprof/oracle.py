# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs GNU gprof and fcgprof side by side and compares what they print and write."""
import concurrent.futures
import difflib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading

GPROF = shutil.which('gprof') or '/usr/bin/gprof'
FCGPROF = os.environ.get('FCGPROF') or os.path.join(os.environ.get('FC_BINDIR', ''), 'fcgprof')
# Where gprof gives up on a sound image and fcgprof goes on; see the manual.  A gprof
# that crashes is no model either.
GPROF_FAILS = (b'somebody miscounted',)
DEFAULTS = ['a.out', 'gmon.out', 'gmon.sum']
SKIP = 77  # the exit status that tells Meson a test was skipped
TIMEOUT_S = 300
CPU_S = 60  # a tool that works for so long is ended by a signal
# There are command lines that gprof never stops printing for: a signal ends it then.
OUTPUT_MAX = 100 << 20
resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_MAX, resource.RLIM_INFINITY))
WORKERS = max(2, os.cpu_count() or 2)


def gprof_version():
    """(2, 40), or what it is."""
    said = subprocess.run([GPROF, '--version'], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r'(\d+)\.(\d+)', said).groups()))


def has_other_static_calls(args):
    """Whether -c is among them and gprof a later one, which no longer sees a call that ends where the code of its
    line or function does (x86), and none that is not aligned (AArch64): fcgprof finds all that gprof 2.40 found."""
    wanted = any(re.match('--st|-[abDLTxyzl]*c', word) for word in args)
    return wanted and gprof_version() > (2, 40)


def need_oracle():
    if not os.path.exists(GPROF):
        print('gprof is not installed')
        sys.exit(SKIP)


def run(tool, args, cwd, stdin=None, env=None):
    """(status, stdout, stderr).  A tool that a signal ends has a negative status."""
    environment = {k: v for k, v in os.environ.items() if k not in ('GPROF_PATH', 'LANGUAGE')}
    # Memory that a tool forgets to set must not decide a comparison.
    environment.update(LC_ALL='C', MALLOC_PERTURB_='255')
    environment.update(env or {})
    with open(stdin or os.devnull, 'rb') as source, tempfile.TemporaryFile() as out:
        process = subprocess.Popen([tool] + args, cwd=cwd, stdin=source, stdout=out,
                                   stderr=subprocess.PIPE, env=environment)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (CPU_S, CPU_S))
        try:
            _, said = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return -1, b'', b'no end'
        out.seek(0)
        return process.returncode, out.read(), said


def learn_blurbs(tool, folder, image, profile):
    """The explanations that a tool prints without -b: found by printing with and without."""
    blurbs = []
    for style in ([], ['-T']):
        for report in ('-p', '-q'):
            words = style + [report, image, profile]
            brief = run(tool, ['-b'] + words, folder)[1]
            full = run(tool, words, folder)[1]
            brief = brief.replace(b'\t\t\tCall graph', b'\t\t     Call graph (explanation follows)')
            start = len(os.path.commonprefix([brief, full]))
            # What follows the explanation is what the brief report goes on with.
            end = len(full) - (len(brief) - start)
            if end <= start or full[end:] != brief[start:]:
                sys.exit(f'{tool} {words}: no single explanation')
            # Cut at another place where it begins as the rest of the report does.
            shifts = len(os.path.commonprefix([full[start - 1::-1], full[end - 1::-1]]))
            blurbs.append([full[start - n:end - n] for n in range(shifts + 1)])
    return blurbs


def mark_blurb(out, cuts, mark):
    """`out` with the mark for the explanation, given as it reads cut at any of several places.
    Empty lines around it are a matter of where the cut is made."""
    for cut in cuts:
        parts = out.split(cut)
        if len(parts) > 1:
            parts[1:] = [part.lstrip(b'\n') for part in parts[1:]]
            parts[:-1] = [part.rstrip(b'\n') for part in parts[:-1]]
            out = mark.join(parts)
    return out


def without_spare(data):
    """A gmon.sum file without the bytes of its header that mean nothing."""
    if data.startswith(b'gmon'):
        return data[:8] + bytes(12) + data[20:]
    for width in (4, 8):
        if data[2 * width + 4:2 * width + 8] in (b'\x79\x18\x05\0', b'\0\x05\x18\x79'):
            at = 2 * width + 12
            return data[:at] + bytes(12) + data[at + 12:]
    return data


class Comparison:
    """Counts comparisons and remembers what differed.  Thread-safe."""

    def __init__(self, limit=10):
        self.done = 0
        self.beyond = 0  # comparisons that gprof had no answer for
        self.failed = []
        self.limit = limit
        self.lock = threading.Lock()
        self.blurbs = {}
        self.pool = concurrent.futures.ThreadPoolExecutor(WORKERS)
        self.pending = []

    def learn_blurbs(self, folder, image, profile):
        for tool in (GPROF, FCGPROF):
            self.blurbs[tool] = learn_blurbs(tool, folder, image, profile)

    def run_private(self, tool, args, folder, stdin, env):
        """Runs in a folder of its own that shows the files of `folder` that it may need."""
        with tempfile.TemporaryDirectory() as place:
            for name in DEFAULTS + args:
                source = os.path.join(folder, name.lstrip('@'))
                name = os.path.basename(source)
                if os.path.dirname(source) != folder or not os.path.lexists(source) or \
                        os.path.lexists(os.path.join(place, name)):
                    continue
                if name == 'gmon.sum' or name.endswith('-ann'):
                    shutil.copy(source, place)  # the tools may write it
                else:
                    os.symlink(source, os.path.join(place, name))
            status, out, err = run(tool, args, place, stdin, env)
            # One may be a part of another.
            for number, cuts in sorted(enumerate(self.blurbs.get(tool, ())),
                                       key=lambda blurb: -len(blurb[1][0])):
                out = mark_blurb(out, cuts, b'<%d>' % number)
            written = {}
            for name in os.listdir(place):
                path = os.path.join(place, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, 'rb') as data:
                        written[name] = without_spare(data.read())
        return status, out, written, err

    def check(self, args, folder, stdin=None, env=None, note=''):
        """One command line with both tools.  True if all agrees."""
        if has_other_static_calls(args):
            return True
        expected, found = (self.run_private(t, args, folder, stdin, env)
                           for t in (GPROF, FCGPROF))
        with self.lock:
            self.done += 1
            if expected[:3] == found[:3]:
                return True
            gave_up = expected[0] == 1 and any(w in expected[3] for w in GPROF_FAILS)
            if (gave_up or expected[0] < 0) and found[0] in (0, 1):
                self.beyond += 1
                return True
            self.report(args, folder, expected, found, note)
        return False

    def later(self, *args, **kwargs):
        """Like check(), in the background."""
        self.pending.append(self.pool.submit(self.check, *args, **kwargs))

    def wait(self):
        for job in self.pending:
            job.result()
        self.pending = []

    def report(self, args, cwd, expected, found, note):
        self.failed.append(args)
        if len(self.failed) > self.limit:
            return
        print('DIFFERENT: gprof', ' '.join(args), 'in', cwd, note)
        if expected[0] != found[0]:
            print('  status', expected[0], 'but', found[0])
        if expected[0] != 0 or found[0] != 0:
            print('  gprof says', expected[3][:300])
            print('  fcgprof says', found[3][:300])
        before = expected[1].decode('latin-1').splitlines()
        after = found[1].decode('latin-1').splitlines()
        for line in list(difflib.unified_diff(before, after, 'gprof', 'fcgprof', lineterm='',
                                              n=1))[:30]:
            print('  ' + line[:200])
        for name in sorted(set(expected[2]) | set(found[2])):
            if expected[2].get(name) != found[2].get(name):
                print('  file', name, 'differs:', len(expected[2].get(name, b'')),
                      len(found[2].get(name, b'')))
        sys.stdout.flush()

    def finish(self):
        self.wait()
        print(f'{self.done} comparisons, {len(self.failed)} differences, '
              f'{self.beyond} times gprof gave up')
        sys.exit(1 if self.failed or not self.done else 0)
