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
    guint64 span_ns;     /* over how much time `ns_per_tick` was measured */
    double ns_per_tick;
    gboolean readable; /* whether the manager can read the programs' clock */
    gboolean checked;  /* whether the first process's times were checked */
} FcClock;

/* Starts the session's clock.  `clock` needs no cleanup. */
void fc_clock_start(FcClock *clock, enum FcTimeMode mode);

/* Compares the first process's first reading, `ticks` at `monotonic_ns` of CLOCK_MONOTONIC, with
 * the manager's clock.  If they do not agree, a tick is taken to be a nanosecond and the manager
 * can't read the clock any more.  Later calls do nothing. */
void fc_clock_check(FcClock *clock, guint64 ticks, guint64 monotonic_ns);

/* Whether all threads read the same clock; otherwise each has a clock of its own. */
gboolean fc_clock_is_common(const FcClock *clock);

/* Measures the length of a tick again when the run has become 1/8 longer since the last time.
 * Cheap enough for every wake-up of the manager. */
void fc_clock_refresh(FcClock *clock);

/* Nanoseconds in a tick, times 2^32. */
guint64 fc_clock_multiplier(const FcClock *clock);
guint64 fc_clock_to_ns(const FcClock *clock, guint64 ticks);

/* Sets *ticks to the time now.  FALSE: the manager can't read this clock. */
gboolean fc_clock_now(const FcClock *clock, guint64 *ticks);
