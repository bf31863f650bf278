/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See histogram.h.
 */
#include "profile/histogram.h"

#include <string.h>

void fc_histogram_make_room(FcHistogram *histogram, guint first, guint last)
{
    const guint old_count = histogram->count;
    guint end = last + 1;
    g_assert(first <= last && last < FC_HISTOGRAM_BUCKETS_MOST);
    if (old_count > 0)
    {
        first = MIN(first, histogram->first);
        end = MAX(end, (guint)histogram->first + old_count);
    }
    if (end - first == old_count)
        return;
    const guint shift = old_count > 0 ? histogram->first - first : 0;
    guint64 *calls = g_renew(guint64, histogram->calls, end - first);
    if (old_count > 0)
        memmove(calls + shift, calls, old_count * sizeof *calls);
    memset(calls, 0, shift * sizeof *calls);
    memset(calls + shift + old_count, 0, (end - first - shift - old_count) * sizeof *calls);
    *histogram = (FcHistogram){calls, (guint8)first, (guint8)(end - first)};
}

guint64 *fc_histogram_at(FcHistogram *histogram, guint bucket)
{
    if (!fc_histogram_has_room(histogram, bucket))
        fc_histogram_make_room(histogram, bucket, bucket);
    return &histogram->calls[bucket - histogram->first];
}

gboolean fc_histogram_is_empty(const FcHistogram *histogram)
{
    for (guint i = 0; i < histogram->count; i++)
        if (histogram->calls[i] != 0)
            return FALSE;
    return TRUE;
}

FcHistogram fc_histogram_copy(const FcHistogram *histogram)
{
    FcHistogram copy = *histogram;
    copy.calls = g_memdup2(histogram->calls, histogram->count * sizeof *histogram->calls);
    return copy;
}

void fc_histogram_clear(FcHistogram *histogram)
{
    g_free(histogram->calls);
    *histogram = (FcHistogram){0};
}

void fc_histogram_read(const FcHistogram *histogram, guint64 *buckets, guint count)
{
    for (guint i = 0; i < count; i++)
        buckets[i] = fc_histogram_get(histogram, i);
}

FcHistogram fc_histogram_of(const guint64 *buckets, guint count)
{
    guint first = 0;
    FcHistogram histogram = {0};
    while (first < count && buckets[first] == 0)
        first++;
    while (count > first && buckets[count - 1] == 0)
        count--;
    if (first == count)
        return histogram;
    fc_histogram_make_room(&histogram, first, count - 1);
    memcpy(histogram.calls, buckets + first, histogram.count * sizeof *buckets);
    return histogram;
}
