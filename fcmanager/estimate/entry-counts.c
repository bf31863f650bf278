/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See entry-counts.h.  First come the counters: calls of functions, and of call sites, which tell
 * the arcs.  Then come the samples, and then what is left is divided.
 */
#include "fcmanager/estimate/entry-counts.h"

#include "fcmanager/estimate/entry-work.h"

guint32 *fc_entry_number(GArray *array, guint32 index)
{
    if (array->len <= index)
        g_array_set_size(array, index + 1);
    return &g_array_index(array, guint32, index);
}

guint64 *fc_entry_sum(GArray *array, guint32 index)
{
    if (array->len <= index)
        g_array_set_size(array, index + 1);
    return &g_array_index(array, guint64, index);
}

guint32 fc_entry_function(const FcEntryWork *work, const FcEntryFunction *function)
{
    const gint module = fc_modules_find(work->counts->modules, function->code, function->since);
    return fc_counts_get_function(work->counts, function->code, module, function->since);
}

const FcEntryFunction *fc_entry_target(const FcEntryWork *work, const FcEntrySite *site)
{
    const FcEntryFunction *found =
        site->target != 0 ? fc_entries_find_for(work->entries, site->target, site->module) : NULL;
    return found && found->code == site->target && !found->is_part ? found : NULL;
}

void fc_entry_see(FcEntryWork *work, guint32 arc, guint32 node, double weight)
{
    const gint64 key = (gint64)((guint64)arc << 32 | node);
    guint32 edge = GPOINTER_TO_UINT(g_hash_table_lookup(work->edge_of, &key));
    if (edge == 0)
    {
        guint32 *first = fc_entry_number(work->first_edge, arc);
        const FcEntryEdge fresh = {.arc = arc, .node = node, .next = *first};
        g_array_append_val(work->edges, fresh);
        edge = *first = work->edges->len;
        g_hash_table_insert(work->edge_of, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(edge));
    }
    g_array_index(work->edges, FcEntryEdge, edge - 1).weight += weight;
}

/* ---- Counters ---------------------------------------------------------------------- */

/* The counter at an address of the module; 0 also if it is at no place for a counter. */
static guint64 read_counter(const FcEntryCounters *counters, guint64 address)
{
    const guint64 offset = address - counters->address;
    if (offset % sizeof(guint64) != 0)
        return 0;
    return __atomic_load_n((const guint64 *)(const void *)(counters->counters + offset),
                           __ATOMIC_RELAXED);
}

static void add_functions(const FcEntryWork *work, const FcEntryCounters *counters)
{
    guint32 count;
    const guint32 first = fc_entries_counters(work->entries, counters->module, counters->address,
                                              counters->address + counters->bytes, &count);
    for (guint32 i = first; i < first + count; i++)
    {
        const FcEntryFunction *function = fc_entries_by_counter(work->entries, i);
        const guint64 calls = read_counter(counters, function->counter);
        if (calls == 0)
            continue;
        const guint32 number = fc_entry_function(work, function);
        work->counts->functions[number].counted += calls;
        work->counts->functions[number].is_after_inlining = TRUE;
        *fc_entry_sum(work->calls, number) += calls;
    }
}

static void add_site(FcEntryWork *work, const FcEntrySite *site, guint64 calls)
{
    FcCounts *counts = work->counts;
    const FcEntryFunction *part = fc_entries_find_for(work->entries, site->code, site->module);
    const FcEntryFunction *callee = fc_entry_target(work, site);
    if (!part || !callee)
    {
        guint64 *open = g_hash_table_lookup(work->open_sites, &site->end);
        if (open)
            *open += calls;
        else
            g_hash_table_insert(work->open_sites, g_memdup2(&site->end, sizeof site->end),
                                g_memdup2(&calls, sizeof calls));
        return;
    }
    const guint32 caller = fc_entry_function(work, fc_entries_get(work->entries, part->entry));
    const guint32 number = fc_entry_function(work, callee);
    const gint module = fc_modules_find(counts->modules, site->end, site->since);
    const guint32 arc = fc_counts_get_arc(counts, caller + 1, site->end, module, number);
    counts->arcs[arc].calls += calls;
    *fc_entry_sum(work->explained, number) += calls;
    fc_counts_mark(&work->exact_arcs, arc);
    if (!site->is_jump)
        return;
    guint32 *first = fc_entry_number(work->first_tail, caller);
    guint32 *first_into = fc_entry_number(work->first_into, number);
    const FcEntryTail tail = {.from = fc_entries_get(work->entries, part->entry),
                              .to = callee,
                              .caller = caller,
                              .callee = number,
                              .next = *first,
                              .next_into = *first_into,
                              .end = site->end};
    g_array_append_val(work->tails, tail);
    *first = *first_into = work->tails->len;
}

static void add_sites(FcEntryWork *work, const FcEntryCounters *counters)
{
    guint32 count;
    const guint32 first =
        fc_entries_site_counters(work->entries, counters->module, counters->address,
                                 counters->address + counters->bytes, &count);
    for (guint32 i = first; i < first + count; i++)
    {
        const FcEntrySite *site = fc_entries_site_by_counter(work->entries, i);
        const guint64 calls = read_counter(counters, site->counter);
        if (calls != 0)
            add_site(work, site, calls);
    }
}

/* A thread that was killed may have counted a call at its site and not yet at the function.  Such
 * calls go from the arcs. */
static void take_unmade_calls(FcEntryWork *work)
{
    FcCounts *counts = work->counts;
    for (guint32 arc = 0; arc < counts->arc_count; arc++)
    {
        const guint32 callee = counts->arcs[arc].callee;
        if (!fc_counts_is_marked(work->exact_arcs, arc))
            continue;
        const guint64 made = *fc_entry_sum(work->calls, callee);
        guint64 *explained = fc_entry_sum(work->explained, callee);
        if (*explained <= made)
            continue;
        const guint64 unmade = MIN(*explained - made, counts->arcs[arc].calls);
        counts->arcs[arc].calls -= unmade;
        *explained -= unmade;
    }
}

void fc_entry_counts_add(FcCounts *counts, FcEntries *entries, const GArray *counters,
                         const FcPcSamples *seen, double ticks)
{
    FcEntryWork work = {.counts = counts,
                        .entries = entries,
                        .ticks = ticks,
                        .edges = g_array_new(FALSE, TRUE, sizeof(FcEntryEdge)),
                        .edge_of = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
                        .first_edge = g_array_new(FALSE, TRUE, sizeof(guint32)),
                        .tails = g_array_new(FALSE, TRUE, sizeof(FcEntryTail)),
                        .first_tail = g_array_new(FALSE, TRUE, sizeof(guint32)),
                        .first_into = g_array_new(FALSE, TRUE, sizeof(guint32)),
                        .calls = g_array_new(FALSE, TRUE, sizeof(guint64)),
                        .explained = g_array_new(FALSE, TRUE, sizeof(guint64)),
                        .open_sites =
                            g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free)};
    for (guint i = 0; i < counters->len; i++)
        add_functions(&work, &g_array_index(counters, FcEntryCounters, i));
    for (guint i = 0; i < counters->len; i++)
        add_sites(&work, &g_array_index(counters, FcEntryCounters, i));
    take_unmade_calls(&work);
    if (seen)
        fc_entry_samples_add(&work, seen);
    fc_entry_callers_find(&work);
    g_array_unref(work.edges);
    g_array_unref(work.first_edge);
    g_array_unref(work.tails);
    g_array_unref(work.first_tail);
    g_array_unref(work.first_into);
    g_array_unref(work.calls);
    g_array_unref(work.explained);
    if (work.exact_arcs)
        g_array_unref(work.exact_arcs);
    g_hash_table_unref(work.edge_of);
    g_hash_table_unref(work.open_sites);
}
