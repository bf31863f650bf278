#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one hook costs when profiling is on, when it is off, and when the C library's empty hooks
are called in its place; and a call of an empty function, with its two hooks of each kind and with
none, also where the user chose what is done with it.  It prints, and judges nothing."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fctest  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CHOICES = ({"FC_FILTER": "skip:leaf"}, {"FC_FILTER": "count:leaf"}, {"FC_FILTER": "time:leaf"},
           {"FC_DETAIL": "all"}, {"FC_DEPTH": "1"}, {"FC_DEPTH": "8"})


def measure(what, program, folder, env):
    done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=True, cwd=folder,
                          env=fctest.plain_environment(FC_QUIET="1", **env))
    print(f"{what:44} {done.stdout}", end="")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for what, source, flags in (
                ("hook, empty", "hooks.c", None), ("hook", "hooks.c", ("--libs",)),
                ("call, not instrumented", "leaf.c", None), ("call", "leaf.c", ("--cflags-libs", "--every-function")),
                ("call, after inlining", "leaf.c", ("--cflags-libs", "--after-inlining"))):
            program = os.path.join(folder, "program")
            subprocess.run(["gcc", "-O2", "-o", program, os.path.join(HERE, source),
                            *(fctest.fc_config(*flags) if flags else ())], check=True)
            measure(what, program, folder, {})
            if source == "leaf.c" and flags:
                for env in CHOICES:
                    measure(f"{what}, {' '.join('='.join(each) for each in env.items())}", program, folder, env)
            if flags:
                measure(what + ", profiling off", program, folder, {"FC_MANAGER": "/nonexistent"})


if __name__ == "__main__":
    main()
