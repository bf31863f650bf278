/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What becomes of counted calls when their thread has ended.  They are given to callers and
 * contexts, their times are estimated, and what was recorded within counted callers goes below
 * these.  thread.c calls this; counted-work.h has the steps.
 *
 * What is exact and what is not:
 *
 * - The calls of a function, and of a function from a call site, are exact: sums of what was
 *   recorded and of the counters.
 * - So are those of an arc where the call site has one caller, as all have but those of virtual
 *   calls and of inlined functions; else they are apportioned to the callers that are known.
 * - The calls of a context are exact where its caller has one context.  Else they are apportioned:
 *   in proportion to how often the counter ran down there, which is random and so without bias;
 *   where it never did, to the recorded calls; where there are none, to the callers' own.  What is
 *   left by rounding goes where the remainder is largest, so that the sums are exact.
 *   Apportioned figures are marked.  Where a call site tells that a counted function must have
 *   called, and no context of it is known there, it gets one, so that contexts and arcs agree on
 *   who called; the calls of that one are with its other contexts.
 * - Times of calls that were not timed are taken out of the local time of the recorded frame around
 *   them, where they were spent, and given to the counted function: so many times the mean local
 *   time of the sampled calls.  A sampled call stands for all calls of its counter with the same
 *   probability, and what it calls has its own local time, so the sum is without bias however
 *   counted functions call one another.  A sampled call of more than 100 us, which was preempted or
 *   did what is too rare to be sampled, stands for itself alone.  What timing adds
 *   to short calls is taken off by the calibration.  Where a frame has not so much local time
 *   still, all is given in proportion: no time becomes negative, and none is made or lost but
 *   outside all frames, which can't give more than there was.
 * - A call within another one of its function is in the context of that one.  How long such calls
 *   took by their call site is estimated from how many of the context's they are.
 * - Calls deeper than FC_DEPTH are given to contexts in the same way, but have no time: theirs, and
 *   what counting them cost, is that of the recorded frame around them. */
#pragma once

#include "fcmanager/estimate/counted.h"
#include "fcmanager/estimate/overhead.h"

/* Adds the counted calls to the thread's counts, whose stack must be closed.  `outside`: ticks of
 * the thread's run in which no frame was open.  Nothing may be fed to the counts after that.  The
 * times are as measured still, with the overhead `of_call` in them: those of a counted call, in
 * place of those of a recorded one, where a call was not timed. */
void fc_counted_attribute(FcCounted *counted, guint64 outside, const FcCallOverhead *of_call);
