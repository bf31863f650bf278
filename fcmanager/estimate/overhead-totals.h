/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What hooks took of total times, once it is known what they took of the local ones: a part of
 * overhead.h, which says what the rule is.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Takes off the totals of contexts, functions and arcs what was taken off the local times in them.
 * `removed`: by context what was taken off its local time; becomes what was taken off its total.
 * `nested`: by function, more than 0: some of its calls are made within another one of it. */
void fc_overhead_subtract_totals(FcCounts *counts, guint64 *removed, const double *nested);
