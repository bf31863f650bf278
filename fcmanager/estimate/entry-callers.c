/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See entry-work.h.  Calls that no call site counted were made by pointers, by code without
 * counters, or by a thread's or process's start.  They are divided between the callers as the
 * samples are, of a counted site at most as many as it made; the rest has no caller.  The calls of
 * an arc are divided between its contexts in the same way.  If there is none, a context is made
 * below the caller's most frequent one.
 */
#include "fcmanager/estimate/entry-work.h"

/* An arc of one function, with the weight of its edges. */
typedef struct
{
    guint32 arc;
    double weight;
    guint64 most; /* calls that it can have */
} Candidate;

typedef struct
{
    FcEntryWork *work;
    GArray *nodes;       /* guint32 by function: its most frequent context; 0: none */
    GArray *several;     /* guint8 by function: 1 if it has several contexts */
    GArray *waiting;     /* guint32 by function: an arc from it without context, + 1 */
    GArray *next_of_arc; /* guint32 by arc: the next one that waits, + 1 */
    GArray *queue;       /* guint32: functions that got their first context */
} Placing;

/* ---- Callers ----------------------------------------------------------------------- */

static const FcEntryEdge *edge_of(const FcEntryWork *work, guint32 edge)
{
    return &g_array_index(work->edges, FcEntryEdge, edge - 1);
}

static guint32 first_edge(const FcEntryWork *work, guint32 arc)
{
    return arc < work->first_edge->len ? g_array_index(work->first_edge, guint32, arc) : 0;
}

static void add_calls_to_arc(FcEntryWork *work, guint32 arc, guint64 calls)
{
    work->counts->arcs[arc].calls += calls;
    fc_counts_mark(&work->counts->apportioned_arcs, arc);
}

/* Divides calls between arcs.  Returns the number of those that none of them can have. */
static guint64 divide(FcEntryWork *work, GArray *candidates, guint64 calls)
{
    while (calls > 0 && candidates->len > 0)
    {
        double weight = 0;
        const guint64 before = calls;
        for (guint i = 0; i < candidates->len; i++)
            weight += g_array_index(candidates, Candidate, i).weight;
        for (guint i = candidates->len; i-- > 0;)
        {
            Candidate *candidate = &g_array_index(candidates, Candidate, i);
            const double part = (double)calls * (candidate->weight / weight) + 0.5;
            const guint64 some = MIN(i == 0 ? calls : MIN((guint64)part, calls), candidate->most);
            weight -= candidate->weight;
            candidate->most -= some;
            calls -= some;
            if (some > 0)
                add_calls_to_arc(work, candidate->arc, some);
            if (candidate->most == 0)
                g_array_remove_index(candidates, i);
        }
        if (calls == before)
            break;
    }
    return calls;
}

/* Lists the arcs that samples show and no call site counted, by callee. */
static GHashTable *list_candidates(const FcEntryWork *work)
{
    GHashTable *lists = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint32 arc = 0; arc < work->first_edge->len; arc++)
    {
        Candidate candidate = {.arc = arc, .most = G_MAXUINT64};
        if (first_edge(work, arc) == 0 || fc_counts_is_marked(work->exact_arcs, arc))
            continue;
        for (guint32 edge = first_edge(work, arc); edge != 0; edge = edge_of(work, edge)->next)
            candidate.weight += edge_of(work, edge)->weight;
        const guint64 *site = g_hash_table_lookup(work->open_sites, &work->counts->arcs[arc].site);
        if (site)
            candidate.most = *site;
        const gpointer key = GUINT_TO_POINTER(work->counts->arcs[arc].callee + 1);
        GArray *list = g_hash_table_lookup(lists, key);
        if (!list)
        {
            list = g_array_new(FALSE, FALSE, sizeof(Candidate));
            g_hash_table_insert(lists, key, list);
        }
        g_array_append_val(list, candidate);
    }
    return lists;
}

static void find_callers(FcEntryWork *work)
{
    FcCounts *counts = work->counts;
    g_autoptr(GHashTable) lists = list_candidates(work);
    for (guint32 function = 0; function < work->calls->len; function++)
    {
        GArray *candidates = g_hash_table_lookup(lists, GUINT_TO_POINTER(function + 1));
        const gboolean is_divided = candidates != NULL;
        guint64 left =
            *fc_entry_sum(work->calls, function) - *fc_entry_sum(work->explained, function);
        if (candidates)
            left = divide(work, candidates, left);
        if (left == 0)
            continue;
        const guint32 arc = fc_counts_get_arc(counts, 0, 0, FC_NONE, function);
        counts->arcs[arc].calls += left;
        if (first_edge(work, arc) == 0)
            fc_entry_see(work, arc, fc_counts_add_node(counts, 0, 0, FC_NONE, function), 0);
        if (is_divided)
            fc_counts_mark(&counts->apportioned_arcs, arc);
    }
}

/* ---- Contexts ---------------------------------------------------------------------- */

static void note_node(const Placing *placing, guint32 node, double weight, GArray *weights)
{
    const guint32 function = placing->work->counts->nodes[node].function;
    guint32 *best = fc_entry_number(placing->nodes, function);
    if (*best != 0 && *best != node)
        *fc_entry_number(placing->several, function) = 1;
    if (weights->len <= function)
        g_array_set_size(weights, function + 1);
    double *most = &g_array_index(weights, double, function);
    if (*best != 0 && weight <= *most)
        return;
    *best = node;
    *most = weight;
}

static void note_nodes(const Placing *placing)
{
    g_autoptr(GArray) weights = g_array_new(FALSE, TRUE, sizeof(double));
    for (guint32 i = 0; i < placing->work->edges->len; i++)
    {
        const FcEntryEdge *edge = &g_array_index(placing->work->edges, FcEntryEdge, i);
        note_node(placing, edge->node, edge->weight, weights);
    }
    for (guint32 function = 0; function < placing->nodes->len; function++)
        if (g_array_index(placing->nodes, guint32, function) != 0)
            g_array_append_val(placing->queue, function);
}

/* Returns the context to which an arc leads from `parent`.  `known`: one of the callee, which is
 * taken where there is no room for another one; 0: it has none. */
static guint32 make_node(FcCounts *counts, guint32 parent, const FcCountsArc *arc, guint32 known)
{
    const guint32 node = fc_counts_find_on_path(counts, parent, arc->callee);
    if (node != 0)
        return node;
    if (known == 0 || fc_counts_has_room(counts))
        return fc_counts_add_node(counts, parent, arc->site, arc->site_module, arc->callee);
    counts->contexts_folded++;
    return known;
}

/* Makes contexts for the arcs that wait for one of their callers, which may then have callees that
 * waited for them. */
static void place_queue(const Placing *placing)
{
    FcCounts *counts = placing->work->counts;
    for (guint32 i = 0; i < placing->queue->len; i++)
    {
        const guint32 function = g_array_index(placing->queue, guint32, i);
        guint32 *waiting = fc_entry_number(placing->waiting, function);
        guint32 at = *waiting;
        *waiting = 0;
        for (; at != 0; at = *fc_entry_number(placing->next_of_arc, at - 1))
        {
            const FcCountsArc arc = counts->arcs[at - 1];
            const guint32 parent = *fc_entry_number(placing->nodes, function);
            const guint32 node =
                make_node(counts, parent, &arc, *fc_entry_number(placing->nodes, arc.callee));
            fc_entry_see(placing->work, at - 1, node, 0);
            guint32 *known = fc_entry_number(placing->nodes, arc.callee);
            if (*known == 0)
            {
                *known = node;
                g_array_append_val(placing->queue, arc.callee);
            }
            else if (*known != node)
                *fc_entry_number(placing->several, arc.callee) = 1;
        }
    }
}

static void place_arcs(const Placing *placing)
{
    FcCounts *counts = placing->work->counts;
    for (guint32 arc = counts->arc_count; arc-- > 0;)
    {
        const guint32 caller = counts->arcs[arc].caller;
        if (counts->arcs[arc].calls == 0 || caller == 0 || first_edge(placing->work, arc) != 0 ||
            !fc_counts_is_marked(placing->work->exact_arcs, arc))
            continue;
        guint32 *first = fc_entry_number(placing->waiting, caller - 1);
        *fc_entry_number(placing->next_of_arc, arc) = *first;
        *first = arc + 1;
    }
    place_queue(placing);
    for (guint32 function = 0; function < placing->waiting->len; function++)
    {
        if (*fc_entry_number(placing->waiting, function) == 0)
            continue;
        /* only functions that were called from one another, and from nowhere */
        *fc_entry_number(placing->nodes, function) =
            fc_counts_add_node(counts, 0, 0, FC_NONE, function);
        g_array_append_val(placing->queue, function);
        place_queue(placing);
    }
}

static gboolean is_estimate(const Placing *placing, guint32 arc)
{
    const FcCounts *counts = placing->work->counts;
    const guint32 caller = counts->arcs[arc].caller;
    return fc_counts_is_marked(counts->apportioned_arcs, arc) ||
           edge_of(placing->work, first_edge(placing->work, arc))->next != 0 ||
           (caller != 0 && *fc_entry_number(placing->several, caller - 1) != 0);
}

/* Divides an arc's calls between its contexts as its samples are; the last one gets the rest. */
static void divide_arc(const Placing *placing, guint32 arc)
{
    FcEntryWork *work = placing->work;
    FcCounts *counts = work->counts;
    guint64 calls = counts->arcs[arc].calls;
    const gboolean is_marked = is_estimate(placing, arc);
    double left = 0;
    for (guint32 at = first_edge(work, arc); at != 0; at = edge_of(work, at)->next)
        left += edge_of(work, at)->weight;
    for (guint32 at = first_edge(work, arc); at != 0; at = edge_of(work, at)->next)
    {
        const FcEntryEdge *edge = edge_of(work, at);
        const double part = left > 0 ? (double)calls * (edge->weight / left) + 0.5 : 0;
        const guint64 some = edge->next == 0 ? calls : MIN((guint64)part, calls);
        counts->nodes[edge->node].calls += some;
        fc_counts_add_unrecorded(&counts->unrecorded, edge->node, some);
        if (is_marked)
            fc_counts_mark(&counts->apportioned_nodes, edge->node);
        calls -= some;
        left -= edge->weight;
    }
}

void fc_entry_callers_find(FcEntryWork *work)
{
    const Placing placing = {.work = work,
                             .nodes = g_array_new(FALSE, TRUE, sizeof(guint32)),
                             .several = g_array_new(FALSE, TRUE, sizeof(guint32)),
                             .waiting = g_array_new(FALSE, TRUE, sizeof(guint32)),
                             .next_of_arc = g_array_new(FALSE, TRUE, sizeof(guint32)),
                             .queue = g_array_new(FALSE, FALSE, sizeof(guint32))};
    find_callers(work);
    note_nodes(&placing);
    place_arcs(&placing);
    for (guint32 arc = 0; arc < work->first_edge->len; arc++)
        if (first_edge(work, arc) != 0 && work->counts->arcs[arc].calls > 0)
            divide_arc(&placing, arc);
    g_array_unref(placing.nodes);
    g_array_unref(placing.several);
    g_array_unref(placing.waiting);
    g_array_unref(placing.next_of_arc);
    g_array_unref(placing.queue);
}
