/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which arc a call is of where its caller may be another one than the innermost frame's function,
 * and which leads to each context, in the accumulators of counts.h.
 */
#include "fcmanager/counts.h"

void fc_counts_know_arc(FcCounts *counts, guint32 index)
{
    const FcCountsArc *arc = &counts->arcs[index];
    if (!counts->known_arcs.slots)
        fc_map_init(&counts->known_arcs, 0);
    if (arc->caller != 0 && !fc_map_find(&counts->known_arcs, arc->site,
                                         (guint64)(gint64)arc->site_module, arc->callee))
        fc_map_add(&counts->known_arcs, arc->site, (guint64)(gint64)arc->site_module, arc->callee,
                   index + 1, 0);
}

/* Where there are many arcs, so that these are known, and another function is known to make this
 * call, and is counted, the arc is that one's at once.  Else it becomes so when the thread has
 * ended (counted-settle.h), which knows more, but takes an arc from each function around the call.
 */
guint32 fc_counts_arc_from_frame(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                                 guint32 callee)
{
    const FcMapSlot *slot = NULL;
    if (counts->known_arcs.slots &&
        fc_counts_find_arc(counts, caller, site, site_module, callee) == 0)
        slot = fc_map_find(&counts->known_arcs, site, (guint64)(gint64)site_module, callee);
    if (slot &&
        fc_counts_is_marked(counts->counted_functions, counts->arcs[slot->value - 1].caller - 1))
        return slot->value - 1;
    return fc_counts_get_arc(counts, caller, site, site_module, callee);
}

/* A context that was apportioned may be below another one than its caller's: where that has no
 * such arc, it is another one's of the same call site. */
#define ANY_CALLER G_MAXUINT64

guint32 *fc_counts_arcs_of_nodes(const FcCounts *counts)
{
    guint32 *of_nodes = g_new0(guint32, counts->node_count);
    FcMap arcs;
    fc_map_init(&arcs, counts->arc_count);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        const guint64 callee = fc_counts_callee_key(arc->site_module, arc->callee);
        fc_map_add(&arcs, arc->caller, arc->site, callee, i + 1, 0);
        if (!fc_map_find(&arcs, ANY_CALLER, arc->site, callee))
            fc_map_add(&arcs, ANY_CALLER, arc->site, callee, i + 1, 0);
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint32 caller = node->parent != 0 ? counts->nodes[node->parent].function + 1 : 0;
        const guint64 callee = fc_counts_callee_key(node->site_module, node->function);
        const FcMapSlot *slot = fc_map_find(&arcs, caller, node->site, callee);
        if (!slot)
            slot = fc_map_find(&arcs, ANY_CALLER, node->site, callee);
        of_nodes[i] = slot ? slot->value : 0;
    }
    fc_map_clear(&arcs);
    return of_nodes;
}
