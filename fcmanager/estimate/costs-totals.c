/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See costs-totals.h.  Called by costs.c.
 *
 * A context's total loses what was taken off the contexts below it, where the tree has them.  Some
 * of what it holds is not there: calls within another one of the same function are in the context
 * of the latter, and where the tree is full contexts were folded on one of the function.  Of such
 * time as much is taken off as was, in the mean, off the outermost context of the recursion, or off
 * those on which others were folded.
 */
#include "fcmanager/estimate/costs-totals.h"

/* What bounds a function bounds those that it calls: so many calls down. */
#define ROUNDS 4u

typedef struct
{
    FcCounts *counts;
    guint64 *removed;
    const double *within;
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
        else if (totals->within[node->function] > 0)
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

/* `local`: by function, the sum of its contexts' local times. */
static void take_off_functions(Totals *totals, const guint64 *local)
{
    FcCounts *counts = totals->counts;
    g_autofree Sum *sums = g_new0(Sum, counts->function_count + 1);
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
        const guint64 most = MIN(function->total, all);
        const guint64 total =
            MIN(MAX(left_of(&sums[i], function->total, function->wait_total), local[i]), most);
        function->cost_total = function->total - total;
        function->total = total;
    }
}

static FcCountsCost *cost_of_arc(const FcCounts *counts, guint32 index)
{
    return &g_array_index(counts->arc_costs, FcCountsCost, index);
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
        const guint64 total = left_of(sum, arc->total, wait);
        cost_of_arc(counts, i)->total = arc->total - total;
        arc->total = total;
    }
}

/* ---- No longer than who called -------------------------------------------------------- */

/* The call sites by which one function calls another. */
typedef struct
{
    guint32 caller;
    guint32 callee;
    double measured; /* what they took in all */
    double left;
} Calls;

typedef struct
{
    FcCounts *counts;
    const double *within; /* by function */
    GArray *calls;        /* Calls */
    guint32 *of_arc;      /* by arc: which of them, + 1; 0: it has no caller, or calls itself */
    double *measured;     /* by function, what those by which it is called took, */
    double *left;         /* and do */
} Bounds;

static void find_calls(Bounds *bounds)
{
    const FcCounts *counts = bounds->counts;
    FcMap found;
    fc_map_init(&found, counts->arc_count);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        if (arc->caller == 0 || arc->caller - 1 == arc->callee)
            continue;
        const FcMapSlot *slot = fc_map_find(&found, arc->caller, arc->callee, 0);
        if (!slot)
        {
            const Calls calls = {.caller = arc->caller - 1, .callee = arc->callee};
            g_array_append_val(bounds->calls, calls);
            fc_map_add(&found, arc->caller, arc->callee, 0, bounds->calls->len, 0);
        }
        bounds->of_arc[i] = slot ? slot->value : bounds->calls->len;
    }
    fc_map_clear(&found);
}

static double measured_of(const FcCountsFunction *function)
{
    return (double)function->total + (double)function->cost_total;
}

static void bound_arcs(Bounds *bounds)
{
    FcCounts *counts = bounds->counts;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        FcCountsArc *arc = &counts->arcs[i];
        FcCountsCost *cost = cost_of_arc(counts, i);
        const double measured = (double)arc->total + (double)cost->total;
        guint64 most = counts->functions[arc->callee].total;
        const FcCountsFunction *caller =
            arc->caller != 0 ? &counts->functions[arc->caller - 1] : NULL;
        /* what was estimated, of counted calls and in a recursion, is no more for that */
        if (caller && (measured <= measured_of(caller) || bounds->within[arc->caller - 1] > 0 ||
                       counts->functions[arc->callee].counted > 0))
            most = MIN(most, caller->total);
        if (arc->total > most)
        {
            cost->total += arc->total - most;
            arc->total = most;
        }
        if (bounds->of_arc[i] != 0)
        {
            Calls *calls = &g_array_index(bounds->calls, Calls, bounds->of_arc[i] - 1);
            calls->measured += measured;
            calls->left += (double)arc->total;
        }
        else if (arc->caller == 0)
        {
            bounds->measured[arc->callee] += measured;
            bounds->left[arc->callee] += (double)arc->total;
        }
    }
}

/* `local`: by function. */
static void bound_functions(Bounds *bounds, const guint64 *local)
{
    FcCounts *counts = bounds->counts;
    for (guint i = 0; i < bounds->calls->len; i++)
    {
        Calls *calls = &g_array_index(bounds->calls, Calls, i);
        const FcCountsFunction *caller = &counts->functions[calls->caller];
        bounds->measured[calls->callee] += MIN(calls->measured, measured_of(caller));
        bounds->left[calls->callee] += MIN(calls->left, (double)caller->total);
        calls->measured = calls->left = 0;
    }
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        FcCountsFunction *function = &counts->functions[i];
        /* what was not by any call that is known, but in a recursion, of which see above */
        const double beyond =
            bounds->within[i] > 0 ? 0 : MAX(0, measured_of(function) - bounds->measured[i]);
        const double most = MAX(bounds->left[i] + beyond, (double)local[i]);
        bounds->measured[i] = bounds->left[i] = 0;
        if (most >= (double)function->total)
            continue;
        function->cost_total += function->total - (guint64)most;
        function->total = (guint64)most;
    }
}

/* No call takes longer than its caller, nor do all of a function longer than those by which it is
 * called, where that was so as it was measured. */
static void bound_by_callers(FcCounts *counts, const double *within, const guint64 *local)
{
    Bounds bounds = {.counts = counts,
                     .within = within,
                     .calls = g_array_new(FALSE, FALSE, sizeof(Calls)),
                     .of_arc = g_new0(guint32, counts->arc_count + 1),
                     .measured = g_new0(double, counts->function_count + 1),
                     .left = g_new0(double, counts->function_count + 1)};
    find_calls(&bounds);
    for (guint round = 0; round < ROUNDS; round++)
    {
        bound_arcs(&bounds);
        bound_functions(&bounds, local);
    }
    bound_arcs(&bounds);
    g_array_unref(bounds.calls);
    g_free(bounds.of_arc);
    g_free(bounds.measured);
    g_free(bounds.left);
}

void fc_costs_take_off_totals(FcCounts *counts, guint64 *removed, const double *within)
{
    Totals totals = {.counts = counts,
                     .removed = removed,
                     .within = within,
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
    bound_by_callers(counts, within, local);
    g_free(totals.elsewhere);
    g_free(totals.below);
    g_free(totals.head);
}
