/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heaviest functions, and the hot path.
 */
#include "fcdump/report-groups.h"
#include "model/hotpath.h"

#define FUNCTIONS_MAX 20 /* unless --top or --all */
#define STEPS_MAX 16     /* steps of the hot path, unless --all */
#define STEPS_START 5    /* steps shown from the start of a longer path */
#define LEAST_SHARE 0.05 /* of the first step's time: a lighter step ends the path */

/* ---- The heaviest functions ------------------------------------------------------------- */

static const FcColumn function_columns[] = {
    {"local", "time", FALSE, .unit = "ns"},
    {"local", "%", FALSE},
    {"local", "sum %", FALSE},
    {"total", "time", FALSE, .unit = "ns"},
    {"total", "%", FALSE},
    {NULL, "calls", FALSE},
    {NULL, "function", TRUE},
};

static void render_heaviest(const FcReportContext *context)
{
    FcOptions options = fc_report_by_local_time(context->options, FUNCTIONS_MAX);
    FcReportContext own = *context;
    own.options = &options;
    if (options.by != FC_BY_FUNCTION)
    {
        fc_report_groups(&own);
        return;
    }
    const FcModel *model = context->model;
    g_autoptr(GArray) functions = fc_report_functions(&own);
    g_autoptr(FcTable) table = fc_table_new(function_columns, G_N_ELEMENTS(function_columns));
    FcReportCut cut = {0};
    guint64 sum_ns = 0;
    for (guint i = 0; i < functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, g_array_index(functions, guint, i));
        const FcProfileFunction *figures = &function->figures;
        if (!fc_report_keep(&own, &cut, figures->times.total_ns, context->model->base_ns))
            continue;
        sum_ns += figures->times.local_ns;
        fc_table_row(table, fc_render_heat(figures->times.local_ns, model->base_ns));
        fc_table_cell(table, fc_report_local_time(context, figures));
        fc_table_cell(table, fc_report_share(model, figures->times.local_ns));
        fc_table_cell(table, fc_report_share(model, sum_ns));
        fc_table_cell(table, fc_report_total_time(context, figures));
        fc_table_cell(table, fc_report_share(model, figures->times.total_ns));
        fc_table_cell(table, fc_report_calls(figures, fc_format_count(figures->calls)));
        fc_table_cell(table, fc_report_function(&own, function));
    }
    fc_render_title(context->render, "Heaviest functions");
    if (model->base != FC_NONE)
        fc_report_note_base(context);
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    else
        fc_report_no_function(context);
    fc_report_note_marks(context);
    fc_report_note_cut(&own, &cut, "function");
}

const FcReport fc_report_heaviest = {"heaviest", "the functions with most local time",
                                     FC_REPORT_ON_REQUEST, render_heaviest};

/* Whether the report is printed that says what marks mean. */
static gboolean prints_heaviest(const FcOptions *options)
{
    for (guint i = 0; options->table[i]; i++)
        if (options->table[i] == &fc_report_heaviest)
            return (options->reports >> i & 1) != 0;
    return FALSE;
}

/* ---- The hot path ------------------------------------------------------------------------ */

static const FcColumn step_columns[] = {
    {NULL, "level", FALSE, .reader = FC_READER_PROGRAM},
    {"total", "time", FALSE, .unit = "ns"},
    {"total", "%", FALSE},
    {"local", "time", FALSE, .unit = "ns"},
    {NULL, "calls", FALSE},
    {NULL, "context", TRUE},
};

static void add_step(const FcReportContext *context, FcTable *table, const FcHotStep *step,
                     guint level)
{
    const FcModel *model = context->model;
    const FcFunction *function = fc_model_function(model, step->function);
    const FcProfileFunction *figures = &function->figures;
    g_autofree char *name = fc_report_function(context, function);
    fc_table_row(table, fc_render_heat(step->local_ns, model->base_ns));
    fc_table_cell(table, fc_format_count(level));
    fc_table_cell(table,
                  fc_report_mark(fc_format_time(step->total_ns), fc_report_is_estimated(figures)));
    fc_table_cell(table, fc_report_share(model, step->total_ns));
    fc_table_cell(table, fc_report_mark(fc_format_time(step->local_ns),
                                        fc_report_is_local_estimated(figures)));
    fc_table_cell(table, fc_report_calls(figures, fc_report_mark(fc_format_count(step->calls),
                                                                 step->apportioned)));
    fc_table_cell(
        table,
        g_strdup_printf("%*s%s", fc_format_is_csv() ? 0 : (int)MIN(level, STEPS_MAX), "", name));
}

static void render_hot_path(const FcReportContext *context)
{
    if (fc_report_lacks_contexts(context, "Hot path"))
        return;
    const FcModel *model = context->model;
    g_autofree gboolean *waiting = fc_hot_waiting(model);
    const FcOptions *options = context->options;
    const double least = options->has_min ? options->min_percent / 100 : LEAST_SHARE;
    g_autoptr(GArray) path = fc_hot_path(model, waiting, least);
    g_autoptr(FcTable) table = fc_table_new(step_columns, G_N_ELEMENTS(step_columns));
    const gboolean has_most = options->top > 0 || fc_format_is_csv();
    const guint end = options->top > 0 ? MIN(path->len, options->top) : path->len;
    const guint most = has_most ? end : STEPS_MAX;
    const guint left_out = end > most ? end - most + 1 : 0;
    for (guint i = 0; i < end; i++)
    {
        if (left_out > 0 && i == STEPS_START)
        {
            fc_table_remark(table, FC_STYLE_DIM);
            for (guint c = 0; c + 1 < G_N_ELEMENTS(step_columns); c++)
                fc_table_cell(table, NULL);
            fc_table_cell(table, g_strdup_printf("%*s(%u more calls)", STEPS_START, "", left_out));
            i += left_out;
        }
        add_step(context, table, &g_array_index(path, FcHotStep, i), i);
    }
    const FcReportCut cut = {.kept = end, .beyond = path->len - end};
    fc_report_add_cut(table, G_N_ELEMENTS(step_columns), " ", &cut);
    fc_render_title(context->render, "Hot path");
    if (path->len > 0 || fc_format_is_csv())
        fc_table_print(table, context->render);
    else
        fc_render_line(context->render, model->profile->extended
                                            ? "No context to show."
                                            : "A version 3.0 profile has no calling contexts.");
    if (!prints_heaviest(options))
        fc_report_note_marks(context);
}

const FcReport fc_report_hot_path = {"hot-path",
                                     "the heaviest chain of calls, from the outermost on",
                                     FC_REPORT_ON_REQUEST, render_hot_path};
