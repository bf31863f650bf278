/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What mpi.c, mpi-figures.c and mpi-calls.S share.
 */
#pragma once

#define FC_MPI_MAX 512 /* functions of MPI that a program may call */
#define FC_MPI_STUB_BYTES 16
#define FC_MPI_REGISTER_ARGUMENTS 6
#define FC_MPI_STACK_WORDS 12 /* arguments on the stack: no function of MPI has more than 18 */

/* A call of a function that has figures, as the stub keeps it; offsets for the assembler. */
#define FC_MPI_CALL_STACK 48
#define FC_MPI_CALL_NUMBER 56
#define FC_MPI_CALL_SITE 64
#define FC_MPI_CALL_RESULT 72
#define FC_MPI_CALL_BYTES 152

#if !defined(__ASSEMBLER__)
#include <stddef.h>
#include <stdint.h>

struct FcMpiCall
{
    uint64_t arguments[FC_MPI_REGISTER_ARGUMENTS]; /* the first ones; may be changed before */
    uint64_t *stack;                               /* the others, as the function gets them */
    uint64_t number;                               /* of the stub */
    uint64_t site;
    uint64_t result; /* after the call */
    uint64_t begun_ns;
    uint64_t status[8]; /* room for a status that the program does not want */
};
_Static_assert(offsetof(struct FcMpiCall, stack) == FC_MPI_CALL_STACK &&
                   offsetof(struct FcMpiCall, number) == FC_MPI_CALL_NUMBER &&
                   offsetof(struct FcMpiCall, site) == FC_MPI_CALL_SITE &&
                   offsetof(struct FcMpiCall, result) == FC_MPI_CALL_RESULT &&
                   sizeof(struct FcMpiCall) == FC_MPI_CALL_BYTES,
               "mpi-calls.S");

/* Called by the stubs around a function that fc_mpi_kinds says has figures. */
__attribute__((visibility("hidden"))) void fc_mpi_before(struct FcMpiCall *call);
__attribute__((visibility("hidden"))) void fc_mpi_after(struct FcMpiCall *call);

/* Called by the stubs of MPI_Pcontrol. */
__attribute__((visibility("hidden"))) void fc_mpi_controlled(int level);
__attribute__((visibility("hidden"))) void fc_mpi_controlled_fortran(const int *level);

/* By stub: 0: the function has no figures; else see mpi-figures.c. */
extern uint8_t fc_mpi_kinds[FC_MPI_MAX] __attribute__((visibility("hidden")));
/* What the stub calls; atomic: stored before an entry leads to the stub. */
extern void *fc_mpi_functions[FC_MPI_MAX] __attribute__((visibility("hidden")));
/* The function's kind, by its name. */
uint8_t fc_mpi_kind_of(const char *name);
#endif
