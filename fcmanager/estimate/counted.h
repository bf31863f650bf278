/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The counted calls of one thread: what is known of them while the thread runs.  stack.c adds
 * samples.  When the thread ends, thread.c adds the counters and has the calls attributed
 * (counted-attribute.h).
 *
 * A counter is exact.  It knows the function and the call site, but not the caller, the context or
 * the time.  Records show these for some calls.  Some are of calls that are timed, at random, each
 * with all calls within it (a sampling burst).  Others are from before the thread began to count.
 */
#pragma once

#include "fcmanager/counts/counts.h"

/* Weighted sums over timed calls.  A call of weight n stands for n times as many calls as one of
 * weight 1. */
typedef struct
{
    guint64 calls;
    double weight;
    double weight_squares;
    double callees; /* calls of counted functions that these calls made */
    double local;   /* ticks, like the next three */
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
    guint64 weight;
    guint64 callees;
    guint64 local; /* ticks */
    guint64 total;
    gboolean is_cut; /* the burst ended before the call did */
} FcCountedTime;

/* Samples of one call site and function below one context. */
typedef struct
{
    guint32 parent;      /* the context of the innermost open frame, maybe not the caller */
    guint32 arc;         /* the arc from that frame's function, by the call site */
    guint32 next;        /* another one of its pair, index + 1; 0: none.  For counted-attribute.c */
    guint64 met;         /* how often a counter reached zero there, by weight */
    guint64 alone;       /* timed calls that took too long to stand for others */
    guint64 cut;         /* timed calls whose burst ended before they did */
    FcCountedSums timed; /* the other timed calls */
} FcCountedSample;

/* A call site and the function that it calls. */
typedef struct
{
    guint64 site;
    gint site_module;
    guint32 function;
    guint64 calls;     /* counted, not recorded */
    guint64 deep;      /* the calls deeper than FC_DEPTH among them; none was timed */
    guint32 first_arc; /* index + 1; 0: none.  For counted-attribute.c, like first_sample */
    guint32 first_sample;
} FcCountedPair;

typedef struct
{
    FcCounts *counts;   /* of the thread; not owned */
    gboolean begun;     /* the thread counts calls, so it may not be known who calls what */
    GArray *pairs;      /* FcCountedPair */
    FcMap pair_map;     /* site, its module, function -> pair + 1 */
    GArray *samples;    /* FcCountedSample */
    FcNodes sample_map; /* by parent and arc: sample + 1 */
    GArray *sure;       /* guint64 by arc: calls whose caller is certain */
    GArray *
        arcs_before; /* guint32 by function: how many arcs there were when it began to be counted */
    GArray *watched; /* FcCountedWatched by arc */
} FcCounted;

/* Returns an empty FcCounted; the caller frees it.  `counts` must outlive it. */
FcCounted *fc_counted_new(FcCounts *counts);
void fc_counted_free(FcCounted *counted);

/* The thread counts from now on; everything in `counts` so far was recorded.  May be called again.
 */
void fc_counted_begin(FcCounted *counted);
/* From now on calls of `function` are counted; all were recorded so far.  `nested`: only calls
 * within another call of it are counted. */
void fc_counted_begin_function(FcCounted *counted, guint32 function, gboolean nested);
/* Whether calls of `function` are recorded only within bursts. */
gboolean fc_counted_is_counted(const FcCounted *counted, guint32 function);

/* A counter of `arc`'s call site and function reached zero below context `parent`.  Adds a sample
 * of weight `weight`.  Returns its number, for fc_counted_timed. */
guint32 fc_counted_met(FcCounted *counted, guint32 parent, guint32 arc, guint64 weight);
/* Adds a timed call to that sample.  A call with a local time of more than `most` ticks stands for
 * itself alone: it was preempted, or did something too rare to sample. */
void fc_counted_timed(FcCounted *counted, guint32 sample, const FcCountedTime *time, guint64 most);
/* A call by `arc` was recorded from its entry to its exit within that burst, with all calls that it
 * made. */
void fc_counted_watched(FcCounted *counted, guint32 arc, guint64 burst);

/* Frees the map of samples: no more will be added. */
void fc_counted_forget_samples_map(FcCounted *counted);

/* A call by `arc` was recorded within a burst, so its caller is certain. */
void fc_counted_sure(FcCounted *counted, guint32 arc);

/* Returns the number of the pair of a counter; makes it if there is none.  `time`, when the counter
 * was made, decides which modules its addresses belong to. */
guint32 fc_counted_find(FcCounted *counted, guint64 site, guint64 address, guint64 time);
/* Adds counted calls to the pair.  `deep`: they are deeper than FC_DEPTH.  Returns the number of
 * the pair's function. */
guint32 fc_counted_add(FcCounted *counted, guint32 pair, guint64 calls, gboolean deep);

/* Returns the pair; makes it if there is none.  Valid until the next one is made. */
FcCountedPair *fc_counted_pair(FcCounted *counted, guint64 site, gint site_module,
                               guint32 function);
