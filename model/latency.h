/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percentiles: what share of the calls of a function, or by an arc, took no longer than what.  From
 * the latencies that the profile holds by arc, no more than 2.5% off the value of that call.
 * Always of elapsed time: nothing else is known of single calls.
 * Made by a report or an export; never prints.
 */
#pragma once

#include "model/model.h"

typedef struct FcLatencyTable FcLatencyTable;

typedef enum
{
    FC_PERCENTILE_50,
    FC_PERCENTILE_90,
    FC_PERCENTILE_99,
    FC_PERCENTILE_99_9,
    FC_PERCENTILES,
} FcPercentile;

typedef struct
{
    guint64 calls; /* that were timed; 0: nothing else is known */
    guint64 ns[FC_PERCENTILES];
} FcPercentileSet;

/* "p50", ... */
extern const char *const fc_percentile_names[FC_PERCENTILES];

/* `model` must outlive the result, which is the caller's. */
FcLatencyTable *fc_latency_table_new(const FcModel *model);
void fc_latency_table_free(FcLatencyTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcLatencyTable, fc_latency_table_free)

/* Of all calls of a function; of those by an arc of the graph; of those from one of its sites. */
FcPercentileSet fc_latency_of_function(FcLatencyTable *table, guint function);
FcPercentileSet fc_latency_of_arc(FcLatencyTable *table, const FcArc *arc);
FcPercentileSet fc_latency_of_site(FcLatencyTable *table, const FcCallSite *site);
