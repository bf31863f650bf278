/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the hooks of calls cost outside of themselves: what looks (observe.h) see in the functions
 * around a hook and is not the program's.  For observed.c.
 *
 * Before inlining these are arguments, registers that are saved and the calls.  After inlining
 * there are no arguments, and of saved registers one: the call and what stands before the beacon
 * are left of it.
 */
#pragma once

#include "fcmanager/call-costs.h"

typedef struct
{
    double each[2]; /* ticks of a call: instrumented before inlining, and after; */
    double all;     /* and of all calls */
} FcOutside;

/* `hooks`: the ticks in which the thread was seen in hooks. */
FcOutside fc_outside_of(const FcCounts *counts, const FcCallCosts *costs, double hooks);

/* By function: the ticks in which it was seen on that account, half in the caller of a call, half
 * in the callee.  The caller frees it. */
double *fc_outside_of_functions(const FcOutside *outside, const FcCounts *counts);
