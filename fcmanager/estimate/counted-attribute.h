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
 * - So are those of an arc where the call site has one caller, as most have; those of
 *   inlined functions may have several; else they are apportioned to the callers that are known.
 * - The calls of a context are exact where its caller has one context.  Else they are apportioned
 *   in proportion to how often the counter ran down in each context, which is random and so without
 *   bias.  If it never did, they are apportioned in proportion to the recorded calls; if there are
 *   none, in proportion to how often each caller was called.  Parts are rounded so
 *   that the sums are exact.  Apportioned figures are marked.  If a
 *   call site is in a counted function that has no context there, an empty context is made, so that
 *   contexts and arcs agree on who called.  The function's own calls stay in its other contexts.
 * - The time of untimed calls is their number times the mean local time of the timed calls.  It is
 *   subtracted from the recorded frame around them, where it was spent, and added to the counted
 *   function.  A timed call stands for all calls of its counter with the same probability, and what
 *   it calls has its own local time, so the sum is without bias however counted functions call one
 *   another.  A timed call with a local time of more than 100 us was preempted, or did what is too
 *   rare to be timed at random: it stands for itself alone.  The
 *   overhead inside a timed call is subtracted from the mean.  If a frame has less local time than
 * its counted callees ask for, each gets a proportional part.  No time becomes negative.
 * - A call within another one of its function is in the context of that one.  The time by call site
 *   of such calls is estimated from their share of the context's calls.
 * - Calls deeper than FC_DEPTH are given to contexts in the same way, but have no time: theirs, and
 *   what counting them cost, is that of the recorded frame around them. */
#pragma once

#include "fcmanager/estimate/counted.h"
#include "fcmanager/estimate/overhead.h"

/* Adds the counted calls to the thread's counts, whose stack must be closed.  `outside`: ticks of
 * the thread's run in which no frame was open.  Nothing may be fed to the counts after that.  The
 * times still contain overhead: that of counting in untimed calls, that of recording in all others
 * (`of_call`). */
void fc_counted_attribute(FcCounted *counted, guint64 outside, const FcCallOverhead *of_call);
