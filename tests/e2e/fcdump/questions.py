#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --peek, --path, --by, --base, --process and --thread.

import shutil

from fcfile import Profile, Program, contains, equal, fail, folder, good, recursive, rows, run, simple

keep = folder()
program = Program()
simple(program).write("simple.fc")
recursive(program).write("recursive.fc")


def last(text, title):
    return [row[-1] for row in rows(text, title)]


# --peek: callers above, callees below, each with its share of the function's total.
text = good("simple.fc", "--peek=work")
equal(rows(text, "Callers and callees"), [
    ["6.000 ms", "100.0", "2", "2", "<- main"], ["6.000 ms", "60.0", "2", "work"],
    ["1.000 ms", "16.7", "3", "3", "-> leaf"], ["5.000 ms", "83.3", "(local)"]], "--peek")
if not text.startswith("Callers and callees\n") or "Summary" in text:
    fail("--peek alone", text)
equal([name for name in last(good("simple.fc", "--peek=*a*", "--top=1"), "Callers and callees")],
      ["<- <outside>", "main", "-> work", "(local)", "1 more function with --all."], "--peek with patterns and --top")
contains(good("simple.fc", "--flat", "--peek=work"), "Flat profile", "another report beside it")
result = run("simple.fc", "--peek=nobody")
equal((result.status, result.err), (1, "fcdump: --peek: 'nobody' fits no function of simple.fc\n"), "nobody")
contains(result.out, "No function to show.", "nobody")

# --path: through A, then B; contexts of the same functions are added up.
text = good("simple.fc", "--path=main,leaf")
equal(rows(text, "Contexts by way of main > leaf"),
      [["1.000 ms", "10.0", "1.000 ms", "3", "main > work > leaf"]], "--path")
contains(text, "1.000 ms in all, 10.0%, in 3 calls.\n", "the sum of --path")
equal(last(good("simple.fc", "--path=work"), "Contexts by way of work"), ["work"], "one function")
contains(good("simple.fc", "--path=leaf,main"), "No context to show.", "the other way round")
result = run("simple.fc", "--path=main,nobody")
equal((result.status, result.err), (1, "fcdump: --path: 'nobody' fits no function of simple.fc\n"), "by way of nobody")
contains(result.out, "No context to show.", "by way of nobody")
result = run("simple.fc", "--path=main,nobody", "--folded")
equal((result.status, result.out, result.err.split("\n", 1)[0]), (1, "", "fcdump: --path: 'nobody' fits no function of simple.fc"),
      "stacks by way of nobody")
ways = Profile(program, run_ns=100)
for name in ("main", "even", "odd", "leaf", "fib"):
    ways.function(name, 1, 100, 20)
top = ways.context(None, 0x7f0000001234, "main", 1, 100, 10)
even = ways.context(top, "main+6", "even", 1, 50, 10)
odd = ways.context(top, "main+8", "odd", 1, 40, 10)
ways.context(even, "even+4", "leaf", 2, 40, 40)
leaf = ways.context(odd, "odd+4", "leaf", 1, 30, 10)
ways.context(leaf, "leaf+4", "fib", 1, 20, 20)
ways.thread(1, 0, 100, 100, 6, False, "one")
ways.write("ways.fc")
text = good("ways.fc", "--path=main,leaf")
equal(rows(text, "Contexts by way of"), [["40 ns", "40.0", "40 ns", "2", "main > even > leaf"],
                                         ["30 ns", "30.0", "10 ns", "1", "main > odd > leaf"]], "two ways")
contains(text, "70 ns in all, 70.0%, in 3 calls.\n", "both ways")
equal(last(good("ways.fc", "--path=[eo]*,leaf,fib"), "Contexts by way of"), ["odd > leaf > fib"], "three patterns")
contains(good("ways.fc", "--path=main,leaf", "--min=35"), "1 context left out by --min.", "--path with --min")

# --base: another 100%, and where the hot path begins.
text = good("--heaviest", "--hot-path", "simple.fc", "--base=work")
contains(text, "100% is 6.000 ms, the total time of work.\n", "--base")
equal([row[1] for row in rows(text, "Heaviest functions")], ["83.3", "66.7", "16.7"], "shares with --base")
equal([[row[1], row[-1]] for row in rows(text, "Hot path")], [["100.0", "work"], ["16.7", "leaf"]],
      "the hot path from the base on")
contains(good("simple.fc", "--base=work", "--classic"), "100% is 6.000 ms, the total time of work.\n", "classic")
result = run("simple.fc", "--base=nobody")
equal((result.status, result.out, result.err), (1, "", "fcdump: --base: 'nobody' fits no function of simple.fc\n"),
      "no such base")

# --by: of files and modules also the time while one of their functions was active.
text = good("simple.fc", "--by=file", "--basename")
equal(rows(text.replace("  name\n", "  function\n"), "Files"),
      [["10.00 ms", "100.0", "10.00 ms", "100.0", "6", "names.c"]], "--by=file")
other = Profile(program, run_ns=100)
other.function("main", 1, 100, 40)
other.function("f", 2, 60, 50, where=0x9010)
other.functions[1] = ((1, 0x9010), *other.functions[1][1:])
other.function("leaf", 1, 10, 10)
other.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, "/none/library.so"))
top = other.context(None, 0x7f0000001234, "main", 1, 100, 40)
middle = other.context(top, "main+6", "f", 2, 60, 50)
other.context(middle, 0x9010, "leaf", 1, 10, 10)
other.thread(1, 0, 100, 100, 4, False, "one")
other.write("other.fc")
found = run("other.fc", "--no-reports", "--flat", "--by=module", "--basename").out
equal(rows(found, "Modules"), [["50 ns", "50.0", "100 ns", "100.0", "2", "prog"],
                               ["50 ns", "50.0", "60 ns", "60.0", "2", "library.so"]][::-1], "--by=module")

# Threads and processes.
two = simple(program, pid=100)
two.threads = []
two.thread(100, 0, 10_000_000, 10_000_000, 3, False, "main",
           [("main", 1, 10_000_000, 4_000_000), ("work", 1, 4_000_000, 3_200_000), ("leaf", 1, 800_000, 800_000)])
two.thread(101, 0, 9_000_000, 2_000_000, 3, True, "helper",
           [("work", 1, 2_000_000, 1_800_000), ("leaf", 2, 200_000, 200_000)])
two.write("two.fc")
simple(program, pid=200).write("three.fc")
text = good("two.fc", "three.fc", "--by=process")
equal(rows(text, "Processes by time"), [["10.00 ms", "50.0", "6", "100", "prog -v two words"],
                                        ["10.00 ms", "50.0", "6", "200", "prog -v two words"]], "--by=process")
equal(rows(good("two.fc", "--by=thread"), "Threads by time"),
      [["8.000 ms", "80.0", "3", "100", "main"], ["2.000 ms", "20.0", "3", "101", "helper"]], "--by=thread")
for wanted in ("101", "help*", "101,nobody"):
    result = run("--summary", "--heaviest", "--hot-path", "two.fc", "--thread=" + wanted)
    text = result.out
    equal((result.status, result.err), (1, "fcdump: --thread: 'nobody' fits no thread of two.fc\n") if "nobody" in wanted
          else (0, ""), f"--thread={wanted}")
    equal([row[-3:] for row in rows(text, "Heaviest functions")],
          [["100.0", "1", "work"], ["10.0", "2", "leaf"]], f"--thread={wanted}")
    contains(text, "Hot path\nCalling contexts are known of all threads together", "the contexts")
    contains(text, "1 thread, 2.000 ms in functions", "the summary")
text = good("two.fc", "--thread=101", "--classic", "--tree")
for title in ("Call graph", "Cycles"):
    contains(text, title + "\nWho called whom is known of all threads together", title)
contains(text, "Calling-context tree\nCalling contexts are known of all threads together", "the tree")
equal([row[:4] for row in rows(text, "Flat profile")], [["2.000 ms", "100.0", "1.800 ms", "90.0"],
                                                        ["200.0 us", "10.0", "200.0 us", "10.0"]], "the flat profile")
equal(good("two.fc", "--thread=10?"), good("two.fc"), "all threads")
for option in ("--json", "--dot", "--flame=x.svg"):
    result = run("two.fc", "--thread=101", option)
    equal((result.status, result.out), (1, ""), f"{option} of some threads")
    contains(result.err, "Who called whom", option)
equal(good("two.fc", "three.fc", "--process=200").split("\n\n", 1)[1], good("three.fc").split("\n\n", 1)[1], "--process")
equal(good("two.fc", "three.fc", "--process=pro*"), good("two.fc", "three.fc"), "--process by name")
for options, said in ((["--process=300"], "--process: '300' fits no process of two.fc"),
                      (["--thread=nobody,x?"], "--thread: 'nobody' fits no thread of two.fc\nfcdump: "
                       "--thread: 'x?' fits no thread of two.fc"),
                      (["--process=100", "--thread=nobody"], "--thread: 'nobody' fits no thread that --process leaves of two.fc")):
    result = run("two.fc", *options)
    equal((result.status, result.out, result.err), (1, "", f"fcdump: {said}\n"), options)
# In one of the files of a sum is enough, of which some are named.
equal(run("two.fc", "ways.fc", "--only=odd,main", "--thread=one,helper").err, "", "each of another file")
five = ["two.fc", *(shutil.copy("two.fc", f"two-{number}.fc") for number in range(4))]
for files, named in ((["two.fc", "three.fc"], "two.fc, three.fc"), (five[:4], ", ".join(five[:4])),
                     (five, "two.fc, two-0.fc, two-1.fc and 2 more")):
    result = run(*files, "--process=100,300", "--only=work,nobody")
    equal((result.status, result.err), (1, f"fcdump: --process: '300' fits no process of {named}\n"
                                        f"fcdump: --only: 'nobody' fits no function of {named}\n"), "nobody")
