# SPDX-License-Identifier: GPL-3.0-or-later
"""Launchers of parallel jobs for the tests beside this: Open MPI, MPICH and a Slurm of this machine alone.  A script
whose launcher is not installed, or can't be started, is skipped: they are in the set `ranks` of tools/setup.sh."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "support"))
import fcprofile  # noqa: E402
import fctest  # noqa: E402

MPI = os.path.join(fctest.PROGRAMS, "mpi")
# More ranks than processors, as root, in a container.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
           "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl": "self,vader,tcp"}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def need(*commands):
    """Ends the script as skipped where a command is missing."""
    for command in commands:
        if not shutil.which(command):
            skip(f"no {command} here")


class Case(fctest.Case):
    """`mpi` is openmpi or mpich; the launcher is its own mpirun unless launch() is another one."""

    mpi = None

    def setUp(self):
        super().setUp()
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)

    def build(self, name, output=None):
        """A program of tests/programs/mpi, profiled."""
        output = self.path(output or name)
        self.command([f"mpicc.{self.mpi}", "-g", "-O1", "-o", output, os.path.join(MPI, f"{name}.c"),
                      *fctest.fc_config("--cflags-libs", *self.config)])
        return output

    def build_plain(self, name):
        output = self.path(f"{name}-plain")
        self.command([f"mpicc.{self.mpi}", "-g", "-O1", "-o", output, os.path.join(MPI, f"{name}.c")])
        return output

    def words(self, count):
        words = [f"mpirun.{self.mpi}", "-n", str(count)]
        return [*words, "--oversubscribe"] if self.mpi == "openmpi" else words

    def launch(self, count, words, before=(), env=None, **options):
        """Runs `words` as so many ranks."""
        return self.run_target([*before, *self.words(count), *words], env={**AS_ROOT, **(env or {})}, **options)

    def profiles(self, pattern=""):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".fc") and pattern in name)

    def job_of(self, name):
        return self.json(name)["processes"][0]["job"]

    def json(self, *names):
        done = self.run_target([fctest.tool("fcdump"), "--json", *names])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return json.loads(done.stdout)

    def names_of(self, name):
        """The functions of a profile."""
        return {function["name"] for function in self.json(name)["functions"]}


class Slurm:
    """One that consists of this machine, in a folder of its own, on ports of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="fc-slurm-")
        os.chmod(self.folder, 0o755)
        self.node = os.uname().nodename.split(".")[0]
        self.conf = os.path.join(self.folder, "slurm.conf")
        self.started = []

    def start(self):
        """Whether it runs."""
        for name in ("state", "spool"):
            os.makedirs(os.path.join(self.folder, name))
        with open(self.conf, "w", encoding="utf-8") as stream:
            stream.write(self.settings())
        key = os.path.join(self.folder, "munge.key")
        with open(key, "wb") as stream:
            stream.write(os.urandom(1024))
        os.chmod(key, 0o400)
        self.run(["munged", "-f", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                  f"--pid-file={self.folder}/munge.pid", f"--log-file={self.folder}/munge.log",
                  f"--seed-file={self.folder}/munge.seed"], "munge.pid")
        self.run(["slurmctld", "-c", "-f", self.conf], "slurmctld.pid")
        self.run(["slurmd", "-f", self.conf], "slurmd.pid")
        for _ in range(60):
            done = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.environment(), capture_output=True, check=False)
            if done.stdout.strip() in (b"idle", b"mixed"):
                return True
            fctest.time.sleep(0.5)
        return False

    def run(self, words, pid_file):
        subprocess.run(words, env=self.environment(), capture_output=True, check=True, timeout=60)
        self.started.append(os.path.join(self.folder, pid_file))

    def environment(self):
        return fctest.plain_environment(SLURM_CONF=self.conf)

    def settings(self):
        own = os.getpid() % 20000
        return f"""
ClusterName=fc
SlurmctldHost={self.node}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge.socket
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
SlurmctldPort={30000 + own}
SlurmdPort={30001 + own}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdParameters=config_overrides
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
CommunicationParameters=NoAddrCache
NodeName={self.node} NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=p Nodes={self.node} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""

    def stop(self):
        for path in reversed(self.started):
            try:
                with open(path, encoding="utf-8") as stream:
                    pid = int(stream.read())
                os.kill(pid, fctest.signal.SIGTERM)
                fctest.wait_until(lambda gone=pid: not os.path.exists(f"/proc/{gone}"), "Slurm does not end")
            except (OSError, ValueError):
                pass
        shutil.rmtree(self.folder, ignore_errors=True)


class Launched(Case):
    """What holds of every launcher; a script has a subclass for each."""

    __test__ = False
    launcher = None

    def check_job(self, names, count):
        """The profiles of one job: every rank once, under a name that sorts."""
        jobs = [self.job_of(name) for name in names]
        self.assertEqual([job["rank"] for job in jobs], list(range(count)))
        self.assertEqual({job["size"] for job in jobs}, {count})
        self.assertEqual([job["local_rank"] for job in jobs], list(range(count)))
        self.assertEqual({job["host"] for job in jobs}, {os.uname().nodename})
        self.assertEqual({job["launcher"] for job in jobs}, {self.launcher})
        self.assertEqual(len({job["name"] for job in jobs}), 1)
        for name, job in zip(names, jobs):
            self.assertRegex(job["cpus"], r"^\d+(-\d+)?(,\d+(-\d+)?)*$")
            width = len(str(count - 1))
            self.assertEqual(name, f"functioncheck.{job['name']}-{job['rank']:0{width}}.fc")
        return jobs[0]["name"]

    def check_steps(self, program, plain):
        """With nothing set each step leaves a profile of each rank, and the program's results are its own."""
        expected = self.launch(4, [plain, "6"])
        self.assertEqual(expected.returncode, 0, expected.stderr)
        for _ in range(2):
            done = self.launch(4, [program, "6"])
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected.stdout, expected.stderr))
        names = self.profiles("functioncheck.")
        self.assertEqual(len(names), 8, names)
        jobs = {self.job_of(name)["name"] for name in names}
        self.assertEqual(len(jobs), 2, jobs)
        for job in jobs:
            self.check_job(self.profiles(f"functioncheck.{job}-"), 4)
        return names

    def check_chosen(self, program):
        """FC_RANKS leaves out the others, and the notices are those of rank 0."""
        done = self.launch(4, [program, "2"], env={"FC_RANKS": "1-2,7", "FC_VERBOSE": "1"})
        self.assertEqual(done.returncode, 0)
        self.assertEqual([self.job_of(name)["rank"] for name in self.profiles()], [1, 2])
        self.assertNotIn(b"FCheck", done.stderr)
        done = self.launch(4, [program, "2"], env={"FC_VERBOSE": "1", "FC_DUMP_NAME": "all-%j-%r"})
        self.assertEqual(done.stderr.count(b"FCheck: Starting"), 1, done.stderr)
        self.assertEqual(done.stderr.count(b"FCMng: Profile file is"), 1, done.stderr)
        self.assertEqual(len(self.profiles("all-")), 4)

    def check_replaced(self, program):
        """Two steps with names that the user chose, in which no job is: rank 0 says that it replaces, not with
        FC_QUIET."""
        for quiet in ({}, {}, {"FC_QUIET": "1"}):
            done = self.launch(2, [program, "2"], env={"FC_DUMP_NAME": "s-%r", **quiet})
            lines = [line for line in done.stderr.decode().splitlines() if line.startswith("FC")]
            if lines:
                self.assertEqual(lines, ["FCMng: './/s-0.fc' of an earlier run is replaced, as those of the other ranks "
                                         "are: with %j in FC_DUMP_NAME each job has its own"])
            yield len(lines)
        self.assertEqual(self.profiles("s-"), ["s-0.fc", "s-1.fc"])

    def check_deaths(self, program):
        """A rank that is killed, crashes or ends all: each rank's profile is there."""
        for what in ("kill", "segv", "abort"):
            with self.subTest(what=what):
                done = self.launch(3, [program, "40", what], env={"FC_DUMP_NAME": f"{what}-%r"})
                self.assertNotEqual(done.returncode, 0)
                for rank in range(3):
                    self.wait_for_file(f"{what}-{rank}.fc")
                self.assertIn("sweep", self.names_of(f"{what}-1.fc"))

    def check_profiled_launcher(self, program):
        """Ranks of a launcher that is itself profiled are no part of its session."""
        launcher = self.compile(os.path.join(MPI, "launch.c"))
        done = self.launch(4, [program, "2"], before=[launcher])
        self.assertEqual(done.returncode, 0, done.stderr)
        names = self.profiles("functioncheck.")
        self.assertEqual(len(names), 4, names)
        self.check_job(names, 4)
        self.assertIn("functioncheck.fcd", os.listdir(self.folder))

    def check_modules(self, program):
        """Of the dozens of libraries of an MPI program only those are in the file that something was recorded of."""
        self.launch(1, [program, "2"], env={"FC_DUMP_NAME": "one"})
        paths = [module["path"] for module in self.json("one.fc")["modules"]]
        self.assertEqual(os.path.realpath(paths[0]), os.path.realpath(program))
        self.assertLess(len(paths), 4, paths)


    def check_calls(self, ranks=4, rounds=6):
        """Calls of MPI's functions are in their contexts, as often as they are made; the results are the program's own."""
        program, plain = self.build("calls"), self.build_plain("calls")
        expected = self.launch(ranks, [plain, str(rounds)])
        self.assertEqual(expected.returncode, 0, expected.stderr)
        for detail in ("auto", "all"):
            with self.subTest(detail):
                done = self.launch(ranks, [program, str(rounds)], env={"FC_DUMP_NAME": f"{detail}-%r", "FC_DETAIL": detail})
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected.stdout, expected.stderr))
                for rank in range(ranks):
                    data = self.json(f"{detail}-{rank}.fc")
                    calls = {function["name"]: function["calls"] for function in data["functions"]}
                    self.assertEqual({name: calls[name] for name in calls if name.startswith(("MPI_", "PMPI_"))},
                                     {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Op_create": 1, "MPI_Barrier": 1,
                                      "MPI_Finalize": 1, **{f"MPI_{name}": rounds for name in
                                                            ("Sendrecv", "Allreduce", "Alltoallw", "Irecv", "Isend", "Waitall")}})
                    paths = self.paths(data)
                    self.assertEqual(paths[("main", "ring", "MPI_Sendrecv")], rounds)
                    self.assertEqual(paths[("main", "barrier", "MPI_Barrier")], 1)
                    self.assertEqual({path[:3] for path in paths if path[-1] == "combine"}, {("main", "reduce", "MPI_Allreduce")})
                    self.assertEqual((data["losses"], data["repairs"]), ([], []))
        names = [f"all-{rank}.fc" for rank in range(ranks)]
        barriers = [row for row in self.json(*names)["mpi"]["collectives"] if row["function"] == "MPI_Barrier"]
        self.assertEqual([(row["late_rank"], row["site"]["name"], row["calls"]) for row in barriers],
                         [(ranks - 1, "barrier", ranks)])
        self.assertGreater(barriers[0]["waited_ns"], barriers[0]["elapsed_max_ns"] - barriers[0]["elapsed_min_ns"])
        waits = f"{ranks - 1} of {ranks} ranks wait in MPI_Barrier for rank {ranks - 1}"
        self.assertIn(waits, self.command([fctest.tool("fcdump"), *names]))
        self.assertRegex(self.command([fctest.tool("fcdump"), "--summary", *names]), rf"(?m)^Ranks +{waits}, [\d.]+ m?s in all$")
        self.assertNotIn("wait in MPI", self.command([fctest.tool("fcdump"), names[0]]))
        done = self.launch(ranks, [program, str(rounds)], env={"FC_DUMP_NAME": "off-%r", "FC_MPI": "0"})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected.stdout, expected.stderr))
        self.assertEqual([name for name in self.names_of("off-0.fc") if "MPI_" in name], [])

    def check_partners(self, ranks=4):
        """Messages and bytes by partner, in the numbers of the world, and collective calls by the communicator's ranks;
        statuses, requests and errors are the program's as ever, also between threads."""
        program, plain = self.build("partners"), self.build_plain("partners")
        self.assertEqual(self.launch(ranks, [plain]).stdout, b"done\n")
        for transport in ("shared", "pipe"):
            with self.subTest(transport):
                done = self.launch(ranks, [program], env={"FC_DUMP_NAME": f"{transport}-%r", "FC_TRANSPORT": transport})
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"done\n", b""))
                names = [f"{transport}-{rank}.fc" for rank in range(ranks)]
                self.assertEqual(self.partners(self.json(*names)), self.expected_partners(ranks))
                for rank in range(ranks):
                    data = self.json(names[rank])
                    self.assertEqual(self.partners(data), {pair: row for pair, row in self.expected_partners(ranks).items()
                                                           if pair[0] == rank})
                    self.assertEqual(data["losses"], [])
        self.check_collectives(names, ranks)
        self.command([fctest.tool("fcdump"), "--merge=left.fc", *names[:1]])
        self.command([fctest.tool("fcdump"), "--merge=right.fc", *names[1:]])
        self.command([fctest.tool("fcdump"), "--merge=both.fc", "left.fc", "right.fc"])
        whole = self.json(*names)["mpi"]
        self.assertEqual(self.json("both.fc")["mpi"], whole)
        said = self.command([fctest.tool("fcdump"), "--messages", "--csv", *names]).splitlines()
        rows = [[int(word) for word in line.split(",")] for line in said[1:]]
        self.assertEqual({tuple(row[:2]): tuple(row[2:]) for row in rows}, self.expected_partners(ranks))

    def partners(self, data):
        figures = ("sent", "sent_bytes", "received", "received_bytes", "posted", "posted_bytes")
        return {(row["rank"], row["partner"]): tuple(row[key] for key in figures) for row in data["mpi"]["partners"]}

    def expected_partners(self, ranks):
        """What partners.c does, counted by hand."""
        sums = {}
        def add(rank, partner, *figures):
            old = sums.get((rank, partner), (0,) * 6)
            sums[rank, partner] = tuple(a + b for a, b in zip(old, figures))
        for rank in range(ranks):
            if rank > 0:
                add(rank, 0, 3, 3 * 80 * rank, 0, 0, 0, 0)
                add(0, rank, 0, 0, 3, 3 * 80 * rank, 0, 0)
            # in its half, where ranks stand in reverse order, the next one is two below
            add(rank, (rank - 2) % ranks, 0, 0, 0, 0, 1, 7)
            add(rank, (rank + 2) % ranks, 1, 7, 0, 0, 0, 0)
            add(rank, rank ^ 1, 1 + 2 * 50, 3 + 2 * 50 * 4, 1 + 2 * 50, 3 + 2 * 50 * 4, 0, 0)
        return sums

    def check_fortran(self, ranks=4):
        """Fortran's functions, whose arguments are references: the same figures, and who was late."""
        if not shutil.which(f"mpif90.{self.mpi}"):
            self.skipTest(f"no mpif90.{self.mpi} here")
        for output, flags in (("plain", []), ("profiled", fctest.fc_config("--cflags-libs"))):
            self.command([f"mpif90.{self.mpi}", "-w", "-g", "-O1", "-o", output, os.path.join(MPI, "exchange.f90"), *flags])
        expected = self.launch(ranks, [self.path("plain")])
        done = self.launch(ranks, [self.path("profiled")], env={"FC_DUMP_NAME": "fortran-%r"})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected.stdout, expected.stderr))
        data = self.json(*(f"fortran-{rank}.fc" for rank in range(ranks)))
        sums = {(rank, partner): [0] * 6 for rank in range(ranks)
                for partner in {(rank + 1) % ranks, (rank - 1) % ranks, rank ^ 1}}
        for rank in range(ranks):
            for at, more in enumerate((3, 240) if rank % 2 else (0, 0, 3, 240)):
                sums[rank, rank ^ 1][at] += more
            sums[rank, (rank + 1) % ranks][0] += 1
            sums[rank, (rank + 1) % ranks][1] += 4
            sums[rank, (rank - 1) % ranks][4] += 1
            sums[rank, (rank - 1) % ranks][5] += 8
        self.assertEqual(self.partners(data), {pair: tuple(row) for pair, row in sums.items()})
        [reduced] = [row for row in data["mpi"]["collectives"] if "allreduce" in row["function"].lower()]
        self.assertEqual((reduced["calls"], reduced["late_rank"], reduced["world"]), (ranks, 1, True))
        calls = {}
        for function in data["functions"]:
            if function["name"].lower().startswith("mpi_"):
                calls[function["name"].lower().rstrip("_")] = function["calls"]
        self.assertEqual({name: count / ranks for name, count in calls.items()},
                         {"mpi_init": 1, "mpi_comm_rank": 2, "mpi_comm_size": 1, "mpi_comm_split": 1, "mpi_send": 1.5,
                          "mpi_recv": 1.5, "mpi_get_count": 0.5, "mpi_irecv": 1, "mpi_ssend": 1, "mpi_wait": 1,
                          "mpi_allreduce": 1, "mpi_comm_free": 1, "mpi_finalize": 1})

    def check_collectives(self, names, ranks):
        found = {}
        for row in self.json(*names)["mpi"]["collectives"]:
            self.assertEqual(row["calls_min"], row["calls_max"])
            self.assertEqual((row["calls"], row["ranks"]), (row["size"], row["size"]), "once by each rank")
            self.assertEqual(row["waited_ns"], row["elapsed_ns"] - row["ranks"] * row["elapsed_min_ns"])
            self.assertEqual(row["late_rank"], row["elapsed_min_rank"])
            key = (row["function"], row["world"], row["size"], row["first_rank"])
            found[key] = found.get(key, 0) + 1
        self.assertEqual(found, {("MPI_Comm_split", True, ranks, 0): 2, ("MPI_Comm_dup", True, ranks, 0): 1,
                                 ("MPI_Barrier", True, ranks, 0): 1, ("MPI_Barrier", False, ranks // 2, 0): 1,
                                 ("MPI_Barrier", False, ranks // 2, 1): 1})

    def paths(self, data):
        """Calls by the names on the path."""
        found, calls = [], {}
        for context in data["contexts"]:
            above = () if context["parent"] is None else found[context["parent"]]
            found.append((*above, data["functions"][context["function"]]["name"]))
            calls[found[-1]] = calls.get(found[-1], 0) + context["calls"]
        return calls


class ByMpirun(Launched):
    """What each MPI's mpirun does alike."""

    def test_steps(self):
        self.check_steps(self.build("stencil"), self.build_plain("stencil"))

    def test_chosen(self):
        self.check_chosen(self.build("stencil"))

    def test_replaced(self):
        self.assertEqual(list(self.check_replaced(self.build("stencil"))), [0, 1, 0])

    def test_deaths(self):
        self.check_deaths(self.build("stencil"))

    def test_profiled_launcher(self):
        self.check_profiled_launcher(self.build("stencil"))

    def test_calls(self):
        self.check_calls()

    def test_fortran(self):
        self.check_fortran()

    def test_partners(self):
        self.check_partners()

    def test_modules(self):
        self.check_modules(self.build("stencil"))
