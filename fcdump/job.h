/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ranks of parallel jobs, in words.  Called by reports and exports; prints nothing.
 */
#pragma once

#include "model/model.h"

/* The number of ranks that the files are from; 0: none is known.  Equal ranks of two jobs are two.
 */
guint64 fc_job_count_ranks(const FcModel *model);

/* "4 of 16 ranks", or "rank 3 of 16" of one; NULL: none is known.  The caller owns the result. */
char *fc_job_ranks(const FcModel *model);

/* The same and which job, launcher and hosts.  NULL and ownership as above. */
char *fc_job_text(const FcModel *model);

/* "rank 3, 4711  PROGRAM ARGUMENT...", as far as that is known of a process.  The caller owns the
 * result. */
char *fc_job_process(const FcProfile *header);

/* What the ranks wait for in MPI: "3 of 4 ranks wait in MPI_Barrier for rank 0, 1.5 s in all";
 * NULL: for nothing notable.  The caller frees it. */
char *fc_job_waits(const FcModel *model);
