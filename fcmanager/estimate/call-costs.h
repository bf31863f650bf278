/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the hooks take of a call.  For costs.h, and for whom that calls.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Ticks a call; all 0 where they are not known. */
typedef struct
{
    double recorded; /* in all, */
    double inside;   /* of which between its time stamps */
    double counted;
    double after_inlining; /* counted, in code that was instrumented after inlining */
} FcCallCosts;

static inline double fc_costs_of_counted(const FcCallCosts *costs, const FcCountsFunction *function)
{
    return function->is_after_inlining ? costs->after_inlining : costs->counted;
}
