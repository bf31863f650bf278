/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Corrects a thread's times by what it was seen at (observe.h).
 *
 * What records, samples and the calibration say of local times has errors that no calculation
 * shows: what a hook costs depends on the program around it, on what the processor does besides,
 * and on the day.  Where the thread was seen has none of these, but has chance in it, which the
 * number of looks tells, and what a hook costs outside of itself.  So both are taken together for
 * each function, weighted by how certain they are: what was recorded and has no hooks in it stays
 * as it was measured, times of counted functions are mostly those that were seen, and what was
 * hardly ever seen is as it was estimated.
 *
 * Of a recorded frame it is known how long it took, with the counted calls in it: these get no
 * more, and what they do not get of it is what hooks took.
 */
#pragma once

#include "fcmanager/call-costs.h"
#include "fcmanager/observe.h"
#include "fcmanager/sightings.h"

/* Of the thread's counts, from whose contexts' local times what hooks took was taken off, `removed`
 * by context.  Changes both, the totals as they were before that, and the variances.  `within`: by
 * function, the part of its calls that were made within another one.  `sightings` are those of
 * `seen`; they are used up. */
void fc_observed_refine(FcCounts *counts, guint64 *removed, const double *within,
                        const FcCallCosts *costs, const FcObserved *seen, FcSightings *sightings);
