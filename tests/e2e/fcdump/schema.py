#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The published schema of --json, by python3-jsonschema: it fits what is written, and knows every member of it; what it
# describes is refused where it is otherwise.  The manual's example in Python runs.

import copy
import json
import os
import re
import subprocess
import sys

from fcfile import Program, equal, fail, folder, good, recursive, simple, with_heap, with_waits
import fctest

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)
keep = folder()
program = Program()
PATH = os.path.join(os.environ["FC_PREFIX"], "share", "functioncheck", "functioncheck-json-1.schema.json")
with open(PATH, encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)


def strict(part):
    """The same, with no member that it does not name: later versions may add some, this one has none."""
    if isinstance(part, list):
        return [strict(each) for each in part]
    if not isinstance(part, dict):
        return part
    made = {key: strict(value) for key, value in part.items()}
    return {**made, "additionalProperties": False} if isinstance(part.get("properties"), dict) else made


validator = jsonschema.Draft7Validator(strict(schema))


def check(what, *arguments):
    data = json.loads(good("--json", *arguments))
    errors = [leaf for error in validator.iter_errors(data) for leaf in (error.context or [error])]
    equal([f"{'/'.join(map(str, error.absolute_path))}: {error.message[-300:]}" for error in errors[:8]], [], what)
    return data


simple(program).write("simple.fc")
data = check("a small profile", "simple.fc")
recursive(program).write("recursive.fc")
check("cycles", "recursive.fc")
with_waits(program).write("waits.fc")
check("waits", "waits.fc")
for part in ("cpu", "wait"):
    check(part, f"--time={part}", "waits.fc")
with_heap(program).write("heap.fc")
check("a heap, and a suggested filter", "--suggest-filter", "heap.fc")
simple(program).write("old.fc", extended=False)
check("version 3.0", "old.fc")
check("two processes", "simple.fc", "heap.fc")
check("some threads", "--thread=4711", "simple.fc")

check("ranks", "--ranks", "simple.fc", "heap.fc")
check("a rank beside the others", "--ranks=7", "simple.fc", "heap.fc")
with open("simple.fc", encoding="utf-8") as file:
    text = file.read()
with open("mpi.fc", "w", encoding="utf-8") as file:
    file.write(text.replace("section end 1 0", """section mpi-partners 1 3
0 -3 1 0 0 0 0 6 7
0 1 1 2 3 4 5 6 7
-1 -2 1 2 3 4 5 6 7
section mpi-collectives 1 2
0 0x401000 0 0x401010 0x0 0 2 1 1 1 1 5 5 0 5 0
0 0x401000 0 0x401020 0xab 0 2 2 4 2 2 50 5 0 45 1
section end 1 0"""))
data = check("figures of MPI", "mpi.fc")
equal([(row["partner"], row["kind"], row["posted_bytes"]) for row in data["mpi"]["partners"]],
      [(None, "any", 7), (1, "rank", 7), (None, "unknown", 7)], "partners")
equal([(row["world"], row["waited_ns"], row["late_rank"]) for row in data["mpi"]["collectives"]],
      [(True, None, None), (False, 40, 0)], "collective calls")

# A real program with all that can be recorded.
source = os.path.join(fctest.SOURCE_ROOT, "examples", "wordindex.c")
subprocess.run(["cc", "-g", "-o", "wordindex", source, *fctest.fc_config("--cflags-libs")], check=True)
subprocess.run(["./wordindex"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=300,
               env=fctest.plain_environment(FC_MEMORY="1", FC_LATENCY="1", FC_TRACE="50", FC_SLOWEST="3", FC_QUIET="1"))
check("a real program", "--suggest-filter", "functioncheck.fc")

# A rank of a job that frees a block twice.
with open("twice.c", "w", encoding="ascii") as file:
    file.write("#include <stdlib.h>\nint main(void) { char *p = malloc(3); free(p); free(p); return 0; }\n")
subprocess.run(["cc", "-g", "-o", "twice", "twice.c", *fctest.fc_config("--cflags-libs")], check=True)
subprocess.run(["./twice"], stderr=subprocess.DEVNULL, check=False, timeout=300,
               env=fctest.plain_environment(FC_MEMORY="1", FC_QUIET="1", PMI_RANK="1", PMI_SIZE="2", FC_DUMP_NAME="twice"))
fctest.wait_until(lambda: fctest.is_written("twice.fc"), "there is no profile")
check("a rank, and a bad free", "twice.fc")

# What is otherwise does not fit.
for what, change in (
        ("another version", lambda wrong: wrong.update(version=2)),
        ("another format", lambda wrong: wrong.update(format="json")),
        ("no functions", lambda wrong: wrong.pop("functions")),
        ("a time that is a text", lambda wrong: wrong["functions"][0].update(total_ns="5")),
        ("a negative count", lambda wrong: wrong["functions"][0].update(calls=-1)),
        ("an address that is a number", lambda wrong: wrong["modules"][0].update(base=5))):
    wrong = copy.deepcopy(data)
    change(wrong)
    if jsonschema.Draft7Validator(schema).is_valid(wrong):
        fail(f"{what} fits the schema")

# The manual's example.
with open(os.path.join(fctest.SOURCE_ROOT, "doc", "exports.texi"), encoding="utf-8") as file:
    example = re.search(r"@c python\n@example\n(.*?)@end example", file.read(), re.S).group(1)
for escaped, plain in (("@{", "{"), ("@}", "}"), ("@@", "@")):
    example = example.replace(escaped, plain)
done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, timeout=300, check=False,
                      env={**os.environ, "PATH": os.environ["FC_BINDIR"] + ":" + os.environ["PATH"]})
equal((done.returncode, done.stderr), (0, ""), "the example")
functions = {function["name"]: function for function in json.loads(good("--json", "functioncheck.fc"))["functions"]}
heaviest = max(functions.values(), key=lambda function: function["cpu_local_ns"])
equal(done.stdout.splitlines()[0].split()[-1], heaviest["name"], "its first line")
equal([line for line in done.stdout.splitlines() if line.startswith("check_packing calls pack ")],
      ["check_packing calls pack 1 times"], "its callees")
