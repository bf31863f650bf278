#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that MPICH's mpirun, Hydra, started: it gives its jobs no name."""

import ranked

ranked.need("mpicc.mpich", "mpirun.mpich")


class Mpich(ranked.ByMpirun):
    mpi = "mpich"
    launcher = "Hydra"


if __name__ == "__main__":
    ranked.fctest.main()
