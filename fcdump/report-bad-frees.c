/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bad frees and reallocs: invalid pointers that were given to them, with the stacks of all that
 * happened to their block.  Those that are alike in all of that are one entry.
 */
#include "fcdump/report-memory.h"

#include "libfc/fc-format.h"

#include <string.h>

static const FcColumn columns[] = {
    {NULL, "pointer", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "what", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "after", FALSE, .unit = "elapsed ns", .reader = FC_READER_PROGRAM},
    {NULL, "times", FALSE, .reader = FC_READER_PROGRAM},
    {NULL, "here", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "freed", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "allocated", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, NULL, TRUE, .reader = FC_READER_PERSON},
};
#define PROGRAM_COLUMNS (G_N_ELEMENTS(columns) - 1)

static char *point_key(const FcProfileHeapPoint *point)
{
    return g_strdup_printf("%d:%d:%" G_GINT64_MODIFIER "x:%d:%u", point->context,
                           point->site.module, point->site.offset, point->frames, point->call);
}

static char *entry_key(const FcProfileBadFree *bad)
{
    g_autofree char *here = point_key(&bad->here);
    g_autofree char *allocated = point_key(&bad->allocated);
    g_autofree char *freed = point_key(&bad->freed);
    return g_strdup_printf("%d %s %s %s", bad->kind, here, allocated, freed);
}

static char *describe(const FcProfileBadFree *bad)
{
    g_autofree char *size = fc_format_bytes(bad->size_bytes);
    switch (bad->kind)
    {
    case FC_BAD_DOUBLE:
        return g_strdup_printf("was freed before: a block of %s", size);
    case FC_BAD_INSIDE:
        return g_strdup_printf("is %" G_GUINT64_FORMAT " bytes inside a block of %s",
                               bad->pointer - bad->block, size);
    case FC_BAD_STACK:
        return g_strdup("points into the stack");
    case FC_BAD_MISMATCH:
        return g_strdup_printf("is of %s and was given to %s: a block of %s",
                               fc_memory_call_name(bad->allocated.call),
                               fc_memory_call_name(bad->here.call), size);
    case FC_BAD_UNKNOWN:
    default:
        return g_strdup("was never allocated");
    }
}

static void add_point(const FcReportContext *context, FcTable *table, const char *prefix,
                      const FcProfileHeapPoint *point)
{
    if (point->call == 0)
        return;
    fc_table_row(table, FC_STYLE_PLAIN);
    for (guint c = 0; c < PROGRAM_COLUMNS; c++)
        fc_table_cell(table, NULL);
    fc_report_stack(context, table, PROGRAM_COLUMNS, prefix, point);
}

/* The entry as one row for programs. */
static void add_csv_entry(const FcReportContext *context, FcTable *table,
                          const FcProfileBadFree *bad, guint count)
{
    const FcProfileHeapPoint *const points[] = {&bad->here, &bad->freed, &bad->allocated};
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup_printf("0x%" G_GINT64_MODIFIER "x", bad->pointer));
    fc_table_cell(table, describe(bad));
    fc_table_cell(table, fc_format_time(bad->time_ns));
    fc_table_cell(table, fc_format_count(count));
    for (guint i = 0; i < G_N_ELEMENTS(points); i++)
        fc_table_cell(table,
                      points[i]->call != 0 ? fc_report_stack_line(context, points[i]) : NULL);
}

static void add_entry(const FcReportContext *context, FcTable *table, const FcProfileBadFree *bad,
                      guint count)
{
    gboolean is_double = bad->kind == FC_BAD_DOUBLE;
    g_autofree char *what = describe(bad);
    g_autofree char *time = fc_format_time(bad->time_ns);
    g_autofree char *more = count > 1 ? g_strdup_printf(" (and %u more)", count - 1) : g_strdup("");
    fc_table_row(table, FC_STYLE_WARM);
    for (guint c = 0; c < PROGRAM_COLUMNS; c++)
        fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup_printf("0x%" G_GINT64_MODIFIER "x %s; after %s%s", bad->pointer,
                                         what, time, more));
    add_point(context, table, is_double ? "  again: " : "  here: ", &bad->here);
    add_point(context, table, "  freed: ", &bad->freed);
    add_point(context, table, "  allocated: ", &bad->allocated);
}

/* Bad frees, or (`of_realloc`) bad reallocs. */
static GPtrArray *collect(const FcReportContext *context, gboolean of_realloc)
{
    const GArray *all = context->model->profile->heap.bad_frees;
    GPtrArray *list = g_ptr_array_new();
    for (guint i = 0; i < all->len; i++)
    {
        FcProfileBadFree *bad = &g_array_index(all, FcProfileBadFree, i);
        const FcMemoryVerdict *verdict = &context->memory->bad_frees[i];
        if (verdict->shown && !verdict->suppressed &&
            (bad->here.call == FC_CALL_REALLOC) == of_realloc)
            g_ptr_array_add(list, bad);
    }
    return list;
}

static void print_list(const FcReportContext *context, const GPtrArray *list)
{
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < list->len; i++)
    {
        char *key = entry_key(list->pdata[i]);
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key));
        g_hash_table_replace(counts, key, GUINT_TO_POINTER(count + 1));
    }
    FcReportCut cut = {0};
    for (guint i = 0; i < list->len; i++)
    {
        g_autofree char *key = entry_key(list->pdata[i]);
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key));
        if (count == 0)
            continue;
        g_hash_table_remove(counts, key);
        if (!fc_report_keep(context, &cut, count, list->len))
            continue;
        if (cut.kept > 1)
            fc_table_gap(table);
        (fc_format_is_csv() ? add_csv_entry : add_entry)(context, table, list->pdata[i], count);
    }
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "pointer");
}

static void report(const FcReportContext *context, const char *name, const char *title,
                   gboolean of_realloc)
{
    const FcProfile *profile = context->model->profile;
    const GArray *blocks = of_realloc ? profile->bad_reallocs : profile->bad_frees;
    const guint suppressed = of_realloc ? 0 : context->memory->bad_suppressed;
    g_autoptr(GPtrArray) list = collect(context, of_realloc);
    gboolean is_empty = profile->heap.recorded ? list->len + suppressed == 0 : blocks->len == 0;
    if (!fc_report_memory_begin(context, name, title, is_empty))
        return;
    if (!profile->heap.recorded)
        fc_report_v3_bad(context, blocks);
    else if (list->len > 0)
        print_list(context, list);
    if (suppressed > 0)
        fc_render_note(context->render, "%u suppressed, those of realloc among them.", suppressed);
}

static void render_bad_frees(const FcReportContext *context)
{
    report(context, "mem-free", "Invalid pointers given to free", FALSE);
}

const FcReport fc_report_bad_frees = {"mem-free", "invalid pointers given to free",
                                      FC_REPORT_CLASSIC, render_bad_frees};

static void render_bad_reallocs(const FcReportContext *context)
{
    report(context, "mem-realloc", "Invalid pointers given to realloc", TRUE);
}

const FcReport fc_report_bad_reallocs = {"mem-realloc", "invalid pointers given to realloc",
                                         FC_REPORT_CLASSIC, render_bad_reallocs};
