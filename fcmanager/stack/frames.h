/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frames of one thread's stack: the members of a frame, a stack segment and an FcStack, and
 * opening and closing a frame, which is the inner loop of the manager.  For the files of this
 * folder; all others include stack.h.
 */
#pragma once

#include "fcmanager/base/regions.h"
#include "fcmanager/counts/lanes.h"
#include "fcmanager/counts/trace.h"
#include "fcmanager/estimate/counted.h"
#include "fcmanager/heap/records.h"
#include "fcmanager/stack/wait.h"
#include "libfc/fc-format.h"

/* What a call adds to: the sum, or the three others. */
typedef struct
{
    FcCountsSum *sum; /* set only if there are short records */
    FcCountsFunction *function;
    FcCountsNode *node;
    FcCountsArc *arc;
} FramePlace;

/* Times are ticks.  The first members are in the order of struct StackSiteEdge. */
struct StackFrame
{
    guint64 function;
    guint64 site;
    FramePlace place; /* of that node and arc; valid as in struct StackSiteEdge */
    guint32 node;
    guint32 arc;
    guint64 address;
    guint64 ran_before; /* ticks that it had run when it was last paused */
    guint64 entered;    /* or resumed, whichever was later */
    guint32 made;       /* FRAME_... */
    guint32 away;       /* number of its struct FrameAway; 0: none */
    guint64 callees;    /* ticks in profiled callees that returned or were paused */
    guint64 exit_word;  /* the first word that a short EXIT of this call would have.
                           FRAME_NO_EXIT_WORD is set if the call can't be closed by that shortcut.
                           The bits of the return address are always those of the entry */
};

/* Ticks that are not a frame's work: see off.h.  `paused` is in none of the others, and is
 * subtracted from all times. */
struct StackAway
{
    guint64 off;       /* off the CPU */
    guint64 preempted; /* the part of it that was preemption */
    guint64 paused;
    guint64 unplaced; /* of a thread: the part of `off` that is in no frame's time */
};

/* How a frame was made: by a call of this process, by a call from before a fork, or by a timed
 * call of a counted function: FRAME_SAMPLED + sample index. */
#define FRAME_CALLED 0u
#define FRAME_INHERITED 1u
#define FRAME_SAMPLED 2u

/* No short record begins with this bit. */
#define FRAME_NO_EXIT_WORD 1u

/* The exit word of an entry that was no short record. */
static inline guint64 no_exit_word(guint16 return_bits)
{
    return FRAME_NO_EXIT_WORD | (guint64)return_bits << FC_WHERE_RETURN_SHIFT;
}

static inline guint16 return_bits_of_frame(const struct StackFrame *frame)
{
    return (guint16)(frame->exit_word >> FC_WHERE_RETURN_SHIFT);
}

/* Whether the frame is of a recorded call of this process that was never off the CPU. */
static inline gboolean frame_is_whole_call(const struct StackFrame *frame)
{
    return ((guint64)frame->away << 32 | frame->made) == 0;
}

/* One of several stacks that a thread runs on: segments.h says more. */
struct StackSegment
{
    struct StackFrame *frames; /* [0] stands for the caller and is never closed */
    guint32 top;               /* index of the innermost frame; 0: none is open */
    guint32 room;
    guint64 low; /* addresses [low, low + size) are on it; inferred: the address of frames[1] */
    guint64 size;
    gint caller; /* the segment that called this one; -1: none */
    gboolean in_chain;
    gboolean is_inferred; /* its bounds are not known and its size is 0: see inferred.h */
};

/* The edge of a call: the callee's context, and the arc. */
typedef struct
{
    guint32 node;
    guint32 arc;
} StackEdge;

/* Edges of calls that made short records: edges.h. */
typedef struct
{
    struct StackSiteEdge *places; /* NULL: none yet */
    void *memory;                 /* the memory that they are in */
    guint64 mask;                 /* of an index in bytes */
    guint32 count;                /* a power of two */
    guint32 misses;               /* since it has this size */
    FcCountsNode *nodes; /* where the arrays of the counts were when the entries were made */
    FcCountsArc *arcs;
    FcCountsFunction *functions;
    FcCountsSum *sums;
} StackSiteEdges;

typedef struct FcStack FcStack; /* in stack.h as well, which shows no members */
struct FcStack
{
    /* Members of the current segment, copied here for the hot path: see fc_stack_save_current. */
    struct StackFrame *frames;
    guint32 top;
    guint32 room;
    guint64 low;
    guint64 size;

    struct FcCallSite *sites; /* [0] is none */
    guint32 site_count;       /* the highest number that was given */
    guint64 sites_low;        /* as FC_MSG_CALL_SITES has it */
    StackSiteEdges site_edges;

    FcCounts *counts;
    guint64 multiplier;
    guint64 first;
    guint64 last;
    guint64 next_change; /* time from which on an address may be that of another module */

    struct StackSegment *segments; /* [0]: the thread's own stack */
    gint segment_count;
    gint current;
    GArray *inferred;         /* see inferred.c; NULL: none yet */
    GArray *idle_segments;    /* gint: unused segments; NULL: none yet */
    GHashTable *by_region;    /* start of a region -> segment; NULL: none yet */
    const FcRegions *regions; /* NULL: none */
    FcHeapThread *heap;       /* NULL: memory is not profiled */
    FcTrace *trace;           /* owned; NULL: no records are kept */
    FcCounted *counted;       /* owned; NULL: no calls were counted */
    gboolean is_burst;        /* everything is recorded now: see counted.h */
    guint32 burst_top;        /* index of the frame that began the burst */
    guint32 burst_callees;    /* calls by that frame that would be counted outside of a burst */
    gint burst_segment;       /* the segment of that frame */
    guint64 burst_number;     /* differs for each burst */
    guint64 burst_weight;     /* the weight of its timed call */
    GArray *aways;        /* struct FrameAway, [0] begins the list of free ones; NULL: none yet */
    struct StackAway off; /* of the whole thread */
    FcLanes *lanes;       /* owned: when that was; NULL: time off the CPU was never reported */
    /* About the last FC_RECORD_OFFs in a row while no frame is open: */
    struct StackAway off_outside; /* `off` before them */
    guint64 outside_from;         /* the time of the record before them */
    guint64 outside_to;           /* the time of the last of them; 0: there is none */
    struct StackAway off_pending; /* ticks that had no room before their record: see off.h */
    gboolean is_pending;
    guint64 off_placed;    /* how much of the pending time found room before the next record */
    guint64 off_placed_at; /* the time of that record */
    /* About the last FC_RECORD_OFF, or the last ones in a row of one frame: */
    guint64 off_since;       /* time of the record before them */
    guint64 off_taken;       /* time off the CPU since then, which leaves less room for more */
    guint64 off_time;        /* time of the last of them */
    guint32 off_top;         /* stack->top then */
    gint off_segment;        /* the current segment then */
    guint64 off_base;        /* the difference of the clocks that it reported */
    guint32 waits;           /* how often the thread had waited */
    FcWaits off_seen;        /* whether time off the CPU was ever reported */
    GHashTable *wait_frames; /* GBytes, the frames of these waits, each once; NULL: none */
    GArray *wait_samples;    /* FcStackWait, in order, of waits not yet reported; NULL: none */
    FcRegion native;         /* the bounds of the thread's own stack, as far as they are known */
};

/* Decode the first word of a short record. */
static inline guint32 short_site(guint64 first)
{
    return (guint32)(first >> FC_SHORT_SITE_SHIFT & FC_SITE_NUMBER_MASK);
}

static inline guint64 short_address(const FcStack *stack, guint64 first)
{
    return stack->sites_low + (first >> FC_SHORT_ADDRESS_SHIFT & FC_SHORT_ADDRESS_MASK);
}

static inline guint64 ns_of(guint64 ticks, guint64 multiplier)
{
    return (guint64)(((unsigned __int128)ticks * multiplier) >> 32);
}

/* How many bits the number has: the bits of 2 n + 1, minus one, since that is never 0.  No
 * duration has 64. */
static inline guint bucket_of(guint64 ns)
{
    return 63u ^ (guint)__builtin_clzll(ns << 1 | 1);
}

/* The program gave a call site its number.  0 is no number. */
void fc_stack_learn_site(FcStack *stack, guint32 number, guint64 function, guint64 site);

/* Adds a call or a return of the innermost frame to the trace. */
void fc_stack_trace(FcStack *stack, FcTraceKind kind, guint64 time);
/* Adds the call and return of a call that called nothing.  It began at `time`. */
void fc_stack_trace_leaf(FcStack *stack, guint32 node, guint64 time, guint64 elapsed);

/* The edge of a call by the innermost frame; valid as long as that of fc_counts_make_edge. */
static inline StackEdge edge_from_top(FcStack *stack, guint64 function, guint64 site, guint64 time)
{
    const FcMapSlot *slot =
        fc_counts_edge(stack->counts, stack->frames[stack->top].node, site, function, time);
    return (StackEdge){slot->value, slot->extra};
}

/* Forgets the edges of all call sites: modules came or went. */
void fc_stack_forget_site_edges(FcStack *stack);

static inline FramePlace place_of(const FcCounts *counts, guint32 node, guint32 arc)
{
    FcCountsNode *context = &counts->nodes[node];
    return (FramePlace){.function = &counts->functions[context->function],
                        .node = context,
                        .arc = &counts->arcs[arc]};
}

/* The same as place_of() with the sum, for calls that end by short records.  If another arc owns
 * the context's sum, no call of the function is added to a sum any more. */
FramePlace fc_stack_place(FcStack *stack, guint32 node, guint32 arc);

/* Makes room for more frames, which may be moved. */
void fc_stack_make_room(FcStack *stack);

/* From here on the activations of the function's contexts and arcs are counted, and no call of it
 * is added to a sum.  It has at most one activation now, whose frame is `innermost` or one that
 * called it.  Not to be called if the function is FC_COUNTS_RECURSIVE. */
void fc_stack_count_activations(FcStack *stack, FcCountsFunction *function,
                                const struct StackFrame *innermost);

/* Counts a new activation, which `innermost` called. */
static inline void begin_activation(FcStack *stack, const FramePlace *place,
                                    const struct StackFrame *innermost)
{
    FcCountsFunction *function = place->function;
    if (G_LIKELY(function->active == 0))
    {
        function->active = 1;
        return;
    }
    if (G_UNLIKELY(function->active == 1))
        fc_stack_count_activations(stack, function, innermost);
    function->active++;
    place->node->active++;
    place->arc->active++;
}

/* Fills in a new frame.  The caller sets `address` and `exit_word`. */
static inline void begin_frame(struct StackFrame *frame, StackEdge edge, const FramePlace *place,
                               const struct FcCallSite *callee, guint64 time)
{
    frame->function = callee->function;
    frame->site = callee->site;
    frame->place = *place;
    frame->node = edge.node;
    frame->arc = edge.arc;
    frame->entered = time;
    frame->ran_before = 0;
    frame->callees = 0;
    frame->made = FRAME_CALLED;
    frame->away = 0;
}

/* Opens a frame as the innermost one.  The caller sets its address. */
static inline struct StackFrame *push_frame_at(FcStack *stack, StackEdge edge,
                                               const FramePlace *place,
                                               const struct FcCallSite *callee, guint64 exit_word,
                                               guint64 time)
{
    begin_activation(stack, place, &stack->frames[stack->top]);
    if (G_UNLIKELY(++stack->top == stack->room))
        fc_stack_make_room(stack);
    struct StackFrame *frame = &stack->frames[stack->top];
    begin_frame(frame, edge, place, callee, time);
    frame->exit_word = exit_word;
    if (G_UNLIKELY(stack->trace))
        fc_stack_trace(stack, FC_TRACE_CALL, time);
    return frame;
}

/* The same for a call whose place is not known. */
static inline struct StackFrame *push_frame(FcStack *stack, StackEdge edge,
                                            const struct FcCallSite *callee, guint64 exit_word,
                                            guint64 time)
{
    const FramePlace place = stack->site_edges.places
                                 ? fc_stack_place(stack, edge.node, edge.arc)
                                 : place_of(stack->counts, edge.node, edge.arc);
    return push_frame_at(stack, edge, &place, callee, exit_word, time);
}

/* Adds an ended call to the latencies and the slowest calls, if they are wanted. */
void fc_stack_keep_duration(FcCounts *counts, guint32 node, guint32 arc, guint64 begun,
                            guint64 total, guint64 total_ns);

/* Whether latencies, slowest calls or the records of calls are wanted. */
static inline gboolean keeps_calls(const FcStack *stack)
{
    return stack->counts->latency_room.limit != 0 || stack->counts->slowest_most != 0 ||
           stack->trace;
}

/* A call ended. */
struct EndedCall
{
    guint32 node;
    guint32 arc;
    guint64 begun;
    guint64 total;
};

static inline void add_duration(FcCounts *counts, FcCountsFunction *function,
                                const struct EndedCall *call, guint64 multiplier)
{
    const guint64 total_ns = ns_of(call->total, multiplier);
    (*fc_counts_bucket(function, bucket_of(total_ns)))++;
    if (counts->arc_latencies || counts->slowest)
        fc_stack_keep_duration(counts, call->node, call->arc, call->begun, call->total, total_ns);
}

/* Adds a call that was never off the CPU to the function's bounds and histogram. */
static inline void add_activation(FcCounts *counts, FcCountsFunction *function,
                                  const struct EndedCall *call, guint64 local, guint64 multiplier)
{
    FcCountsBounds *bounds = &function->bounds;
    const guint64 total = call->total;
    if (G_UNLIKELY(total < bounds->total_min || total > bounds->total_max ||
                   local < bounds->local_min || local > bounds->local_max))
        fc_counts_bound_call(bounds, total, local);
    add_duration(counts, function, call, multiplier);
}

/* Subtracts the pauses from a frame's elapsed time and returns the result.  Passes the time off the
 * CPU on to the caller's frame.  To be called while the frame is still active. */
guint64 fc_stack_stop_away(FcStack *stack, struct StackFrame *frame, struct StackFrame *caller,
                           guint64 elapsed);
/* The end of pop_frame() for a frame that was off the CPU. */
void fc_stack_end_away(FcStack *stack, struct StackFrame *frame, guint64 total, guint64 local);

/* Ends an activation, and adds its time to the totals of the function, context and arc that have no
 * other activation on the stack. */
static inline void stop_place(const FramePlace *place, guint64 elapsed)
{
    FcCountsFunction *function = place->function;
    if (G_LIKELY(function->active == 1))
    {
        function->active = 0;
        place->node->total += elapsed;
        place->arc->total += elapsed;
        function->total += elapsed;
        return;
    }
    if (--place->node->active == 0)
        place->node->total += elapsed;
    if (--place->arc->active == 0)
        place->arc->total += elapsed;
    if (--function->active == FC_COUNTS_RECURSIVE)
        function->total += elapsed;
}

/* Stops `frame`'s clock at `time`: adds the elapsed time to the totals of its context, arc and
 * function, if no other activation of them is on the stack, and to the caller's callees.
 * Returns the elapsed time. */
static inline guint64 stop_clock(FcStack *stack, struct StackFrame *frame,
                                 struct StackFrame *caller, guint64 time)
{
    const FramePlace place = place_of(stack->counts, frame->node, frame->arc);
    guint64 elapsed = time - frame->entered;
    if (G_UNLIKELY(frame->away != 0))
        elapsed = fc_stack_stop_away(stack, frame, caller, elapsed);
    caller->callees += elapsed;
    stop_place(&place, elapsed);
    return elapsed;
}

static inline FcCountsFunction *function_of(const FcStack *stack, const struct StackFrame *frame)
{
    return &stack->counts->functions[stack->counts->nodes[frame->node].function];
}

/* The frame that called the outermost one of the current segment. */
static inline struct StackFrame *caller_of_segment(FcStack *stack)
{
    gint caller = stack->segments[stack->current].caller;
    if (caller < 0)
        return &stack->frames[0];
    return &stack->segments[caller].frames[stack->segments[caller].top];
}

static inline FcCounted *stack_counted(FcStack *stack)
{
    if (!stack->counted)
        stack->counted = fc_counted_new(stack->counts);
    return stack->counted;
}

/* The frame of a timed call was closed.  Adds its times to the sample. */
void fc_stack_end_sample(FcStack *stack, guint32 sample, guint64 total, guint64 local);

static inline struct StackFrame *caller_of_top(FcStack *stack)
{
    return G_LIKELY(stack->top > 1) ? &stack->frames[stack->top - 1] : caller_of_segment(stack);
}

/* Closes the innermost frame, whatever kind it is: the slow part of pop_frame(). */
void fc_stack_pop_other(FcStack *stack, guint64 time);

/* Adds the times of the innermost frame, for which frame_is_whole_call() holds, when it returns to
 * `caller`.  The caller removes the frame. */
__attribute__((always_inline)) static inline void end_call(FcStack *stack,
                                                           const struct StackFrame *frame,
                                                           const FramePlace *place,
                                                           struct StackFrame *caller, guint64 time)
{
    /* as stop_clock() */
    const guint64 elapsed = time - frame->entered;
    const guint64 total = frame->ran_before + elapsed;
    const guint64 local = total - frame->callees;
    const struct EndedCall call = {frame->node, frame->arc, frame->entered, total};
    caller->callees += elapsed;
    stop_place(place, elapsed);
    place->node->local += local;
    add_activation(stack->counts, place->function, &call, local, stack->multiplier);
}

static inline void pop_frame(FcStack *stack, guint64 time)
{
    const struct StackFrame *frame = &stack->frames[stack->top];
    if (G_UNLIKELY(!frame_is_whole_call(frame) || stack->trace))
    {
        fc_stack_pop_other(stack, time);
        return;
    }
    const FramePlace place = place_of(stack->counts, frame->node, frame->arc);
    end_call(stack, frame, &place, caller_of_top(stack), time);
    stack->top--;
}

/* Adds the count and times of a call that called nothing.  `innermost` is the frame of the
 * current segment. */
static inline void add_leaf_times(FcStack *stack, const FramePlace *place,
                                  const struct StackFrame *innermost, guint64 elapsed)
{
    FcCountsFunction *function = place->function;
    place->node->calls++;
    place->node->local += elapsed;
    place->arc->calls++;
    if (fc_counts_activations(function) == 0)
    {
        place->node->total += elapsed;
        place->arc->total += elapsed;
        function->total += elapsed;
        return;
    }
    if (G_UNLIKELY(function->active == 1))
        fc_stack_count_activations(stack, function, innermost);
    if (place->node->active == 0)
        place->node->total += elapsed;
    if (place->arc->active == 0)
        place->arc->total += elapsed;
}

/* What begin_frame(), counting a call, and end_call() do, for a call that called nothing. */
static inline void add_leaf_call(FcStack *stack, StackEdge edge, const FramePlace *place,
                                 guint64 begun, guint64 elapsed)
{
    const struct EndedCall call = {edge.node, edge.arc, begun, elapsed};
    struct StackFrame *innermost = &stack->frames[stack->top];
    struct StackFrame *caller = G_LIKELY(stack->top > 0) ? innermost : caller_of_segment(stack);
    caller->callees += elapsed;
    add_leaf_times(stack, place, innermost, elapsed);
    if (stack->trace)
        fc_stack_trace_leaf(stack, edge.node, begun, elapsed);
    add_activation(stack->counts, place->function, &call, elapsed, stack->multiplier);
}
