/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times off the CPU when a thread has ended: they are parts of times that were estimated
 * (counted-attribute.h) and compensated (costs.h) after they had been measured.  thread.c calls it.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Ticks off the CPU of which it is not known where they were: in proportion to where the thread was
 * on it.  Before what hooks took is taken off. */
void fc_waits_spread(FcCounts *counts, guint64 unplaced);

/* No time off the CPU is longer than that which it is a part of; nor does a function, an arc or a
 * context have less time on the CPU than what it called had: what is cut off a context's is cut
 * off the totals of all around it.  Only in a recursion, where totals are no sums, the second does
 * not hold by itself. */
void fc_waits_bound(FcCounts *counts);
