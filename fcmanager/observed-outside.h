/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the hooks of calls cost outside of themselves: what looks (observe.h) see in the functions
 * around a hook and is not the program's.  For observed.c.
 *
 * Before inlining these are arguments, registers that are saved and the calls.  After inlining
 * there are no arguments, and of saved registers one: the call and what stands before the beacon
 * are left of it.  Of a call that the compiler dissolved in its caller they are next to all that
 * looks see there: without hooks it takes hardly any time, and what it works with stays in
 * registers.
 */
#pragma once

#include "fcmanager/call-costs.h"

/* Ticks. */
typedef struct
{
    /* By function, in which it was seen on that account, half in the caller of a call, half in the
     * callee: */
    double *dissolved; /* of calls that were dissolved, */
    double *others;    /* and of others */
    double all;
} FcOutside;

/* `hooks`: the ticks in which the thread was seen in hooks. */
FcOutside fc_outside_of(const FcCounts *counts, const FcCallCosts *costs, double hooks);
void fc_outside_clear(FcOutside *outside);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FcOutside, fc_outside_clear)

/* Of both together, ticks squared. */
double fc_outside_variance(const FcOutside *outside, guint32 function);

/* What is left for a function of the ticks in which it was seen. */
double fc_outside_left(const FcOutside *outside, guint32 function, double seen);
