/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the ranks of a job wait for in MPI's functions.  These poll, so waiting looks like time on
 * the CPU or, if they yield, like preemption; only the other ranks' times tell it apart.  Pure
 * computation.
 */
#pragma once

#include "model/model.h"

/* Whether it is a function of an MPI library. */
gboolean fc_mpi_is_function(const FcProfile *profile, const FcProfileFunction *function);

/* How long the ranks were in a function beyond the one that was there for the shortest time: the
 * rank that the others waited for, if the function is a collective one. */
typedef struct
{
    guint function;  /* FcFunction */
    guint ranks;     /* of so many the profiles are known */
    guint waiting;   /* of these, ranks that waited notably */
    gint64 late;     /* the rank that they waited for; FC_NONE: not known */
    guint64 late_ns; /* how long that was there */
    guint64 wait_ns; /* all ranks together */
    guint64 run_ns;  /* likewise */
} FcMpiWait;

/* The function with most of it, of those that all ranks call equally often; not MPI_Init and
 * MPI_Finalize.  FALSE: there is none, or there are not two ranks. */
gboolean fc_mpi_find_wait(const FcModel *model, FcMpiWait *wait);

/* Whether it is known which rank was late to these calls: several ranks of the group are in the
 * profile, which call it equally often here. */
gboolean fc_mpi_has_skew(const FcProfileCollective *collective);
/* How long all of them were there beyond the one that was there for the shortest time; 0: not
 * known. */
guint64 fc_mpi_waited_ns(const FcProfileCollective *collective);
