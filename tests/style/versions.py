#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between versions of the C library, of binutils, of Debian, and between ways to build, where this
machine has one of them alone: the others are imitated."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ["FC_BUILD_ROOT"]
SOURCE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# As <string.h> of glibc 2.43 has them: constant where the argument is.
GENERIC = "#include <string.h>\n" + "".join(
    f"#define {name}(s, ...) _Generic((s), const char *: (const char *){name}((s), __VA_ARGS__), "
    f"const void *: (const void *){name}((s), __VA_ARGS__), default: {name}((s), __VA_ARGS__))\n"
    for name in ("memchr", "strchr", "strpbrk", "strrchr", "strstr"))
# What 2.44 of binutils has no more.
GONE = """#define PACKAGE "functioncheck"
#define PACKAGE_VERSION FC_VERSION
#include <bfd.h>
#pragma GCC poison bfd_bread bfd_bwrite
"""
DPKG_QUERY = """#!/bin/sh
for last; do :; done
case $last in
gcc | libtcmalloc-minimal4t64) echo installed ;;
two-architectures) printf 'installed\\ninstalled\\n' ;;
removed) echo config-files ;;
-f=*) printf 'installed \\ninstalled other, virtual (= 3), libmore (>= 2)\\nnot-installed gone\\n' ;;
*) exit 1 ;;
esac
"""


def command_of(source, target):
    """How `source` is compiled for `target`, without what it makes."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as stream:
        entry, = [entry for entry in json.load(stream) if entry["file"].endswith(source) and
                  entry["output"].startswith(target)]
    words = shlex.split(entry["command"])
    return words[:words.index("-MD")] + ["-c", os.path.join(SOURCE, source)], entry["directory"]


class Versions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
        return path

    def compile(self, source, target, *flags):
        words, folder = command_of(source, target)
        done = subprocess.run([*words, *flags], cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), source)

    def test_generic_macros_of_string_h(self):
        header = self.path("generic.h", GENERIC)
        self.compile("libfc/string.c", "libfc/libfc.so", "-include", header, "-fsyntax-only")

    def test_libbfd_renames(self):
        header = self.path("gone.h", GONE)
        self.compile("fcgprof/object.c", "fcgprof/libgprof.a", "-include", header, "-fsyntax-only")

    def test_link_time_optimization(self):
        # What the user's flags ask for comes before ours.
        words, folder = command_of("libfc/hooks/jumps.c", "libfc/libfc.so")
        made = self.path("jumps.o")
        compiler = next(i for i, word in enumerate(words) if word.startswith("-"))
        subprocess.run([*words[:compiler], "-flto", *words[compiler:], "-o", made], cwd=folder, check=True)
        names = subprocess.run(["readelf", "-SW", made], capture_output=True, text=True, check=True).stdout
        self.assertIn(".text", names)
        self.assertNotIn(".gnu.lto_", names)

    def test_packages_of_other_names(self):
        os.chmod(self.path("dpkg-query", DPKG_QUERY), 0o755)
        environment = dict(os.environ, PATH=self.folder.name + ":" + os.environ["PATH"])
        script = '. tools/setup.sh; packages_missing "$@"'
        for packages, missing in ((["libtcmalloc-minimal4", "gcc", "two-architectures"], ""),
                                  (["virtual", "libmore", "other"], ""),
                                  (["gone", "removed", "gcc"], "gone removed ")):
            done = subprocess.run(["sh", "-c", script, "sh", *packages], cwd=SOURCE, env=environment,
                                  capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, missing)

    def test_no_apt(self):
        os.symlink("/bin/sh", self.path("sh"))
        for name in ("cut", "sort", "tr", "cat"):
            os.symlink(subprocess.run(["which", name], capture_output=True, text=True, check=True).stdout.strip(),
                       self.path(name))
        done = subprocess.run(["/bin/sh", "-c", ". tools/setup.sh; packages_install build"], cwd=SOURCE,
                              env={"PATH": self.folder.name}, capture_output=True, text=True, check=True)
        for words in ("dnf install", "elfutils-devel", "pacman -S", "npm install --global esbuild"):
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
