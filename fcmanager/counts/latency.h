/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long calls took, by arc, in buckets that are fine enough for percentiles.  An arc has memory
 * only for the range of powers of two in which its calls were.  All arcs of an FcCounts share a
 * limit; calls for which there is no memory are counted, but are in no percentile.
 *
 * Called by frames.h for each call, in the hot path, and where arcs are added up.
 */
#pragma once

#include "profile/latency.h"

/* The limit with FC_LATENCY. */
#define FC_LATENCY_BYTES_MAX (16u << 20)

typedef struct
{
    guint32 *calls;   /* by bucket; NULL: none yet */
    guint32 *carries; /* the upper 32 bits of each counter; NULL: all are 0 */
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

/* Adds calls of any number to a bucket that may have no room yet. */
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
