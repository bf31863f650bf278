/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Room for latencies; see latency.h.
 */
#include "fcmanager/counts/latency.h"

#include <string.h>

/* Frees `cells` and returns a copy of it with `count` cells, `shift` of them before the old ones.
 * NULL: there were none. */
static guint32 *widen(guint32 *cells, guint old_count, guint shift, guint count)
{
    if (!cells)
        return NULL;
    guint32 *wide = g_new0(guint32, count);
    memcpy(wide + shift, cells, old_count * sizeof *cells);
    g_free(cells);
    return wide;
}

/* Makes room for all buckets of the power of two that `bucket` is in.  FALSE: that would exceed the
 * limit. */
static gboolean make_room(FcLatencies *latencies, FcLatencyRoom *room, guint bucket)
{
    const guint start = bucket - bucket % FC_LATENCY_PARTS;
    const guint old_first = latencies->count > 0 ? latencies->first : start;
    const guint first = MIN(old_first, start);
    const guint end = MAX(old_first + latencies->count, start + FC_LATENCY_PARTS);
    const gsize more = (end - first - latencies->count) * sizeof *latencies->calls;
    if (room->bytes + more > room->limit)
        return FALSE;
    room->bytes += more;
    if (latencies->count == 0)
        latencies->calls = g_new0(guint32, end - first);
    else
        latencies->calls =
            widen(latencies->calls, latencies->count, old_first - first, end - first);
    latencies->carries =
        widen(latencies->carries, latencies->count, old_first - first, end - first);
    latencies->first = (guint16)first;
    latencies->count = (guint16)(end - first);
    return TRUE;
}

void fc_latency_add_many(FcLatencies *latencies, FcLatencyRoom *room, guint bucket, guint64 calls)
{
    if (bucket - (guint)latencies->first >= latencies->count && !make_room(latencies, room, bucket))
    {
        room->omitted += calls;
        return;
    }
    const guint at = bucket - latencies->first;
    const guint64 sum = latencies->calls[at] + (calls & G_MAXUINT32);
    const guint32 carry = (guint32)(sum >> 32) + (guint32)(calls >> 32);
    latencies->calls[at] = (guint32)sum;
    if (carry == 0)
        return;
    if (!latencies->carries)
        latencies->carries = g_new0(guint32, latencies->count);
    latencies->carries[at] += carry;
}

guint64 fc_latency_calls(const FcLatencies *latencies, guint bucket)
{
    const guint at = bucket - latencies->first;
    if (at >= latencies->count)
        return 0;
    const guint64 carries = latencies->carries ? latencies->carries[at] : 0;
    return carries << 32 | latencies->calls[at];
}

void fc_latency_merge(FcLatencies *into, FcLatencyRoom *room, const FcLatencies *from)
{
    for (guint i = 0; i < from->count; i++)
    {
        const guint64 calls = fc_latency_calls(from, from->first + i);
        if (calls > 0)
            fc_latency_add_many(into, room, from->first + i, calls);
    }
}

void fc_latency_clear(FcLatencies *latencies, FcLatencyRoom *room)
{
    room->bytes -= latencies->count * sizeof *latencies->calls;
    g_free(latencies->calls);
    g_free(latencies->carries);
    *latencies = (FcLatencies){0};
}
