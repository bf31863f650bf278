/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What follows from a figure's sums over the ranks of a job.  Ranks that do not have it count as 0.
 * Pure computation.
 */
#pragma once

#include "profile/fc-profile.h"

/* `ranks`: of the whole job, not 0. */
double fc_spread_mean(const FcProfileSpread *spread, guint64 ranks);
/* The standard deviation of all ranks. */
double fc_spread_deviation(const FcProfileSpread *spread, guint64 ranks);
/* What the rank with most would save if all had the mean. */
guint64 fc_spread_gain(const FcProfileSpread *spread, guint64 ranks);
