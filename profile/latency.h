/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The buckets of FcProfileLatency: each power of two is cut into FC_LATENCY_PARTS equal parts, so
 * that a value in the middle of a bucket is at most 1/41, 2.5%, from any other in it.  Used where
 * calls are counted, by fcmanager, and where percentiles are worked out, by model/latency.c.
 */
#pragma once

#include "profile/fc-profile.h"

static inline guint fc_latency_bucket(guint64 ns)
{
    if (ns == 0)
        return 0;
    const guint octave = 64 - (guint)__builtin_clzll(ns); /* its values begin at 2^(octave-1) */
    if (octave >= FC_HISTOGRAM_BUCKETS)
        return FC_LATENCY_BUCKETS - 1;
    const guint64 start = G_GUINT64_CONSTANT(1) << (octave - 1);
    return octave * FC_LATENCY_PARTS + (guint)(((ns - start) * FC_LATENCY_PARTS) >> (octave - 1));
}

/* Returns the least value of the bucket; of a bucket too narrow for any value, the least of the
 * next one that has values. */
static inline guint64 fc_latency_least_ns(guint bucket)
{
    if (bucket < FC_LATENCY_PARTS)
        return bucket == 0 ? 0 : 1;
    const guint64 start = G_GUINT64_CONSTANT(1) << (bucket / FC_LATENCY_PARTS - 1);
    return start + (start * (bucket % FC_LATENCY_PARTS) + FC_LATENCY_PARTS - 1) / FC_LATENCY_PARTS;
}
