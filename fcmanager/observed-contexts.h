/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Contexts of which looks alone tell.
 *
 * Of a counted function it is known where it was called by the calls that were timed, which are
 * few: where it is called a few times only, and these take long, none may be.  All that time is
 * its caller's then.  But where the thread was seen in it for longer than all frames took in which
 * it is known to be called, it was called elsewhere, too.  And where it was seen for longer than
 * its calls are thought to have taken, and some frames for much less than they were measured, its
 * calls there took what is missing, however short others were.
 */
#pragma once

#include "fcmanager/call-costs.h"
#include "fcmanager/sightings.h"

/* Gives such a function a context in each such frame in which it has none, if that took much of the
 * thread's time: below one who calls it, or calls one that does, with those in between, and with
 * one call of another context by the same arc.  Marks these contexts, and those of it that there
 * are in frames that were hardly seen (seen_nodes).  Before anything is taken off the times; `look`
 * is the weight of one.  What time these contexts have is up to fc_observed_refine. */
void fc_observed_make_contexts(FcCounts *counts, const FcCallCosts *costs,
                               const FcSightings *sightings, double look);
