/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The flat profile: one line a function.
 */
#include "fcdump/report-groups.h"

static const FcColumn columns[] = {
    {"total", "time", FALSE, .unit = "ns"},
    {"total", "%", FALSE},
    {"local", "time", FALSE, .unit = "ns"},
    {"local", "%", FALSE},
    {"local", "sum %", FALSE},
    {"local", "waiting", FALSE, 3, .unit = "off-CPU ns"},
    {"total per call", "min", FALSE, 2, .unit = FC_UNIT_OF_CALL},
    {"total per call", "max", FALSE, 2, .unit = FC_UNIT_OF_CALL},
    {"local per call", "min", FALSE, 1, .unit = FC_UNIT_OF_CALL},
    {"local per call", "max", FALSE, 1, .unit = FC_UNIT_OF_CALL},
    {NULL, "calls", FALSE},
    {NULL, "function", TRUE},
};
#define SUM_COLUMN 4  /* only with --cumul */
#define WAIT_COLUMN 5 /* only if there is waiting, beside time on the CPU */

/* "-" if no call of the function was timed to its end, or if threads are selected and the bound is
 * not known for them. */
static char *format_bound(const FcReportContext *context, const FcProfileFunction *figures,
                          guint64 ns)
{
    const FcModel *model = context->model;
    if (!fc_profile_has_completed(figures, model->profile->extended) ||
        (model->of_threads && figures->bounds.total_max_ns == 0))
        return g_strdup("-");
    return fc_report_mark(fc_format_time(ns), fc_report_is_sampled(figures));
}

static void render_flat(const FcReportContext *context)
{
    if (context->options->by != FC_BY_FUNCTION)
    {
        fc_report_groups(context);
        return;
    }
    const FcModel *model = context->model;
    g_autoptr(GArray) functions = fc_report_functions(context);
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    if (!context->options->cumul)
        fc_table_hide(table, SUM_COLUMN);
    if (!fc_report_shows_waits(context))
        fc_table_hide(table, WAIT_COLUMN);
    guint64 sum_ns = 0;
    FcReportCut cut = {0};
    for (guint i = 0; i < functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, g_array_index(functions, guint, i));
        const FcProfileFunction *figures = &function->figures;
        sum_ns += figures->times.local_ns;
        if (!fc_report_keep(context, &cut, figures->times.total_ns, context->model->base_ns))
            continue;
        fc_table_row(table, fc_render_heat(figures->times.local_ns, model->base_ns));
        fc_table_cell(table, fc_report_total_time(context, figures));
        fc_table_cell(table, fc_report_share(model, figures->times.total_ns));
        fc_table_cell(table, fc_report_local_time(context, figures));
        fc_table_cell(table, fc_report_share(model, figures->times.local_ns));
        fc_table_cell(table, fc_report_share(model, sum_ns));
        fc_table_cell(table, fc_format_time(figures->times.local_wait_ns));
        const guint64 bounds[] = {figures->bounds.total_min_ns, figures->bounds.total_max_ns,
                                  figures->bounds.local_min_ns, figures->bounds.local_max_ns};
        for (guint b = 0; b < G_N_ELEMENTS(bounds); b++)
            fc_table_cell(table, format_bound(context, figures, bounds[b]));
        fc_table_cell(table, fc_report_calls(figures, fc_format_count(figures->calls)));
        fc_table_cell(table, fc_report_function(context, function));
    }
    fc_render_title(context->render, "Flat profile");
    fc_render_note(context->render, "total: while the function was active, recursion counted once; "
                                    "local: without profiled callees.");
    fc_report_note_bounds(context);
    fc_report_note_base(context);
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    else
        fc_report_no_function(context);
    fc_report_note_marks(context);
    fc_report_note_cut(context, &cut, "function");
}

const FcReport fc_report_flat = {"flat", "each function's time and calls", FC_REPORT_CLASSIC,
                                 render_flat};
