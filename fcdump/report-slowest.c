/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slowest calls of each function, as FC_SLOWEST kept them: when each was made, in which thread,
 * by which callers.
 */
#include "fcdump/report.h"
#include "model/slowest.h"

#define NS_PER_S G_GUINT64_CONSTANT(1000000000)

static const FcColumn columns[] = {
    {NULL, "of function", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "time", FALSE, .unit = "elapsed ns"},
    {NULL, "made at", TRUE},
    {NULL, "thread", FALSE},
    {NULL, "context", TRUE},
};

/* The time of day, to the microsecond; the caller owns it. */
static char *format_moment(guint64 realtime_ns)
{
    g_autoptr(GDateTime) moment = g_date_time_new_from_unix_local((gint64)(realtime_ns / NS_PER_S));
    g_autofree char *second = moment ? g_date_time_format(moment, "%Y-%m-%d %H:%M:%S") : NULL;
    return second ? g_strdup_printf("%s.%06u", second, (guint)(realtime_ns % NS_PER_S / 1000))
                  : g_strdup("?");
}

/* "A > ... > B", from the outermost on. */
static char *format_context(const FcModel *model, gint context)
{
    GString *text = g_string_new(NULL);
    while (context != FC_NONE)
    {
        const FcProfileContext *at =
            &g_array_index(model->profile->contexts, FcProfileContext, context);
        if (text->len > 0)
            g_string_prepend(text, " > ");
        g_string_prepend(text, fc_model_function(model, model->function_of[at->function])->label);
        if (fc_profile_is_folded(at))
            g_string_prepend(text, FC_MODEL_FOLDED " > ");
        context = at->parent;
    }
    return g_string_free(text, FALSE);
}

static void add_calls(const FcModel *model, FcTable *table, const FcSlowestTable *slowest,
                      guint function)
{
    for (guint i = slowest->first[function]; i < slowest->first[function + 1]; i++)
    {
        const FcProfileSlowCall *call = g_array_index(slowest->calls, const FcProfileSlowCall *, i);
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, g_strdup(fc_model_function(model, function)->label));
        fc_table_cell(table, fc_format_time(call->total_ns));
        fc_table_cell(table, format_moment(call->realtime_ns));
        fc_table_cell(table, g_strdup_printf("%" G_GINT64_FORMAT, call->tid));
        fc_table_cell(table, format_context(model, call->context));
    }
}

static void render_slowest(const FcReportContext *context)
{
    const FcModel *model = context->model;
    g_autoptr(GArray) functions = fc_report_functions(context);
    g_autoptr(FcSlowestTable) slowest = fc_slowest_table_new(model);
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    FcReportCut cut = {0};
    for (guint i = 0; i < functions->len; i++)
    {
        const guint index = g_array_index(functions, guint, i);
        const FcFunction *function = fc_model_function(model, index);
        if (slowest->first[index] == slowest->first[index + 1] ||
            !fc_report_keep(context, &cut, function->figures.times.total_ns, model->base_ns))
            continue;
        if (!fc_table_is_empty(table))
            fc_table_gap(table);
        add_calls(model, table, slowest, index);
    }
    fc_render_title(context->render, "Slowest calls of each function");
    if (slowest->calls->len == 0)
        fc_render_line(context->render, "None was kept: run the program with FC_SLOWEST=N.");
    else
        fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "function");
}

const FcReport fc_report_slowest = {"slowest", "the slowest calls of each function (FC_SLOWEST)",
                                    FC_REPORT_ON_REQUEST, render_slowest};
