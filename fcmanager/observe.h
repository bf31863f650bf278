/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks at what profiled threads are at: reads the word that a thread's hooks keep up to date
 * (libfc/beacon.h) at random times, about a thousand times a second, in a thread of the manager's
 * own. Nothing is asked of the program for that.
 *
 * A look counts where the thread is on the CPU: the word changes while one looks, or the kernel
 * says so (on-cpu.h).  Each stands for the time until the next one; where the thread is preempted,
 * also by the one who looks, for what it ran since the last.
 *
 * process-messages.c has threads watched, thread.c takes what was seen.  Any thread may call these.
 */
#pragma once

#include <glib.h>

typedef struct FcObserver FcObserver;

/* Of one thread: what it was seen at.  `sightings`: FcSighting, each word once. */
typedef struct
{
    guint64 beacon;
    double weight;   /* us */
    double variance; /* of that, as looks are taken at random: the sum of the squares of its weights
                        in each */
} FcSighting;

typedef struct
{
    GArray *sightings;
    const GArray
        *before; /* guint64 by function: ticks before that; NULL, and behind its end: none */
    guint64 looks;
    double weight; /* the sum of theirs */
} FcObserved;

typedef struct FcWatched FcWatched;

/* Looks at nothing yet.  NULL where there is no thread to be had. */
FcObserver *fc_observer_new(void);
/* Nothing may be watched any more. */
void fc_observer_free(FcObserver *observer);

/* From now on looks at `beacon`, of thread `tid` of process `pid` as the manager knows them, until
 * fc_observer_end, before which the memory must not go away.  NULL where too many are, or the
 * kernel doesn't know such a thread. */
FcWatched *fc_observer_watch(FcObserver *observer, const guint64 *beacon, gint pid, gint64 tid);
/* Its hooks write there no more, or again: does not look meanwhile. */
void fc_observer_pause(FcWatched *watched, gboolean pauses);
/* Ends that; into `observed`, whose sightings the caller unrefs, goes what was seen, unless it is
 * NULL.
 */
void fc_observer_end(FcWatched *watched, FcObserved *observed);
