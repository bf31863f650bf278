/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls in which functions wait, such as that of pthread_mutex_lock, and for how long by the
 * samples of waiting threads.  They belong to no arc, since what they call is not profiled.
 * off.c adds to them, output.c reads them.
 */
#pragma once

#include "profile/fc-profile.h"

typedef struct
{
    guint32 function; /* the one that waits */
    gint module;      /* the one with the call */
    guint64 address;  /* behind the call */
    guint64 kind_ns[FC_WAIT_KINDS];
} FcCountsWaitSite;

/* Adds what samples of a call stand for.  *sites is the table of all, made if it is NULL; the
 * caller unrefs it. */
void fc_wait_sites_add(GHashTable **sites, const FcCountsWaitSite *more);
/* Adds those of `from`, which may be NULL.  `functions` maps its functions to those of *into. */
void fc_wait_sites_merge(GHashTable **into, GHashTable *from, const guint32 *functions);
/* Returns all of them, by function and address: FcCountsWaitSite.  The caller unrefs the array. */
GArray *fc_wait_sites_list(GHashTable *sites);
