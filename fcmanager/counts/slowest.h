/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The slowest calls of each function, with FC_SLOWEST: when each was made, by which context and in
 * which thread.
 *
 * Called by stack-frames.h for each call where they are wanted, and by who adds up counts.
 */
#pragma once

#include <glib.h>

/* Times are ticks. */
typedef struct
{
    guint64 total;
    guint64 begun; /* on a coroutine's stack: made, or resumed */
    gint64 tid;    /* known when the thread is done */
    guint32 node;  /* its context */
} FcSlowCall;

/* Of one function. */
typedef struct
{
    FcSlowCall *calls; /* slowest first, and of equal ones the first to end */
    guint32 count;
    guint32 room;
} FcSlowest;

/* Adds a call, unless `most` slower ones are there. */
void fc_slowest_add(FcSlowest *slowest, guint32 most, const FcSlowCall *call);
void fc_slowest_clear(FcSlowest *slowest);

static inline gboolean fc_slowest_is_one(const FcSlowest *slowest, guint32 most, guint64 total)
{
    return slowest->count < most || total > slowest->calls[slowest->count - 1].total;
}
