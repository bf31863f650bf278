/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the steps of counted-attribute.h work on, and what each offers the next: counted-tree.c,
 * counted-callers.c, counted-apportion.c, counted-times.c, counted-move.c, each of which calls only
 * those before it.
 */
#pragma once

#include "fcmanager/estimate/counted.h"
#include "fcmanager/estimate/overhead.h"

/* In place of a pair: the overhead of timed calls that is in the time of their caller. */
#define FC_SHARE_OF_OVERHEAD G_MAXUINT32

/* Calls of `pair` that were made while frame `frame` was the innermost that was recorded; their
 * context is `node`. */
typedef struct
{
    guint32 frame;
    guint32 node;
    guint32 pair;
    double untimed; /* how many of them were not timed */
    double ticks;   /* what they took by estimate */
} FcCountedShare;

/* `function` + 1, 0: none, is known to have made so many calls. */
typedef struct
{
    guint32 function;
    guint64 calls;
} FcKnownCaller;

/* Of one function: */
typedef struct
{
    guint64 calls;  /* in all, */
    guint64 bursts; /* and those in which all was recorded that they called */
} FcAttributedFunction;

/* Beside what fc_counted_attribute is given; arrays by context grow with these. */
typedef struct
{
    FcCounted *counted;
    FcCounts *counts;
    const FcCallOverhead *of_call;
    FcNodes children;     /* by parent, site, its module and function */
    GArray *first_parent; /* guint32 by context: the parent before it moved */
    GArray *first_child;  /* guint32 by context; 0: none */
    GArray *next_child;   /* of the same parent */
    GArray *next_same;    /* of the same function */
    GArray *next_of_pair; /* called by the same call site, too; newer ones first, as all these */
    GArray *hidden_calls; /* guint64: calls that were counted, from outside of the context */
    GArray *spent;        /* FcCountedSpent */
    GArray *recorded;     /* guint64 by arc that there was: recorded calls */
    guint32 *first_same;  /* by function */
    guint8 *is_counted;   /* by function: bits as below; 0: it is not */
    FcAttributedFunction *functions;
    GArray *next_arc;      /* guint32 by arc: another one of its pair, index + 1; 0: none */
    guint32 *first_pair;   /* by function, index + 1; 0: none */
    GArray *next_pair;     /* guint32 by pair: another one of its function; likewise */
    GArray *first_of_pair; /* guint32 by pair: a context; 0: none */
    GArray *likely; /* guint32 by pair: its fc_attribution_likely_caller, + 1; 0: not asked yet.
                       NULL: it may change still, as who calls is not known of all */
    guint32 *by_address; /* functions in the order of module and address */
    GHashTable *callers; /* function -> GArray of FcKnownCaller, of those that were asked for */
    GArray *shares;      /* FcCountedShare, one for each frame, node and pair */
    FcNodes share_table; /* which of them, by these; index + 1 */
    /* Contexts by what is above them: see counted-tree.c. */
    FcNodes newest; /* by top and function */
    GArray *top;    /* guint32 by context: the nearest above that is not of a counted function */
    GArray *older;  /* guint32 by context: another one of its top and function; 0: none */
} FcAttribution;

/* Of FcAttribution.is_counted.  Calls deeper than FC_DEPTH call nothing that is recorded. */
#define FC_ATTRIBUTION_COUNTED 1u
#define FC_ATTRIBUTION_DEEP 2u

/* The recorded frame around most of a context's counted calls. */
typedef struct
{
    guint32 frame;
    guint64 calls;
} FcCountedSpent;

/* One of the arrays by context grows to have an entry `index`, and some more: contexts are made one
 * by one, and all arrays grow for each. */
static inline void fc_attribution_grow(GArray *array, guint32 index)
{
    if (G_UNLIKELY(array->len <= index))
        g_array_set_size(array, index + index / 8 + 64);
}

/* An entry of one of the arrays above, which grows with zeros if need be.  Valid until it grows. */
static inline guint32 *fc_attribution_link(GArray *links, guint32 index)
{
    fc_attribution_grow(links, index);
    return &g_array_index(links, guint32, index);
}

/* Links what the counts and the counters have; `work` is overwritten. */
void fc_attribution_begin(FcAttribution *work, FcCounted *counted, const FcCallOverhead *of_call);
/* Frees it. */
void fc_attribution_end(FcAttribution *work);

/* Divides `amount` in proportion to `weights` (all alike where they are all 0) into `parts`, whose
 * sum it is: each is off by less than one.  `count` must not be 0. */
void fc_attribution_divide(guint64 amount, const guint64 *weights, guint count, guint64 *parts);

/* The context of the pair's function, called from `node`: 0 where there is none, or it is on the
 * path; and made if need be. */
guint32 fc_attribution_find_child(const FcAttribution *work, guint32 node,
                                  const FcCountedPair *pair);
guint32 fc_attribution_child(FcAttribution *work, guint32 node, const FcCountedPair *pair);
/* Whether `wanted` is `node` or on its path. */
gboolean fc_attribution_is_on_path(const FcCounts *counts, guint32 wanted, guint32 node);
/* The context after `node` in the order of the tree below `top`, without those below `node` unless
 * `descend`; 0: that was the last. */
guint32 fc_attribution_next_below(const FcAttribution *work, guint32 node, guint32 top,
                                  gboolean descend);
/* Into `found`, of guint32: the contexts of `function` below `node` between which all are of
 * counted functions, the newest first.  Before any context moves. */
void fc_attribution_find_below(const FcAttribution *work, guint32 node, guint32 function,
                               GArray *found);
/* `node` is new. */
void fc_attribution_add_below(FcAttribution *work, guint32 node);
/* Recorded calls by the arc of which it is certain that its caller made them. */
guint64 fc_attribution_sure_calls(const FcAttribution *work, guint32 arc);
/* The function (+ 1; 0: none) that calls the pair as far as its call site tells, for pairs whose
 * caller no record shows: the function that the callee was inlined into, as it is called from the
 * same site; else the profiled function that begins closest before the site, unless its timed calls
 * rule it out; else the function below which most calls were recorded. */
guint32 fc_attribution_likely_caller(const FcAttribution *work, const FcCountedPair *pair);
/* Whether any call of the pair has a certain caller. */
gboolean fc_attribution_is_sure(const FcAttribution *work, const FcCountedPair *pair);
/* The counted function (+ 1) that calls the pair where calls are recorded below `function` (+ 1; 0:
 * none), which has no such call site; 0: `function` calls it itself. */
guint32 fc_attribution_hidden_caller(const FcAttribution *work, const FcCountedPair *pair,
                                     guint32 function);
/* Makes a context of the counted function `hidden` (+ 1) below `frame`, by a chain of known
 * callers; 0: there is no such chain.  For calls from `hidden` below `frame` where no context shows
 * it. */
guint32 fc_attribution_make_caller(FcAttribution *work, guint32 frame, guint32 hidden);

/* Gives the calls of pair number `index` to contexts; those of its callers have theirs. */
void fc_attribution_apportion(FcAttribution *work, guint32 index);
/* The part of the pair's calls for which the samples stand. */
double fc_attribution_estimated_part(const FcCountedPair *pair);
/* Estimates their times and moves these from the recorded frames around them. */
void fc_attribution_times(FcAttribution *work, guint64 outside);
void fc_attribution_move(FcAttribution *work);
