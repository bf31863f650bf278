/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sampler reads the word in which a thread's hooks say where the thread is
 * (libfc/current-word.h). It does so at random times in a thread of the manager's own, every 0.1 ms
 * at first and every millisecond later.  The program does nothing for it.
 *
 * A sample counts if the thread is on the CPU: the word changes meanwhile, or the kernel says so
 * (on-cpu.h).  It has the weight of one sampling interval.  If the thread was preempted, perhaps by
 * the sampler, its weight is the time that the thread ran since the last sample.
 *
 * process-messages.c has threads watched, thread.c takes the samples.  Any thread may call these
 * functions.
 */
#pragma once

#include <glib.h>

/* A mean or a share that comes from fewer samples is not used.  The relative standard error of a
 * count of n samples is 1 / sqrt(n) (Poisson): with 30 it is 0.18. */
#define FC_SAMPLES_LEAST 30.0

typedef struct FcObserver FcObserver;

/* Samples of one thread.  `words`: FcSampledWord, each word once. */
typedef struct
{
    guint64 current_word;
    double weight;   /* us */
    double variance; /* variance of `weight`, as samples are taken at random: the sum of the squares
                        of its weights in each sample */
} FcSampledWord;

typedef struct
{
    GArray *words;
    const GArray
        *before; /* guint64 by function: ticks before sampling; NULL, and behind its end: none */
    guint64 samples;
    double weight; /* sum of the words' weights */
} FcObserved;

typedef struct FcWatched FcWatched;

/* Returns a sampler that samples nothing yet.  NULL: no thread can be made. */
FcObserver *fc_observer_new(void);
/* Frees the sampler.  Nothing may be watched any more. */
void fc_observer_free(FcObserver *observer);

/* Samples `current_word` until fc_observer_end.  It is that of thread `tid` of process `pid`, as
 * the manager knows them.  The memory must stay until then.  NULL: too many threads are watched, or
 * the kernel does not know this one. */
FcWatched *fc_observer_watch(FcObserver *observer, const guint64 *current_word, gint pid,
                             gint64 tid);
/* TRUE: stops sampling this thread, as its hooks no longer write the word.  FALSE: goes on. */
void fc_observer_pause(FcWatched *watched, gboolean pauses);
/* Between hold and release nothing is sampled, so that a forked child has all samples. */
void fc_observer_hold(FcObserver *observer);
void fc_observer_release(FcObserver *observer);
/* Ends the watch.  Moves its samples to `observed`, unless that is NULL; the caller unrefs the
 * words. */
void fc_observer_end(FcWatched *watched, FcObserved *observed);
