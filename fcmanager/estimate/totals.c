/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See totals.h.
 *
 * A context's total is the sum of the local times in and below it, plus time elsewhere in the tree
 * that was measured.  There is such time in a recursion, since calls within another call of their
 * function are in that one's context.  There is also some where the tree was full.  This part
 * changes by the same factor as the local times in the recursion, or as those of all contexts that
 * others are folded on.  The total may also be less than that sum, if a coroutine was left.
 *
 * Contexts of one function may be active at the same time, so the function's total is less than
 * their sum.  It changes by the same factor as their sum.  So does an arc's total.
 */
#include "fcmanager/estimate/totals.h"

/* Ticks on the CPU. */
typedef struct
{
    guint64 before;
    guint64 now;
} Sum;

typedef struct
{
    FcCounts *counts;
    guint64 *was;          /* by context: the former local times in and below it */
    guint64 *now;          /* by context: the present ones */
    guint64 *waits;        /* by context: the parts of `was` and `now` off the CPU */
    guint32 *head;         /* by context: the outermost context of its recursion; 0: none */
    Sum *of_functions;     /* by function: the totals of its contexts */
    Sum *of_arcs;          /* by arc + 1: the totals of its contexts; [0]: of those without arc */
    guint64 *functions;    /* by function: its former total */
    gboolean *has_context; /* by arc + 1 */
} Totals;

static guint64 ticks_of(double ticks)
{
    return ticks <= 0 ? 0 : (guint64)MIN(ticks + 0.5, 0x1p62);
}

static guint64 less(guint64 ticks, guint64 taken)
{
    return ticks - MIN(taken, ticks);
}

/* Scales the total from `sum->before` to `sum->now`.  Its time off the CPU, `wait`, does not
 * change. */
static guint64 scaled(guint64 total, guint64 wait, const Sum *sum)
{
    const guint64 busy = less(total, wait);
    if (sum->now == sum->before)
        return total;
    if (sum->before == 0)
        return total + sum->now;
    return total - busy + ticks_of((double)busy * ((double)sum->now / (double)sum->before));
}

/* ---- Contexts --------------------------------------------------------------------------- */

static void sum_below(const FcCounts *counts, guint64 *ticks)
{
    for (guint32 i = counts->node_count; i-- > 1;)
        ticks[counts->nodes[i].parent] += ticks[i];
}

static guint64 elsewhere(const Totals *totals, guint32 node)
{
    return less(totals->counts->nodes[node].total, totals->was[node]);
}

/* Finds the outermost context of each recursion: the nearest context above the others whose total
 * is just the local times in and below it. */
static void find_heads(const Totals *totals)
{
    const FcCounts *counts = totals->counts;
    g_autofree guint32 *whole = g_new0(guint32, counts->node_count);
    g_autofree gboolean *is_head = g_new0(gboolean, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        whole[i] = elsewhere(totals, i) == 0 ? i : whole[counts->nodes[i].parent];
        is_head[whole[i]] |= whole[i] != i;
    }
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 above = totals->head[counts->nodes[i].parent];
        totals->head[i] = above == 0 && is_head[i] ? i : above;
    }
}

static Sum sum_of(const Totals *totals, guint32 node)
{
    return (Sum){less(totals->was[node], totals->waits[node]),
                 less(totals->now[node], totals->waits[node])};
}

/* Returns the sum over the contexts that others are folded on. */
static Sum sum_of_folded(const Totals *totals)
{
    const FcCounts *counts = totals->counts;
    Sum sum = {0};
    for (guint32 i = 1; i < counts->node_count; i++)
        if (counts->nodes[i].parent == 0 && counts->nodes[i].site == FC_FOLDED_SITE)
        {
            const Sum folded = sum_of(totals, i);
            sum.before += folded.before;
            sum.now += folded.now;
        }
    return sum;
}

static void update_contexts(const Totals *totals, const guint32 *arcs)
{
    FcCounts *counts = totals->counts;
    const Sum of_folded = sum_of_folded(totals);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        FcCountsNode *node = &counts->nodes[i];
        const guint32 head = totals->head[i];
        const guint64 before = node->total;
        const guint64 waited = fc_counts_wait(counts->node_waits, i).total;
        const Sum of_head = head != 0 ? sum_of(totals, head) : of_folded;
        const guint64 missing = less(totals->was[i], before);
        guint64 beyond = elsewhere(totals, i);
        if (of_head.before > 0)
            beyond = scaled(beyond, less(waited, totals->waits[i]), &of_head);
        node->total = totals->now[i] + beyond - MIN(missing, totals->now[i] - node->local);
        if (node->parent != 0)
            node->total = MIN(node->total, MAX(counts->nodes[node->parent].total, node->local));
        Sum *sums[] = {&totals->of_functions[node->function], &totals->of_arcs[arcs[i]]};
        for (guint k = 0; k < G_N_ELEMENTS(sums); k++)
        {
            sums[k]->before += less(before, waited);
            sums[k]->now += less(node->total, waited);
        }
        totals->has_context[arcs[i]] = TRUE;
    }
}

/* ---- Functions and arcs ----------------------------------------------------------------- */

/* Returns, by function, the most that its total can be.  Its contexts in one recursion are active
 * no longer than the outermost context of that. */
static guint64 *find_most(const Totals *totals)
{
    const FcCounts *counts = totals->counts;
    guint64 *most = g_new0(guint64, counts->function_count + 1);
    g_autofree guint64 *sums = g_new0(guint64, counts->node_count);
    FcMap first; /* function and recursion -> index in `sums` */
    fc_map_init(&first, 0);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint32 head = totals->head[i];
        guint64 total = node->total;
        if (head != 0)
        {
            const FcMapSlot *slot = fc_map_find(&first, node->function, head, 0);
            if (!slot)
                fc_map_add(&first, node->function, head, 0, i, 0);
            guint64 *sum = &sums[slot ? slot->value : i];
            total = MIN(total, counts->nodes[head].total - MIN(*sum, counts->nodes[head].total));
            *sum += total;
        }
        most[node->function] += total;
    }
    fc_map_clear(&first);
    return most;
}

static void update_functions(const Totals *totals)
{
    FcCounts *counts = totals->counts;
    g_autofree guint64 *most = find_most(totals);
    g_autofree guint64 *local = g_new0(guint64, counts->function_count + 1);
    for (guint32 i = 1; i < counts->node_count; i++)
        local[counts->nodes[i].function] += counts->nodes[i].local;
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        FcCountsFunction *function = &counts->functions[i];
        totals->functions[i] = function->total;
        const guint64 total =
            scaled(function->total, function->wait_total, &totals->of_functions[i]);
        function->total = MIN(MAX(MIN(total, most[i]), local[i]), totals->now[0]);
        function->wait_total = MIN(function->wait_total, function->total);
    }
}

/* Returns the most that an arc's total can be: its callee's or its caller's, unless it was measured
 * to be more, as it can be if a coroutine was left. */
static guint64 most_of_arc(const Totals *totals, const FcCountsArc *arc)
{
    const FcCountsFunction *functions = totals->counts->functions;
    const guint64 most = functions[arc->callee].total;
    const gboolean is_within =
        arc->caller != 0 &&
        (functions[arc->callee].counted > 0 || arc->total <= totals->functions[arc->caller - 1]);
    return is_within ? MIN(most, functions[arc->caller - 1].total) : most;
}

/* Arcs of a recursion have no context of their own, so they change as their function does. */
static void update_arcs(const Totals *totals)
{
    FcCounts *counts = totals->counts;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        FcCountsArc *arc = &counts->arcs[i];
        const FcCountsFunction *callee = &counts->functions[arc->callee];
        const Sum of_callee = {less(totals->functions[arc->callee], callee->wait_total),
                               less(callee->total, callee->wait_total)};
        const guint64 wait = fc_counts_wait(counts->arc_waits, i).total;
        guint64 total = arc->total;
        if (totals->has_context[i + 1])
            total = scaled(total, wait, &totals->of_arcs[i + 1]);
        else if (total > 0)
            total = scaled(total, wait, &of_callee);
        arc->total = MIN(total, most_of_arc(totals, arc));
    }
}

guint64 *fc_totals_local_times(const FcCounts *counts)
{
    guint64 *local = g_new(guint64, counts->node_count);
    for (guint32 i = 0; i < counts->node_count; i++)
        local[i] = counts->nodes[i].local;
    return local;
}

void fc_totals_update(FcCounts *counts, const guint64 *before)
{
    g_autofree guint64 *was = g_memdup2(before, counts->node_count * sizeof *before);
    g_autofree guint64 *now = fc_totals_local_times(counts);
    g_autofree guint64 *waits = g_new(guint64, counts->node_count);
    g_autofree guint32 *head = g_new0(guint32, counts->node_count);
    g_autofree Sum *of_functions = g_new0(Sum, counts->function_count + 1);
    g_autofree Sum *of_arcs = g_new0(Sum, counts->arc_count + 1);
    g_autofree guint64 *functions = g_new0(guint64, counts->function_count + 1);
    g_autofree gboolean *has_context = g_new0(gboolean, counts->arc_count + 1);
    g_autofree guint32 *arcs = fc_counts_arcs_of_nodes(counts);
    const Totals totals = {counts,       was,     now,       waits,      head,
                           of_functions, of_arcs, functions, has_context};
    for (guint32 i = 0; i < counts->node_count; i++)
        waits[i] = fc_counts_wait(counts->node_waits, i).local;
    sum_below(counts, waits);
    sum_below(counts, was);
    sum_below(counts, now);
    find_heads(&totals);
    update_contexts(&totals, arcs);
    update_functions(&totals);
    update_arcs(&totals);
}
