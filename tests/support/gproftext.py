# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the reports of GNU gprof, column by column: of gprof itself, and of fcgprof,
which must not differ in layout.

Used by the end-to-end tests.  It must never be lenient: a line that is not laid out as
gprof does it is an error.
"""

import re

RULE = "-----------------------------------------------"
FIGURE = r"[ \d.]"

# %6.2f %9.2f %8.2f %8lu %8.2f %8.2f  name
FLAT_ROW = re.compile(
    r"(?P<percent>%s{6}) (?P<cumulative>%s{9}) (?P<self>%s{8}) (?P<calls>[ \d]{8}) "
    r"(?P<self_call>%s{8}) (?P<total_call>%s{8})  (?P<name>\S.*)" % ((FIGURE,) * 5))
FLAT_HEAD = "  %   cumulative   self              self     total           "
FLAT_UNITS = re.compile(
    r" time (?P<unit>.{9})  (?P<same>.{8})    calls (?P<self>.{8}) (?P<total>.{8})  name    ")

# index, %, self, children, called, its separator, total or self calls, name
GRAPH_LINE = re.compile(
    r"(?P<index>.{6}) (?P<percent>%s{5}) (?P<self>%s{7}) (?P<children>%s{7}) "
    r"(?P<called>[ \d]{7})(?P<mark>[/+ ])(?P<total>[ \d]{7})(?P<gap> +)(?P<name>\S.*)" % ((FIGURE,) * 3))
GRAPH_HEAD = "index % time    self  children    called     name"


class LayoutError(Exception):
    """Why a text is no report of gprof."""


class Record:
    def __init__(record, /, **fields):  # noqa: N805: there is a field of the name self
        record.__dict__.update(fields)

    def __repr__(self):
        return f"Record({self.__dict__})"


def number(text, kind=float):
    return kind(text) if text.strip() else None


def reports(text):
    """The reports of one run, without -b's explanations."""
    return text.split("\f\n")


def parse_flat(text):
    """Rows of a flat profile (-b): percent, cumulative, self, calls, self_call, total_call,
    name; and the unit of times and of times by call."""
    lines = text.split("\n")
    if lines[0] != "Flat profile:" or lines[1]:
        raise LayoutError(f"begins with {lines[:2]}")
    if FLAT_HEAD not in lines:
        raise LayoutError("has no head")
    start = lines.index(FLAT_HEAD) + 1
    units = FLAT_UNITS.fullmatch(lines[start])
    if units is None or units["unit"].strip() != units["same"].strip():
        raise LayoutError(f"units: {lines[start]!r}")
    rows = []
    for line in lines[start + 1:]:
        if not line:
            break
        match = FLAT_ROW.fullmatch(line)
        if match is None:
            raise LayoutError(f"row: {line!r}")
        rows.append(Record(name=match["name"], calls=number(match["calls"], int), **{
            key: number(match[key]) for key in ("percent", "cumulative", "self", "self_call",
                                                "total_call")}))
    return Record(unit=units["unit"].strip(), call_unit=units["self"].strip(), rows=rows,
                  above=lines[2:start - 1])


def parse_name(text):
    """name, cycle and index of "NAME <cycle N> [n]"."""
    match = re.fullmatch(r"(?P<name>.*?)(?: <cycle (?P<cycle>\d+)>)?(?: [\[(](?P<index>\d+)[\])])?",
                         text)
    return match["name"], number(match["cycle"] or "", int), number(match["index"] or "", int)


def parse_line(line):
    match = GRAPH_LINE.fullmatch(line)
    if match is None:
        raise LayoutError(f"line of the graph: {line!r}")
    is_own = match["index"].startswith("[")
    if match["gap"] != (" " if is_own else " " * 5):
        raise LayoutError(f"name begins at another column: {line!r}")
    name, cycle, index = parse_name(match["name"])
    return is_own, Record(
        name=name, cycle=cycle, index=index, percent=number(match["percent"]),
        self=number(match["self"]), children=number(match["children"]),
        called=number(match["called"], int), mark=match["mark"].strip(),
        total=number(match["total"], int))


def parse_graph(text):
    """Entries of a call graph (-b), in order: own line, parents, children."""
    lines = text.split("\n")
    if lines[0].strip() != "Call graph" or GRAPH_HEAD not in lines:
        raise LayoutError(f"begins with {lines[:6]}")
    start = lines.index(GRAPH_HEAD)
    entries, before = [], []
    entry = None
    for line in lines[start + 1:]:
        if line == RULE:
            if entry is None:
                raise LayoutError("an entry without a line of its own")
            entries.append(entry)
            entry, before = None, []
        elif line:
            is_own, record = parse_line(line)
            if is_own:
                if entry is not None:
                    raise LayoutError(f"two lines of their own: {line!r}")
                record.parents, record.children_lines, entry = before, [], record
            else:
                (before if entry is None else entry.children_lines).append(record)
    if entry is not None or before:
        raise LayoutError("the last entry is not ended")
    granularity, = [line for line in lines[:start] if line.startswith("granularity:")]
    return Record(entries=entries, granularity=granularity)


def parse_index(text):
    """{name: index} of the index, with cycles as "<cycle N>"."""
    lines = text.split("\n")
    if lines[0] != "Index by function name" or lines[1]:
        raise LayoutError(f"begins with {lines[:2]}")
    cells = {}
    for line in lines[2:]:
        for match in re.finditer(r" [\[(](\d+)[\])] (.*?)(?=\s+[\[(]\d+[\])] |$)", line):
            cells.setdefault(match[2].strip(), []).append(int(match[1]))
    return cells


def parse_all(text):
    """flat and graph of the default output (-b)."""
    parts = reports(text)
    if len(parts) != 3:
        raise LayoutError(f"{len(parts)} reports in place of 3")
    return parse_flat(parts[0]), parse_graph(parts[1]), parse_index(parts[2])
