#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The files that exports are written to: what was there outlives what can't be written; links, modes,
# pipes; one file for two exports.

import os
import resource
import signal
import stat
import subprocess

from fcfile import FCDUMP, Program, contains, equal, folder, run, simple

keep = folder()
program = Program()
simple(program).write("simple.fc")
EARLIER = "what was there before\n"
EXPORTS = ("html", "flame", "callgrind", "speedscope", "gmon")


def write(path, text=EARLIER):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def fill_disk():
    """What is written beyond a few bytes fails, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))


def without_room(*words):
    done = subprocess.run([FCDUMP, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          preexec_fn=fill_disk, check=False)
    return done.returncode, done.stderr


def export(*words):
    equal(run(*words, "simple.fc").status, 0, f"{words}")


for kind in EXPORTS:
    write("out")
    status, said = without_room(f"--{kind}=out", "simple.fc")
    equal(status, 1, f"--{kind}: no room")
    contains(said, "fcdump: out: File too large\n", f"--{kind}: no room")
    equal(read("out"), EARLIER, f"--{kind}: what was there")
    os.unlink("out")
    equal(without_room(f"--{kind}=out", "simple.fc")[0], 1, f"--{kind}: no room for a new one")
    equal([name for name in os.listdir() if name.startswith("out")], [], f"--{kind}: nothing is left")

# Who may read it, and by which names, stays.
write("target")
os.chmod("target", 0o640)
os.symlink("target", "link")
export("--flame=link")
equal((os.readlink("link"), stat.S_IMODE(os.stat("target").st_mode)), ("target", 0o640), "a link")
contains(read("target"), "<svg", "what the link leads to")
write("target")
os.link("target", "second")
export("--flame=target")
equal(read("second"), read("target"), "a file of two names")
os.symlink("made", "ahead")
export("--flame=ahead")
contains(read("made"), "<svg", "a link that led nowhere")
old = os.umask(0o027)
export("--flame=new")
os.umask(old)
equal(stat.S_IMODE(os.stat("new").st_mode), 0o640, "the mode of a new file")

os.mkfifo("pipe")
with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True) as reader:
    export("--flame=pipe")
    contains(reader.communicate()[0], "<svg", "a pipe")
equal(stat.S_ISFIFO(os.stat("pipe").st_mode), True, "a pipe stays one")

# Two exports need two files, however they are spelt.
os.symlink("../" + os.path.basename(os.getcwd()), "here")
for words, both in ((["--html=q", "--flame=q"], ("html", "flame")), (["--html=-", "--flame=-"], ("html", "flame")),
                    (["--json", "--flame=-"], ("json", "flame")),
                    (["--html=q", "--flame=./q"], ("html", "flame")),
                    (["--html=q", "--flame=here/q"], ("html", "flame")),
                    (["--html=target", "--flame=link"], ("html", "flame")),
                    (["--html=-", "--flame=/dev/stdout"], ("html", "flame"))):
    result = run(*words, "simple.fc")
    equal((result.status, result.out), (2, ""), f"{words}")
    contains(result.err, f"fcdump: --{both[0]} and --{both[1]} would be written into one file\n", f"{words}")
equal(os.path.exists("q"), False, "nothing is written")
export("--flame=q", "--flame=q")
export("--flame=/dev/null", "--html=/dev/null")
