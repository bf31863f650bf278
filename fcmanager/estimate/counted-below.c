/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which contexts of a function are below another context with none but counted functions between
 * them: asked for each batch of counted calls and for each context that may move, and so not
 * looked for in the tree, which has tens of thousands of contexts.  See counted-settle.h.
 *
 * Contexts are found by their top, which is the nearest above them that is not of a counted
 * function, and their own function; those that are below that top, but not below the other context,
 * are left out: which these are is known by the order of the tree for contexts that there were when
 * that was numbered, by a walk up for those that were made since.  Before contexts move the tree is
 * numbered again, and they move by where the others were then.
 */
#include "fcmanager/estimate/counted-settle.h"

#include <string.h>

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
    memset(end, 0, count * sizeof *end);
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
    GArray **arrays[] = {&settle->below.top, &settle->below.older, &settle->below.place,
                         &settle->below.end};
    for (guint i = 0; i < G_N_ELEMENTS(arrays); i++)
        *arrays[i] = g_array_sized_new(FALSE, TRUE, sizeof(guint32), nodes);
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

/* Whether `at` was below `node` when the contexts were numbered, or its parent when it was made. */
static gboolean was_below(const FcSettleBelow *below, guint32 node, guint32 at)
{
    const guint32 place = g_array_index(below->place, guint32, at);
    return node < below->end->len && place >= g_array_index(below->place, guint32, node) &&
           place < g_array_index(below->end, guint32, node);
}

/* Whether it is, before any context has moved: parents stand before their children. */
static gboolean is_made_below(const FcCounts *counts, guint32 node, guint32 at)
{
    while (at > node)
        at = counts->nodes[at].parent;
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
        if (is_top ||
            (is_numbered ? was_below(below, node, at) : is_made_below(settle->counts, node, at)))
            g_array_append_val(found, at);
}

/* ---- The one with most calls ------------------------------------------------------------- */

/* The contexts of one top and function are a group, whose members stand in below.ranked in the
 * order of the tree.  Above them is a tree of tournaments: entry k of below.best, counted from
 * twice where the group begins, is the better one of 2k and 2k + 1, and those of the members are
 * behind the others. */

static guint32 better(const FcCountsNode *nodes, guint32 one, guint32 other)
{
    if (one == 0 || other == 0)
        return MAX(one, other);
    if (nodes[one].calls != nodes[other].calls)
        return nodes[one].calls > nodes[other].calls ? one : other;
    return MAX(one, other);
}

/* By context: the newest of its group.  Older ones have the newest's number by way of those that
 * are newer still, which come first here. */
static guint32 *find_groups(FcSettle *settle)
{
    const guint32 count = settle->counts->node_count;
    guint32 *group = g_new0(guint32, count);
    for (guint32 i = count; i-- > 1;)
    {
        const guint32 older = g_array_index(settle->below.older, guint32, i);
        group[i] = group[i] != 0 ? group[i] : i;
        if (older != 0)
            group[older] = group[i];
    }
    return group;
}

void fc_settle_rank_below(FcSettle *settle)
{
    FcSettleBelow *below = &settle->below;
    const guint32 count = settle->counts->node_count;
    const FcCountsNode *nodes = settle->counts->nodes;
    number_nodes(settle);
    g_autofree guint32 *group = find_groups(settle);
    g_autofree guint32 *in_order = g_new0(guint32, count);
    below->sizes = g_new0(guint32, count);
    below->starts = g_new0(guint32, count);
    below->ranked = g_new0(guint32, count);
    below->best = g_new0(guint32, 2 * (gsize)count);
    for (guint32 i = 1; i < count; i++)
    {
        in_order[g_array_index(below->place, guint32, i)] = i;
        below->sizes[group[i]]++;
    }
    for (guint32 i = 1, start = 0; i < count; i++)
    {
        below->starts[i] = start;
        start += below->sizes[i];
        below->sizes[i] = 0;
    }
    for (guint32 i = 1; i < count; i++)
    {
        const guint32 newest = group[in_order[i]];
        below->ranked[below->starts[newest] + below->sizes[newest]++] = in_order[i];
    }
    for (guint32 i = 1; i < count; i++)
    {
        const guint32 size = below->sizes[i];
        guint32 *best = &below->best[2 * (gsize)below->starts[i]];
        for (guint32 k = 0; k < size; k++)
            best[size + k] = below->ranked[below->starts[i] + k];
        for (guint32 k = size; k-- > 1;)
            best[k] = better(nodes, best[2 * k], best[2 * k + 1]);
    }
}

/* How many of the group's members stand before `place` in the order of the tree. */
static guint32 members_before(const FcSettleBelow *below, guint32 newest, guint32 place)
{
    guint32 from = 0;
    guint32 to = below->sizes[newest];
    while (from < to)
    {
        const guint32 middle = (from + to) / 2;
        const guint32 member = below->ranked[below->starts[newest] + middle];
        if (g_array_index(below->place, guint32, member) < place)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* That of the group's members which has most calls of those from `place` up to before `end`. */
static guint32 best_within(const FcSettle *settle, guint32 newest, guint32 place, guint32 end)
{
    const FcSettleBelow *below = &settle->below;
    const guint32 *best = &below->best[2 * (gsize)below->starts[newest]];
    const FcCountsNode *nodes = settle->counts->nodes;
    guint32 from = members_before(below, newest, place) + below->sizes[newest];
    guint32 to = members_before(below, newest, MAX(place, end)) + below->sizes[newest];
    guint32 found = 0;
    for (; from < to; from /= 2, to /= 2)
    {
        if (from % 2 == 1)
            found = better(nodes, found, best[from++]);
        if (to % 2 == 1)
            found = better(nodes, found, best[--to]);
    }
    return found;
}

guint32 fc_settle_best_below(const FcSettle *settle, guint32 node, guint32 function, guint32 moves)
{
    const FcCounts *counts = settle->counts;
    const FcSettleBelow *below = &settle->below;
    const gboolean is_top = node == 0 || !settle->is_counted[counts->nodes[node].function];
    const guint32 newest = slot_of(settle, is_top ? node : top_of(settle, node), function)->node;
    if (newest == 0)
        return 0;
    const guint32 place = g_array_index(below->place, guint32, node) + 1;
    const guint32 end = g_array_index(below->end, guint32, node);
    const guint32 own = CLAMP(g_array_index(below->place, guint32, moves), place, end);
    const guint32 own_end = CLAMP(g_array_index(below->end, guint32, moves), place, end);
    const guint32 found = better(counts->nodes, best_within(settle, newest, place, own),
                                 best_within(settle, newest, own_end, end));
    /* what moved before may be below it by now */
    return found != 0 && !fc_settle_is_on_path(counts, moves, found) ? found : 0;
}

void fc_settle_forget_below(FcSettle *settle)
{
    FcSettleBelow *below = &settle->below;
    g_clear_pointer(&below->top, g_array_unref);
    g_clear_pointer(&below->older, g_array_unref);
    g_clear_pointer(&below->place, g_array_unref);
    g_clear_pointer(&below->end, g_array_unref);
    g_clear_pointer(&below->sizes, g_free);
    g_clear_pointer(&below->starts, g_free);
    g_clear_pointer(&below->ranked, g_free);
    g_clear_pointer(&below->best, g_free);
    fc_nodes_clear(&below->newest);
}
