# SPDX-License-Identifier: GPL-3.0-or-later
"""A profile as the tests see it: an own reader of .fc and .fcd files, which shares
nothing with profile/, and names by way of readelf.

Used by the end-to-end tests.  It must never correct or complete what it reads: a
section that is not as the manual says is an error, and so is a version 3.0 part
that does not agree with the sections behind it.
"""

import functools
import gc
import hashlib
import json
import os
import re
import subprocess
import tempfile

import fctest

TIME_MODES = {1: "tsc", 2: "ext", 3: "cpu", 4: "sys"}
PROFILE_MODES = {1: "single", 2: "fork", 3: "thread"}

# Tests load thousands of profiles, whose objects stay: to look again and again for cycles among them
# took half of the time.
gc.disable()

# of a line: parent, module, address, function, calls, total and local time
CONTEXT = re.compile(r"-?\d+ -?\d+ (?:0x[0-9a-f]+|\(nil\)) \d+ \d+ \d+ \d+").fullmatch


class FormatError(Exception):
    """Why a file is not a profile."""


class Record:
    """Attributes by name."""

    def __init__(self, **fields):
        self.__dict__ = fields  # tests load thousands of profiles

    def __repr__(self):
        return f"Record({self.__dict__})"


def unescape(word):
    if word == "-":
        return None
    if word == "\\e":
        return ""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), word)


def address(word):
    return 0 if word == "(nil)" else int(word, 16)


class Lines:
    def __init__(self, text):
        self.lines = text.split("\n")
        if self.lines.pop() != "":
            raise FormatError("the last line is not ended")
        self.next = 0

    def take(self):
        if self.next >= len(self.lines):
            raise FormatError(f"ends after line {self.next}")
        self.next += 1
        return self.lines[self.next - 1]

    def take_many(self, count):
        if self.next + count > len(self.lines):
            raise FormatError(f"ends after line {len(self.lines)}")
        self.next += count
        return self.lines[self.next - count:self.next]

    def take_list(self):
        """The lines of a version 3.0 list: a number, and as many lines."""
        return [line.split() for line in self.take_many(int(self.take()))]

    def take_sections(self):
        sections = {}
        while self.next < len(self.lines):
            match = re.fullmatch(r"section ([a-z-]+) (\d+) (\d+)", self.take())
            if match is None:
                raise FormatError(f"line {self.next} begins no section")
            sections[match.group(1)] = self.take_many(int(match.group(3)))
        return sections


SECTION = re.compile(r" *\[ *(\d+)\] .*? [0-9a-f]{8,16} [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ +(\w*) ").match


def read_symbols(path):
    """A line for each symbol that a file defines, as nm has them: where, how long, what, name.  By way of readelf,
    which takes a fifth of nm's time, as it loads no linker's plug-in."""
    text = subprocess.run(["readelf", "-SsW", path], capture_output=True, env={**os.environ, "LC_ALL": "C"}).stdout
    sections, _, symbols = text.decode(errors="surrogateescape").partition("\nSymbol table '.symtab'")
    code = {match[1] for match in map(SECTION, sections.splitlines()) if match and "X" in match[2]}
    rows = []
    for words in map(str.split, symbols.splitlines()):
        if len(words) != 8 or words[6] == "UND" or words[3] in ("Type", "SECTION", "FILE"):
            continue
        _, value, size, kind, binding, _, section, name = words
        if kind == "IFUNC" or binding == "UNIQUE":
            letter = "i" if kind == "IFUNC" else "u"
        elif binding == "WEAK":
            letter = "V" if kind == "OBJECT" else "W"
        elif section in code:
            letter = "t" if binding == "LOCAL" else "T"
        else:
            letter = "d"
        rows.append(f"{int(value, 16)} {int(size, 0)} {letter} {name}\n")
    return "".join(rows)


def symbols_text(path):
    """The same, which is kept for all files with the same bytes, beside what was compiled: tests look at hundreds of
    copies of the same few programs and libraries."""
    try:
        with open(path, "rb") as stream:
            kept = os.path.join(fctest.COMPILED, "symbols-" + hashlib.sha256(stream.read()).hexdigest())
    except OSError:  # as readelf could not, either
        return ""
    if not os.path.exists(kept):
        os.makedirs(fctest.COMPILED, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=fctest.COMPILED, delete=False, encoding="utf-8",
                                         errors="surrogateescape") as stream:
            stream.write(read_symbols(path))
        os.rename(stream.name, kept)
    with open(kept, encoding="utf-8", errors="surrogateescape") as stream:
        return stream.read()


@functools.lru_cache(maxsize=None)
def symbol_rows(path):
    """[(offset, size, kind, name)] of what a file defines, kind as nm's; nothing has a size of 0."""
    return [(int(row[0]), int(row[1]), row[2], row[3]) for row in map(str.split, symbols_text(path).splitlines())]


@functools.lru_cache(maxsize=None)
def symbols_of(path):
    """{offset: name} of the functions that a file defines."""
    return {offset: name for offset, _, kind, name in symbol_rows(path) if kind in "tTwWiu"}


class Profile:
    """unique_id, time_mode, profile_mode, pid, ppid, run_ns, end, end_value, modules,
    functions, threads, arcs, contexts, repairs, losses: as profile/fc-profile.h has
    them, but with references in place of indices."""

    def __init__(self, text, program=None):
        self.program = program  # where it is, if the process could not tell
        lines = Lines(text)
        if lines.take() != "functioncheck_v3.0":
            raise FormatError("wrong first line")
        self.unique_id = unescape(lines.take()).removesuffix("+sections")
        self.time_mode = TIME_MODES[int(lines.take())]
        self.profile_mode = PROFILE_MODES[int(lines.take())]
        self.id = int(lines.take())
        self.ppid = int(lines.take())
        self.run_us = int(lines.take())
        self.v3_arcs = lines.take_list()
        self.v3_functions = lines.take_list()
        self.v3_libraries = lines.take_list()
        self.v3_memory = [lines.take_list() for _ in range(3)]
        sections = lines.take_sections()
        self.section_names = list(sections)
        self.read_process(sections["process"])
        self.modules = [self.module(line.split()) for line in sections["modules"]]
        self.functions = [self.function(line.split()) for line in sections["functions"]]
        self.read_costs(sections)
        for line in sections.get("uncounted", ()):
            self.functions[int(line)].uncounted = True
        self.threads = [self.thread(line.split()) for line in sections["threads"]]
        self.read_thread_parts(sections)
        self.arcs = [self.arc(line.split()) for line in sections["arcs"]]
        self.context_lines = sections["contexts"]
        for line in self.context_lines:
            if CONTEXT(line) is None:
                raise FormatError(f"not a context: {line!r}")
        self.repairs = self.notes(sections["repairs"])
        self.losses = self.notes(sections["losses"])
        self.check_v3()

    def read_process(self, lines):
        values = {}
        for line in lines:
            key, _, value = line.partition(" ")
            values.setdefault(key, []).append(value)
        self.pid = int(values["pid"][0])
        if self.program is None:
            self.executable = unescape(values["executable"][0])
        elif "executable" in values:
            raise FormatError("the process could tell where its program is")
        self.arguments = [unescape(word) for word in values.get("argument", [])]
        self.run_ns = int(values["run"][0])
        end, value = values["end"][0].split()
        self.end, self.end_value = end, int(value)

    @staticmethod
    def notes(lines):
        return {line.split()[0]: int(line.split()[1]) for line in lines}

    def module(self, words):
        path = unescape(" ".join(words[6:]))
        return Record(base=address(words[0]), start=address(words[1]), end=address(words[2]),
                      load_ns=int(words[3]), unload_ns=int(words[4]),
                      build_id=unescape(words[5]), path=self.program if path == "" else path)

    def place(self, module, where):
        """(path or None, offset) of a place given by module number and address."""
        if int(module) < 0:
            return None, address(where)
        module = self.modules[int(module)]
        return module.path, address(where) - module.base

    def function(self, words):
        path, offset = self.place(words[0], words[1])
        numbers = [int(word) for word in words[2:9]]
        histogram = {int(word.split(":")[0]): int(word.split(":")[1]) for word in words[9:]}
        name = symbols_of(path).get(offset) if path else None
        return Record(module=path, offset=offset, address=address(words[1]),
                      name=name or f"{path}+{offset:#x}", calls=numbers[0], total_ns=numbers[1],
                      local_ns=numbers[2], total_min_ns=numbers[3], total_max_ns=numbers[4],
                      local_min_ns=numbers[5], local_max_ns=numbers[6], histogram=histogram,
                      raw_total_ns=numbers[1], raw_local_ns=numbers[2], uncounted=False)

    def read_costs(self, sections):
        for line in sections.get("cost-functions", ()):
            index, total, local = map(int, line.split())
            self.functions[index].raw_total_ns += total
            self.functions[index].raw_local_ns += local

    @staticmethod
    def thread(words):
        return Record(tid=int(words[0]), start_ns=int(words[1]), end_ns=int(words[2]),
                      run_ns=int(words[3]), calls=int(words[4]), ended=words[5] == "1",
                      name=unescape(words[6]), functions={}, local_ns=0, raw_local_ns=0, stack=[],
                      waits=0, wait_ns=0, preempted_ns=0, manager_ns=0)

    def read_thread_parts(self, sections):
        for line in sections["thread-functions"]:
            thread, function, calls, total, local = map(int, line.split())
            # by name, where functions of one name are of no concern to the test
            self.threads[thread].functions[self.functions[function].name] = (calls, total, local)
            self.threads[thread].local_ns += local  # of all functions
            self.threads[thread].raw_local_ns += local
        for line in sections.get("cost-threads", ()):
            words = line.split()
            self.threads[int(words[0])].raw_local_ns += int(words[3])
        for line in sections.get("wait-threads", []):
            words = list(map(int, line.split()))
            thread = self.threads[words[0]]
            thread.waits, thread.wait_ns, thread.preempted_ns, thread.manager_ns = words[1:]
        for line in sections["thread-stacks"]:
            words = line.split()
            self.threads[int(words[0])].stack.append(self.functions[int(words[3])])

    def arc(self, words):
        path, offset = self.place(words[1], words[2])
        caller = int(words[0])
        return Record(caller=self.functions[caller] if caller >= 0 else None,
                      callee=self.functions[int(words[3])], site_module=path, site_offset=offset,
                      site=address(words[2]), calls=int(words[4]), total_ns=int(words[5]))

    def context_calls(self):
        """The calls of each context, where that is all that is asked of hundreds of thousands."""
        return [int(line.split(" ", 5)[4]) for line in self.context_lines]

    @functools.cached_property
    def contexts(self):
        """Made when asked for: they are most of a profile, and few tests look at them."""
        contexts = []
        for line in self.context_lines:
            words = line.split()
            parent = int(words[0])
            function = self.functions[int(words[3])]
            path = (contexts[parent].path if parent >= 0 else ()) + (function.name,)
            contexts.append(Record(path=path, function=function, calls=int(words[4]),
                                   total_ns=int(words[5]), local_ns=int(words[6])))
        return contexts

    def check_v3(self):
        """The part for old readers says the same, in microseconds, of 32 bits but for sums."""
        def to_us(ns, most=2 ** 32 - 1):
            return min((ns + 500) // 1000, most)

        if self.run_us != to_us(self.run_ns):
            raise FormatError(f"runs {self.run_us} us and {self.run_ns} ns")
        old = {address(words[0]): [int(word) for word in words[1:]]
               for words in self.v3_functions}
        new = {each.address: [each.calls, to_us(each.local_ns, 2 ** 64),
                              to_us(each.total_ns, 2 ** 64)] + [to_us(ns) for ns in (
                                  each.total_min_ns, each.total_max_ns, each.local_min_ns,
                                  each.local_max_ns)] for each in self.functions}
        if len(new) == len(self.functions) and old != new:
            raise FormatError("the functions of version 3.0 are others")
        old = {(address(words[0]), address(words[1])): int(words[2]) for words in self.v3_arcs}
        new = {}
        for each in self.arcs:
            key = (each.site, each.callee.address)
            new[key] = new.get(key, 0) + each.calls
        if old != new:
            raise FormatError("the arcs of version 3.0 are others")


def load(path, program=None):
    """The profile in a .fc file; of a process that could not tell where its program is."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    try:
        return Profile(text, program)
    except (FormatError, ValueError, LookupError) as error:
        raise FormatError(f"{path}: {error!r}") from error


def load_descriptor(path):
    """The entries of a .fcd file: id, parent, is_thread, file."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    entries = []
    for block in text.strip().split("\n\n")[1:]:
        match = re.fullmatch(r"Process id: (\d+)\n    parent: (\w+)\n      file: (.*)", block)
        if match is None:
            raise FormatError(f"{path}: not a process: {block!r}")
        is_thread = match.group(2) == "pthread_create"
        entries.append(Record(id=int(match.group(1)), is_thread=is_thread,
                              parent=0 if is_thread else int(match.group(2)),
                              file=match.group(3)))
    return entries


class JsonProfile:
    """The same of `fcdump --json`, as far as the tests ask: names are fcdump's."""

    def __init__(self, data):
        if (data["format"], data["version"]) != ("functioncheck-json", 1):
            raise FormatError("another format")
        process, = data["processes"]
        for key in ("unique_id", "time_mode", "pid", "ppid", "run_ns", "executable", "executed"):
            setattr(self, key, process[key])
        self.profile_mode = process["profile_mode"].lower()
        self.end, self.end_value = process["end"]["kind"], process["end"]["value"]
        self.functions = [self.function(item, data) for item in data["functions"]]
        self.arcs = [self.arc(item, data) for item in data["arcs"]]
        self.contexts = []
        for item in data["contexts"]:
            function = self.functions[item["function"]]
            path = () if item["parent"] is None else self.contexts[item["parent"]].path
            self.contexts.append(Record(path=path + (function.name,), calls=item["calls"],
                                        total_ns=item["total_ns"], local_ns=item["local_ns"]))
        self.threads = [self.thread(item) for item in data["threads"]]
        self.repairs = {item["kind"]: item["count"] for item in data["repairs"]}
        self.losses = {item["kind"]: item["count"] for item in data["losses"]}

    @staticmethod
    def place(item, data):
        module = item["module"]
        return data["modules"][module]["path"] if module is not None else None, address(
            item["offset"])

    def function(self, item, data):
        # Functions of one name are one here; where it began, in each of its entries.
        path, offset = self.place(item["entries"][0], data)
        histogram = {bucket["from_ns"].bit_length(): bucket["calls"]
                     for bucket in item["histogram"]}
        figures = {key: item[key] for key in (
            "name", "calls", "uncounted", "total_ns", "local_ns", "total_min_ns", "total_max_ns",
            "local_min_ns", "local_max_ns")}
        return Record(module=path, offset=offset, histogram=histogram, file=item["file"],
                      line=item["line"], **figures)

    def arc(self, item, data):
        path, offset = self.place(item["site"], data)
        caller = self.functions[item["caller"]] if item["caller"] is not None else None
        return Record(caller=caller, callee=self.functions[item["callee"]], site_module=path,
                      site_offset=offset, calls=item["calls"], total_ns=item["total_ns"])

    def thread(self, item):
        functions = {self.functions[each["function"]].name:
                     (each["calls"], each["total_ns"], each["local_ns"])
                     for each in item["functions"]}
        return Record(tid=item["tid"], run_ns=item["run_ns"], calls=item["calls"],
                      ended=item["ended"], functions=functions,
                      stack=[self.functions[each["function"]] for each in item["stack"]])


def load_json(path, fcdump, *options):
    """The profile as `fcdump --json` tells it."""
    done = subprocess.run([fcdump, "--json", *options, path], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0 or done.stderr:
        raise FormatError(f"fcdump --json {path}: status {done.returncode}: {done.stderr}")
    return JsonProfile(json.loads(done.stdout))
