/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Latency: what time most calls of a function, and by each of its callers, stayed below, where the
 * profile tells; and how many calls of each function took how long.
 */
#include "fcdump/report.h"
#include "model/latency.h"

#define BAR_WIDTH 40

/* ---- Percentiles -------------------------------------------------------------- */

static const FcColumn percentile_columns[] = {
    {NULL, "of function", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "calls", FALSE},
    {"total time of a call", "min", FALSE, 4, .unit = "elapsed ns"},
    {"total time of a call", "p50", FALSE, .unit = "elapsed ns"},
    {"total time of a call", "p90", FALSE, .unit = "elapsed ns"},
    {"total time of a call", "p99", FALSE, .unit = "elapsed ns"},
    {"total time of a call", "p99.9", FALSE, 3, .unit = "elapsed ns"},
    {"total time of a call", "max", FALSE, .unit = "elapsed ns"},
    {NULL, "function", TRUE},
};

static char *format_time(guint64 ns, gboolean sampled)
{
    return fc_report_mark(fc_format_time(ns), sampled);
}

/* Adds the row of `function` or, without `bounds`, of one of its callers. */
static void add_row(FcTable *table, const FcFunction *function, const FcPercentileSet *set,
                    const FcProfileBounds *bounds, char *name)
{
    const gboolean sampled = fc_report_is_sampled(&function->figures);
    fc_table_row(table, bounds ? FC_STYLE_STRONG : FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup(function->label));
    fc_table_cell(table, g_strdup(bounds ? "function" : "caller"));
    fc_table_cell(table, fc_format_count(set->calls));
    fc_table_cell(table, bounds ? format_time(bounds->total_min_ns, sampled) : NULL);
    for (FcPercentile i = 0; i < FC_PERCENTILES; i++)
        fc_table_cell(table, format_time(set->ns[i], sampled));
    fc_table_cell(table, bounds ? format_time(bounds->total_max_ns, sampled) : NULL);
    fc_table_cell(table, name);
}

/* Adds a row for each caller if there are several. */
static void add_arcs(const FcReportContext *context, FcTable *table, FcLatencyTable *latencies,
                     guint function)
{
    guint count;
    const FcArc *const *arcs = fc_callgraph_callers(context->model->graph, function, &count);
    for (guint i = 0; count > 1 && i < count; i++)
    {
        const FcPercentileSet set = fc_latency_of_arc(latencies, arcs[i]);
        g_autofree char *caller = fc_report_name(context, arcs[i]->caller, arcs[i]->via);
        if (set.calls > 0)
            add_row(table, fc_model_function(context->model, function), &set, NULL,
                    g_strconcat(fc_format_is_csv() ? "" : "  from ", caller, NULL));
    }
}

static void print_percentiles(const FcReportContext *context)
{
    g_autoptr(GArray) functions = fc_report_functions_elapsed(context);
    g_autoptr(FcTable) table = fc_table_new(percentile_columns, G_N_ELEMENTS(percentile_columns));
    g_autoptr(FcLatencyTable) latencies = fc_latency_table_new(context->model);
    gboolean any_sampled = FALSE;
    FcReportCut cut = {0};
    for (guint i = 0; i < functions->len; i++)
    {
        const guint index = g_array_index(functions, guint, i);
        const FcFunction *function = fc_model_function(context->model, index);
        const FcPercentileSet set = fc_latency_of_function(latencies, index);
        if (set.calls == 0 || !fc_report_keep(context, &cut, function->figures.times.total_ns,
                                              context->model->base_ns))
            continue;
        const FcProfileBounds bounds = fc_profile_elapsed_bounds(&function->figures);
        any_sampled = any_sampled || fc_report_is_sampled(&function->figures);
        add_row(table, function, &set, &bounds, g_strdup(function->label));
        add_arcs(context, table, latencies, index);
    }
    if (fc_table_is_empty(table))
        return;
    fc_render_title(context->render, "Percentiles of latency");
    fc_render_note(context->render, "So many per cent of the calls that were timed took no longer, "
                                    "elapsed; each percentile is at most 3%% off.");
    if (any_sampled)
        fc_render_note(context->render, "~ time: of functions that were counted, by the calls that "
                                        "were timed.");
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "function");
}

/* ---- Histograms --------------------------------------------------------------- */

static const FcColumn histogram_columns[] = {
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "calls", FALSE},
    {NULL, "%", FALSE},
    {NULL, "from", FALSE, .unit = "elapsed ns"},
    {NULL, "to", FALSE, .unit = "elapsed ns"},
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
    fc_table_cell(table, g_strdup(function->label));
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
        fc_table_cell(table, fc_format_is_csv() ? g_strdup(function->label)
                                                : format_bar(buckets[i], most));
    }
}

static void render_latency(const FcReportContext *context)
{
    g_autoptr(GArray) functions = fc_report_functions_elapsed(context);
    g_autoptr(FcTable) table = fc_table_new(histogram_columns, G_N_ELEMENTS(histogram_columns));
    gboolean any = FALSE;
    gboolean sampled = FALSE;
    FcReportCut cut = {0};
    const gboolean histograms = !fc_format_is_csv() || context->options->details ||
                                context->model->profile->latencies->len == 0;
    if (!fc_format_is_csv() || !histograms)
        print_percentiles(context);
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

const FcReport fc_report_latency = {"latency",
                                    "how long calls took: percentiles (FC_LATENCY), histograms",
                                    FC_REPORT_ON_REQUEST, render_latency};
