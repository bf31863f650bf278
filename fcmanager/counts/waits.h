/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Corrects a thread's times off the CPU when it has ended.  They are parts of measured times, which
 * were changed since: counted calls were given a share (counted-attribute.h) and overhead was
 * subtracted (overhead.h).  Called by thread.c.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Distributes `unplaced` ticks off the CPU, which belong to no known function, in proportion to the
 * time on the CPU.  To be called before overhead is subtracted. */
void fc_waits_spread(FcCounts *counts, guint64 unplaced);

/* Makes times off the CPU consistent.  None is longer than the time that it is a part of.  No
 * function, arc or context has less time on the CPU than what it called, except in a recursion,
 * where totals are no sums.  What is cut off the wait of a context is also cut off the totals of
 * all contexts around it. */
void fc_waits_bound(FcCounts *counts);
