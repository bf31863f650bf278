/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many calls took how long, in buckets by powers of two, of which there is memory for those
 * from the first that has calls to the last: the calls of next to all functions are in a few.  In
 * the counts of fcmanager and in profiles.
 */
#pragma once

#include <glib.h>

#define FC_HISTOGRAM_BUCKETS_MOST 64u

/* All 0: no calls.  Who has it in a structure copies and clears it with that. */
typedef struct
{
    guint64 *calls; /* of bucket `first` and so many from there; owned */
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

/* The calls of a bucket, to be changed; good until there is to be more room. */
guint64 *fc_histogram_at(FcHistogram *histogram, guint bucket);
/* Room for the buckets from `first` to `last`, and those between them and what there is. */
void fc_histogram_make_room(FcHistogram *histogram, guint first, guint last);
gboolean fc_histogram_is_empty(const FcHistogram *histogram);

FcHistogram fc_histogram_copy(const FcHistogram *histogram);
void fc_histogram_clear(FcHistogram *histogram);

/* To and from an array of all buckets, of which there are `count`. */
void fc_histogram_read(const FcHistogram *histogram, guint64 *buckets, guint count);
FcHistogram fc_histogram_of(const guint64 *buckets, guint count);
