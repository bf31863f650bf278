/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls of one thread that libfc counted and did not record: what is known of them while the
 * thread runs, and the sums that come of it when it ends.  stack.c tells what it meets, thread.c
 * reads the counters, and has them attributed.
 *
 * A counter has its function and call site, and is exact.  Who called, in which context and for
 * how long is not in it; that is found out from two kinds of records.  Some calls are timed, a
 * random sample, each with all that it calls (a sampling burst); and everything was recorded before
 * the thread began to count.  See counted-attribute.h for what is made of that.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Sums over calls of which each stands for as many as its weight. */
typedef struct
{
    guint64 bursts; /* in how many they were made, which have no more than chance in common */
    guint64 last_burst;
    double weight;
    double weight_squares;
    double callees; /* calls that they made themselves and that are else counted; in ticks: */
    double local;
    double local_squares;
    double total;
    double total_squares;
} FcCountedSums;

/* In how many bursts calls by an arc were recorded from their entry to their exit. */
typedef struct
{
    guint64 bursts;
    guint64 last_burst;
} FcCountedWatched;

/* One timed call. */
typedef struct
{
    guint64 burst; /* the number of that in which it was made, from 1 on */
    guint64 weight;
    guint64 callees;
    guint64 local; /* ticks */
    guint64 total;
    gboolean is_cut; /* its burst ended before it did */
} FcCountedTime;

/* What was met of one call site and function within one context. */
typedef struct
{
    guint32 parent; /* the context of the innermost open frame, which need not be the caller's */
    guint32 arc;    /* from that frame's function, by the site */
    guint32 next;   /* of the same pair, index + 1; 0: none.  For counted-attribute.c */
    guint64 met;    /* how often a counter had run down there, weighted */
    guint64 alone;  /* activations that were timed and stand for themselves only */
    guint64 cut;    /* of the timed ones, those whose burst ended before they did */
    FcCountedSums timed; /* the others */
} FcCountedSample;

/* A call site and the function that it calls. */
typedef struct
{
    guint64 site;
    gint site_module;
    guint32 function;
    guint64 calls;     /* counted, not recorded */
    guint64 deep;      /* of them, those deeper than FC_DEPTH: none was timed */
    guint32 first_arc; /* index + 1; 0: none.  For counted-attribute.c, as the next */
    guint32 first_sample;
} FcCountedPair;

typedef struct
{
    FcCounts *counts;   /* of the thread; not owned */
    gboolean begun;     /* the thread counts: what is called from where is not always known */
    GArray *pairs;      /* FcCountedPair */
    FcMap pair_map;     /* site, its module, function -> pair + 1 */
    GArray *samples;    /* FcCountedSample */
    FcNodes sample_map; /* by parent and arc; sample + 1 */
    GArray *sure;       /* guint64 by arc: calls of which it is certain who made them */
    GArray *before;     /* double by function, mean local time when all was recorded; see there */
    GArray *
        arcs_before; /* guint32 by function: how many arcs there were when it began to be counted */
    GArray *watched; /* FcCountedWatched by arc */
    guint scans;
} FcCounted;

/* `counts` must outlive it.  The caller frees it. */
FcCounted *fc_counted_new(FcCounts *counts);
void fc_counted_free(FcCounted *counted);

/* The thread counts from now on; all that `counts` has was recorded.  May be called again. */
void fc_counted_begin(FcCounted *counted);
/* It counts the calls of `function`, of which all were recorded so far; `nested`: only those within
 * another one of it. */
void fc_counted_begin_function(FcCounted *counted, guint32 function, gboolean nested);
/* Whether calls of `function` make no record but in a burst. */
gboolean fc_counted_is_counted(const FcCounted *counted, guint32 function);

/* A counter of `arc`'s call site and function had run down while `parent` was the innermost
 * context, which stands for `weight` times.  Returns the number of the sample, for
 * fc_counted_timed. */
guint32 fc_counted_met(FcCounted *counted, guint32 parent, guint32 arc, guint64 weight);
/* A call of that sample was timed.  One that took longer than `most` ticks locally stands for
 * itself alone: it was preempted, or did what is too rare to tell from a sample how often it was
 * done. */
void fc_counted_timed(FcCounted *counted, guint32 sample, const FcCountedTime *time, guint64 most);
/* A call by `arc` was recorded from its entry to its exit within that burst: all is known that it
 * called. */
void fc_counted_watched(FcCounted *counted, guint32 arc, guint64 burst);

/* The thread has ended, no sample is met any more: gives back what finds them. */
void fc_counted_forget_samples_map(FcCounted *counted);

/* A call by `arc` was recorded where everything is. */
void fc_counted_sure(FcCounted *counted, guint32 arc);

/* The number of the pair that a counter is of; the time at which that was made says whose addresses
 * they are. */
guint32 fc_counted_find(FcCounted *counted, guint64 site, guint64 address, guint64 time);
/* So many calls of it were counted, `deep` ones: deeper than FC_DEPTH.  Returns the function. */
guint32 fc_counted_add(FcCounted *counted, guint32 pair, guint64 calls, gboolean deep);

/* The pair, made if need be; good until the next is. */
FcCountedPair *fc_counted_pair(FcCounted *counted, guint64 site, gint site_module,
                               guint32 function);
