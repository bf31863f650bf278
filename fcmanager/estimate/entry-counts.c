/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See entry-counts.h.
 */
#include "fcmanager/estimate/entry-counts.h"

/* How often a context or arc was on the sampled stacks; a recursive one counts several times.
 * Calls are divided by these numbers.  `next` is another one of the same function, + 1; 0: none. */
typedef struct
{
    double weight;
    guint32 next;
} Seen;

typedef struct
{
    FcCounts *counts;
    FcEntries *entries;
    GArray *nodes;          /* Seen */
    GArray *arcs;           /* Seen */
    GHashTable *first_node; /* function + 1 -> its first sampled node, + 1 */
    GHashTable *first_arc;
} Adding;

/* ---- Samples ----------------------------------------------------------------------- */

/* What one sample's time was added to already.  Each gets it once, even in a recursion. */
typedef struct
{
    guint32 nodes[FC_PC_DEPTH_MAX];
    guint32 arcs[FC_PC_DEPTH_MAX];
    guint32 functions[FC_PC_DEPTH_MAX];
    guint count;
} Path;

static gboolean is_in(const guint32 *list, guint count, guint32 value)
{
    for (guint i = 0; i < count; i++)
        if (list[i] == value)
            return TRUE;
    return FALSE;
}

static void see(GArray *all, GHashTable *firsts, guint32 index, guint32 function, double weight)
{
    const gpointer key = GUINT_TO_POINTER(function + 1);
    if (all->len <= index)
        g_array_set_size(all, index + 1);
    Seen *seen = &g_array_index(all, Seen, index);
    if (seen->weight == 0)
    {
        seen->next = GPOINTER_TO_UINT(g_hash_table_lookup(firsts, key));
        g_hash_table_insert(firsts, key, GUINT_TO_POINTER(index + 1));
    }
    seen->weight += weight;
}

static void add_to_path(const Adding *adding, Path *path, const FcMapSlot *slot,
                        const FcPcStack *stack, double ticks)
{
    FcCounts *counts = adding->counts;
    const guint64 time = (guint64)(stack->ns * ticks);
    const guint32 node = slot->value;
    const guint32 arc = slot->extra;
    const guint32 function = counts->nodes[node].function;
    see(adding->nodes, adding->first_node, node, function, stack->ns);
    see(adding->arcs, adding->first_arc, arc, function, stack->ns);
    if (!is_in(path->nodes, path->count, node))
        counts->nodes[node].total += time;
    if (!is_in(path->arcs, path->count, arc))
        counts->arcs[arc].total += time;
    if (!is_in(path->functions, path->count, function))
    {
        counts->functions[function].total += time;
        counts->functions[function].total_variance += stack->variance * ticks * ticks;
    }
    path->nodes[path->count] = node;
    path->arcs[path->count] = arc;
    path->functions[path->count++] = function;
}

/* Adds a sample's time to the functions on the stack whose entries are counted, outermost first.
 * Time in other functions is that of their callers. */
static void add_stack(const Adding *adding, const FcPcStack *stack, double ticks)
{
    FcCounts *counts = adding->counts;
    Path path = {.count = 0};
    guint32 node = 0;
    for (guint i = stack->count; i-- > 0;)
    {
        const FcEntryFunction *part = fc_entries_find(adding->entries, stack->places[i]);
        if (!part)
            continue;
        const FcEntryFunction *function = fc_entries_get(adding->entries, part->entry);
        const guint64 site = i + 1 < stack->count ? stack->places[i + 1] + 1 : 0;
        const FcMapSlot *slot = fc_counts_edge(counts, node, site, function->code, function->since);
        node = slot->value;
        add_to_path(adding, &path, slot, stack, ticks);
    }
    if (node == 0)
        return;
    counts->nodes[node].local += (guint64)(stack->ns * ticks);
    counts->functions[counts->nodes[node].function].local_variance +=
        stack->variance * ticks * ticks;
}

/* ---- Calls ------------------------------------------------------------------------- */

/* Divides calls as the samples are divided; the last one gets the rest.  FALSE: there are no
 * samples. */
static gboolean divide_calls(const Adding *adding, guint32 function, guint64 calls,
                             gboolean is_arcs)
{
    FcCounts *counts = adding->counts;
    const GArray *all = is_arcs ? adding->arcs : adding->nodes;
    const guint32 first = GPOINTER_TO_UINT(g_hash_table_lookup(
        is_arcs ? adding->first_arc : adding->first_node, GUINT_TO_POINTER(function + 1)));
    double left = 0;
    for (guint32 at = first; at != 0; at = g_array_index(all, Seen, at - 1).next)
        left += g_array_index(all, Seen, at - 1).weight;
    for (guint32 at = first; at != 0; at = g_array_index(all, Seen, at - 1).next)
    {
        const Seen *seen = &g_array_index(all, Seen, at - 1);
        const double part = (double)calls * (seen->weight / left);
        const guint64 some = seen->next == 0 ? calls : MIN((guint64)(part + 0.5), calls);
        if (is_arcs)
            counts->arcs[at - 1].calls += some;
        else
        {
            counts->nodes[at - 1].calls += some;
            fc_counts_add_unrecorded(&counts->unrecorded, at - 1, some);
        }
        fc_counts_mark(is_arcs ? &counts->apportioned_arcs : &counts->apportioned_nodes, at - 1);
        calls -= some;
        left -= seen->weight;
    }
    return first != 0;
}

static void add_function(const Adding *adding, const FcEntryFunction *function, guint64 calls)
{
    FcCounts *counts = adding->counts;
    const gint module = fc_modules_find(counts->modules, function->code, function->since);
    const guint32 number = fc_counts_get_function(counts, function->code, module, function->since);
    counts->functions[number].counted += calls;
    counts->functions[number].is_after_inlining = TRUE;
    if (divide_calls(adding, number, calls, FALSE))
    {
        divide_calls(adding, number, calls, TRUE);
        return;
    }
    /* The caller is not known. */
    const FcMapSlot *slot = fc_counts_edge(counts, 0, 0, function->code, function->since);
    counts->arcs[slot->extra].calls += calls;
    counts->nodes[slot->value].calls += calls;
    fc_counts_add_unrecorded(&counts->unrecorded, slot->value, calls);
}

static void add_counters(const Adding *adding, const FcEntryCounters *counters)
{
    guint32 count;
    const guint32 first = fc_entries_counters(adding->entries, counters->module, counters->address,
                                              counters->address + counters->bytes, &count);
    for (guint32 i = first; i < first + count; i++)
    {
        const FcEntryFunction *function = fc_entries_by_counter(adding->entries, i);
        const guint64 offset = function->counter - counters->address;
        if (offset % sizeof(guint64) != 0)
            continue; /* fcas makes no such counter. */
        const guint64 calls = __atomic_load_n(
            (const guint64 *)(const void *)(counters->counters + offset), __ATOMIC_RELAXED);
        if (calls != 0)
            add_function(adding, function, calls);
    }
}

void fc_entry_counts_add(FcCounts *counts, FcEntries *entries, const GArray *counters,
                         const FcPcSamples *seen, double ticks)
{
    const Adding adding = {counts,
                           entries,
                           g_array_new(FALSE, TRUE, sizeof(Seen)),
                           g_array_new(FALSE, TRUE, sizeof(Seen)),
                           g_hash_table_new(NULL, NULL),
                           g_hash_table_new(NULL, NULL)};
    for (guint i = 0; seen && i < seen->stacks->len; i++)
        add_stack(&adding, g_ptr_array_index(seen->stacks, i), ticks);
    counts->executed += seen ? seen->samples : 0;
    for (guint i = 0; i < counters->len; i++)
        add_counters(&adding, &g_array_index(counters, FcEntryCounters, i));
    g_array_unref(adding.nodes);
    g_array_unref(adding.arcs);
    g_hash_table_unref(adding.first_node);
    g_hash_table_unref(adding.first_arc);
}
