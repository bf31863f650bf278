/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who allocates how much: by function, by allocation site, and by the size of the blocks.
 */
#include "fcdump/report-memory.h"

#define BAR_WIDTH 40
#define BUCKETS_ON_LINE 5

static const FcColumn function_columns[] = {
    {"own", "blocks", FALSE},
    {"own", "bytes", FALSE, .unit = "bytes"},
    {"own", "live", FALSE, .unit = "bytes"},
    {"own", "temporary", FALSE, 3},
    {"own", "lifetime", FALSE, 4, .unit = "elapsed ns"},
    {"own", "peak %", FALSE},
    {"with callees", "blocks", FALSE, 2},
    {"with callees", "bytes", FALSE, 2, .unit = "bytes"},
    {"with callees", "live", FALSE, 2, .unit = "bytes"},
    {"with callees", "temporary", FALSE, 2},
    {"with callees", "lifetime", FALSE, 2, .unit = "elapsed ns"},
    {"with callees", "peak %", FALSE, 2},
    {NULL, "function", TRUE},
};
static const FcColumn context_columns[] = {
    {"allocated", "bytes", FALSE, .unit = "bytes"},
    {"allocated", "%", FALSE},
    {"allocated", "blocks", FALSE},
    {"live", "bytes", FALSE, .unit = "bytes"},
    {"live", "blocks", FALSE},
    {NULL, "temporary", FALSE},
    {NULL, "lifetime", FALSE, .unit = "elapsed ns"},
    {NULL, "peak %", FALSE},
    {NULL, NULL, TRUE, .csv = "stack"},
};
static const FcColumn size_columns[] = {
    {NULL, "row", TRUE, .reader = FC_READER_PROGRAM},
    {NULL, "blocks", FALSE},
    {NULL, "%", FALSE},
    {NULL, "from", FALSE, .unit = "bytes"},
    {NULL, "below", FALSE, .unit = "bytes"},
    {NULL, "function", TRUE},
};

/* `function`: its number in the model; the number of functions stands for "none". */
static const char *function_name(const FcModel *model, guint function)
{
    return function < model->functions->len ? fc_model_function(model, function)->label
                                            : "<outside>";
}

static gboolean function_shown(const FcReportContext *context, guint function)
{
    const FcModel *model = context->model;
    return function < model->functions->len ? fc_model_function(model, function)->shown
                                            : context->options->only->len == 0;
}

static void render_mem_functions(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const FcMemory *memory = context->memory;
    const guint64 peak = model->profile->heap.peak_bytes;
    g_autoptr(FcTable) table = fc_table_new(function_columns, G_N_ELEMENTS(function_columns));
    g_autoptr(GArray) order = fc_report_largest(memory->total, model->functions->len + 1,
                                                G_STRUCT_OFFSET(FcProfileAllocSite, bytes));
    if (!fc_report_memory_begin(context, "mem-functions", "Memory by function", order->len == 0))
        return;
    FcReportCut cut = {0};
    for (guint i = 0; i < order->len; i++)
    {
        const guint function = g_array_index(order, guint, i);
        const FcProfileAllocSite *self = &memory->self[function];
        const FcProfileAllocSite *total = &memory->total[function];
        if (!function_shown(context, function) ||
            !fc_report_keep(context, &cut, total->bytes, model->profile->heap.bytes))
            continue;
        fc_table_row(table, fc_render_heat(self->bytes, model->profile->heap.bytes));
        fc_table_cell(table, fc_format_count(self->allocations));
        fc_table_cell(table, fc_format_bytes(self->bytes));
        fc_table_cell(table, fc_format_bytes(self->live_bytes));
        fc_table_cell(table, fc_format_count(self->temporary));
        fc_table_cell(table, fc_report_lifetime(self));
        fc_table_cell(table, fc_format_share(self->peak_bytes, peak));
        fc_table_cell(table, fc_format_count(total->allocations));
        fc_table_cell(table, fc_format_bytes(total->bytes));
        fc_table_cell(table, fc_format_bytes(total->live_bytes));
        fc_table_cell(table, fc_format_count(total->temporary));
        fc_table_cell(table, fc_report_lifetime(total));
        fc_table_cell(table, fc_format_share(total->peak_bytes, peak));
        fc_table_cell(table, g_strdup(function_name(model, function)));
    }
    fc_render_note(context->render,
                   "own: allocated while the function was the innermost profiled one.  live: bytes "
                   "at the end.\ntemporary: blocks that were freed before their thread allocated "
                   "another.  peak %%: of what was live at the peak.");
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "function");
}

const FcReport fc_report_mem_functions = {"mem-functions", "what each function allocated",
                                          FC_REPORT_ON_REQUEST, render_mem_functions};

/* ---- Sizes ------------------------------------------------------------------------------ */

static guint64 bucket_start(guint bucket)
{
    return bucket == 0 ? 0 : G_GUINT64_CONSTANT(1) << (bucket - 1);
}

/* "64-127 B", "4-8 KiB". */
static char *bucket_range(guint bucket)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    const guint64 start = bucket_start(bucket);
    guint shift = 10;
    if (bucket <= 1)
        return g_strdup_printf("%u B", bucket);
    if (start < 1024)
        return g_strdup_printf("%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " B", start,
                               2 * start - 1);
    while (start >> shift >= 1024)
        shift += 10;
    const char *unit = units[shift / 10 - 1];
    if (bucket == FC_SIZE_BUCKETS - 1)
        return g_strdup_printf("%" G_GUINT64_FORMAT " %s and more", start >> shift, unit);
    return g_strdup_printf("%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " %s", start >> shift,
                           2 * start >> shift, unit);
}

/* The sizes of one allocation site's blocks, in lines below its stack: most sites have blocks of
 * one size or two. */
static void add_size_lines(FcTable *table, guint empty_cells, const FcProfileAllocSite *figures)
{
    g_autoptr(GString) line = g_string_new(NULL);
    guint on_line = 0;
    guint left = 0;
    for (guint i = 0; i < FC_SIZE_BUCKETS; i++)
        left += figures->sizes[i] != 0;
    for (guint i = 0, done = 0; i < FC_SIZE_BUCKETS; i++)
    {
        if (figures->sizes[i] == 0)
            continue;
        g_autofree char *range = bucket_range(i);
        g_string_append_printf(line, "%s%" G_GUINT64_FORMAT " of %s%s", done == 0 ? "sizes: " : "",
                               figures->sizes[i], range, done + 1 < left ? ", " : "");
        done++;
        if (++on_line < BUCKETS_ON_LINE && done < left)
            continue;
        fc_table_remark(table, FC_STYLE_DIM);
        for (guint c = 0; c < empty_cells; c++)
            fc_table_cell(table, NULL);
        fc_table_cell(table, g_strdup_printf("    %s%s", done > on_line ? "       " : "",
                                             g_strchomp(line->str)));
        g_string_truncate(line, 0);
        on_line = 0;
    }
}

static void render_mem_contexts(const FcReportContext *context)
{
    const FcProfileHeap *heap = &context->model->profile->heap;
    const FcProfileAllocSite *sites = (const FcProfileAllocSite *)heap->alloc_sites->data;
    g_autoptr(FcTable) table = fc_table_new(context_columns, G_N_ELEMENTS(context_columns));
    g_autoptr(GArray) order = fc_report_largest(sites, heap->alloc_sites->len,
                                                G_STRUCT_OFFSET(FcProfileAllocSite, bytes));
    FcReportCut cut = {0};
    if (!fc_report_memory_begin(context, "mem-contexts", "Memory by calling context",
                                order->len == 0))
        return;
    for (guint i = 0; i < order->len; i++)
    {
        const guint index = g_array_index(order, guint, i);
        const FcProfileAllocSite *site = &sites[index];
        if (!context->memory->alloc_sites[index].shown ||
            !fc_report_keep(context, &cut, site->bytes, heap->bytes))
            continue;
        fc_table_row(table, fc_render_heat(site->bytes, heap->bytes));
        fc_table_cell(table, fc_format_bytes(site->bytes));
        fc_table_cell(table, fc_format_share(site->bytes, heap->bytes));
        fc_table_cell(table, fc_format_count(site->allocations));
        fc_table_cell(table, fc_format_bytes(site->live_bytes));
        fc_table_cell(table, fc_format_count(site->live_blocks));
        fc_table_cell(table, fc_format_count(site->temporary));
        fc_table_cell(table, fc_report_lifetime(site));
        fc_table_cell(table, fc_format_share(site->peak_bytes, heap->peak_bytes));
        fc_report_stack(context, table, G_N_ELEMENTS(context_columns) - 1, "", &site->point);
        add_size_lines(table, G_N_ELEMENTS(context_columns) - 1, site);
    }
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "allocation site");
}

const FcReport fc_report_mem_contexts = {"mem-contexts", "what each allocation site allocated",
                                         FC_REPORT_ON_REQUEST, render_mem_contexts};

static void add_sizes(FcTable *table, const FcProfileAllocSite *figures, const char *name)
{
    guint64 most = 1;
    for (guint i = 0; i < FC_SIZE_BUCKETS; i++)
        most = MAX(most, figures->sizes[i]);
    fc_table_row(table, FC_STYLE_STRONG);
    fc_table_cell(table, g_strdup("function"));
    fc_table_cell(table, fc_format_count(figures->allocations));
    fc_table_cell(table, fc_format_share(figures->allocations, figures->allocations));
    fc_table_cell(table, NULL);
    fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup(name));
    for (guint i = 0; i < FC_SIZE_BUCKETS; i++)
    {
        if (figures->sizes[i] == 0)
            continue;
        gsize length = (gsize)((double)figures->sizes[i] / (double)most * BAR_WIDTH + 0.5);
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, g_strdup("bucket"));
        fc_table_cell(table, fc_format_count(figures->sizes[i]));
        fc_table_cell(table, fc_format_share(figures->sizes[i], figures->allocations));
        fc_table_cell(table, fc_format_bytes(bucket_start(i)));
        fc_table_cell(table, i + 1 < FC_SIZE_BUCKETS ? fc_format_bytes(bucket_start(i + 1))
                                                     : g_strdup("-"));
        fc_table_cell(table, fc_format_is_csv() ? g_strdup(name) : g_strnfill(MAX(length, 1), '#'));
    }
}

static void render_mem_sizes(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const FcMemory *memory = context->memory;
    g_autoptr(FcTable) table = fc_table_new(size_columns, G_N_ELEMENTS(size_columns));
    g_autoptr(GArray) order = fc_report_largest(memory->self, model->functions->len + 1,
                                                G_STRUCT_OFFSET(FcProfileAllocSite, allocations));
    FcProfileAllocSite all = {0};
    FcReportCut cut = {0};
    if (!fc_report_memory_begin(context, "mem-sizes", "Sizes of blocks", order->len == 0))
        return;
    for (guint i = 0; i < order->len; i++)
        fc_profile_add_heap_figures(&all, &memory->self[g_array_index(order, guint, i)]);
    add_sizes(table, &all, "<all>");
    for (guint i = 0; i < order->len; i++)
    {
        const guint function = g_array_index(order, guint, i);
        if (!function_shown(context, function) ||
            !fc_report_keep(context, &cut, memory->self[function].allocations, all.allocations))
            continue;
        fc_table_gap(table);
        add_sizes(table, &memory->self[function], function_name(model, function));
    }
    fc_render_note(context->render, "Blocks by size, by the innermost profiled function.");
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "function");
}

const FcReport fc_report_mem_sizes = {"mem-sizes", "how large the blocks of each function were",
                                      FC_REPORT_ON_REQUEST, render_mem_sizes};
