/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the hooks themselves took of a thread's times, and its subtraction.  process.c has the
 * overhead of a call from libfc, which measures them at its start; counted-times.c and thread.c use
 * them.
 *
 * The rule, for the local time of each context: of a call that was recorded the part of its cost
 * that lies between its two time stamps is its own, the rest is in the time of its caller.  A
 * call that was counted and not timed costs what a counted one does.  What is left is never more
 * than was measured, and never less than what the thread was off the CPU and a third of a counted
 * call's cost for each of its calls: each did something; a thirty-second where the compiler
 * dissolved it in its caller.  What is then too much for a context of a counted function, whose
 * time was estimated and taken out of its caller's, is taken off its other contexts, and what is
 * left of that off the caller.  Totals lose what was taken off below them: overhead-totals.h.
 */
#pragma once

#include "fcmanager/counts/counts.h"
#include "fcmanager/estimate/call-overhead.h"
#include "fcmanager/estimate/observe.h"
#include "libfc/fc-format.h"

/* From what libfc measured. */
FcCallOverhead fc_overhead_of(const struct FcOverhead *measured);

/* Subtracts the overhead from the counts, whose stack must be closed and counted calls attributed;
 * their cost_... have what was taken. */
void fc_overhead_subtract(FcCounts *counts, const FcCallOverhead *of_call, const FcObserved *seen);
