/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The local times of a thread whose current function was sampled (observe.h).
 *
 * A function's share of the samples is its share of the time, whatever hooks cost in this program
 * on this machine.  Its standard error follows from the number of samples.  If a function contains
 * hooks or gave time to counted calls, and its samples are as certain as 30 of equal weight (the
 * square of their sum over their variance), its final local time is that of the samples.  Otherwise
 * the estimate without samples stays, which is the mean of its timed calls times their number,
 * unless even its few samples rule that out.  Times that were measured and contain no hooks are not
 * changed.
 *
 * No recorded call gets more time than it took; what its functions do not get of it is overhead.
 */
#pragma once

#include "fcmanager/estimate/call-overhead.h"
#include "fcmanager/estimate/function-samples.h"
#include "fcmanager/estimate/observe.h"

/* Sets the local times of the thread's `counts` from the samples `seen`.  Overhead was subtracted
 * before; `removed` has it by context.  Changes `counts`, `removed`, `samples` (those of `seen` by
 * function) and the variances.  Does not change totals. */
void fc_observed_refine(FcCounts *counts, guint64 *removed, const FcCallOverhead *of_call,
                        const FcObserved *seen, FcFunctionSamples *samples);
