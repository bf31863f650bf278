# SPDX-License-Identifier: GPL-3.0-or-later
"""What the end-to-end tests share: the staged commands, compiling a target as a
user does, running it in a folder of its own, with libfc, with the oracle or with
the test clock.

Imported by the test scripts, which are unittest cases that Meson runs with the
environment of tests/meson.build.  It must never write outside of a test's own
temporary folder, and never leave a variable of its own in a target's environment.
"""

import contextlib
import functools
import glob
import hashlib
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import inherited  # noqa: F401

SOURCE_ROOT = os.environ.get("FC_SOURCE_ROOT") or os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD_ROOT = os.environ.get("FC_BUILD_ROOT") or os.path.join(SOURCE_ROOT, "build")
PREFIX = os.environ.get("FC_PREFIX") or os.path.join(BUILD_ROOT, "stage/usr/local")
BINDIR = os.environ.get("FC_BINDIR") or os.path.join(PREFIX, "bin")
PROGRAMS = os.path.join(SOURCE_ROOT, "tests", "programs")
COMPILED = os.path.join(BUILD_ROOT, "tests", "compiled")
ORACLE = os.path.join(BUILD_ROOT, "tests", "oracle", "liboracle.so")
TEST_CLOCK = os.path.join(BUILD_ROOT, "libfc", "libfc-testclock.so")
# They end what hangs, and are no measure of anything: a machine may have a tenth of itself to give.
TIMEOUT_S = 300
WAIT_S = 200  # for what a manager does behind its program

# A job in the background, or under nohup, ignores these: programs are to start as at a terminal.
for ignored in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(ignored, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
# Other users are to run what some tests compile.
os.umask(0o022)

sys.path.insert(0, os.path.join(SOURCE_ROOT, "tests", "support"))
sys.path.insert(0, os.path.join(SOURCE_ROOT, "tests", "oracle"))


def tool(name):
    return os.path.join(BINDIR, name)


@functools.lru_cache(maxsize=None)
def said_by_fc_config(bindir, flags):
    """Asked once by each script: many compile a dozen programs with the same flags."""
    return subprocess.run([os.path.join(bindir, "fc-config"), *flags], check=True, capture_output=True, text=True,
                          timeout=TIMEOUT_S).stdout


def fc_config(*flags, bindir=BINDIR):
    """The words that fc-config prints."""
    return shlex.split(said_by_fc_config(bindir, flags))


def eager_folder():
    """A folder for LD_LIBRARY_PATH with the libfc that counts most functions after a few calls, or makes short records
    from the first on."""
    folder = os.path.join(BUILD_ROOT, "libfc", "eager")
    os.makedirs(folder, exist_ok=True)
    try:
        os.symlink("../libfc-eager.so", os.path.join(folder, "libfc.so.4"))
    except FileExistsError:
        pass
    return folder


def plain_environment(detail=None, **extra):
    """The environment of a user who never heard of FunctionCheck, and `extra`.  With `detail` or
    FCTEST_DETAIL, all, auto, eager or short, that is what FC_DETAIL is; the last two with the folder above."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("FC_", "LD_", "ORACLE_", "MESON_", "ASAN_", "UBSAN_"))}
    env["LC_ALL"] = "C"
    detail = detail or os.environ.get("FCTEST_DETAIL")
    if detail in ("eager", "short"):
        env.update({"FC_DETAIL": "auto" if detail == "eager" else "all", "LD_LIBRARY_PATH": eager_folder(), "FC_MANAGER": tool("fcmanager")})
    elif detail:
        env["FC_DETAIL"] = detail
    env.update({name: str(value) for name, value in extra.items()})
    return env


def wait_until(condition, what):
    """Looks again and again, less and less often, as nobody else can wait for a manager: it is no child of ours."""
    deadline = time.monotonic() + WAIT_S
    pause_s = 0.005
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} within {WAIT_S} s")
        time.sleep(pause_s)  # to look at all processes takes some milliseconds
        pause_s = min(2 * pause_s, 0.04)


def is_written(path):
    """Whether the file is there, and is not the profile so far of a program that runs or of which the manager has not
    seen the end."""
    try:
        with open(path, "rb") as stream:
            return b"\nend running" not in stream.read() or ".snapshot-" in path
    except FileNotFoundError:  # also between the profile so far and the one of the end
        return False


def stop(pid):
    """Stops another process, and waits until the whole of it stands still."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: all(state_of(f"{pid}/task/{tid}") == "T" for tid in os.listdir(f"/proc/{pid}/task")),
               "it does not stop")


def state_of(process):
    """R, S, T, Z and so on, as in /proc/PID/stat."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as stream:
        return stream.read().rpartition(")")[2].split()[0]


def is_within_reach(folder):
    """Whether other users may enter it."""
    while folder != "/":
        if not os.stat(folder).st_mode & stat.S_IXOTH:
            return False
        folder = os.path.dirname(folder)
    return True


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as stream:
        return stream.read().split(b"\0")


def is_process(pid, word, link):
    try:
        if link is None:
            return word in command_line(pid)
        executable = os.readlink(f"/proc/{pid}/exe")
        if os.path.basename(executable).startswith("qemu-"):
            executable = os.path.realpath(command_line(pid)[1]).decode()
        return executable == link
    except (OSError, IndexError):
        return False


def processes(word, link=None):
    """Pids whose command line holds `word`, or whose executable is `link`; also where an emulator runs it."""
    return [int(pid) for pid in filter(str.isdigit, os.listdir("/proc")) if is_process(pid, word, link)]


def parent_of(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as stream:
        return int(stream.read().rpartition(")")[2].split()[1])


def managers_of(program):
    """The managers that process `program` has started, but no forks of them, which write a profile and end."""
    found = processes(f"--pid={program}".encode())
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return [pid for pid in found if parent_of(pid) not in found]
    return managers_of(program)  # one has just ended


def wait_for_end(word, link=None, what="the manager did not end"):
    """Waits until there are no such processes.  All are looked at only where none of those that were found is left: with
    many tests at a time that takes as long as much that they wait for."""
    left = []

    def has_ended():
        left[:] = [pid for pid in left if is_process(pid, word, link)] or processes(word, link)
        return not left

    wait_until(has_ended, what)


def needed(path):
    """The names of the libraries that an ELF file asks for."""
    text = subprocess.run(["readelf", "-dW", path], check=True, capture_output=True, text=True,
                          env=plain_environment()).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def stand_in_folder(executable, library, folder):
    """A folder for LD_LIBRARY_PATH that gives `executable` `library` for libfc:
    the very same executable runs with another runtime."""
    names = [name for name in needed(executable) if name.startswith("libfc.so")]
    if len(names) != 1:
        raise AssertionError(f"{executable} needs {needed(executable)}: libfc is not among them")
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, names[0])
    if not os.path.exists(target):
        os.symlink(library, target)
    return folder


class Case(unittest.TestCase):
    """A test with a folder of its own, removed when the test passed."""

    maxDiff = None
    bindir = BINDIR
    # More words for fc-config, of all that is compiled.  Targets have functions that a compiler would inline; tests of
    # what is left say so, by [] (the default of users) or --after-inlining; FCTEST_CONFIG says it of a whole script.
    config = shlex.split(os.environ.get("FCTEST_CONFIG", "--every-function"))

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fc-test-")

    def share_with_others(self, mode=0o755):
        """Lets other users into the test's folder, and compile() give them programs that
        they can run: the build may be where they can't get at, as in /root, and so may $TMPDIR."""
        if not is_within_reach(os.path.dirname(self.folder)):
            os.rmdir(self.folder)
            self.folder = tempfile.mkdtemp(prefix="fc-test-", dir="/tmp")
        os.chmod(self.folder, mode)
        shutil.copytree(PREFIX, self.path("prefix"), symlinks=True)
        self.bindir = self.path("prefix", os.path.relpath(BINDIR, PREFIX))

    def tearDown(self):
        outcome = getattr(self, "_outcome", None)
        result = getattr(outcome, "result", None)
        failed = result is not None and any(
            getattr(test, "test_case", test) is self  # of a subtest
            for test, _ in result.failures + result.errors)
        if failed:
            print(f"kept for a look: {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)
        return self.path(name)

    def command(self, words, **options):
        """Runs a command that must succeed."""
        done = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT_S,
                              cwd=self.folder, env=plain_environment(), **options)
        self.assertEqual(done.returncode, 0,
                         f"{shlex.join(words)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def compile(self, source, *flags, compiler="gcc", profiled=True, config=(), output=None):
        """Compiles a target of tests/programs (or a source with a path) with the
        flags of fc-config (and `config`), or without them."""
        if not os.path.isabs(source):
            source = os.path.join(PROGRAMS, source)
        stem = os.path.splitext(os.path.basename(source))[0]
        output = self.path(output or (stem if profiled else stem + "-plain"))
        dialect = ["-std=gnu11"] if source.endswith(".c") else []
        words = [compiler, "-g", "-O0", *dialect, "-D_GNU_SOURCE", *flags]
        links = ["-pthread", "-lm"]
        if profiled:
            links = fc_config("--cflags-libs", *self.config, *config, bindir=self.bindir) + links
        if os.path.dirname(source) == PROGRAMS and not any(self.folder in word for word in words + links):
            self.compile_once(words, source, links, output)
        else:
            self.command([*words, "-o", output, source, *links])
        return output

    def compile_once(self, words, source, links, output):
        """Many tests want the same program: it is compiled once for a staged tree, whose making
        removes what was compiled before, and copied."""
        digest = hashlib.sha256(repr([words, source, links]).encode())
        for path in (source, *sorted(glob.glob(os.path.join(PROGRAMS, "*.h")))):
            with open(path, "rb") as stream:
                digest.update(stream.read())
        os.makedirs(COMPILED, exist_ok=True)
        kept = os.path.join(COMPILED, digest.hexdigest()[:32])
        if not os.path.exists(kept):
            made = tempfile.mktemp(dir=COMPILED)
            self.command([*words, "-o", made, source, *links])
            os.rename(made, kept)
        shutil.copy(kept, output)

    def manager(self, path, body):
        """A program that passes for an fcmanager, also with root, and does what `body`, C, says."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        source = self.write("manager.c", f"""
            #include "libfc/fc-format.h"
            #include <stdio.h>
            #include <unistd.h>
            FC_MANAGER_NOTE_MAKE;
            int main(int argc, char **argv)
            {{
                (void)argc, (void)argv;
                {body}
            }}
            """)
        self.command(["gcc", "-I", SOURCE_ROOT, "-o", path, source])
        os.unlink(source)
        return path

    def run_target(self, words, env=None, base=None, **options):
        """Runs a target to its end, with the environment `base` (that of the user by
        default) and `env`; gives subprocess.CompletedProcess with bytes."""
        options.setdefault("cwd", self.folder)
        options.setdefault("timeout", TIMEOUT_S)
        options.setdefault("stdin", subprocess.DEVNULL)
        if "stdout" not in options and "stderr" not in options:
            options["capture_output"] = True
        return subprocess.run(words, env={**(base or plain_environment()), **(env or {})},
                              check=False, **options)

    def run_quiet(self, words, env=None, **options):
        """The same with FC_QUIET: what is printed is the target's own."""
        return self.run_target(words, env={"FC_QUIET": "1", **(env or {})}, **options)

    def run_told(self, words, env=None, **options):
        """The same with notices on standard error, which is no terminal: there they are asked for."""
        return self.run_target(words, env={"FC_LOG": "/dev/stderr", **(env or {})}, **options)

    def wait_for_file(self, name="functioncheck.fc"):
        """Of a program that could not wait for it, as it was killed; the file's path."""
        wait_until(lambda: is_written(self.path(name)), f"{name} was not written")
        return self.path(name)

    def run_oracle(self, words, env=None, **options):
        """Runs the same executable with the oracle for libfc; the files of counts
        are those of the list that is returned second."""
        folder = stand_in_folder(words[0], ORACLE, self.path("oracle-lib"))
        out = tempfile.mkdtemp(prefix="oracle-", dir=self.folder)
        done = self.run_target(words, env={"LD_LIBRARY_PATH": folder,
                                           "ORACLE_OUT": os.path.join(out, "counts"),
                                           **(env or {})}, **options)
        return done, sorted(glob.glob(os.path.join(out, "counts.*")))

    def run_beside_oracle(self, words, out, env=None, **options):
        """Profiles the program and counts in the same run; the oracle's files, one for
        each image of each process, are out.PID, out.PID.1 and so on."""
        return self.run_quiet(words, env={"LD_PRELOAD": ORACLE, "ORACLE_BESIDE": "1",
                                          "ORACLE_OUT": out, **(env or {})}, **options)

    def run_test_clock(self, words, env=None, **options):
        """Runs the same executable with the libfc that has a counter for a clock."""
        folder = stand_in_folder(words[0], TEST_CLOCK, self.path("testclock-lib"))
        return self.run_quiet(words, env={"LD_LIBRARY_PATH": folder, "FC_TIME_MODE": "ext",
                                          "FC_MANAGER": tool("fcmanager"), **(env or {})},
                              **options)

    def assert_counts_equal(self, oracle_file, profile):
        """Every function's and every (call site, callee)'s count is the oracle's.  The profile is a path, or loaded."""
        import compare
        oracle = compare.load_oracle(oracle_file)
        self.assertTrue(oracle.functions, f"{oracle_file} holds no count")
        found = compare.load_profile(profile) if isinstance(profile, str) else compare.counts_of(profile)
        lines = compare.differences(oracle, found)
        self.assertEqual(lines, [], "counts differ from the oracle's:\n" + "\n".join(lines[:40]))
        return sum(oracle.functions.values())


def main():
    unittest.main(verbosity=2)
