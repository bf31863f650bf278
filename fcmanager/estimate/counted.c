/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of counted calls while a thread runs: see counted.h.
 */
#include "fcmanager/estimate/counted.h"

FcCounted *fc_counted_new(FcCounts *counts)
{
    FcCounted *counted = g_new0(FcCounted, 1);
    counted->counts = counts;
    counted->pairs = g_array_new(FALSE, TRUE, sizeof(FcCountedPair));
    counted->samples = g_array_new(FALSE, TRUE, sizeof(FcCountedSample));
    counted->sure = g_array_new(FALSE, TRUE, sizeof(guint64));
    counted->arcs_before = g_array_new(FALSE, TRUE, sizeof(guint32));
    counted->watched = g_array_new(FALSE, TRUE, sizeof(FcCountedWatched));
    fc_map_init(&counted->pair_map, 0);
    fc_nodes_init(&counted->sample_map, 0);
    return counted;
}

void fc_counted_free(FcCounted *counted)
{
    if (!counted)
        return;
    g_array_unref(counted->pairs);
    g_array_unref(counted->samples);
    g_array_unref(counted->sure);
    g_array_unref(counted->arcs_before);
    g_array_unref(counted->watched);
    fc_map_clear(&counted->pair_map);
    fc_nodes_clear(&counted->sample_map);
    g_free(counted);
}

void fc_counted_begin(FcCounted *counted)
{
    if (counted->begun)
        return;
    counted->begun = TRUE;
    fc_counts_flush_sums(counted->counts);
    g_array_set_size(counted->sure, counted->counts->arc_count);
    for (guint32 i = 0; i < counted->counts->arc_count; i++)
        g_array_index(counted->sure, guint64, i) = counted->counts->arcs[i].calls;
}

/* From this many arcs of a thread on, sure calls are also reported to fc_counts_arc_from_frame. */
#define ARCS_MANY 1024u

gboolean fc_counted_is_counted(const FcCounted *counted, guint32 function)
{
    const GArray *functions = counted->counts->counted_functions;
    return fc_counts_is_marked(functions, function) &&
           g_array_index(functions, guint8, function) == FC_COUNTS_ALL;
}

void fc_counted_begin_function(FcCounted *counted, guint32 function, gboolean nested)
{
    FcCounts *counts = counted->counts;
    fc_counted_begin(counted);
    const gboolean is_marked = fc_counts_is_marked(counts->counted_functions, function);
    if (!is_marked)
    {
        fc_counts_mark(&counts->counted_functions, function);
        if (counted->arcs_before->len <= function)
            g_array_set_size(counted->arcs_before, function + 1);
        g_array_index(counted->arcs_before, guint32, function) = counts->arc_count;
    }
    if (!is_marked || !nested)
        g_array_index(counts->counted_functions, guint8, function) =
            nested ? FC_COUNTS_NESTED : FC_COUNTS_ALL;
}

void fc_counted_sure(FcCounted *counted, guint32 arc)
{
    if (counted->sure->len <= arc)
        g_array_set_size(counted->sure, arc + 1);
    g_array_index(counted->sure, guint64, arc)++;
    if (counted->counts->arc_count < ARCS_MANY)
        return;
    if (counted->counts->known_arcs.slots)
        fc_counts_know_arc(counted->counts, arc);
    else
        for (guint32 i = 0; i < counted->sure->len; i++)
            if (g_array_index(counted->sure, guint64, i) > 0)
                fc_counts_know_arc(counted->counts, i);
}

guint32 fc_counted_met(FcCounted *counted, guint32 parent, guint32 arc, guint64 weight)
{
    const guint32 hash = fc_map_hash(parent, arc, 0);
    FcNodesSlot *slot = fc_nodes_first(&counted->sample_map, hash);
    for (; slot->node != 0; slot = fc_nodes_next(&counted->sample_map, slot, hash))
    {
        FcCountedSample *known = &g_array_index(counted->samples, FcCountedSample, slot->node - 1);
        if (known->parent != parent || known->arc != arc)
            continue;
        known->met += weight;
        return slot->node - 1;
    }
    const FcCountedSample fresh = {.parent = parent, .arc = arc, .met = weight};
    g_array_append_val(counted->samples, fresh);
    fc_nodes_add(&counted->sample_map, slot, hash, counted->samples->len);
    return counted->samples->len - 1;
}

void fc_counted_forget_samples_map(FcCounted *counted)
{
    fc_nodes_clear(&counted->sample_map);
    fc_nodes_init(&counted->sample_map, 0);
}

/* Adds one timed call.  Its callees may have been preempted, so its total counts for at most `most`
 * ticks more than its local time. */
static void add_time(FcCountedSums *sums, const FcCountedTime *time, guint64 most)
{
    const double weight = (double)time->weight;
    const double local = (double)time->local;
    const double total = (double)MIN(time->total, time->local + most);
    sums->calls++;
    sums->weight += weight;
    sums->weight_squares += weight * weight;
    sums->callees += weight * (double)time->callees;
    sums->local += weight * local;
    sums->local_squares += weight * local * local;
    sums->total += weight * total;
    sums->total_squares += weight * total * total;
}

void fc_counted_timed(FcCounted *counted, guint32 index, const FcCountedTime *time, guint64 most)
{
    FcCountedSample *sample = &g_array_index(counted->samples, FcCountedSample, index);
    sample->cut += time->is_cut;
    if (time->local > most)
        sample->alone++;
    else
        add_time(&sample->timed, time, most);
}

void fc_counted_watched(FcCounted *counted, guint32 arc, guint64 burst)
{
    if (counted->watched->len <= arc)
        g_array_set_size(counted->watched, arc + 1);
    FcCountedWatched *watched = &g_array_index(counted->watched, FcCountedWatched, arc);
    watched->bursts += burst != watched->last_burst;
    watched->last_burst = burst;
}

FcCountedPair *fc_counted_pair(FcCounted *counted, guint64 site, gint site_module, guint32 function)
{
    guint64 module_key = (guint64)(gint64)site_module;
    const FcMapSlot *slot = fc_map_find(&counted->pair_map, site, module_key, function);
    if (slot)
        return &g_array_index(counted->pairs, FcCountedPair, slot->value - 1);
    const FcCountedPair fresh = {.site = site, .site_module = site_module, .function = function};
    g_array_append_val(counted->pairs, fresh);
    fc_map_add(&counted->pair_map, site, module_key, function, counted->pairs->len, 0);
    return &g_array_index(counted->pairs, FcCountedPair, counted->pairs->len - 1);
}

guint32 fc_counted_find(FcCounted *counted, guint64 site, guint64 address, guint64 time)
{
    FcCounts *counts = counted->counts;
    gint module = fc_modules_find(counts->modules, address, time);
    gint site_module = fc_modules_find(counts->modules, site, time);
    guint32 function = fc_counts_get_function(counts, address, module, time);
    const FcCountedPair *pair = fc_counted_pair(counted, site, site_module, function);
    return (guint32)(pair - (FcCountedPair *)(gpointer)counted->pairs->data);
}

guint32 fc_counted_add(FcCounted *counted, guint32 pair, guint64 calls, gboolean deep)
{
    FcCountedPair *found = &g_array_index(counted->pairs, FcCountedPair, pair);
    found->calls += calls;
    if (deep)
        found->deep += calls;
    else
        fc_counted_begin(counted);
    return found->function;
}
