/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Apportions counted calls to contexts: see counted-settle.h.
 */
#include "fcmanager/estimate/counted-settle.h"

/* ---- Contexts --------------------------------------------------------------------- */

static guint32 hash_of_child(guint32 parent, const FcCountsNode *like)
{
    return fc_map_hash(parent, like->site, fc_counts_callee_key(like->site_module, like->function));
}

/* Of the child of `parent` with the same call site and function, or the empty one. */
static FcNodesSlot *slot_of_child(const FcSettle *settle, guint32 parent, const FcCountsNode *like)
{
    const FcCountsNode *nodes = settle->counts->nodes;
    const guint32 hash = hash_of_child(parent, like);
    FcNodesSlot *slot = fc_nodes_first(&settle->children, hash);
    while (slot->node != 0 &&
           (*fc_settle_link(settle->first_parent, slot->node) != parent ||
            nodes[slot->node].function != like->function || nodes[slot->node].site != like->site ||
            nodes[slot->node].site_module != like->site_module))
        slot = fc_nodes_next(&settle->children, slot, hash);
    return slot;
}

static void add_to_pair(FcSettle *settle, guint32 node)
{
    const FcCountsNode *own = &settle->counts->nodes[node];
    const FcMapSlot *pair = fc_map_find(&settle->counted->pair_map, own->site,
                                        (guint64)(gint64)own->site_module, own->function);
    if (!pair)
        return;
    guint32 *first = fc_settle_link(settle->first_of_pair, pair->value - 1);
    *fc_settle_link(settle->next_of_pair, node) = *first;
    *first = node;
}

/* Makes `node` known as a child of its parent. */
static void add_child(FcSettle *settle, guint32 node)
{
    const FcCountsNode *own = &settle->counts->nodes[node];
    FcNodesSlot *slot = slot_of_child(settle, own->parent, own);
    *fc_settle_link(settle->first_parent, node) = own->parent;
    if (slot->node == 0)
        fc_nodes_add(&settle->children, slot, hash_of_child(own->parent, own), node);
    fc_settle_link(settle->first_child, node);
    *fc_settle_link(settle->next_child, node) = *fc_settle_link(settle->first_child, own->parent);
    *fc_settle_link(settle->first_child, own->parent) = node;
    *fc_settle_link(settle->next_same, node) = settle->first_same[own->function];
    settle->first_same[own->function] = node;
    add_to_pair(settle, node);
    fc_settle_grow(settle->hidden_calls, node);
    fc_settle_grow(settle->spent, node);
    fc_settle_add_below(settle, node);
}

guint32 fc_settle_find_child(const FcSettle *settle, guint32 node, const FcCountedPair *pair)
{
    const FcCountsNode like = {
        .site = pair->site, .site_module = pair->site_module, .function = pair->function};
    return slot_of_child(settle, node, &like)->node;
}

guint32 fc_settle_child(FcSettle *settle, guint32 node, const FcCountedPair *pair)
{
    FcCounts *counts = settle->counts;
    guint32 known = fc_counts_find_on_path(counts, node, pair->function);
    if (known != 0)
        return known;
    known = fc_settle_find_child(settle, node, pair);
    if (known != 0)
        return known;
    if (fc_counts_has_room(counts))
        known = fc_counts_add_node(counts, node, pair->site, pair->site_module, pair->function);
    else
    {
        counts->contexts_folded++;
        const FcCountedPair folded = {
            .site = FC_FOLDED_SITE, .site_module = FC_NONE, .function = pair->function};
        known = fc_settle_find_child(settle, 0, &folded);
        if (known != 0)
            return known;
        known = fc_counts_add_node(counts, 0, FC_FOLDED_SITE, FC_NONE, pair->function);
    }
    add_child(settle, known);
    return known;
}

gboolean fc_settle_is_on_path(const FcCounts *counts, guint32 wanted, guint32 node)
{
    while (node != 0 && node != wanted)
        node = counts->nodes[node].parent;
    return node == wanted;
}

guint32 fc_settle_next_below(const FcSettle *settle, guint32 node, guint32 top, gboolean descend)
{
    guint32 child = descend ? *fc_settle_link(settle->first_child, node) : 0;
    if (child != 0)
        return child;
    while (node != top)
    {
        guint32 sibling = *fc_settle_link(settle->next_child, node);
        if (sibling != 0)
            return sibling;
        node = settle->counts->nodes[node].parent;
    }
    return 0;
}

/* ---- The order ---------------------------------------------------------------------- */

/* Calls of counted functions by others, to apportion those of a caller before its callees'. */
typedef struct
{
    guint32 callee;
    guint32 next; /* of the same caller, index + 1; 0: none */
} Edge;

typedef struct
{
    FcSettle *settle;
    GArray *edges;       /* Edge */
    guint32 *first_edge; /* by function */
    guint32 *waits_for;  /* by function: edges to it whose caller was not visited */
    GArray *queue;       /* guint32: functions */
    guint8 *visited;
} Order;

static void add_edge(Order *order, guint32 caller, guint32 callee)
{
    if (caller == 0 || caller - 1 == callee || !order->settle->is_counted[caller - 1])
        return;
    const Edge edge = {callee, order->first_edge[caller - 1]};
    g_array_append_val(order->edges, edge);
    order->first_edge[caller - 1] = order->edges->len;
    order->waits_for[callee]++;
}

static void add_edges(Order *order, const FcCountedPair *pair)
{
    const FcSettle *settle = order->settle;
    gboolean any = FALSE;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_settle_link(settle->next_arc, at - 1))
    {
        if (fc_settle_sure_calls(settle, at - 1) == 0)
            continue;
        any = TRUE;
        add_edge(order, settle->counts->arcs[at - 1].caller, pair->function);
    }
    if (!any)
        add_edge(order, fc_settle_likely_caller(settle, pair), pair->function);
}

static void visit(Order *order, guint32 function)
{
    order->visited[function] = 1;
    for (guint32 at = order->settle->first_pair[function]; at != 0;
         at = *fc_settle_link(order->settle->next_pair, at - 1))
        fc_settle_apportion(order->settle, at - 1);
    for (guint32 at = order->first_edge[function]; at != 0;)
    {
        const Edge *edge = &g_array_index(order->edges, Edge, at - 1);
        if (--order->waits_for[edge->callee] == 0 && !order->visited[edge->callee])
            g_array_append_val(order->queue, edge->callee);
        at = edge->next;
    }
}

/* Callers first; of functions that call each other in a circle the first that was met. */
static void apportion_all(FcSettle *settle)
{
    const guint32 count = settle->counts->function_count;
    const guint pairs = settle->counted->pairs->len;
    g_autofree guint32 *first_edge = g_new0(guint32, count);
    g_autofree guint32 *waits_for = g_new0(guint32, count);
    g_autofree guint8 *visited = g_new0(guint8, count);
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
    g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(guint32));
    Order order = {settle, edges, first_edge, waits_for, queue, visited};
    for (guint32 i = pairs; i-- > 0;)
    {
        const FcCountedPair *pair = &g_array_index(settle->counted->pairs, FcCountedPair, i);
        if (pair->calls > 0)
            add_edges(&order, pair);
    }
    for (guint32 i = 0; i < count; i++)
        if (waits_for[i] == 0)
            g_array_append_val(queue, i);
    for (guint32 next = 0, stuck = 0; next < count; next++)
    {
        while (next >= queue->len && (visited[stuck] || waits_for[stuck] == 0))
            stuck++;
        if (next >= queue->len)
        {
            waits_for[stuck] = 0;
            g_array_append_val(queue, stuck);
        }
        visit(&order, g_array_index(queue, guint32, next));
    }
}

/* ---- All of it ------------------------------------------------------------------------ */

static gint compare_functions(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcCounts *counts = data;
    const FcCountsFunction *one = &counts->functions[*(const guint32 *)a];
    const FcCountsFunction *other = &counts->functions[*(const guint32 *)b];
    if (one->module != other->module)
        return one->module < other->module ? -1 : 1;
    return one->address < other->address ? -1 : one->address > other->address;
}

static void note_pairs(FcSettle *settle)
{
    FcCounted *counted = settle->counted;
    FcCounts *counts = settle->counts;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        FcCountedPair *pair = fc_counted_pair(counted, arc->site, arc->site_module, arc->callee);
        *fc_settle_link(settle->next_arc, i) = pair->first_arc;
        pair->first_arc = i + 1;
        settle->functions[arc->callee].calls += arc->calls;
        if (i < counted->watched->len)
            settle->functions[arc->callee].windows +=
                g_array_index(counted->watched, FcCountedWatched, i).windows;
    }
    for (guint32 i = counted->samples->len; i-- > 0;)
    {
        FcCountedSample *sample = &g_array_index(counted->samples, FcCountedSample, i);
        const FcCountsArc *arc = &counts->arcs[sample->arc];
        FcCountedPair *pair = fc_counted_pair(counted, arc->site, arc->site_module, arc->callee);
        settle->functions[arc->callee].windows +=
            sample->timed.windows + sample->alone -
            MIN(sample->cut, sample->timed.windows + sample->alone);
        sample->next = pair->first_sample;
        pair->first_sample = i + 1;
        settle->is_counted[arc->callee] |=
            pair->deep < pair->calls ? FC_SETTLE_COUNTED : FC_SETTLE_DEEP;
    }
    for (guint32 i = counted->pairs->len; i-- > 0;)
    {
        const FcCountedPair *pair = &g_array_index(counted->pairs, FcCountedPair, i);
        settle->functions[pair->function].calls += pair->calls;
        *fc_settle_link(settle->next_pair, i) = settle->first_pair[pair->function];
        settle->first_pair[pair->function] = i + 1;
        if (pair->deep > 0)
            settle->is_counted[pair->function] |= FC_SETTLE_DEEP;
        if (pair->deep < pair->calls)
            settle->is_counted[pair->function] |= FC_SETTLE_COUNTED;
    }
}

static GArray *links_new(guint count)
{
    GArray *links = g_array_new(FALSE, TRUE, sizeof(guint32));
    g_array_set_size(links, count);
    return links;
}

static void begin(FcSettle *settle, FcCounted *counted, const FcCallCosts *costs)
{
    FcCounts *counts = counted->counts;
    const guint32 functions = counts->function_count;
    *settle = (FcSettle){.counted = counted, .counts = counts, .costs = costs};
    fc_nodes_init(&settle->children, counts->node_count);
    settle->first_parent = links_new(counts->node_count);
    settle->first_child = links_new(counts->node_count);
    settle->next_child = links_new(counts->node_count);
    settle->next_same = links_new(counts->node_count);
    settle->next_of_pair = links_new(counts->node_count);
    settle->first_of_pair = links_new(counted->pairs->len);
    settle->next_arc = links_new(counts->arc_count);
    settle->next_pair = links_new(counted->pairs->len);
    settle->arc_of_node = links_new(counts->node_count);
    settle->on_path = links_new(counts->node_count);
    settle->first_pair = g_new0(guint32, functions);
    settle->hidden_calls = g_array_new(FALSE, TRUE, sizeof(guint64));
    g_array_set_size(settle->hidden_calls, counts->node_count);
    settle->spent = g_array_new(FALSE, TRUE, sizeof(FcCountedSpent));
    g_array_set_size(settle->spent, counts->node_count);
    settle->callers = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    settle->shares = g_array_new(FALSE, TRUE, sizeof(FcCountedShare));
    fc_nodes_init(&settle->share_table, counts->node_count);
    settle->first_same = g_new0(guint32, functions);
    settle->is_counted = g_new0(guint8, functions);
    settle->by_address = g_new(guint32, functions);
    for (guint32 i = 0; i < functions; i++)
        settle->by_address[i] = i;
    settle->functions = g_new0(FcSettleFunction, functions + 1);
    g_qsort_with_data(settle->by_address, (gint)functions, sizeof *settle->by_address,
                      compare_functions, counts);
    note_pairs(settle);
    fc_settle_begin_below(settle);
    for (guint32 i = 1; i < counts->node_count; i++)
        add_child(settle, i);
}

static void end(FcSettle *settle)
{
    fc_nodes_clear(&settle->children);
    g_array_unref(settle->first_parent);
    g_array_unref(settle->first_child);
    g_array_unref(settle->next_child);
    g_array_unref(settle->next_same);
    g_array_unref(settle->next_of_pair);
    g_array_unref(settle->first_of_pair);
    g_array_unref(settle->next_arc);
    g_array_unref(settle->next_pair);
    g_array_unref(settle->arc_of_node);
    g_array_unref(settle->on_path);
    g_free(settle->first_pair);
    g_array_unref(settle->hidden_calls);
    g_array_unref(settle->spent);
    g_hash_table_unref(settle->callers);
    g_free(settle->first_same);
    g_free(settle->is_counted);
    g_free(settle->by_address);
    g_free(settle->functions);
    fc_settle_forget_below(settle);
}

/* All of them before calls move: who calls what doesn't change by that. */
static void find_likely_callers(FcSettle *settle)
{
    const guint pairs = settle->counted->pairs->len;
    settle->likely = links_new(pairs);
    for (guint i = 0; i < pairs; i++)
        fc_settle_likely_caller(settle, &g_array_index(settle->counted->pairs, FcCountedPair, i));
}

void fc_counted_settle(FcCounted *counted, guint64 outside, const FcCallCosts *costs)
{
    FcSettle settle;
    if (!counted->begun && counted->pairs->len == 0)
        return;
    fc_counted_begin(counted);
    fc_counted_forget_samples_map(counted);
    begin(&settle, counted, costs);
    apportion_all(&settle);
    fc_nodes_clear(&settle.share_table);
    fc_settle_times(&settle, outside);
    fc_settle_recursion(&settle);
    g_clear_pointer(&settle.shares, g_array_unref);
    find_likely_callers(&settle);
    fc_settle_move(&settle);
    g_clear_pointer(&settle.likely, g_array_unref);
    fc_settle_bound_totals(&settle);
    end(&settle);
}
