#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one hook costs when profiling is on, when it is off, and when the C library's empty hooks
are called in its place.  It prints, and judges nothing."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fctest  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for name, flags in (("empty", ()), ("libfc", fctest.fc_config("--libs"))):
            programs[name] = os.path.join(folder, name)
            subprocess.run(["gcc", "-O2", "-o", programs[name], os.path.join(HERE, "hooks.c"),
                            *flags], check=True)
        for what, name, env in (("empty hooks", "empty", {}),
                                ("libfc, profiling off", "libfc", {"FC_MANAGER": "/nonexistent"}),
                                ("libfc", "libfc", {})):
            done = subprocess.run([programs[name]], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, check=True, cwd=folder,
                                  env=fctest.plain_environment(FC_QUIET="1", **env))
            print(f"{what:22} {done.stdout}", end="")


if __name__ == "__main__":
    main()
