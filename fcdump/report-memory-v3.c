/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory as version 3.0 profiles have it: blocks that were never freed, and pointers wrongly
 * given to free and realloc, all by addresses.
 */
#include "fcdump/report-memory.h"

static const FcColumn leak_columns[] = {
    {NULL, "bytes", FALSE, .unit = "bytes"}, {NULL, "block", FALSE}, {NULL, "allocated", TRUE}};
static const FcColumn bad_columns[] = {{NULL, "pointer", FALSE}, {NULL, "given", TRUE}};

/* "in NAME at FILE:LINE" for an address of a call. */
static char *format_address(const FcReportContext *context, guint64 address)
{
    const FcModel *model = context->model;
    FcProfileLocation place;
    FcSymbol symbol;
    fc_profile_locate(model->profile, address, G_MAXUINT64, &place);
    fc_symbols_find_name(model->symbols, model->profile, &place, TRUE, &symbol);
    if (context->options->addresses)
        return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address);
    g_autofree char *source =
        context->options->details ? fc_report_source(context, &place, TRUE) : NULL;
    return source ? g_strdup_printf("%s  at %s", symbol.name, source) : g_strdup(symbol.name);
}

static void add_line(const FcReportContext *context, FcTable *table, guint empty_cells,
                     const char *prefix, guint64 address)
{
    g_autofree char *text = format_address(context, address);
    fc_table_remark(table, FC_STYLE_DIM);
    for (guint i = 0; i < empty_cells; i++)
        fc_table_cell(table, NULL);
    fc_table_cell(table, g_strdup_printf("    %s%s", prefix, text));
}

static void add_stack(const FcReportContext *context, FcTable *table, guint empty_cells,
                      const FcProfileBlock *block)
{
    for (guint i = 0; block->stack && i < block->stack->len; i++)
        add_line(context, table, empty_cells, "from ", g_array_index(block->stack, guint64, i));
}

void fc_report_v3_leaks(const FcReportContext *context)
{
    const GArray *leaks = context->model->profile->leaks;
    const FcProfileSum *unlisted = &context->model->profile->unlisted_leaks;
    g_autoptr(FcTable) table = fc_table_new(leak_columns, G_N_ELEMENTS(leak_columns));
    guint64 bytes = unlisted->bytes;
    for (guint i = 0; i < leaks->len; i++)
    {
        const FcProfileBlock *block = &g_array_index(leaks, FcProfileBlock, i);
        bytes += block->size_bytes;
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, fc_format_count(block->size_bytes));
        fc_table_cell(table, g_strdup_printf("0x%" G_GINT64_MODIFIER "x", block->pointer));
        fc_table_cell(table, format_address(context, block->site));
        if (block->realloc_site != 0)
            add_line(context, table, 2, "reallocated in ", block->realloc_site);
        add_stack(context, table, 2, block);
    }
    fc_render_note(context->render,
                   "%" G_GUINT64_FORMAT " blocks of %" G_GUINT64_FORMAT " bytes in all.",
                   leaks->len + unlisted->blocks, bytes);
    if (unlisted->blocks > 0)
        fc_render_note(context->render, "The first %u are listed.", leaks->len);
    fc_table_print(table, context->render);
}

void fc_report_v3_bad(const FcReportContext *context, const GArray *blocks)
{
    g_autoptr(FcTable) table = fc_table_new(bad_columns, G_N_ELEMENTS(bad_columns));
    for (guint i = 0; i < blocks->len; i++)
    {
        const FcProfileBlock *block = &g_array_index(blocks, FcProfileBlock, i);
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, g_strdup_printf("0x%" G_GINT64_MODIFIER "x", block->pointer));
        fc_table_cell(table, format_address(context, block->site));
        add_stack(context, table, 1, block);
    }
    fc_table_print(table, context->render);
}
