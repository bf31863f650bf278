/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cache of the edges (context of the caller, call-site number) of calls that made short records.
 * An entry leads to all sums that such a call adds to.
 *
 * If a function has one activation at a time, and each of its contexts is entered by one arc, its
 * owner, then all that such a call adds goes to one context and one arc.  So it is added to the
 * context's sum only, and from there to all three from time to time (fc_counts_flush_sums).
 * Functions for which this does not hold become FC_COUNTS_RECURSIVE when that shows.  Calls
 * without short records add to all three at once.
 *
 * For the files of this folder only.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* One cache line.  The first three members are as in struct StackFrame. */
struct StackSiteEdge
{
    struct FcCallSite callee;
    FramePlace place; /* valid while the arrays are not moved */
    StackEdge edge;
    guint64 key;
};
G_STATIC_ASSERT(sizeof(struct StackSiteEdge) == FC_COUNTS_LINE);

/* The key of a call by the context `caller`.  `first` is the first word of its record; the
 * call-site number keeps its bits there. */
static inline guint64 key_of(guint32 caller, guint64 first)
{
    G_STATIC_ASSERT(FC_SHORT_SITE_SHIFT >= 32);
    return (first & FC_SITE_NUMBER_MASK << FC_SHORT_SITE_SHIFT) | caller;
}

/* The entry of `key`, if it is there.  The multiplier is that of the golden ratio, whose high
 * bits are as good as random. */
static inline struct StackSiteEdge *edge_of(const StackSiteEdges *edges, guint64 key)
{
    const guint64 hash = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return (struct StackSiteEdge *)(gpointer)((char *)edges->places + (hash & edges->mask));
}

/* The entry of `key`, made if it is missing.  Valid until the next call.  The caller's frame must
 * be stack->top.  NULL: the call-site number was never given. */
const struct StackSiteEdge *fc_stack_find_edge(FcStack *stack, guint64 key, guint64 time);

/* To be called before the cache is used: updates the pointers if the arrays were moved. */
void fc_stack_find_places(FcStack *stack);
static inline void check_places(FcStack *stack)
{
    const StackSiteEdges *edges = &stack->site_edges;
    const FcCounts *counts = stack->counts;
    if (G_UNLIKELY(edges->nodes != counts->nodes || edges->arcs != counts->arcs ||
                   edges->functions != counts->functions || edges->sums != counts->sums))
        fc_stack_find_places(stack);
}
