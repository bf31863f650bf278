/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Distributes a thread's time off the CPU when it has ended.  It is a part of times that were
 * estimated (counted-attribute.h) and compensated (overhead.h) after they were measured.  Called by
 * thread.c.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Distributes ticks off the CPU of unknown place in proportion to the time on the CPU.  To be
 * called before overhead is subtracted. */
void fc_waits_spread(FcCounts *counts, guint64 unplaced);

/* Makes times off the CPU consistent: none is longer than the time that it is a part of, and no
 * function, arc or context has less time on the CPU than what it called.  What is cut off a
 * context is cut off the totals of all around it.  In a recursion, where totals are no sums, the
 * second rule need not hold. */
void fc_waits_bound(FcCounts *counts);
