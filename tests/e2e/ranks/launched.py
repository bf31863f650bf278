#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks without a launcher: what is made of its variables, and where the manager runs."""

import os
import subprocess
import time

import ranked

fctest = ranked.fctest

JOB = {"PMI_JOBID": "7.1", "PMI_SIZE": "12"}


class Launched(ranked.Case):
    def run_rank(self, rank, *words, env=None):
        done = self.run_target(words, env={**JOB, "PMI_RANK": str(rank), **(env or {})})
        self.assertEqual((done.returncode, done.stdout), (0, b""), done.stderr)
        return done.stderr.decode()

    def test_names(self):
        """Each rank has a name of its own, which sorts, and none is used twice."""
        program = self.compile("nesting.c")
        for rank in (11, 0, 0, 3):
            self.assertEqual(self.run_rank(rank, program), "")
        names = [f"functioncheck.7.1-{rank}.fc" for rank in ("00.2", "00", "03", "11")]
        self.assertEqual(self.profiles(), names)
        self.assertEqual([self.job_of(name)["rank"] for name in names], [0, 0, 3, 11])

    def test_several_processes(self):
        program = self.compile("forks.c")
        for _ in range(2):
            self.run_rank(1, program)
        names = [name for name in os.listdir(self.folder) if name.startswith("functioncheck.")]
        self.assertEqual(len(names), 6, names)
        for descriptor in ("functioncheck.7.1-01.fcd", "functioncheck.7.1-01.2.fcd"):
            self.assertEqual([process["job"]["rank"] for process in self.json(descriptor)["processes"]], [1, 1])

    def test_names_of_jobs(self):
        """Nothing of a job's name gets into a file's name but what does no harm there."""
        program = self.compile("nesting.c")
        for variables, name in (
                ({"PMIX_RANK": "3", "PMIX_NAMESPACE": "prterun-vm-12@1"}, "functioncheck.prterun_vm_12_1-3.fc"),
                ({"PMIX_RANK": "3", "PMIX_NAMESPACE": "../%p/x"}, "functioncheck...__p_x-3.fc"),
                ({"PMIX_RANK": "3", "PMIX_NAMESPACE": "slurm.pmix.5.2", "SLURM_JOB_ID": "5"}, "functioncheck.5.2-3.fc"),
                ({"OMPI_COMM_WORLD_RANK": "1", "PMIX_NAMESPACE": "99", "SLURM_JOB_ID": "5", "SLURM_PROCID": "0"},
                 "functioncheck.5.99-1.fc"),
                ({"PMIX_RANK": "0", "PMIX_NAMESPACE": "x" * 300}, f"functioncheck.{'x' * 79}-0.fc"),
                ({"SLURM_PROCID": "0", "SLURM_JOB_ID": "5"}, "functioncheck.fc"),
                ({"PMI_RANK": "-1"}, "functioncheck.fc")):
            with self.subTest(variables=variables):
                done = self.run_target([program], env=variables)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertEqual(self.profiles(), [name])
                os.unlink(self.path(name))

    def test_unnamed_job(self):
        """Where nothing says which job it is, the processes of one parent are of one."""
        program = self.compile("nesting.c")
        script = f"PMI_RANK=0 {program}; PMI_RANK=1 {program}"
        for _ in range(2):
            self.run_target(["sh", "-c", f"{script}; true"])
        jobs = [self.job_of(name)["name"] for name in self.profiles()]
        self.assertEqual(len(jobs), 4)
        self.assertEqual(len(set(jobs)), 2, jobs)
        self.assertTrue(all(job.startswith(os.uname().nodename.replace("-", "_") + ".") for job in jobs), jobs)

    def test_chosen(self):
        program = self.compile("nesting.c")
        for rank, is_profiled in ((0, True), (1, False), (4, True), (6, True), (7, False)):
            self.run_rank(rank, program, env={"FC_RANKS": "0,3-6", "FC_DUMP_NAME": f"r{rank}"})
            self.assertEqual(os.path.exists(self.path(f"r{rank}.fc")), is_profiled, rank)
        for wrong in ("", "1,", "x", "2-1", "1-", "-1", "99999999999"):
            with self.subTest(wrong=wrong):
                text = self.run_rank(0, program, env={"FC_RANKS": wrong, "FC_DUMP_NAME": "all", "FC_VERBOSE": "1"})
                self.assertIn(f"FCheck: FC_RANKS: bad value '{wrong}', using all\n", text)
                os.unlink(self.path("all.fc"))
        self.run_target([program], env={"FC_RANKS": "3", "FC_DUMP_NAME": "none"})
        self.assertTrue(os.path.exists(self.path("none.fc")))

    def test_sessions(self):
        """What a rank executes is of its session, also with an empty environment; what another rank does is not."""
        program = self.compile("nesting.c")
        launcher = self.compile(os.path.join(ranked.MPI, "launch.c"))
        self.run_rank(2, launcher, launcher, program)
        self.assertEqual(self.profiles(), [])
        self.assertEqual(len(self.json("functioncheck.7.1-02.fcd")["processes"]), 5)  # images, and forked processes before they executed one
        self.run_rank(3, launcher, "/usr/bin/env", "-u", "PMI_RANK", program)
        self.assertEqual({process["job"]["rank"] for process in self.json("functioncheck.7.1-03.fcd")["processes"]}, {3})
        done = self.run_target([launcher, "/usr/bin/env", *(f"{name}={value}" for name, value in JOB.items()),
                                "PMI_RANK=5", program])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.profiles(), ["functioncheck.7.1-05.fc"])
        self.assertEqual({process["job"] for process in self.json("functioncheck.fcd")["processes"]}, {None})

    def test_summed(self):
        """The reports say which ranks they are of."""
        program = self.compile("nesting.c")
        for rank in range(3):
            self.run_rank(rank, program, "a b" if rank == 1 else "c")
        names = self.profiles()
        self.assertIn("3 of 12 ranks", self.command([fctest.tool("fcdump"), *names]))
        self.assertIn("rank 1 of 12", self.command([fctest.tool("fcdump"), names[1]]))
        said = self.command([fctest.tool("fcdump"), "--by=process", *names])
        self.assertRegex(said, r"rank 1, \d+  nesting a b\n")
        said = self.command([fctest.tool("fcdump"), "--info", *names])
        self.assertRegex(said, rf"Job +3 of 12 ranks of job 7\.1 by PMI on {os.uname().nodename}\n")

    @fctest.unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one processor")
    def test_processors(self):
        """The manager of a rank that is bound to a processor may use the others, and the profile says which it was."""
        first = min(os.sched_getaffinity(0))
        program = self.compile("waits.c")
        process = subprocess.Popen([program], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env=fctest.plain_environment(**JOB, PMI_RANK="1", FC_DUMP_NAME=f"bound{os.getpid()}"),
                                   preexec_fn=lambda: os.sched_setaffinity(0, {first}))
        self.assertEqual(process.stdout.read(1), b"x")
        [manager] = fctest.processes(f"--name=bound{os.getpid()}".encode())
        deadline = time.monotonic() + fctest.WAIT_S
        while os.sched_getaffinity(manager) == {first} and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertGreater(os.sched_getaffinity(manager), {first})
        self.assertEqual(os.sched_getaffinity(process.pid), {first})
        process.communicate(timeout=fctest.TIMEOUT_S)
        self.assertEqual(self.job_of(f"bound{os.getpid()}.fc")["cpus"], str(first))


if __name__ == "__main__":
    fctest.main()
