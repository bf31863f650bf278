# SPDX-License-Identifier: GPL-3.0-or-later
"""What memcheck, LeakSanitizer and FunctionCheck say of a program's memory, in one form.

A Report has leaks, a Counter of (way) -> [blocks, bytes]; frees, a list of bad frees; and
totals.  A way is a tuple of "file:line" of the calls in the test's own sources, from the
allocator outwards.  FunctionCheck without unwinding knows the line of a call if the callee
is profiled or the allocator itself; elsewhere it has the function's name if that is profiled, and
nothing if it is not.  So the ways of the other tools are brought to that form."""

import collections
import json
import os
import re

Frame = collections.namedtuple("Frame", "function file line where")
# The allocator itself, and the loader, whose blocks depend on what is loaded.
ALLOCATOR = re.compile(r"/vgpreload_|^vg_replace_malloc\.c$")
LOADER = re.compile(r"/ld-linux|^rtld-malloc\.h$|^dl-")
BadFree = collections.namedtuple("BadFree", "kind call size offset here allocated freed")


class Report:
    def __init__(self):
        self.leaks = collections.defaultdict(lambda: [0, 0])
        self.states = collections.defaultdict(lambda: [0, 0])  # by (way, is it lost)
        self.frees = []
        self.totals = None  # allocations, frees, bytes

    def lost(self):
        """What was lost of the program's own."""
        return {way: tuple(sums) for (way, lost), sums in self.states.items()
                if lost and way and way != ("the loader",)}

    def add(self, way, blocks, size, lost):
        for sums, key in ((self.leaks, way), (self.states, (way, lost))):
            sums[key][0] += blocks
            sums[key][1] += size


def plain(name):
    """A C++ name without its parameters."""
    return name.split("(")[0] if not name.startswith("(") else name


def fold(frames, own):
    """What calling contexts make of recursion: a function that is entered again goes on
    where it was entered first, and what was called in between is left out."""
    folded = []
    for frame in reversed(frames):
        names = [other.function for other in folded]
        if own.get(frame.file) and frame.function in names:
            del folded[names.index(frame.function):]
        folded.append(frame)
    return folded[::-1]


def way_of(frames, own, unwound):
    """`own`: {file: is it profiled}.  `frames` begins with the call to the allocator."""
    if not frames:
        return ()
    if LOADER.search(frames[0].where):
        return ("the loader",)
    names = [frame.function for frame in frames]
    if "main" in names:
        frames = frames[:names.index("main") + 1]
    way = []
    if not unwound:
        frames = fold(frames, own)
    for index, frame in enumerate(frames):
        known = unwound or index == 0 or bool(own.get(frames[index - 1].file))
        if frame.file in own and known:
            way.append(f"{frame.file}:{frame.line}")
        elif own.get(frame.file):
            way.append(plain(frame.function))
    return tuple(way)


# ---- memcheck ----------------------------------------------------------------------------

VALGRIND_FRAME = re.compile(r"\s+(?:at|by) 0x[0-9A-F]+: (.+) \((?:in (.*)|([^():]+):(\d+))\)$")


def valgrind_frames(lines, start):
    """The frames from lines[start] on, without the allocator's, and where they end."""
    frames = []
    while start < len(lines) and re.match(r"\s+(at|by) 0x", lines[start]):
        match = VALGRIND_FRAME.match(lines[start])
        frames.append(Frame(match.group(1), match.group(3), int(match.group(4) or 0),
                            match.group(2) or match.group(3))
                      if match else Frame("?", None, 0, ""))
        start += 1
    called = ""
    while frames and ALLOCATOR.search(frames[0].where):
        called = frames.pop(0).function
    return frames, start, called


def number(text):
    return int(text.replace(",", ""))


def valgrind_call(name):
    """FunctionCheck's word for the function that was called."""
    name = plain(name)
    return {"operator delete": "delete", "operator delete[]": "delete[]"}.get(name, name)


def valgrind_free(lines, start, own, unwound, mismatch):
    here, at, function = valgrind_frames(lines, start)
    kind, size, offset, stacks = "unknown", 0, 0, [None, None]
    match = re.match(r"\s+Address 0x[0-9a-f]+ is ([\d,]+) bytes inside a block of size ([\d,]+) "
                     r"(alloc|free)'d", lines[at])
    if match:
        size, offset = number(match.group(2)), number(match.group(1))
        freed = match.group(3) == "free"
        stack, at, _ = valgrind_frames(lines, at + 1)
        way = way_of(stack, own, unwound)
        if freed:
            stack, at, _ = valgrind_frames(lines, at + 1)
            stacks = [way_of(stack, own, unwound), way]
        else:
            stacks = [way, None]
        kind = "mismatch" if mismatch else "double" if freed else "inside"
    elif re.search(r"is on thread \d+'s stack", lines[at]):
        kind = "stack"
    return BadFree(kind, valgrind_call(function), size, offset, way_of(here, own, unwound),
                     *stacks)


def read_valgrind(text, own, unwound):
    report = Report()
    lines = [re.sub(r"^==\d+== ?", "", line) for line in text.splitlines()
             if line.startswith("==")]
    for index, line in enumerate(lines):
        match = re.match(r"([\d,]+) (?:\(([\d,]+) direct, [\d,]+ indirect\) )?bytes in ([\d,]+) "
                         r"blocks are (.*) in loss record", line)
        if match:
            frames, _, _ = valgrind_frames(lines, index + 1)
            report.add(way_of(frames, own, unwound), number(match.group(3)),
                       number(match.group(2) or match.group(1)),
                       match.group(4) in ("definitely lost", "indirectly lost"))
        elif line.startswith(("Invalid free()", "Mismatched free()")):
            report.frees.append(valgrind_free(lines, index + 1, own, unwound,
                                              line.startswith("Mismatched")))
        match = re.match(r"\s+total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes",
                         line)
        if match:
            report.totals = tuple(number(part) for part in match.groups())
    return report


# ---- LeakSanitizer -------------------------------------------------------------------------

def read_lsan(text, own, unwound):
    report = Report()
    lines = text.splitlines()
    for index, line in enumerate(lines):
        match = re.match(r"(?:Direct|Indirect) leak of (\d+) byte\(s\) in (\d+) object\(s\)", line)
        if not match:
            continue
        frames = []
        for below in lines[index + 1:]:
            frame = re.match(r"\s+#\d+ 0x[0-9a-f]+ in (.+?)(?: (/\S+?):(\d+)(?::\d+)?)?$", below)
            if not frame:
                break
            name = os.path.basename(frame.group(2) or "")
            frames.append(Frame(frame.group(1).split(" ")[0], name, int(frame.group(3) or 0),
                                name or frame.group(1)))
        report.add(way_of(frames[1:], own, unwound), int(match.group(2)), int(match.group(1)),
                   True)
    return report


# ---- FunctionCheck -------------------------------------------------------------------------

def fc_way(point, own, functions):
    way = []
    if point is None:
        return None
    for frame in point["stack"]:
        name = os.path.basename(frame["file"] or "")
        if name in own:
            way.append(f"{name}:{frame['line']}")
        elif frame["file"] is None and frame["name"] in functions:
            way.append(plain(frame["name"]))
    return tuple(way)


def read_fc(text, own):
    report = Report()
    data = json.loads(text)
    heap = data["heap"]
    functions = {function["name"] for function in data["functions"]}
    report.scanned = heap["scanned"]
    report.end = data["processes"][0]["end"]
    report.losses = data["losses"]
    for place in heap["places"]:
        way = fc_way(place, own, functions)
        if "/ld-linux" in data["modules"][place["site"]["module"]]["path"]:
            way = ("the loader",)
        lost = [place["live_" + unit] - place["reachable_" + unit] for unit in ("blocks", "bytes")]
        if lost[0] > 0:
            report.add(way, *lost, True)
        if place["reachable_blocks"] > 0:
            report.add(way, place["reachable_blocks"], place["reachable_bytes"], False)
    for bad in heap["bad_frees"]:
        offset = int(bad["pointer"], 16) - int(bad["block"], 16) if bad["block"] else 0
        report.frees.append(BadFree(
            bad["kind"], bad["here"]["call"], bad["size_bytes"], offset,
            fc_way(bad["here"], own, functions), fc_way(bad["allocated"], own, functions),
            fc_way(bad["freed"], own, functions)))
    report.totals = (heap["allocations"], heap["frees"], heap["bytes"])
    # what is told in one place agrees with what is told in another
    live = [place["live_bytes"] for place in heap["places"]]
    blocks = [block["size_bytes"] for block in heap["blocks"]]
    assert sum(live) == sum(blocks) == heap["live_bytes"], "live bytes do not agree"
    assert sum(place["live_blocks"] for place in heap["places"]) == len(blocks) == \
        heap["live_blocks"], "live blocks do not agree"
    assert sum(place["bytes"] for place in heap["places"]) == heap["bytes"]
    return report
