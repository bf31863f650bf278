# SPDX-License-Identifier: GPL-3.0-or-later
"""What GNU gprof reads from a gmon.out file, and whether that is what fcdump --json says
of the profile that the file was exported from.

Used by the tests of fcdump --gmon.  gprof prints times to a hundredth of a second, so it is
given a copy of the file with a clock of one tick a second: what it then calls seconds are
ticks.  It must never work a figure out that gprof prints.
"""

import os
import re
import shutil
import struct
import subprocess
import tempfile

GPROF = shutil.which("gprof")
BOUND = 0.005  # of a function's own time

FLAT = re.compile(r"^ *[\d.]+ +[\d.]+ +([\d.]+) +(?:(\d+) +[\d.]+ +[\d.]+ +)?(\S.*)$")
OWN = re.compile(r"^\[(\d+)\]? +[\d.]+ +[\d.]+ +[\d.]+ +(?:(\d+)(?:\+(\d+))?)? +(\S.*?) \[\d+\]$")
OTHER = re.compile(r"^ {6,}(?:[\d.]+ +[\d.]+ +)?(\d+)(?:/\d+)? +(\S.*?) \[(\d+)\]$")
CYCLE = re.compile(r" <cycle \d+>$")
EXECUTIONS = re.compile(r"\(\S+:0x([0-9a-f]+)\) (\d+) executions")


class ReadError(Exception):
    """Why a file or a report can't be read."""


def run(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "LC_ALL": "C"}, check=False)
    if done.returncode != 0:
        raise ReadError(f"{tool} {' '.join(arguments)}: status {done.returncode}: {done.stderr}")
    return done.stdout


# Without the linker's plug-ins, LLVM's among them, which nm takes ten times as long to load as to read symbols.
NM = ("nm", "--plugin=/dev/null")


def read_aliases(image):
    """{name: the first of all names that its address has}, for names of one address."""
    by_address, by_name = {}, {}
    for line in run(*NM, image).split("\n"):
        words = line.split()
        if len(words) == 3:
            by_address.setdefault(words[0], []).append(words[2])
            by_name.setdefault(words[2], set()).add(words[0])
    return {name: min(by_address[next(iter(places))]) for name, places in by_name.items()
            if len(places) == 1}


# ---- The file --------------------------------------------------------------------------


class File:
    """The records of a little-endian file of 64 bits."""

    def __init__(self, path):
        with open(path, "rb") as stream:
            self.data = data = bytearray(stream.read())
        self.hists, self.arcs, self.rate, self.rates_at = [], [], None, []
        if data[:8] != b"gmon\1\0\0\0":
            raise ReadError(f"{path} is no gmon.out file")
        at = 20
        while at < len(data):
            tag, at = data[at], at + 1
            if tag == 0:
                low, high, count, rate = struct.unpack_from("<QQII", data, at)
                if data[at + 24:at + 40] != b"seconds".ljust(15, b"\0") + b"s":
                    raise ReadError("its dimension is not seconds")
                if self.rate not in (None, rate):
                    raise ReadError("clocks differ")
                self.rate = rate
                self.rates_at.append(at + 20)
                self.hists.append((low, high, struct.unpack_from(f"<{count}H", data, at + 40)))
                at += 40 + 2 * count
            elif tag == 1:
                self.arcs.append(struct.unpack_from("<QQI", data, at))
                at += 20
            else:
                raise ReadError(f"record of kind {tag}")
        if at != len(data):
            raise ReadError("the last record is cut short")

    def write_in_ticks(self, path):
        """The same with a clock of one tick a second."""
        data = bytearray(self.data)
        for at in self.rates_at:
            struct.pack_into("<I", data, at, 1)
        with open(path, "wb") as stream:
            stream.write(data)


# ---- Reports ---------------------------------------------------------------------------


class Report:
    """flat: {name: sorted [(calls, ticks)]}; arcs: {(caller, callee): sorted calls of the
    pairs of that name}; executions: {address: calls without recursion}."""

    def __init__(self, image, path):
        self.file = File(path)
        self.flat, self.arcs, self.aliases = {}, {}, read_aliases(image)
        with tempfile.TemporaryDirectory() as folder:
            ticks = os.path.join(folder, "ticks")
            self.file.write_in_ticks(ticks)
            words = ["-b", "-z", "--no-demangle", image, ticks]
            self.read_flat(run(GPROF, "-p", *words))
            self.read_graph(run(GPROF, "-q", *words))
            listed = EXECUTIONS.findall(run(GPROF, "-C", *words))
            self.executions = {int(address, 16): int(calls) for address, calls in listed}

    def name(self, text):
        plain = CYCLE.sub("", text)
        return self.aliases.get(plain, plain)

    def read_flat(self, text):
        rows = re.split(r"(?m)^ *time +seconds .* name *\n", text)[1].split("\n")
        for row in filter(str.strip, rows):
            match = FLAT.match(row)
            if not match:
                raise ReadError(f"flat profile: {row!r}")
            ticks, calls, name = match.groups()
            self.flat.setdefault(self.aliases.get(name, name), []).append((int(calls or 0), float(ticks)))
        for figures in self.flat.values():
            figures.sort()

    def read_graph(self, text):
        body = text[text.index("index % time"):].split("\n", 1)[1].split("\nIndex by")[0]
        for entry in body.split("-" * 47 + "\n"):
            rows = entry.strip("\n\f").split("\n")
            own = [i for i, row in enumerate(rows) if row.startswith("[")]
            if not own or "<cycle" in rows[own[0]] and "as a whole>" in rows[own[0]]:
                continue
            match = OWN.match(rows[own[0]])
            if not match:
                raise ReadError(f"call graph: {rows[own[0]]!r}")
            caller = self.name(match[4])
            if match[3]:
                self.arcs.setdefault((caller, caller), []).append(int(match[3]))
            for row in rows[own[0] + 1:]:
                child = OTHER.match(row)
                if not child:
                    raise ReadError(f"call graph: {row!r}")
                if child[3] != match[1]:
                    self.arcs.setdefault((caller, self.name(child[2])), []).append(
                        int(child[1]))
        for calls in self.arcs.values():
            calls.sort()


# ---- What it should say ----------------------------------------------------------------


class Expected:
    """The same figures of one module from the output of --json, times in nanoseconds."""

    def __init__(self, data, module, outside="_start"):
        modules = [i for i, m in enumerate(data["modules"]) if m["path"] == module]
        places = {}
        for i, function in enumerate(data["functions"]):
            for entry in function["entries"]:
                if entry["module"] in modules:
                    places[i] = int(entry["offset"], 16)
        self.flat, self.arcs, self.executions, pairs = {}, {}, {}, {}
        for arc in data["arcs"]:
            if arc["callee"] in places:
                caller = arc["caller"] if arc["caller"] in places else None
                pair = caller, arc["callee"]
                pairs[pair] = pairs.get(pair, 0) + arc["calls"]
        aliases = read_aliases(module)
        names = {i: data["functions"][i]["linkage_name"] for i in places}
        names = {i: aliases.get(name, name) for i, name in names.items()}
        for (caller, callee), calls in pairs.items():
            key = names.get(caller, outside), names[callee]
            self.arcs.setdefault(key, []).append(calls)
        for i, address in places.items():
            function = data["functions"][i]
            calls = function["calls"] - pairs.get((i, i), 0)
            self.flat.setdefault(names[i], []).append(
                (calls, function["local_ns"] - function["local_wait_ns"]))
            self.executions[address] = calls
        for figures in (*self.flat.values(), *self.arcs.values()):
            figures.sort()


def differences(report, expected, may_be_off=()):
    """What gprof says that the profile does not, as lines; the times of the functions
    `may_be_off` are not looked at."""
    lines = []
    tick_ns = 1e9 / report.file.rate
    for name, figures in expected.flat.items():
        # another function of that name may never have run
        found = [pair for pair in report.flat.get(name, []) if pair != (0, 0)]
        figures = [pair for pair in figures if pair != (0, 0)]
        if [calls for calls, _ in found] != [calls for calls, _ in figures]:
            lines.append(f"calls of {name}: {found}, not {figures}")
            continue
        for (_, ticks), (_, local_ns) in zip(found, figures):
            if name not in may_be_off and abs(ticks * tick_ns - local_ns) > BOUND * local_ns:
                lines.append(f"time of {name}: {ticks} ticks of {tick_ns} ns, not {local_ns} ns")
    for name, figures in report.flat.items():
        if name not in expected.flat and any(calls or ticks for calls, ticks in figures):
            lines.append(f"{name} should have nothing, but has {figures}")
    for key in set(report.arcs) | set(expected.arcs):
        if report.arcs.get(key) != expected.arcs.get(key):
            lines.append(f"arc {key}: {report.arcs.get(key)}, not {expected.arcs.get(key)}")
    for address in set(report.executions) | set(expected.executions):
        found, calls = report.executions.get(address, 0), expected.executions.get(address, 0)
        if found != calls:
            lines.append(f"calls of the function at {address:#x}: {found}, not {calls}")
    return lines


def tool_differences(image, path, fcgprof):
    """Command lines for which fcgprof does not print what gprof prints."""
    options = [["-b"], ["-b", "-p"], ["-b", "-q", "-z"], ["-b", "-C"], ["-b", "-l"], ["-b", "-T"],
               ["-r"], ["-b", "--no-demangle"]]
    return [words for words in options
            if run(GPROF, *words, image, path) != run(fcgprof, *words, image, path)]
