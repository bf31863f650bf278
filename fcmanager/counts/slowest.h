/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FC_SLOWEST: the slowest calls of each function, with when each was made, in which context and by
 * which thread.
 *
 * Called by frames.h for each call where they are wanted, and where counts are added up.
 */
#pragma once

#include <glib.h>

/* Times are ticks. */
typedef struct
{
    guint64 total;
    guint64 begun; /* when it was made; of a coroutine's frame, when it was made or last resumed */
    gint64 tid;    /* set when the thread has ended */
    guint32 node;  /* its context */
} FcSlowCall;

/* The slowest calls of one function. */
typedef struct
{
    FcSlowCall *calls; /* slowest first; of equal ones, the first to end */
    guint32 count;
    guint32 room;
} FcSlowest;

/* Adds a call, unless there are `most` slower ones. */
void fc_slowest_add(FcSlowest *slowest, guint32 most, const FcSlowCall *call);
void fc_slowest_clear(FcSlowest *slowest);

/* Whether a call that took `total` is among the `most` slowest. */
static inline gboolean fc_slowest_is_one(const FcSlowest *slowest, guint32 most, guint64 total)
{
    return slowest->count < most || total > slowest->calls[slowest->count - 1].total;
}
