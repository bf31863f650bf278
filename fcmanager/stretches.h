/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What hooks cost where they hold up what the processor would have done meanwhile.
 *
 * Loads that overlap in the plain program no longer do when there are hooks between them: a call
 * then costs many times what it does in the calibration, which neither that nor looks can tell
 * from the program's own time.  So in some stretches between two samples the hooks of counted calls
 * do their work twice (libfc/stretch.h), and how much longer these take, in which as many calls are
 * made in the mean, tells what doing it once costs there.  That is used only where it is much more
 * than the calibration has: where the processor had time to spare, as between operations that
 * depend on one another, the work is free the first time, but not the second.  Of calls that were
 * instrumented after inlining it is one of two opinions: see observed.c.
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
    double ticks;     /* of both, as they were */
} FcStretches;

/* Adds one to those of context `node`, of about `weight` times 64 calls. */
void fc_stretches_add(GArray *stretches, guint32 node, gboolean is_double, double ticks,
                      double weight);

/* Context i has become places[i], where several may be one now. */
void fc_stretches_renumber(GArray *stretches, const guint32 *places);

/* Of a recorded frame: ticks that the hooks of counted calls took in it, */
typedef struct
{
    double counted;    /* by the calibration, */
    double hooks;      /* by its stretches; 0: these tell nothing; */
    double held_up;    /* so much of the latter where they hold the program up */
    gboolean is_known; /* most of the time of the frame was in stretches, and most calls were of
                          code that was instrumented after inlining */
} FcStretchedFrame;

/* By context.  `frames`: by context, the recorded frame around it; `whole`: of frames, how long
 * they were on the CPU without those within them.  The caller frees it. */
FcStretchedFrame *fc_stretches_of_frames(const FcCounts *counts, const GArray *stretches,
                                         const guint32 *frames, const FcCallCosts *costs,
                                         const double *whole);
