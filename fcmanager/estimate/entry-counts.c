/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See entry-counts.h.
 */
#include "fcmanager/estimate/entry-counts.h"

/* The function's context, of which it is not known who called it. */
static guint32 node_of(FcCounts *counts, const FcEntryFunction *function, guint32 *arc)
{
    const FcMapSlot *slot = fc_counts_edge(counts, 0, 0, function->code, function->since);
    *arc = slot->extra;
    return slot->value;
}

void fc_entry_counts_add(FcCounts *counts, FcEntries *entries, const FcEntryCounters *counters)
{
    guint32 count;
    const guint32 first = fc_entries_counters(entries, counters->module, counters->address,
                                              counters->address + counters->bytes, &count);
    for (guint32 i = first; i < first + count; i++)
    {
        const FcEntryFunction *function = fc_entries_by_counter(entries, i);
        const guint64 offset = function->counter - counters->address;
        if (offset % sizeof(guint64) != 0)
            continue; /* such are not made by fcas */
        const guint64 calls = __atomic_load_n(
            (const guint64 *)(const void *)(counters->counters + offset), __ATOMIC_RELAXED);
        if (calls == 0)
            continue;
        guint32 arc;
        const guint32 node = node_of(counts, function, &arc);
        counts->nodes[node].calls += calls;
        counts->arcs[arc].calls += calls;
        counts->functions[counts->nodes[node].function].counted += calls;
        counts->functions[counts->nodes[node].function].is_after_inlining = TRUE;
        fc_counts_add_unrecorded(&counts->unrecorded, node, calls);
    }
}

void fc_entry_counts_add_samples(FcCounts *counts, FcEntries *entries, const FcPcSamples *seen,
                                 double ticks)
{
    const double each = seen->sample_ns * ticks;
    for (guint i = 0; i < seen->places->len; i++)
    {
        const FcPcPlace *place = &g_array_index(seen->places, FcPcPlace, i);
        const FcEntryFunction *part = fc_entries_find(entries, place->address);
        if (!part)
            continue;
        guint32 arc;
        const guint32 node = node_of(counts, fc_entries_get(entries, part->entry), &arc);
        FcCountsFunction *function = &counts->functions[counts->nodes[node].function];
        const guint64 time = (guint64)((double)place->samples * each);
        counts->nodes[node].local += time;
        counts->nodes[node].total += time;
        counts->arcs[arc].total += time;
        function->total += time;
        counts->executed += place->samples;
        function->local_variance += (double)place->samples * each * each;
        function->total_variance += (double)place->samples * each * each;
    }
}
