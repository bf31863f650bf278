# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cells of a matrix of compilers, flags and ways a test tries: in the gate those that differ in kind, in the
suite `slow`, which sets FCTEST_CELLS=further, the others."""

import os

IS_FURTHER = os.environ.get("FCTEST_CELLS") == "further"


def cells(kept, further):
    return [*further] if IS_FURTHER else [*kept]
