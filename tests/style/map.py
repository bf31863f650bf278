#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails where doc/architecture.md or CONTRIBUTING.md names a file or a function that is not there, or a comment a file.

Of what stands between backquotes, words with a slash are files or folders of the tree, and C
names must occur in the product; those behind a file, in the same cell and before a semicolon, must
occur in that file.  Words with NAME for a part to be filled in are left alone.  First it looks
whether it finds faults that are put in.
"""

import glob
import os
import re
import sys

ROOT = os.environ.get("FC_SOURCE_ROOT") or os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGES = ("doc/architecture.md", "CONTRIBUTING.md")
PLACEHOLDERS = ("fc_module_verb", "FcThing")
CODE = ("libfc", "profile", "fcmanager", "control", "fcctl", "fctop", "fcrun", "symbols", "model", "gmon", "fcdump", "fcgprof", "fcas")

QUOTED = re.compile(r"`([^`]+)`")
FILE = re.compile(r"[\w.-]+(/[\w.-]+)*/[\w.-]*")
NAME = re.compile(r"(?:(?:struct|enum) )?(fc_\w+|Fc[A-Z]\w+|FC_(?:MSG|RECORD|REPORT|WIRE)_\w+|"
                  r"[a-z]+(?:_[a-z]+)+)s?")
BUILT = ("build", "build-check", "build-sanitize", "stage")


def read_sources():
    found = {}
    for folder in CODE:
        for path in glob.glob(f"{ROOT}/{folder}/**/*.[ch]", recursive=True):
            with open(path, encoding="utf-8") as file:
                found[os.path.relpath(path, ROOT)] = file.read()
    return found


def occurs(name, text):
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def faults_of(text, sources):
    """Each fault as `line N: what`."""
    everything = "\n".join(sources.values())
    for number, line in enumerate(text.splitlines(), 1):
        for cell in re.split("[|;]", line):
            last = None
            for word in QUOTED.findall(cell):
                name = NAME.fullmatch(word)
                if FILE.fullmatch(word):
                    last = word
                    if "NAME" in word or word.split("/")[0] in BUILT:
                        last = None
                    elif not os.path.exists(os.path.join(ROOT, word)):
                        yield f"line {number}: there is no {word}"
                elif not name or name[1] in PLACEHOLDERS:
                    continue
                elif last in sources and not occurs(name[1], sources[last]):
                    yield f"line {number}: {name[1]} is not in {last}"
                elif not occurs(name[1], everything):
                    yield f"line {number}: {name[1]} is nowhere in the product"


# Of the C library's sources, and of binutils.
OTHERS = ("sysdeps/unix/sysv/linux/x86_64/pointer_guard.h", "aarch64/pointer_guard.h", "bfd.h")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
NAMED = re.compile(r"(?<![\w<\"/*.-])((?:[\w-]+/)*[a-z][\w-]*\.[ch])(?![\w/])")


def unknown_files(path, text, files):
    """Each fault as `line N: what`: a file is named from the top of the tree or by its last name alone."""
    last_names = {file.rsplit("/", 1)[1] for file in files}
    for comment in COMMENT.finditer(text):
        for found in NAMED.finditer(comment[0]):
            name = found[1]
            if name not in OTHERS and name not in files and ("/" in name or name not in last_names) and not os.path.exists(os.path.join(ROOT, name)):
                line = text.count("\n", 0, comment.start() + found.start()) + 1
                yield f"{path}:{line}: there is no {name}"


def check_this_test(sources):
    assert list(unknown_files("x.c", "/* see hooks.c */ /* nowhere.h */", sources)) == ["x.c:1: there is no nowhere.h"]
    for text, expected in [
            ("`libfc/nowhere.c`", ["line 1: there is no libfc/nowhere.c"]),
            ("\n`fc_nobody_knows`", ["line 2: fc_nobody_knows is nowhere in the product"]),
            ("| `libfc/hooks.c` `fc_profile_read` |", ["line 1: fc_profile_read is not in "
                                                       "libfc/hooks.c"]),
            ("| `libfc/hooks.c` | `fc_profile_read`, `tests/style/`, `struct FcRecord` |", [])]:
        found = list(faults_of(text, sources))
        assert found == expected, f"{text!r}: {found}"


def main():
    sources = read_sources()
    check_this_test(sources)
    status = 0
    for path, text in sources.items():
        for fault in unknown_files(path, text, sources):
            print(fault)
            status = 1
    for page in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            for fault in faults_of(file.read(), sources):
                print(f"{page}: {fault}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
