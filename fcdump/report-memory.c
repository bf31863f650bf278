/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the reports of memory share; see report-memory.h.
 */
#include "fcdump/report-memory.h"

#include "model/memory-lines.h"

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

static char *format_line(const FcReportContext *context, const FcMemoryLine *line)
{
    if (context->options->addresses)
        return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", line->address);
    g_autofree char *source = line->file ? fc_report_line(context, line->file, line->line) : NULL;
    return source ? g_strdup_printf("%s  at %s", line->label, source) : g_strdup(line->label);
}

char *fc_report_stack_line(const FcReportContext *context, const FcProfileHeapPoint *point)
{
    g_autoptr(GArray) lines = fc_memory_lines(context->model, point);
    GString *text = g_string_new(lines->len > 0 ? fc_memory_call_name(point->call) : NULL);
    for (guint i = 0; i < lines->len; i++)
    {
        g_autofree char *line = format_line(context, &g_array_index(lines, FcMemoryLine, i));
        g_string_append_printf(text, ";%s", line);
    }
    return g_string_free(text, FALSE);
}

static void add_further(FcTable *table, guint cells, const char *prefix, const char *how,
                        const char *what)
{
    fc_table_row(table, FC_STYLE_DIM);
    for (guint c = 0; c < cells; c++)
        fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup_printf("%s    %s %s", *prefix != '\0' ? "    " : "", how, what));
}

/* "std::vector<int>::push_back  at FILE:LINE": the function of the system's headers that the
 * program called, and the place that called the allocator. */
static char *format_way(const FcMemoryLine *called, const FcMemoryLine *innermost)
{
    static const char *const folders[] = {"/usr/include/c++/", "/usr/include/", "/usr/lib/"};
    const char *file = innermost->file;
    for (guint i = 0; file && i < G_N_ELEMENTS(folders); i++)
    {
        if (!g_str_has_prefix(file, folders[i]))
            continue;
        file += strlen(folders[i]);
        file = i == 0 && strchr(file, '/') ? strchr(file, '/') + 1 : file; /* without the version */
        break;
    }
    return file ? g_strdup_printf("%s  at %s:%u", called->label, file, innermost->line)
                : g_strdup(called->label);
}

void fc_report_stack(const FcReportContext *context, FcTable *table, guint cells,
                     const char *prefix, const FcProfileHeapPoint *point)
{
    g_autoptr(GArray) lines = fc_memory_lines(context->model, point);
    if (fc_format_is_csv())
    {
        fc_table_cell(table, fc_report_stack_line(context, point));
        return;
    }
    if (lines->len == 0)
    {
        fc_table_cell(table, g_strdup_printf("%snot known", prefix));
        return;
    }
    const guint own = fc_memory_own_line(lines);
    g_autofree char *first = format_line(context, &g_array_index(lines, FcMemoryLine, own));
    fc_table_cell(table,
                  g_strdup_printf("%s%s in %s", prefix, fc_memory_call_name(point->call), first));
    if (own > 0)
    {
        g_autofree char *way = format_way(&g_array_index(lines, FcMemoryLine, own - 1),
                                          &g_array_index(lines, FcMemoryLine, 0));
        add_further(table, cells, prefix, "via", way);
    }
    for (guint i = own + 1; i < lines->len; i++)
    {
        g_autofree char *line = format_line(context, &g_array_index(lines, FcMemoryLine, i));
        add_further(table, cells, prefix, "from", line);
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
