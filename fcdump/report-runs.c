/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report --runs: each file is a run of the same program.  Of each function the mean of the runs
 * and the interval that holds it.
 */
#include "fcdump/report-overview.h"
#include "fcdump/report.h"

#include <math.h>
#include <string.h>

#define FUNCTIONS_MAX 15 /* unless --top or --all */
#define WIDE 0.5         /* of the mean: rows with a wider interval are dimmed */

enum
{
    OWN,
    OWN_BOUND,
    TOTAL,
    TOTAL_BOUND,
    CALLS,
    CALLS_BOUND,
    FUNCTION,
};
static const FcColumn columns[] = {
    [OWN] = {NULL, "own", FALSE, .csv = "own mean", .unit = "ns"},
    [OWN_BOUND] = {NULL, "±", FALSE, .csv = "own interval", .unit = "ns"},
    [TOTAL] = {NULL, "total", FALSE, .csv = "total mean", .unit = "ns"},
    [TOTAL_BOUND] = {NULL, "±", FALSE, .csv = "total interval", .unit = "ns"},
    [CALLS] = {NULL, "calls", FALSE, .csv = "calls mean"},
    [CALLS_BOUND] = {NULL, "±", FALSE, .csv = "calls interval"},
    [FUNCTION] = {NULL, "function", TRUE},
};

typedef struct
{
    const FcDiffFunction *function;
    FcMoments figures[FC_DIFF_METRICS]; /* of all runs */
} Row;

/* By own time unless --sort wants another order. */
static int compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcOptions *options = data;
    const Row *x = a;
    const Row *y = b;
    const FcDiffMetric metric = options->sort == FC_SORT_CALLS   ? FC_DIFF_CALLS
                                : options->sort == FC_SORT_TOTAL ? FC_DIFF_TOTAL
                                                                 : FC_DIFF_LOCAL;
    const double left = options->sort == FC_SORT_NAME ? 0 : x->figures[metric].mean;
    const double right = options->sort == FC_SORT_NAME ? 0 : y->figures[metric].mean;
    const int order =
        left != right ? (left < right ? 1 : -1) : strcmp(x->function->label, y->function->label);
    return options->reverse ? -order : order;
}

static GArray *rows_of(const FcDiff *runs, const FcOptions *options)
{
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(Row));
    for (guint i = 0; i < runs->functions->len; i++)
    {
        Row row = {.function = fc_diff_function(runs, i)};
        if (!row.function->shown)
            continue;
        for (FcDiffMetric metric = 0; metric < FC_DIFF_METRICS; metric++)
        {
            row.figures[metric] = row.function->figures[metric][FC_DIFF_AFTER];
            fc_moments_fill(&row.figures[metric], row.function->filled[FC_DIFF_AFTER],
                            runs->runs[FC_DIFF_AFTER]);
        }
        g_array_append_val(rows, row);
    }
    g_array_sort_with_data(rows, compare_rows, (gpointer)options);
    return rows;
}

static char *format_mean(double mean, gboolean is_time)
{
    if (fc_format_is_csv())
        return g_strdup_printf("%.3f", mean);
    const guint64 rounded = (guint64)llround(mean);
    return is_time ? fc_format_brief_time(rounded) : fc_format_brief_count(rounded);
}

/* For people, as a percentage of the mean that stands beside it. */
static char *format_bound(double mean, double bound)
{
    if (isnan(bound))
        return NULL;
    if (fc_format_is_csv())
        return g_strdup_printf("%.3f", bound);
    if (bound <= 0 || mean <= 0) /* the same in all runs */
        return NULL;
    const double percent = 100 * bound / mean;
    return percent < 1 ? g_strdup("<1%") : g_strdup_printf("%.0f%%", percent);
}

static void add_pair(FcTable *table, const FcMoments *moments, guint runs, gboolean is_time)
{
    fc_table_cell(table, format_mean(moments->mean, is_time));
    fc_table_cell(table, format_bound(moments->mean, fc_moments_bound(moments, runs)));
}

static void add_row(FcTable *table, const Row *row, guint runs, double base)
{
    const FcMoments *own = &row->figures[FC_DIFF_LOCAL];
    const gboolean is_wide = fc_moments_bound(own, runs) > WIDE * own->mean;
    fc_table_row(table, is_wide ? FC_STYLE_DIM
                                : fc_render_heat((guint64)own->mean, (guint64)MAX(base, 1)));
    add_pair(table, own, runs, TRUE);
    add_pair(table, &row->figures[FC_DIFF_TOTAL], runs, TRUE);
    add_pair(table, &row->figures[FC_DIFF_CALLS], runs, FALSE);
    fc_table_cell(table, g_strdup(fc_format_is_csv() ? row->function->name : row->function->label));
}

/* "prog: 5 runs; CPU 77.1 ms +-2% a run" */
static void print_title(const FcReportContext *context, const FcMoments *whole, guint runs)
{
    g_autofree char *programs = fc_report_programs(context->model, TRUE);
    g_autofree char *time = format_mean(whole->mean, TRUE);
    g_autofree char *bound = format_bound(whole->mean, fc_moments_bound(whole, runs));
    const gboolean utf8 = fc_render_utf8(context->render);
    fc_render_title(context->render, "%s%s%u run%s; %s %s%s%s a run", programs,
                    *programs != '\0' ? ": " : "", runs, runs == 1 ? "" : "s",
                    fc_report_time_name(context->model->time), time,
                    !bound ? ""
                    : utf8 ? " ±"
                           : " +-",
                    bound ? bound : "");
}

static void print_rows(const FcReportContext *context, const GArray *rows, const FcMoments *whole,
                       guint runs)
{
    FcOptions options = fc_report_by_local_time(context->options, FUNCTIONS_MAX);
    FcReportContext own = *context;
    own.options = &options;
    FcColumn shown[G_N_ELEMENTS(columns)];
    memcpy(shown, columns, sizeof shown);
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++)
        if (!fc_render_utf8(context->render) && g_strcmp0(shown[i].heading, "±") == 0)
            shown[i].heading = "+-";
    g_autoptr(FcTable) table = fc_table_new(shown, G_N_ELEMENTS(shown));
    FcReportCut cut = {0};
    gboolean is_spread = FALSE;
    for (guint i = 0; i < rows->len; i++)
    {
        const Row *row = &g_array_index(rows, Row, i);
        if (!fc_report_keep(&own, &cut, (guint64)row->figures[FC_DIFF_LOCAL].mean,
                            (guint64)whole->mean))
            continue;
        is_spread = is_spread || row->figures[FC_DIFF_CALLS].squares > 0;
        add_row(table, row, runs, whole->mean);
    }
    if (!is_spread)
        fc_table_hide(table, CALLS_BOUND);
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    else
        fc_report_no_function(context);
    g_autofree char *more =
        cut.beyond > 0 ? g_strdup_printf(" %u more: --all.", cut.beyond) : g_strdup("");
    fc_render_note(context->render, "%s Findings: all runs together.%s",
                   runs < 2                          ? "Of one run no interval is known."
                   : fc_render_utf8(context->render) ? "±: 95% interval of the mean."
                                                     : "+-: 95% interval of the mean.",
                   more);
}

static void render_runs(const FcReportContext *context)
{
    const guint runs = context->runs->runs[FC_DIFF_AFTER];
    const FcMoments *whole = &context->runs->whole.figures[FC_DIFF_LOCAL][FC_DIFF_AFTER];
    g_autoptr(GArray) rows = rows_of(context->runs, context->options);
    if (!fc_format_is_csv())
    {
        print_title(context, whole, runs);
        fc_report_findings(context);
        fc_render_line(context->render, "%s", "");
    }
    print_rows(context, rows, whole, runs);
}

const FcReport fc_report_runs = {"runs",
                                 "each file is a run: each function's mean and its 95% interval",
                                 FC_REPORT_ON_REQUEST, render_runs};
