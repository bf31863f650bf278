#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# KCachegrind itself reads --callgrind of a program with threads: it has nothing to complain of and shows the heaviest
# function by name.  Where names are in the first part only, it does complain, so that this would be seen.

import os
import re
import shutil
import signal
import subprocess
import sys
import threading

from fcfile import contains, equal, fail, folder, run
import fctest

NEEDED = ("kcachegrind", "xvfb-run", "dbus-run-session")
missing = [name for name in NEEDED if shutil.which(name) is None]
if missing:
    print(f"not installed: {', '.join(missing)}")
    sys.exit(77)
keep = folder()
os.mkdir("run", 0o700)


def show(name):
    """What it says until it has selected a function, on a screen that nobody sees."""
    environment = {**os.environ, "HOME": os.getcwd(), "XDG_RUNTIME_DIR": os.path.join(os.getcwd(), "run"), "LC_ALL": "C.UTF-8"}
    said = []
    with subprocess.Popen(["xvfb-run", "-a", "dbus-run-session", "--", "kcachegrind", name], stderr=subprocess.STDOUT,
                          stdout=subprocess.PIPE, text=True, env=environment, process_group=0) as shown:
        clock = threading.Timer(200, os.killpg, (shown.pid, signal.SIGKILL))
        clock.start()
        for line in shown.stdout:
            said.append(line)
            if line.startswith("Selected"):
                break
        clock.cancel()
        os.killpg(shown.pid, signal.SIGTERM)
        shown.communicate()
    return "".join(line for line in said if re.match(r"Loading|Selected", line))


source = os.path.join(fctest.SOURCE_ROOT, "examples", "wordindex.c")
subprocess.run(["cc", "-g", "-o", "wordindex", source, *fctest.fc_config("--cflags-libs")], check=True)
subprocess.run(["./wordindex", "-t", "3"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True,
               stderr=subprocess.DEVNULL, env=fctest.plain_environment(), timeout=300)
equal(run("--callgrind=out.cg", "functioncheck.fc").status, 0, "--callgrind")
equal(show("out.cg"), 'Selected  "main"\n', "what KCachegrind says")

with open("out.cg", encoding="utf-8") as file:
    head, first, *others = re.split(r"(?m)^(?=part: )", file.read())
if len(others) < 2:
    fail("a part for each thread", first)
with open("wrong.cg", "w", encoding="utf-8") as file:
    file.write(head + first + re.sub(r"(?m)^(c?fn=\(\d+\)) .*$", r"\1", "".join(others)))
contains(show("wrong.cg"), "setting to unknown", "names that are in the first part only")
