/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Total times, which follow from local ones.  Called by counted-attribute.c and overhead.c.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* The totals of `counts` belong to the local times `before`, by context.  Makes them those of the
 * local times that the contexts have now.  No context's total becomes more than its caller's, no
 * arc's more than its function's.  Parents must stand before their children. */
void fc_totals_update(FcCounts *counts, const guint64 *before);

/* A copy of the local times, by context.  The caller frees it with g_free. */
guint64 *fc_totals_local_times(const FcCounts *counts);
