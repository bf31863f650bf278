/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cycles: sets of functions of which each reaches each other one, and functions that
 * call themselves.
 */
#include "fcdump/report.h"

static const FcColumn columns[] = {
    {NULL, "cycle", FALSE, .reader = FC_READER_PROGRAM},
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "total", FALSE, .unit = "ns"},
    {NULL, "local", FALSE, .unit = "ns"},
    {"calls", "entering", FALSE},
    {"calls", "within", FALSE},
    {NULL, "function", TRUE},
};

/* Calls on the arcs that lead to `function`: from outside its cycle, and from within. */
typedef struct
{
    guint64 entering;
    guint64 within;
    gboolean entering_apportioned; /* some of these calls are; likewise the next */
    gboolean within_apportioned;
} Traffic;

static Traffic count_traffic(const FcModel *model, guint function)
{
    const FcCallgraph *graph = model->graph;
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
        const gboolean apportioned = fc_report_is_apportioned(model, callers[i]);
        if (within)
        {
            traffic.within += callers[i]->calls;
            traffic.within_apportioned |= apportioned;
            continue;
        }
        traffic.entering += callers[i]->calls;
        traffic.entering_apportioned |= apportioned;
    }
    return traffic;
}

static void add_traffic(FcTable *table, const Traffic *traffic)
{
    fc_table_cell(
        table, fc_report_mark(fc_format_count(traffic->entering), traffic->entering_apportioned));
    fc_table_cell(table,
                  fc_report_mark(fc_format_count(traffic->within), traffic->within_apportioned));
}

static void add_row(const FcReportContext *context, FcTable *table, guint index, FcStyle style)
{
    const guint cycle = fc_callgraph_cycle_of(context->model->graph, index);
    const FcFunction *function = fc_model_function(context->model, index);
    Traffic traffic = count_traffic(context->model, index);
    fc_table_row(table, style);
    fc_table_cell(table, cycle > 0 ? fc_format_count(cycle) : NULL);
    fc_table_cell(table, g_strdup(cycle > 0 ? "member" : "recursive"));
    fc_table_cell(table, fc_report_total_time(context, &function->figures));
    fc_table_cell(table, fc_report_local_time(context, &function->figures));
    add_traffic(table, &traffic);
    fc_table_cell(table,
                  g_strdup_printf("%s%s", fc_format_is_csv() ? "" : "    ", function->label));
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

static void add_members(const FcReportContext *context, FcTable *table, const GArray *functions)
{
    FcReportCut cut = {0};
    for (guint i = 0; i < functions->len; i++)
    {
        const guint index = g_array_index(functions, guint, i);
        const guint64 total_ns = fc_model_function(context->model, index)->figures.times.total_ns;
        if (fc_report_keep(context, &cut, total_ns, context->model->base_ns))
            add_row(context, table, index, FC_STYLE_PLAIN);
    }
    fc_report_add_cut(table, G_N_ELEMENTS(columns), "    ", &cut);
}

/* The cycle as a whole, hidden members included. */
static void add_cycle(const FcReportContext *context, FcTable *table, guint cycle,
                      const GArray *shown)
{
    const FcModel *model = context->model;
    guint count;
    const guint *members = fc_callgraph_cycle_members(model->graph, cycle, &count);
    Traffic sum = {0};
    FcTimeSum local = {0};
    FcTimeSum total = {.ns = fc_report_cycle_ns(model, cycle)};
    for (guint i = 0; i < count; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, members[i])->figures;
        Traffic traffic = count_traffic(model, members[i]);
        sum.entering += traffic.entering;
        sum.within += traffic.within;
        sum.entering_apportioned |= traffic.entering_apportioned;
        sum.within_apportioned |= traffic.within_apportioned;
        total.estimated |= traffic.entering > 0 && fc_report_is_estimated(figures);
        fc_report_add_local(&local, figures);
    }
    fc_table_row(table, FC_STYLE_STRONG);
    fc_table_cell(table, fc_format_count(cycle));
    fc_table_cell(table, g_strdup("cycle"));
    fc_table_cell(table, fc_report_time(context, &total));
    fc_table_cell(table, fc_report_time(context, &local));
    add_traffic(table, &sum);
    fc_table_cell(table, g_strdup_printf("cycle %u: %u functions", cycle, count));
    add_members(context, table, shown);
}

typedef struct
{
    guint cycle;
    guint64 total_ns;
} Heavy;

static int compare_cycles(gconstpointer a, gconstpointer b)
{
    const Heavy *x = a;
    const Heavy *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    return (x->cycle > y->cycle) - (x->cycle < y->cycle);
}

/* Adds the cycles, those with most time first.  Returns whether there is one. */
static gboolean add_cycles(const FcReportContext *context, FcTable *table, FcReportCut *cut)
{
    const FcModel *model = context->model;
    const guint count = fc_callgraph_cycle_count(model->graph);
    g_autoptr(GArray) cycles = g_array_new(FALSE, FALSE, sizeof(Heavy));
    gboolean any = FALSE;
    for (guint cycle = 1; cycle <= count; cycle++)
    {
        const Heavy heavy = {cycle, fc_report_cycle_ns(model, cycle)};
        g_array_append_val(cycles, heavy);
    }
    g_array_sort(cycles, compare_cycles);
    for (guint i = 0; i < count; i++)
    {
        const Heavy *heavy = &g_array_index(cycles, Heavy, i);
        g_autoptr(GArray) shown = members_of(context, heavy->cycle);
        if (shown->len == 0)
            continue;
        any = TRUE;
        if (fc_report_keep(context, cut, heavy->total_ns, model->base_ns))
            add_cycle(context, table, heavy->cycle, shown);
    }
    return any;
}

static gboolean add_recursive(const FcReportContext *context, FcTable *table)
{
    g_autoptr(GArray) functions = fc_report_functions(context);
    g_autoptr(GArray) recursive = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < functions->len; i++)
    {
        guint function = g_array_index(functions, guint, i);
        if (fc_callgraph_is_recursive(context->model->graph, function) &&
            fc_callgraph_cycle_of(context->model->graph, function) == 0)
            g_array_append_val(recursive, function);
    }
    if (recursive->len == 0)
        return FALSE;
    fc_table_remark(table, FC_STYLE_STRONG);
    for (guint c = 0; c + 1 < G_N_ELEMENTS(columns); c++)
        fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup("calling themselves only"));
    add_members(context, table, recursive);
    return TRUE;
}

static void render_cycles(const FcReportContext *context)
{
    if (fc_report_lacks_arcs(context, "Cycles"))
        return;
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    FcReportCut cut = {0};
    gboolean any = add_cycles(context, table, &cut);
    any = add_recursive(context, table) || any;
    fc_render_title(context->render, "Cycles");
    if (!any && !fc_format_is_csv())
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
    fc_report_note_marks(context);
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "cycle");
}

const FcReport fc_report_cycles = {"cycles", "functions that call each other in a circle",
                                   FC_REPORT_CLASSIC, render_cycles};
