/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What mpi.c and mpi-calls.S share.
 */
#pragma once

#define FC_MPI_MAX 512 /* functions of MPI that a program may call */
#define FC_MPI_STUB_BYTES 16
#define FC_MPI_STACK_WORDS 12 /* arguments on the stack: no function of MPI has more than 18 */
