# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine that programs are compiled for, x86_64 or aarch64: not that on which the tests run where an emulator runs
the programs (tests/aarch64)."""

import subprocess

MACHINE = subprocess.run(["gcc", "-dumpmachine"], check=True, capture_output=True, text=True,
                         timeout=300).stdout.partition("-")[0]
