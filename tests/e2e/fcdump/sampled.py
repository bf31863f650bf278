#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The exports of stacks with all weights, by other readers than our own: --speedscope by a schema,
# --pprof by protobuf.  Debian's own Python, as these libraries are of Debian.

import gzip
import json
import os
import subprocess
import sys

try:
    import google.protobuf  # what protoc makes asks for it
    import jsonschema
except ImportError as missing:
    print(missing)
    sys.exit(77)
from fcfile import HERE, Program, contains, equal, folder, recursive, run, simple, with_heap, with_waits

keep = folder()
program = Program()
simple(program).write("simple.fc")
recursive(program).write("recursive.fc")
with_heap(program).write("heap.fc")
with open(os.path.join(HERE, "speedscope.schema.json"), encoding="utf-8") as file:
    schema = json.load(file)
TIME = {"main": 4_000_000, "main;work": 5_000_000, "main;work;leaf": 1_000_000}
CALLS = {"main": 1, "main;work": 2, "main;work;leaf": 3}
BYTES = {"main": 100, "main;work": 4000, "<outside>": 64}
LIVE = {"main;work": 400, "<outside>": 64}


def folded(weight, *arguments):
    """The same by --folded, which has a test of its own."""
    lines = run("--folded", f"--weight={weight}", *arguments).out.splitlines()
    return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines}


# ---- speedscope -----------------------------------------------------------------------------


def speedscope(*arguments):
    """{weight: (unit, {stack: weight})}, the notes."""
    result = run("--speedscope=-", *arguments)
    equal(result.status, 0, f"--speedscope {arguments}")
    data = json.loads(result.raw)
    jsonschema.validate(data, schema)
    frames = [frame["name"] for frame in data["shared"]["frames"]]
    profiles = {}
    for profile in data["profiles"]:
        equal((len(profile["samples"]), profile["endValue"]), (len(profile["weights"]), sum(profile["weights"])),
              profile["name"])
        stacks = [";".join(frames[i] for i in stack) for stack in profile["samples"]]
        profiles[profile["name"]] = profile["unit"], dict(zip(stacks, profile["weights"]))
    return profiles, result.err, data


profiles, notes, data = speedscope("simple.fc")
equal(profiles, {"time": ("nanoseconds", TIME), "calls": ("none", CALLS)}, "speedscope")
equal(notes, "fcdump: --speedscope: not in it: call sites, minima, maxima and histograms\n", "notes")
work = next(frame for frame in data["shared"]["frames"] if frame["name"] == "work")
equal(f"{work['file']}:{work['line']}", program.declared("work"), "a frame's line")
equal(data["name"], program.path, "the name")
profiles = speedscope("heap.fc")[0]
equal((profiles["bytes"], profiles["live-bytes"]), (("bytes", BYTES), ("bytes", LIVE)), "memory")
equal(sorted(profiles), ["blocks", "bytes", "calls", "live-blocks", "live-bytes", "peak-bytes", "time"], "weights")
equal(speedscope("--only=leaf", "simple.fc")[0]["time"][1], {"leaf": 1_000_000}, "--only")
equal(speedscope("recursive.fc")[0]["time"][1], folded("time", "recursive.fc"), "--folded has the same")

# Both times, where it is known how much of it was on the CPU, and one of them where only that is wanted.
with_waits(program).write("waits.fc")
WALL = {"main": 1_000_000, "main;work": 9_000_000}
CPU = {"main": 1_000_000, "main;work": 3_000_000}
both, _, data = speedscope("waits.fc")
equal([profile["name"] for profile in data["profiles"]][:2], ["cpu", "time"], "the time on the CPU comes first")
# speedscope takes the order for that of time: the heaviest first, each with what it called behind it.
ordered = speedscope("simple.fc")[2]
equal([";".join(ordered["shared"]["frames"][i]["name"] for i in stack) for stack in ordered["profiles"][0]["samples"]],
      ["main", "main;work", "main;work;leaf"], "the order")
equal((both["time"][1], both["cpu"]), (WALL, ("nanoseconds", CPU)), "both times")
equal((folded("time", "waits.fc"), folded("cpu", "waits.fc")), (WALL, CPU), "--weight=cpu")
only = speedscope("--time=cpu", "waits.fc")[0]
equal((only["cpu"][1], sorted(only)), (CPU, ["calls", "cpu"]), "--time=cpu")
only = speedscope("--time=wait", "waits.fc")[0]
equal((only["wait"][1], sorted(only)), ({"main;work": 6_000_000}, ["calls", "wait"]), "--time=wait")
contains(run("--folded", "--weight=cpu", "simple.fc").err, "--weight=cpu: the profile has no", "not known")

# ---- pprof ----------------------------------------------------------------------------------

subprocess.run(["protoc", f"--proto_path={HERE}", "--python_out=.", "profile.proto"], check=True)
sys.path.insert(0, os.getcwd())
import profile_pb2  # pylint: disable=wrong-import-position


def pprof(*arguments):
    """{type: (unit, {stack: weight})}, the message."""
    result = run("--pprof=out.pb.gz", *arguments)
    equal((result.status, result.out), (0, ""), f"--pprof {arguments}")
    message = profile_pb2.Profile()
    with gzip.open("out.pb.gz") as stream:
        message.ParseFromString(stream.read())
    text = message.string_table
    equal(text[0], "", "the first string")
    names = {function.id: text[function.name] for function in message.function}
    places = {place.id: names[place.line[0].function_id] for place in message.location}
    profiles = {}
    for i, kind in enumerate(message.sample_type):
        stacks = {}
        for sample in message.sample:  # calls from several lines are several
            name = ";".join(places[number] for number in reversed(sample.location_id))
            if sample.value[i] > 0:
                stacks[name] = stacks.get(name, 0) + sample.value[i]
        profiles[text[kind.type]] = text[kind.unit], stacks
    for sample in message.sample:
        equal(len(sample.value), len(message.sample_type), "values of a sample")
    return profiles, result.err, message


profiles, notes, message = pprof("simple.fc")
equal(profiles, {"wall": ("nanoseconds", TIME), "calls": ("count", CALLS)}, "pprof")
contains(notes, "--pprof: not in it: minima, maxima and histograms", "notes")
text = message.string_table
work = next(function for function in message.function if text[function.name] == "work")
equal(f"{text[work.filename]}:{work.start_line}", program.declared("work"), "a function's line")
place = next(place for place in message.location if place.line[0].function_id == work.id)
module = next(mapping for mapping in message.mapping if mapping.id == place.mapping_id)
equal((place.address, text[module.filename], text[module.build_id], module.memory_start),
      (0x555500000000 + program.start["work"], program.path, program.build_id, 0x555500000000), "a module")
equal((message.time_nanos, message.duration_nanos), (1700000000 * 10**9, 10_000_000), "when it was")
profiles = pprof("heap.fc")[0]
equal(profiles, {"calls": ("count", CALLS), "alloc_space": ("bytes", BYTES), "inuse_space": ("bytes", LIVE),
                 "alloc_objects": ("count", {"main": 1, "main;work": 40, "<outside>": 2}),
                 "inuse_objects": ("count", {"main;work": 4, "<outside>": 2}),
                 "wall": ("nanoseconds", TIME)}, "memory")
profiles = pprof("waits.fc")[0]
equal((profiles["wall"], profiles["cpu"]), (("nanoseconds", WALL), ("nanoseconds", CPU)), "both times")
for part, stacks in (("cpu", CPU), ("wait", {"main;work": 6_000_000})):
    profiles = pprof(f"--time={part}", "waits.fc")[0]
    equal((sorted(profiles), profiles[part][1]), (sorted(["calls", part]), stacks), f"pprof of --time={part}")
simple(program, time_mode=3).write("cpu.fc")
equal(pprof("cpu.fc")[0]["cpu"], ("nanoseconds", TIME), "CPU time")
