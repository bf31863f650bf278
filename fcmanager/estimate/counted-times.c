/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates the times of counted calls that were not timed: see counted-work.h.
 */
#include "fcmanager/estimate/counted-work.h"
#include "fcmanager/estimate/totals.h"

/* fc_attribution_divide takes integer weights: this many make a tick. */
#define WEIGHTS_PER_TICK 256.0

typedef struct
{
    guint64 alone;
    FcCountedSums timed;
} Sums;

static void add(FcCountedSums *sums, const FcCountedSums *more)
{
    sums->calls += more->calls;
    sums->weight += more->weight;
    sums->weight_squares += more->weight_squares;
    sums->callees += more->callees;
    sums->local += more->local;
    sums->local_squares += more->local_squares;
    sums->total += more->total;
    sums->total_squares += more->total_squares;
}

static void add_sample(Sums *sums, const FcCountedSample *sample)
{
    add(&sums->timed, &sample->timed);
    sums->alone += sample->alone;
}

/* Returns the variance of an estimate: the sum of `untimed` values that were not measured, each
 * taken as the mean of those that were. */
static double variance_of(double sum, double squares, const FcCountedSums *timed, double untimed)
{
    if (timed->calls == 0 || untimed <= 0)
        return 0;
    const double mean = sum / timed->weight;
    /* the timed calls count as this many of equal weight (Kish's effective sample size) */
    const double count = timed->weight * timed->weight / timed->weight_squares;
    /* With a single value, the error is taken to be as large as the value. */
    double one = mean * mean;
    if (timed->calls > 1)
        one = MAX(0, squares / timed->weight - one) * count / MAX(count - 1, 1);
    return one * untimed * (untimed + count) / count;
}

static Sums sums_of_pair(const FcAttribution *work, const FcCountedPair *pair)
{
    Sums sums = {0};
    for (guint32 at = pair->first_sample; at != 0;)
    {
        const FcCountedSample *sample =
            &g_array_index(work->counted->samples, FcCountedSample, at - 1);
        add_sample(&sums, sample);
        at = sample->next;
    }
    return sums;
}

/* Returns the mean local time of an untimed call of `function`, without the overhead of timing and
 * with that of counting. */
static double mean_local(const FcAttribution *work, const Sums *sums, guint32 function)
{
    const FcCallOverhead *of_call = work->of_call;
    const FcCountedSums *timed = &sums->timed;
    double mean = 0;
    if (timed->calls > 0)
        mean = (timed->local - timed->callees * (of_call->recorded - of_call->inside)) /
                   timed->weight -
               of_call->inside;
    return MAX(mean, 0) + fc_overhead_of_counted(of_call, &work->counts->functions[function]);
}

/* Adds to the function's variances, and returns that of the local time. */
static double add_errors(FcCountsFunction *function, const Sums *sums, double mean, double untimed)
{
    /* With no timed call, the error is taken to be as large as the time. */
    double local = mean * untimed * mean * untimed;
    double total = local;
    const FcCountedSums *timed = &sums->timed;
    if (timed->calls > 0)
    {
        local = variance_of(timed->local, timed->local_squares, timed, untimed);
        total = variance_of(timed->total, timed->total_squares, timed, untimed);
    }
    function->local_variance += local;
    function->total_variance += total;
    return local;
}

/* Adds the error of a counted function's time to the recorded frame that the time was taken from.
 */
static void add_givers_errors(FcAttribution *work, const double *variances, const double *untimed)
{
    FcCounts *counts = work->counts;
    for (guint i = 0; i < work->shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(work->shares, FcCountedShare, i);
        if (share->pair == FC_SHARE_OF_OVERHEAD || share->frame == 0 ||
            share->frame == share->node || untimed[share->pair] <= 0)
            continue;
        const double part = share->untimed / untimed[share->pair];
        counts->functions[counts->nodes[share->frame].function].local_variance +=
            variances[share->pair] * part * part;
    }
}

/* Pairs with too few samples of their own get a part of the error of the function as a whole. */
static void add_pooled_errors(FcAttribution *work, const Sums *by_function, const double *pooled,
                              const double *untimed, double *variances)
{
    FcCounts *counts = work->counts;
    g_autofree double *of_all = g_new0(double, counts->function_count);
    for (guint32 i = 0; i < counts->function_count; i++)
        of_all[i] = add_errors(&counts->functions[i], &by_function[i],
                               mean_local(work, &by_function[i], i), pooled[i]);
    for (guint i = 0; i < work->counted->pairs->len; i++)
    {
        guint32 function = g_array_index(work->counted->pairs, FcCountedPair, i).function;
        const double part = pooled[function] > 0 ? untimed[i] / pooled[function] : 0;
        if (variances[i] == 0)
            variances[i] = of_all[function] * part * part;
    }
}

double fc_attribution_estimated_part(const FcCountedPair *pair)
{
    return pair->calls > 0 ? (double)(pair->calls - pair->deep) / (double)pair->calls : 0;
}

/* Estimates the time of the untimed calls of each share. */
static void estimate(FcAttribution *work)
{
    const GArray *pairs = work->counted->pairs;
    FcCounts *counts = work->counts;
    g_autofree Sums *by_function = g_new0(Sums, counts->function_count);
    g_autofree Sums *by_pair = g_new(Sums, pairs->len + 1);
    g_autofree double *pooled = g_new0(double, counts->function_count);
    g_autofree double *untimed = g_new0(double, pairs->len + 1);
    g_autofree double *means = g_new0(double, pairs->len + 1);
    g_autofree double *variances = g_new0(double, pairs->len + 1);
    for (guint i = 0; i < work->shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(work->shares, FcCountedShare, i);
        if (share->pair != FC_SHARE_OF_OVERHEAD)
            untimed[share->pair] +=
                share->untimed *
                fc_attribution_estimated_part(&g_array_index(pairs, FcCountedPair, share->pair));
    }
    for (guint i = 0; i < work->counted->samples->len; i++)
    {
        const FcCountedSample *sample = &g_array_index(work->counted->samples, FcCountedSample, i);
        add_sample(&by_function[counts->arcs[sample->arc].callee], sample);
    }
    for (guint i = 0; i < pairs->len; i++)
        by_pair[i] = sums_of_pair(work, &g_array_index(pairs, FcCountedPair, i));
    for (guint i = 0; i < pairs->len; i++)
    {
        const FcCountedPair *pair = &g_array_index(pairs, FcCountedPair, i);
        FcCountsFunction *function = &counts->functions[pair->function];
        const Sums sums = by_pair[i];
        /* otherwise the mean of all timed calls of the function is used */
        const gboolean own = (double)sums.timed.calls >= FC_SAMPLES_LEAST;
        means[i] = mean_local(work, own ? &sums : &by_function[pair->function], pair->function);
        function->counted += pair->calls - pair->deep;
        function->timed += sums.timed.calls + sums.alone;
        if (own)
            variances[i] = add_errors(function, &sums, means[i], untimed[i]);
        else
            pooled[pair->function] += untimed[i];
    }
    add_pooled_errors(work, by_function, pooled, untimed, variances);
    add_givers_errors(work, variances, untimed);
    for (guint i = 0; i < work->shares->len; i++)
    {
        FcCountedShare *share = &g_array_index(work->shares, FcCountedShare, i);
        if (share->pair == FC_SHARE_OF_OVERHEAD)
            continue;
        const FcCountedPair *pair = &g_array_index(pairs, FcCountedPair, share->pair);
        share->ticks = share->untimed * means[share->pair] * fc_attribution_estimated_part(pair);
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

/* Returns the innermost context that both are in or below.  Parents stand before their children. */
static guint32 common_context(const FcCounts *counts, guint32 one, guint32 other)
{
    while (one != other)
        if (one > other)
            one = counts->nodes[one].parent;
        else
            other = counts->nodes[other].parent;
    return one;
}

/* Moves the time of `count` shares from their frame to their contexts.  `measured` is the frame's
 * own time.  `before` is the local time, by context, that totals contain.  Time that goes to a
 * context that is not below the frame stays in the totals of the frame and those above it. */
static void move_time(FcAttribution *work, const FcCountedShare *shares, guint count,
                      guint64 measured, guint64 *before)
{
    FcCounts *counts = work->counts;
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
    fc_attribution_divide(MIN(moved, measured), weights, count, parts);
    for (guint i = 0; i < count; i++)
    {
        const guint32 frame = shares[i].frame;
        if (frame == shares[i].node)
            continue;
        if (frame != 0)
            counts->nodes[frame].local -= parts[i];
        counts->nodes[shares[i].node].local += parts[i];
        const guint32 common = common_context(counts, frame, shares[i].node);
        if (common == frame)
            continue;
        before[frame] -= parts[i];
        /* a folded context has no part in the totals of others */
        before[common != 0 ? common : shares[i].node] += parts[i];
    }
}

/* Estimates the time of calls within another call of their function, which have no context of their
 * own.  Each call site gets as large a part of the function's time as its calls are of the sum
 * of these and the outermost calls. */
static void add_recursion(FcAttribution *work)
{
    FcCounts *counts = work->counts;
    g_autofree guint32 *arcs = fc_counts_arcs_of_nodes(counts);
    g_autofree gboolean *has_context = g_new0(gboolean, counts->arc_count + 1);
    g_autofree guint64 *outermost = g_new0(guint64, counts->function_count);
    for (guint32 i = 1; i < counts->node_count; i++)
        has_context[arcs[i]] = TRUE;
    for (guint32 i = 0; i < counts->arc_count; i++)
        if (has_context[i + 1])
            outermost[counts->arcs[i].callee] += counts->arcs[i].calls;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        FcCountsArc *arc = &counts->arcs[i];
        const FcCountsFunction *callee = &counts->functions[arc->callee];
        const guint64 recorded =
            i < work->recorded->len ? g_array_index(work->recorded, guint64, i) : 0;
        const FcCountedPair *pair =
            fc_counted_pair(work->counted, arc->site, arc->site_module, arc->callee);
        const double part = (double)(arc->calls - MIN(recorded, arc->calls)) *
                            fc_attribution_estimated_part(pair) /
                            (double)(arc->calls + MAX(1, outermost[arc->callee]));
        if (has_context[i + 1] || part <= 0)
            continue;
        const guint64 wait = fc_counts_wait(counts->arc_waits, i).total;
        arc->total = MIN(arc->total + (guint64)(part * (double)callee->total + 0.5), callee->total);
        fc_counts_add_wait(&counts->arc_waits, i,
                           (FcCountsCost){MIN((guint64)(part * (double)callee->wait_total + 0.5),
                                              callee->wait_total - MIN(wait, callee->wait_total)),
                                          0});
    }
}

void fc_attribution_times(FcAttribution *work, guint64 outside)
{
    FcCounts *counts = work->counts;
    estimate(work);
    g_autofree guint64 *before = fc_totals_local_times(counts);
    g_autofree guint64 *measured = g_new(guint64, counts->node_count);
    for (guint32 i = 0; i < counts->node_count; i++)
    {
        /* Excludes the thread's waiting time: the samples' times contain none. */
        const guint64 local = counts->nodes[i].local;
        measured[i] = local - MIN(fc_counts_wait(counts->node_waits, i).local, local);
    }
    measured[0] = outside;
    g_array_sort(work->shares, compare_shares);
    FcCountedShare *shares = (FcCountedShare *)(gpointer)work->shares->data;
    for (guint from = 0, to; from < work->shares->len; from = to)
    {
        for (to = from; to < work->shares->len && shares[to].frame == shares[from].frame; to++)
            continue;
        move_time(work, &shares[from], to - from, measured[shares[from].frame], before);
    }
    fc_totals_update(counts, before);
    add_recursion(work);
}
