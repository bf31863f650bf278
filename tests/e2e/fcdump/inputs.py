#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Input that can't be read: a message that names the file, status 1, nothing on standard
# output; and what still can be read is shown.

import os
import random
import shutil
import subprocess
import sys

from fcfile import (BINDIR, FCDUMP, Program, classic, contains, equal, fail, folder, rows, run,
                    simple)

keep = folder()
program = Program()
text = simple(program).write("good.fc") and open("good.fc", encoding="utf-8").read()


def refused(path, reason, *arguments):
    result = run(*arguments, path)
    equal((result.status, result.out), (1, ""), f"{path}: status and output")
    if not result.err.startswith(f"fcdump: {path}: ") or os.path.exists(path) and result.err.count("\n") != 1:
        fail(f"{path}: not one message that names it", result.err)
    contains(result.err, reason, path)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


random.seed(20)
refused(write("empty.fc", b""), "empty")
refused(write("random.fc", random.randbytes(5000)), "line 1")
refused(write("binary.fc", b"functioncheck_v3.0\n" + random.randbytes(500)), "line ")
refused(write("version.fc", b"functioncheck_v9.1\nx\n"), "9.1")
refused(write("profile.gmon", b"gmon\x01\0\0\0" + bytes(20)), "fcgprof")
refused(write("words.txt", b"hello\n"), "line 1")
os.mkdir("folder")
refused("folder", "no profile is in this folder")
refused("none.fc", "No such file")
refused("/dev/null", "")
for option in ("--json", "--dot", "--vcg", "--tree"):
    refused("empty.fc", "empty", option)

half = write("half.fc", text.encode()[:len(text) // 2])
refused(half, "line ")
refused(write("descriptor.fcd", b"FunctionCheck descriptor file.\nrubbish\n"), "line 2")

# Truncated anywhere: never a crash, never half a report.  Every byte is for the unit tests.
for cut in [text.index("section process"), *range(1, len(text) - 1, 37)]:
    result = run(write("cut.fc", text.encode()[:cut]))
    if result.status == 1 and result.out == "" and result.err.startswith("fcdump: cut.fc: line "):
        continue
    fail(f"cut at byte {cut}: status {result.status}", result.err, result.out)

# Not readable: as root, only by giving root up.
secret = write("secret.fc", text.encode())
os.chmod(secret, 0)
os.chmod(".", 0o755)
prefix = []
if os.geteuid() == 0:
    setpriv = shutil.which("setpriv")
    prefix = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"] if setpriv else None
if prefix is not None:
    reach = subprocess.run([*prefix, "test", "-x", FCDUMP], check=False) if prefix else None
    if reach is None or reach.returncode == 0:
        done = subprocess.run([*prefix, FCDUMP, secret], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        equal((done.returncode, done.stdout, done.stderr),
              (1, b"", b"fcdump: secret.fc: Permission denied\n"), "a file without permission")

# One bad file of several: the others are shown, the status says so.
result = run("--classic", "none.fc", "good.fc")
equal((result.status, result.err), (1, "fcdump: none.fc: No such file or directory\n"),
      "one file is missing")
equal(len(rows(result.out, "Flat profile")), 3, "the other file")
equal(run("--header", "none.fc", "good.fc").out.splitlines()[0].rpartition(": ")[2], "good.fc", "what the header names")

# A profile may come through a pipe.
os.mkfifo("pipe")
with subprocess.Popen(["cp", "good.fc", "/dev/stdout"], stdout=subprocess.PIPE) as copy:
    done = subprocess.run([FCDUMP, "/dev/stdin"], stdin=copy.stdout, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
equal((done.returncode, done.stderr), (0, b""), "a profile on standard input")
with subprocess.Popen(["cp", "good.fc", "pipe"]):
    equal(len(rows(classic("pipe"), "Flat profile")), 3, "a profile from a named pipe")

# Not where a descriptor names it: one from elsewhere would have us wait for ever.
write("waits.fcd", b"FunctionCheck descriptor file.\n2 processes treated.\n"
      b"Treatments started at: Tue Nov 14 22:13:20 2023\n"
      b"Treatments ended at: Tue Nov 14 22:13:21 2023\n\n"
      b"Process id: 1\nparent: 0\nfile: pipe\nProcess id: 2\nparent: 1\nfile: good.fc\n")
result = run("--classic", "waits.fcd")
equal((result.status, result.err),
      (1, "fcdump: ./pipe: named by a descriptor, but is no regular file\n"), "a pipe is named")
equal(len(rows(result.out, "Flat profile")), 3, "the other file of the descriptor")

# No program: addresses, a message, status 1.  Rebuilt: likewise, never wrong names.
os.rename("prog", "moved")
result = run("--classic", "good.fc")
equal(result.status, 1, "status without the program")
contains(result.err, program.path, "message without the program")
name = f"prog+{program.start['main']:#x}"
equal(rows(result.out, "Flat profile")[0][-1], name, "a function of a program that is gone")
for arguments in (["--image=moved", "good.fc"], ["-image", "moved", "good.fc"],
                  ["good.fc", "moved"], ["moved", "good.fc"],
                  [f"--image={program.path}=moved", "good.fc"]):
    equal(rows(classic(*arguments), "Flat profile")[0][-1], "main", f"{arguments}")

# A program that ran where there was no /proc: its path is not known, its build-id is.
nameless = simple(program)
nameless.modules = [(*nameless.modules[0][:6], "")]
nameless.header["executable"] = ""
nameless.write("nameless.fc")
equal(rows(classic("nameless.fc"), "Flat profile")[0][-1], f"{nameless.base + program.start['main']:#x}",
      "a function of a program without a path")
for arguments in (["--image=moved", "nameless.fc"], ["nameless.fc", "moved"]):
    equal(rows(classic(*arguments), "Flat profile")[0][-1], "main", f"without a path: {arguments}")
Program("prog", ["-DREBUILT", "-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567"])
result = run("--classic", "good.fc")
equal(result.status, 1, "status with another program")
contains(result.err, "prog", "message with another program")
equal(rows(result.out, "Flat profile")[0][-1], name, "names of another program")

# Output that can't be written; readers that leave.
if os.path.exists("/dev/full"):
    with open("/dev/full", "wb") as full:
        result = run("good.fc", "--image=moved", stdout=full)
    equal(result.status, 1, "a full device")
    contains(result.err, "standard output: No space left", "a full device")
    for tool in ("fcdump", "fcgprof"):
        for option in ("--help", "--version"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([os.path.join(BINDIR, tool), option], stdout=full,
                                      stderr=subprocess.PIPE, check=False)
            equal((done.returncode, done.stderr.decode()),
                  (1, f"{tool}: standard output: No space left on device\n"), f"{tool} {option}")
for ignored in (False, True):
    script = ("import signal, os; signal.signal(signal.SIGPIPE, signal.SIG_IGN); "
              if ignored else "import os; ")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", script + "os.execv(os.sys.argv[1], os.sys.argv[1:])" if ignored else
         "import os, signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL); "
         "os.execv(os.sys.argv[1], os.sys.argv[1:])", FCDUMP, "good.fc", "--image=moved"],
        stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    equal(done.stderr, b"", "a reader that left")
    equal(done.returncode, 0 if ignored else -13, "status when the reader left")

# No profile named.
os.mkdir("default")
os.chdir("default")
result = run()
equal((result.status, result.err.split("\n")[0]), (1, "fcdump: functioncheck.fc: No such file or directory"),
      "no profile here")
shutil.copy("../good.fc", "one.fc")
write("functioncheck.fcd", b"FunctionCheck descriptor file.\n1 processes treated.\n"
      b"Treatments started at: 2023/11/14 22:13:20\nTreatments ended at: 2023/11/14 22:13:21\n\n"
      b"Process id: 4711\n    parent: 4700\n      file: ./one.fc\n")
contains(classic("--image=../moved"), "profile: functioncheck.fcd\n", "functioncheck.fcd")
shutil.copy("../good.fc", "functioncheck.fc")
contains(run("--classic", "--image=../moved").out, "profile: functioncheck.fc\n", "functioncheck.fc")
contains(run("--classic", "../moved").out, "profile: functioncheck.fc\n", "an image alone")
contains(classic("-pfile", "one.fc", "../moved"), "profile: one.fc\n", "-pfile")
