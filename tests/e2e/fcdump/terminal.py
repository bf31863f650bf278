#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Colour and width on a terminal, plain text otherwise; control characters in names.

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from fcfile import FCDUMP, Profile, Program, equal, fail, folder, good, recursive, run, simple, with_heap, with_waits


def on_terminal(columns, *arguments, env=None, status=0):
    """What fcdump writes to a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm", "FC_PAGER": "", **(env or {})}
    environment = {name: value for name, value in environment.items() if value is not None}
    if env is None or "NO_COLOR" not in env:
        environment.pop("NO_COLOR", None)
    with subprocess.Popen([FCDUMP, *arguments], stdout=slave, stdin=subprocess.DEVNULL,
                          env=environment) as process:
        os.close(slave)
        data = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            data += part
    os.close(master)
    equal(process.returncode, status, f"status on a terminal: {arguments}")
    return data.decode("utf-8").replace("\r\n", "\n")


keep = folder()
program = Program()
profile = simple(program)
profile.modules.append((0x666600000000, 0x666600000000, 0x666600010000, 0, 2**64 - 1, None,
                        program.path))
profile.write("some.fc")
plain = good("some.fc", "--tree")

ESCAPE = "\033["
if ESCAPE in plain or "\u2514" in plain:
    fail("not plain in a pipe", plain)
text = on_terminal(300, "some.fc", "--tree")
if ESCAPE + "1m" not in text or "\u2514\u2500 work" not in text:
    fail("no colour or lines on a terminal", text)
for arguments, env in ((["--color=never"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})):
    if ESCAPE in on_terminal(300, "some.fc", *arguments, env=env):
        fail(f"colour with {arguments} {env}")
if ESCAPE not in on_terminal(300, "some.fc", env={"NO_COLOR": ""}):
    fail("an empty NO_COLOR counts")
for arguments in (["--color=always"], ["--color"], ["--colour=always"]):
    if ESCAPE not in good("some.fc", *arguments):
        fail(f"no colour in a pipe with {arguments}")
if "\u2514" in on_terminal(300, "some.fc", "--tree", env={"LC_ALL": "C"}):
    fail("other than ASCII where the terminal has only that")

# Lines of tables are cut on a terminal, never in a pipe.
narrow = on_terminal(60, "some.fc", "--color=never", "--no-header", "--no-info", "--details")
lines = narrow.split("\n")
start = lines.index("Flat profile")
table = lines[start + 3:start + 8]
if not all(len(line) <= 60 for line in table) or not any("\u2026" in line for line in table):
    fail("lines are not cut to the terminal", narrow)

# Before names get too little room the bounds of calls are left out, which is said.
named = Profile(program, run_ns=5)
named.function("main", 1, 5, 5, (5, 5), (5, 5), where=0x9010)
named.functions[0] = ((1, 0x9010), *named.functions[0][1:])
named.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, "/none/a-library-of-some-length.so"))
named.write("named.fc")
NAME = "a-library-of-some-length.so+0x10"
for columns, groups in ((300, (True, True)), (110, (True, True)), (95, (True, False)),
                        (87, (True, False)), (80, (False, False)), (70, (False, False))):
    result = on_terminal(columns, "named.fc", "--color=never", "--no-reports", "--flat",
                         "--names=full", status=1)  # its library is not there
    equal(("- total per call -" in result, "- local per call -" in result), groups,
          f"columns of bounds on {columns}")
    equal("For want of width" in result, groups != (True, True), "told")
    if NAME not in result or not all(len(line) <= columns for line in result.split("\n")[3:6]):
        fail(f"the name or the width on {columns} columns", result)
if program.path not in on_terminal(20, "some.fc", "--info", "--color=never"):
    fail("paths are cut")
if ESCAPE + "31m" not in on_terminal(300, "some.fc"):
    fail("what takes much time is not marked")
if "\u2026" in plain:
    fail("lines are cut in a pipe")

# A name must not command the terminal.
evil = Profile(program, run_ns=5, arguments=["./prog", "x"])
evil.function("f", 1, 5, 5, (5, 5), (5, 5), where=0x9010)
evil.functions[0] = ((1, 0x9010), *evil.functions[0][1:])
evil.modules.append((0x9000, 0x9000, 0xa000, 0, 2**64 - 1, None, "/none/evil.so"))
evil.thread(1, 0, 5, 5, 1, True, "n")
evil.thread(2, 0, 5, 5, 1, True, "m")
text = (evil.text().replace("/none/evil.so", "/none/\\033]0;evil.so").replace("argument x",
        "argument \\033[2J\\302\\233")
        .replace("\n2 0 5 5 1 1 m\n", "\n2 0 5 5 1 1 \\033m\\012\n")
        .replace("directory /srv/work", "directory /srv/\\033[2J"))
with open("evil.fc", "w", encoding="utf-8") as file:
    file.write(text)
for arguments in ([], ["--classic"], ["--tree", "--details"], ["--json"], ["--dot"], ["--vcg"]):
    result = run("evil.fc", *arguments)
    if "\033" in result.out + result.err or "\u009b" in result.err:
        fail(f"control characters with {arguments}", repr(result.out), repr(result.err))
    if not arguments and "evil.so" not in result.out:
        fail("the name is gone", result.out, result.err)

# --width wins over the terminal's, and works in a pipe; --units are exact.
if max(map(len, on_terminal(300, "some.fc", "--width=40", "--color=never", "--no-reports",
                        "--flat").split("\n")[3:8])) > 40:
    fail("--width on a terminal")
wide = good("some.fc", "--no-reports", "--flat", "--details")
narrow = good("some.fc", "--no-reports", "--flat", "--details", "--width=60")
if not any(len(line) > 60 for line in wide.split("\n")[3:]) or any(len(line) > 60 for line in narrow.split("\n")[3:8]):
    fail("--width in a pipe", narrow)
equal(on_terminal(30, "some.fc", "--width=0", "--color=never", "--no-reports", "--flat", "--details"), wide, "--width=0")
for unit, time in (("ns", "6000000 ns"), ("us", "6000.000 us"), ("ms", "6.000000 ms"), ("s", "0.006000000 s")):
    if f" {time}  " not in " " + good("some.fc", "--units=" + unit):
        fail(f"--units={unit}", good("some.fc", "--units=" + unit))
# In each report all times are in the unit, and the same ones.
listed = re.findall(r"^  --([a-z-]+), --no-", good("--help").split("\nExports", 1)[0], re.MULTILINE)
with_heap(program).write("heap.fc")
recursive(program).write("cycles.fc")
with_waits(program).write("waits.fc")
CORPUS = os.path.join(os.environ["FC_SOURCE_ROOT"], "tests", "fuzz", "corpus", "profile")
profiles = [["heap.fc"], ["cycles.fc"], ["waits.fc"], [os.path.join(CORPUS, "traced.fc")], [os.path.join(CORPUS, "threads.fc")]]
# In each report lines are as long as --width says, but for what is copied as a whole.
of_all = ["--no-reports", *("--" + report for report in listed)]
for words in profiles:
    for width in (20, 40, 80):
        for line in run(*of_all, "--details", f"--width={width}", *words).out.split("\n"):
            if len(line) > width and " " in line[width // 2:].strip() and "'" not in line:
                fail(f"--width={width} of {words}: {len(line)} columns", line)
FACTORS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
TIME = re.compile(r"(?<![\w.])(\d[\d.]*) (ns|us|ms|s)\b")


def times_in(unit, reports, words):
    """The times that are printed, in nanoseconds."""
    printed = TIME.findall(run(*reports, "--units=" + unit, "--width=0", *words).out)
    equal({found for _, found in printed} - {unit}, set(), f"other units in {reports} --units={unit} of {words}")
    return [round(float(number) * FACTORS[unit]) for number, _ in printed]


several = ["trace", "peek=*", "path=main,work", "by=file", "by=module", "by=thread", "by=process", "diff"]
timed = set()
for report in [*listed, *several]:
    reports = ["--no-reports", *(["--flat"] if "by=" in report else []), "--" + report]
    for words in [["cycles.fc", "--", "heap.fc"]] if report == "diff" else profiles:
        expected = times_in("ns", reports, words)
        timed |= {report} if expected else set()
        for unit in ("us", "ms", "s") if expected and report in several else ():
            equal(times_in(unit, reports, words), expected, f"--{report} --units={unit} of {words}")
for words in profiles:
    expected = times_in("ns", of_all, words)
    for unit in ("us", "ms", "s"):
        equal(times_in(unit, of_all, words), expected, f"--units={unit} of {words}")
for report in ("summary", "heaviest", "hot-path", "flat", "graph", "cycles", "tree", "latency", "threads", "slowest", "mem-heap",
               "mem-functions", "mem-contexts", "trace", "peek=*", "path=main,work", "by=file", "by=module", "by=thread", "by=process",
               "diff"):
    if report not in timed:
        fail(f"--{report} has no times", timed)

# A pager for reports on a terminal: FC_PAGER before PAGER, with LESS set unless it is; none for exports, in a pipe, or if it is empty.
SHOW = "sed 's/^/PAGED /'; echo LESS=$LESS"
paged = on_terminal(300, "some.fc", "--color=never", env={"FC_PAGER": SHOW, "PAGER": "false", "LESS": ""})
lines = paged.split("\n")
equal(lines[-2], "LESS=", "LESS stays as it is")
equal([line[6:] for line in lines[:-2] if line.startswith("PAGED ")], on_terminal(300, "some.fc", "--color=never").split("\n")[:-1], "what is paged")
environment = {key: value for key, value in os.environ.items() if key != "LESS"}
os.environ.clear()
os.environ.update(environment)
paged = on_terminal(300, "some.fc", env={"FC_PAGER": SHOW})
equal(paged.split("\n")[-2], "LESS=FRSX", "LESS for less")
if ESCAPE + "1m" not in paged:
    fail("no colour in a pager", paged)
for arguments, env in ((["--json"], {"FC_PAGER": SHOW}), ([], {"FC_PAGER": ""}), ([], {"FC_PAGER": "cat"}), (["--help"], {"FC_PAGER": SHOW})):
    if "LESS=" in on_terminal(300, "some.fc", *arguments, env=env):
        fail(f"a pager with {arguments} {env}")
if "PAGED" in good("some.fc", env={"FC_PAGER": SHOW}):
    fail("a pager in a pipe")
# One that is left early takes nothing with it.
# What is no command is said, and the report shown.
for env in ({"FC_PAGER": "no-such-pager -x"}, {"FC_PAGER": None, "PAGER": "no-such-pager -x"}):
    equal(on_terminal(300, "some.fc", "--color=never", env=env), on_terminal(300, "some.fc", "--color=never"), "no such pager")
equal(on_terminal(300, "some.fc", "--color=never", env={"FC_PAGER": "A=1 head -1"}).count("\n"), 1, "a command of the shell")
equal(on_terminal(300, "some.fc", "--color=never", env={"FC_PAGER": "head -1"}), good("some.fc").split("\n")[0] + "\n", "a pager that is left")
