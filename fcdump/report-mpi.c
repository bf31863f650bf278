/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --messages: what ranks of MPI sent to and received from each other.  --collectives: by call site,
 * which rank was late to collective calls, and how long the others waited there.
 */
#include "fcdump/report.h"
#include "model/mpi.h"

#define ROWS_MAX 15 /* unless --top or --all: as on the first screen */

static FcReportContext with_most(const FcReportContext *context, FcOptions *options)
{
    FcReportContext own = *context;
    *options = *context->options;
    own.options = options;
    if (options->top == 0 && !fc_format_is_csv())
        options->top = ROWS_MAX;
    return own;
}

/* ---- Messages ------------------------------------------------------------------------------- */

static const FcColumn message_columns[] = {
    {NULL, "rank", FALSE},
    {NULL, "partner", FALSE},
    {"sent", "messages", FALSE},
    {"sent", "bytes", FALSE, .unit = "bytes"},
    {"received", "messages", FALSE},
    {"received", "bytes", FALSE, .unit = "bytes"},
    {"posted", "receives", FALSE, .spare = 1},
    {"posted", "up to", FALSE, .spare = 1, .unit = "bytes"},
};

static guint64 bytes_of(const FcProfilePartner *partner)
{
    return partner->sent_bytes + partner->received_bytes + partner->posted_bytes;
}

static int compare_partners(gconstpointer a, gconstpointer b)
{
    const FcProfilePartner *x = *(const FcProfilePartner *const *)a;
    const FcProfilePartner *y = *(const FcProfilePartner *const *)b;
    if (bytes_of(x) != bytes_of(y))
        return bytes_of(x) < bytes_of(y) ? 1 : -1;
    return x < y ? -1 : x > y; /* as in the profile */
}

static char *format_rank(gint64 rank, guint64 width)
{
    if (rank == FC_PARTNER_OTHERS)
        return g_strdup("others");
    if (rank == FC_PARTNER_ELSEWHERE)
        return g_strdup("unknown");
    if (rank == FC_PARTNER_ANY)
        return g_strdup("any");
    return width > 1 ? g_strdup_printf("%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, rank,
                                       rank + (gint64)width - 1)
                     : g_strdup_printf("%" G_GINT64_FORMAT, rank);
}

static void add_partner(FcTable *table, const FcProfilePartner *partner)
{
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, partner->rank < 0 ? g_strdup("unknown")
                                           : format_rank(partner->rank, partner->width));
    fc_table_cell(table, format_rank(partner->peer, partner->width));
    fc_table_cell(table, fc_format_count(partner->sent));
    fc_table_cell(table, fc_format_bytes(partner->sent_bytes));
    fc_table_cell(table, fc_format_count(partner->received));
    fc_table_cell(table, fc_format_bytes(partner->received_bytes));
    fc_table_cell(table, fc_format_count(partner->posted));
    fc_table_cell(table, fc_format_bytes(partner->posted_bytes));
}

static void render_messages(const FcReportContext *context)
{
    const GArray *partners = context->model->profile->partners;
    g_autoptr(GPtrArray) rows = g_ptr_array_new();
    g_autoptr(FcTable) table = fc_table_new(message_columns, G_N_ELEMENTS(message_columns));
    FcOptions options;
    const FcReportContext own = with_most(context, &options);
    FcReportCut cut = {0};
    guint64 all = 0;
    gboolean is_posted = FALSE;
    for (guint i = 0; i < partners->len; i++)
    {
        const FcProfilePartner *partner = &g_array_index(partners, FcProfilePartner, i);
        all += bytes_of(partner);
        is_posted |= partner->posted > 0;
        g_ptr_array_add(rows, (gpointer)partner);
    }
    g_ptr_array_sort(rows, compare_partners);
    for (guint i = 0; i < rows->len; i++)
        if (fc_report_keep(&own, &cut, bytes_of(rows->pdata[i]), all))
            add_partner(table, rows->pdata[i]);
    fc_render_title(context->render, "Messages between ranks");
    if (!fc_report_prints(&cut))
    {
        fc_render_line(context->render, "No messages of MPI are known.");
        return;
    }
    if (is_posted)
        fc_render_note(context->render,
                       "posted: receives that were to come later, with the sizes of their "
                       "buffers; what came is in the sender's row.");
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "pair");
}

const FcReport fc_report_messages = {"messages",
                                     "messages of MPI: which rank sent how much to whom",
                                     FC_REPORT_ON_REQUEST, render_messages};

/* ---- Collective calls ------------------------------------------------------------------------ */

static const FcColumn collective_columns[] = {
    {"waited", "all ranks", FALSE, .unit = "elapsed ns"},
    {"waited", "longest", FALSE, .unit = "elapsed ns"},
    {"waited", "of rank", FALSE},
    {NULL, "late", FALSE},
    {NULL, "ranks", FALSE},
    {NULL, "group", TRUE},
    {NULL, "calls", FALSE},
    {NULL, "function", TRUE},
    {NULL, "called at", TRUE},
};

static int compare_collectives(gconstpointer a, gconstpointer b)
{
    const FcProfileCollective *x = *(const FcProfileCollective *const *)a;
    const FcProfileCollective *y = *(const FcProfileCollective *const *)b;
    const guint64 of_x = fc_mpi_waited_ns(x);
    const guint64 of_y = fc_mpi_waited_ns(y);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return x < y ? -1 : x > y;
}

static char *format_group(const FcProfileCollective *collective)
{
    if (collective->group == 0)
        return g_strdup("world");
    return g_strdup_printf("%" G_GUINT64_FORMAT " from %" G_GUINT64_FORMAT " on", collective->size,
                           collective->first);
}

static void add_collective(const FcReportContext *context, FcTable *table,
                           const FcProfileCollective *collective)
{
    const FcModel *model = context->model;
    const gboolean is_told = fc_mpi_has_skew(collective);
    FcSymbol symbol;
    fc_table_row(table, FC_STYLE_PLAIN);
    fc_table_cell(table, is_told ? fc_format_time(fc_mpi_waited_ns(collective)) : g_strdup("-"));
    fc_table_cell(table, is_told ? fc_format_time(collective->most_ns - collective->least_ns)
                                 : g_strdup("-"));
    fc_table_cell(table, is_told ? format_rank(collective->most_rank, 1) : g_strdup("-"));
    fc_table_cell(table, is_told ? format_rank(collective->least_rank, 1) : g_strdup("-"));
    fc_table_cell(table, fc_format_count(collective->ranks));
    fc_table_cell(table, format_group(collective));
    fc_table_cell(table, fc_format_count(collective->calls));
    fc_symbols_find_name(model->symbols, model->profile, &collective->function, FALSE, &symbol);
    fc_table_cell(table, fc_format_text(symbol.name));
    fc_symbols_find_name(model->symbols, model->profile, &collective->site, TRUE, &symbol);
    g_autofree char *name = fc_format_text(symbol.name);
    g_autofree char *source = fc_report_source(context, &collective->site, TRUE);
    fc_table_cell(table, source ? g_strdup_printf("%s, %s", name, source) : g_strdup(name));
}

static void render_collectives(const FcReportContext *context)
{
    const GArray *collectives = context->model->profile->collectives;
    g_autoptr(GPtrArray) rows = g_ptr_array_new();
    g_autoptr(FcTable) table = fc_table_new(collective_columns, G_N_ELEMENTS(collective_columns));
    FcOptions options;
    FcReportContext own = with_most(context, &options);
    FcReportCut cut = {0};
    guint64 all_ns = 0;
    gboolean is_told = TRUE;
    options.base_names = options.base_names || !fc_format_is_csv(); /* as on the first screen */
    for (guint i = 0; i < collectives->len; i++)
    {
        const FcProfileCollective *one = &g_array_index(collectives, FcProfileCollective, i);
        all_ns += fc_mpi_waited_ns(one);
        is_told &= fc_mpi_has_skew(one);
        g_ptr_array_add(rows, (gpointer)one);
    }
    g_ptr_array_sort(rows, compare_collectives);
    for (guint i = 0; i < rows->len; i++)
        if (fc_report_keep(&own, &cut, fc_mpi_waited_ns(rows->pdata[i]), all_ns))
            add_collective(&own, table, rows->pdata[i]);
    fc_render_title(context->render, "Collective calls");
    if (!fc_report_prints(&cut))
    {
        fc_render_line(context->render, "No collective calls of MPI are known.");
        return;
    }
    fc_render_note(context->render,
                   "waited: elapsed time in these calls beyond that of the late rank, which was "
                   "there for the shortest time; at least this much, if not always the same rank "
                   "was late. group: the communicator's ranks.");
    if (!is_told)
        fc_render_note(context->render,
                       "-: the profiles are of one rank of the group, or the ranks "
                       "do not call it equally often here.");
    fc_table_print(table, context->render);
    fc_report_note_cut(context, &cut, "call site");
}

const FcReport fc_report_collectives = {
    "collectives", "collective calls of MPI: which rank was late, how long others waited",
    FC_REPORT_ON_REQUEST, render_collectives};
