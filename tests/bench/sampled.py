# SPDX-License-Identifier: GPL-3.0-or-later
"""How the time of a real program is divided between its functions, by the profile and by perf, which
interrupts the plain program and tells where it was.

Used by table.py.  What was in a library is its caller's, as in a profile, as is what was in a function that
is not profiled (those of the compiler's headers); of functions that were inlined into one another the
innermost that is profiled.
"""

import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import bench  # noqa: E402
import fctest  # noqa: E402

INTERRUPTS = 4000  # a second
DEPTH = 6  # of these addresses
STACK = 8192  # bytes that perf keeps of each stack, to find callers by
RUNS = 5


def output_of(words, **others):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, **others).stdout


def load_address(program):
    """Where the program is linked to be; 0: anywhere."""
    for line in output_of(["readelf", "-lW", program]).splitlines():
        if line.split()[:1] == ["LOAD"]:
            return int(line.split()[2], 16)
    return 0


def stacks_of(program, words, folder, where, runs=RUNS):
    """How often the stack was which: the addresses in the program's own code, in its file, innermost first."""
    found = collections.Counter()
    data = os.path.join(folder, "perf.data")
    start = load_address(program)
    for _ in range(runs):
        bench.run_measured(["perf", "record", "-q", "-m", "8M", "-F", str(INTERRUPTS), "--call-graph",
                            f"dwarf,{STACK}", "-o", data, "--", *words], cwd=where,
                           env=fctest.plain_environment(), stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        frames = output_of(["perf", "script", "-i", data, "-F", "ip,sym,dso", "--no-demangle",
                            "--no-inline"])
        for stack in frames.split("\n\n"):
            addresses = []
            for depth, line in enumerate(stack.strip().splitlines()):
                if f"({program})" in line and len(addresses) < DEPTH:
                    address = int(line.split()[0], 16)
                    address += start if address < start else 0
                    addresses.append(address - (depth > 0))  # of the others it is where they go on
            found[tuple(addresses)] += bool(addresses)
    return found


def functions_at(program, stacks):
    """By address: the functions there, the innermost first."""
    addresses = {address for stack in stacks for address in stack}
    words = ["addr2line", "-e", program, "-a", "-f", "-i", *(hex(each) for each in addresses)]
    chains, chain = {}, []
    is_function = True
    for line in output_of(words).splitlines():
        if line.startswith("0x"):
            chain = chains.setdefault(int(line, 16), [])
            is_function = True
        else:
            if is_function:
                chain.append(line.split(".")[0])
            is_function = not is_function
    return chains


def shares_of(times):
    whole = sum(times.values())
    return {name: 100 * time / whole for name, time in times.items()}


def by_profile(words, folder, where):
    bench.run_measured(words, cwd=where, env=fctest.plain_environment(FC_QUIET="1", FC_DUMP_PATH=folder),
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
    profile = json.loads(output_of([fctest.tool("fcdump"), "--json",
                                    os.path.join(folder, "functioncheck.fc")]))
    times = collections.Counter()
    for function in profile["functions"]:
        name = function["linkage_name"] or function["name"] or "?"
        if not function["uncounted"]:
            times[name.split(".")[0]] += function["local_ns"] - function["local_wait_ns"]
    for arc in profile["arcs"]:
        callee = profile["functions"][arc["callee"]]
        if callee["uncounted"] and arc["caller"] is not None:
            caller = profile["functions"][arc["caller"]]
            times[(caller["linkage_name"] or caller["name"] or "?").split(".")[0]] += arc["total_ns"]
    return shares_of(times)


def by_perf(found, chains, profiled):
    times = collections.Counter()
    for stack, count in found.items():
        names = [name for address in stack for name in chains.get(address, ["?"])]
        times[next((name for name in names if name in profiled), names[0] if names else "?")] += count
    return shares_of(times)


def points_apart(one, other):
    """The share of the time that the two give to different functions; the worst, and its two shares."""
    apart = {name: abs(one.get(name, 0) - other.get(name, 0)) for name in {*one, *other}}
    worst = max(apart, key=apart.get)
    return sum(apart.values()) / 2, worst, one.get(worst, 0), other.get(worst, 0)
