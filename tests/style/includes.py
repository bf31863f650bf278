#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails where the product's files include what they must not, or each other in a circle.

Reads nothing but #include lines.  Which folder may include which, and which files a library
belongs to, is in the tables below and nowhere else.  X.c and X.h count as one file.  Two files
that belong together may include each other if one of their headers says so:

    /* Belongs together with OTHER.h: why that is */

Run by Meson, and by hand without arguments.  First it looks at copies of what it read with
faults put in, and fails if it does not find them.
"""

import glob
import os
import re
import sys

ROOT = os.environ.get("FC_SOURCE_ROOT") or os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

WIRE = "libfc/fc-format.h"  # and fc-records.h through it
CHOICES = "libfc/fc-choices.h"
VARIABLES = "libfc/base/variables.h"  # the table of the user's variables

# Each folder of the product, and the folders and files that it may include besides its own.
MAY_INCLUDE = {
    "libfc": [],
    "profile": [],
    "fcas": ["libfc/fc-entries.h"],
    "fcmanager": ["profile", WIRE, "libfc/fc-entries.h", "libfc/current-word.h", "libfc/base/writers.h", CHOICES],
    "control": [WIRE],
    "fcctl": ["profile", "control", WIRE],
    "symbols": ["profile"],
    "fctop": ["profile", "control", "symbols", WIRE],
    "model": ["profile", "symbols", WIRE],
    "fcfilter": ["profile", "symbols", CHOICES],
    "gmon": ["profile", "symbols", "model", WIRE],
    "fcdump": ["profile", "control", "symbols", "model", "gmon", WIRE, VARIABLES],
    "fcrun": ["profile", "model"],
    "fcgprof": ["profile", "symbols", "model", "gmon", WIRE],
}

# A library's headers, and the folders and files that may include them.
TOOLS = [folder for folder in MAY_INCLUDE if folder not in ("libfc", "fcas")]
LIBRARIES = [
    (r"(glib|gmodule|gobject|gio)\b", TOOLS),
    (r"elfutils/|dwarf\.h", ["symbols"]),
    (r"(gelf|libelf)\.h", ["symbols", "gmon"]),
    (r"libiberty/", ["symbols", "fcgprof"]),
    (r"(bfd|bfdlink|dis-asm)\.h", ["fcgprof"]),
    (r"libunwind", ["libfc/memory/unwind.c"]),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
TOGETHER = re.compile(r"^/\* Belongs together with ([\w.-]+): \S", re.M)


def read_tree(root):
    """The text of each C file of the product, by its path."""
    texts = {}
    for folder in MAY_INCLUDE:
        for path in sorted(glob.glob(f"{root}/{folder}/**/*.[ch]", recursive=True)):
            with open(path, encoding="utf-8") as file:
                texts[os.path.relpath(path, root)] = file.read()
    others = {path.split("/")[-2] for path in glob.glob(f"{root}/*/*.c")}
    assert others - {"examples"} <= set(MAY_INCLUDE), f"add them to MAY_INCLUDE: {others}"
    return texts


def within(path, places):
    return path in places or path.split("/")[0] in places


def node(path):
    """What X.c and X.h have in common."""
    return path.rsplit(".", 1)[0]


def include_lines(texts):
    """(path, line, `"` or `<`, what is included), file by file."""
    for path, text in texts.items():
        for found in INCLUDE.finditer(text):
            yield path, text.count("\n", 0, found.start()) + 1, found[1], found[2]


def direction_faults(texts):
    for path, line, kind, target in include_lines(texts):
        place = f"{path}:{line}"
        folder = path.split("/")[0]
        if kind == "<":
            for headers, places in LIBRARIES:
                if re.match(headers, target) and not within(path, places):
                    yield f"{place}: <{target}> is for {', '.join(places)}"
        elif target not in texts:
            yield f'{place}: "{target}" is no file of the product, named from the top of the tree'
        elif not within(target, [folder, *MAY_INCLUDE[folder]]):
            yield f'{place}: "{target}" lies above or beside {folder}/'


def pairs(texts):
    """The file that each excepted file belongs to, and what is wrong with the exceptions."""
    partner, faults = {}, []
    for path, text in texts.items():
        for name in TOGETHER.findall(text):
            other = f"{os.path.dirname(path)}/{name}"
            if not path.endswith(".h") or other not in texts or node(other) == node(path):
                faults.append(f"{path}: belongs together with {name}, which is no other file here")
            elif {node(path), node(other)} & partner.keys():
                faults.append(f"{path}: one of it and {name} is already half of a pair")
            else:
                partner[node(path)] = node(other)
                partner[node(other)] = node(path)
    return partner, faults


def strong_components(edges):
    """The sets of nodes that lead to each other (Tarjan); single ones as well."""
    number, low, stack, found = {}, {}, [], []

    def visit(one):
        number[one] = low[one] = len(number)
        stack.append(one)
        for other in edges[one]:
            if other not in number:
                visit(other)
                low[one] = min(low[one], low[other])
            elif other in stack:
                low[one] = min(low[one], number[other])
        if low[one] == number[one]:
            at = stack.index(one)
            found.append(stack[at:])
            del stack[at:]

    for one in edges:
        if one not in number:
            visit(one)
    return found


def circle_faults(texts):
    partner, faults = pairs(texts)
    yield from faults
    lines = [(node(path), node(target), f'    {path}:{line}: "{target}"')
             for path, line, kind, target in include_lines(texts)
             if kind == '"' and target in texts and node(target) != node(path)]

    def both(one):
        return min(one, partner.get(one, one))

    edges = {both(node(path)): set() for path in texts}
    for source, target, _ in lines:
        if both(source) != both(target):
            edges[both(source)].add(both(target))
    for circle in strong_components(edges):
        if len(circle) > 1:
            inside = [text for source, target, text in lines
                      if both(source) in circle and both(target) in circle]
            members = sorted({node(path) for path in texts if both(node(path)) in circle})
            yield f"a circle of {len(members)}: {', '.join(members)}\n" + "\n".join(inside)
    included = {(source, target) for source, target, _ in lines}
    for one, other in partner.items():
        if one < other and not {(one, other), (other, one)} <= included:
            yield f"{one} and {other}: excepted, and do not include each other"


def faults_of(texts):
    return [*direction_faults(texts), *circle_faults(texts)]


# Lines to put in, and where; what must then be said begins with the place.  Nobody includes the
# file that they stand in, so that they close no circle.
PROBE = "zz-probe"
WRONG = [(f"{folder}/{PROBE}.c", line) for folder, line in [
    ("profile", f'#include "symbols/{PROBE}.h"'),
    ("profile", f'#include "fcmanager/{PROBE}.h"'),
    ("symbols", f'#include "model/{PROBE}.h"'),
    ("model", f'#include "gmon/{PROBE}.h"'),
    ("model", f'#include "fcdump/{PROBE}.h"'),
    ("gmon", f'#  include "fcgprof/{PROBE}.h"'),
    ("gmon", f'\t#include "fcdump/{PROBE}.h"'),
    ("fcdump", f'#include "fcgprof/{PROBE}.h"'),
    ("fcdump", f'#include "libfc/{PROBE}.h"'),
    ("fcdump", f'#include "fcmanager/{PROBE}.h"'),
    ("fcgprof", f'#include "fcdump/{PROBE}.h"'),
    ("fcmanager", f'#include "model/{PROBE}.h"'),
    ("fcmanager", f'#include "symbols/{PROBE}.h"'),
    ("fcmanager", f'#include "libfc/{PROBE}.h"'),
    ("libfc", f'#include "profile/{PROBE}.h"'),
    ("libfc", f'#include "fcmanager/{PROBE}.h"'),
    ("libfc", "#include <glib.h>"),
    ("libfc", "#include <glib/gstdio.h>"),
    ("libfc", "#include <libunwind.h>"),
    ("fcdump", "#include <bfd.h>"),
    ("gmon", "#include <bfd.h>"),
    ("fcdump", "#include <elfutils/libdw.h>"),
    ("fcdump", "#include <libiberty/demangle.h>"),
    ("model", f'#include "{PROBE}.h"'),
]]

# Files to put in, and what must then be said of them.
FIRST = {"profile/zz-first.h": '#include "profile/zz-second.h"\n', "profile/zz-second.h": ""}
BACK = {"profile/zz-second.c": '#include "profile/zz-first.h"\n'}
EXCEPTED = {"profile/zz-first.h": "/* Belongs together with zz-second.h: to see whether\n"
                                  " * that is understood */\n" + FIRST["profile/zz-first.h"]}
THIRD = {"profile/zz-second.c": BACK["profile/zz-second.c"] + '#include "profile/zz-third.h"\n',
         "profile/zz-third.h": '#include "profile/zz-first.h"\n'}
CIRCLES = [
    ({**FIRST}, None),
    ({**FIRST, **BACK}, "a circle of 2: profile/zz-first, profile/zz-second\n"),
    ({**FIRST, **BACK, **EXCEPTED}, None),
    ({**FIRST, **BACK, **EXCEPTED, **THIRD},
     "a circle of 3: profile/zz-first, profile/zz-second, profile/zz-third\n"),
    ({**FIRST, **EXCEPTED}, "profile/zz-first and profile/zz-second: excepted"),
    ({**EXCEPTED}, "profile/zz-first.h: belongs together with zz-second.h"),
]


def check_this_test(texts):
    """Each fault that is put into a copy of the tree is found, and what is no fault is not."""
    before = set(faults_of(texts))
    probes = {f"{folder}/{PROBE}.h": "" for folder in MAY_INCLUDE}
    for path, line in WRONG:
        said = set(faults_of({**texts, **probes, path: f"\n{line}\n"})) - before
        assert len(said) == 1 and said.pop().startswith(f"{path}:2: "), f"{path} may hold {line}"
    for files, expected in CIRCLES:
        said = set(faults_of({**texts, **files})) - before
        assert [fault for fault in said if expected and fault.startswith(expected)] or (
            not said and not expected), f"{files}: {said} in place of {expected}"


def main():
    texts = read_tree(ROOT)
    check_this_test(texts)
    faults = faults_of(texts)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
