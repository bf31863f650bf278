/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A thread's samples by function.  Used by overhead.c.
 */
#pragma once

#include "fcmanager/counts/counts.h"
#include "fcmanager/estimate/observe.h"

/* How the weight of the samples is divided: */
typedef struct
{
    double *seen;     /* by function, the samples in it; owned */
    double *variance; /* by function, the variance of that by chance; owned */
    double hooks;     /* in hooks */
    double unknown;   /* in code of which nothing is known */
    double outside;   /* outside of everything that is profiled */
} FcFunctionSamples;

/* Finds the functions by the arcs of the thread's counts.  NULL: there are no samples, or too many
 * of them are in unknown code.  `observed` may be NULL.  The caller owns the result. */
FcFunctionSamples *fc_function_samples_of(const FcCounts *counts, const FcObserved *observed);
void fc_function_samples_free(FcFunctionSamples *samples);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcFunctionSamples, fc_function_samples_free)
