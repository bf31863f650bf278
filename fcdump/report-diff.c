/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A difference as text: the whole, the functions that changed, the contexts.
 */
#include "fcdump/report-diff.h"

#include "fcdump/diff-rules.h"

#include <math.h>

#define ROWS_MAX 30     /* what a screen holds, unless --top or --all */
#define CONTEXTS_MAX 60 /* likewise, with the path to each */

static const FcColumn whole_columns[] = {
    {NULL, NULL, TRUE},      {NULL, "before", FALSE}, {NULL, "after", FALSE},
    {NULL, "change", FALSE}, {NULL, "+-", FALSE},
};

#define VALUE_COLUMNS(group, spare, unit)                                                          \
    {group, "before", FALSE, spare, unit}, {group, "after", FALSE, spare, unit},                   \
    {                                                                                              \
        group, "change", FALSE, spare, unit                                                        \
    }
#define VERDICT_COLUMN(group)                                                                      \
    {                                                                                              \
        group, "verdict", TRUE, .reader = FC_READER_PROGRAM                                        \
    }
#define COUNT_COLUMNS(group, spare, unit) VALUE_COLUMNS(group, spare, unit), VERDICT_COLUMN(group)
/* If names need the room, the calls after go: the calls before and the change imply them. */
#define CALLS_COLUMNS                                                                              \
    {"calls", "before", FALSE}, {"calls", "after", FALSE, 1}, {"calls", "change", FALSE},          \
        VERDICT_COLUMN("calls")
#define TIME_COLUMNS(group, spare)                                                                 \
    VALUE_COLUMNS(group, spare, "ns"), {group, "+-", FALSE, spare, "ns"}, VERDICT_COLUMN(group)

static const FcColumn columns[] = {
    TIME_COLUMNS("local", 0),    TIME_COLUMNS("total", 2),   CALLS_COLUMNS,
    TIME_COLUMNS("per call", 1), {NULL, "finding", TRUE, 2}, {NULL, "function", TRUE, 0},
};
static const FcColumn memory_columns[] = {
    TIME_COLUMNS("local", 0),
    TIME_COLUMNS("total", 2),
    CALLS_COLUMNS,
    TIME_COLUMNS("per call", 1),
    COUNT_COLUMNS("allocated", 1, "bytes"),
    {NULL, "finding", TRUE, 2},
    {NULL, "function", TRUE, 0},
};
static const FcColumn context_columns[] = {
    {NULL, "level", FALSE, .reader = FC_READER_PROGRAM},
    TIME_COLUMNS("total", 0),
    TIME_COLUMNS("local", 2),
    CALLS_COLUMNS,
    {NULL, "context", TRUE, 0},
};
static const FcColumn memory_context_columns[] = {
    {NULL, "level", FALSE, .reader = FC_READER_PROGRAM},
    TIME_COLUMNS("total", 0),
    TIME_COLUMNS("local", 2),
    CALLS_COLUMNS,
    COUNT_COLUMNS("allocated", 1, "bytes"),
    {NULL, "context", TRUE, 0},
};
static const FcDiffMetric context_metrics[] = {FC_DIFF_TOTAL, FC_DIFF_LOCAL, FC_DIFF_CALLS,
                                               FC_DIFF_BYTES};

/* A mean, which need not be a whole number. */
static char *csv_number(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup(
        g_ascii_formatd(text, sizeof text, value == floor(value) ? "%.0f" : "%.3f", value));
}

static void add_csv_change(FcTable *table, FcDiffMetric metric, const FcDiffChange *change)
{
    fc_table_cell(table, csv_number(change->before));
    fc_table_cell(table, csv_number(change->after));
    fc_table_cell(table, csv_number(change->change));
    if (fc_diff_is_time(metric))
        fc_table_cell(table, change->margin > 0 ? csv_number(change->margin) : NULL);
    fc_table_cell(table, g_strdup(fc_diff_verdict_name(change->verdict)));
}

static void add_change(FcTable *table, FcDiffMetric metric, const FcDiffChange *change)
{
    if (fc_format_is_csv())
    {
        add_csv_change(table, metric, change);
        return;
    }
    fc_table_cell(table, fc_diff_format(metric, change->before));
    fc_table_cell(table, fc_diff_format(metric, change->after));
    fc_table_cell(table, fc_diff_change_text(metric, change));
    if (fc_diff_is_time(metric))
        fc_table_cell(table, fc_diff_margin_text(change));
    fc_table_cell(table, NULL);
}

static FcStyle style_of(const FcDiffChange *change)
{
    if (change->verdict == FC_VERDICT_FOUND)
        return change->change > 0 ? FC_STYLE_HOT : FC_STYLE_STRONG;
    return change->verdict == FC_VERDICT_NOISE ? FC_STYLE_DIM : FC_STYLE_PLAIN;
}

static void print_whole(const FcReportContext *context)
{
    const struct
    {
        FcDiffMetric metric;
        const char *name;
    } lines[] = {
        {FC_DIFF_LOCAL, fc_diff_time_name(context)},
        {FC_DIFF_TOTAL, "elapsed"},
        {FC_DIFF_CALLS, "calls"},
        {FC_DIFF_BYTES, "allocated"},
    };
    const FcDiff *diff = context->diff;
    g_autoptr(FcTable) table = fc_table_new(whole_columns, G_N_ELEMENTS(whole_columns));
    for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
    {
        const FcDiffMetric metric = lines[i].metric;
        if (metric == FC_DIFF_BYTES && !diff->memory)
            continue;
        /* The program has few figures: their level does not depend on that of the functions. */
        const FcDiffChange change = fc_diff_change(diff, &diff->whole, metric, FC_DIFF_RATE);
        fc_table_row(table, style_of(&change));
        fc_table_cell(table, g_strdup(lines[i].name));
        fc_table_cell(table, fc_diff_format(metric, change.before));
        fc_table_cell(table, fc_diff_format(metric, change.after));
        fc_table_cell(table, fc_diff_change_text(metric, &change));
        fc_table_cell(table, fc_diff_margin_text(&change));
    }
    fc_table_print(table, context->render);
}

static void print_legend(const FcReportContext *context)
{
    const FcDiff *diff = context->diff;
    if (diff->runs[FC_DIFF_BEFORE] == 1 && diff->runs[FC_DIFF_AFTER] == 1)
    {
        fc_render_note(context->render,
                       "One run each: counts are exact; whether a change of a time, marked ?, is "
                       "noise only more runs tell: %u of each, or more.",
                       FC_DIFF_RUNS_LEAST);
        if (diff->estimated)
            fc_render_note(context->render,
                           "Times that are estimates have the margin +- of their error; \"noise\" "
                           "is within it.");
    }
    else
        fc_render_note(context->render,
                       "\"noise\": not more than what runs differ by anyway "
                       "(+-: Welch's test, %.0f%% of findings may be wrong).",
                       100 * FC_DIFF_RATE);
}

static void add_function(FcTable *table, const FcDiff *diff, const FcDiffFunction *function)
{
    static const FcDiffMetric metrics[] = {FC_DIFF_LOCAL, FC_DIFF_TOTAL, FC_DIFF_CALLS,
                                           FC_DIFF_PER_CALL, FC_DIFF_BYTES};
    const FcDiffChange local = fc_diff_change(diff, function, FC_DIFF_LOCAL, diff->level);
    fc_table_row(table, style_of(&local));
    for (guint i = 0; i < G_N_ELEMENTS(metrics); i++)
    {
        if (metrics[i] == FC_DIFF_BYTES && !diff->memory)
            continue;
        const FcDiffChange change = fc_diff_change(diff, function, metrics[i], diff->level);
        add_change(table, metrics[i], &change);
    }
    fc_table_cell(table, fc_diff_finding(diff, function));
    fc_table_cell(table, g_strdup(function->label));
}

static const char *plural(guint count)
{
    return count == 1 ? "" : "s";
}

static void print_rest(const FcReportContext *context, const FcDiffRows *rows)
{
    if (rows->more > 0)
        fc_render_note(context->render, "%u more function%s changed; --all shows them.", rows->more,
                       plural(rows->more));
    if (rows->noise > 0)
        fc_render_note(context->render, "Not shown: %u function%s that differ%s by noise only.",
                       rows->noise, plural(rows->noise), rows->noise == 1 ? "s" : "");
    if (rows->same > 0)
        fc_render_note(context->render, "Not shown: %u function%s without any change.", rows->same,
                       plural(rows->same));
}

static void print_functions(const FcReportContext *context)
{
    const FcDiff *diff = context->diff;
    FcDiffRows rows;
    g_autoptr(FcTable) table = diff->memory
                                   ? fc_table_new(memory_columns, G_N_ELEMENTS(memory_columns))
                                   : fc_table_new(columns, G_N_ELEMENTS(columns));
    fc_diff_rows_init(&rows, context, fc_format_is_csv() ? FC_TOP_ALL : ROWS_MAX);
    for (guint i = 0; i < rows.rows->len; i++)
        add_function(table, diff, fc_diff_function(diff, g_array_index(rows.rows, guint, i)));
    fc_render_title(context->render, "Functions that changed");
    if (rows.rows->len > 0 || fc_format_is_csv())
        fc_table_print(table, context->render);
    else
        fc_render_line(context->render, "None.");
    print_rest(context, &rows);
    fc_diff_rows_clear(&rows);
}

void fc_report_diff(const FcReportContext *context)
{
    const FcDiff *diff = context->diff;
    fc_render_title(context->render, "Difference: %u run%s before, %u after",
                    diff->runs[FC_DIFF_BEFORE], plural(diff->runs[FC_DIFF_BEFORE]),
                    diff->runs[FC_DIFF_AFTER]);
    print_legend(context);
    if (!fc_format_is_csv())
        print_whole(context);
    print_functions(context);
    if (context->reasons->len == 0)
        return;
    fc_render_title(context->render, "Failed");
    for (guint i = 0; i < context->reasons->len; i++)
        fc_render_line(context->render, "%s", (char *)context->reasons->pdata[i]);
}

/* ---- Contexts ------------------------------------------------------------------------ */

static double size_of_change(const FcDiffContext *context, FcDiffMetric metric)
{
    return fabs(context->figures[metric][FC_DIFF_AFTER].mean -
                context->figures[metric][FC_DIFF_BEFORE].mean);
}

/* Whether there is anything to say of the context. */
static gboolean is_finding(const FcDiff *diff, const FcDiffContext *context)
{
    for (guint i = 0; i < G_N_ELEMENTS(context_metrics); i++)
        if ((context_metrics[i] != FC_DIFF_BYTES || diff->memory) &&
            fc_diff_context_change(diff, context, context_metrics[i]).verdict >= FC_VERDICT_UNKNOWN)
            return TRUE;
    return FALSE;
}

/* By total time, then by bytes. */
static int compare_contexts(gconstpointer a, gconstpointer b, gpointer data)
{
    static const FcDiffMetric metrics[] = {FC_DIFF_TOTAL, FC_DIFF_BYTES};
    const FcDiff *diff = data;
    const guint first = *(const guint *)a;
    const guint second = *(const guint *)b;
    for (guint i = 0; i < G_N_ELEMENTS(metrics); i++)
    {
        const double x = size_of_change(fc_diff_context(diff, first), metrics[i]);
        const double y = size_of_change(fc_diff_context(diff, second), metrics[i]);
        if (x != y)
            return x < y ? 1 : -1;
    }
    return (first > second) - (first < second);
}

/* Marks the `most` contexts that changed most, and the path to each.  Returns how many others
 * changed. */
static guint mark_contexts(const FcDiff *diff, gboolean *marked, guint most)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 1; i < diff->contexts->len; i++)
        if (is_finding(diff, fc_diff_context(diff, i)))
            g_array_append_val(found, i);
    g_array_sort_with_data(found, compare_contexts, (gpointer)diff);
    const guint count = MIN(most, found->len);
    for (guint i = 0; i < count; i++)
        for (gint at = (gint)g_array_index(found, guint, i); at > 0 && !marked[at];
             at = fc_diff_context(diff, (guint)at)->parent)
            marked[at] = TRUE;
    return found->len - count;
}

/* Lists each context's marked children: `first`, then `next`; 0 ends a list. */
static void link_children(const FcDiff *diff, const gboolean *marked, guint *first, guint *next)
{
    g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 1; i < diff->contexts->len; i++)
        if (marked[i])
            g_array_append_val(order, i);
    g_array_sort_with_data(order, compare_contexts, (gpointer)diff);
    for (guint i = order->len; i-- > 0;)
    {
        const guint node = g_array_index(order, guint, i);
        const gint parent = fc_diff_context(diff, node)->parent;
        next[node] = first[parent];
        first[parent] = node;
    }
}

static void add_context(FcTable *table, const FcDiff *diff, guint index, guint depth)
{
    const FcDiffContext *context = fc_diff_context(diff, index);
    const FcDiffChange total = fc_diff_context_change(diff, context, FC_DIFF_TOTAL);
    fc_table_row(table, style_of(&total));
    fc_table_cell(table, fc_format_count(depth));
    for (guint i = 0; i < G_N_ELEMENTS(context_metrics); i++)
    {
        if (context_metrics[i] == FC_DIFF_BYTES && !diff->memory)
            continue;
        const FcDiffChange change = fc_diff_context_change(diff, context, context_metrics[i]);
        add_change(table, context_metrics[i], &change);
    }
    fc_table_cell(table, g_strdup_printf("%*s%s", fc_format_is_csv() ? 0 : (int)(2 * depth), "",
                                         fc_diff_context_label(diff, context)));
}

void fc_report_diff_tree(const FcReportContext *context)
{
    const FcDiff *diff = context->diff;
    g_autofree gboolean *marked = g_new0(gboolean, diff->contexts->len);
    g_autofree guint *first = g_new0(guint, diff->contexts->len);
    g_autofree guint *next = g_new0(guint, diff->contexts->len);
    const guint more = mark_contexts(
        diff, marked, fc_diff_most(context, fc_format_is_csv() ? FC_TOP_ALL : CONTEXTS_MAX));
    g_autoptr(FcTable) table =
        diff->memory ? fc_table_new(memory_context_columns, G_N_ELEMENTS(memory_context_columns))
                     : fc_table_new(context_columns, G_N_ELEMENTS(context_columns));
    link_children(diff, marked, first, next);
    fc_render_title(context->render, "Contexts that changed");
    if (first[0] == 0 && !fc_format_is_csv())
    {
        fc_render_line(context->render, "None.");
        return;
    }
    guint depth = 0;
    for (gint at = (gint)first[0]; at > 0;)
    {
        add_context(table, diff, (guint)at, depth);
        if (first[at] != 0)
        {
            at = (gint)first[at];
            depth++;
            continue;
        }
        while (at > 0 && next[at] == 0)
        {
            at = fc_diff_context(diff, (guint)at)->parent;
            depth--;
        }
        at = at > 0 ? (gint)next[at] : 0;
    }
    fc_table_print(table, context->render);
    if (more > 0)
        fc_render_note(context->render, "%u more context%s changed; --all shows them.", more,
                       plural(more));
}
