#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is installed: `ninja uninstall` leaves none of it, and the wrappers of headers that clang finds are of headers
that there are, so that __has_include tells programs the truth.  And where nothing can be: with another C library."""

import glob
import os
import re
import shutil
import subprocess

from common import clean_environment, expect, finish, flags, folder, run

BUILD = os.environ["FC_BUILD_ROOT"]

# Of C, where there is no <bits/c++config.h> as there is none with libc++; programs find out by them which library
# they have.
ASKS = r"""
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#endif
#if __has_include(<__config_site>)
#include <__config_site>
#endif
#if __has_include(<__config>) || defined(__GLIBCXX__)
#error "a library that is not there"
#endif
"""


def files_below(place):
    return [os.path.join(where, name) for where, _, names in os.walk(place) for name in names]


def meson(*arguments):
    done = subprocess.run(["meson", *arguments], cwd=BUILD, env=clean_environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, "meson " + arguments[0], done.stdout)


def check_uninstall(work):
    """As `ninja uninstall` does it: by the list that Meson keeps of the last installation from a build folder."""
    list_of_last = os.path.join(BUILD, "meson-logs/install-log.txt")
    kept = os.path.join(work, "kept")
    if os.path.exists(list_of_last):
        shutil.copy2(list_of_last, kept)
    root = os.path.join(work, "root")
    meson("install", "--no-rebuild", "--quiet", "--destdir", root)
    installed = files_below(root)
    expect(len(installed) > 150, "files are installed", installed)
    meson("--internal", "uninstall")
    left = files_below(root)
    expect(not left, "nothing is left of %d files" % len(installed), "\n".join(left))
    os.unlink(list_of_last)
    if os.path.exists(kept):
        shutil.copy2(kept, list_of_last)


def check_other_libc(work):
    """One that does not say that it is GNU's, and before anything else is looked for."""
    os.mkdir(os.path.join(work, "include"))
    with open(os.path.join(work, "include/features.h"), "w") as file:
        file.write("#include_next <features.h>\n#undef __GLIBC__\n")
    done = run(["meson", "setup", os.path.join(work, "other"), os.environ["FC_SOURCE_ROOT"]], work,
               CC="cc -isystem " + os.path.join(work, "include"))
    said = re.search("ERROR: .*", done.stdout)
    expect(done.returncode != 0 and said and "needs the GNU C library" in said.group(), "another C library", done.stdout)
    expect("glib-2.0" not in done.stdout, "it is looked at first", done.stdout)


def check_wrappers(work):
    place = re.search(r"-iwithsysroot(\S+)", " ".join(flags("--cflags"))).group(1)
    # of those in folders some are parts of headers, which not all versions have
    names = sorted(os.path.basename(path) for path in glob.glob(place + "/*") if os.path.isfile(path))
    names.remove("__config_site")
    names.remove("functioncheck-not-linked.h")  # ours, which they include
    expect(len(names) > 100, "wrappers are installed", names)
    with open(os.path.join(work, "t.cc"), "w") as file:
        file.writelines("#if !__has_include(<%s>)\nmissing %s\n#endif\n" % (name, name) for name in names)
    done = run(["clang++", "-E", "-P", "t.cc"], work)
    expect(done.returncode == 0 and not done.stdout.strip(), "each wrapper is of a header that there is", done.stdout)
    with open(os.path.join(work, "t.c"), "w") as file:
        file.write(ASKS)
    done = run(["clang", "-E", *flags("--cflags"), "t.c"], work)
    expect(done.returncode == 0, "no library is found where there is none", done.stderr)


with folder() as work_folder:
    check_uninstall(work_folder)
    check_other_libc(work_folder)
    if shutil.which("clang++"):
        check_wrappers(work_folder)
finish()
