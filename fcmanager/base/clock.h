/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The session's clock in the manager: how long a tick is, and what time it is now.  Used by
 * session.c, process.c, process-messages.c and output.c.
 */
#pragma once

#include "libfc/fc-format.h"

#include <glib.h>

typedef struct
{
    enum FcTimeMode mode;
    guint64 first_ticks; /* read together with first_ns, when the manager started */
    guint64 first_ns;    /* CLOCK_MONOTONIC */
    guint64 span_ns;     /* how long the estimate of a tick was measured */
    double ns_per_tick;
    gboolean readable; /* whether the manager can read the programs' clock */
    gboolean checked;  /* whether the first process's times were checked */
} FcClock;

void fc_clock_start(FcClock *clock, enum FcTimeMode mode);

/* Checks a process's first reading against the manager's.  A clock that does not fit is taken to
 * count nanoseconds, and not to be readable here. */
void fc_clock_check(FcClock *clock, guint64 ticks, guint64 monotonic_ns);

/* Whether all threads read the same clock; otherwise each has a clock of its own. */
gboolean fc_clock_is_common(const FcClock *clock);

/* Improves the estimate of a tick's length, if that is due.  Cheap enough for every wake-up. */
void fc_clock_refresh(FcClock *clock);

/* Nanoseconds in a tick, times 2^32. */
guint64 fc_clock_multiplier(const FcClock *clock);
guint64 fc_clock_to_ns(const FcClock *clock, guint64 ticks);

/* FALSE: the clock can't be read from outside its thread. */
gboolean fc_clock_now(const FcClock *clock, guint64 *ticks);
