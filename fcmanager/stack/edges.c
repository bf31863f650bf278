/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See edges.h.
 */
#include "fcmanager/stack/edges.h"

#include "fcmanager/stack/segments.h"

/* The cache has so many places at first, and at most.  After MISSES_EACH misses a place, it gets
 * twice as many.  A new entry replaces the one at its place. */
#define EDGES_LEAST 64u
#define EDGES_MOST 1024u
#define MISSES_EACH 8u

#define NO_EDGE G_MAXUINT64 /* the key of an empty place */

/* ---- Activations ------------------------------------------------------------------------ */

static const struct StackFrame *find_frame(const FcCounts *counts, guint32 function,
                                           const struct StackFrame *frames,
                                           const struct StackFrame *innermost)
{
    for (; innermost > frames; innermost--)
        if (counts->nodes[innermost->node].function == function)
            return innermost;
    return NULL;
}

/* The frame of a function that has one activation; NULL: none was found. */
static const struct StackFrame *find_activation(const FcStack *stack, guint32 function,
                                                const struct StackFrame *innermost)
{
    const FcCounts *counts = stack->counts;
    const struct StackSegment *segment = &stack->segments[stack->current];
    const struct StackFrame *found = find_frame(counts, function, stack->frames, innermost);
    while (!found && segment->caller >= 0)
    {
        segment = &stack->segments[segment->caller];
        found = find_frame(counts, function, segment->frames, &segment->frames[segment->top]);
    }
    return found;
}

void fc_stack_count_activations(FcStack *stack, FcCountsFunction *function,
                                const struct StackFrame *innermost)
{
    FcCounts *counts = stack->counts;
    const struct StackFrame *frame = NULL;
    if (function->active != 0)
        frame = find_activation(stack, (guint32)(function - counts->functions), innermost);
    if (frame)
    {
        counts->nodes[frame->node].active = 1;
        counts->arcs[frame->arc].active = 1;
    }
    function->active |= FC_COUNTS_RECURSIVE;
}

/* ---- Places ----------------------------------------------------------------------------- */

FramePlace fc_stack_place(FcStack *stack, guint32 node, guint32 arc)
{
    FcCounts *counts = stack->counts;
    FramePlace place = place_of(counts, node, arc);
    if (node >= counts->sums_room)
        fc_counts_make_sums(counts);
    if (counts->owners[node] == 0)
        counts->owners[node] = arc + 1;
    else if (counts->owners[node] != arc + 1 && (place.function->active & FC_COUNTS_RECURSIVE) == 0)
        fc_stack_count_activations(stack, place.function, &stack->frames[stack->top]);
    place.sum = &counts->sums[node];
    return place;
}

/* ---- The table -------------------------------------------------------------------------- */

/* Updates `place` of the frames; frames[0] has none. */
static void find_places_of_frames(FcStack *stack, struct StackFrame *frames, guint32 top)
{
    for (guint32 i = 1; i <= top; i++)
        frames[i].place = fc_stack_place(stack, frames[i].node, frames[i].arc);
}

static void forget(StackSiteEdges *edges)
{
    for (guint32 i = 0; i < edges->count; i++)
        edges->places[i].key = NO_EDGE;
}

/* Makes an empty table of `room` places. */
static void make_room(StackSiteEdges *edges, guint32 room)
{
    g_free(edges->memory);
    edges->memory = g_malloc(room * sizeof *edges->places + FC_COUNTS_LINE);
    edges->places = fc_counts_align(edges->memory);
    edges->count = room;
    edges->mask = (room - 1) * sizeof *edges->places;
    edges->misses = 0;
    forget(edges);
}

void fc_stack_find_places(FcStack *stack)
{
    StackSiteEdges *edges = &stack->site_edges;
    FcCounts *counts = stack->counts;
    if (!edges->places)
        make_room(edges, EDGES_LEAST);
    if (counts->sums_room < counts->node_room)
        fc_counts_make_sums(counts);
    fc_stack_save_current(stack);
    for (gint i = 0; i < stack->segment_count; i++)
        find_places_of_frames(stack, stack->segments[i].frames, stack->segments[i].top);
    for (guint32 i = 0; i < edges->count; i++)
    {
        struct StackSiteEdge *edge = &edges->places[i];
        if (edge->key != NO_EDGE)
            edge->place = fc_stack_place(stack, edge->edge.node, edge->edge.arc);
    }
    edges->nodes = counts->nodes;
    edges->arcs = counts->arcs;
    edges->functions = counts->functions;
    edges->sums = counts->sums;
}

const struct StackSiteEdge *fc_stack_find_edge(FcStack *stack, guint64 key, guint64 time)
{
    StackSiteEdges *edges = &stack->site_edges;
    const guint32 number = short_site(key);
    const guint32 caller = (guint32)key;
    if (number == 0 || number > stack->site_count || stack->sites[number].function == 0)
        return NULL;
    if (G_UNLIKELY(++edges->misses >= edges->count * MISSES_EACH && edges->count < EDGES_MOST))
        make_room(edges, 2 * edges->count);
    const struct FcCallSite *callee = &stack->sites[number];
    const FcMapSlot *slot =
        fc_counts_edge(stack->counts, caller, callee->site, callee->function, time);
    const StackEdge found = {slot->value, slot->extra};
    struct StackSiteEdge *edge = edge_of(edges, key);
    *edge = (struct StackSiteEdge){.callee = *callee,
                                   .place = fc_stack_place(stack, found.node, found.arc),
                                   .edge = found,
                                   .key = key};
    check_places(stack);
    return edge;
}

void fc_stack_forget_site_edges(FcStack *stack)
{
    if (stack->site_edges.places)
        forget(&stack->site_edges);
}
