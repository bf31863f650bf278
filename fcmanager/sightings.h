/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions a thread was seen in: what its beacon said (libfc/beacon.h), by function.  Used
 * by observed.c.
 */
#pragma once

#include "fcmanager/counts.h"
#include "fcmanager/observe.h"

/* Of the looks' weight so much was */
typedef struct
{
    double *seen;   /* in each function, */
    double *chance; /* of which this is the variance; both by function, owned; */
    double hooks;   /* in hooks, */
    double unknown; /* in code of which nothing is known, */
    double outside; /* and outside of all that is profiled. */
} FcSightings;

/* By the arcs of the thread's counts. */
FcSightings fc_sightings_of(const FcCounts *counts, const FcObserved *observed);
void fc_sightings_clear(FcSightings *sightings);

/* Whether they tell anything: there are enough of them, `observed` as it was given. */
gboolean fc_sightings_are_enough(const FcSightings *sightings, const FcObserved *observed);
