# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of fcmanager alone have in common: a folder, managers in it, processes for them to follow, and what
the profiles say."""

import os
import re
import subprocess
import tempfile
import unittest

from started import Manager


def functions(path):
    """Function address -> (calls, total), from the sections of our own."""
    found = {}
    with open(path, encoding='utf-8') as file:
        text = file.read()
    head = text.splitlines()
    arcs = int(head[7])
    count = int(head[8 + arcs])
    addresses = [int(line.split()[0], 16) for line in head[9 + arcs:9 + arcs + count]]
    section = re.search(r'^section functions \d+ (\d+)\n((?:.*\n)*?)(?=section |\Z)', text, re.M)
    for address, line in zip(addresses, section.group(2).splitlines()):
        words = line.split()
        found[address] = (int(words[2]), int(words[3]))
    return found


def value_of(path, word):
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.startswith(word + ' '):
                return line[len(word) + 1:].rstrip('\n')
    return None


class Driven(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.cleanup = []

    def tearDown(self):
        for thing in self.cleanup:
            if isinstance(thing, Manager):
                thing.stop()
            elif thing.poll() is None:
                thing.kill()
                thing.wait()

    def manager(self, *options, **named):
        made = Manager(self.folder, *options, **named)
        self.cleanup.append(made)
        return made

    def process(self):
        """One to be followed."""
        made = subprocess.Popen(['sleep', '1000'])
        self.cleanup.append(made)
        return made

    def end(self, process):
        process.kill()
        process.wait()

    def files(self):
        return sorted(os.listdir(self.folder))

    def path(self, name):
        return os.path.join(self.folder, name)
