/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Percentiles; see latency.h.
 */
#include "model/latency.h"

#include "profile/latency.h"

#include <math.h>
#include <string.h>

const char *const fc_percentile_names[FC_PERCENTILES] = {"p50", "p90", "p99", "p99.9"};
static const double shares[FC_PERCENTILES] = {0.5, 0.9, 0.99, 0.999};

struct FcLatencyTable
{
    const FcModel *model;
    guint *first;   /* by arc, and one more: index of its first latency in the profile */
    guint *arcs;    /* arcs of the profile, ordered by callee in the model */
    guint *arcs_of; /* by function, and one more: index of its first arc in `arcs` */
    guint64 buckets[FC_LATENCY_BUCKETS];
};

static guint callee_of(const FcModel *model, guint arc)
{
    return model->function_of[g_array_index(model->profile->arcs, FcProfileArc, arc).callee];
}

FcLatencyTable *fc_latency_table_new(const FcModel *model)
{
    const GArray *latencies = model->profile->latencies;
    const guint arcs = model->profile->arcs->len;
    const guint functions = model->functions->len;
    FcLatencyTable *table = g_new0(FcLatencyTable, 1);
    table->model = model;
    table->first = g_new0(guint, arcs + 1);
    table->arcs = g_new0(guint, arcs + 1);
    table->arcs_of = g_new0(guint, functions + 2);
    for (guint arc = 0, at = 0; arc <= arcs; arc++)
    {
        while (at < latencies->len && g_array_index(latencies, FcProfileLatency, at).arc < arc)
            at++;
        table->first[arc] = at;
    }
    /* Counting sort.  arcs_of[f + 1] is where the next arc of f goes.  At the end it is where the
     * arcs of f + 1 begin. */
    for (guint arc = 0; arc < arcs; arc++)
        table->arcs_of[callee_of(model, arc) + 2]++;
    for (guint function = 0; function < functions; function++)
        table->arcs_of[function + 2] += table->arcs_of[function + 1];
    for (guint arc = 0; arc < arcs; arc++)
        table->arcs[table->arcs_of[callee_of(model, arc) + 1]++] = arc;
    return table;
}

void fc_latency_table_free(FcLatencyTable *table)
{
    if (!table)
        return;
    g_free(table->first);
    g_free(table->arcs);
    g_free(table->arcs_of);
    g_free(table);
}

static void add_arc(FcLatencyTable *table, guint arc)
{
    for (guint i = table->first[arc]; i < table->first[arc + 1]; i++)
    {
        const FcProfileLatency *latency =
            &g_array_index(table->model->profile->latencies, FcProfileLatency, i);
        guint64 *calls = &table->buckets[latency->bucket];
        *calls = latency->calls > G_MAXUINT64 - *calls ? G_MAXUINT64 : *calls + latency->calls;
    }
}

/* Returns the value with the same relative distance from the least and the greatest value of the
 * bucket. */
static guint64 middle_ns(guint bucket)
{
    const guint64 least = fc_latency_least_ns(bucket);
    if (bucket + 1 >= FC_LATENCY_BUCKETS)
        return least;
    const guint64 next = fc_latency_least_ns(bucket + 1);
    if (next <= least + 1)
        return least;
    const double low = (double)least;
    const double high = (double)(next - 1);
    return (guint64)llround(2 * low * high / (low + high));
}

/* Returns the percentiles of the calls in the buckets, within the bounds of the function's calls.
 * Empties the buckets. */
static FcPercentileSet take_percentiles(FcLatencyTable *table, guint function)
{
    const FcProfileBounds bounds =
        fc_profile_elapsed_bounds(&fc_model_function(table->model, function)->figures);
    FcPercentileSet set = {0};
    guint64 below = 0;
    guint next = 0;
    for (guint i = 0; i < FC_LATENCY_BUCKETS; i++)
        set.calls += table->buckets[i];
    for (guint i = 0; i < FC_LATENCY_BUCKETS && next < FC_PERCENTILES; i++)
    {
        below += table->buckets[i];
        for (; next < FC_PERCENTILES && below > 0 &&
               (double)below >= ceil(shares[next] * (double)set.calls);
             next++)
            set.ns[next] = CLAMP(middle_ns(i), MIN(bounds.total_min_ns, bounds.total_max_ns),
                                 bounds.total_max_ns);
    }
    memset(table->buckets, 0, sizeof table->buckets);
    return set;
}

FcPercentileSet fc_latency_of_function(FcLatencyTable *table, guint function)
{
    for (guint i = table->arcs_of[function]; i < table->arcs_of[function + 1]; i++)
        add_arc(table, table->arcs[i]);
    return take_percentiles(table, function);
}

FcPercentileSet fc_latency_of_arc(FcLatencyTable *table, const FcArc *arc)
{
    for (guint i = 0; i < arc->site_count; i++)
        add_arc(table, arc->sites[i].tag);
    return take_percentiles(table, arc->callee);
}

FcPercentileSet fc_latency_of_site(FcLatencyTable *table, const FcCallSite *site)
{
    add_arc(table, site->tag);
    return take_percentiles(table, site->callee);
}
