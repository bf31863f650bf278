/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sampler: reads the word in which a thread's hooks tell where it is (libfc/beacon.h), at
 * random times, about a thousand times a second, in a thread of the manager's own.  The program is
 * asked for nothing.
 *
 * A sample counts if the thread is on the CPU: the word changes meanwhile, or the kernel says so
 * (on-cpu.h).  It has the weight of one sampling interval.  If the thread was preempted, perhaps by
 * the sampler, its weight is the time that the thread ran since the last sample.
 *
 * process-messages.c has threads watched, thread.c takes what was seen.  Any thread may call these.
 */
#pragma once

#include <glib.h>

typedef struct FcObserver FcObserver;

/* Samples of one thread.  `words`: FcSampledWord, each word once. */
typedef struct
{
    guint64 beacon;
    double weight;   /* us */
    double variance; /* of that, as samples are taken at random: the sum of the squares of its
                        weights in each */
} FcSampledWord;

typedef struct
{
    GArray *words;
    const GArray
        *before; /* guint64 by function: ticks before that; NULL, and behind its end: none */
    guint64 looks;
    double weight; /* the sum of theirs */
} FcObserved;

typedef struct FcWatched FcWatched;

/* Samples nothing yet.  NULL where there is no thread to be had. */
FcObserver *fc_observer_new(void);
/* Nothing may be watched any more. */
void fc_observer_free(FcObserver *observer);

/* From now on samples `beacon`, of thread `tid` of process `pid` as the manager knows them, until
 * fc_observer_end, before which the memory must not go away.  NULL where too many are, or the
 * kernel doesn't know such a thread. */
FcWatched *fc_observer_watch(FcObserver *observer, const guint64 *beacon, gint pid, gint64 tid);
/* TRUE: stops sampling this thread, as its hooks no longer write the word.  FALSE: goes on. */
void fc_observer_pause(FcWatched *watched, gboolean pauses);
/* Between these two nothing is sampled, and a fork has all that was. */
void fc_observer_hold(FcObserver *observer);
void fc_observer_release(FcObserver *observer);
/* Ends that; into `observed`, whose words the caller unrefs, go its samples, unless it is
 * NULL.
 */
void fc_observer_end(FcWatched *watched, FcObserved *observed);
