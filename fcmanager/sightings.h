/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions a thread was seen in: what its beacon said (libfc/beacon.h), by function.  Used
 * by costs.c, once for all that is concluded from it.
 */
#pragma once

#include "fcmanager/counts.h"
#include "fcmanager/observe.h"

/* Of the looks' weight so much was */
typedef struct
{
    double *seen;     /* in each function, */
    double *variance; /* of which this is the variance by chance; both by function, owned; */
    double hooks;     /* in hooks, */
    double unknown;   /* in code of which nothing is known, */
    double outside;   /* and outside of all that is profiled. */
} FcSightings;

/* By the arcs of the thread's counts.  NULL where they tell nothing, as there are none, or too many
 * of them were at what is not known; `observed` may be NULL.  The caller owns the result. */
FcSightings *fc_sightings_of(const FcCounts *counts, const FcObserved *observed);
void fc_sightings_free(FcSightings *sightings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcSightings, fc_sightings_free)
