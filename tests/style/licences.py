#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails where what becomes a part of users' programs is under a licence that asks something of these: the hooks that
fc-config's flags link into each module, with all of ours that they include, and what the compiler and the linker
read.  And where a file names a licence whose text is not in LICENSES/."""

import glob
import os
import re
import shutil
import subprocess
import sys

ROOT = os.environ.get("FC_SOURCE_ROOT") or os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

PERMISSIVE = ["0BSD", "MIT", "MIT-0"]
HOOKS = ["libfc/hooks/module-*.[cS]"]
READ = ["fc-config/*.s", "fc-config/*.in", "fc-config/*.a", "fc-config/clang/*.h", "fc-config/clang/*.in"]
SCRIPTS = ["fc-config/fc-config.in"]  # which is run, and becomes a part of nothing


def licence(path):
    with open(os.path.join(ROOT, path), errors="replace") as file:
        found = re.search(r"SPDX-License-Identifier: (.*?)(?: \*/)?$", file.read(1000), re.MULTILINE)
    return found and found.group(1)


def included(source):
    """The source, and what of the tree it includes."""
    done = subprocess.run(["cc", "-M", "-D_GNU_SOURCE", "-I", ".", source], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    words = done.stdout.replace("\\\n", " ").split()[1:]
    return sorted({os.path.normpath(word) for word in words if not os.path.isabs(word)})


def matching(patterns):
    return sorted(path for pattern in patterns for path in glob.glob(pattern, root_dir=ROOT))


def main():
    if not shutil.which("cc"):
        print("not tried for want of cc")
        return 77
    sources = matching(HOOKS)
    parts = sorted({path for source in sources for path in included(source)} | set(matching(READ)) - set(SCRIPTS))
    faults = ["%s: %s is not one of %s" % (path, licence(path), ", ".join(PERMISSIVE))
              for path in parts if licence(path) not in PERMISSIVE]
    if len(sources) < 2 or "libfc/count/counter-table.h" not in parts or "fc-config/gcc.specs.in" not in parts:
        faults.append("not all parts were found: %s" % parts)
    named = matching(["**/*.[chS]", "*/*.*", "*/*/*.*"])
    for name in sorted({licence(path) for path in named if os.path.isfile(os.path.join(ROOT, path))} - {None}):
        if not os.path.isfile(os.path.join(ROOT, "LICENSES", name + ".txt")):
            faults.append("LICENSES/%s.txt is missing" % name)
    print("\n".join(faults) or "%d files are permissive: %s" % (len(parts), " ".join(parts)))
    return 1 if faults else 0


sys.exit(main())
