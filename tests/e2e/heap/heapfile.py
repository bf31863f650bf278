# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of this folder read of the heap in a .fc file, and what they all check of it.

Must never correct what it reads."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "support"))
import fcprofile  # noqa: E402
from fcprofile import Record  # noqa: E402

CALLS = (None, "malloc", "calloc", "realloc", "aligned", "free", "new", "new[]", "delete",
         "delete[]", "mmap", "munmap", "early")
POINT_WORDS = 5


class Heap:
    """totals: {key: number}; places, blocks and bad_frees: records; profile: the rest.
    A point's frames: (module, offset) of the unwound stack, innermost first."""

    def __init__(self, path):
        self.profile = fcprofile.load(path)
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        sections = {}
        for match in re.finditer(r"^section (heap[a-z-]*) \d+ (\d+)\n", text, re.MULTILINE):
            lines = text[match.end():].split("\n", int(match.group(2)))
            sections[match.group(1)] = [line.split() for line in lines[:int(match.group(2))]]
        self.is_recorded = "heap" in sections
        self.totals = {key: int(number) for key, number in sections.get("heap", ())}
        self.frames = []
        for parent, module, where in sections.get("heap-frames", ()):
            own = self.profile.place(module, where)
            self.frames.append([own] + (self.frames[int(parent)] if int(parent) >= 0 else []))
        self.places = [self.place(words) for words in sections.get("heap-places", ())]
        self.blocks = [block for words in sections.get("heap-blocks", ())
                       for block in self.run_of_blocks(words)]
        self.bad_frees = [self.bad_free(words) for words in sections.get("heap-bad-frees", ())]
        self.check()

    def point(self, words):
        """None where it is not known."""
        if int(words[3]) == 0:
            return None
        context = int(words[0])
        path, offset = self.profile.place(words[1], words[2])
        return Record(path=self.profile.contexts[context].path if context >= 0 else (),
                      module=path, offset=offset, call=CALLS[int(words[3])],
                      frames=self.frames[int(words[4])] if int(words[4]) >= 0 else [])

    def place(self, words):
        numbers = [int(word) for word in words[POINT_WORDS:POINT_WORDS + 12]]
        sizes = {int(word.split(":")[0]): int(word.split(":")[1])
                 for word in words[POINT_WORDS + 12:]}
        return Record(point=self.point(words), allocations=numbers[0], bytes=numbers[1],
                      frees=numbers[2], live_blocks=numbers[3], live_bytes=numbers[4],
                      peak=numbers[9], temporary=numbers[10], lifetime_ns=numbers[11],
                      sizes=sizes)

    def run_of_blocks(self, words):
        pointer = size = time = 0
        place, state = self.places[int(words[0])], words[1]
        for word in words[2:]:  # of hundreds of thousands
            further, more, later = word.split(":")
            pointer += int(further)
            size += int(more)
            time += int(later)
            yield Record(pointer=pointer, bytes=size, time_ns=time, state=state, place=place)

    def bad_free(self, words):
        points = [self.point(words[5 + i * POINT_WORDS:][:POINT_WORDS]) for i in range(3)]
        return Record(kind=words[0], pointer=int(words[1], 16), block=int(words[2], 16),
                      bytes=int(words[3]), here=points[0], allocated=points[1], freed=points[2])

    def check(self):
        """What holds for every profile."""
        if not self.is_recorded:
            return
        sums = [sum(getattr(place, name) for place in self.places)
                for name in ("allocations", "bytes", "frees", "live_blocks", "live_bytes", "peak")]
        expected = [self.totals[name] for name in ("allocations", "bytes", "frees", "live-blocks",
                                                   "live-bytes", "peak-bytes")]
        if sums[:-1] != expected[:-1] or sums[-1] > expected[-1]:
            raise AssertionError(f"the places add up to {sums}, the heap has {expected}")
        listed = sum(block.bytes for block in self.blocks) + self.totals["unlisted-bytes"]
        if listed != self.totals["live-bytes"]:
            raise AssertionError("the blocks' bytes are not the live ones")
        if len(self.blocks) + self.totals["unlisted-blocks"] != sum(
                place.live_blocks for place in self.places):
            raise AssertionError("the blocks listed and those that are not are not all")
        for place in self.places:
            if sum(place.sizes.values()) != place.allocations:
                raise AssertionError(f"{place.point}: sizes of {place.sizes}")

    def in_function(self, name):
        """allocations, bytes and frees of all places below a function."""
        places = [place for place in self.places if name in place.point.path]
        return tuple(sum(getattr(place, key) for place in places)
                     for key in ("allocations", "bytes", "frees"))

    def calls_in(self, name):
        return {place.point.call for place in self.places if name in place.point.path}

    def left_in(self, name):
        return sorted(block.bytes for block in self.blocks if name in block.place.point.path)

    def mistakes(self):
        """Anything that a program without a mistake must not show."""
        found = [f"{bad.kind} free of {bad.pointer:#x} at {bad.here}" for bad in self.bad_frees]
        return found + [f"{name}: {count}" for name, count in self.profile.losses.items()]
