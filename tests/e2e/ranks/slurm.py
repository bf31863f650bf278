#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that srun started, plain, by PMI-2 and by PMIx, in a Slurm of this machine alone."""

import os
import re

import ranked

ranked.need("slurmctld", "slurmd", "munged", "srun", "mpicc.mpich")
if os.geteuid() != 0:
    ranked.skip("Slurm's daemons want root")


class Srun(ranked.Launched):
    mpi = "mpich"
    launcher = "Slurm"

    @classmethod
    def setUpClass(cls):
        cls.slurm = ranked.Slurm()
        cls.addClassCleanup(cls.slurm.stop)
        cls.runs = cls.slurm.start()

    def setUp(self):
        if not self.runs:
            self.skipTest("Slurm does not start here")
        super().setUp()

    way = "none"

    def words(self, count):
        return ["srun", "--quiet", f"--mpi={self.way}", "-n", str(count)]

    def launch(self, count, words, before=(), env=None, **options):
        return super().launch(count, words, before, env={"SLURM_CONF": self.slurm.conf, **(env or {})}, **options)

    def test_steps(self):
        """By PMI-2 an MPI program; else the job is four programs that know nothing of each other."""
        self.way = "pmi2"
        names = self.check_steps(self.build("stencil"), self.build_plain("stencil"))
        self.assertTrue(all(re.fullmatch(r"functioncheck\.\d+\.0-\d\.fc", name) for name in names), names)

    def test_plain(self):
        program = self.compile("nesting.c")
        for way in ("none", "pmix"):
            with self.subTest(way=way):
                self.way = way
                before = self.profiles()
                done = self.launch(3, [program])
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check_job([name for name in self.profiles() if name not in before], 3)

    def test_batch(self):
        """Two steps of a batch job, and what the script itself runs, which is no rank."""
        program = self.compile("nesting.c")
        script = self.write("script.sh", f"#!/bin/sh\n{program}\nsrun -n 2 {program}\nsrun -n 2 {program}\n")
        done = self.run_target(["sbatch", "-W", "-n", "2", "-o", self.path("said"), script],
                               env={"SLURM_CONF": self.slurm.conf})
        self.assertEqual(done.returncode, 0, done.stderr)
        [job] = re.findall(rb"Submitted batch job (\d+)", done.stdout)
        expected = [f"functioncheck.{job.decode()}.{step}-{rank}.fc" for step in (0, 1) for rank in (0, 1)]
        self.assertEqual(self.profiles(), [*expected, "functioncheck.fc"])

    def test_several_in_a_step(self):
        """A rank is a script that runs several programs, one after the other and two at the same time."""
        program = self.compile("nesting.c")
        script = f"{program}; {program}; {program} & {program} & wait"
        done = self.launch(2, ["sh", "-c", script])
        self.assertEqual(done.returncode, 0, done.stderr)
        ranks = [self.job_of(name)["rank"] for name in self.profiles()]
        self.assertEqual(sorted(ranks), [0] * 4 + [1] * 4, self.profiles())


if __name__ == "__main__":
    ranked.fctest.main()
