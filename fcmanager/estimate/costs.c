/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes off what the hooks took: see costs.h.
 */
#include "fcmanager/estimate/costs.h"

#include "fcmanager/estimate/costs-totals.h"
#include "fcmanager/estimate/observed.h"

/* libfc measures in so many parts of a tick. */
#define PARTS_OF_TICK 256.0
/* A call takes at least so much of what counting it costs; one that was inlined, about an
 * instruction of those that do it. */
#define LEAST_OF_COUNTED 3.0
#define LEAST_OF_INLINED 32.0

FcCallCosts fc_costs_of(const struct FcCosts *measured)
{
    FcCallCosts costs = {.recorded = measured->recorded / PARTS_OF_TICK};
    costs.inside = MIN(measured->inside / PARTS_OF_TICK, costs.recorded);
    costs.counted =
        ((double)measured->counted[FC_COSTS_OF_ONE] + measured->counted[FC_COSTS_IN_TURN]) /
        (2 * PARTS_OF_TICK);
    costs.sampled = MAX(costs.inside, measured->sampled / PARTS_OF_TICK);
    costs.callee = MAX(costs.recorded - costs.inside, measured->callee / PARTS_OF_TICK);
    costs.inner = MAX(costs.inside, measured->inner / PARTS_OF_TICK);
    costs.within = MAX(costs.counted, measured->counted[FC_COSTS_OF_RECURSION] / PARTS_OF_TICK);
    costs.after_inlining =
        measured->after_inlining > 0 ? measured->after_inlining / PARTS_OF_TICK : costs.counted;
    costs.sample = measured->sample / PARTS_OF_TICK;
    costs.sample_after_inlining = measured->sample_after_inlining / PARTS_OF_TICK;
    return costs;
}

typedef struct
{
    FcCounts *counts;
    const FcCallCosts *costs;
    double *within;   /* by function: the part of its calls that were made within another one */
    double *samples;  /* by function: of each call that made no record the part that were samples */
    double *overhead; /* by context: ticks in its local time */
    guint64 *removed; /* by context: taken off, later with all below it */
} Work;

/* By function: its context of which most calls are; 0: it has none. */
static guint32 *find_heaviest(const FcCounts *counts)
{
    guint32 *heaviest = g_new0(guint32, counts->function_count + 1);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        guint32 *of = &heaviest[counts->nodes[i].function];
        if (*of == 0 || counts->nodes[i].calls > counts->nodes[*of].calls)
            *of = i;
    }
    return heaviest;
}

static guint64 pair_key(guint32 caller, guint32 callee)
{
    return (guint64)caller << 32 | callee;
}

/* Which functions call which in some context. */
static void find_pairs(const FcCounts *counts, FcMap *pairs)
{
    fc_map_init(pairs, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        if (node->parent != 0)
            fc_map_add(pairs, pair_key(counts->nodes[node->parent].function, node->function), 0, 0,
                       1, 0);
    }
}

/* By arc: the context of its callee within which its calls are made, where they are within one;
 * else 0.  A call within another one of the same function is counted in the context of the latter
 * (counts.c), so the callee is among the callers where such an arc begins. */
static guint32 *find_closing_arcs(const FcCounts *counts, const guint32 *heaviest)
{
    guint32 *closing = g_new0(guint32, counts->arc_count + 1);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        if (arc->caller != 0)
            closing[i] = fc_counts_find_on_path(counts, heaviest[arc->caller - 1], arc->callee);
    }
    return closing;
}

/* Where functions call each other, those on the way from one to where it is called again are as
 * often within other calls as that is, as far as they are called there. */
static void find_recursion(Work *work)
{
    const FcCounts *counts = work->counts;
    g_autofree guint32 *heaviest = find_heaviest(counts);
    g_autofree guint32 *closing = find_closing_arcs(counts, heaviest);
    g_autofree double *again = g_new0(double, counts->function_count + 1);
    g_autofree double *all = g_new0(double, counts->function_count + 1);
    FcMap pairs;
    find_pairs(counts, &pairs);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        all[arc->callee] += (double)arc->calls;
        if (closing[i] != 0 ||
            (arc->caller != 0 && fc_map_find(&pairs, pair_key(arc->callee, arc->caller - 1), 0, 0)))
            again[arc->callee] += (double)arc->calls;
    }
    fc_map_clear(&pairs);
    for (guint32 i = 0; i < counts->function_count; i++)
        work->within[i] = again[i] = all[i] > 0 ? again[i] / all[i] : 0;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        guint32 on_way = closing[i] != 0 ? heaviest[arc->caller - 1] : 0;
        for (; on_way != closing[i]; on_way = counts->nodes[on_way].parent)
        {
            const FcCountsNode *node = &counts->nodes[on_way];
            double *within = &work->within[node->function];
            const double part = MIN(1, (double)node->calls / MAX(1, all[node->function]));
            *within = MAX(*within, again[arc->callee] * part);
        }
    }
}

static void find_samples(Work *work)
{
    const FcCounts *counts = work->counts;
    g_autofree double *unrecorded = g_new0(double, counts->function_count + 1);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        unrecorded[node->function] += (double)MIN(fc_counts_unrecorded(counts, i), node->calls);
    }
    for (guint32 i = 0; i < counts->function_count; i++)
        if (unrecorded[i] > 0)
            work->samples[i] = (double)counts->functions[i].timed / unrecorded[i];
}

static void find_overhead(Work *work)
{
    const FcCounts *counts = work->counts;
    const FcCallCosts *costs = work->costs;
    const double outside = costs->recorded - costs->inside;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint64 unrecorded = MIN(fc_counts_unrecorded(counts, i), node->calls);
        const double recorded = (double)(node->calls - unrecorded);
        const double part = work->within[node->function];
        const double within = recorded * part;
        const FcCountsFunction *function = &counts->functions[node->function];
        const double each = fc_costs_of_counted(costs, function);
        const double sample =
            function->is_after_inlining ? costs->sample_after_inlining : costs->sample;
        const double counted = fc_costs_of_recursion(costs, function, part) +
                               (sample + each) * work->samples[node->function];
        work->overhead[i] +=
            recorded * costs->inside + within * outside + (double)unrecorded * counted;
        work->overhead[node->parent] += (recorded - within) * outside;
    }
    for (guint32 i = counts->node_count; i-- > 1;) /* children stand behind their parents */
        if (fc_counts_is_deep(counts, i))
        {
            work->overhead[counts->nodes[i].parent] += work->overhead[i];
            work->overhead[i] = 0;
        }
}

/* It has its caller's call site, as that is what it was inlined into. */
static gboolean is_inlined(const FcCounts *counts, const FcCountsNode *node)
{
    const FcCountsNode *caller = &counts->nodes[node->parent];
    return node->parent != 0 && node->site == caller->site &&
           node->site_module == caller->site_module;
}

/* The least that the local time of a context can be: hooks take nothing while it is off the CPU,
 * and a call takes some time but where the compiler has dissolved it in its caller. */
static double least_of(const Work *work, guint32 index)
{
    const FcCountsNode *node = &work->counts->nodes[index];
    const double waited = (double)fc_counts_wait(work->counts->node_waits, index).local;
    const double each = fc_costs_of_counted(work->costs, &work->counts->functions[node->function]);
    const double part = is_inlined(work->counts, node) ? LEAST_OF_INLINED : LEAST_OF_COUNTED;
    const double floor = waited + (double)node->calls * each / part;
    return MIN(floor, (double)node->local);
}

/* What is left of a context's local time, less than 0 where hooks cost more than it has. */
static double left_of(const Work *work, guint32 index)
{
    return (double)work->counts->nodes[index].local - least_of(work, index) - work->overhead[index];
}

/* What a recorded callee cost is charged to one context of a counted caller, though it may have
 * been several that called: what is too much there goes to the others of the function. */
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

/* What counted calls took is estimated and taken out of their caller's time.  Where so much was
 * that less is left than hooks cost there, that is in the time of the callees. */
static void spread_to_callees(Work *work)
{
    const FcCounts *counts = work->counts;
    g_autofree double *room = g_new0(double, counts->node_count + 1);
    g_autofree double *excess = g_new0(double, counts->node_count + 1);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const double left = left_of(work, i);
        if (counts->functions[node->function].counted == 0)
            excess[i] = MAX(0, -left);
        else if (fc_counts_unrecorded(counts, i) > 0)
            room[node->parent] += MAX(0, left);
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const double left = left_of(work, i);
        if (excess[node->parent] <= 0 || left <= 0 || fc_counts_unrecorded(counts, i) == 0 ||
            counts->functions[node->function].counted == 0)
            continue;
        const double moved = MIN(excess[node->parent], room[node->parent]);
        work->overhead[i] += moved * left / room[node->parent];
        work->overhead[node->parent] -= moved * left / room[node->parent];
    }
}

/* Each from the local time of its context.  That of counted calls was estimated and taken out of
 * what is known, their caller's: what is too much for it goes there.  Children stand behind their
 * parents. */
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
        /* as a double the largest of all is past what a number holds */
        const guint64 local =
            left + 0.5 < (double)node->local ? (guint64)(left + 0.5) : node->local;
        work->removed[i] = node->local - local;
        node->local = local;
    }
}

void fc_costs_take_off(FcCounts *counts, const FcCallCosts *costs, const FcObserved *seen)
{
    if (costs->recorded <= 0 && costs->counted <= 0)
        return;
    g_autoptr(FcFunctionSamples) samples = fc_function_samples_of(counts, seen);
    Work work = {counts,
                 costs,
                 g_new0(double, counts->function_count + 1),
                 g_new0(double, counts->function_count + 1),
                 g_new0(double, counts->node_count),
                 g_new0(guint64, counts->node_count)};
    find_recursion(&work);
    find_samples(&work);
    find_overhead(&work);
    spread_to_callees(&work);
    spread_excess(&work);
    take_off_local(&work);
    if (samples)
        fc_observed_refine(counts, work.removed, costs, seen, samples);
    fc_costs_take_off_totals(counts, work.removed, work.within);
    g_free(work.within);
    g_free(work.samples);
    g_free(work.overhead);
    g_free(work.removed);
}
