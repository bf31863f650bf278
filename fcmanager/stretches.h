/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What hooks cost where and when they are at work.
 *
 * Loads that overlap in the plain program no longer do when there are hooks between them: a call
 * then costs many times what it does in the calibration, which neither that nor looks can tell
 * from the program's own time.  And where another guest of the machine has the other half of the
 * core for a while, hooks cost twice what they did in a calibration without.  So in some stretches
 * between two samples the hooks of counted calls do their work twice (libfc/stretch.h), and how
 * much longer these take, in which as many calls are made in the mean, tells what doing it once
 * costs there: one of two opinions on that.
 */
#pragma once

#include "fcmanager/call-costs.h"

/* Of one context, in which stretches began: [1] with hooks that work twice. */
typedef struct
{
    double count[2];
    double middle[2]; /* about the median of the logarithms of ticks for 64 calls: some stretches
                         take many times as long as they would, as others use the caches; */
    double spread[2]; /* the mean distance from it */
    double weight[2]; /* how many times 64 calls, in all */
    double ticks;     /* of both, as they were */
} FcStretches;

/* Adds one to those of context `node`, of about `weight` times 64 calls. */
void fc_stretches_add(GArray *stretches, guint32 node, gboolean is_double, double ticks,
                      double weight);

/* Context i has become places[i], where several may be one now. */
void fc_stretches_renumber(GArray *stretches, const guint32 *places);

/* By context, in ticks: */
typedef struct
{
    const guint32 *frames;  /* the recorded frame around it, in whose time it was spent; */
    const double *within;   /* by function: the part of its calls made within another one of it; */
    const double *busy;     /* its local time on the CPU, */
    const guint64 *removed; /* and what the hooks took beside that, both by the calibration; */
    double *local;          /* the former as it is known so far, and what it becomes */
} FcStretchedTimes;

/* Weighs what stretches tell, NULL: nothing, with what calls and looks do. */
void fc_stretches_weigh(FcCounts *counts, const GArray *stretches, const FcCallCosts *costs,
                        const FcStretchedTimes *times);
