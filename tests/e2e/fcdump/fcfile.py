# SPDX-License-Identifier: GPL-3.0-or-later
#
# Writes .fc files for the tests of fcdump, apart from the project's own writer, and runs
# fcdump on them.  Imported by the scripts beside it; each works in a folder of its own.

import os
import re
import subprocess
import sys
import tempfile

BINDIR = os.environ.get("FC_BINDIR", "")
FCDUMP = os.path.join(BINDIR, "fcdump")
sys.path.insert(0, os.path.join(os.environ["FC_SOURCE_ROOT"], "tests", "support"))
import inherited  # noqa: E402, F401
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDED = 2**64 - 1  # where contexts were called from that are folded


def fail(message, *texts):
    sys.stderr.write("FAILED: " + message + "\n")
    for text in texts:
        sys.stderr.write("----\n" + str(text) + "\n")
    sys.exit(1)


def equal(found, expected, what):
    if found != expected:
        fail(what, f"found:    {found!r}", f"expected: {expected!r}")


def contains(text, part, what):
    if part not in text:
        fail(f"{what}: {part!r} is missing", text)


def folder():
    """Changes to a new folder that goes away with the process."""
    directory = tempfile.TemporaryDirectory(prefix="fcdump-test-")
    os.chdir(directory.name)
    return directory  # the caller keeps it alive


class Result:
    def __init__(self, done):
        self.out = done.stdout.decode("utf-8", "replace")
        self.err = done.stderr.decode("utf-8", "replace")
        self.status = done.returncode
        self.raw = done.stdout


def run(*arguments, env=None, stdout=subprocess.PIPE):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC", **(env or {})}
    done = subprocess.run([FCDUMP, *arguments], stdout=stdout, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, env=environment, timeout=300, check=False)
    if done.stdout is None:
        done.stdout = b""
    return Result(done)


def good(*arguments, **keywords):
    """Runs fcdump, which must succeed and complain of nothing; its output."""
    result = run(*arguments, **keywords)
    if result.status != 0 or result.err != "":
        fail(f"fcdump {' '.join(arguments)}: status {result.status}", result.err, result.out)
    return result.out


def classic(*arguments, **keywords):
    """The same of the classic report, whose sections the scripts beside this read."""
    return good("--classic", *arguments, **keywords)


def section(text, title):
    """The lines of the section whose title begins with `title`."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line.startswith(title) and (i == 0 or lines[i - 1] == ""):
            end = i + 1
            while end < len(lines) and not (
                    lines[end] == "" and end + 1 < len(lines)
                    and re.match(r"[A-Z]", lines[end + 1])):
                end += 1
            return lines[i + 1:end]
    return fail(f"no section {title!r}", text)


def cells(line):
    return re.split(r"\s{2,}", line.strip())


def rows(text, title):
    """The cells of a section's table, without its headings and what is said of marks below it."""
    lines = section(text, title)
    for i, line in enumerate(lines):
        if re.search(r"\s(function|context|name)$", line):
            return [cells(row) for row in lines[i + 1:] if row.strip() != "" and not re.match("[~?] time: ", row)]
    return fail(f"section {title!r} has no table", text)


# ---- A program, for its names and lines -------------------------------------------------


class Program:
    """names.c compiled to `path`: the symbols of a real ELF file."""

    def __init__(self, path="prog", flags=()):
        subprocess.run(["cc", "-g", "-O1", "-Wl,--build-id", *flags, "-o", path,
                        os.path.join(HERE, "names.c")], check=True)
        self.path = os.path.abspath(path)
        self.start = {}
        self.size = {}
        # no plug-in of the linker's, which takes longer to load than the symbols to read
        listing = subprocess.run(["nm", "--plugin=/dev/null", "-S", path], stdout=subprocess.PIPE,
                                 check=True)
        for line in listing.stdout.decode().split("\n"):
            words = line.split()
            if len(words) == 4 and words[2] in "Tt":
                self.start[words[3]] = int(words[0], 16)
                self.size[words[3]] = int(words[1], 16)
        notes = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, check=True)
        self.build_id = re.search(r"Build ID: ([0-9a-f]+)", notes.stdout.decode()).group(1)

    def line(self, offset):
        """file:line of an address, by binutils."""
        done = subprocess.run(["addr2line", "-e", self.path, hex(offset)],
                              stdout=subprocess.PIPE, check=True)
        return done.stdout.decode().strip().split(" ")[0]

    def declared(self, name):
        """file:line where a function is declared, by binutils."""
        done = subprocess.run(["nm", "--plugin=/dev/null", "-l", self.path], stdout=subprocess.PIPE, check=True)
        return re.search(rf"(?m)^[0-9a-f]+ [tT] {name}\t(.*)$", done.stdout.decode()).group(1)


# ---- The file ------------------------------------------------------------------------------


def hexa(number):
    return "(nil)" if number == 0 else hex(number)


def us(ns):
    return ns // 1000 + (ns % 1000 >= 500)


def word(text):
    if text is None:
        return "-"
    return "\\e" if text == "" else text.replace("\\", "\\134").replace(" ", "\\040")


class Profile:
    """A profile of `program`, loaded at `base`; functions are given by name."""

    def __init__(self, program, base=0x555500000000, **header):
        self.program = program
        self.base = base
        self.header = {"unique_id": "session-1", "time_mode": 1, "profile_mode": 2, "pid": 4711,
                       "ppid": 4700, "run_ns": 0, "thread": 0, "executable": program.path,
                       "directory": "/srv/work", "arguments": ["./prog", "-v", "two words"],
                       "end": ("exit", 0), "started": 1700000000 * 10**9,
                       "ended": 1700000001 * 10**9, "rate": "2000000000"}
        self.header.update(header)
        self.modules = [(base, base, base + 0x100000, 0, 2**64 - 1, program.build_id,
                         program.path)]
        self.functions = []
        self.names = {}
        self.arcs = []
        self.contexts = []
        self.threads = []
        self.thread_functions = []
        self.machine = {}  # keys of the section process: how busy the processors were
        self.thread_arcs = []
        self.thread_stacks = []
        self.repairs = []
        self.losses = []
        self.more = []  # sections: names and lines

    def place(self, where):
        """(module, address) of "name", "name+offset" or an address outside any module."""
        if isinstance(where, int):
            return -1, where
        name, _, offset = where.partition("+")
        return 0, self.base + self.program.start[name] + int(offset or "0", 0)

    def function(self, name, calls, total, local, total_bounds=(0, 0), local_bounds=(0, 0),
                 histogram=None, where=None):
        """Without a histogram all calls were completed and took about the longest time."""
        if histogram is None:
            histogram = [(total_bounds[1].bit_length(), calls)] if calls else []
        self.names[name] = len(self.functions)
        self.functions.append((self.place(where if where is not None else name), calls, total,
                               local, *total_bounds, *local_bounds, histogram))

    def index(self, name):
        return -1 if name is None else self.names[name]

    def arc(self, caller, site, callee, calls, total):
        self.arcs.append((self.index(caller), self.place(site), self.index(callee), calls, total))

    def context(self, parent, site, name, calls, total, local):
        self.contexts.append((-1 if parent is None else parent, self.place(site),
                              self.index(name), calls, total, local))
        return len(self.contexts) - 1

    def thread(self, tid, start, end, run_ns, calls, ended, name, functions=(), stack=()):
        number = len(self.threads)
        self.threads.append((tid, start, end, run_ns, calls, int(ended), word(name)))
        for function, *figures in functions:
            self.thread_functions.append((number, self.index(function), *figures))
        for site, function in stack:
            self.thread_stacks.append((number, self.place(site), self.index(function)))

    def thread_arc(self, thread, arc, calls, total, cost=0, off=0):
        """The share of a thread in an arc, both by number."""
        self.thread_arcs.append((thread, arc, calls, total, cost, off))

    def version3(self, announced=False):
        header = self.header
        lines = ["functioncheck_v3.0", header["unique_id"] + ("+sections" if announced else ""),
                 header["time_mode"],
                 header["profile_mode"], header["thread"] or header["pid"], header["ppid"],
                 us(header["run_ns"])]
        pairs = {}
        for _, site, callee, calls, _ in self.arcs:
            key = (site[1], self.functions[callee][0][1])
            pairs[key] = pairs.get(key, 0) + calls
        lines.append(len(pairs))
        most = 2**31 - 1  # what its readers have room for
        lines += [f"{hexa(site)} {hexa(callee)} {min(calls, most)}"
                  for (site, callee), calls in pairs.items()]
        lines.append(len(self.functions))
        for place, calls, total, local, tmin, tmax, lmin, lmax, _ in self.functions:
            lines.append(" ".join(map(str, (hexa(place[1]), min(calls, most), us(local), us(total), us(tmin),
                                            us(tmax), us(lmin), us(lmax)))))
        libraries = {m[6]: m[0] for m in reversed(self.modules) if m[6] != header["executable"]}
        libraries = {m[6]: libraries[m[6]] for m in self.modules if m[6] in libraries}
        lines.append(len(libraries))
        lines += [hexa(base) + " " + path.replace("\\", "\\134") for path, base in libraries.items()]
        return "\n".join(map(str, [*lines, 0, 0, 0])) + "\n"

    def sections(self):
        header = self.header
        process = [f"pid {header['pid']}", f"ppid {header['ppid']}", f"thread {header['thread']}",
                   f"executable {word(header['executable'])}",
                   f"directory {word(header['directory'])}",
                   f"arguments {len(header['arguments'])}",
                   *[f"argument {word(a)}" for a in header["arguments"]],
                   f"end {header['end'][0]} {header['end'][1]}", f"started {header['started']}",
                   f"ended {header['ended']}", f"run {header['run_ns']}",
                   *[f"{key} {value}" for key, value in self.machine.items()]]
        modes = ["-", "tsc", "ext", "cpu", "sys"]
        yield "process", process
        yield "clock", [f"mode {modes[header['time_mode']]}", f"ticks-per-second {header['rate']}"]
        yield "modules", [f"{hexa(m[0])} {hexa(m[1])} {hexa(m[2])} {m[3]} {m[4]} {word(m[5])} "
                          f"{word(m[6])}" for m in self.modules]
        yield "functions", [" ".join([f"{f[0][0]} {hexa(f[0][1])}", *map(str, f[1:8]),
                                      *[f"{b}:{n}" for b, n in f[8]]]) for f in self.functions]
        yield "threads", [" ".join(map(str, t)) for t in self.threads]
        yield "thread-functions", [" ".join(map(str, t)) for t in self.thread_functions]
        yield "thread-stacks", [f"{t} {p[0]} {hexa(p[1])} {f}" for t, p, f in self.thread_stacks]
        yield "arcs", [f"{a[0]} {a[1][0]} {hexa(a[1][1])} {a[2]} {a[3]} {a[4]}" for a in self.arcs]
        yield "contexts", [f"{c[0]} {c[1][0]} {hexa(c[1][1])} {c[2]} {c[3]} {c[4]} {c[5]}"
                           for c in self.contexts]
        yield "repairs", [f"{kind} {count}" for kind, count in self.repairs]
        yield "losses", [f"{kind} {count}" for kind, count in self.losses]
        if self.thread_arcs:
            yield "thread-arcs", [" ".join(map(str, t)) for t in self.thread_arcs]
        yield from self.more
        yield "end", []

    def text(self, extended=True):
        text = self.version3(extended)
        if extended:
            for name, lines in self.sections():
                text += f"section {name} 1 {len(lines)}\n" + "".join(l + "\n" for l in lines)
        return text

    def write(self, path, extended=True):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text(extended))
        return path


# ---- Profiles with figures worked out by hand -------------------------------------------------


def simple(program, **keywords):
    """main calls work twice, from two places, for 4 and 2 ms; work calls leaf for 500 and
    300 us the first time and for 200 us the second.  main takes 10 ms."""
    profile = Profile(program, run_ns=10_000_000, **keywords)
    profile.function("main", 1, 10_000_000, 4_000_000, (10_000_000, 10_000_000),
                     (4_000_000, 4_000_000), [(24, 1)])
    profile.function("work", 2, 6_000_000, 5_000_000, (2_000_000, 4_000_000),
                     (1_800_000, 3_200_000), [(21, 1), (22, 1)])
    profile.function("leaf", 3, 1_000_000, 1_000_000, (200_000, 500_000), (200_000, 500_000),
                     [(18, 1), (19, 2)])
    profile.arc(None, 0x7f0000001234, "main", 1, 10_000_000)
    profile.arc("main", "main+6", "work", 1, 4_000_000)
    profile.arc("main", "main+12", "work", 1, 2_000_000)
    profile.arc("work", "work+5", "leaf", 3, 1_000_000)
    top = profile.context(None, 0x7f0000001234, "main", 1, 10_000_000, 4_000_000)
    first = profile.context(top, "main+6", "work", 1, 4_000_000, 3_200_000)
    profile.context(first, "work+5", "leaf", 2, 800_000, 800_000)
    second = profile.context(top, "main+12", "work", 1, 2_000_000, 1_800_000)
    profile.context(second, "work+5", "leaf", 1, 200_000, 200_000)
    profile.thread(4711, 0, 10_000_000, 10_000_000, 6, False, "prog")
    return profile


def recursive(program):
    """Each call spends 10 ns before it calls on and none after.

    main 0-110: even(3) 10-50 (even, odd, even, odd), then alpha 50-110: alpha, beta, alpha,
    beta, delta, beta: two circles that share beta; then, in no time, fib twice deep."""
    profile = Profile(program, run_ns=110)
    profile.function("main", 1, 110, 10, (110, 110), (10, 10), [(7, 1)])
    profile.function("even", 2, 40, 20, (20, 40), (10, 10), [(5, 1), (6, 1)])
    profile.function("odd", 2, 30, 20, (10, 30), (10, 10), [(4, 1), (5, 1)])
    profile.function("alpha", 2, 60, 20, (40, 60), (10, 10), [(6, 2)])
    profile.function("beta", 3, 50, 30, (10, 50), (10, 10), [(4, 1), (5, 1), (6, 1)])
    profile.function("delta", 1, 20, 10, (20, 20), (10, 10), [(5, 1)])
    profile.function("fib", 3, 0, 0, (0, 0), (0, 0), [(0, 3)])
    profile.arc(None, 0x7f0000001234, "main", 1, 110)
    profile.arc("main", "main+6", "even", 1, 40)
    profile.arc("even", "even+4", "odd", 2, 30)
    profile.arc("odd", "odd+4", "even", 1, 20)
    profile.arc("main", "main+12", "alpha", 1, 60)
    profile.arc("alpha", "alpha+4", "beta", 2, 50)
    profile.arc("beta", "beta+4", "alpha", 1, 40)
    profile.arc("beta", "beta+6", "delta", 1, 20)
    profile.arc("delta", "delta+4", "beta", 1, 10)
    profile.arc("main", "main+14", "fib", 1, 0)
    profile.arc("fib", "fib+6", "fib", 2, 0)
    return profile


def with_heap(program):
    """`simple` and what it allocated: main one block of 100 bytes, freed; work 40 of 100, of which
    4 stay; before the start, outside of all functions, two of 32 that stay."""
    profile = simple(program)
    plain = profile.sections

    def point(context, where, call):
        module, address = profile.place(where)
        return f"{context} {module} {address:#x} {call} -1"

    def sections():
        for name, lines in plain():
            if name == "end":
                yield "heap", ["allocations 43", "frees 37", "bytes 4164", "live-blocks 6",
                               "live-bytes 464", "peak-bytes 2164", "peak-time 5000000"]
                yield "heap-frames", []
                # allocations bytes frees | live | reachable | indirect | peak temporary lifetime
                yield "heap-places", [
                    f"{point(0, 'main+20', 1)} 1 100 1 0 0 0 0 0 0 100 0 1000 7:1",
                    f"{point(1, 'work+9', 1)} 40 4000 36 4 400 0 0 0 0 2000 2 36000 7:40",
                    f"{point(-1, 0x7f0000009999, 12)} 2 64 0 2 64 0 0 0 0 64 0 0 6:2"]
                yield "heap-blocks", ["1 live 4096:100:5 4096:0:0 4096:0:0 4096:0:0",
                                      "2 live 65536:32:0 64:0:0"]
                yield "heap-bad-frees", []
                yield "heap-samples", ["2000000 164", "5000000 2164", "9000000 464"]
            yield name, lines
    profile.sections = sections
    return profile


def with_waits(program):
    """main calls work from two places, which is off the CPU for 3.5 of 5 and for 2.5 of 4 ms; main itself
    takes 1 ms on the CPU."""
    profile = Profile(program, run_ns=10_000_000)
    profile.function("main", 1, 10_000_000, 1_000_000, (0, 10_000_000), (0, 1_000_000), [(24, 1)])
    profile.function("work", 3, 9_000_000, 9_000_000, (0, 9_000_000), (0, 9_000_000), [(24, 3)])
    profile.arc(None, 0x7f0000001234, "main", 1, 10_000_000)
    profile.arc("main", "main+6", "work", 2, 5_000_000)
    profile.arc("main", "main+12", "work", 1, 4_000_000)
    top = profile.context(None, 0x7f0000001234, "main", 1, 10_000_000, 1_000_000)
    profile.context(top, "main+6", "work", 2, 5_000_000, 5_000_000)
    profile.context(top, "main+12", "work", 1, 4_000_000, 4_000_000)
    profile.thread(4711, 0, 10_000_000, 10_000_000, 4, False, "prog",
                   functions=[("main", 1, 10_000_000, 1_000_000), ("work", 3, 9_000_000, 9_000_000)])
    plain = profile.sections

    def sections():
        for name, lines in plain():
            if name == "end":  # of total and local time, then of each arc and each context
                yield "wait-threads", ["0 1 6000000 1000000 0"]
                yield "wait-thread-functions", ["0 0 6000000 0", "0 1 6000000 6000000"]
                yield "wait-functions", ["0 6000000 0", "1 6000000 6000000"]
                yield "wait-arcs", ["0 6000000", "1 3500000", "2 2500000"]
                yield "wait-contexts", ["0 6000000 0", "1 3500000 3500000", "2 2500000 2500000"]
                yield "lane-threads", ["0 0 1000000"]  # blocked from 2 to 7 ms, preempted for half of 8 to 10 ms
                yield "lanes", [f"0 {at} 1000000 0" for at in range(2, 7)] + ["0 8 500000 500000", "0 9 500000 500000"]
            yield name, lines

    profile.sections = sections
    return profile
