/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A thread's samples by function.  Used by overhead.c.
 */
#pragma once

#include "fcmanager/counts/counts.h"
#include "fcmanager/estimate/observe.h"

/* How much of the samples' weight was ... */
typedef struct
{
    double *seen;     /* in each function, */
    double *variance; /* of which this is the variance by chance; both by function, owned; */
    double hooks;     /* in hooks, */
    double unknown;   /* in code of which nothing is known, */
    double outside;   /* and outside of all that is profiled. */
} FcFunctionSamples;

/* By the arcs of the thread's counts.  NULL where they tell nothing, as there are none, or too many
 * of them were at what is not known; `observed` may be NULL.  The caller owns the result. */
FcFunctionSamples *fc_function_samples_of(const FcCounts *counts, const FcObserved *observed);
void fc_function_samples_free(FcFunctionSamples *samples);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcFunctionSamples, fc_function_samples_free)
