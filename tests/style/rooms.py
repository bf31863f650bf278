#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails where a part of libfc or fcmanager calls or includes one that lies above it.

ROOMS has the parts of each, from the bottom up, and the files that belong to them.  What a file names that is defined
above it is a fault, also where it declares that itself; the exceptions, which lead up on purpose, are in UPWARDS.  First it looks whether it finds faults that
are put in.
"""

import glob
import os
import re
import sys

ROOT = os.environ.get("FC_SOURCE_ROOT") or os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

ROOMS = {
    "libfc": [
        ("formats", "fc-format fc-records fc-choices beacon"),
        ("base", "clock config state text string sys vectors variables notice libc place nested thread thread-hooks trust "
                 "writers signals mark maps file namespace got loader clone"),
        ("stream", "record chunk-full chunks channel buffers pool names streams sealed shared switches"),
        ("count", "counted counters detail detail-.* depth window choice chosen held own-time filter recorded refill"),
        ("hooks", "hooks module-hooks module-after-inlining after-inlining after-inlining-slow jumps stacks aside"),
        ("memory", "interpose interpose-cxx alloc unwind scan stop early regions mappings"),
        ("process", "slow start exit exec forks spawn find join process threads modules costs costs-.* prctl mlock"),
    ],
    "fcmanager": [
        ("base", "clock map nodes naps spill last-word seal reply regions memory-limit"),
        ("stream", "decode shared follow"),
        ("counts", "counts counts-.* latency slowest waits on-cpu trace modules"),
        ("heap", "heap heap-.* leaks live"),
        ("estimate", "counted counted-.* costs costs-.* call-costs observe observed function-samples"),
        ("stack", "stack stack-.* thread choices"),
        ("session", "answers process process-.* proc-thread forks output output-.* files names keep session "
                    "session-files source main"),
    ],
}
# A full chunk leads to what starts profiling; the end of blocked signals, to records that had to wait for it.
UPWARDS = {("fc_record_slow", "process"), ("fc_record_send_off", "process"), ("fc_aside_end", "hooks")}

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
    for number, (_, patterns) in enumerate(ROOMS[part]):
        if any(re.fullmatch(pattern, name.rsplit(".", 1)[0]) for pattern in patterns.split()):
            return number
    raise KeyError(f"{path} is in no room of tests/style/rooms.py")


def faults_of(part, texts):
    rooms = {path: room_of(path) for path in texts}
    names = [name for name, _ in ROOMS[part]]
    defined = {}
    for path, text in texts.items():
        for name in DEFINED.findall(text):
            defined.setdefault(name, set()).add(rooms[path])
    for path, text in texts.items():
        for target in INCLUDE.findall(text):
            if target in rooms and rooms[target] > rooms[path]:
                yield f"{path}, of {names[rooms[path]]}, includes {target}, of {names[rooms[target]]}"
        for name in sorted(set(NAME.findall(text))):
            home = min(defined.get(name, {0}))
            if home > rooms[path] and (name, names[home]) not in UPWARDS:
                yield f"{path}, of {names[rooms[path]]}, names {name}, of {names[home]}"


def check_this_test(texts):
    for path, text, expected in [
            ("libfc/text.c", '#include "libfc/channel.h"\n', "includes libfc/channel.h, of stream"),
            ("libfc/pool.c", "void zz(void)\n{\n    fc_exit_setup();\n}\n", "names fc_exit_setup, of process"),
            ("libfc/text.h", "void fc_channel_send_held(void);\n", "names fc_channel_send_held, of stream")]:
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
