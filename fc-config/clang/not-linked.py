#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a header of the assembly that says that a program was not linked for profiling: without the note, which leads to gcc's
hooks.

    not-linked.py not-linked.s not-linked.h.in OUTPUT"""

import sys

assembly, template, output = sys.argv[1:]
with open(assembly, encoding="ascii") as stream:
    text = stream.read()
before, behind = text.index('\t.section .note.functioncheck'), text.index('\t.section .note.GNU-stack')
lines = (text[:before] + "\t.weak __functioncheck_return\n" + text[behind:]).splitlines()
words = "\n        ".join('"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"') for line in lines if not line.startswith("#"))
with open(template, encoding="ascii") as stream:
    text = stream.read()
with open(output, "w", encoding="ascii") as stream:
    stream.write(text.replace("@WHAT@", "fc-config/not-linked.s").replace("@LINES@", words))
