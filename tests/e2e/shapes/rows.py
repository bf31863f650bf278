# SPDX-License-Identifier: GPL-3.0-or-later
"""A shape of program as a row of the table (table.py), the rows that are made of it for runs of other kinds, and what
all of them have in common."""

import copy
import re

BUFFER_CALLS = 252  # what a thread's own buffer holds without shared memory
TRANSPORTS = ("shared", "pipe")

# What FC_FILTER skips of any program; and the same with others that are counted from the start.
SKIPPED = re.compile("[a-h]").match
FILTERS = ("skip:[a-h]*", "skip:[a-h]*;count:[m-z]*")

# What FC_DEPTH leaves of any program: less than most of them need.
DEPTH = 2


class Shape:
    """A row of the table.

    name, source: the target; args: its arguments; flags: of the compiler
    compilers: it is built with each of them
    status: exit status, or minus the signal
    oracle: counts are compared with the oracle's, process by process
    processes: how many profiles there are (None: as many as the oracle saw)
    repairs: "none"; "jumped": as many frames mended as the program's counter "jumped" says;
        "some": at least one; "any": not looked at; "exits": nor are exits without entry
    pipe_may_lose: threads that may each take the rest of their buffer with them
    shared_may_lose: the same with shared memory, where there are more threads than chunks
    shared_stops: threads that can reach the manager no more, with shared memory
    callers: an arc's call site must lie in its caller
    end: (kind, value) of the first process; stack: names of the frames that were open, of the
        thread that is named first
    truth_slack: how many calls may be under way when the process ends
    check: function(run) for more
    build: function(case, shape, compiler, profiled) that makes the program
    expected_failure: {transport or "any": why}; a success is an error then
    long_args: instead of args with --long
    says: what libfc prints on standard error, although it is to be quiet
    after_inlining: columns that are others with --after-inlining; None: it is not run then
    lean: columns that are others with --lean; None: it is not run then
    counted: columns that are others with --counted
    other_stacks: there are calls on stacks that are not a thread's own.  What an exit after inlining is of is not
        known there: those of skipped functions are told, and are without entry
    further: arguments of the runs that are filtered, deep or after inlining, and of those beside a plain one, where
        these are for what takes long and has nothing to do with that; None: it is not filtered, deep or after inlining
    details: the report is looked at with files and lines, too
    """

    def __init__(self, name, source, args=(), **row):
        self.name, self.source, self.args = name, source, [str(word) for word in args]
        self.compilers = ("gcc",)
        self.flags = ("-O0",)
        self.env = {}
        self.status = 0
        self.oracle = True
        self.processes = None
        self.repairs = "none"
        self.pipe_may_lose = 0
        self.shared_may_lose = 0
        self.shared_stops = 0
        self.callers = True
        self.end = None
        self.stack = None
        self.truth_slack = 0
        self.check = None
        self.build = None
        self.expected_failure = {}
        self.long_args = None
        self.filter = None
        self.detail = None
        self.after_inlining = {}
        self.lean = {}
        self.counted = {}
        self.other_stacks = False
        self.is_after_inlining = False
        self.transparent = True
        self.says = ""
        self.further = args
        self.details = True
        for key, value in row.items():
            if key not in self.__dict__:
                raise TypeError(f"{name}: no column {key}")
            setattr(self, key, value)
        if self.further is not None:
            self.further = [str(word) for word in self.further]

    def built_after_inlining(self):
        """The row for programs that are compiled with --after-inlining."""
        row = copy.copy(self)
        row.args, row.is_after_inlining = self.further, True
        row.__dict__.update(self.after_inlining)
        return row

    def without_hooks(self):
        """The row for programs that are compiled with --lean, which the oracle has no hooks in: the program's own counters
        judge.  There are no open calls, and nothing to mend."""
        row = copy.copy(self)
        row.args, row.oracle, row.callers, row.stack, row.repairs, row.details = self.further, False, False, None, "any", False
        row.expected_failure = {}
        row.__dict__.update(self.lean)
        return row

    def with_counted_calls(self):
        """The row for runs in which most calls are counted."""
        row = copy.copy(self)
        row.__dict__.update(self.counted)
        row.details = False
        return row

    def filtered(self, words):
        """The row for runs with FC_FILTER: what is said of certain functions does not count.  What
        a filter does to a function is not a matter of who compiled it."""
        row = self.with_counted_calls() if "count:" in words else copy.copy(self)
        row.filter, row.check, row.compilers, row.details = words, None, self.compilers[:1], False
        row.args, row.env = self.further, {**self.env, "FC_FILTER": words}
        if "count:" in words:
            # Who calls at a site is learnt from samples, of which there may be none yet, and what
            # is counted is not on the stack; how often each site calls stays exact.
            row.repairs, row.callers, row.stack = "exits", False, None
        elif self.other_stacks and self.is_after_inlining:
            row.repairs = "exits"
        elif self.repairs not in ("none", "exits"):
            row.repairs = "any"
        if row.stack is not None:
            row.stack = [name for name in row.stack if not SKIPPED(name)]
        return row

    def with_detail(self, detail):
        """The row for runs with that FC_DETAIL, whatever FCTEST_DETAIL says."""
        row = copy.copy(self)
        row.detail = detail
        return row

    def deepened(self):
        """The row for runs with FC_DEPTH, beside which most calls are counted: here, too, it does not
        matter who compiled."""
        row = self.with_counted_calls()
        row.check, row.args, row.env = None, self.further, {**self.env, "FC_DEPTH": str(DEPTH)}
        row.compilers = self.compilers[:1]
        row.repairs, row.callers, row.stack = "exits", False, None
        return row

    def may_lose(self, transport):
        return self.pipe_may_lose if transport == "pipe" else self.shared_may_lose
