/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which changes are more than noise; see fc_diff_judge and fc_diff_change of diff.h.
 *
 * Counts are exact: if all runs of each side have the same count, a difference is a finding.
 * Everything else is tested by Welch's test.  As many functions are tested at once, the level is
 * that of the procedure of Benjamini and Hochberg.  The confidence intervals have the same level: a
 * change is a finding exactly if its interval does not contain 0.
 */
#include "model/diff.h"

#include <math.h>

/* The variance that comes from rounding times to whole nanoseconds. */
#define ROUNDING_VARIANCE (1.0 / 12)

/* Whether the figure is no time and does not vary between the runs of a side. */
static gboolean is_exact(FcDiffMetric metric, const FcMoments *figure)
{
    return !fc_diff_is_time(metric) && figure[FC_DIFF_BEFORE].squares <= 0 &&
           figure[FC_DIFF_AFTER].squares <= 0;
}

static gboolean is_single(const FcDiff *diff)
{
    return diff->runs[FC_DIFF_BEFORE] == 1 && diff->runs[FC_DIFF_AFTER] == 1;
}

static FcWelch compare(const FcDiff *diff, const FcMoments *figure, const double *variance,
                       FcDiffMetric metric)
{
    double known[FC_DIFF_SIDES] = {0, 0};
    for (FcDiffSide side = 0; side < FC_DIFF_SIDES; side++)
    {
        /* With several runs, the spread already includes the errors of estimates. */
        if (variance && diff->runs[side] == 1)
            known[side] = variance[side];
        if (!is_single(diff) && (metric == FC_DIFF_TOTAL || metric == FC_DIFF_LOCAL))
            known[side] = MAX(known[side], ROUNDING_VARIANCE);
    }
    return fc_welch(figure, diff->runs, known);
}

static gboolean find_tail(const FcDiff *diff, const FcMoments *figure, const double *variance,
                          FcDiffMetric metric, double *tail)
{
    const FcWelch welch = compare(diff, figure, variance, metric);
    if (is_exact(metric, figure) || welch.freedom <= 0)
        return FALSE;
    if (welch.error > 0)
        *tail = fc_student_tail(welch.change / welch.error, welch.freedom);
    else
        *tail = welch.change == 0 ? 1 : 0;
    return TRUE;
}

static FcDiffChange find_change(const FcDiff *diff, const FcMoments *figure, const double *variance,
                                FcDiffMetric metric, gboolean judged, double level)
{
    FcDiffChange change = {.before = figure[FC_DIFF_BEFORE].mean,
                           .after = figure[FC_DIFF_AFTER].mean,
                           .change = figure[FC_DIFF_AFTER].mean - figure[FC_DIFF_BEFORE].mean};
    double tail = 1;
    if (is_exact(metric, figure))
    {
        change.verdict = change.change == 0 ? FC_VERDICT_SAME : FC_VERDICT_FOUND;
        return change;
    }
    const gboolean tested = find_tail(diff, figure, variance, metric, &tail);
    if (tested)
    {
        const FcWelch welch = compare(diff, figure, variance, metric);
        change.margin = welch.error * fc_student_bound(level, welch.freedom);
    }
    if (change.change == 0)
        change.verdict = FC_VERDICT_SAME;
    else if (!judged)
        change.verdict = FC_VERDICT_NOISE;
    else if (tested && tail > level)
        change.verdict = FC_VERDICT_NOISE;
    else /* one run on each side: even a change beyond the errors of estimates may be chance */
        change.verdict = is_single(diff) ? FC_VERDICT_UNKNOWN : FC_VERDICT_FOUND;
    return change;
}

gboolean fc_diff_tail(const FcDiff *diff, const FcDiffFunction *function, FcDiffMetric metric,
                      double *tail)
{
    if (fc_diff_is_time(metric) && !function->judged)
        return FALSE;
    return find_tail(diff, function->figures[metric], function->variance[metric], metric, tail);
}

FcDiffChange fc_diff_change(const FcDiff *diff, const FcDiffFunction *function, FcDiffMetric metric,
                            double level)
{
    return find_change(diff, function->figures[metric], function->variance[metric], metric,
                       function->judged || !fc_diff_is_time(metric), level);
}

FcDiffChange fc_diff_context_change(const FcDiff *diff, const FcDiffContext *context,
                                    FcDiffMetric metric)
{
    return find_change(diff, context->figures[metric], NULL, metric,
                       context->judged || !fc_diff_is_time(metric), diff->context_level);
}

/* ---- All of them --------------------------------------------------------------------- */

static void fill(const FcDiff *diff, FcDiffFigure *figures, guint *filled)
{
    for (FcDiffSide side = 0; side < FC_DIFF_SIDES; side++)
    {
        for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
            fc_moments_fill(&figures[metric][side], filled[side], diff->runs[side]);
        filled[side] = diff->runs[side];
    }
}

/* Returns the share of the total time in the whole, on the side where it is larger. */
static double share_of(const FcDiff *diff, const FcDiffFigure *figures)
{
    double share = 0;
    for (FcDiffSide side = 0; side < FC_DIFF_SIDES; side++)
    {
        const double whole = diff->whole.figures[FC_DIFF_LOCAL][side].mean;
        if (whole > 0)
            share = MAX(share, figures[FC_DIFF_TOTAL][side].mean / whole);
    }
    return share;
}

static void judge_functions(FcDiff *diff, double least_share)
{
    g_autoptr(GArray) tails = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint i = 0; i < diff->functions->len; i++)
    {
        FcDiffFunction *function = &g_array_index(diff->functions, FcDiffFunction, i);
        double tail;
        fill(diff, function->figures, function->filled);
        function->judged = share_of(diff, function->figures) >= least_share;
        for (FcDiffMetric metric = 0; function->shown && metric < FC_DIFF_METRICS; metric++)
            if (fc_diff_tail(diff, function, metric, &tail))
                g_array_append_val(tails, tail);
    }
    diff->level = fc_discovery_level((double *)(void *)tails->data, tails->len, FC_DIFF_RATE);
}

static void judge_contexts(FcDiff *diff, double least_share)
{
    g_autoptr(GArray) tails = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint i = 0; i < diff->contexts->len; i++)
    {
        FcDiffContext *context = &g_array_index(diff->contexts, FcDiffContext, i);
        double tail;
        fill(diff, context->figures, context->filled);
        context->judged = share_of(diff, context->figures) >= least_share;
        for (FcDiffMetric metric = 0; context->judged && metric < FC_DIFF_METRICS; metric++)
            if (find_tail(diff, context->figures[metric], NULL, metric, &tail))
                g_array_append_val(tails, tail);
    }
    diff->context_level =
        fc_discovery_level((double *)(void *)tails->data, tails->len, FC_DIFF_RATE);
}

/* Labels are distinct within a side only: a function that is gone and a new one may share a label.
 * Both then get their names instead. */
static void distinguish(FcDiff *diff)
{
    g_autoptr(GHashTable) counts = g_hash_table_new(NULL, NULL); /* labels are interned */
    for (guint i = 0; i < diff->functions->len; i++)
    {
        const char *label = fc_diff_function(diff, i)->label;
        const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, label));
        g_hash_table_insert(counts, (gpointer)label, GUINT_TO_POINTER(count + 1));
    }
    for (guint i = 0; i < diff->functions->len; i++)
    {
        FcDiffFunction *function = &g_array_index(diff->functions, FcDiffFunction, i);
        if (GPOINTER_TO_UINT(g_hash_table_lookup(counts, function->label)) > 1)
            function->label = g_intern_string(function->name);
    }
}

void fc_diff_judge(FcDiff *diff, double least_share)
{
    distinguish(diff);
    diff->whole.judged = TRUE;
    judge_functions(diff, least_share);
    if (diff->contexts)
        judge_contexts(diff, least_share);
}
