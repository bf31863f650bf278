#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a header of the assembly that says that a program was not linked for profiling: without the note, which leads to gcc's
hooks, and with its instructions as bytes, since clang 19 reads them as Intel's with -masm=intel. Run by hand, where
the compiler's assembler is one for x86-64; tests/e2e/fc-config/headers.py compares what it writes with the header that is there.

    not-linked.py not-linked.s not-linked.h.in OUTPUT COMPILER..."""

import re
import subprocess
import sys
import tempfile

assembly, template, output, *compiler = sys.argv[1:]
RETURN = "__functioncheck_return"
SECTION = ".text.functioncheck_not_linked"
LABEL = "__functioncheck_not_linked:\n"
RELOCATION = re.compile(r"(?m)^([0-9a-f]+)\s.*GOTPCREL.*" + RETURN + r"\s*([-+])\s*([0-9a-f]+)")


def assembled():
    """The instructions' bytes, and where in them is what relative to which."""
    with tempfile.TemporaryDirectory() as folder:
        made, raw = folder + "/made.o", folder + "/raw"
        subprocess.run([*compiler, "-c", "-x", "assembler", assembly, "-o", made], check=True)
        subprocess.run(["objcopy", "-O", "binary", "--only-section=" + SECTION, "--set-section-flags", SECTION + "=alloc", made, raw],
                       check=True)
        with open(raw, "rb") as stream:
            code = stream.read()
        told = subprocess.run(["readelf", "-rW", made], check=True, capture_output=True, text=True).stdout
    (offset, sign, addend), = RELOCATION.findall(told)
    return code, int(offset, 16), sign + str(int(addend, 16))


def as_bytes(code):
    return "\t.byte " + ", ".join("0x%02x" % byte for byte in code)


with open(assembly, encoding="ascii") as stream:
    text = stream.read()
before, behind = text.index('\t.section .note.functioncheck'), text.index('\t.section .note.GNU-stack')
begin, end = text.index(LABEL) + len(LABEL), text.index("\t.size __functioncheck_not_linked")
code, at, addend = assembled()
lines = text[:begin].splitlines() + [
    as_bytes(code[:at]), f"\t.long {RETURN}@GOTPCREL{addend}", as_bytes(code[at + 4:]),
    *text[end:before].splitlines(), "\t.weak " + RETURN, *text[behind:].splitlines()]
words = "\n        ".join('"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"') for line in lines if not line.startswith("#"))
with open(template, encoding="ascii") as stream:
    text = stream.read()
with open(output, "w", encoding="ascii") as stream:
    stream.write(text.replace("@WHAT@", "fc-config/not-linked.s").replace("@LINES@", words))
