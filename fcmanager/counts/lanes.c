/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See lanes.h.
 */
#include "fcmanager/counts/lanes.h"

#include <string.h>

#define ROOM_FIRST 8u /* FC_LANE_BUCKETS is this times a power of two */

FcLanes *fc_lanes_new(guint64 start, guint64 width)
{
    FcLanes *lanes = g_new0(FcLanes, 1);
    lanes->start = start;
    lanes->width = width;
    return lanes;
}

void fc_lanes_free(FcLanes *lanes)
{
    if (!lanes)
        return;
    g_free(lanes->times);
    g_free(lanes);
}

static void add(FcLaneTimes *to, FcLaneTimes more)
{
    to->off += more.off;
    to->preempted += more.preempted;
}

/* Doubles the width. */
static void merge_pairs(FcLanes *lanes)
{
    const guint half = lanes->room / 2;
    lanes->width *= 2;
    for (guint i = 0; i < half; i++)
    {
        FcLaneTimes sum = lanes->times[2 * i];
        add(&sum, lanes->times[2 * i + 1]);
        lanes->times[i] = sum;
    }
    if (half > 0)
        memset(lanes->times + half, 0, half * sizeof *lanes->times);
}

/* The bucket of the last tick before `time`. */
static guint64 last_before(const FcLanes *lanes, guint64 time)
{
    return time > lanes->start ? (time - lanes->start - 1) / lanes->width : 0;
}

void fc_lanes_cover(FcLanes *lanes, guint64 time)
{
    while (last_before(lanes, time) >= FC_LANE_BUCKETS)
        merge_pairs(lanes);
}

static FcLaneTimes *make_bucket(FcLanes *lanes, guint bucket)
{
    if (bucket >= lanes->room)
    {
        const guint had = lanes->room;
        lanes->room = MAX(lanes->room, ROOM_FIRST);
        while (lanes->room <= bucket)
            lanes->room *= 2;
        lanes->times = g_renew(FcLaneTimes, lanes->times, lanes->room);
        memset(lanes->times + had, 0, (lanes->room - had) * sizeof *lanes->times);
    }
    return &lanes->times[bucket];
}

static guint64 part_of(guint64 ticks, guint64 part, guint64 whole)
{
    return (guint64)((unsigned __int128)ticks * part / whole);
}

void fc_lanes_add(FcLanes *lanes, guint64 from, guint64 to, FcLaneTimes more)
{
    FcLaneTimes given = {0};
    from = MAX(from, lanes->start);
    to = MAX(to, from);
    fc_lanes_cover(lanes, to);
    const guint last = (guint)last_before(lanes, to);
    for (guint i = MIN((guint)((from - lanes->start) / lanes->width), last); i < last; i++)
    {
        const guint64 part = lanes->start + (i + 1) * lanes->width - from;
        const FcLaneTimes until = {part_of(more.off, part, to - from),
                                   part_of(more.preempted, part, to - from)};
        add(make_bucket(lanes, i),
            (FcLaneTimes){until.off - given.off, until.preempted - given.preempted});
        given = until;
    }
    add(make_bucket(lanes, last),
        (FcLaneTimes){more.off - given.off, more.preempted - given.preempted});
}

void fc_lanes_take_back(FcLanes *lanes, FcLaneTimes less)
{
    for (guint i = lanes->room; i-- > 0;)
    {
        FcLaneTimes *times = &lanes->times[i];
        const FcLaneTimes part = {MIN(less.off, times->off), MIN(less.preempted, times->preempted)};
        times->off -= part.off;
        times->preempted -= part.preempted;
        less.off -= part.off;
        less.preempted -= part.preempted;
    }
}
