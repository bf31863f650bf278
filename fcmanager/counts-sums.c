/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sums of counts.h.
 */
#include "fcmanager/counts.h"

#include <string.h>

G_STATIC_ASSERT(FC_COUNTS_LINE % sizeof(FcCountsSum) == 0); /* none is in two lines */

void fc_counts_make_sums(FcCounts *counts)
{
    const guint32 had = counts->sums_room;
    const guint32 more = counts->node_room - had;
    void *memory = g_malloc(counts->node_room * sizeof(FcCountsSum) + FC_COUNTS_LINE);
    FcCountsSum *sums = fc_counts_align(memory);
    if (had > 0)
        memcpy(sums, counts->sums, had * sizeof *sums);
    memset(&sums[had], 0, more * sizeof *sums);
    g_free(counts->sums_memory);
    counts->sums_memory = memory;
    counts->sums = sums;
    counts->owners = g_renew(guint32, counts->owners, counts->node_room);
    memset(&counts->owners[had], 0, more * sizeof *counts->owners);
    counts->sums_room = counts->node_room;
}

static void settle(FcCounts *counts, guint32 index, guint32 owner)
{
    FcCountsSum *sum = &counts->sums[index];
    FcCountsNode *node = &counts->nodes[index];
    FcCountsArc *arc = &counts->arcs[owner];
    const guint64 total = sum->total + sum->leaf;
    node->calls += sum->calls;
    node->total += total;
    node->local += sum->local + sum->leaf;
    arc->calls += sum->calls;
    arc->total += total;
    counts->functions[node->function].total += total;
    *sum = (FcCountsSum){0};
}

void fc_counts_settle(FcCounts *counts)
{
    const guint32 count = MIN(counts->sums_room, counts->node_count);
    for (guint32 i = 1; i < count; i++)
        if (counts->owners[i] != 0)
            settle(counts, i, counts->owners[i] - 1);
}

void fc_counts_drop_sums(FcCounts *counts)
{
    fc_counts_settle(counts);
    g_clear_pointer(&counts->sums_memory, g_free);
    counts->sums = NULL;
    g_clear_pointer(&counts->owners, g_free);
    counts->sums_room = 0;
}
