# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the CPython that is under test: `python -P cpython_tests.py MODULE REPORT` runs one of
its own test modules and writes how each test ended."""

import faulthandler
import json
import sys
import unittest

import test.support

LIMIT_S = 3000


class Result(unittest.TextTestResult):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.ends = {}

    def note(self, case, end):
        self.ends[case.id()] = end

    def addSuccess(self, test):
        self.note(test, "ok")
        super().addSuccess(test)

    def addError(self, test, err):
        self.note(test, "error")
        super().addError(test, err)

    def addFailure(self, test, err):
        self.note(test, "failure")
        super().addFailure(test, err)

    def addSkip(self, test, reason):
        self.note(test, "skipped: " + reason)
        super().addSkip(test, reason)

    def addExpectedFailure(self, test, err):
        self.note(test, "expected failure")
        super().addExpectedFailure(test, err)

    def addUnexpectedSuccess(self, test):
        self.note(test, "unexpected success")
        super().addUnexpectedSuccess(test)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.note(subtest, "failure")
        super().addSubTest(test, subtest, err)


if __name__ == "__main__":
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    test.support.use_resources = ()  # those that need more than is here by default
    suite = unittest.defaultTestLoader.loadTestsFromName("test." + sys.argv[1])
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
    with open(sys.argv[2], "w", encoding="utf-8") as stream:
        json.dump(result.ends, stream)
