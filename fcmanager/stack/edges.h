/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cache of the edges (context of the caller, call-site number) of calls that made short records.
 * An entry leads to all sums that such a call adds to.
 *
 * Of a function that has one activation at a time, one of these is of one context and one arc, and
 * each context is entered by one arc, its owner.  So what such calls add to all three is added to
 * the context's sum alone, and from there to the three at times (fc_counts_flush_sums).  Functions
 * of which that is not so are FC_COUNTS_RECURSIVE from when it shows.  What is not short adds to
 * the three at once.
 *
 * For stack*.c alone.
 */
#pragma once

#include "fcmanager/stack/frames.h"

/* A line of the cache.  The first three are as in struct StackFrame. */
struct StackSiteEdge
{
    struct FcCallSite callee;
    FramePlace place; /* good while the arrays are where they were */
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

/* Where it is, if it is there.  The multiplier is the golden ratio's, of which the high bits are as
 * good as random. */
static inline struct StackSiteEdge *edge_of(const StackSiteEdges *edges, guint64 key)
{
    const guint64 hash = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return (struct StackSiteEdge *)(gpointer)((char *)edges->places + (hash & edges->mask));
}

/* The same where it is not, until another one takes its place.  The innermost frame is its caller's
 * and the stack knows it.  NULL: its call-site number was never given. */
const struct StackSiteEdge *fc_stack_find_edge(FcStack *stack, guint64 key, guint64 time);

/* Before any of this is used, as what the places are of may have moved. */
void fc_stack_find_places(FcStack *stack);
static inline void check_places(FcStack *stack)
{
    const StackSiteEdges *edges = &stack->site_edges;
    const FcCounts *counts = stack->counts;
    if (G_UNLIKELY(edges->nodes != counts->nodes || edges->arcs != counts->arcs ||
                   edges->functions != counts->functions || edges->sums != counts->sums))
        fc_stack_find_places(stack);
}
