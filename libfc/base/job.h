/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which process of a parallel job this one is, by what the launcher (mpirun, srun) has put into the
 * environment.  Talks to no launcher.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FC_JOB_UNKNOWN UINT32_MAX

struct FcJob
{
    uint32_t rank;       /* FC_JOB_UNKNOWN: no launcher started this; then the others say nothing */
    uint32_t size;       /* ranks of the job; 0: not known */
    uint32_t local_rank; /* on this machine; or FC_JOB_UNKNOWN */
    char name[80];       /* the same for all ranks of a step, another for each step; of letters,
                            digits and ._+ alone.  Empty: not known */
    const char *launcher; /* NULL: not known */
};

extern struct FcJob fc_job;

/* Fills in fc_job.  Called once, by config.c, not in a privileged program. */
void fc_job_find(void);

/* A number for job and rank, which is 0 where none is known. */
uint64_t fc_job_key(void);

/* Whether `list` ("0,7,16-31") has the rank; *good: whether it is such a list. */
bool fc_job_is_listed(const char *list, bool *good);
