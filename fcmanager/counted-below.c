/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which contexts of a function are below another context with none but counted functions between
 * them: asked for each batch of counted calls and for each context that may move, and so not
 * looked for in the tree, which has tens of thousands of contexts.  See counted-settle.h.
 *
 * Contexts are found by their top, which is the nearest above them that is not of a counted
 * function, and their own function; those that are below that top, but not below the other context,
 * are left out.  That a context moves changes no top, as it stays below the same recorded frame;
 * but where contexts are made for it, these may be elsewhere (one on which others were folded).
 * So nothing is asked from then on.
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

void fc_settle_begin_below(FcSettle *settle)
{
    const guint32 nodes = settle->counts->node_count;
    settle->below.top = g_array_sized_new(FALSE, TRUE, sizeof(guint32), nodes);
    settle->below.older = g_array_sized_new(FALSE, TRUE, sizeof(guint32), nodes);
    fc_nodes_init(&settle->below.newest, 0);
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
    FcNodesSlot *slot = slot_of(settle, top, own->function);
    *fc_settle_link(below->older, node) = slot->node;
    if (slot->node != 0)
        slot->node = node;
    else
        fc_nodes_add(&below->newest, slot, hash_of(top, own->function), node);
}

void fc_settle_find_below(const FcSettle *settle, guint32 node, guint32 function, GArray *found)
{
    const FcCountsNode *nodes = settle->counts->nodes;
    const gboolean is_top = node == 0 || !settle->is_counted[nodes[node].function];
    const guint32 top = is_top ? node : top_of(settle, node);
    for (guint32 at = slot_of(settle, top, function)->node; at != 0;
         at = *fc_settle_link(settle->below.older, at))
    {
        guint32 above = nodes[at].parent;
        while (!is_top && above != node && above != top)
            above = nodes[above].parent;
        if (is_top || above == node)
            g_array_append_val(found, at);
    }
}

void fc_settle_forget_below(FcSettle *settle)
{
    g_clear_pointer(&settle->below.top, g_array_unref);
    g_clear_pointer(&settle->below.older, g_array_unref);
    fc_nodes_clear(&settle->below.newest);
}
