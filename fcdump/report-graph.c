/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph: each function with its callees, or with its callers.
 */
#include "fcdump/report.h"
#include "model/select.h"

#include <string.h>

static const FcColumn columns[] = {
    {NULL, "of function", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "time", FALSE, .unit = "ns"},
    {NULL, "%", FALSE},
    {NULL, "waiting", FALSE, 2, .unit = "off-CPU ns"},
    {NULL, "calls", FALSE},
    {NULL, "of", FALSE, 1, .csv = "calls of callee"},
    {NULL, "function", TRUE},
};
#define WAIT_COLUMN 4

/* ---- The arcs of a function --------------------------------------------------- */

static gint other_end(const FcReportContext *context, const FcArc *arc)
{
    return context->options->callers ? arc->caller : (gint)arc->callee;
}

static int compare_arcs(gconstpointer a, gconstpointer b, gpointer user_data)
{
    const FcReportContext *context = user_data;
    const FcArc *x = *(const FcArc *const *)a;
    const FcArc *y = *(const FcArc *const *)b;
    FcSort sort = context->options->sort;
    int order = 0;
    if (sort == FC_SORT_CALLS)
        order = (y->calls > x->calls) - (y->calls < x->calls);
    else if (sort != FC_SORT_NAME)
        order = (y->total_ns > x->total_ns) - (y->total_ns < x->total_ns);
    if (order == 0 && sort != FC_SORT_NAME)
        order = (y->calls > x->calls) - (y->calls < x->calls);
    if (order != 0)
        return context->options->reverse ? -order : order;
    g_autofree char *name_x = fc_report_name(context, other_end(context, x), x->via);
    g_autofree char *name_y = fc_report_name(context, other_end(context, y), y->via);
    order = strcmp(name_x, name_y);
    if (sort == FC_SORT_NAME && context->options->reverse)
        order = -order;
    if (order == 0)
        order = other_end(context, x) - other_end(context, y);
    return order;
}

/* The function's arcs, without those whose other end --not leaves out.  --only hides none:
 * otherwise the graph of one function would be empty. */
static GPtrArray *arcs_of(const FcReportContext *context, guint function)
{
    const FcModel *model = context->model;
    GPtrArray *arcs = g_ptr_array_new();
    const FcArc *const *callers = NULL;
    guint count;
    const FcArc *callees = fc_callgraph_callees(model->graph, (gint)function, &count);
    if (context->options->callers)
        callers = fc_callgraph_callers(model->graph, function, &count);
    for (guint i = 0; i < count; i++)
    {
        const FcArc *arc = callers ? callers[i] : &callees[i];
        gint other = other_end(context, arc);
        if (other == FC_NONE || !fc_model_function(model, (guint)other)->excluded)
            g_ptr_array_add(arcs, (gpointer)arc);
    }
    g_ptr_array_sort_with_data(arcs, compare_arcs, (gpointer)context);
    return arcs;
}

/* ---- Lines -------------------------------------------------------------------- */

/* "at FILE:LINE" */
static char *format_site(const FcReportContext *context, const FcCallSite *site)
{
    const FcModel *model = context->model;
    const FcProfileArc *arc = &g_array_index(model->profile->arcs, FcProfileArc, site->tag);
    if (model->inlined[site->tag])
        return g_strdup("inlined");
    g_autofree char *source = fc_report_source(context, &arc->site, TRUE);
    return source ? g_strdup_printf("at %s", source)
                  : g_strdup_printf("at 0x%" G_GINT64_MODIFIER "x", arc->site.address);
}

/* Begins a row of the function's entry; `row` says what it is. */
static void begin_row(const FcReportContext *context, FcTable *table, FcStyle style, guint entry,
                      const char *row)
{
    const gboolean csv = fc_format_is_csv();
    fc_table_row(table, style);
    fc_table_cell(table, csv ? g_strdup(fc_model_function(context->model, entry)->label) : NULL);
    fc_table_cell(table, csv ? g_strdup(row) : NULL);
}

/* A name that people see below that of its entry. */
static char *indented(const char *indent, const char *name)
{
    return g_strconcat(fc_format_is_csv() ? "" : indent, name, NULL);
}

static FcTable *new_table(const FcReportContext *context)
{
    FcTable *table = fc_table_new(columns, G_N_ELEMENTS(columns));
    if (!fc_report_shows_waits(context))
        fc_table_hide(table, WAIT_COLUMN);
    return table;
}

static void add_function(const FcReportContext *context, FcTable *table, guint index)
{
    const FcModel *model = context->model;
    const FcFunction *function = fc_model_function(model, index);
    g_autoptr(GString) name = g_string_new(function->label);
    guint cycle = fc_callgraph_cycle_of(model->graph, index);
    g_autofree char *source = context->options->details
                                  ? fc_report_source(context, &function->figures.location, FALSE)
                                  : NULL;
    if (cycle != 0 && !fc_format_is_csv())
        g_string_append_printf(name, "  [cycle %u]", cycle);
    if (source)
        g_string_append_printf(name, "  %s", source);
    begin_row(context, table, FC_STYLE_STRONG, index, "function");
    fc_table_cell(table, fc_report_total_time(context, &function->figures));
    fc_table_cell(table, fc_report_share(model, function->figures.times.total_ns));
    fc_table_cell(table, fc_format_time(function->figures.times.total_wait_ns));
    fc_table_cell(table,
                  fc_report_calls(&function->figures, fc_format_count(function->figures.calls)));
    fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup(name->str));
}

/* Version 3.0 profiles count the calls of an arc but do not time them. */
static char *format_arc_time(const FcReportContext *context, guint64 ns)
{
    return ns == 0 && !context->model->profile->extended ? g_strdup("-") : fc_format_time(ns);
}

static char *format_arc_share(const FcReportContext *context, guint64 ns, guint64 whole_ns)
{
    return ns == 0 && !context->model->profile->extended ? g_strdup("-")
                                                         : fc_format_share(ns, whole_ns);
}

static guint64 site_wait_ns(const FcReportContext *context, const FcCallSite *site)
{
    return g_array_index(context->model->profile->arcs, FcProfileArc, site->tag)
        .times.total_wait_ns;
}

/* Whether the site's calls are exact only together with those of other callers. */
static gboolean is_apportioned(const FcReportContext *context, const FcCallSite *site)
{
    return g_array_index(context->model->profile->arcs, FcProfileArc, site->tag).apportioned;
}

/* Call sites that print the same are one line. */
typedef struct
{
    char *text;
    guint64 calls;
    guint64 total_ns;
    guint64 wait_ns;
    gboolean apportioned;
} Line;

static void line_clear(gpointer data)
{
    g_free(((Line *)data)->text);
}

/* The lines of an arc's call sites; those of sites that may nest are not added up. */
static GArray *site_lines(const FcReportContext *context, const FcArc *arc)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(Line));
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    g_array_set_clear_func(lines, line_clear);
    for (guint i = 0; i < arc->site_count; i++)
    {
        g_autofree char *text = format_site(context, &arc->sites[i]);
        guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, text));
        if (at == 0 || arc->at_most)
        {
            Line fresh = {.text = g_steal_pointer(&text)};
            g_array_append_val(lines, fresh);
            at = lines->len;
            g_hash_table_replace(known, fresh.text, GUINT_TO_POINTER(at));
        }
        Line *line = &g_array_index(lines, Line, at - 1);
        line->calls += arc->sites[i].calls;
        line->total_ns += arc->sites[i].total_ns;
        line->wait_ns += site_wait_ns(context, &arc->sites[i]);
        line->apportioned |= is_apportioned(context, &arc->sites[i]);
    }
    return lines;
}

/* The function of the entry that the arc stands in. */
static guint entry_of(const FcReportContext *context, const FcArc *arc)
{
    return context->options->callers ? arc->callee : (guint)arc->caller;
}

static void add_line(const FcReportContext *context, FcTable *table, const Line *line, guint entry,
                     guint64 whole_ns, const FcProfileFunction *callee)
{
    begin_row(context, table, FC_STYLE_DIM, entry, "site");
    fc_table_cell(table, fc_report_mark(format_arc_time(context, line->total_ns),
                                        fc_report_is_estimated(callee)));
    fc_table_cell(table, format_arc_share(context, line->total_ns, whole_ns));
    fc_table_cell(table, fc_format_time(line->wait_ns));
    fc_table_cell(table, fc_report_calls(callee, fc_report_mark(fc_format_count(line->calls),
                                                                line->apportioned)));
    fc_table_cell(table, NULL);
    fc_table_cell(table, indented("          ", line->text));
}

static char *arc_text(const FcReportContext *context, const FcArc *arc, const char *site)
{
    const char *arrow = context->options->callers ? "<-" : "->";
    g_autofree char *name = fc_report_name(context, other_end(context, arc), arc->via);
    if (fc_format_is_csv())
        return g_steal_pointer(&name);
    return g_strdup_printf("    %s %s%s%s", arrow, name, site ? "  " : "", site ? site : "");
}

static void add_arc(const FcReportContext *context, FcTable *table, const FcArc *arc,
                    guint64 whole_ns)
{
    const gboolean csv = fc_format_is_csv();
    const guint entry = entry_of(context, arc);
    g_autoptr(GArray) lines = context->options->details ? site_lines(context, arc) : NULL;
    const gboolean by_site = lines && (lines->len > 1 || csv);
    const char *only = lines && !by_site ? g_array_index(lines, Line, 0).text : NULL;
    g_autofree char *time = format_arc_time(context, arc->total_ns);
    const FcFunction *callee = fc_model_function(context->model, arc->callee);
    const gboolean estimated = fc_report_is_estimated(&callee->figures);
    begin_row(context, table, FC_STYLE_PLAIN, entry,
              context->options->callers ? "caller" : "callee");
    fc_table_cell(table, csv ? g_strdup(time)
                             : g_strdup_printf("%s%s%s", arc->at_most ? "<" : "",
                                               estimated ? "~" : "", time));
    fc_table_cell(table, format_arc_share(context, arc->total_ns, whole_ns));
    fc_table_cell(table, fc_format_time(fc_model_arc_wait_ns(context->model, arc)));
    const gboolean is_apportioned = fc_report_is_apportioned(context->model, arc);
    fc_table_cell(table,
                  fc_report_calls(&callee->figures,
                                  fc_report_mark(fc_format_count(arc->calls), is_apportioned)));
    fc_table_cell(table, fc_report_calls(&callee->figures, fc_format_count(callee->figures.calls)));
    fc_table_cell(table, arc_text(context, arc, only));
    for (guint i = 0; by_site && i < lines->len; i++)
        add_line(context, table, &g_array_index(lines, Line, i), entry, whole_ns, &callee->figures);
}

/* Adds rows for the arcs.  Returns whether one of their times is an upper bound. */
static gboolean add_arcs(const FcReportContext *context, FcTable *table, const GPtrArray *arcs,
                         guint64 whole_ns)
{
    FcReportCut cut = {0};
    gboolean at_most = FALSE;
    for (guint i = 0; i < arcs->len; i++)
    {
        const FcArc *arc = arcs->pdata[i];
        if (!fc_report_keep(context, &cut, arc->total_ns, context->model->base_ns))
            continue;
        at_most = at_most || arc->at_most;
        add_arc(context, table, arc, whole_ns);
    }
    fc_report_add_cut(table, G_N_ELEMENTS(columns), "    ", &cut);
    return at_most;
}

static void add_local(const FcReportContext *context, FcTable *table, guint index)
{
    const FcProfileFunction *figures = &fc_model_function(context->model, index)->figures;
    begin_row(context, table, FC_STYLE_DIM, index, "local");
    fc_table_cell(table, fc_report_local_time(context, figures));
    fc_table_cell(table, fc_format_share(figures->times.local_ns, figures->times.total_ns));
    fc_table_cell(table, fc_format_time(figures->times.local_wait_ns));
    fc_table_cell(table, NULL);
    fc_table_cell(table, NULL);
    fc_table_cell(table, indented("    ", "(local)"));
}

/* ---- The report ---------------------------------------------------------------- */

static void print_legend(const FcReportContext *context, gboolean at_most, guint leaves)
{
    gboolean callers = context->options->callers;
    fc_render_title(context->render, "Call graph: %s of each function",
                    callers ? "callers" : "callees");
    fc_render_note(context->render,
                   callers ? "<- a caller: time of the function when called from there, its share "
                             "of the function's total,"
                           : "-> a callee: its time when called from here, its share of the "
                             "caller's total,");
    fc_render_note(context->render, "calls on this arc, of all calls of the callee.");
    if (at_most)
        fc_render_note(context->render,
                       "< at most: call sites that are active at the same time (recursion); "
                       "--details has each one's own.");
    if (leaves > 0)
        fc_render_note(context->render, "%u function%s no profiled %s, and no entry here.", leaves,
                       leaves > 1 ? "s have" : " has", callers ? "caller" : "callee");
}

static void render_graph(const FcReportContext *context)
{
    if (fc_report_lacks_arcs(context, "Call graph"))
        return;
    g_autoptr(GArray) functions = fc_report_functions(context);
    g_autoptr(FcTable) table = new_table(context);
    gboolean at_most = FALSE;
    guint leaves = 0;
    FcReportCut cut = {0};
    for (guint i = 0; i < functions->len; i++)
    {
        guint index = g_array_index(functions, guint, i);
        const FcFunction *function = fc_model_function(context->model, index);
        const FcProfileFunction *figures = &function->figures;
        const gboolean small =
            fc_report_is_small(context, figures->times.total_ns, context->model->base_ns);
        g_autoptr(GPtrArray) arcs = arcs_of(context, index);
        if (arcs->len == 0 && !small)
        {
            leaves++;
            continue;
        }
        if (!fc_report_keep(context, &cut, figures->times.total_ns, context->model->base_ns))
            continue;
        if (cut.kept > 1)
            fc_table_gap(table);
        add_function(context, table, index);
        at_most = add_arcs(context, table, arcs, figures->times.total_ns) || at_most;
        if (!context->options->callers)
            add_local(context, table, index);
    }
    print_legend(context, at_most, leaves);
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    else
        fc_render_line(context->render, "No call to show.");
    fc_report_note_marks(context);
    fc_report_note_cut(context, &cut, "function");
}

const FcReport fc_report_graph = {"graph", "call graph: whom each function called",
                                  FC_REPORT_CLASSIC, render_graph};

/* ---- Peek ----------------------------------------------------------------------- */

/* Prints a function's whole name if its label is shorter. */
static void print_whole_name(const FcReportContext *context, guint index)
{
    const FcFunction *function = fc_model_function(context->model, index);
    if (strcmp(function->label, function->name) == 0)
        return;
    g_autofree char *name = fc_format_text(function->name);
    fc_render_note(context->render, "%s: %s", function->label, name);
}

static void render_peek(const FcReportContext *context)
{
    if (fc_report_lacks_arcs(context, "Callers and callees"))
        return;
    const FcModel *model = context->model;
    FcOptions options = *context->options;
    FcReportContext own = *context;
    own.options = &options;
    g_autoptr(GArray) functions = fc_report_functions(context);
    g_autoptr(FcTable) table = new_table(context);
    g_autofree gboolean *wanted = g_new0(gboolean, model->functions->len + 1);
    for (guint i = 0; i < context->options->peek->len; i++)
        fc_select_mark(model, context->options->peek->pdata[i], wanted);
    g_autoptr(GArray) kept = g_array_new(FALSE, FALSE, sizeof(guint));
    FcReportCut cut = {0};
    gboolean at_most = FALSE;
    for (guint i = 0; i < functions->len; i++)
    {
        const guint index = g_array_index(functions, guint, i);
        const FcProfileFunction *figures = &fc_model_function(model, index)->figures;
        if (!wanted[index] ||
            !fc_report_keep(context, &cut, figures->times.total_ns, model->base_ns))
            continue;
        g_array_append_val(kept, index);
        if (cut.kept > 1)
            fc_table_gap(table);
        for (guint side = 0; side < 2; side++)
        {
            options.callers = side == 0;
            g_autoptr(GPtrArray) arcs = arcs_of(&own, index);
            if (side == 1)
                add_function(&own, table, index);
            at_most = add_arcs(&own, table, arcs, figures->times.total_ns) || at_most;
        }
        add_local(context, table, index);
    }
    fc_render_title(context->render, "Callers and callees");
    fc_render_note(context->render,
                   "<- a caller, -> a callee: the time of the calls, their share of the "
                   "function's total, calls, of all of the callee.");
    if (at_most)
        fc_render_note(context->render,
                       "< at most: call sites that are active at the same time (recursion).");
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    else
        fc_render_line(context->render, "No function to show.");
    fc_report_note_marks(context);
    for (guint i = 0; i < kept->len; i++)
        print_whole_name(context, g_array_index(kept, guint, i));
    fc_report_note_cut(context, &cut, "function");
}

const FcReport fc_report_peek = {"peek", NULL, FC_REPORT_OPTION, render_peek};
