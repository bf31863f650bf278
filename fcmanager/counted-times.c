/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates the times of counted calls that were not timed: see counted-settle.h.
 */
#include "fcmanager/counted-settle.h"

/* With fewer sampled calls of one call site the mean is that of all the function's. */
#define SAMPLES_LEAST 16u

/* Weights of fc_settle_divide are whole numbers: so many to a tick. */
#define WEIGHTS_PER_TICK 256.0

typedef struct
{
    guint64 timed;
    guint64 alone;
    guint64 callees;
    double local;
    double local_squares;
    double total;
    double total_squares;
    guint64 gaps;
    double gap;
} Sums;

static void add_sample(Sums *sums, const FcCountedSample *sample)
{
    sums->timed += sample->timed;
    sums->alone += sample->alone;
    sums->callees += sample->callees;
    sums->local += sample->local;
    sums->local_squares += sample->local_squares;
    sums->total += sample->total;
    sums->total_squares += sample->total_squares;
    sums->gaps += sample->gaps;
    sums->gap += sample->gap;
}

/* What the sum of `untimed` values that were not measured differs from that many times the mean of
 * `timed` that were, squared; both drawn from the same. */
static double variance_of(double sum, double squares, guint64 timed, double untimed)
{
    if (timed == 0 || untimed <= 0)
        return 0;
    const double count = (double)timed;
    const double mean = sum / count;
    /* of one value nothing is known but that it is one of those */
    const double one =
        timed > 1 ? MAX(0, (squares - count * mean * mean) / (count - 1)) : mean * mean;
    return one * untimed * (untimed + count) / count;
}

static Sums sums_of_pair(const FcSettle *settle, const FcCountedPair *pair)
{
    Sums sums = {0};
    for (guint32 at = pair->first_sample; at != 0;)
    {
        const FcCountedSample *sample =
            &g_array_index(settle->counted->samples, FcCountedSample, at - 1);
        add_sample(&sums, sample);
        at = sample->next;
    }
    return sums;
}

static double callees_of(const Sums *sums)
{
    return sums->timed > 0 ? (double)sums->callees / (double)sums->timed : 0;
}

/* The local time of an untimed call of `function`, as it was: what timing it and the calls that it
 * made cost is no part of it, what counting it cost is. */
static double mean_local(const FcSettle *settle, const Sums *sums, guint32 function)
{
    const FcCallCosts *costs = settle->costs;
    const GArray *before = settle->counted->before;
    double mean = function < before->len ? g_array_index(before, double, function) : 0;
    if (sums->timed > 0)
        mean =
            sums->local / (double)sums->timed - costs->sampled - callees_of(sums) * costs->callee;
    else
        mean -= costs->inside;
    return MAX(mean, 0) + fc_costs_of_counted(costs, &settle->counts->functions[function]);
}

static double gap_of(const FcSettle *settle, const Sums *sums)
{
    if (sums->gaps < SAMPLES_LEAST)
        return -1;
    return MAX(0, sums->gap / (double)sums->gaps - settle->costs->gap);
}

/* Adds to the function's variances, and returns that of the local time. */
static double add_errors(FcCountsFunction *function, const Sums *sums, double mean, double untimed)
{
    /* of a mean that is not of a sample nothing is known but that it is one */
    double local = mean * untimed * mean * untimed;
    double total = local;
    if (sums->timed > 0)
    {
        local = variance_of(sums->local, sums->local_squares, sums->timed, untimed);
        total = variance_of(sums->total, sums->total_squares, sums->timed, untimed);
    }
    function->local_variance += local;
    function->total_variance += total;
    return local;
}

/* What is too much here is too little there. */
static void add_givers_errors(FcSettle *settle, const double *variances, const double *untimed)
{
    FcCounts *counts = settle->counts;
    for (guint i = 0; i < settle->shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(settle->shares, FcCountedShare, i);
        if (share->pair == FC_SHARE_OF_COSTS || share->frame == 0 || share->frame == share->node ||
            untimed[share->pair] <= 0)
            continue;
        const double part = share->untimed / untimed[share->pair];
        counts->functions[counts->nodes[share->frame].function].local_variance +=
            variances[share->pair] * part * part;
    }
}

/* Of the functions' pairs that have too few samples of their own: of each what it is of all. */
static void add_pooled_errors(FcSettle *settle, const Sums *by_function, const double *pooled,
                              const double *untimed, double *variances)
{
    FcCounts *counts = settle->counts;
    g_autofree double *of_all = g_new0(double, counts->function_count);
    for (guint32 i = 0; i < counts->function_count; i++)
        of_all[i] = add_errors(&counts->functions[i], &by_function[i],
                               mean_local(settle, &by_function[i], i), pooled[i]);
    for (guint i = 0; i < settle->counted->pairs->len; i++)
    {
        guint32 function = g_array_index(settle->counted->pairs, FcCountedPair, i).function;
        const double part = pooled[function] > 0 ? untimed[i] / pooled[function] : 0;
        if (variances[i] == 0)
            variances[i] = of_all[function] * part * part;
    }
}

double fc_settle_estimated_part(const FcCountedPair *pair)
{
    return pair->calls > 0 ? (double)(pair->calls - pair->deep) / (double)pair->calls : 0;
}

/* How long the untimed calls of each share took by the samples. */
static void estimate(FcSettle *settle)
{
    const GArray *pairs = settle->counted->pairs;
    FcCounts *counts = settle->counts;
    g_autofree Sums *by_function = g_new0(Sums, counts->function_count);
    g_autofree double *pooled = g_new0(double, counts->function_count);
    g_autofree double *untimed = g_new0(double, pairs->len + 1);
    g_autofree double *means = g_new0(double, pairs->len + 1);
    g_autofree double *variances = g_new0(double, pairs->len + 1);
    for (guint i = 0; i < settle->shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(settle->shares, FcCountedShare, i);
        if (share->pair != FC_SHARE_OF_COSTS)
            untimed[share->pair] +=
                share->untimed *
                fc_settle_estimated_part(&g_array_index(pairs, FcCountedPair, share->pair));
    }
    for (guint i = 0; i < settle->counted->samples->len; i++)
    {
        const FcCountedSample *sample =
            &g_array_index(settle->counted->samples, FcCountedSample, i);
        add_sample(&by_function[counts->arcs[sample->arc].callee], sample);
    }
    for (guint i = 0; i < pairs->len; i++)
    {
        FcCountedPair *pair = &g_array_index(pairs, FcCountedPair, i);
        FcCountsFunction *function = &counts->functions[pair->function];
        const Sums sums = sums_of_pair(settle, pair);
        const gboolean own = sums.timed >= SAMPLES_LEAST;
        pair->callees = callees_of(own ? &sums : &by_function[pair->function]);
        pair->gap = gap_of(settle, &sums);
        means[i] = mean_local(settle, own ? &sums : &by_function[pair->function], pair->function);
        function->counted += pair->calls - pair->deep;
        function->timed += sums.timed + sums.alone;
        if (own)
            variances[i] = add_errors(function, &sums, means[i], untimed[i]);
        else
            pooled[pair->function] += untimed[i];
    }
    add_pooled_errors(settle, by_function, pooled, untimed, variances);
    add_givers_errors(settle, variances, untimed);
    for (guint i = 0; i < settle->shares->len; i++)
    {
        FcCountedShare *share = &g_array_index(settle->shares, FcCountedShare, i);
        if (share->pair == FC_SHARE_OF_COSTS)
            continue;
        const FcCountedPair *pair = &g_array_index(pairs, FcCountedPair, share->pair);
        const double part = fc_settle_estimated_part(pair);
        const double cost = fc_costs_of_counted(settle->costs, &counts->functions[pair->function]);
        share->ticks = share->untimed * (means[share->pair] * part + cost * (1 - part));
    }
}

void fc_settle_add_total(FcSettle *settle, guint32 node, guint32 frame, guint64 ticks, guint64 wait)
{
    FcCounts *counts = settle->counts;
    while (node != 0 && !fc_settle_is_on_path(counts, node, frame))
    {
        FcCountsNode *own = &counts->nodes[node];
        guint32 caller = own->parent != 0 ? counts->nodes[own->parent].function + 1 : 0;
        guint32 arc = fc_counts_get_arc(counts, caller, own->site, own->site_module, own->function);
        own->total += ticks;
        counts->arcs[arc].total += ticks;
        counts->functions[own->function].total += ticks;
        fc_counts_add_wait(&counts->node_waits, node, (FcCountsCost){wait, 0});
        fc_counts_add_wait(&counts->arc_waits, arc, (FcCountsCost){wait, 0});
        counts->functions[own->function].wait_total += wait;
        node = own->parent;
    }
}

static gint compare_shares(gconstpointer a, gconstpointer b)
{
    const FcCountedShare *one = a;
    const FcCountedShare *other = b;
    if (one->frame != other->frame)
        return one->frame < other->frame ? -1 : 1;
    if (one->node != other->node)
        return one->node < other->node ? -1 : 1;
    return one->pair < other->pair ? -1 : one->pair > other->pair;
}

/* Takes the time of `count` shares of one frame, of which it has `measured`, to their contexts. */
static void move_time(FcSettle *settle, const FcCountedShare *shares, guint count, guint64 measured)
{
    FcCounts *counts = settle->counts;
    g_autofree guint64 *weights = g_new(guint64, count);
    g_autofree guint64 *parts = g_new(guint64, count);
    double sum = 0;
    for (guint i = 0; i < count; i++)
    {
        sum += shares[i].ticks;
        weights[i] = (guint64)MIN(shares[i].ticks * WEIGHTS_PER_TICK, 0x1p60);
    }
    const guint64 moved = sum < (double)measured ? (guint64)(sum + 0.5) : measured;
    if (moved == 0)
        return;
    fc_settle_divide(MIN(moved, measured), weights, count, parts);
    for (guint i = 0; i < count; i++)
    {
        if (shares[i].frame == shares[i].node)
            continue;
        if (shares[i].frame != 0)
            counts->nodes[shares[i].frame].local -= parts[i];
        counts->nodes[shares[i].node].local += parts[i];
        fc_settle_add_total(settle, shares[i].node, shares[i].frame, parts[i], 0);
    }
}

void fc_settle_times(FcSettle *settle, guint64 outside)
{
    FcCounts *counts = settle->counts;
    estimate(settle);
    g_autofree guint64 *measured = g_new(guint64, counts->node_count);
    for (guint32 i = 0; i < counts->node_count; i++)
    {
        /* what the thread did not wait: the samples' times have no waiting in them */
        const guint64 local = counts->nodes[i].local;
        measured[i] = local - MIN(fc_counts_wait(counts->node_waits, i).local, local);
    }
    measured[0] = outside;
    g_array_sort(settle->shares, compare_shares);
    FcCountedShare *shares = (FcCountedShare *)(gpointer)settle->shares->data;
    for (guint from = 0, to; from < settle->shares->len; from = to)
    {
        for (to = from; to < settle->shares->len && shares[to].frame == shares[from].frame; to++)
            continue;
        fc_settle_fit(settle, &shares[from], to - from, (double)measured[shares[from].frame]);
        move_time(settle, &shares[from], to - from, measured[shares[from].frame]);
    }
}

static gboolean is_outermost(const FcCounts *counts, guint32 node)
{
    const guint32 function = counts->nodes[node].function;
    guint32 above = counts->nodes[node].parent;
    while (above != 0 && counts->nodes[above].function != function)
        above = counts->nodes[above].parent;
    return above == 0;
}

/* A context takes no longer than its caller's, but where a coroutine was left: no less than its own
 * time.  Returns what all take that have no caller. */
static guint64 bound_contexts(FcCounts *counts)
{
    guint64 all = 0;
    for (guint32 i = 1; i < counts->node_count; i++) /* callers come first */
    {
        FcCountsNode *node = &counts->nodes[i];
        const guint64 most = counts->nodes[node->parent].total;
        if (node->parent == 0)
            all += node->total;
        else
            node->total = MIN(node->total, MAX(most, node->local));
    }
    return all;
}

/* Where functions call one another in a circle, a context that goes to a hidden caller may have
 * that caller's own time in it, which would count twice: a function takes no longer than its
 * outermost contexts. */
void fc_settle_bound_totals(FcSettle *settle)
{
    FcCounts *counts = settle->counts;
    const guint64 all = bound_contexts(counts);
    g_autofree guint64 *most = g_new0(guint64, counts->function_count);
    g_autofree guint64 *least = g_new0(guint64, counts->function_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        least[node->function] += node->local;
        if (is_outermost(counts, i))
            most[node->function] += node->total;
    }
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        FcCountsFunction *function = &counts->functions[i];
        function->total = MIN(function->total, MAX(MIN(most[i], all), least[i]));
        function->wait_total = MIN(function->wait_total, function->total);
    }
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        FcCountsArc *arc = &counts->arcs[i];
        arc->total = MIN(arc->total, counts->functions[arc->callee].total);
    }
}
