/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The flat profile: one line a function.
 */
#include "fcdump/report.h"

static const FcColumn columns[] = {
    {"total", "time", FALSE},
    {"total", "%", FALSE},
    {"local", "time", FALSE},
    {"local", "%", FALSE},
    {"local", "sum %", FALSE},
    {"total per call", "min", FALSE, 2},
    {"total per call", "max", FALSE, 2},
    {"local per call", "min", FALSE, 1},
    {"local per call", "max", FALSE, 1},
    {NULL, "calls", FALSE},
    {NULL, "function", TRUE},
};
#define SUM_COLUMN 4 /* only with --cumul */

/* Into `out`, which has room for all of `columns`; returns their number. */
static guint choose_columns(FcColumn *out, gboolean cumul)
{
    guint count = 0;
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        if (i != SUM_COLUMN || cumul)
            out[count++] = columns[i];
    return count;
}

/* A bound of a function of which no call was completed is not known. */
static char *format_bound(const FcProfileFunction *figures, guint64 ns)
{
    if (figures->calls == 0 && figures->total_max_ns == 0)
        return g_strdup("-");
    return fc_format_time(ns);
}

static char *format_function(const FcReportContext *context, const FcFunction *function)
{
    g_autofree char *source = context->options->details
                                  ? fc_report_source(context, &function->figures.place, FALSE)
                                  : NULL;
    return source ? g_strdup_printf("%s  %s", function->name, source) : g_strdup(function->name);
}

void fc_report_flat(const FcReportContext *context)
{
    const FcModel *model = context->model;
    gboolean cumul = context->options->cumul;
    g_autoptr(GArray) functions = fc_report_functions(context);
    FcColumn chosen[G_N_ELEMENTS(columns)];
    g_autoptr(FcTable) table = fc_table_new(chosen, choose_columns(chosen, cumul));
    guint64 sum_ns = 0;
    guint small = 0;
    for (guint i = 0; i < functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, g_array_index(functions, guint, i));
        const FcProfileFunction *figures = &function->figures;
        sum_ns += figures->local_ns;
        if (fc_report_is_small(context, function))
        {
            small++;
            continue;
        }
        fc_table_row(table, fc_render_heat(figures->local_ns, model->base_ns));
        fc_table_cell(table, fc_report_time(figures->total_ns, figures->total_error_ns));
        fc_table_cell(table, fc_format_share(figures->total_ns, model->base_ns));
        fc_table_cell(table, fc_report_time(figures->local_ns, figures->local_error_ns));
        fc_table_cell(table, fc_format_share(figures->local_ns, model->base_ns));
        if (cumul)
            fc_table_cell(table, fc_format_share(sum_ns, model->base_ns));
        const gboolean sampled = figures->counted > figures->timed;
        const guint64 bounds[] = {figures->total_min_ns, figures->total_max_ns,
                                  figures->local_min_ns, figures->local_max_ns};
        for (guint b = 0; b < G_N_ELEMENTS(bounds); b++)
            fc_table_cell(table, fc_report_mark(format_bound(figures, bounds[b]), sampled));
        fc_table_cell(table, fc_format_count(figures->calls));
        fc_table_cell(table, format_function(context, function));
    }
    g_autofree char *base = g_strchomp(fc_format_time(model->base_ns));
    fc_render_title(context->render, "Flat profile");
    fc_render_note(context->render, "total: while the function was active, recursion counted once; "
                                    "local: without profiled callees.");
    fc_render_note(context->render, "100%% is %s, the local times of all functions.", base);
    fc_report_note_marks(context);
    if (functions->len > small)
        fc_table_print(table, context->render);
    else
        fc_render_line(context->render, "No function to show.");
    if (model->functions->len == 0)
        fc_render_note(context->render, "Nothing that ran was compiled with the flags of "
                                        "fc-config --cflags, or other hooks came before libfc's.");
    fc_report_note_small(context, small);
}
