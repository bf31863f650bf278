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
    double within;         /* a counted call within a recursion */
    double after_inlining; /* one of code that was instrumented so */
    double sampled;        /* as `inside`, of a sampled call, */
    double callee;         /* whose own time each recorded call that it makes adds this to; */
    double inner;          /* as `sampled`, of a call within a sampled one */
    double sample;         /* a sampled call beyond a recorded and a counted one, */
    double sample_after_inlining;
} FcCallCosts;

/* A call takes at least this part of what counting it costs: it did something. */
#define FC_LEAST_OF_CALLS 32.0

static inline double fc_costs_of_counted(const FcCallCosts *costs, const FcCountsFunction *function)
{
    return function->is_after_inlining ? costs->after_inlining : costs->counted;
}

/* The mean where the part `within` of them is made within another one of the function. */
static inline double fc_costs_of_recursion(const FcCallCosts *costs,
                                           const FcCountsFunction *function, double within)
{
    const double each = fc_costs_of_counted(costs, function);
    return each + MAX(0, costs->within - each) * within;
}
