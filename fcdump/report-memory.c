/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reports of memory share; see report-memory.h.
 */
#include "fcdump/report-memory.h"

#include <string.h>

static gboolean is_asked(const FcReportContext *context, const char *name)
{
    const FcReport *const *reports = context->options->table;
    for (guint i = 0; reports[i]; i++)
        if (strcmp(reports[i]->name, name) == 0)
            return (context->options->asked >> i & 1) != 0;
    return FALSE;
}

/* Whether the profile has memory records, be they those of version 3.0. */
static gboolean is_recorded(const FcProfile *profile)
{
    return profile->heap.recorded ||
           profile->leaks->len + profile->bad_frees->len + profile->bad_reallocs->len > 0;
}

gboolean fc_report_memory_begin(const FcReportContext *context, const char *name, const char *title,
                                gboolean is_empty)
{
    gboolean recorded = is_recorded(context->model->profile);
    if (!is_asked(context, name) && (!recorded || is_empty))
        return FALSE;
    fc_render_title(context->render, "%s", title);
    if (!recorded)
        fc_render_line(context->render, "The profile has no memory records: run with FC_MEMORY=1.");
    else if (is_empty)
        fc_render_line(context->render, "None.");
    return recorded && !is_empty;
}

static char *format_frame(const FcReportContext *context, const FcMemoryFrame *frame)
{
    if (context->options->addresses)
        return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", frame->place.address);
    g_autofree char *source =
        frame->no_line ? NULL : fc_report_source(context, &frame->place, TRUE);
    return source ? g_strdup_printf("%s  at %s", frame->label, source) : g_strdup(frame->label);
}

char *fc_report_stack_line(const FcReportContext *context, const FcProfileHeapPoint *point)
{
    g_autoptr(GArray) stack = fc_memory_stack(context->model, point);
    GString *line = g_string_new(stack->len > 0 ? fc_memory_call_name(point->call) : NULL);
    for (guint i = 0; i < stack->len; i++)
    {
        g_autofree char *frame = format_frame(context, &g_array_index(stack, FcMemoryFrame, i));
        g_string_append_printf(line, ";%s", frame);
    }
    return g_string_free(line, FALSE);
}

void fc_report_stack(const FcReportContext *context, FcTable *table, guint cells,
                     const char *prefix, const FcProfileHeapPoint *point)
{
    g_autoptr(GArray) stack = fc_memory_stack(context->model, point);
    if (fc_format_is_csv())
    {
        fc_table_cell(table, fc_report_stack_line(context, point));
        return;
    }
    if (stack->len == 0)
        fc_table_cell(table, g_strdup_printf("%snot known", prefix));
    for (guint i = 0; i < stack->len; i++)
    {
        g_autofree char *frame = format_frame(context, &g_array_index(stack, FcMemoryFrame, i));
        if (i == 0)
        {
            fc_table_cell(table, g_strdup_printf("%s%s in %s", prefix,
                                                 fc_memory_call_name(point->call), frame));
            continue;
        }
        fc_table_row(table, FC_STYLE_DIM);
        for (guint c = 0; c < cells; c++)
            fc_table_cell(table, NULL);
        fc_table_cell(table,
                      g_strdup_printf("%s    from %s", *prefix != '\0' ? "    " : "", frame));
    }
}

char *fc_report_number(guint64 count, const char *thing)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT " %s%s", count, thing, count == 1 ? "" : "s");
}

char *fc_report_lifetime(const FcProfileAllocSite *figures)
{
    return figures->frees > 0 ? fc_format_time(figures->lifetime_ns / figures->frees)
                              : g_strdup("-");
}

/* ---- Order ---------------------------------------------------------------------------- */

typedef struct
{
    const FcProfileAllocSite *figures;
    gsize figure;
} Order;

static guint64 figure_of(const Order *order, guint index)
{
    return G_STRUCT_MEMBER(guint64, &order->figures[index], order->figure);
}

static gint compare_figures(gconstpointer a, gconstpointer b, gpointer data)
{
    const guint x = *(const guint *)a;
    const guint y = *(const guint *)b;
    const guint64 left = figure_of(data, x);
    const guint64 right = figure_of(data, y);
    if (left != right)
        return left < right ? 1 : -1;
    return (x > y) - (x < y);
}

GArray *fc_report_largest(const FcProfileAllocSite *figures, guint count, gsize figure)
{
    Order order = {figures, figure};
    GArray *indices = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < count; i++)
        if (figures[i].allocations > 0)
            g_array_append_val(indices, i);
    g_array_sort_with_data(indices, compare_figures, &order);
    return indices;
}
