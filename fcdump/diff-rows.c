/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which functions a difference shows and in which words; see report-diff.h.
 */
#include "fcdump/compare.h"
#include "fcdump/diff-rules.h"
#include "fcdump/report-diff.h"

#include <math.h>
#include <string.h>

const char *fc_diff_verdict_name(FcDiffVerdict verdict)
{
    static const char *const names[] = {[FC_VERDICT_SAME] = "same",
                                        [FC_VERDICT_NOISE] = "noise",
                                        [FC_VERDICT_UNKNOWN] = "unknown",
                                        [FC_VERDICT_FOUND] = "found"};
    return names[verdict];
}

const char *fc_diff_time_name(const FcReportContext *context)
{
    const FcTimePart part = fc_compare_time(context->options);
    return part == FC_TIME_PART_CPU    ? "CPU time"
           : part == FC_TIME_PART_WAIT ? "waiting"
                                       : "time in functions";
}

const char *fc_diff_time_word(const FcReportContext *context)
{
    const FcTimePart part = fc_compare_time(context->options);
    return part == FC_TIME_PART_CPU ? "cpu" : part == FC_TIME_PART_WAIT ? "wait" : "wall";
}

char *fc_diff_change_text(FcDiffMetric metric, const FcDiffChange *change)
{
    if (change->change == 0)
        return g_strdup("=");
    if (change->verdict == FC_VERDICT_NOISE) /* a percentage would say nothing */
        return g_strdup("noise");
    g_autofree char *by = fc_diff_format_change(metric, change->before, change->change);
    return g_strconcat(by, change->verdict == FC_VERDICT_UNKNOWN ? " ?" : "", NULL);
}

char *fc_diff_margin_text(const FcDiffChange *change)
{
    if (change->margin <= 0 || change->before <= 0)
        return g_strdup("");
    const double percent = 100 * change->margin / change->before;
    return percent < 999.95 ? g_strdup_printf("%.1f%%", percent) : g_strdup(">999%");
}

/* ---- Findings ------------------------------------------------------------------------ */

static FcDiffChange change_of(const FcDiff *diff, const FcDiffFunction *function,
                              FcDiffMetric metric)
{
    return fc_diff_change(diff, function, metric, diff->level);
}

/* The strongest verdict of all metrics. */
static FcDiffVerdict verdict_of(const FcDiff *diff, const FcDiffFunction *function)
{
    FcDiffVerdict verdict = FC_VERDICT_SAME;
    for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
        verdict = MAX(verdict, change_of(diff, function, metric).verdict);
    return verdict;
}

static void add_word(GString *text, const FcDiffChange *change, const char *more, const char *less)
{
    if (change->verdict == FC_VERDICT_FOUND)
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "",
                               change->change > 0 ? more : less);
}

char *fc_diff_finding(const FcDiff *diff, const FcDiffFunction *function)
{
    const FcDiffChange calls = change_of(diff, function, FC_DIFF_CALLS);
    const FcDiffChange bytes = change_of(diff, function, FC_DIFF_BYTES);
    if (calls.before <= 0 && calls.after > 0)
        return g_strdup("new");
    if (calls.after <= 0 && calls.before > 0)
        return g_strdup("vanished");
    g_autoptr(GString) text = g_string_new(NULL);
    static const FcDiffMetric times[] = {FC_DIFF_LOCAL, FC_DIFF_PER_CALL, FC_DIFF_TOTAL};
    for (guint i = 0; i < G_N_ELEMENTS(times) && text->len == 0; i++)
    {
        const FcDiffChange change = change_of(diff, function, times[i]);
        add_word(text, &change, "slower", "faster");
    }
    add_word(text, &calls, "more calls", "fewer calls");
    add_word(text, &bytes, "more memory", "less memory");
    if (text->len == 0)
    {
        const FcDiffVerdict verdict = verdict_of(diff, function);
        return g_strdup(verdict == FC_VERDICT_UNKNOWN ? "?" : fc_diff_verdict_name(verdict));
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- Rows ---------------------------------------------------------------------------- */

static double by_how_much(const FcDiffFunction *function, FcDiffMetric metric)
{
    return fabs(function->figures[metric][FC_DIFF_AFTER].mean -
                function->figures[metric][FC_DIFF_BEFORE].mean);
}

/* How certain a change is: first that of the function, then that of the metric that orders the
 * rows. */
static int sureness(const FcDiff *diff, const FcDiffFunction *function, FcDiffMetric metric)
{
    return (int)verdict_of(diff, function) * (FC_VERDICT_FOUND + 1) +
           (int)change_of(diff, function, metric).verdict;
}

/* The most certain change first, then the largest. */
static int compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcReportContext *context = data;
    const FcDiffFunction *x = fc_diff_function(context->diff, *(const guint *)a);
    const FcDiffFunction *y = fc_diff_function(context->diff, *(const guint *)b);
    const FcSort sort = context->options->sort;
    const FcDiffMetric metric = sort == FC_SORT_CALLS   ? FC_DIFF_CALLS
                                : sort == FC_SORT_TOTAL ? FC_DIFF_TOTAL
                                                        : FC_DIFF_LOCAL;
    const double left = sort == FC_SORT_NAME ? 0 : by_how_much(x, metric);
    const double right = sort == FC_SORT_NAME ? 0 : by_how_much(y, metric);
    int order = sort == FC_SORT_NAME
                    ? 0
                    : sureness(context->diff, y, metric) - sureness(context->diff, x, metric);
    if (order == 0)
        order = (left < right) - (left > right);
    if (order == 0)
        order = strcmp(x->label, y->label);
    return context->options->reverse ? -order : order;
}

guint fc_diff_most(const FcReportContext *context, guint most)
{
    return context->options->top > 0 ? context->options->top : most;
}

void fc_diff_rows_init(FcDiffRows *rows, const FcReportContext *context, guint most)
{
    const FcDiff *diff = context->diff;
    const gboolean all = context->options->top == FC_TOP_ALL;
    most = fc_diff_most(context, most);
    *rows = (FcDiffRows){.rows = g_array_new(FALSE, FALSE, sizeof(guint))};
    for (guint i = 0; i < diff->functions->len; i++)
    {
        const FcDiffFunction *function = fc_diff_function(diff, i);
        if (!function->shown)
            continue;
        const FcDiffVerdict verdict = verdict_of(diff, function);
        if (all || verdict >= FC_VERDICT_UNKNOWN)
            g_array_append_val(rows->rows, i);
        else if (verdict == FC_VERDICT_NOISE)
            rows->noise++;
        else
            rows->same++;
    }
    g_array_sort_with_data(rows->rows, compare_rows, (gpointer)context);
    if (rows->rows->len > most)
    {
        rows->more = rows->rows->len - most;
        g_array_set_size(rows->rows, most);
    }
}

void fc_diff_rows_clear(FcDiffRows *rows)
{
    g_array_unref(rows->rows);
}
