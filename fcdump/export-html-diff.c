/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The difference in the page of --html; page/diff.js shows it.
 */
#include "fcdump/export-html.h"
#include "fcdump/report-diff.h"

#include <stdlib.h>

#define CONTEXTS_MAX 60000 /* more would take a browser seconds to open */

/* An array, whose members page/diff.js names. */
static void put_change(FcJson *json, const FcDiffChange *change)
{
    fc_json_begin_array(json, NULL);
    fc_json_double(json, NULL, change->before);
    fc_json_double(json, NULL, change->after);
    fc_json_double(json, NULL, change->margin);
    fc_json_string(json, NULL, fc_diff_verdict_name(change->verdict));
    fc_json_end_array(json);
}

static void put_changes(FcJson *json, const char *key, const FcDiff *diff,
                        const FcDiffFunction *function, double level)
{
    fc_json_begin_array(json, key);
    for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
    {
        const FcDiffChange change = fc_diff_change(diff, function, metric, level);
        put_change(json, &change);
    }
    fc_json_end_array(json);
}

static void put_functions(FcJson *json, const FcDiff *diff)
{
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i < diff->functions->len; i++)
    {
        const FcDiffFunction *function = fc_diff_function(diff, i);
        g_autofree char *finding = fc_diff_finding(diff, function);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "name", function->name);
        fc_json_string(json, "label", function->label);
        fc_json_boolean(json, "shown", function->shown);
        fc_json_string(json, "finding", finding);
        put_changes(json, "changes", diff, function, diff->level);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* ---- Contexts ------------------------------------------------------------------------ */

/* The larger one of its times; a parent's is never less. */
static double weight_of(const FcDiffContext *context)
{
    return MAX(context->figures[FC_DIFF_TOTAL][FC_DIFF_BEFORE].mean,
               context->figures[FC_DIFF_TOTAL][FC_DIFF_AFTER].mean);
}

static int compare_weights(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The numbers of the contexts that the page holds: guint. */
static GArray *choose_contexts(const FcDiff *diff)
{
    const guint count = diff->contexts->len;
    GArray *kept = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autofree double *weights = g_new0(double, count);
    g_autofree gboolean *is_kept = g_new0(gboolean, count);
    for (guint i = 0; i < count; i++)
        weights[i] = weight_of(fc_diff_context(diff, i));
    qsort(weights, count, sizeof *weights, compare_weights);
    const double least = weights[MIN(count, CONTEXTS_MAX) - 1];
    for (guint i = 0; i < count && kept->len < CONTEXTS_MAX; i++)
    {
        const FcDiffContext *context = fc_diff_context(diff, i);
        is_kept[i] =
            context->parent == FC_NONE || (is_kept[context->parent] && weight_of(context) >= least);
        if (is_kept[i])
            g_array_append_val(kept, i);
    }
    return kept;
}

static void put_times(FcJson *json, const char *key, const FcDiff *diff, const GArray *kept,
                      FcDiffSide side)
{
    fc_json_begin_array(json, key);
    for (guint i = 0; i < kept->len; i++)
        fc_json_double(json, NULL,
                       fc_diff_context(diff, g_array_index(kept, guint, i))
                           ->figures[FC_DIFF_LOCAL][side]
                           .mean);
    fc_json_end_array(json);
}

static void put_contexts(FcJson *json, const FcDiff *diff)
{
    g_autoptr(GArray) kept = choose_contexts(diff);
    g_autofree guint *number = g_new0(guint, diff->contexts->len);
    fc_json_begin_object(json, "nodes");
    fc_json_begin_array(json, "parent");
    for (guint i = 0; i < kept->len; i++)
    {
        const FcDiffContext *context = fc_diff_context(diff, g_array_index(kept, guint, i));
        number[g_array_index(kept, guint, i)] = i;
        fc_json_signed(json, NULL,
                       context->parent == FC_NONE ? FC_NONE : (gint)number[context->parent]);
    }
    fc_json_end_array(json);
    fc_json_begin_array(json, "function");
    for (guint i = 0; i < kept->len; i++)
        fc_json_signed(json, NULL, fc_diff_context(diff, g_array_index(kept, guint, i))->function);
    fc_json_end_array(json);
    fc_json_begin_array(json, "verdict");
    for (guint i = 0; i < kept->len; i++)
    {
        const FcDiffChange change = fc_diff_context_change(
            diff, fc_diff_context(diff, g_array_index(kept, guint, i)), FC_DIFF_TOTAL);
        fc_json_string(json, NULL, fc_diff_verdict_name(change.verdict));
    }
    fc_json_end_array(json);
    put_times(json, "before", diff, kept, FC_DIFF_BEFORE);
    put_times(json, "after", diff, kept, FC_DIFF_AFTER);
    fc_json_end_object(json);
    fc_json_unsigned(json, "omitted", diff->contexts->len - kept->len);
}

void fc_export_html_diff(const FcReportContext *context, FcJson *json)
{
    const FcDiff *diff = context->diff;
    fc_json_begin_object(json, "difference");
    fc_json_begin_array(json, "runs");
    for (FcDiffSide side = 0; side < FC_DIFF_SIDES; side++)
        fc_json_unsigned(json, NULL, diff->runs[side]);
    fc_json_end_array(json);
    fc_json_boolean(json, "memory", diff->memory);
    static const char *const clocks[] = {[FC_TIME_PART_WALL] = "elapsed",
                                         [FC_TIME_PART_CPU] = "cpu",
                                         [FC_TIME_PART_WAIT] = "waited"};
    fc_json_string(json, "clock", clocks[diff->time]);
    put_changes(json, "whole", diff, &diff->whole, FC_DIFF_RATE);
    fc_json_begin_array(json, "run_values");
    for (FcDiffSide side = 0; side < FC_DIFF_SIDES; side++)
    {
        fc_json_begin_array(json, NULL);
        for (guint i = 0; i < diff->locals[side]->len; i++)
            fc_json_unsigned(json, NULL, g_array_index(diff->locals[side], guint64, i));
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
    put_functions(json, diff);
    put_contexts(json, diff);
    fc_json_begin_array(json, "failed");
    for (guint i = 0; i < context->reasons->len; i++)
        fc_json_string(json, NULL, context->reasons->pdata[i]);
    fc_json_end_array(json);
    fc_json_end_object(json);
}
