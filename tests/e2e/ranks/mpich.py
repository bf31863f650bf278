#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that MPICH's mpirun, Hydra, started: it gives its jobs no name."""

import ranked

ranked.need("mpicc.mpich", "mpirun.mpich")


class Mpich(ranked.Launched):
    mpi = "mpich"
    launcher = "Hydra"

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

    def test_modules(self):
        self.check_modules(self.build("stencil"))


if __name__ == "__main__":
    ranked.fctest.main()
