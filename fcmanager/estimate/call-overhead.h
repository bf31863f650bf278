/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Instrumentation overhead of a call.  Used by overhead.h and what it calls.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Ticks per call; all 0 if they are not known. */
typedef struct
{
    double recorded; /* in all, */
    double inside;   /* of which between its time stamps */
    double counted;
    double after_inlining; /* counted, in code that was instrumented after inlining */
    double empty;          /* what a call of an empty function takes without hooks */
} FcCallOverhead;

static inline double fc_overhead_of_counted(const FcCallOverhead *of_call,
                                            const FcCountsFunction *function)
{
    return function->is_after_inlining ? of_call->after_inlining : of_call->counted;
}
