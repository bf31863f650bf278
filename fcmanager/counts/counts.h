/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was counted and measured: functions, arcs and the calling-context tree of one thread, or
 * the sum of several threads. stack.c adds to a thread's counts with every record; process.c
 * merges them into the process's when the thread ends; output.c turns that into a profile.
 *
 * The structures are open because stack.c works on them in the hot path.  All times are ticks.
 * Used by one thread at a time.  Memory grows with the number of distinct functions, arcs and
 * contexts, never with the number of events.
 */
#pragma once

#include "fcmanager/base/map.h"
#include "fcmanager/base/nodes.h"
#include "fcmanager/counts/latency.h"
#include "fcmanager/counts/modules.h"
#include "fcmanager/counts/slowest.h"
#include "profile/fc-profile.h"

/* The default of FC_CONTEXTS.  Beyond so many contexts of a session, or of one thread, new ones
 * are counted on one node for each function.  With this number the manager stays below 64 MiB,
 * unless more than sixteen threads have many each; of threads that count calls, more than eight
 * (sixteen take 53 to 63 MiB). */
#define FC_CONTEXTS_DEFAULT 100000u

/* The shortest and the longest single call. */
typedef struct
{
    guint64 total_min; /* G_MAXUINT64: there was no call; likewise for local_min */
    guint64 local_min;
    guint64 total_max;
    guint64 local_max;
} FcCountsBounds;
#define FC_COUNTS_NO_BOUNDS ((FcCountsBounds){G_MAXUINT64, G_MAXUINT64, 0, 0})

/* The size of a cache line; and the first address in `memory` where one begins.  `memory` has
 * room for that. */
#define FC_COUNTS_LINE 64u
static inline void *fc_counts_align(void *memory)
{
    return (void *)(((guintptr)memory + FC_COUNTS_LINE - 1) & ~(guintptr)(FC_COUNTS_LINE - 1));
}

/* A flag of a function that had several activations at a time, or a context that was entered by
 * several arcs.  From then on the open activations of its contexts and arcs are counted as well.
 * Before, only the function's own are.  Its calls are in no FcCountsSum any more. */
#define FC_COUNTS_RECURSIVE (1u << 31)

/* By the number of bits of a duration.  There is a bucket for each number, since checking at
 * each call whether the profile has it would cost time. */
#define FC_COUNTS_BUCKETS FC_HISTOGRAM_BUCKETS_MOST

typedef struct
{
    /* What each call reads comes first: 48 bytes, since memory from the system begins 16 bytes
       after the start of a cache line. */
    guint32 active; /* activations on the stack now: 0, 1, or their number | FC_COUNTS_RECURSIVE */
    gint module;    /* index in the process's list or FC_NONE */
    guint64 quick_total;   /* a call that takes no longer changes neither bounds.total_max */
    guint64 quick_local;   /* nor local_max: see short.c */
    guintptr buckets;      /* where bucket 0 is in `histogram`, or would be */
    FcCountsBounds bounds; /* of the calls that were never off the CPU */
    guint64 total;
    guint64 address;
    guint64 seen;  /* time of its first call */
    guint64 calls; /* calls and local are sums over the contexts, see fc_counts_sum_functions */
    guint64 local;
    FcCountsBounds elapsed; /* of the other calls: with their waits, but without preemption, */
    FcCountsBounds on_cpu;  /* and without either; ticks as read, as in the histogram */
    FcHistogram histogram;
    /* Of a function whose calls were counted, see counted-attribute.h: */
    guint64 counted;            /* calls that made no record of their own */
    guint64 timed;              /* calls of those that were timed, at random */
    gboolean is_after_inlining; /* they were instrumented after inlining */
    double local_variance;      /* of the estimates in `local` and `total`, ticks squared */
    double total_variance;
    guint64 wait_total; /* the part of `total` off the CPU */
    guint64 wait_local; /* the part of `local`: a sum over the contexts */
    guint64 cost_total; /* overhead that was in `total` and `local`: see overhead.h */
    guint64 cost_local;
} FcCountsFunction;
G_STATIC_ASSERT(sizeof(FcCountsFunction) % FC_COUNTS_LINE == 0);

typedef struct
{
    guint32 caller; /* function + 1; 0: none */
    guint32 callee;
    gint site_module;
    guint32 active; /* if the function is FC_COUNTS_RECURSIVE */
    guint64 site;
    guint64 calls;
    guint64 total;
} FcCountsArc;

/* Node 0 is the root and is no function's. */
typedef struct
{
    guint32 parent; /* less than the node's own index */
    guint32 function;
    gint site_module;
    guint32 active; /* as in arcs */
    guint64 site;   /* 0 in a node that calls are folded on */
    guint64 calls;
    guint64 total;
    guint64 local;
} FcCountsNode;

/* What calls of a context add to it, to its function and to the arc that owns the sum, but have
 * not added yet (fc_counts_flush_sums).  Only of calls with no other activation of the function
 * around them. */
typedef struct
{
    guint64 calls;
    guint64 total; /* of calls that made others */
    guint64 leaf;  /* of calls that made none: total and local */
    guint64 local; /* of the calls that made others */
} FcCountsSum;

/* The overhead that is subtracted from the times of a context or an arc; or the part of these
 * off the CPU. */
typedef struct
{
    guint64 total;
    guint64 local;
} FcCountsCost;

/* Of a function's own time: ticks that it was preempted, and what its waits were for, by samples,
 * each of which stands for some ns. */
typedef struct
{
    guint64 preempted;
    guint64 kind_ns[FC_WAIT_KINDS];
} FcCountsOff;

/* Whether a thread counts the calls of a function. */
typedef enum
{
    FC_COUNTS_ALL = 1, /* its calls make no record outside of a burst */
    FC_COUNTS_NESTED,  /* only its calls within another call of it make none */
} FcCountsCounted;

/* What stack.c repaired. */
typedef struct
{
    guint64 jumps;           /* frames closed because a frame further up went on */
    guint64 missed_exits;    /* frames closed because a frame further down returned */
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
    guint64 looks;     /* samples of the thread, by which its times were corrected; 0: none */
    guint64 executed;  /* samples of where it executed, which its times are from; 0: none */
    FcCountsSum *sums; /* by node, as far as there is room; NULL: none */
    guint32 *owners;   /* the owner of each: arc + 1; 0: none yet */
    void *sums_memory; /* the memory that they are in */
    guint32 sums_room;
    guint32 *contexts_in_use; /* of all counts that share the limit; NULL: this one only */
    FcMap function_map;       /* address, module -> function + 1 */
    FcNodes arc_map;          /* by caller, callee, site and the site's module; arc + 1 */
    FcMap edges;              /* node, site and the function's address -> child, arc */
    FcNodes merged;           /* contexts of sums, by parent, site, its module, and function */
    const FcModules *modules;
    guint changes_seen;      /* how many of the modules' changes were applied */
    guint64 contexts_folded; /* edges that lead to a node that calls are folded on */
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
    GHashTable *offs;       /* FcCountsOff by function; likewise */
    FcLatencies *arc_latencies; /* by arc, how many calls took how long; NULL: not wanted, or no arc
                                   yet */
    guint32 arc_latencies_room;
    FcLatencyRoom latency_room; /* that they share */
    FcSlowest *slowest;         /* by function; NULL: not wanted, or no function yet */
    guint32 slowest_room;
    guint32 slowest_most; /* of each function; 0: none */
} FcCounts;

/* Starting sizes; 0: the smallest. */
typedef struct
{
    guint32 functions;
    guint32 arcs;
    guint32 frames;
} FcCountsSizes;

/* Keeps a pointer to `modules`, which must outlive the counts. */
FcCounts *fc_counts_new(const FcModules *modules, const FcCountsSizes *sizes);
void fc_counts_free(FcCounts *counts);

/* The slot of the edge from context `node` by call site `site` to the function at `address`:
 * value is the child context, extra the arc.  Makes what is missing.  Valid until the next call;
 * so are pointers into the arrays of the counts. */
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

/* Parts of that.  The function.  The arc (`caller`: function + 1; 0: none), made if need be.  A
 * new context, even without fc_counts_has_room.  The context of `function` on the path to
 * `node`; 0: none. */
guint32 fc_counts_get_function(FcCounts *counts, guint64 address, gint module, guint64 seen);
guint32 fc_counts_get_arc(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                          guint32 callee);
/* The same as fc_counts_edge, if the innermost frame is `caller`'s, which need not be the
 * function that calls: that may be counted and have no frame. */
guint32 fc_counts_arc_from_frame(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                                 guint32 callee);
/* Index + 1; 0: there is none. */
guint32 fc_counts_find_arc(const FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                           guint32 callee);
/* Notes that the arc's caller certainly made a call by it.  Only where there are many arcs. */
void fc_counts_know_arc(FcCounts *counts, guint32 arc);
guint32 fc_counts_add_node(FcCounts *counts, guint32 parent, guint64 site, gint site_module,
                           guint32 function);
gboolean fc_counts_has_room(const FcCounts *counts);
guint32 fc_counts_find_on_path(const FcCounts *counts, guint32 node, guint32 function);

/* Sets `index` in *marks, the apportioned nodes or arcs; the second tells whether it is set. */
void fc_counts_mark(GArray **marks, guint32 index);
static inline gboolean fc_counts_is_marked(const GArray *marks, guint32 index)
{
    return marks != NULL && index < marks->len && g_array_index(marks, guint8, index) != 0;
}

/* Adds several calls; and one. */
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
/* The same for all calls: `which` is the function's `elapsed` or `on_cpu`. */
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
/* Whether all calls of the node were deeper than FC_DEPTH.  Then it has no time, and the
 * overhead of counting them is in the time of the recorded frame around it. */
static inline gboolean fc_counts_is_deep(const FcCounts *counts, guint32 node)
{
    return fc_counts_is_marked(counts->deep_nodes, node) &&
           fc_counts_unrecorded(counts, node) >= counts->nodes[node].calls;
}
/* To be called before calls without a record are added to a node.  `is_deep`: they are deeper
 * than FC_DEPTH.  A node that gets other calls is not deep any more. */
void fc_counts_note_deep(FcCounts *counts, guint32 node, gboolean is_deep);
static inline FcCountsCost fc_counts_cost(const GArray *costs, guint32 index)
{
    const FcCountsCost none = {0};
    return costs && index < costs->len ? g_array_index(costs, FcCountsCost, index) : none;
}

/* The same for waits, which only few of many contexts have. */
void fc_counts_add_wait(GHashTable **waits, guint32 index, FcCountsCost wait);
FcCountsCost fc_counts_wait(GHashTable *waits, guint32 index);

/* That of the function, which is made if need be.  For the result: in ticks, bounded by the time
 * off the CPU, as that was bounded after it was measured. */
FcCountsOff *fc_counts_make_off(FcCounts *counts, guint32 function);
FcProfileOff fc_counts_get_off(const FcCounts *counts, guint32 function);

/* Makes room for the calls of buckets `first` to `last`. */
void fc_counts_make_buckets(FcCountsFunction *function, guint first, guint last);
/* Adds a call to a bucket that has room. */
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

/* Forgets what is known about addresses whose meaning changed at or before `time`.  Returns the
 * time of the next known change; G_MAXUINT64: none. */
guint64 fc_counts_apply_changes(FcCounts *counts, guint64 time);

/* Nothing will be added any more: frees the map of edges, which is the largest. */
void fc_counts_forget_edges(FcCounts *counts);

/* No function, arc or context will be looked up any more: frees all maps. */
void fc_counts_end(FcCounts *counts);
/* All that is known of the functions was moved elsewhere; their numbers stay. */
void fc_counts_drop_functions(FcCounts *counts);

/* Makes room for the sums of all contexts, which moves them. */
void fc_counts_make_sums(FcCounts *counts);
/* Adds the sums to where they belong.  To be called before the counts are read, unless the stack
 * that adds to them was closed. */
void fc_counts_flush_sums(FcCounts *counts);
/* Flushes the sums and frees them. */
void fc_counts_drop_sums(FcCounts *counts);

/* Adds the contexts' calls and local times to the functions. */
void fc_counts_sum_functions(FcCounts *counts);

/* Hashes a callee and the module of its call site, for maps of contexts and arcs. */
static inline guint64 fc_counts_callee_key(gint site_module, guint32 function)
{
    return (guint64)(guint32)site_module << 32 | function;
}

/* For each node the arc that leads to it, or another one of its call site, + 1; 0: there is
 * none, as for nodes that others were folded on.  Arcs that close a recursion lead to none.  The
 * caller frees it with g_free. */
guint32 *fc_counts_arcs_of_nodes(const FcCounts *counts);

/* The node of `into`, the sums of a process, for the path to `node` of `from`, a thread's
 * counts; made if need be.  `cache` (guint32 by node of `from`) belongs to this pair. */
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

/* Marks all calls so far as those of that thread. */
void fc_counts_set_thread(FcCounts *counts, gint64 tid);
/* Part of fc_counts_merge: adds the slowest calls of `from`.  `functions` and `nodes` map its
 * numbers to the new ones. */
void fc_counts_merge_slowest(FcCounts *into, const FcCounts *from, const guint32 *functions,
                             const guint32 *nodes);

/* Adds `from`, whose functions must be summed, to `into`, which has the same modules and is
 * never given to a stack.  The result maps functions of `from` to those of `into`; the caller
 * frees it with g_free. */
guint32 *fc_counts_merge(FcCounts *into, const FcCounts *from);

/* The same where `into` is empty and `from`, which is not needed any more, is already as the sum
 * would be: exchanges the two, so that the numbers of functions stay.  FALSE: it is not, and
 * nothing has changed. */
gboolean fc_counts_take(FcCounts *into, FcCounts *from);
/* Parts of that.  Arcs are compared by their current callers, which may have become known after
 * they were made.  FALSE: two are alike. */
gboolean fc_counts_index_arcs(FcCounts *counts);
/* Enters that context as merged counts have it.  FALSE: there is one like it already. */
gboolean fc_counts_index_merged(FcCounts *counts, guint32 index);

/* A library's constructors may run before the library is announced. */
static inline gint fc_counts_known_module(const FcCounts *counts, gint module, guint64 address,
                                          guint64 time)
{
    return module != FC_NONE ? module : fc_modules_find(counts->modules, address, time);
}
