/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's clock as the manager sees it: how long a tick is, and what time it
 * is now.  Used by session.c, process.c, process-messages.c and output.c.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

typedef struct
{
    enum FcTimeMode mode;
    guint64 first_ticks; /* a pair read at the same moment, when the manager started */
    guint64 first_ns;    /* CLOCK_MONOTONIC */
    guint64 span_ns;     /* that the estimate rests on */
    double ns_per_tick;
    gboolean readable; /* the manager can read the programs' clock */
    gboolean checked;  /* the first process's times were checked */
} FcClock;

void fc_clock_start(FcClock *clock, enum FcTimeMode mode);

/* Checks a process's first reading against the manager's: a clock that does not fit is
 * taken to count nanoseconds, and not to be readable from here. */
void fc_clock_check(FcClock *clock, guint64 ticks, guint64 monotonic_ns);

/* Whether all threads read the same clock; else each has one of its own. */
gboolean fc_clock_is_common(const FcClock *clock);

/* Makes the estimate of a tick's length better, once that is due; cheap enough for every wake-up.
 */
void fc_clock_refresh(FcClock *clock);

/* Nanoseconds in a tick, times 2^32. */
guint64 fc_clock_multiplier(const FcClock *clock);
guint64 fc_clock_to_ns(const FcClock *clock, guint64 ticks);

/* FALSE where the clock can't be read from outside the thread. */
gboolean fc_clock_now(const FcClock *clock, guint64 *ticks);
