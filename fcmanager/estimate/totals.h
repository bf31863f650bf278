/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Updates total times when local times have changed.  Called by counted-times.c, counted-move.c
 * and overhead.c.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Changes the totals of `counts`, which belong to the local times `before` (by context), to those
 * of the present local times.  No context's total becomes more than its caller's, no arc's more
 * than its function's.  Parents must stand before their children. */
void fc_totals_update(FcCounts *counts, const guint64 *before);

/* Returns a copy of the local times, by context.  The caller frees it with g_free. */
guint64 *fc_totals_local_times(const FcCounts *counts);
