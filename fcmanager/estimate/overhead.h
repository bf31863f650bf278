/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Subtracts instrumentation overhead from a thread's times.  libfc measures the overhead of a call
 * when a session begins.  Called by process.c and thread.c.
 *
 * A recorded call's overhead between its two time stamps is in its own local time; the rest is in
 * its caller's.  The overhead of a call that was counted and not timed is in its own.  What is left
 * of a context's local time is at most what was measured.  It is at least the waiting time plus
 * what a call of an empty function takes for each call that was not inlined.  If a counted
 * function's context is too small for its overhead, the rest is subtracted from the function's
 * other contexts, then from its caller.  Where there are samples, these replace the local times
 * (observed.h).  Totals follow (totals.h).
 */
#pragma once

#include "fcmanager/counts/counts.h"
#include "fcmanager/estimate/call-overhead.h"
#include "fcmanager/estimate/observe.h"
#include "libfc/fc-format.h"

/* Converts what libfc measured. */
FcCallOverhead fc_overhead_of(const struct FcOverhead *measured);

/* Subtracts the overhead from the counts.  Their stack must be closed, and counted calls must be
 * attributed.  Their cost_... members become what was subtracted. */
void fc_overhead_subtract(FcCounts *counts, const FcCallOverhead *of_call, const FcObserved *seen);
