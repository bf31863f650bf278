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

#define LEAST_SLOTS 64u

static guint32 top_of(const FcSettle *settle, guint32 node)
{
    return g_array_index(settle->below.top, guint32, node);
}

/* The slot of the newest context of that function with that top, or the empty one. */
static guint32 *slot_of(const FcSettle *settle, guint32 top, guint32 function)
{
    const FcSettleBelow *below = &settle->below;
    guint32 at = fc_map_hash(top, function, 0) & below->mask;
    for (;; at = (at + 1) & below->mask)
    {
        const guint32 node = below->slots[at];
        if (node == 0 ||
            (top_of(settle, node) == top && settle->counts->nodes[node].function == function))
            return &below->slots[at];
    }
}

static void make_slots(FcSettle *settle, guint32 count)
{
    FcSettleBelow *below = &settle->below;
    g_autofree guint32 *old = below->slots;
    const guint32 had = old ? below->mask + 1 : 0;
    below->mask = count - 1;
    below->slots = g_new0(guint32, count);
    for (guint32 i = 0; i < had; i++)
        if (old[i] != 0)
            *slot_of(settle, top_of(settle, old[i]), settle->counts->nodes[old[i]].function) =
                old[i];
}

void fc_settle_begin_below(FcSettle *settle)
{
    const guint32 nodes = settle->counts->node_count;
    settle->below.top = g_array_sized_new(FALSE, TRUE, sizeof(guint32), nodes);
    settle->below.next = g_array_sized_new(FALSE, TRUE, sizeof(guint32), nodes);
    make_slots(settle, LEAST_SLOTS);
}

void fc_settle_add_below(FcSettle *settle, guint32 node)
{
    FcSettleBelow *below = &settle->below;
    const FcCountsNode *own = &settle->counts->nodes[node];
    if (!below->slots)
        return;
    if (below->used >= below->mask / 2)
        make_slots(settle, 2 * (below->mask + 1));
    const gboolean is_parent_top =
        own->parent == 0 || !settle->is_counted[settle->counts->nodes[own->parent].function];
    const guint32 top = is_parent_top ? own->parent : top_of(settle, own->parent);
    *fc_settle_link(below->top, node) = top;
    guint32 *slot = slot_of(settle, top, own->function);
    below->used += *slot == 0;
    *fc_settle_link(below->next, node) = *slot;
    *slot = node;
}

void fc_settle_find_below(const FcSettle *settle, guint32 node, guint32 function, GArray *found)
{
    const FcCountsNode *nodes = settle->counts->nodes;
    const gboolean is_top = node == 0 || !settle->is_counted[nodes[node].function];
    const guint32 top = is_top ? node : top_of(settle, node);
    for (guint32 at = *slot_of(settle, top, function); at != 0;
         at = *fc_settle_link(settle->below.next, at))
    {
        guint32 above = nodes[at].parent;
        while (above != node && above != top)
            above = nodes[above].parent;
        if (above == node)
            g_array_append_val(found, at);
    }
}

void fc_settle_forget_below(FcSettle *settle)
{
    FcSettleBelow *below = &settle->below;
    g_clear_pointer(&below->slots, g_free);
    g_clear_pointer(&below->top, g_array_unref);
    g_clear_pointer(&below->next, g_array_unref);
}
