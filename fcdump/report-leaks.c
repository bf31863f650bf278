/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Leaks: the blocks that were not freed, by allocation site.
 */
#include "fcdump/report-memory.h"

#include <string.h>

static const FcColumn columns[] = {{NULL, "bytes", FALSE, .unit = "bytes"},
                                   {NULL, "%", FALSE},
                                   {NULL, "blocks", FALSE},
                                   {NULL, "state", TRUE},
                                   {NULL, NULL, TRUE, .csv = "stack"}};

/* Blocks of one site and one state. */
typedef struct
{
    const FcProfileAllocSite *site;
    FcMemorySum sum;
    const char *state;
    guint index;
} Group;

static void add_group(GArray *groups, const FcProfileAllocSite *site, guint index,
                      const char *state, guint64 blocks, guint64 bytes)
{
    Group group = {site, {blocks, bytes}, state, index};
    if (blocks > 0)
        g_array_append_val(groups, group);
}

static void add_groups(const FcReportContext *context, GArray *groups, guint index)
{
    const FcProfileHeap *heap = &context->model->profile->heap;
    const FcProfileAllocSite *site = &g_array_index(heap->alloc_sites, FcProfileAllocSite, index);
    const FcMemoryVerdict *verdict = &context->memory->alloc_sites[index];
    const FcMemorySum leaked = fc_memory_leaked(site);
    if (!verdict->shown)
        return;
    if (!verdict->suppressed)
    {
        add_group(groups, site, index, heap->scanned != 0 ? "lost" : "live",
                  leaked.blocks - MIN(site->indirect_blocks, leaked.blocks),
                  leaked.bytes - MIN(site->indirect_bytes, leaked.bytes));
        add_group(groups, site, index, "indirect", site->indirect_blocks, site->indirect_bytes);
    }
    if (context->options->reachable)
        add_group(groups, site, index, "reachable", site->reachable_blocks, site->reachable_bytes);
}

static gint compare_groups(gconstpointer a, gconstpointer b)
{
    const Group *x = a;
    const Group *y = b;
    if (x->sum.bytes != y->sum.bytes)
        return x->sum.bytes < y->sum.bytes ? 1 : -1;
    if (x->sum.blocks != y->sum.blocks)
        return x->sum.blocks < y->sum.blocks ? 1 : -1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return strcmp(x->state, y->state);
}

static void print_sum(const FcReportContext *context, const FcMemorySum *sum, const char *what)
{
    g_autofree char *blocks = fc_report_number(sum->blocks, "block");
    if (sum->blocks > 0)
        fc_render_note(context->render, "%s of %" G_GUINT64_FORMAT " bytes %s", blocks, sum->bytes,
                       what);
}

/* Printed before all else: without a scan, these may include reachable blocks. */
static void print_not_scanned(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    for (guint i = 0; i < profile->losses->len; i++)
        if (g_strcmp0(g_array_index(profile->losses, FcProfileNote, i).kind, "not-scanned") == 0)
            fc_render_line(context->render,
                           "FC_MEMORY_SCAN was not done, as a notice said: blocks that could "
                           "still be reached are among these.");
}

static void print_sums(const FcReportContext *context, guint groups)
{
    const FcMemory *memory = context->memory;
    const FcProfileHeap *heap = &context->model->profile->heap;
    g_autofree char *number = fc_report_number(groups, "allocation site");
    g_autofree char *what = g_strdup_printf(
        "%s, of %s.", heap->scanned != 0 ? "were lost" : "were never freed", number);
    print_not_scanned(context);
    if (memory->lost.blocks == 0)
        fc_render_line(context->render, "Nothing leaked.");
    print_sum(context, &memory->lost, what);
    print_sum(context, &memory->indirect, "of these only lost blocks pointed to.");
    print_sum(context, &memory->unnamed,
              "of these were allocated within the C library.  Without its symbols it can't be "
              "told\nwhether it keeps them on purpose: install them, or run with "
              "FC_MEMORY_SCAN.");
    print_sum(context, &memory->by_libc,
              "of these were allocated within the C library, as in strdup; FC_MEMORY_UNWIND=1 "
              "finds who called that.");
    print_sum(context, &memory->reachable,
              context->options->reachable ? "could still be reached."
                                          : "could still be reached; --reachable shows them.");
    print_sum(context, &memory->suppressed, "suppressed:");
    const GPtrArray *rules = fc_suppressions_rules(context->suppressions);
    for (guint i = 0; i < rules->len; i++)
    {
        const FcSuppression *rule = rules->pdata[i];
        if (rule->kind == FC_SUPPRESS_FREE || rule->hits == 0)
            continue;
        g_autofree char *blocks = fc_report_number(rule->hits, "block");
        fc_render_note(context->render, "    %s of %" G_GUINT64_FORMAT " bytes by %s:%s (%s)",
                       blocks, rule->hit_bytes, fc_suppress_kind_name(rule->kind), rule->pattern,
                       rule->source);
    }
}

/* The blocks of each allocation site as a list: the number + 1 of a site's first block, and of the
 * block that follows each block; 0 ends it. */
typedef struct
{
    guint *first;
    guint *next;
} BlockLists;

static BlockLists list_blocks(const FcProfileHeap *heap)
{
    BlockLists lists = {g_new0(guint, heap->alloc_sites->len + 1),
                        g_new0(guint, heap->blocks->len + 1)};
    for (guint i = heap->blocks->len; i-- > 0;)
    {
        guint *first = &lists.first[g_array_index(heap->blocks, FcProfileHeapBlock, i).alloc_site];
        lists.next[i] = *first;
        *first = i + 1;
    }
    return lists;
}

static void add_detail(FcTable *table, char *text)
{
    fc_table_remark(table, FC_STYLE_DIM);
    for (guint c = 0; c + 1 < G_N_ELEMENTS(columns); c++)
        fc_table_cell(table, NULL);
    fc_table_cell(table, text);
}

static void add_blocks(const FcReportContext *context, FcTable *table, const Group *group,
                       const BlockLists *lists)
{
    static const char *const names[] = {[FC_BLOCK_LIVE] = "live",
                                        [FC_BLOCK_LOST] = "lost",
                                        [FC_BLOCK_INDIRECT] = "indirect",
                                        [FC_BLOCK_REACHABLE] = "reachable"};
    const GArray *blocks = context->model->profile->heap.blocks;
    FcMemorySum rest = group->sum;
    for (guint i = lists->first[group->index]; i != 0; i = lists->next[i - 1])
    {
        const FcProfileHeapBlock *block = &g_array_index(blocks, FcProfileHeapBlock, i - 1);
        if (strcmp(names[block->state], group->state) != 0)
            continue;
        g_autofree char *bytes = fc_format_bytes(block->size_bytes);
        g_autofree char *time = fc_format_time(block->time_ns);
        add_detail(table, g_strdup_printf("    0x%" G_GINT64_MODIFIER "x, %s, after %s",
                                          block->pointer, bytes, time));
        rest.blocks -= MIN(rest.blocks, 1);
        rest.bytes -= MIN(rest.bytes, block->size_bytes);
    }
    if (rest.blocks == 0)
        return;
    g_autofree char *bytes = fc_format_bytes(rest.bytes);
    g_autofree char *count = fc_format_count(rest.blocks);
    add_detail(table, g_strdup_printf("    and %s more, %s together", count, bytes));
}

static guint64 whole_bytes(const FcReportContext *context)
{
    const FcMemory *memory = context->memory;
    return memory->lost.bytes + (context->options->reachable ? memory->reachable.bytes : 0);
}

static void add_table_row(const FcReportContext *context, FcTable *table, const Group *group,
                          const BlockLists *lists)
{
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, fc_format_bytes(group->sum.bytes));
    fc_table_cell(table, fc_format_share(group->sum.bytes, whole_bytes(context)));
    fc_table_cell(table, fc_format_count(group->sum.blocks));
    fc_table_cell(table, g_strdup(group->state));
    fc_report_stack(context, table, G_N_ELEMENTS(columns) - 1, "", &group->site->point);
    if (context->options->details)
        add_blocks(context, table, group, lists);
}

static void print_groups(const FcReportContext *context)
{
    const GArray *sites = context->model->profile->heap.alloc_sites;
    g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(Group));
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    guint ways = 0;
    for (guint i = 0; i < sites->len; i++)
    {
        const FcMemoryVerdict *verdict = &context->memory->alloc_sites[i];
        ways += verdict->shown && !verdict->suppressed &&
                fc_memory_leaked(&g_array_index(sites, FcProfileAllocSite, i)).blocks > 0;
        add_groups(context, groups, i);
    }
    g_array_sort(groups, compare_groups);
    print_sums(context, ways);
    BlockLists lists = list_blocks(&context->model->profile->heap);
    FcReportCut cut = {0};
    for (guint i = 0; i < groups->len; i++)
    {
        const Group *group = &g_array_index(groups, Group, i);
        if (fc_report_keep(context, &cut, group->sum.bytes, whole_bytes(context)))
            add_table_row(context, table, group, &lists);
    }
    g_free(lists.first);
    g_free(lists.next);
    const FcProfileHeap *heap = &context->model->profile->heap;
    if (fc_report_prints(&cut))
        fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "allocation site");
    if (context->options->details && heap->unlisted.blocks > 0)
        fc_render_note(context->render,
                       "%" G_GUINT64_FORMAT " blocks of %" G_GUINT64_FORMAT
                       " bytes are not listed one by one; of each allocation\n"
                       "site the largest are, and the first.",
                       heap->unlisted.blocks, heap->unlisted.bytes);
}

static void render_leaks(const FcReportContext *context)
{
    const FcProfile *profile = context->model->profile;
    gboolean is_empty = profile->heap.recorded ? FALSE : profile->leaks->len == 0;
    if (!fc_report_memory_begin(context, "mem-leaks", "Memory leaks", is_empty))
        return;
    if (profile->heap.recorded)
        print_groups(context);
    else
        fc_report_v3_leaks(context);
}

const FcReport fc_report_leaks = {"mem-leaks", "memory that was never freed", FC_REPORT_CLASSIC,
                                  render_leaks};
