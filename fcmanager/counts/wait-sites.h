/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls in which functions wait, such as that of pthread_mutex_lock, and for how long by the
 * samples of waiting threads.  They belong to no arc, since what they call is not profiled.
 * off.c adds to them, output.c reads them.
 */
#pragma once

#include "fcmanager/counts/counts.h"

typedef struct
{
    guint32 function; /* waits itself */
    gint module;      /* that the call is in */
    guint64 address;  /* behind the call */
    guint64 kind_ns[FC_WAIT_KINDS];
} FcCountsWaitSite;

/* Adds what samples of a call stand for. */
void fc_counts_add_wait_site(FcCounts *counts, const FcCountsWaitSite *more);
/* Adds those of `from`.  `functions` maps its functions to those of `into`. */
void fc_counts_merge_wait_sites(FcCounts *into, const FcCounts *from, const guint32 *functions);
/* Returns all of them, by function and address: FcCountsWaitSite.  The caller unrefs the array. */
GArray *fc_counts_get_wait_sites(const FcCounts *counts);
