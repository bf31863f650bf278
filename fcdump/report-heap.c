/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heap as a whole: totals, its size over time, the peak and who held it.
 */
#include "fcdump/report-memory.h"

#define COURSE_LINES 24
#define BAR_WIDTH 50
#define HOLDERS 10

static const FcColumn total_columns[] = {{NULL, NULL, TRUE}, {NULL, NULL, TRUE}};
static const FcColumn course_columns[] = {{NULL, "up to", FALSE, .unit = "elapsed ns"},
                                          {NULL, "most live", FALSE, .unit = "bytes"},
                                          {NULL, "", TRUE, .reader = FC_READER_PERSON}};
static const FcColumn holder_columns[] = {{NULL, "bytes", FALSE, .unit = "bytes"},
                                          {NULL, "%", FALSE},
                                          {NULL, NULL, TRUE, .csv = "stack"}};

/* "70000 bytes (68.4 KiB)", and no more than "700 bytes". */
static char *describe_bytes(guint64 bytes)
{
    g_autofree char *exact = fc_report_number(bytes, "byte");
    g_autofree char *size = fc_format_bytes(bytes);
    return g_str_has_suffix(size, " B") ? g_steal_pointer(&exact)
                                        : g_strdup_printf("%s (%s)", exact, size);
}

static void add_total(FcTable *table, const char *name, guint64 blocks, const char *thing,
                      guint64 bytes, const char *rest)
{
    g_autofree char *number = fc_report_number(blocks, thing);
    g_autofree char *size = describe_bytes(bytes);
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup(name));
    fc_table_cell(table, g_strdup_printf("%s, %s%s", number, size, rest));
}

static void print_totals(const FcReportContext *context)
{
    const FcProfileHeap *heap = &context->model->profile->heap;
    g_autoptr(FcTable) table = fc_table_new(total_columns, G_N_ELEMENTS(total_columns));
    FcProfileAllocSite all = {0};
    for (guint i = 0; i < heap->alloc_sites->len; i++)
        fc_profile_add_heap_figures(&all, &g_array_index(heap->alloc_sites, FcProfileAllocSite, i));
    g_autofree char *when = fc_format_time(heap->peak_ns);
    g_autofree char *peak = describe_bytes(heap->peak_bytes);
    g_autofree char *frees = fc_report_number(heap->frees, "block");
    g_autofree char *life = fc_report_lifetime(&all);
    g_autofree char *share = fc_format_share(all.temporary, heap->allocations);
    add_total(table, "Allocated", heap->allocations, "block", heap->bytes, "");
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup("Freed"));
    fc_table_cell(table, g_strdup_printf("%s, after %s on average; %" G_GUINT64_FORMAT
                                         " (%s%%) before the next allocation",
                                         frees, life, all.temporary, share));
    add_total(table, "At the end", heap->live_blocks, "block", heap->live_bytes, " were live");
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, g_strdup("Peak"));
    fc_table_cell(table, g_strdup_printf("%s were live after %s%s", peak, when,
                                         context->model->inputs->len > 1
                                             ? ", in the process with the largest"
                                             : ""));
    if (heap->maps + heap->unmaps > 0)
    {
        add_total(table, "Mapped", heap->maps, "call", heap->map_bytes, " of mmap");
        add_total(table, "Unmapped", heap->unmaps, "call", heap->unmap_bytes, " of munmap");
    }
    fc_table_print(table, context->render);
}

/* The most live bytes in the `each` samples from `first` on.  *last: the index of the last of them.
 */
static guint64 most_live(const GArray *samples, guint first, guint each, guint *last)
{
    guint64 most = 0;
    *last = MIN(first + each, samples->len) - 1;
    for (guint i = first; i <= *last; i++)
        most = MAX(most, g_array_index(samples, FcProfileHeapSample, i).live_bytes);
    return most;
}

/* For people, several samples make one line, so that the whole course fits a page.  Of adjacent
 * lines with equal bytes only the last is printed. */
static void print_course(const FcReportContext *context)
{
    const FcProfileHeap *heap = &context->model->profile->heap;
    const GArray *samples = heap->samples;
    g_autoptr(FcTable) table = fc_table_new(course_columns, G_N_ELEMENTS(course_columns));
    const guint each = fc_format_is_csv() ? 1 : (samples->len + COURSE_LINES - 1) / COURSE_LINES;
    if (samples->len == 0 || heap->peak_bytes == 0)
        return;
    for (guint i = 0; i < samples->len; i += each)
    {
        guint last;
        guint next;
        const guint64 most = most_live(samples, i, each, &last);
        if (!fc_format_is_csv() && last + 1 < samples->len &&
            most_live(samples, i + each, each, &next) == most)
            continue;
        guint64 time = g_array_index(samples, FcProfileHeapSample, last).time_ns;
        gsize length = (gsize)((double)most / (double)heap->peak_bytes * BAR_WIDTH + 0.5);
        fc_table_row(table, most == heap->peak_bytes ? FC_STYLE_HOT : FC_STYLE_PLAIN);
        fc_table_cell(table, fc_format_time(time));
        fc_table_cell(table, fc_format_bytes(most));
        fc_table_cell(table, g_strnfill(MIN(MAX(length, most > 0), BAR_WIDTH), '#'));
    }
    fc_render_line(context->render, "\nThe heap over time:");
    fc_table_print(table, context->render);
}

static void print_holders(const FcReportContext *context)
{
    const FcProfileHeap *heap = &context->model->profile->heap;
    const FcProfileAllocSite *sites = (const FcProfileAllocSite *)heap->alloc_sites->data;
    g_autoptr(FcTable) table = fc_table_new(holder_columns, G_N_ELEMENTS(holder_columns));
    g_autoptr(GArray) largest = fc_report_largest(sites, heap->alloc_sites->len,
                                                  G_STRUCT_OFFSET(FcProfileAllocSite, peak_bytes));
    FcOptions options = *context->options;
    FcReportContext own = *context;
    own.options = &options;
    if (options.top == 0)
        options.top = HOLDERS;
    FcReportCut cut = {0};
    for (guint i = 0; i < largest->len; i++)
    {
        const guint index = g_array_index(largest, guint, i);
        const FcProfileAllocSite *site = &sites[index];
        if (site->peak_bytes == 0)
            break;
        if (!context->memory->alloc_sites[index].shown ||
            !fc_report_keep(&own, &cut, site->peak_bytes, heap->peak_bytes))
            continue;
        fc_table_row(table, fc_render_heat(site->peak_bytes, heap->peak_bytes));
        fc_table_cell(table, fc_format_bytes(site->peak_bytes));
        fc_table_cell(table, fc_format_share(site->peak_bytes, heap->peak_bytes));
        fc_report_stack(context, table, G_N_ELEMENTS(holder_columns) - 1, "", &site->point);
    }
    if (cut.kept == 0)
        return;
    fc_render_line(context->render, "\nWhat was live at the peak, the largest first:");
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "allocation site");
}

static void render_heap(const FcReportContext *context)
{
    if (!fc_report_memory_begin(context, "mem-heap", "The heap",
                                !context->model->profile->heap.recorded))
        return;
    if (!fc_format_is_csv())
        print_totals(context);
    print_course(context);
    if (!fc_format_is_csv())
        print_holders(context);
}

const FcReport fc_report_heap = {"mem-heap",
                                 "the heap: totals, its size over time, the peak and who held it",
                                 FC_REPORT_CLASSIC, render_heap};
