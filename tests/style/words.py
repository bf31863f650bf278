#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails where libfc, fcmanager, the manual or the map use a word of this tree's own for what the field has a word for.

WORDS has, for each, what it looks like as a part of a name in code, what it looks like in a sentence, and the term to use.
Text between quotes is left alone: it may belong to a file, to the wire or to a documented option.  First it looks whether
it finds words that are put in.
"""

import glob
import os
import re
import sys

ROOT = os.environ.get("FC_SOURCE_ROOT") or os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

# A name is compared in lower case with _ between its parts, FcStandIn as fc_stand_in.  "" matches nothing.
WORDS = [
    ("naps?", r"naps?|napp(?:ed|ing)", "poll interval, delay"),
    ("sightings?", r"sightings?", "sample"),
    ("sparing", r"sparing", "back-off"),
    ("stand_ins?", r"stand-ins?|libfc stands in for", "interposer, to interpose"),
    ("settles?|settled", r"", "to finalize, to flush, to decide"),
    ("held|aside", r"", "framed (a call), deferred (a record), queued (a message)"),
    ("tells?|told|untold", r"", "to send, to record, to report, to print"),
    ("looks?(?!_up)|looked|lookers?", r"", "to check, to scan, to sample"),
    ("choices?_(?:fd|make|map|find|ask)|fc_choices?|fc_chosen", r"user's choices?|what the user chose",
     "user filter, action"),
    ("named_(?:pair|edge|call)s?|names_(?:low|max)", r"", "interned call site, call-site number"),
    ("fc_filter_(?:pairs?|slots?|ways|seen|find|enter)", r"", "counter table"),
    ("last_word", r"last words?(?= to the user)", "notice"),
    ("doubts?|doubted", r"", "standard error"),
    ("windows?", r"windows?", "sampling burst"),
    ("beacons?", r"beacons?", "current-function word"),
]
# A file whose name is fixed.
KEPT = {"fc_choices"}

PIECE = re.compile(r"""
    (?P<comment> /\*.*?\*/ | //[^\n]* )
  | (?P<quoted> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | ^[ \t]*\#[ \t]*include[^\n]* )
  | (?P<name> [A-Za-z_]\w* )
""", re.X | re.S | re.M)
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# What a manual's or a map's line quotes.
QUOTED = re.compile(r"`[^`\n]*`|@(?:code|samp|option|file|env|command|var|key|example|node|ref|xref|pxref)\{[^{}]*\}"
                    r"|^@node [^\n]*$|^@example\n.*?^@end example$|^@menu\n.*?^@end menu$", re.M | re.S)


def sources():
    for part in ("libfc", "fcmanager"):
        yield from sorted(glob.glob(f"{ROOT}/{part}/**/*.[chS]", recursive=True))


def in_names(name):
    normal = "_".join(PARTS.findall(name)).lower()
    for pattern, _, term in WORDS:
        if pattern and name not in KEPT and re.search(rf"(?:^|_)(?:{pattern})(?:_|$)", normal):
            yield f"{name}: say {term}"


def in_prose(text):
    flat = " ".join(text.replace("*", " ").split()).lower()
    for _, pattern, term in WORDS:
        for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", flat) if pattern else ():
            yield f"\"{found[0]}\": say {term}"


def faults_of_source(path, text):
    for piece in PIECE.finditer(text):
        faults = in_prose(piece[0]) if piece.lastgroup == "comment" else \
            in_names(piece[0]) if piece.lastgroup == "name" else ()
        line = text.count("\n", 0, piece.start()) + 1
        for fault in faults:
            yield f"{path}:{line}: {fault}"


def faults_of_file_name(path):
    for fault in in_names(os.path.splitext(os.path.basename(path))[0].replace("-", "_")):
        yield f"{path}: {fault}"


def faults_of_page(path, text):
    text = QUOTED.sub(lambda quoted: "\n" * quoted[0].count("\n"), text)
    for number, line in enumerate(text.split("\n"), 1):
        for fault in in_prose(line):
            yield f"{path}:{number}: {fault}"


def check_this_test():
    for text, expected in [
            ("static int nap_ns;", "nap_ns: say poll interval"), ("FcStandIn *one;", "FcStandIn: say interposer"),
            ("void fc_counts_settle(void);", "fc_counts_settle: say to finalize"),
            ("/* Its stand-in\n * is called. */", "\"stand-in\": say interposer"),
            ("/* As the user's\n * choice has it. */", "\"user's choice\": say user filter")]:
        found = list(faults_of_source("libfc/planted.c", "int right;\n" + text))
        assert len(found) == 1 and expected in found[0] and ":2:" in found[0], f"{text!r}: {found}"
    for text in ('puts("nap, settle");', "/* A snapshot of what is nearest. */ int snapshot;", "int shareholders;"):
        assert not list(faults_of_source("libfc/planted.c", text)), text
    assert list(faults_of_file_name("fcmanager/base/naps.h"))
    assert len(list(faults_of_page("doc/planted.texi", "@node Stand-ins\nThe stand-ins @code{nap}.\n"))) == 1


def main():
    check_this_test()
    faults = []
    for path in sources():
        short = os.path.relpath(path, ROOT)
        with open(path, encoding="utf-8") as file:
            faults += faults_of_source(short, file.read())
        faults += faults_of_file_name(short)
    for path in [f"{ROOT}/doc/architecture.md", *sorted(glob.glob(f"{ROOT}/doc/*.texi"))]:
        with open(path, encoding="utf-8") as file:
            faults += faults_of_page(os.path.relpath(path, ROOT), file.read())
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
