#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where fcmanager puts the files, and what it says of that, where there is no place for them, too.  Run by Meson
with FC_BINDIR in the environment."""

import os
import re
import subprocess
import unittest

import wire
from driven import Driven
from started import pair


class Written(Driven):
    def test_use_pid(self):
        manager = self.manager('--use-pid')
        child = self.process()
        key = child.pid << 32 | 1
        manager.send(wire.hello(key, child.pid, start=5), wire.data(key, 1, 0, pair(10, 1), 3))
        manager.close()
        self.end(child)
        self.assertEqual(manager.wait(), 0)
        self.assertEqual(self.files(), [f'out.{child.pid}.fc'])

    def test_folder_that_is_not_there(self):
        """Said at the start; a file that can be written in the end is written."""
        manager = self.manager(directory='later')
        self.assertIn("FCMng: can't open 'later': No such file", manager.greeting)
        child = self.process()
        key = child.pid << 32 | 1
        os.mkdir(self.path('later'))
        manager.shared.claim(1, key, 1, 0, 3)
        manager.send(wire.hello(key, child.pid, start=5), wire.message(wire.QUIT, key, 1, 1, 9))
        self.assertIn("Profile file is 'later/out.fc'\n", manager.wait_answer(1))
        self.assertEqual(os.listdir(self.path('later')), ['out.fc'])

    def run_and_quit(self, *options, **named):
        """The greeting and the farewell of a run of one process."""
        manager = self.manager(*options, **named)
        child = self.process()
        key = child.pid << 32 | 1
        manager.shared.claim(1, key, 1, 0, 3)
        manager.send(wire.hello(key, child.pid, start=5), wire.message(wire.QUIT, key, 1, 1, 9))
        return manager.greeting, manager.wait_answer(1)

    def fallback(self, answer):
        """The folder that the manager says it made in $TMPDIR."""
        return re.search(r"written to '(.*/tmp/functioncheck-\w{6})' instead\n", answer)[1]

    def test_folder_that_never_is(self):
        """The profile goes to $TMPDIR, where nobody else can see it, and that is said."""
        os.mkdir(self.path('tmp'))
        greeting, answer = self.run_and_quit(directory='never', env={'TMPDIR': self.path('tmp')})
        self.assertIn("FCMng: can't open 'never': No such file", greeting)
        folder = self.fallback(answer)
        self.assertIn(f"FCMng: Profile file is '{folder}/out.fc'\n", answer)
        self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
        self.assertEqual(os.listdir(folder), ['out.fc'])

    def test_nowhere_to_write(self):
        """Said, and no file is named that is not there."""
        _, answer = self.run_and_quit(directory='never', env={'TMPDIR': self.path('neither')})
        self.assertIn("FCMng: can't open 'never': No such file or directory; can't make a folder in "
                      f"'{self.path('neither')}': No such file or directory\n", answer)
        self.assertNotIn('Profile file is', answer)
        self.assertIn('FCMng: no profile was written\n', answer)

    def test_quiet(self):
        """Only that something went wrong with the profile is said, once."""
        os.mkdir(self.path('tmp'))
        env = {'TMPDIR': self.path('tmp')}
        self.assertEqual(self.run_and_quit('--quiet', env=env), ('', ''))
        greeting, answer = self.run_and_quit('--quiet', directory='never', env=env)
        self.assertEqual(greeting, '')  # it may be there at the end
        self.assertRegex(answer, r"^FCMng: can't open 'never': .*; written to '.*' instead\n$")

    def small_disk(self, name):
        os.mkdir(self.path(name))
        mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none',
                                  self.path(name)], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f'mount: {mounted.stderr.decode().strip()}')
        self.addCleanup(subprocess.run, ['umount', '-l', self.path(name)], check=True)

    def fill(self, name):
        with open(self.path(f'{name}/filling'), 'wb', buffering=0) as file:
            try:
                while True:
                    file.write(b'x' * 1024)
            except OSError:
                pass

    def test_nothing_stale(self):
        """Where the profile can't be put in place, none of an earlier run is left there."""
        self.small_disk('full')
        with open(self.path('full/out.fc'), 'x', encoding='utf-8'):
            pass
        self.fill('full')
        os.mkdir(self.path('tmp'))
        _, answer = self.run_and_quit(directory='full', env={'TMPDIR': self.path('tmp')})
        self.assertIn("FCMng: can't write 'full/out.fc': cannot write: No space left", answer)
        self.assertEqual(os.listdir(self.fallback(answer)), ['out.fc'])
        self.assertEqual(os.listdir(self.path('full')), ['filling'])

    def test_some_files_elsewhere(self):
        """The disk is full when the second of two processes ends: the descriptor beside its profile
        leads to both."""
        self.small_disk('disk')
        os.mkdir(self.path('tmp'))
        manager = self.manager(directory='disk', env={'TMPDIR': self.path('tmp')})
        children = [self.process(), self.process()]
        keys = [child.pid << 32 | 1 for child in children]
        for chunk, (child, key) in enumerate(zip(children, keys), 1):
            manager.shared.claim(chunk, key, 1, 0, 3)
            manager.send(wire.hello(key, child.pid, start=5))
        manager.send(wire.message(wire.QUIT, keys[1], 1, 2, 9))
        manager.wait_answer(2)
        self.fill('disk')
        manager.send(wire.message(wire.QUIT, keys[0], 1, 1, 9))
        folder = self.fallback(manager.wait_answer(1))
        with open(os.path.join(folder, 'out.fcd'), encoding='utf-8') as file:
            named = re.findall('file: (.*)', file.read())
        self.assertEqual(named, [f'out.fc.{children[0].pid}',
                                 self.path(f'disk/out.fc.{children[1].pid}')])

    def test_names(self):
        """The name is without .fc: one that has it gets another."""
        self.run_and_quit(name='a.fc')
        self.assertEqual(self.files(), ['a.fc.fc'])


if __name__ == '__main__':
    unittest.main()
