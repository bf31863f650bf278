/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was counted and measured: functions, arcs and the calling-context tree of
 * one thread, or the sum of several.  stack.c adds to a thread's counts with every
 * record; process.c merges it into the process's when the thread ends; output.c
 * turns that into a profile.
 *
 * The structures are open because stack.c works on them in the hot path.  All
 * times are ticks.  One thread; grows with distinct functions, arcs and contexts,
 * never with the number of events.
 */
#pragma once

#include "fcmanager/base/map.h"
#include "fcmanager/base/nodes.h"
#include "fcmanager/counts/latency.h"
#include "fcmanager/counts/modules.h"
#include "fcmanager/counts/slowest.h"
#include "profile/fc-profile.h"

/* Past so many contexts of a session, or of one thread, new ones are counted on one node a
 * function.  With this number the manager stays below 64 MiB, unless more than sixteen threads
 * have many each, or, of those that count calls, more than eight (of sixteen: 53 to 63 MiB);
 * FC_CONTEXTS allows for more. */
#define FC_CONTEXTS_DEFAULT 100000u

/* The least and the most of single calls. */
typedef struct
{
    guint64 total_min; /* G_MAXUINT64: there was no call; likewise local_min */
    guint64 local_min;
    guint64 total_max;
    guint64 local_max;
} FcCountsBounds;
#define FC_COUNTS_NO_BOUNDS ((FcCountsBounds){G_MAXUINT64, G_MAXUINT64, 0, 0})

/* Bytes of a line of the cache; and the first place in `memory`, which has as much more than is
 * wanted, where one begins. */
#define FC_COUNTS_LINE 64u
static inline void *fc_counts_align(void *memory)
{
    return (void *)(((guintptr)memory + FC_COUNTS_LINE - 1) & ~(guintptr)(FC_COUNTS_LINE - 1));
}

/* A function had several activations at a time, or a context of it was entered by several arcs.
 * Only from then on those of its contexts and arcs are counted: before there is none of these but
 * the function's own.  Its calls are in no FcCountsSum any more. */
#define FC_COUNTS_RECURSIVE (1u << 31)

/* By the number of bits that a duration has: one for each number, as it costs to ask at each call
 * whether it is one of a profile's. */
#define FC_COUNTS_BUCKETS FC_HISTOGRAM_BUCKETS_MOST

typedef struct
{
    /* What each call looks at comes first: 48 bytes, as memory from the system begins 16 behind a
       line of the cache. */
    guint32 active;      /* activations on the stack now: 0, 1, or so many | FC_COUNTS_RECURSIVE */
    gint module;         /* index in the process's list or FC_NONE */
    guint64 quick_total; /* what takes no longer changes neither bounds.total_max, */
    guint64 quick_local; /* nor local_max: see stack-short.c */
    guintptr buckets;    /* where that of 0 is in `histogram`, or would be */
    FcCountsBounds bounds; /* of the calls that were never off the CPU, */
    guint64 total;
    guint64 address;
    guint64 seen;  /* time of the first activation */
    guint64 calls; /* calls and local: sums over the contexts, see fc_counts_sum_functions */
    guint64 local;
    FcCountsBounds elapsed; /* and of the others: with what they waited, not with preemption, */
    FcCountsBounds on_cpu;  /* and without either; ticks as read, as is the histogram */
    FcHistogram histogram;
    /* Of a function whose calls were counted, see counted-attribute.h: */
    guint64 counted;            /* calls that made no record of their own */
    guint64 timed;              /* those of them that were timed, at random */
    gboolean is_after_inlining; /* they were instrumented so */
    double local_variance;      /* of the estimates in `local` and `total`, ticks squared */
    double total_variance;
    guint64 wait_total; /* the part of `total` off the CPU; */
    guint64 wait_local; /* of `local`: a sum over the contexts */
    guint64 cost_total; /* what the hooks took, which was in `total` and `local`: see costs.h */
    guint64 cost_local;
} FcCountsFunction;
G_STATIC_ASSERT(sizeof(FcCountsFunction) % FC_COUNTS_LINE == 0);

typedef struct
{
    guint32 caller; /* function + 1; 0: none */
    guint32 callee;
    gint site_module;
    guint32 active; /* of a function that is FC_COUNTS_RECURSIVE */
    guint64 site;
    guint64 calls;
    guint64 total;
} FcCountsArc;

/* Node 0 is the root and stands for no function. */
typedef struct
{
    guint32 parent; /* less than the node's own index */
    guint32 function;
    gint site_module;
    guint32 active; /* as in arcs */
    guint64 site;   /* 0 for an overflow node */
    guint64 calls;
    guint64 total;
    guint64 local;
} FcCountsNode;

/* What calls of a context did that was not added to it, its function and the arc that owns the sum
 * yet (fc_counts_flush_sums): of such as had no other activation of the function around them. */
typedef struct
{
    guint64 calls;
    guint64 total; /* of calls that made others; */
    guint64 leaf;  /* of such that made none, total and local; */
    guint64 local; /* of the former */
} FcCountsSum;

/* What the hooks took, which is taken off a context's or an arc's times; or the part of these in
 * which the thread was off the CPU. */
typedef struct
{
    guint64 total;
    guint64 local;
} FcCountsCost;

/* Of a function, once its thread counts it. */
typedef enum
{
    FC_COUNTS_ALL = 1, /* its calls make no record but in a window, */
    FC_COUNTS_NESTED,  /* or those within another one of it do not */
} FcCountsCounted;

/* What stack.c had to repair. */
typedef struct
{
    guint64 jumps;           /* frames closed because a shallower one went on */
    guint64 missed_exits;    /* frames closed because a lower one returned */
    guint64 unmatched_exits; /* exits of functions that were not open */
    guint64 bad_records;     /* of a kind that does not exist */
} FcCountsRepairs;

typedef struct
{
    FcCountsFunction *functions;
    FcCountsArc *arcs;
    FcCountsNode *nodes;
    guint32 function_count;
    guint32 function_room;
    guint32 arc_count;
    guint32 arc_room;
    guint32 node_count;
    guint32 node_room;
    guint32 node_limit;
    guint64 looks;     /* at the thread, whose times were corrected by them; 0: they were not */
    FcCountsSum *sums; /* by node, as far as there is room; NULL: none; */
    guint32 *owners;   /* whose: arc + 1; 0: nobody's yet */
    void *sums_memory; /* in which they are */
    guint32 sums_room;
    guint32 *contexts_in_use; /* of all counts that share the limit; NULL: none others */
    FcMap function_map;       /* address, module -> function + 1 */
    FcNodes arc_map;          /* by caller, callee, site, module of the site; arc + 1 */
    FcMap edges;              /* node, site, function's address -> child, arc */
    FcNodes merged;           /* contexts of sums, by parent, site, its module and function */
    const FcModules *modules;
    guint changes_seen;      /* of the modules' changes */
    guint64 contexts_folded; /* edges that lead to an overflow node */
    FcCountsRepairs repairs;
    GArray
        *apportioned_nodes;   /* guint8: 1 where the calls are apportioned; NULL: nowhere, and so */
    GArray *apportioned_arcs; /* is what lies behind the end */
    GArray *counted_functions; /* guint8: FcCountsCounted; likewise 0 */
    FcMap known_arcs;          /* see fc_counts_know_arc; no slots: not in use */
    GArray *unrecorded;        /* guint64 by node: calls that made no record; likewise 0 */
    GArray *deep_nodes;     /* guint8: 1 where calls are that were deeper than FC_DEPTH; likewise */
    GArray *node_costs;     /* FcCountsCost; likewise */
    GArray *arc_costs;      /* FcCountsCost, without local; likewise */
    GHashTable *node_waits; /* FcCountsCost by node; NULL: none */
    GHashTable *arc_waits;  /* FcCountsCost by arc, without local; likewise */
    FcLatencies *arc_latencies; /* by arc, how many calls took how long; NULL: not wanted, or no arc
                                   yet */
    guint32 arc_latencies_room;
    FcLatencyRoom latency_room; /* that they share */
    FcSlowest *slowest;         /* by function; NULL: not wanted, or no function yet */
    guint32 slowest_room;
    guint32 slowest_most; /* of each function; 0: none */
} FcCounts;

/* Starting sizes; 0: the least. */
typedef struct
{
    guint32 functions;
    guint32 arcs;
    guint32 frames;
} FcCountsSizes;

/* Keeps a pointer to `modules`, which must outlive it. */
FcCounts *fc_counts_new(const FcModules *modules, const FcCountsSizes *sizes);
void fc_counts_free(FcCounts *counts);

/* The slot of the edge from context `node` by call site `site` to the function at
 * `address`: value is the child context, extra the arc.  Makes what is missing.
 * Good until the next call; so are pointers into the counts' arrays. */
const FcMapSlot *fc_counts_make_edge(FcCounts *counts, guint32 node, guint64 site, guint64 address,
                                     guint64 time);

static inline const FcMapSlot *fc_counts_edge(FcCounts *counts, guint32 node, guint64 site,
                                              guint64 address, guint64 time)
{
    const FcMapSlot *slot = fc_map_place(&counts->edges, node, site, address);
    if (G_LIKELY(slot->value != 0))
        return slot;
    return fc_counts_make_edge(counts, node, site, address, time);
}

/* Their parts: the function, the arc (`caller`: function + 1, 0: none), made if need be; a new
 * context, which fc_counts_has_room allows or not; the context of `function` on the path to
 * `node`, 0: none. */
guint32 fc_counts_get_function(FcCounts *counts, guint64 address, gint module, guint64 seen);
guint32 fc_counts_get_arc(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                          guint32 callee);
/* The same where `caller` has the innermost frame, which need not be the caller's: that may be
 * counted, and have none. */
guint32 fc_counts_arc_from_frame(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                                 guint32 callee);
/* Index + 1; 0: there is none. */
guint32 fc_counts_find_arc(const FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                           guint32 callee);
/* It is certain that the arc's caller made a call by it.  Only where there are many arcs. */
void fc_counts_know_arc(FcCounts *counts, guint32 arc);
guint32 fc_counts_add_node(FcCounts *counts, guint32 parent, guint64 site, gint site_module,
                           guint32 function);
gboolean fc_counts_has_room(const FcCounts *counts);
guint32 fc_counts_find_on_path(const FcCounts *counts, guint32 node, guint32 function);

/* Sets `index` of `*marks`, the apportioned nodes or arcs; and whether it is set. */
void fc_counts_mark(GArray **marks, guint32 index);
static inline gboolean fc_counts_is_marked(const GArray *marks, guint32 index)
{
    return marks != NULL && index < marks->len && g_array_index(marks, guint8, index) != 0;
}

/* Several calls more; and one. */
static inline void fc_counts_bound(FcCountsBounds *bounds, const FcCountsBounds *more)
{
    if (more->total_min < bounds->total_min)
        bounds->total_min = more->total_min;
    if (more->total_max > bounds->total_max)
        bounds->total_max = more->total_max;
    if (more->local_min < bounds->local_min)
        bounds->local_min = more->local_min;
    if (more->local_max > bounds->local_max)
        bounds->local_max = more->local_max;
}
static inline void fc_counts_bound_call(FcCountsBounds *bounds, guint64 total, guint64 local)
{
    const FcCountsBounds call = {
        .total_min = total, .local_min = local, .total_max = total, .local_max = local};
    fc_counts_bound(bounds, &call);
}
/* Those of all calls: `which` is the function's `elapsed` or `on_cpu`. */
static inline FcCountsBounds fc_counts_bounds(const FcCountsFunction *function,
                                              const FcCountsBounds *which)
{
    FcCountsBounds bounds = function->bounds;
    fc_counts_bound(&bounds, which);
    return bounds;
}

/* Adds so many calls without a record to a node. */
void fc_counts_add_unrecorded(GArray **unrecorded, guint32 node, guint64 calls);
static inline guint64 fc_counts_unrecorded(const FcCounts *counts, guint32 node)
{
    const GArray *unrecorded = counts->unrecorded;
    return unrecorded && node < unrecorded->len ? g_array_index(unrecorded, guint64, node) : 0;
}
/* Whether all calls of the node were deeper than FC_DEPTH: then it has no time, and what counting
 * them cost is in that of the recorded frame around it. */
static inline gboolean fc_counts_is_deep(const FcCounts *counts, guint32 node)
{
    return fc_counts_is_marked(counts->deep_nodes, node) &&
           fc_counts_unrecorded(counts, node) >= counts->nodes[node].calls;
}
/* Before calls without a record are added to a node: whether these are deeper.  It is no deep one
 * any more where others are not. */
void fc_counts_note_deep(FcCounts *counts, guint32 node, gboolean is_deep);
static inline FcCountsCost fc_counts_cost(const GArray *costs, guint32 index)
{
    const FcCountsCost none = {0};
    return costs && index < costs->len ? g_array_index(costs, FcCountsCost, index) : none;
}

/* The same of waits, which few of many contexts have. */
void fc_counts_add_wait(GHashTable **waits, guint32 index, FcCountsCost wait);
FcCountsCost fc_counts_wait(GHashTable *waits, guint32 index);

/* Room for the calls of buckets from `first` to `last`. */
void fc_counts_make_buckets(FcCountsFunction *function, guint first, guint last);
/* Of a bucket that has room. */
static inline guint64 *fc_counts_known_bucket(const FcCountsFunction *function, gsize bucket)
{
    return (guint64 *)(function->buckets + bucket * sizeof(guint64));
}
static inline guint64 *fc_counts_bucket(FcCountsFunction *function, guint bucket)
{
    if (G_UNLIKELY(!fc_histogram_has_room(&function->histogram, bucket)))
        fc_counts_make_buckets(function, bucket, bucket);
    return fc_counts_known_bucket(function, bucket);
}

static inline guint32 fc_counts_activations(const FcCountsFunction *function)
{
    return function->active & ~FC_COUNTS_RECURSIVE;
}
/* Whether the function at `address`, of the module that is there at `time`, is on the stack. */
gboolean fc_counts_is_active(const FcCounts *counts, guint64 address, guint64 time);

/* Forgets what is known about addresses that changed their meaning at or before
 * `time`.  Returns the time of the next change that is known, G_MAXUINT64: none. */
guint64 fc_counts_apply_changes(FcCounts *counts, guint64 time);

/* Nothing will be added any more: frees the map of edges, the largest there is. */
void fc_counts_forget_edges(FcCounts *counts);

/* Nor will any function, arc or context be looked up: frees all maps. */
void fc_counts_end(FcCounts *counts);
/* All that is known of the functions is elsewhere now; their numbers stay. */
void fc_counts_drop_functions(FcCounts *counts);

/* Room for the sums of all contexts that there are, which are elsewhere then. */
void fc_counts_make_sums(FcCounts *counts);
/* Adds the sums to where they belong; to be called before anything of the counts is read, by who
 * did not close the stack that adds to them. */
void fc_counts_flush_sums(FcCounts *counts);
/* Settles, and frees them. */
void fc_counts_drop_sums(FcCounts *counts);

/* Sums the contexts' calls and local times into the functions'. */
void fc_counts_sum_functions(FcCounts *counts);

/* Of a callee and the module that its call site is in, for maps of contexts and arcs. */
static inline guint64 fc_counts_callee_key(gint site_module, guint32 function)
{
    return (guint64)(guint32)site_module << 32 | function;
}

/* By node: the arc that leads to it, or another one of its call site, + 1; 0: there is none, as of
 * nodes that others were folded on.  Arcs that close a recursion lead to none.  g_free it. */
guint32 *fc_counts_arcs_of_nodes(const FcCounts *counts);

/* The node of `into`, the sums of a process, for the path to `node` of `from`, a thread's counts;
 * made if need be.  `cache`, of guint32 by node of `from`, belongs to the two of them. */
guint32 fc_counts_make_node(FcCounts *into, const FcCounts *from, guint32 node, GArray *cache);

static inline guint32 fc_counts_intern_node(FcCounts *into, const FcCounts *from, guint32 node,
                                            GArray *cache)
{
    if (node == 0)
        return 0;
    if (G_LIKELY(node < cache->len && g_array_index(cache, guint32, node) != 0))
        return g_array_index(cache, guint32, node) - 1;
    return fc_counts_make_node(into, from, node, cache);
}

/* All calls so far were of that thread. */
void fc_counts_set_thread(FcCounts *counts, gint64 tid);
/* Part of fc_counts_merge: those of `from`, whose functions and nodes got these numbers. */
void fc_counts_merge_slowest(FcCounts *into, const FcCounts *from, const guint32 *functions,
                             const guint32 *nodes);

/* Adds `from`, whose functions must be summed, to `into`, of the same modules; `into` is never
 * given to a stack.  The result maps functions of `from` to those of `into`; g_free it. */
guint32 *fc_counts_merge(FcCounts *into, const FcCounts *from);

/* The same where nothing is in `into` yet and `from`, which is not needed any more, has all as the
 * sums would: exchanges the two, so that the numbers of functions stay.  FALSE: it is not so, and
 * nothing has changed. */
gboolean fc_counts_take(FcCounts *into, FcCounts *from);
/* Parts of it.  Finds arcs by what they are now: their callers may have been learnt since they were
 * made. FALSE: two are alike. */
gboolean fc_counts_index_arcs(FcCounts *counts);
/* Knows that context as merged counts do.  FALSE: it knows another one like it. */
gboolean fc_counts_index_merged(FcCounts *counts, guint32 index);

/* A library's constructors may be met before the library is announced. */
static inline gint fc_counts_known_module(const FcCounts *counts, gint module, guint64 address,
                                          guint64 time)
{
    return module != FC_NONE ? module : fc_modules_find(counts->modules, address, time);
}
