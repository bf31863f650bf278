#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails where a folder of libfc or fcmanager calls or includes one that lies above it, and where another one
includes a header of its that its README.md does not offer.

ROOMS has the folders of each, from the bottom up.  A file that names what is defined above it is a fault, also where
it declares that itself; the exceptions, which lead up on purpose, are in UPWARDS.  A folder's README.md ends with the
headers that other folders may include, each between backquotes.  First it looks whether it finds faults that are put
in.
"""

import glob
import os
import re
import sys

ROOT = os.environ.get("FC_SOURCE_ROOT") or os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

# The folders of each part, from the bottom up, and the files at its top that belong to them.
ROOMS = {
    "libfc": [
        ("formats", "current-word fc-choices fc-entries fc-format fc-mpi fc-records"), ("base", "string"), ("stream", ""), ("count", ""),
        ("hooks", "hooks"), ("memory", ""), ("process", ""),
    ],
    "fcmanager": [
        ("base", ""), ("stream", ""), ("counts", ""), ("heap", ""), ("estimate", ""), ("stack", ""), ("session", "main"),
    ],
}
# A full chunk leads to what starts profiling; the end of blocked signals, to records that had to wait for it.
UPWARDS = {("fc_record_slow", "process"), ("fc_record_send_off", "process"), ("fc_deferred_flush", "hooks")}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
# What is no code, and what hides where a declaration ends.
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", re.S)
# A definition begins in the first column; its body, its value or a semicolon follows.
DEFINED = re.compile(r"^(?!extern\b|typedef\b|#|static (?!inline))[A-Za-z_][^;{}()#=]*?"
                     r"\b(fc_\w+)\s*(?:\([^;{}]*?\)\s*\{|\[?[^;(){}]*=|;)", re.M)
NAME = re.compile(r"\bfc_\w+")


def read_part(part):
    """The text of each file, without comments, by its path."""
    texts = {}
    for path in sorted(glob.glob(f"{ROOT}/{part}/**/*.[chS]", recursive=True)):
        with open(path, encoding="utf-8") as file:
            texts[os.path.relpath(path, ROOT)] = COMMENT.sub("", file.read())
    return texts


def room_of(path):
    """The number of its room, from the bottom."""
    part, name = path.split("/", 1)
    for number, (room, at_top) in enumerate(ROOMS[part]):
        if name.startswith(room + "/") or name.rsplit(".", 1)[0] in at_top.split():
            return number
    raise KeyError(f"{path} is in no room of tests/style/rooms.py")


def first_folder(part):
    """The number of the first room that is a folder."""
    return next(number for number, (room, _) in enumerate(ROOMS[part]) if os.path.isdir(f"{ROOT}/{part}/{room}"))


def headers_offered(readme):
    """What a folder's page names in its last paragraph."""
    with open(readme, encoding="utf-8") as file:
        return set(re.findall(r"`([\w-]+\.[hS])`", file.read().rstrip().rsplit("\n\n", 1)[1]))


def faults_of(part, texts):
    rooms = {path: room_of(path) for path in texts}
    names = [name for name, _ in ROOMS[part]]
    defined = {}
    for path, text in texts.items():
        for name in DEFINED.findall(text):
            defined.setdefault(name, set()).add(rooms[path])
    offered = {name: headers_offered(f"{ROOT}/{part}/{name}/README.md") for name in names[first_folder(part):]}
    for path, text in texts.items():
        for target in INCLUDE.findall(text):
            if target not in rooms or rooms[target] == rooms[path]:
                continue
            home = names[rooms[target]]
            if rooms[target] > rooms[path]:
                yield f"{path}, of {names[rooms[path]]}, includes {target}, of {home}"
            elif home in offered and os.path.basename(target) not in offered[home]:
                yield f"{path} includes {target}, which {part}/{home}/README.md does not offer"
        for name in sorted(set(NAME.findall(text))):
            home = min(defined.get(name, {0}))
            if home > rooms[path] and (name, names[home]) not in UPWARDS:
                yield f"{path}, of {names[rooms[path]]}, names {name}, of {names[home]}"


def check_this_test(texts):
    for path, text, expected in [
            ("libfc/base/text.c", '#include "libfc/stream/channel.h"\n', "includes libfc/stream/channel.h, of stream"),
            ("libfc/stream/pool.c", "void zz(void)\n{\n    fc_exit_setup();\n}\n", "names fc_exit_setup, of process"),
            ("libfc/process/exit.c", '#include "libfc/memory/alloc.h"\n', "libfc/memory/README.md does not offer"),
            ("libfc/base/text.h", "void fc_channel_send_queued(void);\n", "names fc_channel_send_queued, of stream")]:
        found = list(faults_of("libfc", {**texts, path: texts[path] + text}))
        assert len(found) == 1 and expected in found[0], f"{text!r}: {found}"


def main():
    status = 0
    for part in ROOMS:
        texts = read_part(part)
        faults = list(faults_of(part, texts))
        for fault in faults:
            print(fault)
            status = 1
        if part == "libfc" and not faults:
            check_this_test(texts)
    return status


if __name__ == "__main__":
    sys.exit(main())
