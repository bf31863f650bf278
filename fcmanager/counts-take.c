/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Taking a thread's counts over as a process's, in place of a copy beside them.
 */
#include "fcmanager/counts.h"

/* Whether all modules of `from` are what the sums would have. */
static gboolean has_known_modules(const FcCounts *from)
{
    for (guint32 i = 0; i < from->function_count; i++)
    {
        const FcCountsFunction *function = &from->functions[i];
        if (function->module !=
            fc_counts_known_module(from, function->module, function->address, function->seen))
            return FALSE;
    }
    for (guint32 i = 0; i < from->arc_count; i++)
    {
        const FcCountsArc *arc = &from->arcs[i];
        if (arc->site_module != fc_counts_known_module(from, arc->site_module, arc->site,
                                                       from->functions[arc->callee].seen))
            return FALSE;
    }
    for (guint32 i = 1; i < from->node_count; i++)
    {
        const FcCountsNode *node = &from->nodes[i];
        if (node->site_module != fc_counts_known_module(from, node->site_module, node->site,
                                                        from->functions[node->function].seen))
            return FALSE;
    }
    return TRUE;
}

/* Makes the contexts of `from` known as those of sums are.  FALSE: some are there twice, as modules
 * came and went. */
static gboolean index_nodes(FcCounts *from)
{
    fc_counts_forget_edges(from);
    for (guint32 i = 1; i < from->node_count; i++)
        if (!fc_counts_index_merged(from, i))
            return FALSE;
    return TRUE;
}

gboolean fc_counts_take(FcCounts *into, FcCounts *from)
{
    if (into->function_count > 0 || into->node_count > 1 || !has_known_modules(from) ||
        !fc_counts_index_arcs(from))
        return FALSE;
    if (!index_nodes(from))
    {
        fc_counts_forget_edges(from);
        return FALSE;
    }
    const FcCounts sums = *into;
    *into = *from;
    *from = sums;
    from->contexts_in_use = into->contexts_in_use;
    into->contexts_in_use = sums.contexts_in_use;
    if (from->contexts_in_use)
        *from->contexts_in_use -= into->node_count - 1;
    if (into->contexts_in_use)
        *into->contexts_in_use += into->node_count - 1;
    into->node_limit = sums.node_limit;
    into->looks += sums.looks;
    /* what is of a thread alone */
    fc_map_clear(&into->known_arcs);
    g_clear_pointer(&into->counted_functions, g_array_unref);
    g_clear_pointer(&into->unrecorded, g_array_unref);
    g_clear_pointer(&into->deep_nodes, g_array_unref);
    into->repairs = (FcCountsRepairs){0};
    return TRUE;
}
