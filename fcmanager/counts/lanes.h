/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * When a thread was off the CPU: its time in equal buckets.  There are at most FC_LANE_BUCKETS; if
 * the thread runs longer, pairs of them are merged, which doubles the width of all.  Times are in
 * ticks.  Called by ../stack/off.c.
 */
#pragma once

#include "profile/fc-profile.h"

/* Times in a bucket, or to be added. */
typedef struct
{
    guint64 off;       /* off the CPU */
    guint64 preempted; /* the part of it that was preemption */
} FcLaneTimes;

typedef struct
{
    guint64 start;
    guint64 width;
    guint room;         /* buckets in the array, at most FC_LANE_BUCKETS; all others are 0 */
    FcLaneTimes *times; /* owned; NULL: none yet */
} FcLanes;

/* `width`: that of a bucket in the beginning; not 0. */
FcLanes *fc_lanes_new(guint64 start, guint64 width);
void fc_lanes_free(FcLanes *lanes);

/* Makes the buckets wide enough that the last one does not end before `time`. */
void fc_lanes_cover(FcLanes *lanes, guint64 time);
/* Distributes the times evenly over [from, to).  What is before the start belongs to the start. */
void fc_lanes_add(FcLanes *lanes, guint64 from, guint64 to, FcLaneTimes more);
/* Subtracts the times from the last buckets that have any. */
void fc_lanes_take_back(FcLanes *lanes, FcLaneTimes less);
