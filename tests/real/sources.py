# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches source packages of the distribution with `apt-get source`.

Used by the tests of real programs.  The package lists are derived from the
system's own (one-line and deb822 form) and everything that apt keeps lies in a
folder of ours: the system is not changed, and no address of a server is written
into the tree.  What was fetched stays in that folder for the next time.
"""

import fcntl
import glob
import os
import re
import shutil
import subprocess
import tempfile


class SourceError(Exception):
    """Why a source package can't be had."""


def one_line_sources(text):
    """deb-src lines for the deb and deb-src lines of a sources.list."""
    lines = []
    for line in text.splitlines():
        match = re.match(r"\s*deb(?:-src)?\s+(.*)", line.split("#")[0])
        if match:
            lines.append("deb-src " + match.group(1).strip())
    return lines


def deb822_sources(text):
    """Stanzas for sources from the stanzas of a .sources file; disabled ones are left out."""
    stanzas = []
    for stanza in re.split(r"\n\s*\n", text):
        lines = [line for line in stanza.splitlines() if line.strip() and line[0] != "#"]
        if any(re.match(r"enabled:\s*(no|false|0)\s*$", line, re.I) for line in lines):
            continue
        if any(re.match(r"types:", line, re.I) for line in lines):
            stanzas.append("\n".join("Types: deb-src" if re.match(r"types:", line, re.I) else line
                                     for line in lines))
    return stanzas


def write_source_lists(folder):
    """Our own sourceparts folder; False where the system has no source of packages."""
    parts = os.path.join(folder, "sources.list.d")
    os.makedirs(parts, exist_ok=True)
    lines, stanzas = [], []
    for name in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*")):
        if not os.path.isfile(name):
            continue
        with open(name, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
        if name.endswith(".list"):
            lines += one_line_sources(text)
        elif name.endswith(".sources"):
            stanzas += deb822_sources(text)
    with open(os.path.join(parts, "source.list"), "w", encoding="utf-8") as stream:
        stream.writelines(line + "\n" for line in dict.fromkeys(lines))
    with open(os.path.join(parts, "source.sources"), "w", encoding="utf-8") as stream:
        stream.write("\n\n".join(dict.fromkeys(stanzas)) + "\n")
    return bool(lines or stanzas)


def apt(folder, program, *words, cwd=None):
    """Runs apt-get or apt-cache on our own lists; gives what it printed."""
    state = os.path.join(folder, "apt")
    for name in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(state, name), exist_ok=True)
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": os.path.join(folder, "sources.list.d"),
        "Dir::State::lists": os.path.join(state, "lists"),
        "Dir::Cache": os.path.join(state, "cache"),
        "APT::Sandbox::User": "",
        "APT::Get::List-Cleanup": "true",
    }
    options = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]
    try:
        done = subprocess.run([program, "-q", *options, *words], cwd=cwd,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(f"{program} {' '.join(words)}: {type(error).__name__}") from error
    if done.returncode != 0:
        # apt's messages name servers, which belong into no log of ours
        said = re.sub(r"\S+://\S+", "(server)", done.stdout + done.stderr)
        raise SourceError(f"{program} {' '.join(words)} failed:\n{said[-2000:]}")
    return done.stdout


def fetch(folder, package, target):
    """Into the folder `target`: the newest version, or another one where a server lists
    the newest but does not hold it."""
    try:
        apt(folder, "apt-get", "source", package, cwd=target)
        return
    except SourceError as error:
        refusal = error
    listed = apt(folder, "apt-cache", "madison", package)
    for version in dict.fromkeys(re.findall(r"\| (\S+) \|", listed)):
        try:
            apt(folder, "apt-get", "source", f"{package}={version}", cwd=target)
            return
        except SourceError:
            pass
    raise refusal


def unpacked(folder, package):
    found = [name for name in glob.glob(os.path.join(folder, package, "*")) if os.path.isdir(name)]
    return found[0] if found else None


def source_folder(folder, package):
    """The unpacked source of `package`, fetched into `folder` if it is not there yet.
    Several tests may ask at a time."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if unpacked(folder, package) is None:
            if os.environ.get("FCTEST_OFFLINE"):
                raise SourceError(f"the source of {package} is not in {folder}, "
                                  "and FCTEST_OFFLINE forbids to fetch it")
            if not write_source_lists(folder):
                raise SourceError("apt knows no source of packages on this system")
            # under its final name only when it is complete
            with tempfile.TemporaryDirectory(dir=folder) as target:
                try:
                    apt(folder, "apt-get", "source", package, cwd=target)
                except SourceError:  # the lists of packages are not there yet, or are old
                    apt(folder, "apt-get", "update")
                    fetch(folder, package, target)
                for leftover in (package, package + ".new"):
                    shutil.rmtree(os.path.join(folder, leftover), ignore_errors=True)
                shutil.copytree(target, os.path.join(folder, package + ".new"))
            os.rename(os.path.join(folder, package + ".new"), os.path.join(folder, package))
        found = unpacked(folder, package)
    if found is None:
        raise SourceError(f"apt-get source {package} left no folder")
    return found
