#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Several profiles, or a descriptor, are summed: by module and offset, not by address.

import json
import os
import shutil

from fcfile import Profile, Program, classic, contains, equal, folder, rows, run, section, simple

keep = folder()
program = Program()
simple(program).write("one.fc")
# The same program elsewhere, with a larger work and a function that the other never called.
two = Profile(program, base=0x7fff00000000, run_ns=9_000_000, pid=4712, end=("signal", 15))
two.function("fib", 4, 1_000_000, 1_000_000, (100_000, 400_000), (100_000, 400_000), [(18, 4)])
two.function("work", 1, 9_000_000, 8_000_000, (9_000_000, 9_000_000), (8_000_000, 8_000_000),
             [(24, 1)])
two.arc(None, "main+6", "work", 1, 9_000_000)
two.arc("work", "work+5", "fib", 4, 1_000_000)
two.thread(4712, 0, 9_000_000, 9_000_000, 5, False, None)
two.write("two.fc")

EXPECTED = [
    ["15.00 ms", "78.9", "13.00 ms", "68.4", "2.000 ms", "9.000 ms", "1.800 ms", "8.000 ms", "3",
     "work"],
    ["10.00 ms", "52.6", "4.000 ms", "21.1", "10.00 ms", "10.00 ms", "4.000 ms", "4.000 ms", "1",
     "main"],
    ["1.000 ms", "5.3", "1.000 ms", "5.3", "100.0 us", "400.0 us", "100.0 us", "400.0 us", "4",
     "fib"],
    ["1.000 ms", "5.3", "1.000 ms", "5.3", "200.0 us", "500.0 us", "200.0 us", "500.0 us", "3",
     "leaf"]]
text = classic("one.fc", "two.fc")
equal(rows(text, "Flat profile"), EXPECTED, "the sum")
contains(text, "profile: one.fc, two.fc\n", "the header")
contains(text, "2 files summed", "general information")
contains(text, "19.00 ms from first to last event", "the time of both")
processes = [line.split() for line in section(text, "Processes")[1:]]
equal([(p[0], p[2] + p[3]) for p in processes], [("4711", "10.00ms"), ("4712", "9.000ms")],
      "the processes")
contains("\n".join(section(text, "Processes")), "killed by signal 15", "how a process ended")
callers = section(classic("one.fc", "two.fc", "--rgraph", "--only=work"), "Call graph")
equal([line.split("  ")[-1].strip() for line in callers if "    <-" in line],
      ["<- <outside> (via main)", "<- main"], "callers in both")

# The other way round it is the same; so are three times one.
equal(rows(classic("two.fc", "one.fc"), "Flat profile"), EXPECTED, "the sum, the other way round")
shutil.copy("one.fc", "one-2.fc")
shutil.copy("one.fc", "one-3.fc")
thrice = rows(classic("one.fc", "one-2.fc", "one-3.fc"), "Flat profile")
equal([(row[-1], row[0], row[4], row[8]) for row in thrice],
      [("main", "30.00 ms", "10.00 ms", "3"), ("work", "18.00 ms", "2.000 ms", "6"),
       ("leaf", "3.000 ms", "200.0 us", "9")], "three times one")
data = json.loads(classic("--json", "one.fc", "two.fc"))
equal([p["pid"] for p in data["processes"]], [4711, 4712], "processes in JSON")
work = [f for f in data["functions"] if f["name"] == "work"]
equal([(f["calls"], f["total_ns"]) for f in work], [(3, 15_000_000)], "a function in JSON")

# Of several programs each is named, of many the first few.
others = []
for number in range(6):
    path = os.path.abspath(f"other-{number}")
    shutil.copy(program.path, path)
    others.append(f"other-{number}.fc")
    simple(program, executable=path, pid=4800 + number).write(others[-1])


def program_named(*files):
    """In the summary, and in General information."""
    return [next(line.split(maxsplit=1)[1] for line in section(text, title) if line.startswith("Program "))
            for title, text in (("Summary", run("--summary", *files).out), ("General information", classic(*files)))]


equal(program_named("one.fc", "one-2.fc"), ["prog", program.path], "one program twice")
equal(program_named("one.fc", *others[:1], "one-2.fc"),
      ["prog, other-0", f"{program.path}, {os.path.abspath('other-0')}"], "two programs")
equal(program_named(*others[:5])[0], "other-0, other-1, other-2, other-3 and 1 other", "five programs")
equal(program_named(*others, "one.fc")[0], "other-0, other-1, other-2, other-3 and 3 others", "seven")
contains(program_named(*others)[1], f"{os.path.abspath('other-3')} and 2 others", "six, with their paths")

# A library that was unloaded and loaded again elsewhere: one function.
again = Profile(program, run_ns=100)
again.modules.append((0x666600000000, 0x666600000000, 0x666600100000, 50, 2**64 - 1,
                      program.build_id, program.path))
again.function("work", 1, 30, 30, (30, 30), (30, 30))
again.function("leaf", 2, 40, 40, (15, 25), (15, 25), where=0x666600000000)
again.functions[1] = ((1, 0x666600000000 + program.start["work"]), *again.functions[1][1:])
again.write("again.fc")
equal(rows(classic("again.fc"), "Flat profile"),
      [["70 ns", "100.0", "70 ns", "100.0", "15 ns", "30 ns", "15 ns", "30 ns", "3", "work"]],
      "a library loaded twice")


# Descriptors.
def descriptor(path, *files):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"FunctionCheck descriptor file.\n{len(files)} processes treated.\n"
                   "Treatments started at: 2023/11/14 22:13:20\n"
                   "Treatments ended at: 2023/11/14 22:13:21\n")
        for number, name in enumerate(files):
            file.write(f"\nProcess id: {4711 + number}\n    parent: 4700\n      file: {name}\n")


descriptor("both.fcd", ".//one.fc", ".//two.fc")
equal(rows(classic("both.fcd"), "Flat profile"), EXPECTED, "a descriptor")
equal(rows(classic(os.path.abspath("both.fcd")), "Flat profile"), EXPECTED, "its absolute path")
os.mkdir("elsewhere")
os.chdir("elsewhere")
equal(rows(classic("../both.fcd"), "Flat profile"), EXPECTED, "from another folder")
os.chdir("..")
descriptor("gone.fcd", "./one.fc", "./gone.fc", "./two.fc")
result = run("--classic", "gone.fcd")
equal(result.status, 1, "status when a process's file is missing")
contains(result.err, "gone.fc: No such file or directory", "a process's file is missing")
equal(rows(result.out, "Flat profile"), EXPECTED, "the other processes")

# A file is taken once, whatever names it: name.fc* fits a descriptor and the profiles that it lists.
os.symlink("one.fc", "link.fc")
descriptor("link.fcd", "one.fc", "link.fc")
for operands, repeated in ((("one.fc", "two.fc", "both.fcd"), "././/one.fc and 1 more"),
                           (("both.fcd", "two.fc", "one.fc"), "two.fc and 1 more"),
                           (("both.fcd", "both.fcd"), "././/one.fc and 1 more"),
                           (("one.fc", "./two.fc", "two.fc"), "two.fc"),
                           (("link.fcd", "two.fc"), "./link.fc")):
    result = run("--classic", *operands)
    equal((result.status, result.err), (0, f"fcdump: {repeated}: named more than once, taken once\n"), " ".join(operands))
    equal(rows(result.out, "Flat profile"), EXPECTED, " ".join(operands))
    contains(result.out, "2 files summed", " ".join(operands))
contains(classic("both.fcd"), "profile: both.fcd\n", "the header")
contains(run("--header", "both.fcd", "one.fc").out, "profile: both.fcd\n", "what is named again is not in the header")
result = run("gone.fc", "gone.fc")
equal((result.status, result.err.count("gone.fc: No such file"), "taken once" in result.err), (1, 2, False),
      "what can't be read is not taken")

