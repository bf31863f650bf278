/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Latency: how many calls of each function took how long.
 */
#include "fcdump/report.h"

#define BAR_WIDTH 40

static const FcColumn columns[] = {
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "calls", FALSE},
    {NULL, "%", FALSE},
    {NULL, "from", FALSE, .unit = "ns"},
    {NULL, "to", FALSE, .unit = "ns"},
    {NULL, "function", TRUE},
};

static guint64 bucket_start(guint bucket)
{
    return bucket == 0 ? 0 : G_GUINT64_CONSTANT(1) << (bucket - 1);
}

/* A bucket's share of the function's fullest one. */
static char *format_bar(guint64 calls, guint64 most)
{
    gsize length = (gsize)((double)calls / (double)most * BAR_WIDTH + 0.5);
    return g_strnfill(MAX(length, 1), '#');
}

static void add_function(FcTable *table, const FcFunction *function)
{
    guint64 buckets[FC_HISTOGRAM_BUCKETS];
    const FcProfileBounds bounds = fc_profile_elapsed_bounds(&function->figures);
    const gboolean sampled = fc_report_is_sampled(&function->figures);
    guint64 calls = 0;
    guint64 most = 0;
    fc_histogram_read(&function->figures.histogram, buckets, FC_HISTOGRAM_BUCKETS);
    for (guint i = 0; i < FC_HISTOGRAM_BUCKETS; i++)
    {
        calls += buckets[i];
        most = MAX(most, buckets[i]);
    }
    fc_table_row(table, FC_STYLE_STRONG);
    fc_table_cell(table, g_strdup("function"));
    fc_table_cell(table, fc_format_count(calls));
    fc_table_cell(table, fc_format_share(calls, calls));
    fc_table_cell(table, fc_report_mark(fc_format_time(bounds.total_min_ns), sampled));
    fc_table_cell(table, fc_report_mark(fc_format_time(bounds.total_max_ns), sampled));
    fc_table_cell(table, g_strdup(function->name));
    for (guint i = 0; i < FC_HISTOGRAM_BUCKETS; i++)
    {
        if (buckets[i] == 0)
            continue;
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, g_strdup("bucket"));
        fc_table_cell(table, fc_format_count(buckets[i]));
        fc_table_cell(table, fc_format_share(buckets[i], calls));
        fc_table_cell(table, fc_format_time(bucket_start(i)));
        fc_table_cell(table, i + 1 < FC_HISTOGRAM_BUCKETS ? fc_format_time(bucket_start(i + 1))
                                                          : g_strdup("-"));
        fc_table_cell(table,
                      fc_format_is_csv() ? g_strdup(function->name) : format_bar(buckets[i], most));
    }
}

void fc_report_latency(const FcReportContext *context)
{
    g_autoptr(GArray) functions = fc_report_functions_elapsed(context);
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    gboolean any = FALSE;
    gboolean sampled = FALSE;
    FcReportCut cut = {0};
    const gboolean histograms = !fc_format_is_csv() || context->options->details ||
                                context->model->profile->latencies->len == 0;
    if (!fc_format_is_csv() || !histograms)
        fc_report_percentiles(context);
    if (!histograms)
        return;
    for (guint i = 0; i < functions->len; i++)
    {
        const FcFunction *function =
            fc_model_function(context->model, g_array_index(functions, guint, i));
        if (fc_histogram_is_empty(&function->figures.histogram))
            continue;
        if (!fc_report_keep(context, &cut, function->figures.times.total_ns,
                            context->model->base_ns))
            continue;
        if (any)
            fc_table_gap(table);
        any = TRUE;
        add_function(table, function);
        sampled = sampled || fc_report_is_sampled(&function->figures);
    }
    fc_render_title(context->render, "Latency");
    if (!any && !fc_format_is_csv())
    {
        fc_render_line(context->render, "No call to show.");
        fc_report_note_cut(context, &cut, "function");
        return;
    }
    fc_render_note(context->render,
                   "Calls by their total time, elapsed: from there to less than that.");
    if (sampled)
        fc_render_note(
            context->render,
            "~ time: of functions that were counted; of these the calls that were timed.");
    if (context->model->profile->latencies->len == 0)
        fc_render_note(context->render,
                       "With FC_LATENCY=1 the program's run tells percentiles, too.");
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "function");
}
