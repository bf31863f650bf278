/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The counted calls of one thread: what is known of them while the thread runs.  stack.c adds
 * samples, thread.c adds the counters and has the calls attributed when the thread ends
 * (counted-attribute.h).
 *
 * A counter is exact.  It knows the function and the call site, but not who called, in which
 * context, and for how long.  Two kinds of records tell: those of the calls that are timed, at
 * random, each with all calls within it (a sampling burst); and those from before the thread began
 * to count.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Weighted sums over timed calls.  A call stands for as many calls as its weight. */
typedef struct
{
    guint64 bursts; /* in which they were made: calls of different bursts are independent */
    guint64 last_burst;
    double weight;
    double weight_squares;
    double callees; /* calls that they made, of functions that are counted; in ticks: */
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

/* Samples of one call site and function below one context. */
typedef struct
{
    guint32 parent; /* the context of the innermost open frame, which need not be the caller's */
    guint32 arc;    /* from that frame's function, by the site */
    guint32 next;   /* of the same pair, index + 1; 0: none.  For counted-attribute.c */
    guint64 met;    /* how often a counter reached zero there, weighted */
    guint64 alone;  /* timed calls that took too long to stand for others */
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

/* A counter of `arc`'s call site and function reached zero below context `parent`.  It stands for
 * `weight` times.  Returns the number of the sample, for fc_counted_timed. */
guint32 fc_counted_met(FcCounted *counted, guint32 parent, guint32 arc, guint64 weight);
/* Adds a timed call to that sample.  One with a local time of more than `most` ticks stands for
 * itself alone: it was preempted, or did something too rare to sample. */
void fc_counted_timed(FcCounted *counted, guint32 sample, const FcCountedTime *time, guint64 most);
/* A call by `arc` was recorded from its entry to its exit within that burst, with all calls that it
 * made. */
void fc_counted_watched(FcCounted *counted, guint32 arc, guint64 burst);

/* Frees the map of samples: no more will be added. */
void fc_counted_forget_samples_map(FcCounted *counted);

/* A call by `arc` was recorded within a burst, so its caller is certain. */
void fc_counted_sure(FcCounted *counted, guint32 arc);

/* The number of the pair of a counter, made if need be.  `time`, when the counter was made, says
 * which modules its addresses belong to. */
guint32 fc_counted_find(FcCounted *counted, guint64 site, guint64 address, guint64 time);
/* Adds counted calls to the pair; `deep`: they are deeper than FC_DEPTH.  Returns the function. */
guint32 fc_counted_add(FcCounted *counted, guint32 pair, guint64 calls, gboolean deep);

/* The pair, made if need be.  Valid until the next one is made. */
FcCountedPair *fc_counted_pair(FcCounted *counted, guint64 site, gint site_module,
                               guint32 function);
