#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes C with the contents of files as strings: embed.py OUTPUT [NAME FILE]...

What fcdump puts into the pages that it writes is so in the program itself, which needs no
folder of data.  Called by the build alone.
"""

import sys


def main():
    output, *words = sys.argv[1:]
    with open(output, "w", encoding="ascii") as out:
        out.write('#include "fcdump/embedded.h"\n')
        for name, path in zip(words[::2], words[1::2]):
            with open(path, "rb") as file:
                data = file.read()
            if b"\0" in data:
                sys.exit(f"{path}: is no text")
            out.write(f"const char fc_embedded_{name}[] = {{\n")
            for start in range(0, len(data), 32):
                out.write(",".join(map(str, data[start:start + 32])) + ",\n")
            out.write("0};\n")


main()
