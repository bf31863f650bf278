/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds up how long the calls by the arcs of two profiles took, and puts their slowest calls
 * together; see merge.h.
 */
#include "profile/merge.h"

static int compare(gconstpointer a, gconstpointer b)
{
    const FcProfileLatency *x = a;
    const FcProfileLatency *y = b;
    if (x->arc != y->arc)
        return x->arc < y->arc ? -1 : 1;
    return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

void fc_merge_latencies(GArray *into, const GArray *other, const guint *arc_map)
{
    if (other->len == 0)
        return;
    for (guint i = 0; i < other->len; i++)
    {
        FcProfileLatency latency = g_array_index(other, FcProfileLatency, i);
        latency.arc = arc_map[latency.arc];
        g_array_append_val(into, latency);
    }
    g_array_sort(into, compare);
    guint kept = 0;
    for (guint i = 1; i < into->len; i++)
    {
        const FcProfileLatency latency = g_array_index(into, FcProfileLatency, i);
        FcProfileLatency *last = &g_array_index(into, FcProfileLatency, kept);
        if (compare(last, &latency) == 0)
            fc_merge_add(&last->calls, latency.calls);
        else
            g_array_index(into, FcProfileLatency, ++kept) = latency;
    }
    g_array_set_size(into, kept + 1);
}

static int compare_calls(gconstpointer a, gconstpointer b)
{
    const FcProfileSlowCall *x = a;
    const FcProfileSlowCall *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return (x->realtime_ns > y->realtime_ns) - (x->realtime_ns < y->realtime_ns);
}

void fc_merge_slowest(const FcMerge *merge)
{
    const GArray *other = merge->other->slowest;
    for (guint i = 0; i < other->len; i++)
    {
        FcProfileSlowCall call = g_array_index(other, FcProfileSlowCall, i);
        call.function = (guint)merge->function_map[call.function];
        if (call.context != FC_NONE)
            call.context = merge->first_context[merge->own_contexts + (guint)call.context];
        g_array_append_val(merge->into->slowest, call);
    }
    g_array_sort(merge->into->slowest, compare_calls);
}
