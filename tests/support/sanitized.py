# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a program was built with a sanitizer, which needs memory of its own: terabytes of address
space, so that no limit can be set to it.  For the tests that set one."""


def is_sanitized(path):
    with open(path, "rb") as program:
        return b"__asan_init" in program.read()
