# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds a shape of program (rows.py), runs it with the oracle and profiled, and has that compared (checks.py).

Used by shapes.py and, for parts of it, by kills.py and the transparency tests.
"""

import glob
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402
import compare  # noqa: E402
from checks import Difference, Truth, check  # noqa: E402
from rows import TRANSPORTS  # noqa: E402


class Run:
    """What is left of one run: .done, .profiles (the first process's first), .truth"""

    def __init__(self, case, shape, program, transport):
        self.case, self.shape, self.program, self.transport = case, shape, program, transport
        self.lost = 0


def build(case, shape, compiler, profiled=True):
    if shape.build is not None:
        return shape.build(case, shape, compiler, profiled)
    tag = f"{os.path.splitext(shape.source)[0]}-{compiler}{''.join(shape.flags)}"
    output = tag.replace("/", "_") + ("" if profiled else "-plain")
    if not os.path.exists(case.path(output)):
        case.compile(shape.source, *shape.flags, compiler=compiler, profiled=profiled,
                     output=output)
    return case.path(output)


def words_of(program, shape, is_long, args=None):
    """The command, with these arguments or the row's; {folder} and {program} in them stand for its place and name."""
    args = args or (shape.long_args if is_long and shape.long_args else shape.args)
    places = {"folder": os.path.dirname(program), "program": os.path.basename(program)}
    return [program, *(word.format(**places) for word in args)]


def make_folder(case, *parts):
    folder = case.path(*parts)
    os.makedirs(folder)
    return folder


# ---- Running -------------------------------------------------------------------------


def run_oracle(case, shape, program, words, folder):
    env = {"TRUTH": os.path.join(folder, "oracle-truth"), **shape.env}
    done, files = case.run_oracle(words, env=env, cwd=folder)
    fctest.wait_for_end(None, os.path.realpath(program), "no end of the oracle's run")
    if files:  # those of processes that were still at work just now, too
        files = sorted(glob.glob(os.path.join(os.path.dirname(files[0]), "*")))
    if done.returncode != shape.status:
        raise Difference(f"status {done.returncode} with the oracle, not {shape.status}: "
                         f"{done.stderr.decode()}")
    return done, [compare.load_oracle(path) for path in files]


def run_profiled(case, shape, program, words, transport, folder):
    run = Run(case, shape, program, transport)
    token = f"shape{os.getpid()}-{os.path.basename(folder)}"  # others run at the same time
    truth = os.path.join(folder, "truth")
    run.done = case.run_quiet(words, cwd=folder, base=fctest.plain_environment(shape.detail), env={
        "TRUTH": truth, "FC_TRANSPORT": transport, "FC_DUMP_NAME": token, **shape.env})
    option = b"--name=" + token.encode()
    fctest.wait_for_end(option)
    run.truth = Truth(truth)
    paths = glob.glob(os.path.join(folder, token + ".fc*"))
    run.descriptor = os.path.join(folder, token + ".fcd")
    run.has_descriptor = run.descriptor in paths
    left = [name for name in os.listdir(folder) if name.startswith(".")]
    if left:
        raise Difference(f"temporary files are left: {left}")
    paths = sorted(path for path in paths if path != run.descriptor)
    run.profiles = [fcprofile.load(path) for path in paths]
    run.paths = paths
    pids = {profile.pid for profile in run.profiles}
    run.profiles.sort(key=lambda profile: profile.ppid in pids)
    return run


# ---- One shape --------------------------------------------------------------------------


def run_shape(case, shape, is_long=False, transports=TRANSPORTS, further=()):
    """Yields (label, None or what is wrong) for each compiler and transport, and for each of the
    `further` rows, which run the same program in other ways, with shared memory alone."""
    ways = [(transport, shape) for transport in transports]
    ways += [(f"shared {row.filter or row.detail}", row) for row in further]
    for compiler in shape.compilers:
        try:
            program = build(case, shape, compiler)
        except AssertionError as error:
            yield f"{shape.name} {compiler}", str(error)[:1500]
            continue
        words = words_of(program, shape, is_long)
        oracles, oracle_done = [], None
        label = shape.name + (f" {compiler}" if len(shape.compilers) > 1 else "")
        folder = make_folder(case, "run-" + label.replace(" ", "-"))
        if shape.oracle:
            try:
                oracle_done, oracles = run_oracle(case, shape, program, words,
                                                  make_folder(case, folder, "oracle"))
            except (Difference, AssertionError, ValueError) as error:
                yield f"{label} oracle", str(error)
                continue
        for number, (way, row) in enumerate(ways):
            problem = None
            try:
                check(run_profiled(case, row, program, words, way.split()[0],
                                   make_folder(case, folder, str(number))), oracles, oracle_done)
            except (Difference, AssertionError, LookupError, fcprofile.FormatError,
                    OSError, subprocess.TimeoutExpired) as error:
                problem = str(error) if isinstance(error, Difference) else repr(error)
            finally:
                for pid in fctest.processes(None, os.path.realpath(program)):
                    os.kill(pid, signal.SIGKILL)
            yield f"{label} {way}", problem[:1500] if problem else None


def expected_failure(shape, label):
    for key, reason in shape.expected_failure.items():
        if key == "any" or key in label.split():
            return reason
    return None
