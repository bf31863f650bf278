/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See overhead-totals.h.  Called by overhead.c.
 *
 * A context's total loses what was taken off the contexts below it, where the tree has them.  Some
 * of what it holds is not there: calls within another one of the same function are in the context
 * of the latter, and where the tree is full contexts were folded on one of the function.  Of such
 * time as much is taken off as was, in the mean, off the outermost context of the recursion, or off
 * those on which others were folded.
 */
#include "fcmanager/estimate/overhead-totals.h"

#include "fcmanager/base/map.h"

typedef struct
{
    FcCounts *counts;
    guint64 *removed;
    const double *nested;
    double *elsewhere; /* by context: ticks on the CPU of its total, in no context below it */
    guint64 *below; /* by context: the local times in and below it, of which nothing is taken off */
    guint32 *head;  /* by context: the outermost of a recursion that it is in; 0: it is in none */
    double folded;  /* the part of `elsewhere` that is in contexts on which others were folded, */
    double folded_cost; /* and of that the part that hooks took */
} Totals;

static void sum_below(Totals *totals)
{
    const FcCounts *counts = totals->counts;
    for (guint32 i = counts->node_count; i-- > 1;) /* children stand behind their parents */
    {
        totals->below[i] += counts->nodes[i].local;
        if (counts->nodes[i].parent != 0)
            totals->below[counts->nodes[i].parent] += totals->below[i];
    }
}

static gboolean is_folded(const FcCountsNode *node)
{
    return node->parent == 0 && node->site == FC_FOLDED_SITE;
}

static FcCountsCost *cost_of(const Totals *totals, guint32 index)
{
    return &g_array_index(totals->counts->node_costs, FcCountsCost, index);
}

static double on_cpu(guint64 ticks, guint64 wait)
{
    return (double)(ticks - MIN(wait, ticks));
}

/* Totals are as they were measured still. */
static void find_elsewhere(Totals *totals)
{
    const FcCounts *counts = totals->counts;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const FcCountsCost wait = fc_counts_wait(counts->node_waits, i);
        const double total = on_cpu(node->total, wait.total);
        totals->elsewhere[i] +=
            total - on_cpu(node->local, wait.local) - (double)totals->removed[i];
        totals->elsewhere[node->parent] -= total;
        if (node->parent != 0 && totals->head[node->parent] != 0)
            totals->head[i] = totals->head[node->parent];
        else if (totals->nested[node->function] > 0)
            totals->head[i] = i;
    }
    for (guint32 i = 1; i < counts->node_count; i++)
        totals->elsewhere[i] = MAX(0, totals->elsewhere[i]);
}

static void find_folded(Totals *totals)
{
    const FcCounts *counts = totals->counts;
    double all = 0;
    double in_folded = 0;
    double cost = 0;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        if (!is_folded(node))
        {
            all += totals->elsewhere[i];
            continue;
        }
        in_folded += on_cpu(node->local, fc_counts_wait(counts->node_waits, i).local) +
                     (double)totals->removed[i];
        cost += (double)totals->removed[i];
    }
    totals->folded = all > 0 ? MIN(1, in_folded / all) : 0;
    totals->folded_cost = in_folded > 0 ? cost / in_folded : 0;
}

/* As a double the largest of all is past what a number holds. */
static guint64 less(guint64 total, double removed)
{
    const double left = (double)total - removed + 0.5;
    return left >= (double)total ? total : left > 0 ? (guint64)left : 0;
}

/* What was taken off below each, and off itself.  Children stand behind their parents. */
static void sum_costs(Totals *totals)
{
    FcCounts *counts = totals->counts;
    g_autofree double *folded = g_new0(double, counts->node_count);
    for (guint32 i = counts->node_count; i-- > 1;)
    {
        const FcCountsNode *node = &counts->nodes[i];
        FcCountsCost *cost = cost_of(totals, i);
        const double part = is_folded(node) ? 1 : totals->folded;
        folded[i] += totals->elsewhere[i] * part * totals->folded_cost;
        cost->local += totals->removed[i];
        cost->total += cost->local;
        /* a mean, which may be more than there is here */
        const double most = (double)node->total - (double)totals->below[i] - (double)cost->total;
        folded[i] = CLAMP(folded[i], 0, MAX(0, most));
        if (node->parent != 0)
        {
            cost_of(totals, node->parent)->total += cost->total;
            folded[node->parent] += folded[i];
        }
        cost->total += node->total - less(node->total, folded[i]);
    }
}

/* What hooks took of what a context holds of the recursion that it is in, which is in contexts
 * above it. */
static double cost_of_recursion(const Totals *totals, guint32 index)
{
    const guint32 head = totals->head[index];
    if (head == 0 || head == index)
        return 0;
    const double cost = (double)cost_of(totals, head)->total;
    const double total = on_cpu(totals->counts->nodes[head].total,
                                fc_counts_wait(totals->counts->node_waits, head).total) +
                         cost;
    return total > 0 ? totals->elsewhere[index] * (1 - totals->folded) * cost / total : 0;
}

static void take_off_contexts(Totals *totals)
{
    FcCounts *counts = totals->counts;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        FcCountsNode *node = &counts->nodes[i];
        FcCountsCost *cost = cost_of(totals, i);
        const double removed = (double)cost->total + cost_of_recursion(totals, i);
        guint64 total = less(node->total, removed);
        if (node->parent != 0) /* but where a coroutine was left: see counted-times.c */
            total = MIN(total, counts->nodes[node->parent].total);
        total = MIN(MAX(total, totals->below[i]), node->total);
        cost->total = node->total - total;
        node->total = total;
        totals->removed[i] = cost->total;
    }
}

/* Of several contexts, which may be active at the same time: what they took in all, and what was
 * taken off that. */
typedef struct
{
    double measured; /* on the CPU: hooks take nothing while it is off it */
    double removed;
} Sum;

static void add_context(Sum *sum, const Totals *totals, guint32 index)
{
    const FcCountsNode *node = &totals->counts->nodes[index];
    const guint64 wait = fc_counts_wait(totals->counts->node_waits, index).total;
    const double removed = (double)totals->removed[index];
    sum->measured += on_cpu(node->total, wait) + removed;
    sum->removed += removed;
}

/* What is left of `total`, the time in which any of them was active and for `wait` off the CPU. */
static guint64 left_of(const Sum *sum, guint64 total, guint64 wait)
{
    if (sum->removed <= 0)
        return total;
    const double busy = on_cpu(total, wait);
    return less(total, MIN(sum->removed, sum->removed / sum->measured * busy));
}

/* By function: the most that its total can be.  Its contexts in one recursion may be active at the
 * same time, but no longer than the outermost one of that. */
static double *find_most(const Totals *totals)
{
    const FcCounts *counts = totals->counts;
    double *most = g_new0(double, counts->function_count + 1);
    g_autofree double *sums = g_new0(double, counts->node_count);
    FcMap first; /* by function and recursion: which of `sums` */
    fc_map_init(&first, 0);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint32 head = totals->head[i];
        double total = (double)node->total;
        if (head != 0)
        {
            const FcMapSlot *slot = fc_map_find(&first, node->function, head, 0);
            if (!slot)
                fc_map_add(&first, node->function, head, 0, i, 0);
            double *sum = &sums[slot ? slot->value : i];
            total = MIN(total, (double)counts->nodes[head].total - *sum);
            *sum += total;
        }
        most[node->function] += total;
    }
    fc_map_clear(&first);
    return most;
}

/* `local`: by function, the sum of its contexts' local times. */
static void take_off_functions(Totals *totals, const guint64 *local)
{
    FcCounts *counts = totals->counts;
    g_autofree Sum *sums = g_new0(Sum, counts->function_count + 1);
    g_autofree double *bounds = find_most(totals);
    guint64 all = 0;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        all += node->local;
        add_context(&sums[node->function], totals, i);
        counts->functions[node->function].cost_local += cost_of(totals, i)->local;
    }
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        FcCountsFunction *function = &counts->functions[i];
        const guint64 left = left_of(&sums[i], function->total, function->wait_total);
        const guint64 total =
            MIN(MAX(MIN(left, (guint64)bounds[i]), local[i]), MIN(function->total, all));
        function->cost_total = function->total - total;
        function->total = total;
    }
}

static FcCountsCost *cost_of_arc(const FcCounts *counts, guint32 index)
{
    return &g_array_index(counts->arc_costs, FcCountsCost, index);
}

static double measured_of(const FcCountsFunction *function)
{
    return (double)function->total + (double)function->cost_total;
}

/* What is left of an arc's total: no more than of its callee's, nor of its caller's unless it was
 * measured to be more, as where a coroutine was left. */
static guint64 most_of_arc(const FcCounts *counts, const FcCountsArc *arc)
{
    const FcCountsFunction *callee = &counts->functions[arc->callee];
    const FcCountsFunction *caller = arc->caller != 0 ? &counts->functions[arc->caller - 1] : NULL;
    if (caller && ((double)arc->total <= measured_of(caller) || callee->counted > 0))
        return MIN(callee->total, caller->total);
    return callee->total;
}

/* Those of a recursion have no context of their own: they lose what their function did. */
static void take_off_arcs(Totals *totals)
{
    FcCounts *counts = totals->counts;
    g_autofree Sum *sums = g_new0(Sum, counts->arc_count + 1);
    g_autofree guint32 *arcs = fc_counts_arcs_of_nodes(counts);
    for (guint32 i = 1; i < counts->node_count; i++)
        add_context(&sums[arcs[i]], totals, i);
    counts->arc_costs = g_array_new(FALSE, TRUE, sizeof(FcCountsCost));
    g_array_set_size(counts->arc_costs, counts->arc_count);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        FcCountsArc *arc = &counts->arcs[i];
        const FcCountsFunction *callee = &counts->functions[arc->callee];
        const double busy = on_cpu(callee->total, callee->wait_total);
        const Sum of_callee = {busy + (double)callee->cost_total, (double)callee->cost_total};
        const Sum *sum = sums[i + 1].measured > 0 ? &sums[i + 1] : &of_callee;
        const guint64 wait = fc_counts_wait(counts->arc_waits, i).total;
        const guint64 total = MIN(left_of(sum, arc->total, wait), most_of_arc(counts, arc));
        cost_of_arc(counts, i)->total = arc->total - total;
        arc->total = total;
    }
}

void fc_overhead_subtract_totals(FcCounts *counts, guint64 *removed, const double *nested)
{
    Totals totals = {.counts = counts,
                     .removed = removed,
                     .nested = nested,
                     .elsewhere = g_new0(double, counts->node_count),
                     .below = g_new0(guint64, counts->node_count),
                     .head = g_new0(guint32, counts->node_count)};
    counts->node_costs = g_array_new(FALSE, TRUE, sizeof(FcCountsCost));
    g_array_set_size(counts->node_costs, counts->node_count);
    sum_below(&totals);
    find_elsewhere(&totals);
    find_folded(&totals);
    sum_costs(&totals);
    take_off_contexts(&totals);
    g_autofree guint64 *local = g_new0(guint64, counts->function_count + 1);
    for (guint32 i = 1; i < counts->node_count; i++)
        local[counts->nodes[i].function] += counts->nodes[i].local;
    take_off_functions(&totals, local);
    take_off_arcs(&totals);
    g_free(totals.elsewhere);
    g_free(totals.below);
    g_free(totals.head);
}
