/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which contexts of a function are below another context with none but counted functions between
 * them: asked for each batch of counted calls and for each context that may move, and so not
 * looked for in the tree, which has tens of thousands of contexts.  See counted-settle.h.
 *
 * Contexts are found by their top, which is the nearest above them that is not of a counted
 * function, and their own function; those that are below that top, but not below the other context,
 * are left out: which these are is known by the order of the tree for contexts that there were at
 * the beginning, by a walk up for those that were made since.  That a context moves changes no top,
 * as it stays below the same recorded frame, and takes it from below no context, but brings it
 * below others; but where contexts are made for it, these may be elsewhere (one on which others
 * were folded). So nothing is asked from then on.
 */
#include "fcmanager/counted-settle.h"

static guint32 top_of(const FcSettle *settle, guint32 node)
{
    return g_array_index(settle->below.top, guint32, node);
}

static guint32 hash_of(guint32 top, guint32 function)
{
    return fc_map_hash(top, function, 0);
}

/* The slot of the newest context of that function with that top, or the empty one. */
static FcNodesSlot *slot_of(const FcSettle *settle, guint32 top, guint32 function)
{
    const guint32 hash = hash_of(top, function);
    FcNodesSlot *slot = fc_nodes_first(&settle->below.newest, hash);
    while (slot->node != 0 && (top_of(settle, slot->node) != top ||
                               settle->counts->nodes[slot->node].function != function))
        slot = fc_nodes_next(&settle->below.newest, slot, hash);
    return slot;
}

/* Numbers the contexts that there are in the order of the tree: those below one follow it. */
static void number_nodes(FcSettle *settle)
{
    FcSettleBelow *below = &settle->below;
    const FcCountsNode *nodes = settle->counts->nodes;
    const guint32 count = settle->counts->node_count;
    g_array_set_size(below->place, count);
    g_array_set_size(below->end, count);
    guint32 *place = &g_array_index(below->place, guint32, 0);
    guint32 *end =
        &g_array_index(below->end, guint32, 0); /* how many at first, then the next one's */
    g_autofree guint32 *next = g_new(guint32, count);
    for (guint32 i = count; i-- > 0;)
    {
        end[i]++;
        if (i > 0)
            end[nodes[i].parent] += end[i];
    }
    for (guint32 i = 0; i < count; i++)
    {
        place[i] = i > 0 ? next[nodes[i].parent] : 0;
        next[i] = place[i] + 1;
        if (i > 0)
            next[nodes[i].parent] += end[i];
        end[i] += place[i];
    }
}

void fc_settle_begin_below(FcSettle *settle)
{
    const guint32 nodes = settle->counts->node_count;
    GArray **arrays[] = {&settle->below.top,   &settle->below.older, &settle->below.parent,
                         &settle->below.place, &settle->below.end,   &settle->below.ranks};
    for (guint i = 0; i < G_N_ELEMENTS(arrays); i++)
        *arrays[i] = g_array_sized_new(FALSE, TRUE, sizeof(guint32), nodes);
    settle->below.ranked = g_array_new(FALSE, FALSE, sizeof(guint32));
    fc_nodes_init(&settle->below.newest, 0);
    number_nodes(settle);
}

void fc_settle_add_below(FcSettle *settle, guint32 node)
{
    FcSettleBelow *below = &settle->below;
    const FcCountsNode *own = &settle->counts->nodes[node];
    if (!below->top)
        return;
    const gboolean is_parent_top =
        own->parent == 0 || !settle->is_counted[settle->counts->nodes[own->parent].function];
    const guint32 top = is_parent_top ? own->parent : top_of(settle, own->parent);
    *fc_settle_link(below->top, node) = top;
    *fc_settle_link(below->parent, node) = own->parent;
    const guint32 place = g_array_index(below->place, guint32, own->parent);
    if (node >= below->end->len) /* below the same as its parent, and nothing is below it */
        *fc_settle_link(below->place, node) = place;
    FcNodesSlot *slot = slot_of(settle, top, own->function);
    *fc_settle_link(below->older, node) = slot->node;
    if (slot->node != 0)
        slot->node = node;
    else
        fc_nodes_add(&below->newest, slot, hash_of(top, own->function), node);
}

void fc_settle_move_below(FcSettle *settle, guint32 node, guint32 parent)
{
    if (settle->below.parent)
        *fc_settle_link(settle->below.parent, node) = parent;
}

/* Whether `at` was below `node` when the contexts were numbered, or its parent when it was made. */
static gboolean was_below(const FcSettleBelow *below, guint32 node, guint32 at)
{
    const guint32 place = g_array_index(below->place, guint32, at);
    return node < below->end->len && place >= g_array_index(below->place, guint32, node) &&
           place < g_array_index(below->end, guint32, node);
}

/* Whether it is, before any context has moved: parents stand before their children. */
static gboolean is_made_below(const FcSettleBelow *below, guint32 node, guint32 at)
{
    while (at > node)
        at = g_array_index(below->parent, guint32, at);
    return at == node;
}

void fc_settle_find_below(const FcSettle *settle, guint32 node, guint32 function, GArray *found)
{
    const FcSettleBelow *below = &settle->below;
    const gboolean is_top = node == 0 || !settle->is_counted[settle->counts->nodes[node].function];
    const gboolean is_numbered = node < below->end->len;
    const guint32 top = is_top ? node : top_of(settle, node);
    for (guint32 at = slot_of(settle, top, function)->node; at > node;
         at = g_array_index(below->older, guint32, at))
        if (is_top || (is_numbered ? was_below(below, node, at) : is_made_below(below, node, at)))
            g_array_append_val(found, at);
}

/* Whether `at`, which has the top `top`, as has `node`, or is that, is below `node` now. */
static gboolean is_below(const FcSettleBelow *below, guint32 node, guint32 top, guint32 at)
{
    if (node == top || was_below(below, node, at))
        return TRUE;
    do
        at = g_array_index(below->parent, guint32, at);
    while (at != node && at != top);
    return at == node;
}

static gint compare_calls(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcCountsNode *nodes = data;
    const guint32 one = *(const guint32 *)a;
    const guint32 other = *(const guint32 *)b;
    if (nodes[one].calls != nodes[other].calls)
        return nodes[one].calls > nodes[other].calls ? -1 : 1;
    return one > other ? -1 : one < other;
}

/* Where the contexts of one top and function, of which `newest` is the newest, begin in
 * below.ranked, by their calls: the first time they are put there, with 0 behind them. */
static guint32 rank(FcSettle *settle, guint32 newest)
{
    FcSettleBelow *below = &settle->below;
    guint32 *first = fc_settle_link(below->ranks, newest);
    if (*first != 0)
        return *first - 1;
    const guint32 start = below->ranked->len;
    *first = start + 1;
    for (guint32 at = newest; at != 0; at = g_array_index(below->older, guint32, at))
        g_array_append_val(below->ranked, at);
    g_qsort_with_data(&g_array_index(below->ranked, guint32, start),
                      (gint)(below->ranked->len - start), sizeof(guint32), compare_calls,
                      settle->counts->nodes);
    const guint32 end = 0;
    g_array_append_val(below->ranked, end);
    return start;
}

guint32 fc_settle_best_below(FcSettle *settle, guint32 node, guint32 function, guint32 moves)
{
    const FcCounts *counts = settle->counts;
    const gboolean is_top = node == 0 || !settle->is_counted[counts->nodes[node].function];
    const guint32 top = is_top ? node : top_of(settle, node);
    const guint32 newest = slot_of(settle, top, function)->node;
    if (newest == 0)
        return 0;
    for (guint32 i = rank(settle, newest);; i++)
    {
        const guint32 at = g_array_index(settle->below.ranked, guint32, i);
        if (at == 0 || (at != node && is_below(&settle->below, node, top, at) &&
                        !fc_settle_is_on_path(counts, moves, at)))
            return at;
    }
}

void fc_settle_forget_below(FcSettle *settle)
{
    FcSettleBelow *below = &settle->below;
    g_clear_pointer(&below->top, g_array_unref);
    g_clear_pointer(&below->older, g_array_unref);
    g_clear_pointer(&below->parent, g_array_unref);
    g_clear_pointer(&below->place, g_array_unref);
    g_clear_pointer(&below->end, g_array_unref);
    g_clear_pointer(&below->ranks, g_array_unref);
    g_clear_pointer(&below->ranked, g_array_unref);
    fc_nodes_clear(&below->newest);
}
