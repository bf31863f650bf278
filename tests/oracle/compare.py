#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the counts of the oracle (oracle.c) with those of a profile.

    compare.py ORACLE-FILE PROFILE.fc      exit status 0: equal, 1: not

Called by the end-to-end tests as a module, by people as a command.  Equal means:
the same functions with the same numbers of calls, and the same (call site,
callee) pairs with the same numbers.  It must never forgive a difference of one.
"""

import bisect
import functools
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import fcprofile  # noqa: E402

MAGIC = b"FCorcl01"
HEADER = struct.Struct("=8sQiiII")
MODULE = struct.Struct("=QQQII480s")
ENTRY = struct.Struct("=QQQII")
MODULES_MAX = 1024
NO_MODULE = 0xFFFFFFFF
WITHIN = 1 << 63  # an address within a function that was instrumented after inlining


class Counts:
    """functions: {place: calls}; arcs: {(site place, callee place): calls}.

    A place is (path of the module or None, offset in it)."""

    def __init__(self):
        self.functions = {}
        self.arcs = {}

    def add(self, site, callee, calls):
        self.functions[callee] = self.functions.get(callee, 0) + calls
        key = (site, callee)
        self.arcs[key] = self.arcs.get(key, 0) + calls


_starts = {}


class Canonical(dict):
    """Real paths, each looked up once."""

    def __missing__(self, path):
        self[path] = os.path.realpath(path) if path else None
        return self[path]


def start_of_function(path, offset):
    """Where the symbol begins that the offset is in, as far as the file has symbols."""
    if path not in _starts:
        _starts[path] = sorted(fcprofile.symbols_of(path)) if path else []
    starts = _starts[path]
    at = bisect.bisect_right(starts, offset)
    return starts[at - 1] if at else offset


def is_begun(path):
    """Whether the oracle came to its header: who is killed before that has called nothing."""
    with open(path, "rb") as stream:
        return any(stream.read(HEADER.size))


def load_oracle(path):
    """The counts in one file of the oracle."""
    with open(path, "rb") as stream:  # a large file, most of which was never touched
        magic, lost, _pid, _parent, entry_count, module_count = HEADER.unpack(
            stream.read(HEADER.size))
        if magic != MAGIC:
            raise ValueError(f"{path}: not a file of the oracle")
        if lost or module_count > MODULES_MAX:
            raise ValueError(f"{path}: the oracle's tables were too small ({lost} calls lost)")
        module_table = stream.read(module_count * MODULE.size)
        stream.seek(HEADER.size + MODULES_MAX * MODULE.size)
        entries = stream.read(entry_count * ENTRY.size)
    modules, canonical = [], Canonical()
    for base, _start, _end, _ready, _, name in MODULE.iter_unpack(module_table):
        modules.append((base, canonical[name.split(b"\0", 1)[0].decode()]))

    def place(address, module):
        if module == NO_MODULE:
            return (None, address)
        base, name = modules[module]
        return (name, address - base)

    def function_place(address, module):
        if not address & WITHIN:
            return place(address, module)
        name, offset = place(address & ~WITHIN, module)
        return (name, start_of_function(name, offset))

    counts = Counts()
    for function, site, calls, function_module, site_module in ENTRY.iter_unpack(entries):
        if function != 0 and calls != 0:
            counts.add(place(site, site_module), function_place(function, function_module), calls)
    return counts


def counts_of(profile):
    """The same from a profile that is loaded; the caller of an arc does not matter here."""
    counts, canonical = Counts(), Canonical()
    for arc in profile.arcs:
        site = (canonical[arc.site_module], arc.site_offset)
        callee = (canonical[arc.callee.module], arc.callee.offset)
        key = (site, callee)
        counts.arcs[key] = counts.arcs.get(key, 0) + arc.calls
    for function in profile.functions:
        if function.calls != 0:
            place = (canonical[function.module], function.offset)
            counts.functions[place] = counts.functions.get(place, 0) + function.calls
    counts.arcs = {key: calls for key, calls in counts.arcs.items() if calls != 0}
    return counts


def load_profile(path):
    return counts_of(fcprofile.load(path))


@functools.lru_cache(maxsize=None)
def base_begins(path, words):
    return os.path.basename(path or "").startswith(words)


def is_runtime(place):
    """Whether the place is in libfc, or in the oracle that stands in for it."""
    return base_begins(place[0], ("libfc", "liboracle"))


def is_libc(place):
    return base_begins(place[0], ("libc.so", "libc-", "libpthread"))


def merge_starters(oracle, profile):
    """Both arcs, with one call site for the C library and the runtime wherever
    the runtime itself starts a function (a thread's, say) in one of them: the
    same call comes from libc in the other."""
    started = {key[1] for arcs in (oracle, profile) for key in arcs if is_runtime(key[0])}

    def merge(arcs):
        merged = {}
        for (site, callee), calls in arcs.items():
            outside = callee in started and (is_runtime(site) or is_libc(site))
            key = (("runtime", 0) if outside else site, callee)
            merged[key] = merged.get(key, 0) + calls
        return merged

    return merge(oracle), merge(profile)


def show(key):
    if isinstance(key[0], tuple):
        return f"call of {show(key[1])} at {show(key[0])}"
    return f"{os.path.basename(key[0] or '?')}+{key[1]:#x}"


def differences(oracle, profile):
    """A line for each difference; none where the counts are equal."""
    lines = []
    for what, left, right in (("function", oracle.functions, profile.functions),
                              ("arc", *merge_starters(oracle.arcs, profile.arcs))):
        if left == right:
            continue
        for key in sorted(set(left) | set(right), key=repr):
            if left.get(key, 0) != right.get(key, 0):
                lines.append(f"{what} {show(key)}: oracle {left.get(key, 0)}, "
                             f"profile {right.get(key, 0)}")
    return lines


def main():
    if len(sys.argv) != 3:
        print("usage: compare.py ORACLE-FILE PROFILE.fc", file=sys.stderr)
        return 2
    oracle = load_oracle(sys.argv[1])
    profile = load_profile(sys.argv[2])
    lines = differences(oracle, profile)
    for line in lines:
        print(line)
    if not lines:
        print(f"equal: {len(oracle.functions)} functions, {len(oracle.arcs)} arcs, "
              f"{sum(oracle.functions.values())} calls")
    return 1 if lines or not oracle.functions else 0


if __name__ == "__main__":
    sys.exit(main())
