/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cycles: sets of functions of which each reaches each other one, and functions that
 * call themselves.
 */
#include "fcdump/report.h"

static const FcColumn columns[] = {
    {NULL, "total", FALSE},     {NULL, "local", FALSE},   {"calls", "entering", FALSE},
    {"calls", "within", FALSE}, {NULL, "function", TRUE},
};

/* Calls and time of the arcs that lead to `function`: from outside its cycle, and from within. */
typedef struct
{
    guint64 entering;
    guint64 within;
    guint64 entering_ns;
} Traffic;

static Traffic count_traffic(const FcCallgraph *graph, guint function)
{
    Traffic traffic = {0};
    guint count;
    guint cycle = fc_callgraph_cycle_of(graph, function);
    const FcArc *const *callers = fc_callgraph_callers(graph, function, &count);
    for (guint i = 0; i < count; i++)
    {
        gint caller = callers[i]->caller;
        gboolean within =
            caller == (gint)function || (caller != FC_NONE && cycle != 0 &&
                                         fc_callgraph_cycle_of(graph, (guint)caller) == cycle);
        if (within)
        {
            traffic.within += callers[i]->calls;
            continue;
        }
        traffic.entering += callers[i]->calls;
        traffic.entering_ns += callers[i]->total_ns;
    }
    return traffic;
}

static void add_row(const FcReportContext *context, FcTable *table, guint index, FcStyle style)
{
    const FcFunction *function = fc_model_function(context->model, index);
    Traffic traffic = count_traffic(context->model->graph, index);
    fc_table_row(table, style);
    fc_table_cell(table, fc_format_time(function->figures.total_ns));
    fc_table_cell(table, fc_format_time(function->figures.local_ns));
    fc_table_cell(table, fc_format_count(traffic.entering));
    fc_table_cell(table, fc_format_count(traffic.within));
    fc_table_cell(table, g_strdup_printf("    %s", function->name));
}

/* The cycle's members that are not left out, in order. */
static GArray *members_of(const FcReportContext *context, guint cycle)
{
    guint count;
    const guint *members = fc_callgraph_cycle_members(context->model->graph, cycle, &count);
    GArray *shown = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < count; i++)
        if (fc_model_function(context->model, members[i])->shown)
            g_array_append_val(shown, members[i]);
    fc_report_sort(context, shown);
    return shown;
}

/* The cycle as a whole, hidden members included: its time is that of the calls that enter
 * it, for no two of these can be active at once in one thread. */
static void add_cycle(const FcReportContext *context, FcTable *table, guint cycle)
{
    const FcModel *model = context->model;
    g_autoptr(GArray) shown = members_of(context, cycle);
    guint count;
    const guint *members = fc_callgraph_cycle_members(model->graph, cycle, &count);
    Traffic sum = {0};
    guint64 local_ns = 0;
    if (shown->len == 0)
        return;
    for (guint i = 0; i < count; i++)
    {
        Traffic traffic = count_traffic(model->graph, members[i]);
        sum.entering += traffic.entering;
        sum.within += traffic.within;
        sum.entering_ns += traffic.entering_ns;
        local_ns += fc_model_function(model, members[i])->figures.local_ns;
    }
    fc_table_row(table, FC_STYLE_STRONG);
    fc_table_cell(table, fc_format_time(sum.entering_ns));
    fc_table_cell(table, fc_format_time(local_ns));
    fc_table_cell(table, fc_format_count(sum.entering));
    fc_table_cell(table, fc_format_count(sum.within));
    fc_table_cell(table, g_strdup_printf("cycle %u: %u functions", cycle, count));
    for (guint i = 0; i < shown->len; i++)
        add_row(context, table, g_array_index(shown, guint, i), FC_STYLE_PLAIN);
}

static gboolean add_recursive(const FcReportContext *context, FcTable *table)
{
    g_autoptr(GArray) functions = fc_report_functions(context);
    gboolean any = FALSE;
    for (guint i = 0; i < functions->len; i++)
    {
        guint function = g_array_index(functions, guint, i);
        if (!fc_callgraph_is_recursive(context->model->graph, function) ||
            fc_callgraph_cycle_of(context->model->graph, function) != 0)
            continue;
        if (!any)
        {
            fc_table_row(table, FC_STYLE_STRONG);
            for (guint c = 0; c + 1 < G_N_ELEMENTS(columns); c++)
                fc_table_cell(table, NULL);
            fc_table_cell(table, g_strdup("calling themselves only"));
        }
        add_row(context, table, function, FC_STYLE_PLAIN);
        any = TRUE;
    }
    return any;
}

void fc_report_cycles(const FcReportContext *context)
{
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    gboolean any = FALSE;
    guint count = fc_callgraph_cycle_count(context->model->graph);
    for (guint cycle = 1; cycle <= count; cycle++)
    {
        add_cycle(context, table, cycle);
        g_autoptr(GArray) shown = members_of(context, cycle);
        any = any || shown->len > 0;
    }
    any = add_recursive(context, table) || any;
    fc_render_title(context->render, "Cycles");
    if (!any)
    {
        fc_render_line(context->render,
                       "None: no function calls itself, directly or by way of others.");
        return;
    }
    fc_render_note(
        context->render,
        "Functions of which each reaches each other one.  Of a whole cycle, total is the "
        "time of the");
    fc_render_note(context->render, "calls that entered it.");
    fc_table_print(table, context->render);
}
