/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The data that the steps of counted-attribute.h work on, and the functions that each step offers
 * to the next ones.  The order is counted-tree.c, counted-callers.c, counted-apportion.c,
 * counted-times.c, counted-move.c; each file calls only those before it.
 */
#pragma once

#include "fcmanager/estimate/counted.h"
#include "fcmanager/estimate/overhead.h"

/* In place of a pair's number: the share is no calls, but overhead of timed calls.  It was measured
 * in the recorded frame, and moves to the counted function that made the calls. */
#define FC_SHARE_OF_OVERHEAD G_MAXUINT32

/* Calls of `pair` in context `node`, made while `frame` was the innermost recorded frame. */
typedef struct
{
    guint32 frame;
    guint32 node;
    guint32 pair;
    double untimed; /* how many of them were not timed */
    double ticks;   /* their estimated time */
} FcCountedShare;

/* `function` + 1 (0: none) is known to have made this many calls. */
typedef struct
{
    guint32 function;
    guint64 calls;
} FcKnownCaller;

/* Figures of one function. */
typedef struct
{
    guint64 calls;    /* all calls */
    guint64 complete; /* the calls of which everything they called was recorded */
} FcAttributedFunction;

/* The state of one attribution.  Arrays by context grow as contexts are made. */
typedef struct
{
    FcCounted *counted;
    FcCounts *counts;
    const FcCallOverhead *of_call;
    FcNodes children;     /* by parent, site, the site's module and function */
    GArray *first_parent; /* guint32 by context: the parent before it moved */
    GArray *first_child;  /* guint32 by context; 0: none */
    GArray *next_child;   /* guint32 by context: another child of its parent */
    GArray *next_same;    /* guint32 by context: another one of its function */
    GArray *next_of_pair; /* guint32 by context: another one of its call site and function.  All
                             these links lead to older contexts */
    GArray *recorded;     /* guint64 by arc that existed at the start: recorded calls */
    guint32 *first_same;  /* by function */
    guint8 *is_counted;   /* by function: the bits below; 0: it is not counted */
    FcAttributedFunction *functions;
    GArray *next_arc;      /* guint32 by arc: another one of its pair, index + 1; 0: none */
    guint32 *first_pair;   /* by function, index + 1; 0: none */
    GArray *next_pair;     /* guint32 by pair: another one of its function, likewise */
    GArray *first_of_pair; /* guint32 by pair: a context; 0: none */
    GArray *likely; /* guint32 by pair: its fc_attribution_likely_caller, + 1; 0: not computed yet.
                       NULL: nothing is cached yet, as callers may still become known */
    guint32 *by_address; /* functions in the order of module and address */
    GHashTable *callers; /* function -> GArray of FcKnownCaller: cached results */
    GArray *shares;      /* FcCountedShare, one for each frame, node and pair */
    FcNodes share_table; /* by frame, node and pair: index in `shares`, + 1 */
    /* Contexts by what is above them: see counted-tree.c. */
    FcNodes newest; /* by top and function */
    GArray *top;    /* guint32 by context: the nearest context above it that is not of a counted
                       function */
    GArray *older;  /* guint32 by context: another one of its top and function; 0: none */
} FcAttribution;

/* Bits of FcAttribution.is_counted.  DEEP: calls deeper than FC_DEPTH call nothing that is
 * recorded. */
#define FC_ATTRIBUTION_COUNTED 1u
#define FC_ATTRIBUTION_DEEP 2u

/* Grows one of the arrays by context so that it has an entry `index`.  It grows by more than one,
 * since contexts are made one by one. */
static inline void fc_attribution_grow(GArray *array, guint32 index)
{
    if (G_UNLIKELY(array->len <= index))
        g_array_set_size(array, index + index / 8 + 64);
}

/* Returns an entry of one of the arrays above, which grows with zeros if it has no such entry.
 * Valid until the array grows. */
static inline guint32 *fc_attribution_link(GArray *links, guint32 index)
{
    fc_attribution_grow(links, index);
    return &g_array_index(links, guint32, index);
}

/* Fills `work`, which is overwritten, with links between what the counts and counters have. */
void fc_attribution_begin(FcAttribution *work, FcCounted *counted, const FcCallOverhead *of_call);
/* Frees what `work` owns. */
void fc_attribution_end(FcAttribution *work);

/* Divides `amount` into `parts` in proportion to `weights`; if all weights are 0, into equal parts.
 * The parts add up to `amount`, and each is off by less than one.  `count` must not be 0. */
void fc_attribution_divide(guint64 amount, const guint64 *weights, guint count, guint64 *parts);

/* Returns the context of the pair's function that is called from `node`.  The first function
 * returns 0 if there is none, or if the function is on the path already. */
guint32 fc_attribution_find_child(const FcAttribution *work, guint32 node,
                                  const FcCountedPair *pair);
guint32 fc_attribution_child(FcAttribution *work, guint32 node, const FcCountedPair *pair);
/* Whether `wanted` is `node` or on its path. */
gboolean fc_attribution_is_on_path(const FcCounts *counts, guint32 wanted, guint32 node);
/* Returns the context after `node` in the order of the tree below `top`; 0: there is no more.
 * Without `descend`, leaves out the contexts below `node`. */
guint32 fc_attribution_next_below(const FcAttribution *work, guint32 node, guint32 top,
                                  gboolean descend);
/* Adds to `found`, an array of guint32, the contexts of `function` below `node` with only counted
 * functions between the two, the newest first.  To be called before any context moves. */
void fc_attribution_find_below(const FcAttribution *work, guint32 node, guint32 function,
                               GArray *found);
/* Adds a new context `node` to these tables. */
void fc_attribution_add_below(FcAttribution *work, guint32 node);
/* Returns how many recorded calls by the arc certainly were made by its caller. */
guint64 fc_attribution_sure_calls(const FcAttribution *work, guint32 arc);
/* Returns the function (+ 1) that probably calls the pair, if no record shows a caller; 0: none.
 * It is the profiled function that begins closest before the site, unless records or its timed
 * calls rule it out.  Otherwise it is the function below which most calls were recorded. */
guint32 fc_attribution_likely_caller(const FcAttribution *work, const FcCountedPair *pair);
/* Whether any call of the pair has a certain caller. */
gboolean fc_attribution_is_sure(const FcAttribution *work, const FcCountedPair *pair);
/* The calls of the pair were recorded below `function` (+ 1; 0: none).  Returns the counted
 * function
 * (+ 1) between them that made the calls; 0: `function` made them itself. */
guint32 fc_attribution_hidden_caller(const FcAttribution *work, const FcCountedPair *pair,
                                     guint32 function);
/* Makes a context of the counted function `hidden` (+ 1) below `frame`, by a chain of known
 * callers, for calls by `hidden` that no context shows.  Returns it; 0: there is no such chain. */
guint32 fc_attribution_make_caller(FcAttribution *work, guint32 frame, guint32 hidden);

/* Gives the calls of pair number `index` to contexts.  Its callers must have got theirs before. */
void fc_attribution_apportion(FcAttribution *work, guint32 index);
/* Returns the part of the pair's calls that are not deeper than FC_DEPTH. */
double fc_attribution_estimated_part(const FcCountedPair *pair);
/* Estimates the times of counted calls and moves them from the recorded frames around them to the
 * calls. */
void fc_attribution_times(FcAttribution *work, guint64 outside);
void fc_attribution_move(FcAttribution *work);
