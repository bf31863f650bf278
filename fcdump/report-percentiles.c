/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percentiles of latency: what time most calls of a function, and by each of its callers, stayed
 * below.  The first part of --latency.
 */
#include "fcdump/report.h"
#include "model/latency.h"

static const FcColumn columns[] = {
    {NULL, "of function", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "calls", FALSE},
    {"total time of a call", "min", FALSE, .unit = "ns"},
    {"total time of a call", "p50", FALSE, .unit = "ns"},
    {"total time of a call", "p90", FALSE, .unit = "ns"},
    {"total time of a call", "p99", FALSE, .unit = "ns"},
    {"total time of a call", "p99.9", FALSE, .unit = "ns"},
    {"total time of a call", "max", FALSE, .unit = "ns"},
    {NULL, "function", TRUE},
};

static char *format_time(guint64 ns, gboolean sampled)
{
    return fc_report_mark(fc_format_time(ns), sampled);
}

/* The row of `function`, or without `bounds` of one of its callers. */
static void add_row(FcTable *table, const FcFunction *function, const FcPercentileSet *set,
                    const FcProfileBounds *bounds, char *name)
{
    const gboolean sampled = fc_report_is_sampled(&function->figures);
    fc_table_row(table, bounds ? FC_STYLE_STRONG : FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup(function->name));
    fc_table_cell(table, g_strdup(bounds ? "function" : "caller"));
    fc_table_cell(table, fc_format_count(set->calls));
    fc_table_cell(table, bounds ? format_time(bounds->total_min_ns, sampled) : NULL);
    for (FcPercentile i = 0; i < FC_PERCENTILES; i++)
        fc_table_cell(table, format_time(set->ns[i], sampled));
    fc_table_cell(table, bounds ? format_time(bounds->total_max_ns, sampled) : NULL);
    fc_table_cell(table, name);
}

/* Where there are several callers, each has a row. */
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

void fc_report_percentiles(const FcReportContext *context)
{
    g_autoptr(GArray) functions = fc_report_functions_elapsed(context);
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
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
        add_row(table, function, &set, &bounds, g_strdup(function->name));
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
