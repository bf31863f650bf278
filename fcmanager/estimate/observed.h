/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The local times of a thread whose current function was sampled (observe.h).
 *
 * A function's share of the samples is its share of the time, whatever hooks cost in this program
 * on this machine.  That has an error by chance, which follows from the number of samples.  So a
 * function that calls hooks, or from whose time that of counted calls was taken, gets the time that
 * the samples tell where they are 30 or more; else it keeps what was estimated without them: the
 * mean of its timed calls times their number.  What was measured and has no hooks in it stays.
 *
 * No recorded call gets more time than it took; what its functions do not get of it, hooks took.
 */
#pragma once

#include "fcmanager/estimate/call-overhead.h"
#include "fcmanager/estimate/function-samples.h"
#include "fcmanager/estimate/observe.h"

/* `counts` are the thread's; what hooks took was taken off the local times of its contexts,
 * `removed` by context, and not yet off the totals.  Changes all these and the variances.
 * `samples`, which are those of `seen`, are changed, too. */
void fc_observed_refine(FcCounts *counts, guint64 *removed, const FcCallOverhead *of_call,
                        const FcObserved *seen, FcFunctionSamples *samples);
