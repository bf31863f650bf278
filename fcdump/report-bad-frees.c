/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bad frees and reallocs: invalid pointers that were given to them, with the stacks of all that
 * happened to their block.  Those that are alike in all of that are one entry.
 */
#include "fcdump/report-memory.h"

#include "libfc/fc-format.h"

#include <string.h>

static const FcColumn columns[] = {{NULL, NULL, TRUE}};

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
    fc_report_stack(context, table, 0, prefix, point);
}

static void add_entry(const FcReportContext *context, FcTable *table, const FcProfileBadFree *bad,
                      guint count)
{
    gboolean is_double = bad->kind == FC_BAD_DOUBLE;
    g_autofree char *what = describe(bad);
    g_autofree char *time = fc_format_time(bad->time_ns);
    g_autofree char *more = count > 1 ? g_strdup_printf(" (and %u more)", count - 1) : g_strdup("");
    fc_table_row(table, FC_STYLE_WARM);
    fc_table_cell(table, g_strdup_printf("0x%" G_GINT64_MODIFIER "x %s; after %s%s", bad->pointer,
                                         what, time, more));
    add_point(context, table, is_double ? "  again: " : "  here: ", &bad->here);
    add_point(context, table, "  freed: ", &bad->freed);
    add_point(context, table, "  allocated: ", &bad->allocated);
}

/* Those of free, or of realloc. */
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
    for (guint i = 0; i < list->len; i++)
    {
        g_autofree char *key = entry_key(list->pdata[i]);
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key));
        if (count == 0)
            continue;
        g_hash_table_remove(counts, key);
        if (i > 0)
            fc_table_gap(table);
        add_entry(context, table, list->pdata[i], count);
    }
    fc_table_print(table, context->render);
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

void fc_report_bad_frees(const FcReportContext *context)
{
    report(context, "mem-free", "Invalid pointers given to free", FALSE);
}

void fc_report_bad_reallocs(const FcReportContext *context)
{
    report(context, "mem-realloc", "Invalid pointers given to realloc", TRUE);
}
