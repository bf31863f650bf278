# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of fc-config share: running commands, compilers, reading counts."""

import functools
import os
import shutil
import subprocess
import sys
import tempfile

BINDIR = os.environ["FC_BINDIR"]
FC_CONFIG = os.path.join(BINDIR, "fc-config")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../support"))
from cells import IS_FURTHER, cells  # noqa: E402, F401
from machine import MACHINE  # noqa: E402, F401

C_COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
CXX_COMPILERS = [c for c in ("g++", "clang++") if shutil.which(c)]
LINKERS = [l for l in ("bfd", "gold", "lld", "mold") if shutil.which("ld." + l)]

failures = 0


def expect(condition, what, detail=""):
    """Counts and reports a failure; goes on."""
    global failures
    if not condition:
        failures += 1
        print("FAILED: " + what)
        if detail:
            print("    " + str(detail).strip().replace("\n", "\n    "))
    return condition


def finish():
    print("%d failures" % failures)
    sys.exit(1 if failures else 0)


def clean_environment(**more):
    """The environment without anything that steers a profile or a search."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("FC_", "LD_", "PKG_CONFIG", "MALLOC_"))
        and k not in ("CFLAGS", "CXXFLAGS", "LDFLAGS", "CC", "CXX", "DESTDIR", "MAKEFLAGS")
    }
    kept["LC_ALL"] = "C"
    kept.update(more)
    return kept


def run(command, cwd, **more):
    """Runs a list, or a string by the shell; never raises."""
    return subprocess.run(
        command,
        cwd=cwd,
        shell=isinstance(command, str),
        env=clean_environment(**more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
    )


@functools.lru_cache(maxsize=None)
def said_by(fc_config, options):
    done = run([fc_config, *options], "/")
    if done.returncode != 0:
        raise SystemExit("fc-config %s: status %d: %s" % (options, done.returncode, done.stderr))
    return done.stdout.split()


def flags(*options, fc_config=FC_CONFIG):
    """Asked once by each script: many compile a hundred times with the same flags."""
    return [*said_by(fc_config, options)]


def profile_counts(path):
    """The call counts of all functions in a .fc file, most frequent first."""
    with open(path) as file:
        lines = file.read().split("\n")
    if lines[0] != "functioncheck_v3.0":
        raise SystemExit("%s is no profile" % path)
    at = 7  # header, id, two modes, two process ids, run time
    at += int(lines[at]) + 1  # arcs
    functions = lines[at + 1 : at + 1 + int(lines[at])]
    return sorted((int(line.split()[1]) for line in functions), reverse=True)


def folder():
    return tempfile.TemporaryDirectory(prefix="fc-config-")
