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

/* The default of FC_CONTEXTS.  When the session or one thread has so many contexts, all calls that
 * would need a new one are added to one node for each function.  With this number the manager
 * stays below 64 MiB, unless more than sixteen threads have many contexts each, or more than eight
 * threads that count calls (sixteen take 53 to 63 MiB). */
#define FC_CONTEXTS_DEFAULT 100000u

/* The times of the shortest and of the longest call. */
typedef struct
{
    guint64 total_min; /* G_MAXUINT64: there was no call; likewise for local_min */
    guint64 local_min;
    guint64 total_max;
    guint64 local_max;
} FcCountsBounds;
#define FC_COUNTS_NO_BOUNDS ((FcCountsBounds){G_MAXUINT64, G_MAXUINT64, 0, 0})

/* The size of a cache line. */
#define FC_COUNTS_LINE 64u
/* The first address in `memory` where a cache line begins.  `memory` needs FC_COUNTS_LINE bytes
 * more for that. */
static inline void *fc_counts_align(void *memory)
{
    return (void *)(((guintptr)memory + FC_COUNTS_LINE - 1) & ~(guintptr)(FC_COUNTS_LINE - 1));
}

/* A flag of a function that had several activations at a time, or of which a context was entered
 * by several arcs.  From then on the open activations of its contexts and arcs are counted as well
 * as the function's own, and its calls are added to no FcCountsSum. */
#define FC_COUNTS_RECURSIVE (1u << 31)

/* Buckets of durations in ns, by their number of bits.  There is one for each possible number, so
 * that no call has to check. */
#define FC_COUNTS_BUCKETS FC_HISTOGRAM_BUCKETS_MOST

typedef struct
{
    /* What each call reads comes first: 48 bytes, since memory from the system begins 16 bytes
       after the start of a cache line. */
    guint32 active; /* activations on the stack now: 0, 1, or their number | FC_COUNTS_RECURSIVE */
    gint module;    /* index in the process's list or FC_NONE */
    guint64 quick_total;   /* a call of at most this does not change bounds.total_max: short.c */
    guint64 quick_local;   /* a call of at most this local time does not change bounds.local_max */
    guintptr buckets;      /* address of bucket 0 in `histogram`, even if that has no room for it */
    FcCountsBounds bounds; /* of the calls that were never off the CPU */
    guint64 total;
    guint64 address;
    guint64 seen;  /* time of its first call */
    guint64 calls; /* calls and local are sums over the contexts, see fc_counts_sum_functions */
    guint64 local;
    FcCountsBounds elapsed; /* of the other calls, without preemption */
    FcCountsBounds on_cpu;  /* of the other calls, without preemption and waits */
    FcHistogram histogram;
    /* Of a function whose calls were counted, see counted-attribute.h: */
    guint64 counted;            /* calls that made no record of their own */
    guint64 timed;              /* those of the counted calls that were timed, at random */
    gboolean is_after_inlining; /* the function was instrumented after inlining */
    gboolean is_uncounted;      /* nothing counts its calls: only samples show it */
    double local_variance;      /* of the estimate in `local`, in ticks squared */
    double total_variance;      /* of the estimate in `total` */
    guint64 wait_total;         /* the part of `total` off the CPU */
    guint64 wait_local;         /* the part of `local` off the CPU: a sum over the contexts */
    guint64 cost_total;         /* overhead that was subtracted from `total`: see overhead.h */
    guint64 cost_local;         /* overhead that was subtracted from `local` */
} FcCountsFunction;
G_STATIC_ASSERT(sizeof(FcCountsFunction) % FC_COUNTS_LINE == 0);

typedef struct
{
    guint32 caller; /* function + 1; 0: none */
    guint32 callee;
    gint site_module;
    guint32 active; /* activations on the stack, if the function is FC_COUNTS_RECURSIVE */
    guint64 site;
    guint64 calls;
    guint64 total;
} FcCountsArc;

/* A context.  Node 0 is the root and belongs to no function. */
typedef struct
{
    guint32 parent; /* less than the node's own index */
    guint32 function;
    gint site_module;
    guint32 active; /* as in arcs */
    guint64 site;   /* FC_FOLDED_SITE: takes all calls of the function for lack of contexts */
    guint64 calls;
    guint64 total;
    guint64 local;
} FcCountsNode;

/* The sum of calls that were not added yet to their context, their function and the arc that owns
 * the sum; fc_counts_flush_sums adds them.  No call within another call of the same function is in
 * a sum. */
typedef struct
{
    guint64 calls;
    guint64 total; /* of calls that had a frame */
    guint64 leaf;  /* total and local of calls that had none, since they made no others */
    guint64 local; /* of calls that had a frame */
} FcCountsSum;

/* The overhead that was in the times of a context or an arc, or the part of these off the CPU. */
typedef struct
{
    guint64 total;
    guint64 local;
} FcCountsCost;

/* The parts of a function's own time off the CPU: ticks of preemption, and ns of each kind of
 * wait, estimated from samples. */
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
    guint64 jumps;           /* frames closed because a function outside of them made a call */
    guint64 missed_exits;    /* frames closed because a function outside of them returned */
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
    guint64 samples;           /* samples of the thread that corrected its times; 0: none */
    guint64 executed;          /* samples of its program counter that its times are from; 0: none */
    guint64 executed_by_timer; /* those of them that timers of the threads took */
    gint64 unsampled_ns;       /* ns on the CPU beside these samples, in the kernel: FcPcSamples */
    FcCountsSum *sums;         /* by node, for the first `sums_room`; NULL: none */
    guint32 *owners;           /* the arc that owns each sum, + 1; 0: none yet */
    void *sums_memory;         /* the allocation that `sums` is in */
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
        *apportioned_nodes; /* guint8: 1 if its calls are apportioned; NULL or beyond the end: 0, */
    GArray *apportioned_arcs;   /* likewise; and so in all these arrays */
    GArray *counted_functions;  /* guint8: FcCountsCounted */
    FcMap known_arcs;           /* see fc_counts_know_arc; no slots: not in use */
    GArray *unrecorded;         /* guint64 by node: calls that made no record */
    GArray *deep_nodes;         /* guint8: 1 if calls were deeper than FC_DEPTH */
    GArray *node_costs;         /* FcCountsCost */
    GArray *arc_costs;          /* FcCountsCost, without local */
    GHashTable *node_waits;     /* FcCountsCost by node; NULL: none */
    GHashTable *arc_waits;      /* FcCountsCost by arc, without local; NULL: none */
    GHashTable *offs;           /* FcCountsOff by function; NULL: none */
    GHashTable *wait_sites;     /* of wait-sites.h; NULL: none */
    FcLatencies *arc_latencies; /* by arc; NULL: not wanted, or no arc yet */
    guint32 arc_latencies_room;
    FcLatencyRoom latency_room; /* the limit of all of them together */
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

/* The slot of the edge from context `node` by call site `site` to the function at `address`.  Its
 * value is the child context, its extra the arc.  Makes the edge, context, arc and function if they
 * are missing.  The slot, and pointers into the arrays of the counts, are valid until the next
 * call. */
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

/* These are parts of fc_counts_make_edge.  The index of the function, which is made if it is
 * missing; `seen`: the time of its first call. */
guint32 fc_counts_get_function(FcCounts *counts, guint64 address, gint module, guint64 seen);
/* The index of the arc, which is made if it is missing.  `caller`: function + 1; 0: none. */
guint32 fc_counts_get_arc(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                          guint32 callee);
/* The index of the arc of a call while `caller` has the innermost frame.  Another function may
 * have made the call, one that is counted and has no frame; then the arc may be that one's. */
guint32 fc_counts_arc_from_frame(FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                                 guint32 callee);
/* The index of the arc + 1; 0: there is none. */
guint32 fc_counts_find_arc(const FcCounts *counts, guint32 caller, guint64 site, gint site_module,
                           guint32 callee);
/* Notes that the arc's caller certainly made a call by it, for fc_counts_arc_from_frame.  Called
 * only if there are many arcs. */
void fc_counts_know_arc(FcCounts *counts, guint32 arc);
/* Adds a context, even if fc_counts_has_room is FALSE.  Returns its index. */
guint32 fc_counts_add_node(FcCounts *counts, guint32 parent, guint64 site, gint site_module,
                           guint32 function);
/* Whether neither the contexts nor the memory are at a limit. */
gboolean fc_counts_has_room(const FcCounts *counts);
/* The context of `function` among `node` and those around it; 0: none. */
guint32 fc_counts_find_on_path(const FcCounts *counts, guint32 node, guint32 function);

/* Sets element `index` of *marks, an array of guint8, to 1; the array is made if it is NULL. */
void fc_counts_mark(GArray **marks, guint32 index);
static inline gboolean fc_counts_is_marked(const GArray *marks, guint32 index)
{
    return marks != NULL && index < marks->len && g_array_index(marks, guint8, index) != 0;
}

/* Widens `bounds` by those of other calls; the second, by one call. */
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
/* The bounds of all calls of the function; `which` is its `elapsed` or `on_cpu`. */
static inline FcCountsBounds fc_counts_bounds(const FcCountsFunction *function,
                                              const FcCountsBounds *which)
{
    FcCountsBounds bounds = function->bounds;
    fc_counts_bound(&bounds, which);
    return bounds;
}

/* Adds calls without a record to a node. */
void fc_counts_add_unrecorded(GArray **unrecorded, guint32 node, guint64 calls);
static inline guint64 fc_counts_unrecorded(const FcCounts *counts, guint32 node)
{
    const GArray *unrecorded = counts->unrecorded;
    return unrecorded && node < unrecorded->len ? g_array_index(unrecorded, guint64, node) : 0;
}
/* Whether all calls of the node were deeper than FC_DEPTH.  Then the node has no time, and the
 * overhead of counting its calls is in the time of the recorded frame around them. */
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

/* Adds to the wait of a node or an arc, in a table since few of them have one; returns it. */
void fc_counts_add_wait(GHashTable **waits, guint32 index, FcCountsCost wait);
FcCountsCost fc_counts_wait(GHashTable *waits, guint32 index);

/* The parts off the CPU of a function, made if they are missing.  They belong to `counts`.  The
 * second returns them for the profile, NULL if there are none; the caller frees them.  preempted_ns
 * is in ticks, and at most the function's time off the CPU. */
FcCountsOff *fc_counts_make_off(FcCounts *counts, guint32 function);
FcProfileOff *fc_counts_get_off(const FcCounts *counts, guint32 function);

/* Makes room for buckets `first` to `last`. */
void fc_counts_make_buckets(FcCountsFunction *function, guint first, guint last);
/* The number of calls in a bucket that has room; the second makes room. */
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
/* Whether the function that is at `address` at `time` is on the stack. */
gboolean fc_counts_is_active(const FcCounts *counts, guint64 address, guint64 time);

/* Drops the edges of addresses whose module changed at or before `time`.  Returns the time of the
 * next known change; G_MAXUINT64: none. */
guint64 fc_counts_apply_changes(FcCounts *counts, guint64 time);

/* Frees the map of edges, which is the largest.  To be called when no record comes any more. */
void fc_counts_forget_edges(FcCounts *counts);

/* Frees all maps.  To be called when no function, arc or context will be looked up any more. */
void fc_counts_end(FcCounts *counts);
/* Frees the array of functions, whose data were moved elsewhere.  Their numbers stay valid. */
void fc_counts_drop_functions(FcCounts *counts);

/* Makes room for the sums of all contexts.  This moves the sums. */
void fc_counts_make_sums(FcCounts *counts);
/* Adds the sums to their contexts, functions and arcs.  To be called before the counts are read,
 * unless the stack that adds to them was closed. */
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

/* For each node the arc + 1 that leads to it, or another arc of the same call site and callee.  0:
 * there is none, as for a node of FC_FOLDED_SITE.  An arc that closes a recursion leads to no node.
 * The caller frees the array with g_free. */
guint32 *fc_counts_arcs_of_nodes(const FcCounts *counts);

/* The node of `into`, the sums of a process, that has the same path as `node` of `from`, a thread's
 * counts; made if it is missing.  `cache` (guint32) stays the caller's.  It is empty at the first
 * call and used for these two counts only. */
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

/* Sets the thread of all slowest calls so far. */
void fc_counts_set_thread(FcCounts *counts, gint64 tid);
/* Part of fc_counts_merge: adds the slowest calls of `from`.  `functions` and `nodes` map its
 * numbers to the new ones. */
void fc_counts_merge_slowest(FcCounts *into, const FcCounts *from, const guint32 *functions,
                             const guint32 *nodes);

/* Adds `from` to `into`.  Both have the same modules, fc_counts_sum_functions was called for
 * `from`, and no stack adds to `into`.  The result maps functions of `from` to those of `into`; the
 * caller frees it with g_free. */
guint32 *fc_counts_merge(FcCounts *into, const FcCounts *from);

/* The same by exchanging the two, so that the numbers of functions stay.  FALSE: `into` is not
 * empty, or `from` is not exactly what the sum would be; then fc_counts_merge must be used. */
gboolean fc_counts_take(FcCounts *into, FcCounts *from);
/* Parts of fc_counts_take.  Builds the map of arcs anew, since callers may have changed after an
 * arc was made.  FALSE: two arcs are alike. */
gboolean fc_counts_index_arcs(FcCounts *counts);
/* Enters a context into the maps of merged counts.  FALSE: there is one like it already. */
gboolean fc_counts_index_merged(FcCounts *counts, guint32 index);

/* The module, looked up again if it was not known: a library's constructors may run before the
 * library is announced. */
static inline gint fc_counts_known_module(const FcCounts *counts, gint module, guint64 address,
                                          guint64 time)
{
    return module != FC_NONE ? module : fc_modules_find(counts->modules, address, time);
}
