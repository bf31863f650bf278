#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that Open MPI's mpirun started."""

import ranked

ranked.need("mpicc.openmpi", "mpirun.openmpi")


class OpenMpi(ranked.ByMpirun):
    mpi = "openmpi"
    launcher = "Open MPI"

    def test_spawned(self):
        """The ranks of MPI_Comm_spawn are another job: also with a name in which no job is, nothing is lost."""
        program = self.build("spawn")
        for name in (None, "s-%r"):
            with self.subTest(name=name):
                done = self.launch(2, [program], env={"FC_DUMP_NAME": name} if name else {})
                self.assertEqual(done.returncode, 0, done.stderr)
                names = self.profiles("s-" if name else "functioncheck.")
                found = [self.names_of(name) & {"parent_part", "child_part"} for name in names]
                self.assertEqual(sorted(map(sorted, found)), [["child_part"]] * 2 + [["parent_part"]] * 2, names)
        self.assertEqual(len({self.job_of(name)["name"] for name in self.profiles("functioncheck.")}), 2)


if __name__ == "__main__":
    ranked.fctest.main()
