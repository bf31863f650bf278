#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Reports of memory from sections that are written here: blocks of all states, unwound
# stacks, calls by way of what is not profiled, inlined functions, bad frees of all kinds.

import json

from fcfile import Program, contains, equal, fail, folder, good, run, section, simple

keep = folder()
program = Program()


class Points:
    """The text of points of `profile`."""

    def __init__(self, profile):
        self.profile = profile

    def point(self, context, where, call, frames=-1):
        module, address = self.profile.place(where)
        return f"{-1 if context is None else context} {module} {address:#x} {call} {frames}"


NONE = "-1 -1 0x0 0 -1"


def write(path, scanned, bad=()):
    profile = simple(program)
    point = Points(profile).point
    # work inlined a function "alpha": the same call site, so no line of its own
    profile.function("alpha", 1, 10, 10)
    inlined = profile.context(1, "main+6", "alpha", 1, 10, 10)
    frames = [f"-1 {profile.place('main+12')[0]} {profile.place('main+12')[1]:#x}",
              f"0 {profile.place('work+5')[0]} {profile.place('work+5')[1]:#x}"]
    totals = {"allocations": 20, "frees": 6, "bytes": 123456, "live-blocks": 14,
              "live-bytes": 30600, "peak-bytes": 40000, "peak-time": 5000000,
              "maps": 2, "map-bytes": 8192, "scanned": int(scanned)}
    # allocations bytes frees | live | reachable | indirect | peak temporary lifetime
    places = [
        f"{point(2, 'leaf+4', 1)} 10 40000 4 6 24000 {'2 8000 1 4000' if scanned else '0 0 0 0'} "
        "30000 2 8000 13:10",
        f"{point(2, 'sorter+8', 3)} 2 3000 0 2 3000 0 0 0 0 3000 0 0 11:1 12:1",
        f"{point(None, 0x7f0000009999, 12)} 1 600 0 1 600 0 0 0 0 600 0 0 10:1",
        f"{point(inlined, 'work+9', 6)} 3 900 0 3 900 0 0 0 0 900 0 0 9:3",
        f"{point(4, 'even+4', 7, 1)} 2 2100 0 2 2100 0 0 0 0 2100 0 0 11:2",
        f"{point(0, 'main+20', 2)} 2 76856 2 0 0 0 0 0 0 3400 2 4000 17:2",
    ]
    states = ["lost"] * 3 + ["indirect"] + ["reachable"] * 2 if scanned else ["live"] * 6
    blocks = [f"0 {state} {0x10000 * (i + 1)}:4000:{1000 * i}"
              for i, state in enumerate(states)]
    plain = profile.sections

    def sections():
        for name, lines in plain():
            if name == "end":
                yield "heap", [f"{key} {value}" for key, value in totals.items()]
                yield "heap-frames", frames
                yield "heap-places", places
                yield "heap-blocks", blocks
                yield "heap-bad-frees", [kind(point) for kind in bad]
                yield "heap-samples", ["2000000 1000", "3000000 1000", "6000000 40000", "9000000 30000"]
            yield name, lines
    profile.sections = sections
    return profile.write(path)


def line(place):
    name, _, offset = place.partition("+")
    return program.line(program.start[name] + int(offset, 0) - 1)


def leaks(*arguments):
    """(figures, stack) of each group of the report."""
    groups = []
    for text in section(good("--no-reports", *arguments), "Memory leaks"):
        words = text.strip()
        if words.startswith("from "):
            groups[-1][1].append(words[5:])
        elif " in " in words and not words.endswith(")"):
            cut = min(words.index(word) for word in ("malloc", "realloc", "before", "new", "calloc")
                      if word + " " in words or word + "[] " in words)
            groups.append((words[:cut].split(), [words[cut:]]))
    return groups


# Each state by itself, largest first; reachable ones only when they are asked for.
write("scanned.fc", True)
lost = leaks("scanned.fc", "--mem-leaks")
equal([group[0] for group in lost],
      [["11.72", "KiB", "53.1", "3", "lost"], ["4000", "B", "17.7", "1", "indirect"],
       ["3000", "B", "13.3", "2", "lost"], ["2100", "B", "9.3", "2", "lost"],
       ["900", "B", "4.0", "3", "lost"], ["600", "B", "2.7", "1", "lost"]], "groups")
equal([group[1] for group in lost], [
    # a call of the allocator by a profiled function
    [f"malloc in leaf  at {line('leaf+4')}", f"work  at {line('work+5')}",
     f"main  at {line('main+6')}"],
    [f"malloc in leaf  at {line('leaf+4')}", f"work  at {line('work+5')}",
     f"main  at {line('main+6')}"],
    # ... by what it had called, and is not profiled
    [f"realloc in sorter  at {line('sorter+8')}", "leaf", f"work  at {line('work+5')}",
     f"main  at {line('main+6')}"],
    # unwound
    [f"new[] in even  at {line('even+4')}", f"work  at {line('work+5')}",
     f"main  at {line('main+12')}"],
    # in what was inlined
    [f"new in alpha  at {line('work+9')}", "work", f"main  at {line('main+6')}"],
    # outside of everything
    ["before the start in 0x7f0000009999"]], "stacks")
text = good("--no-reports", "--mem-leaks", "scanned.fc")
for part in ("12 blocks of 22600 bytes were lost, of 5 allocation sites.",
             "1 block of 4000 bytes of these only lost blocks pointed to.",
             "2 blocks of 8000 bytes could still be reached; --reachable shows them."):
    contains(text, part, "sums")
everything = leaks("scanned.fc", "--mem-leaks", "--reachable")
equal(everything[1][0], ["8000", "B", "26.1", "2", "reachable"], "--reachable")
equal(len(everything), 7, "--reachable")
text = good("--no-reports", "--mem-leaks", "--details", "scanned.fc")
equal([text.count(f"{0x10000 * (i + 1):#x}, 4000 B") for i in range(6)], [1, 1, 1, 1, 0, 0],
      "the blocks themselves")

# Not looked at: all are live, and count.
write("live.fc", False)
contains(good("--no-reports", "--mem-leaks", "live.fc"),
         "14 blocks of 30600 bytes were never freed, of 5 allocation sites.", "live blocks")
equal({group[0][-1] for group in leaks("live.fc", "--mem-leaks")}, {"live"}, "states")
data = json.loads(good("--json", "scanned.fc"))["heap"]
equal((data["scanned"], data["leaked"], data["indirect"], data["reachable"]),
      (True, {"blocks": 12, "bytes": 22600}, {"blocks": 1, "bytes": 4000},
       {"blocks": 2, "bytes": 8000}), "JSON: sums")
equal([block["state"] for block in data["blocks"]],
      ["lost"] * 3 + ["indirect"] + ["reachable"] * 2, "JSON: states")
equal(len(data["frames"]), 2, "JSON: frames")

# Selections take the blocks of a function and of all below it.
equal([group[0][0] for group in leaks("scanned.fc", "--mem-leaks", "--only=alpha")], ["900"],
      "--only")
equal([group[0][0] for group in leaks("scanned.fc", "--mem-leaks", "--not=leaf")],
      ["900", "600"], "--not")
equal(run("--no-reports", "--fail-on-leak", "--only=main", "--not=work", "scanned.fc").status, 0,
      "the status of what is shown")
equal(run("--no-reports", "--fail-on-leak", "scanned.fc").status, 3, "--fail-on-leak")
equal((run("--no-reports", "--fail-on-bad-free", "scanned.fc").status, good("--no-reports", "--fail-on-bad-free", "scanned.fc")),
      (0, ""), "a status is all that is wanted")

# The peak and who held it, over time.
heap = "\n".join(section(good("--no-reports", "--mem-heap", "scanned.fc"), "The heap"))
for part in ("20 blocks, 123456 bytes (120.6 KiB)", "2 calls, 8192 bytes", "after 5.000 ms",
             "6 blocks, after 2.000 us on average; 4 (20.0%)"):
    contains(heap, part, "totals")
text = good("--no-reports", "--mem-heap", "scanned.fc")
contains(text, "6.000 ms  39.06 KiB  " + "#" * 50 + "\n9.000 ms  29.30 KiB  " + "#" * 38 + "\n",
         "the course")
equal([line.split()[0] for line in text.split("\n") if " 1000 B  #" in line], ["3.000"], "lines with the same are one")
contains(text, "29.30 KiB  75.0  malloc in leaf", "the holder")

# Bad frees.
kinds = (
    lambda p: f"double 0x5000 0x5000 100 1000 {p(1, 'work+5', 5)} {p(2, 'leaf+4', 1)} "
              f"{p(0, 'main+6', 5)}",
    lambda p: f"double 0x6000 0x6000 100 1500 {p(1, 'work+5', 5)} {p(2, 'leaf+4', 1)} "
              f"{p(0, 'main+6', 5)}",
    lambda p: f"inside 0x7010 0x7000 20000 2000 {p(0, 'main+6', 5)} {p(2, 'leaf+4', 1)} {NONE}",
    lambda p: f"stack 0x7ffe00001000 0x0 0 3000 {p(0, 'main+12', 5)} {NONE} {NONE}",
    lambda p: f"mismatch 0x8000 0x8000 8 4000 {p(0, 'main+12', 5)} {p(2, 'leaf+4', 7)} {NONE}",
    lambda p: f"unknown 0x9000 0x0 0 5000 {p(None, 0x7f0000001234, 8)} {NONE} {NONE}",
    lambda p: f"inside 0xa010 0xa000 32 6000 {p(0, 'main+6', 3)} {p(2, 'leaf+4', 2)} {NONE}",
)
write("bad.fc", True, kinds)
text = good("--no-reports", "--mem-free", "bad.fc")
for part in ("0x5000 was freed before: a block of 100 B; after 1.000 us (and 1 more)\n",
             "0x7010 is 16 bytes inside a block of 19.53 KiB; after 2.000 us\n",
             "0x7ffe00001000 points into the stack; after 3.000 us\n",
             "0x8000 is of new[] and was given to free: a block of 8 B; after 4.000 us\n",
             "0x9000 was never allocated; after 5.000 us\n",
             "  here: delete in 0x7f0000001234\n"):
    contains(text, part, "bad frees")
for absent in ("0x6000", "0xa010"):  # alike, and a realloc
    if absent in text:
        fail(f"{absent} is shown", text)
blocks = [" ".join(block.split()) for block in text.split("\n\n")]
contains(blocks[0], f"again: free in work at {line('work+5')} from main at {line('main+6')} "
                    f"freed: free in main at {line('main+6')} allocated: malloc in leaf at "
                    f"{line('leaf+4')} from work at {line('work+5')} from main", "three stacks")
contains(good("--no-reports", "--mem-realloc", "bad.fc"),
         "0xa010 is 16 bytes inside a block of 32 B", "a bad realloc")
equal(run("--no-reports", "--fail-on-bad-free", "bad.fc").status, 3, "--fail-on-bad-free")
equal(run("--no-reports", "--fail-on-bad-free", "scanned.fc").status, 0, "no bad free")
with open("rules", "w", encoding="ascii") as file:
    file.write("free:prog\nfree:^0x7f\n")
equal(run("--no-reports", "--fail-on-bad-free", "--suppress=rules", "bad.fc").status, 0, "free:")
kinds_found = [bad["kind"] for bad in json.loads(good("--json", "bad.fc"))["heap"]["bad_frees"]]
equal(kinds_found, ["double", "double", "inside", "stack", "mismatch", "unknown", "inside"],
      "JSON: kinds")

# Addresses in place of names.
contains(good("--no-reports", "--no-names", "--mem-leaks", "scanned.fc"),
         f"malloc in {0x555500000000 + program.start['leaf'] + 4:#x}", "--no-names")
