#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sources that libfc shares with its variants for tests (libfc/meson.build) are the same to the compiler
whether it is to make libfc or one of them.

Usage: variants.py SOURCE... [VARIANT SOURCE...]...

The first sources are shared with all variants, those behind -DVARIANT with that one."""

import json
import os
import shlex
import subprocess
import sys

BUILD = os.environ["FC_BUILD_ROOT"]
VARIANTS = ("-DFC_TEST_EAGER", "-DFC_TEST_CLOCK")


def preprocessed(entry, *flags):
    words = shlex.split(entry["command"])
    at = words.index("-o")  # and what it makes besides, which is not to be made now
    words = [word for word in words[:at] if word not in ("-MD", "-c") and not word.endswith(".d")]
    words = [word for i, word in enumerate(words) if word not in ("-MQ", "-MF") and words[i - 1] != "-MQ"]
    done = subprocess.run([*words, *flags, "-E", "-P", entry["file"]], cwd=entry["directory"],
                          stdout=subprocess.PIPE, check=True)
    return done.stdout


def main():
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as stream:
        commands = {os.path.realpath(os.path.join(entry["directory"], entry["file"])): entry
                    for entry in json.load(stream) if "/libfc.so" in entry["output"]}
    bad = sources = 0
    variants = VARIANTS
    for word in sys.argv[1:]:
        if word.startswith("-D"):
            variants = [VARIANTS[VARIANTS.index(word)]]
            continue
        sources += 1
        source = os.path.realpath(word)
        plain = preprocessed(commands[source])
        for variant in variants:
            if preprocessed(commands[source], variant) != plain:
                print(f"{os.path.basename(source)} is another with {variant}: it is not to be shared")
                bad += 1
    print(f"{sources} sources, {bad} differences")
    sys.exit(bad != 0 or sources == 0)


if __name__ == "__main__":
    main()
