/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A histogram of how long calls took, in buckets by powers of two.  Memory is allocated only from
 * the first used bucket to the last, as the calls of nearly all functions are in a few.  Used in
 * the counts of fcmanager and in profiles.
 */
#pragma once

#include <glib.h>

#define FC_HISTOGRAM_BUCKETS_MOST 64u

/* All 0: no calls.  To be cleared by its owner, and copied with fc_histogram_copy. */
typedef struct
{
    guint64 *calls; /* of bucket `first` and the next ones, `count` in all; owned */
    guint8 first;
    guint8 count;
} FcHistogram;

static inline gboolean fc_histogram_has_room(const FcHistogram *histogram, guint bucket)
{
    return bucket - histogram->first < histogram->count;
}

static inline guint64 fc_histogram_get(const FcHistogram *histogram, guint bucket)
{
    return fc_histogram_has_room(histogram, bucket) ? histogram->calls[bucket - histogram->first]
                                                    : 0;
}

/* Returns the number of calls in a bucket, to be changed.  Valid until the histogram grows. */
guint64 *fc_histogram_at(FcHistogram *histogram, guint bucket);
/* Makes room for the buckets `first` to `last`, and for those between them and the present ones. */
void fc_histogram_make_room(FcHistogram *histogram, guint first, guint last);
gboolean fc_histogram_is_empty(const FcHistogram *histogram);

FcHistogram fc_histogram_copy(const FcHistogram *histogram);
void fc_histogram_clear(FcHistogram *histogram);

/* Copy to and from an array of all `count` buckets. */
void fc_histogram_read(const FcHistogram *histogram, guint64 *buckets, guint count);
FcHistogram fc_histogram_of(const guint64 *buckets, guint count);
