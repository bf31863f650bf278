/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long calls took, by arc, in buckets that are fine enough for percentiles.  Memory is used
 * for the powers of two that calls fell into, in all arcs of an FcCounts together up to a limit.
 * Calls beyond that are counted, but are in no percentile.
 *
 * Called by frames.h for each call, in the hot path, and where arcs are added up.
 */
#pragma once

#include "profile/latency.h"

/* With FC_LATENCY. */
#define FC_LATENCY_BYTES_MAX (16u << 20)

typedef struct
{
    guint32 *calls;   /* by bucket; NULL: none yet */
    guint32 *carries; /* how often each counter was full; NULL: never */
    guint16 first;    /* the bucket of calls[0] */
    guint16 count;
} FcLatencies;

/* What several latencies share. */
typedef struct
{
    gsize limit; /* bytes, at most; 0: no latencies are wanted */
    gsize bytes;
    guint64 omitted; /* calls for which there was no room */
} FcLatencyRoom;

/* Adds calls where there is no room yet, or many at once. */
void fc_latency_add_many(FcLatencies *latencies, FcLatencyRoom *room, guint bucket, guint64 calls);
void fc_latency_merge(FcLatencies *into, FcLatencyRoom *room, const FcLatencies *from);
void fc_latency_clear(FcLatencies *latencies, FcLatencyRoom *room);

/* How many calls are in a bucket. */
guint64 fc_latency_calls(const FcLatencies *latencies, guint bucket);

static inline void fc_latency_add(FcLatencies *latencies, FcLatencyRoom *room, guint64 ns)
{
    const guint bucket = fc_latency_bucket(ns);
    const guint at = bucket - latencies->first;
    if (G_LIKELY(at < latencies->count && latencies->calls[at] != G_MAXUINT32))
        latencies->calls[at]++;
    else
        fc_latency_add_many(latencies, room, bucket, 1);
}
