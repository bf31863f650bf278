#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shape of program (table.py), with both transports; filtered and deep, with one of them.

    shapes.py [--long] [--after-inlining] [--counted] [--filtered] [--deep] [--lean] [--repeat N] [GROUP | SHAPE]...

Prints a line for each run, and what differs.  A run that is expected to fail and does
not is a failure as well: the table must then say so no more.
"""

import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runner  # noqa: E402
import rows  # noqa: E402
import table  # noqa: E402
from fctest import Case  # noqa: E402


class Folder(Case):
    """A folder of one's own, outside of unittest."""

    def runTest(self):
        """Not used: setUp and tearDown are called directly."""


def chosen(words):
    if not words:
        return [shape for group in table.GROUPS.values() for shape in group]
    shapes = []
    for word in words:
        found = table.GROUPS.get(word) or [
            shape for group in table.GROUPS.values() for shape in group if shape.name == word]
        if not found:
            sys.exit(f"shapes.py: no shape or group {word}; there are: "
                     f"{' '.join(table.GROUPS)} and their shapes")
        shapes += found
    return shapes


def rows_of(shape, options):
    """The row, and those that run the same program in other ways with shared memory: all are compared with one run
    of the oracle."""
    if options.filtered:  # through the pipe nothing is counted
        shape, *further = (shape.filtered(words) for words in rows.FILTERS)
        return shape, further
    if options.counted and options.after_inlining:
        return shape, [shape.with_detail("auto")]
    if not options.counted and not options.after_inlining and not options.deep and not options.lean:
        return shape, [shape.with_detail("short")]
    return shape, []


def run_all(shapes, transports, options):
    failures = 0
    for shape in shapes:
        ways = transports or (table.transport_of(shape),)
        case = Folder()
        case.setUp()
        bad = 0
        shape, further = rows_of(shape, options)
        began = time.monotonic()
        for label, problem in runner.run_shape(case, shape, options.long, ways, further):
            reason = runner.expected_failure(shape, label)
            took = time.monotonic() - began
            if problem is None and reason is None:
                print(f"ok   {label} ({took:.1f} s)")
            elif problem is not None and reason is not None:
                print(f"xfail {label}: {reason}")
            else:
                bad += 1
                print(f"FAIL {label}: "
                      f"{problem or 'expected to fail, but it did not: ' + str(reason)}")
            sys.stdout.flush()
            began = time.monotonic()
        failures += bad
        if bad:
            print(f"     kept for a look: {case.folder}")
        else:
            case.tearDown()
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true",
                        help="the minute-long runs; and both transports of what else has one")
    parser.add_argument("--after-inlining", action="store_true",
                        help="with the flags of that name, records in shared memory only; with "
                        "--counted twice, as the hooks in modules only count as they do by default")
    parser.add_argument("--counted", action="store_true",
                        help="with most calls counted, records in shared memory only")
    parser.add_argument("--filtered", action="store_true",
                        help="with an FC_FILTER that skips some functions, and one that also counts others")
    parser.add_argument("--deep", action="store_true",
                        help="with an FC_DEPTH, and most of what it leaves counted")
    parser.add_argument("--lean", action="store_true", help="with the flags of that name; the programs' own counters judge")
    parser.add_argument("--repeat", type=int, default=1, help="run all so many times")
    parser.add_argument("names", nargs="*", metavar="GROUP|SHAPE")
    options = parser.parse_args()
    shapes, transports = chosen(options.names), rows.TRANSPORTS
    if options.after_inlining or options.filtered or options.deep:
        shapes = [shape for shape in shapes if shape.further is not None]
    if options.after_inlining:
        Folder.config, transports = ["--after-inlining"], ("shared",)
        shapes = [shape.built_after_inlining() for shape in shapes
                  if shape.after_inlining is not None]
    if options.lean:
        Folder.config, transports = ["--lean"], ("shared",)
        shapes = [shape.without_hooks() for shape in shapes if shape.further is not None and shape.lean is not None]
    os.environ.setdefault("FCTEST_DETAIL", "all")  # through the pipe it is so anyway
    if options.after_inlining and options.deep:
        # what is too deep makes no records there, which would find that the way to the manager is cut off
        shapes = [shape for shape in shapes if shape.shared_stops == 0]
    if options.counted or options.deep:
        os.environ["FCTEST_DETAIL"] = "eager"
    if options.counted:
        transports = ("shared",)
    if options.deep:
        shapes = [shape.deepened() for shape in shapes]
    elif options.counted or os.environ["FCTEST_DETAIL"] != "all":
        shapes = [shape.with_counted_calls() for shape in shapes]
    if (options.deep or options.filtered) and not options.long:
        transports = None
    failures = sum(run_all(shapes, transports, options) for _ in range(options.repeat))
    print(f"{failures} failed" if failures else "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
