/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What JSON has of the ranks of a job: figures of MPI, and with --ranks functions and contexts by
 * rank.
 */
#include "fcdump/export-json.h"
#include "model/mpi.h"
#include "model/spread.h"

/* ---- MPI ------------------------------------------------------------------------------------ */

static void put_rank(FcJson *json, const char *key, gint64 rank)
{
    if (rank >= 0)
        fc_json_signed(json, key, rank);
    else
        fc_json_null(json, key);
}

static void put_partner(FcJson *json, const FcProfilePartner *partner)
{
    static const char *const kinds[] = {"rank", "others", "unknown", "any"};
    const guint kind = partner->peer < 0 ? (guint)MIN(-partner->peer, 3) : 0;
    fc_json_begin_object(json, NULL);
    put_rank(json, "rank", partner->rank);
    put_rank(json, "partner", partner->peer);
    fc_json_string(json, "kind", kinds[kind]);
    fc_json_unsigned(json, "width", partner->width);
    fc_json_unsigned(json, "sent", partner->sent);
    fc_json_unsigned(json, "sent_bytes", partner->sent_bytes);
    fc_json_unsigned(json, "received", partner->received);
    fc_json_unsigned(json, "received_bytes", partner->received_bytes);
    fc_json_unsigned(json, "posted", partner->posted);
    fc_json_unsigned(json, "posted_bytes", partner->posted_bytes);
    fc_json_end_object(json);
}

static void put_collective(const FcReportContext *context, FcJson *json,
                           const FcProfileCollective *collective)
{
    const gboolean is_told = fc_mpi_has_skew(collective);
    FcSymbol symbol;
    fc_symbols_find_name(context->model->symbols, context->model->profile, &collective->function,
                         FALSE, &symbol);
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "function", symbol.name);
    fc_export_json_site(context, json, "site", &collective->site);
    fc_json_boolean(json, "world", collective->group == 0);
    fc_json_address(json, "group", collective->group);
    fc_json_unsigned(json, "first_rank", collective->first);
    fc_json_unsigned(json, "size", collective->size);
    fc_json_unsigned(json, "ranks", collective->ranks);
    fc_json_unsigned(json, "calls", collective->calls);
    fc_json_unsigned(json, "calls_min", collective->calls_least);
    fc_json_unsigned(json, "calls_max", collective->calls_most);
    fc_json_unsigned(json, "elapsed_ns", collective->sum_ns);
    fc_json_unsigned(json, "elapsed_min_ns", collective->least_ns);
    put_rank(json, "elapsed_min_rank", collective->least_rank);
    fc_json_unsigned(json, "elapsed_max_ns", collective->most_ns);
    put_rank(json, "elapsed_max_rank", collective->most_rank);
    if (is_told)
        fc_json_unsigned(json, "waited_ns", fc_mpi_waited_ns(collective));
    else
        fc_json_null(json, "waited_ns");
    put_rank(json, "late_rank", is_told ? collective->least_rank : FC_NONE);
    fc_json_end_object(json);
}

void fc_export_json_mpi(const FcReportContext *context, FcJson *json)
{
    const FcProfile *profile = context->model->profile;
    if (profile->partners->len == 0 && profile->collectives->len == 0)
    {
        fc_json_null(json, "mpi");
        return;
    }
    fc_json_begin_object(json, "mpi");
    fc_json_begin_array(json, "partners");
    for (guint i = 0; i < profile->partners->len; i++)
        put_partner(json, &g_array_index(profile->partners, FcProfilePartner, i));
    fc_json_end_array(json);
    fc_json_begin_array(json, "collectives");
    for (guint i = 0; i < profile->collectives->len; i++)
        put_collective(context, json, &g_array_index(profile->collectives, FcProfileCollective, i));
    fc_json_end_array(json);
    fc_json_end_object(json);
}

/* ---- --ranks --------------------------------------------------------------------------------- */

/* `unit`: the suffix of the members' names.  The minimum is known only if all ranks have the
 * function. */
static void put_spread(const FcReportContext *context, FcJson *json, const char *key,
                       const FcProfileSpread *spread, gboolean is_everywhere, const char *unit)
{
    const guint64 ranks = context->model->profile->ranks;
    g_autofree char *mean = g_strconcat("mean", unit, NULL);
    g_autofree char *min = g_strconcat("min", unit, NULL);
    g_autofree char *max = g_strconcat("max", unit, NULL);
    g_autofree char *deviation = g_strconcat("deviation", unit, NULL);
    g_autofree char *chosen = g_strconcat("chosen", unit, NULL);
    fc_json_begin_object(json, key);
    fc_json_double(json, mean, fc_spread_mean(spread, ranks));
    if (is_everywhere)
        fc_json_unsigned(json, min, spread->least);
    else
        fc_json_null(json, min);
    fc_json_unsigned(json, max, spread->most);
    fc_json_signed(json, "max_rank", spread->most_rank);
    fc_json_double(json, deviation, fc_spread_deviation(spread, ranks));
    if (context->options->rank != FC_NONE)
        fc_json_unsigned(json, chosen, spread->chosen);
    fc_json_end_object(json);
}

/* `of`: the record's number in the array that has it. */
static void put_record(const FcReportContext *context, FcJson *json, const char *key, guint of,
                       const FcProfileRanks *record)
{
    const guint64 ranks = context->model->profile->ranks;
    const gboolean is_everywhere = record->ranks == ranks;
    fc_json_begin_object(json, NULL);
    fc_json_unsigned(json, key, of);
    fc_json_unsigned(json, "ranks", record->ranks);
    put_spread(context, json, "calls", &record->calls, is_everywhere, "");
    put_spread(context, json, "cpu_local", &record->local, is_everywhere, "_ns");
    put_spread(context, json, "cpu_total", &record->total, is_everywhere, "_ns");
    fc_json_unsigned(json, "local_gain_ns", fc_spread_gain(&record->local, ranks));
    fc_json_unsigned(json, "total_gain_ns", fc_spread_gain(&record->total, ranks));
    fc_json_end_object(json);
}

void fc_export_json_ranks(const FcReportContext *context, FcJson *json)
{
    const FcModel *model = context->model;
    const FcProfile *profile = model->profile;
    fc_json_begin_object(json, "ranks");
    fc_json_unsigned(json, "count", profile->ranks);
    if (context->options->rank != FC_NONE)
        fc_json_signed(json, "chosen", context->options->rank);
    fc_json_begin_array(json, "functions");
    for (guint i = 0; i < profile->rank_functions->len; i++)
    {
        const FcProfileRanks *record = &g_array_index(profile->rank_functions, FcProfileRanks, i);
        put_record(context, json, "function", model->function_of[record->of], record);
    }
    fc_json_end_array(json);
    fc_json_begin_array(json, "contexts");
    for (guint i = 0; i < profile->rank_contexts->len; i++)
    {
        const FcProfileRanks *record = &g_array_index(profile->rank_contexts, FcProfileRanks, i);
        put_record(context, json, "context", record->of + fc_json_first_context(profile), record);
    }
    fc_json_end_array(json);
    fc_json_end_object(json);
}
