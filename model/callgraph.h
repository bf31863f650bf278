/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph as pure computation: call sites added up to arcs between
 * functions, who calls whom, cycles, and what can be reached.  Used by every
 * report that speaks of callers and callees; knows functions by number only and
 * must never look at names, files or output.
 *
 * Built once and constant after that; all results belong to the graph and live
 * as long as it does.
 */
#pragma once

#include "profile/fc-profile.h"

typedef struct FcCallgraph FcCallgraph;

/* What one call site did: the input. */
typedef struct
{
    gint caller; /* FC_NONE: no profiled function was active */
    guint callee;
    guint via; /* the unprofiled function that the call came through, as the
                  user of the graph numbers them; 0: none */
    guint tag; /* the user's own; not looked at */
    guint64 calls;
    guint64 total_ns; /* this call site was on the stack, recursion counted once */
} FcCallSite;

/* All call sites with the same caller, callee and `via`. */
typedef struct
{
    gint caller;
    guint callee;
    guint via;
    guint64 calls;
    guint64 total_ns;
    gboolean at_most;        /* several of the sites can be on the stack at the same
                                time, so that total_ns is an upper bound */
    const FcCallSite *sites; /* in the order in which they were given */
    guint site_count;
} FcArc;

/* `function_total_ns` holds the total time of each of `function_count` functions
 * (it bounds the arcs' sums).  Both arrays are copied.  Calls that name a function
 * out of range are a programming error.  The caller owns the result. */
FcCallgraph *fc_callgraph_new(const guint64 *function_total_ns, guint function_count,
                              const FcCallSite *sites, guint site_count);
void fc_callgraph_free(FcCallgraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcCallgraph, fc_callgraph_free)

/* All arcs, ordered by caller (FC_NONE first), callee and via. */
const FcArc *fc_callgraph_arcs(const FcCallgraph *graph, guint *count);

/* Arcs that leave `function`; FC_NONE: those that enter the program from outside. */
const FcArc *fc_callgraph_callees(const FcCallgraph *graph, gint function, guint *count);

/* Arcs that lead to `function`, in the order of fc_callgraph_arcs. */
const FcArc *const *fc_callgraph_callers(const FcCallgraph *graph, guint function, guint *count);

/* Cycles: sets of two functions or more of which each reaches each other one
 * (strongly connected components), numbered from 1 by their lowest function. */
guint fc_callgraph_cycle_count(const FcCallgraph *graph);
guint fc_callgraph_cycle_of(const FcCallgraph *graph, guint function); /* 0: in none */
const guint *fc_callgraph_cycle_members(const FcCallgraph *graph, guint cycle, guint *count);

/* Whether `function` calls itself directly. */
gboolean fc_callgraph_is_recursive(const FcCallgraph *graph, guint function);

typedef enum
{
    FC_SPREAD_CALLEES,
    FC_SPREAD_CALLERS,
} FcSpread;

/* Adds to `set` (one entry a function) everything that its members reach. */
void fc_callgraph_spread(const FcCallgraph *graph, gboolean *set, FcSpread direction);
