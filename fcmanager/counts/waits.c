/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See waits.h.
 */
#include "fcmanager/counts/waits.h"

/* Ticks by context. */
typedef struct
{
    guint64 *cut;            /* cut off its own wait, and off those of the contexts below it */
    guint64 *callees;        /* the totals of its children */
    guint64 *callees_on_cpu; /* the part of that on the CPU */
} Work;

static guint64 less(guint64 ticks, guint64 taken)
{
    return ticks - MIN(taken, ticks);
}

static void set_wait(GHashTable **waits, guint32 index, FcCountsCost wait)
{
    FcCountsCost *there = *waits ? g_hash_table_lookup(*waits, GUINT_TO_POINTER(index)) : NULL;
    if (there)
        *there = wait;
    else
        fc_counts_add_wait(waits, index, wait);
}

/* The bounded wait in a context's total.  `wait` has the measured total and the bounded local
 * wait; the children's are bounded.  Without recursion the result is at least the sum of these, and
 * more by at most the part of the total that is neither the context's own nor a child's.  The
 * measured total may have been bounded before, so it need not contain all that was cut off. */
static guint64 bound_total(const Work *work, const FcCountsNode *node, guint32 index,
                           FcCountsCost wait)
{
    const guint64 sum = node->local + work->callees[index];
    const guint64 seen = less(wait.total, work->cut[index]);
    if (node->total < sum)
        return MIN(MAX(seen, wait.local), node->total);
    const guint64 least = wait.local + less(work->callees[index], work->callees_on_cpu[index]);
    return CLAMP(seen, least, least + (node->total - sum));
}

/* Bounds the waits of all contexts.  Children stand behind their parents. */
static void bound_nodes(FcCounts *counts, const Work *work)
{
    for (guint32 i = counts->node_count; i-- > 1;)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const FcCountsCost seen = fc_counts_wait(counts->node_waits, i);
        FcCountsCost bounded = {0, MIN(seen.local, node->local)};
        work->cut[i] += seen.local - bounded.local;
        bounded.total = bound_total(work, node, i, (FcCountsCost){seen.total, bounded.local});
        set_wait(&counts->node_waits, i, bounded);
        work->cut[node->parent] += work->cut[i];
        work->callees[node->parent] += node->total;
        work->callees_on_cpu[node->parent] += less(node->total, bounded.total);
    }
}

static guint64 on_cpu(const FcCounts *counts, guint32 index)
{
    return less(counts->nodes[index].total, fc_counts_wait(counts->node_waits, index).total);
}

/* Cuts waits so that each context's total on the CPU is at least its own time on the CPU, and at
 * least that of each context below it.  In a recursion the measured wait may be longer. */
static void leave_room(FcCounts *counts)
{
    g_autofree guint64 *least = g_new0(guint64, counts->node_count);
    for (guint32 i = counts->node_count; i-- > 1;) /* children stand behind their parents */
    {
        const FcCountsNode *node = &counts->nodes[i];
        FcCountsCost wait = fc_counts_wait(counts->node_waits, i);
        least[i] = MIN(MAX(least[i], less(node->local, wait.local)), node->total);
        least[node->parent] = MAX(least[node->parent], least[i]);
        if (on_cpu(counts, i) >= least[i])
            continue;
        wait.total = MAX(node->total - least[i], wait.local);
        set_wait(&counts->node_waits, i, wait);
    }
}

/* Lengthens waits so that no context's total on the CPU is more than its caller's, unless its own
 * time is: see totals.h.  Returns the thread's time on the CPU, the sum of all contexts' own. */
static guint64 bound_on_cpu(FcCounts *counts)
{
    guint64 all = 0;
    leave_room(counts);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint32 parent = node->parent;
        FcCountsCost wait = fc_counts_wait(counts->node_waits, i);
        const guint64 own = less(node->local, wait.local);
        all += own;
        if (parent == 0 || on_cpu(counts, i) <= MAX(on_cpu(counts, parent), own))
            continue;
        wait.total = less(node->total, MAX(on_cpu(counts, parent), own));
        set_wait(&counts->node_waits, i, wait);
    }
    return all;
}

/* Sums over the contexts of a function or of an arc. */
typedef struct
{
    guint64 total;
    guint64 on_cpu;
    guint64 cut;
    guint64 local; /* their own waits */
} Sum;

static void add_node(Sum *sum, const FcCountsNode *node, FcCountsCost wait, guint64 cut)
{
    sum->total += node->total;
    sum->on_cpu += less(node->total, wait.total);
    sum->cut += cut;
    sum->local += wait.local;
}

/* The part of `total` on the CPU.  `total` is the time in which at least one of the contexts was
 * active.  If several were at a time, it is less than the sum of their totals, and the part on the
 * CPU is scaled likewise. */
static guint64 on_cpu_of(const Sum *sum, guint64 total)
{
    if (total == sum->total)
        return sum->on_cpu;
    return (guint64)((double)sum->on_cpu / (double)sum->total * (double)total);
}

/* The part of `total` off the CPU, by that of the contexts.  If `total` is more than theirs,
 * because calls of a recursion have no contexts of their own, it is the measured `wait` without
 * what was cut off.  At most `most`, the thread's time on the CPU, is on the CPU. */
static guint64 bound_sum(const Sum *sum, guint64 total, guint64 wait, guint64 most)
{
    const guint64 bounded = total <= sum->total && sum->total > 0
                                ? less(total, on_cpu_of(sum, total))
                                : MIN(less(wait, sum->cut), total);
    return MAX(bounded, less(total, most));
}

static void bound_sums(FcCounts *counts, const Work *work, guint64 most)
{
    g_autofree Sum *of_functions = g_new0(Sum, counts->function_count + 1);
    g_autofree Sum *of_arcs = g_new0(Sum, counts->arc_count + 1);
    g_autofree guint32 *arcs = fc_counts_arcs_of_nodes(counts);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const FcCountsCost wait = fc_counts_wait(counts->node_waits, i);
        add_node(&of_functions[node->function], node, wait, work->cut[i]);
        add_node(&of_arcs[arcs[i]], node, wait, work->cut[i]);
    }
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        FcCountsFunction *function = &counts->functions[i];
        const guint64 wait =
            bound_sum(&of_functions[i], function->total, function->wait_total, most);
        function->wait_total = MAX(wait, MIN(of_functions[i].local, function->total));
    }
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        FcCountsCost wait = fc_counts_wait(counts->arc_waits, i);
        wait.total = bound_sum(&of_arcs[i + 1], counts->arcs[i].total, wait.total, most);
        set_wait(&counts->arc_waits, i, wait);
    }
}

static guint64 busy_of(const FcCounts *counts, guint32 index)
{
    return less(counts->nodes[index].local, fc_counts_wait(counts->node_waits, index).local);
}

static guint64 part_of(double part, guint64 ticks)
{
    return part < 1 ? (guint64)(part * (double)ticks) : ticks;
}

/* Local times and totals each get the same part of their time on the CPU.  Totals can't be summed
 * up from local times, since in a recursion they are no sums. */
void fc_waits_spread(FcCounts *counts, guint64 unplaced)
{
    double all = 0;
    if (unplaced == 0)
        return;
    for (guint32 i = 1; i < counts->node_count; i++)
        all += (double)busy_of(counts, i);
    const double part = all > 0 ? MIN(1, (double)unplaced / all) : 0;
    for (guint32 i = 1; i < counts->node_count; i++)
        fc_counts_add_wait(
            &counts->node_waits, i,
            (FcCountsCost){part_of(part, on_cpu(counts, i)), part_of(part, busy_of(counts, i))});
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        FcCountsFunction *function = &counts->functions[i];
        function->wait_total += part_of(part, less(function->total, function->wait_total));
    }
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const guint64 seen = fc_counts_wait(counts->arc_waits, i).total;
        const guint64 more = part_of(part, less(counts->arcs[i].total, seen));
        fc_counts_add_wait(&counts->arc_waits, i, (FcCountsCost){more, 0});
    }
}

void fc_waits_bound(FcCounts *counts)
{
    if (!counts->node_waits)
        return;
    Work work = {g_new0(guint64, counts->node_count), g_new0(guint64, counts->node_count),
                 g_new0(guint64, counts->node_count)};
    bound_nodes(counts, &work);
    bound_sums(counts, &work, bound_on_cpu(counts));
    g_free(work.cut);
    g_free(work.callees);
    g_free(work.callees_on_cpu);
}
