/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See overhead.h.
 */
#include "fcmanager/estimate/overhead.h"

#include "fcmanager/estimate/observed.h"
#include "fcmanager/estimate/totals.h"

/* libfc measures in parts of a tick, this many to one. */
#define PARTS_OF_TICK 256.0

FcCallOverhead fc_overhead_of(const struct FcOverhead *measured)
{
    FcCallOverhead of_call = {.recorded = measured->recorded / PARTS_OF_TICK,
                              .counted = measured->counted / PARTS_OF_TICK,
                              .empty = measured->empty / PARTS_OF_TICK};
    of_call.inside = MIN(measured->inside / PARTS_OF_TICK, of_call.recorded);
    of_call.after_inlining =
        measured->after_inlining > 0 ? measured->after_inlining / PARTS_OF_TICK : of_call.counted;
    return of_call;
}

typedef struct
{
    FcCounts *counts;
    const FcCallOverhead *of_call;
    double *nested;   /* by function: find_nested() */
    double *overhead; /* by context: ticks of overhead in its local time */
    guint64 *removed; /* by context: ticks that were subtracted */
} Work;

static guint64 pair_key(guint32 caller, guint32 callee)
{
    return (guint64)caller << 32 | callee;
}

/* Returns, by function, the part of its calls that were made within another call of it and are in
 * that one's context (counts.c).  The arc of such a call has no context whose parent is its caller.
 */
static double *find_nested(const FcCounts *counts)
{
    double *nested = g_new0(double, counts->function_count + 1);
    g_autofree double *all = g_new0(double, counts->function_count + 1);
    FcMap pairs;
    fc_map_init(&pairs, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        if (node->parent != 0)
            fc_map_add(&pairs, pair_key(counts->nodes[node->parent].function, node->function), 0, 0,
                       1, 0);
    }
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        all[arc->callee] += (double)arc->calls;
        if (arc->caller != 0 && !fc_map_find(&pairs, pair_key(arc->caller - 1, arc->callee), 0, 0))
            nested[arc->callee] += (double)arc->calls;
    }
    fc_map_clear(&pairs);
    for (guint32 i = 0; i < counts->function_count; i++)
        nested[i] /= MAX(1, all[i]);
    return nested;
}

static void find_overhead(Work *work)
{
    const FcCounts *counts = work->counts;
    const FcCallOverhead *of_call = work->of_call;
    const double outside = of_call->recorded - of_call->inside;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint64 unrecorded = MIN(fc_counts_unrecorded(counts, i), node->calls);
        const double recorded = (double)(node->calls - unrecorded);
        const double each = fc_overhead_of_counted(of_call, &counts->functions[node->function]);
        const double own = recorded * work->nested[node->function];
        work->overhead[i] += recorded * of_call->inside + own * outside + (double)unrecorded * each;
        work->overhead[node->parent] += (recorded - own) * outside;
    }
    for (guint32 i = counts->node_count; i-- > 1;) /* children stand behind their parents */
        if (fc_counts_is_deep(counts, i))
        {
            work->overhead[counts->nodes[i].parent] += work->overhead[i];
            work->overhead[i] = 0;
        }
}

/* Whether the call was inlined: then its call site is that of its caller. */
static gboolean is_inlined(const FcCounts *counts, const FcCountsNode *node)
{
    const FcCountsNode *caller = &counts->nodes[node->parent];
    return node->parent != 0 && node->site == caller->site &&
           node->site_module == caller->site_module;
}

/* Returns the least possible local time of a context.  There is no overhead while it is off the
 * CPU, and a call takes as long as one of an empty function, unless it was inlined. */
static double least_of(const Work *work, guint32 index)
{
    const FcCountsNode *node = &work->counts->nodes[index];
    const double waited = (double)fc_counts_wait(work->counts->node_waits, index).local;
    const double calls = is_inlined(work->counts, node) ? 0 : (double)node->calls;
    return MIN(waited + calls * work->of_call->empty, (double)node->local);
}

/* Returns what is left of a context's local time; below 0 if hooks cost more than that. */
static double left_of(const Work *work, guint32 index)
{
    return (double)work->counts->nodes[index].local - least_of(work, index) - work->overhead[index];
}

/* The overhead of recorded callees is charged to one context of a counted caller, though several
 * may have made the calls.  Moves what is too much there to the function's other contexts. */
static void spread_excess(Work *work)
{
    const FcCounts *counts = work->counts;
    g_autofree double *excess = g_new0(double, counts->function_count + 1);
    g_autofree double *room = g_new0(double, counts->function_count + 1);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const double left = left_of(work, i);
        if (counts->functions[node->function].counted == 0)
            continue;
        if (left < 0)
            excess[node->function] -= left;
        else
            room[node->function] += left;
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const double left = left_of(work, i);
        const double moved = MIN(excess[node->function], room[node->function]);
        if (moved > 0)
            work->overhead[i] +=
                moved * left / (left > 0 ? room[node->function] : excess[node->function]);
    }
}

/* Subtracts each context's overhead from its local time.  The time of counted calls was estimated
 * and taken from their caller, so what is too much for them is subtracted from the caller.
 * Children stand behind their parents. */
static void take_off_local(Work *work)
{
    FcCounts *counts = work->counts;
    for (guint32 i = counts->node_count; i-- > 1;)
    {
        FcCountsNode *node = &counts->nodes[i];
        const double least = least_of(work, i);
        double left = (double)node->local - work->overhead[i];
        if (left < least)
        {
            if (counts->functions[node->function].counted > 0)
                work->overhead[node->parent] += least - left;
            left = least;
        }
        /* converted to double, the largest guint64 no longer fits into one */
        const guint64 local =
            left + 0.5 < (double)node->local ? (guint64)(left + 0.5) : node->local;
        work->removed[i] = node->local - local;
        node->local = local;
    }
}

/* Totals with overhead follow from what was measured, and totals without overhead follow from
 * these.  `measured`: by context, the local time that is in the totals. */
static void take_off_totals(const Work *work, const guint64 *measured)
{
    FcCounts *counts = work->counts;
    const gsize cost_bytes = sizeof(FcCountsCost);
    for (guint32 i = 1; i < counts->node_count; i++)
        counts->nodes[i].local += work->removed[i];
    fc_totals_update(counts, measured);
    g_autofree guint64 *local = fc_totals_local_times(counts);
    counts->node_costs = g_array_sized_new(FALSE, TRUE, cost_bytes, counts->node_count);
    counts->arc_costs = g_array_sized_new(FALSE, TRUE, cost_bytes, counts->arc_count);
    g_array_set_size(counts->node_costs, counts->node_count);
    g_array_set_size(counts->arc_costs, counts->arc_count);
    /* an array of no elements has no address to index */
    FcCountsCost *of_nodes = (FcCountsCost *)(void *)counts->node_costs->data;
    FcCountsCost *of_arcs = (FcCountsCost *)(void *)counts->arc_costs->data;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        of_nodes[i] = (FcCountsCost){counts->nodes[i].total, work->removed[i]};
        counts->nodes[i].local -= work->removed[i];
        counts->functions[counts->nodes[i].function].cost_local += work->removed[i];
    }
    for (guint32 i = 0; i < counts->arc_count; i++)
        of_arcs[i].total = counts->arcs[i].total;
    for (guint32 i = 0; i < counts->function_count; i++)
        counts->functions[i].cost_total = counts->functions[i].total;
    fc_totals_update(counts, local);
    for (guint32 i = 1; i < counts->node_count; i++)
        of_nodes[i].total -= counts->nodes[i].total;
    for (guint32 i = 0; i < counts->arc_count; i++)
        of_arcs[i].total -= counts->arcs[i].total;
    for (guint32 i = 0; i < counts->function_count; i++)
        counts->functions[i].cost_total -= counts->functions[i].total;
}

void fc_overhead_subtract(FcCounts *counts, const FcCallOverhead *of_call, const FcObserved *seen)
{
    if (of_call->recorded <= 0 && of_call->counted <= 0)
        return;
    g_autoptr(FcFunctionSamples) samples = fc_function_samples_of(counts, seen);
    g_autofree guint64 *measured = fc_totals_local_times(counts);
    Work work = {counts, of_call, find_nested(counts), g_new0(double, counts->node_count),
                 g_new0(guint64, counts->node_count)};
    find_overhead(&work);
    spread_excess(&work);
    take_off_local(&work);
    if (samples)
        fc_observed_refine(counts, work.removed, of_call, seen, samples);
    take_off_totals(&work, measured);
    g_free(work.nested);
    g_free(work.overhead);
    g_free(work.removed);
}
