/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slowest calls in the accumulators of counts.h: of which thread they are, and those of two.
 */
#include "fcmanager/counts.h"

void fc_counts_set_thread(FcCounts *counts, gint64 tid)
{
    for (guint32 i = 0; counts->slowest && i < counts->function_count; i++)
        for (guint32 j = 0; j < counts->slowest[i].count; j++)
            counts->slowest[i].calls[j].tid = tid;
}

void fc_counts_merge_slowest(FcCounts *into, const FcCounts *from, const guint32 *functions,
                             const guint32 *nodes)
{
    if (!into->slowest || !from->slowest)
        return;
    for (guint32 i = 0; i < from->function_count; i++)
        for (guint32 j = 0; j < from->slowest[i].count; j++)
        {
            FcSlowCall call = from->slowest[i].calls[j];
            call.node = call.node < from->node_count ? nodes[call.node] : 0;
            fc_slowest_add(&into->slowest[functions[i]], into->slowest_most, &call);
        }
}
