#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of tests/e2e/shapes/table.py, plain and profiled, with the one transport or the other:
same output, same end.  That each has the same output with both, shapes.py looks at; how long a storm lasts and how
often is jumped does not matter here, and these are as short as in its runs with filters.

    test_shapes.py [--after-inlining] GROUP
"""

import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "e2e", "shapes"))
import runner  # noqa: E402
import table  # noqa: E402
from fctest import Case, wait_for_end  # noqa: E402


class Folder(Case):
    def runTest(self):
        """Not used: setUp and tearDown are called directly."""


def outcome(case, shape, program, folder, env):
    words = runner.words_of(program, shape, False, shape.args if shape.further is None else shape.further)
    done = case.run_quiet(words, cwd=folder, env={**shape.env, **env})
    wait_for_end(None, os.path.realpath(program), "processes stay")
    return done.returncode, done.stdout, done.stderr


def compare(case, shape, compiler):
    seen = {}
    for kind in ("plain", table.transport_of(shape)):
        program = runner.build(case, shape, compiler, profiled=kind != "plain")
        folder = runner.make_folder(case, f"run-{compiler}-{kind}")
        env = {"FC_TRANSPORT": kind} if kind != "plain" else {}
        if kind == "plain" and "LD_PRELOAD" in shape.env:
            env["LD_PRELOAD"] = ""
        status, printed, said = outcome(case, shape, program, folder, env)
        if kind != "plain":
            said = said.replace(shape.says.encode(), b"")
        seen[kind] = status, printed, said
    return {kind: end for kind, end in seen.items() if end != seen["plain"]}, seen["plain"]


def after_inlining(shape):
    row = shape.built_after_inlining()
    row.args = shape.args if row.args is None else row.args
    return row


def main():
    failures = 0
    shapes = table.GROUPS[sys.argv[-1]]
    if "--after-inlining" in sys.argv:
        Folder.config = ["--after-inlining"]
        shapes = [after_inlining(shape) for shape in shapes if shape.after_inlining is not None]
    for shape in shapes:
        if not shape.transparent:
            continue
        case = Folder()
        case.setUp()
        for compiler in shape.compilers[:1]:
            different, plain = compare(case, shape, compiler)
            failures += len(different)
            print(f"{'FAIL' if different else 'ok  '} {shape.name} {compiler}")
            for kind, end in different.items():
                print(f"    plain ends with {plain}, {kind} with {end}"[:1000])
            sys.stdout.flush()
        case.tearDown()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
