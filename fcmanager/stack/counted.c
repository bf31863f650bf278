/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records of functions whose calls are counted: see counted.h.
 */
#include "fcmanager/stack/counted.h"

#include "fcmanager/stack/off.h"
#include "fcmanager/stack/segments.h"

/* ---- The beginning ------------------------------------------------------------------- */

/* Takes frame `index` of `frames`, of which `top` is the innermost, out of the stack.  The time
 * from here on is that of `caller`. */
static void take_out(FcStack *stack, struct StackFrame *frames, guint32 index, guint32 top,
                     struct StackFrame *caller, guint64 time)
{
    struct StackFrame *frame = &frames[index];
    guint64 stopped = index < top ? MIN(frames[index + 1].entered, time) : time;
    stopped = MAX(stopped, frame->entered);
    guint64 total = frame->ran_before + stop_clock(stack, frame, caller, stopped);
    stack->counts->nodes[frame->node].local += total - MIN(frame->callees, total);
    fc_stack_drop_away(stack, frame);
    for (guint32 i = index; i < top; i++)
        frames[i] = frames[i + 1];
}

/* Takes the frames of `function` out of a segment.  `*keep`: the next one is the outermost, which
 * stays.  `outer`: the caller of the segment's outermost frame; NULL: that one must stay, since the
 * segment is found by its address. */
static void take_out_all(FcStack *stack, struct StackSegment *segment, struct StackFrame *outer,
                         guint32 function, gboolean *keep, guint64 time)
{
    struct StackFrame *frames = segment->frames;
    for (guint32 i = 1; i <= segment->top;)
    {
        gboolean is_one = stack->counts->nodes[frames[i].node].function == function;
        struct StackFrame *caller = i > 1 ? &frames[i - 1] : outer;
        if (is_one && !*keep && caller)
        {
            take_out(stack, frames, i, segment->top, caller, time);
            segment->top--;
            continue;
        }
        *keep = *keep && !is_one;
        i++;
    }
}

/* Takes the frames of `function` out of segment `index` and those that called it, outermost
 * first. */
static void take_out_of_chain(FcStack *stack, gint index, guint32 function, gboolean *keep,
                              guint64 time)
{
    struct StackSegment *segment = &stack->segments[index];
    struct StackFrame *outer = NULL;
    if (segment->caller >= 0)
    {
        struct StackSegment *caller = &stack->segments[segment->caller];
        /* the caller's innermost frame ran until the outermost one here began */
        const guint64 until = segment->top > 0 ? MIN(segment->frames[1].entered, time) : time;
        take_out_of_chain(stack, segment->caller, function, keep, until);
        outer = segment->is_inferred ? NULL : &caller->frames[caller->top];
    }
    take_out_all(stack, segment, outer, function, keep, time);
}

void fc_stack_begin_counting(FcStack *stack, guint64 address, guint64 time, gboolean nested)
{
    gint module = fc_modules_find(stack->counts->modules, address, time);
    guint32 function = fc_counts_get_function(stack->counts, address, module, time);
    gboolean keep = TRUE;
    fc_counted_begin_function(stack_counted(stack), function, nested);
    if (fc_counts_activations(&stack->counts->functions[function]) < 2)
        return;
    fc_stack_save_current(stack);
    take_out_of_chain(stack, stack->current, function, &keep, time);
    fc_stack_load_current(stack, stack->current);
}

/* ---- Samples ----------------------------------------------------------------------------- */

struct StackFrame *fc_stack_begin_sample(FcStack *stack, const struct FcCallSite *callee,
                                         guint64 exit_word, guint64 time, guint64 weight)
{
    FcCounted *counted = stack_counted(stack);
    fc_counted_begin(counted);
    guint32 parent = stack->frames[stack->top].node;
    const StackEdge edge = edge_from_top(stack, callee->function, callee->site, time);
    struct StackFrame *frame = push_frame(stack, edge, callee, exit_word, time);
    frame->made = FRAME_SAMPLED + fc_counted_met(counted, parent, frame->arc, weight);
    stack->burst_weight = weight;
    stack->burst_segment = stack->current;
    stack->burst_number++;
    stack->is_burst = TRUE;
    stack->burst_top = stack->top;
    stack->burst_callees = 0;
    return frame;
}

/* A timed call with a longer local time was preempted or did something rare.  libfc counts
 * functions whose calls take less than 400 ns on average, so at most 0.4% of them can take so long
 * (Markov's inequality), and most of those that do were preempted. */
#define SAMPLE_MOST_NS 100000u

static guint64 most_ticks(const FcStack *stack)
{
    const guint64 multiplier = MAX(stack->multiplier, 1);
    return (guint64)(((unsigned __int128)SAMPLE_MOST_NS << 32) / multiplier);
}

/* Whether the call of the innermost frame would make no record outside of a burst. */
static gboolean is_else_counted(const FcStack *stack)
{
    const FcCounts *counts = stack->counts;
    const guint32 function = counts->nodes[stack->frames[stack->top].node].function;
    return fc_counted_is_counted(stack->counted, function) ||
           (fc_counts_is_marked(counts->counted_functions, function) &&
            fc_counts_activations(&counts->functions[function]) > 1);
}

void fc_stack_enter_in_burst(FcStack *stack)
{
    fc_counted_sure(stack->counted, stack->frames[stack->top].arc);
    if (stack->current == stack->burst_segment && stack->top == stack->burst_top + 1)
        stack->burst_callees += is_else_counted(stack);
}

void fc_stack_leave_in_burst(FcStack *stack)
{
    const struct StackFrame *frame = &stack->frames[stack->top + 1]; /* the one just closed */
    if (stack->is_burst && stack->current == stack->burst_segment &&
        stack->top >= stack->burst_top && frame->made == FRAME_CALLED)
        fc_counted_watched(stack->counted, frame->arc, stack->burst_number);
}

static void add_sample(FcStack *stack, guint32 sample, guint64 total, guint64 local,
                       gboolean is_cut)
{
    const FcCountedTime time = {stack->burst_weight, stack->burst_callees, local, total, is_cut};
    fc_counted_timed(stack->counted, sample, &time, most_ticks(stack));
}

void fc_stack_end_sample(FcStack *stack, guint32 sample, guint64 total, guint64 local)
{
    add_sample(stack, sample, total, local, FALSE);
    stack->is_burst = FALSE;
}

void fc_stack_cut_burst(FcStack *stack)
{
    if (!stack->is_burst)
        return;
    stack->is_burst = FALSE;
    if (stack->burst_top > stack->top)
        return;
    struct StackFrame *frame = &stack->frames[stack->burst_top];
    if (frame->made < FRAME_SAMPLED)
        return;
    /* From now on the frame's local time may contain calls without a record. */
    guint64 until = stack->burst_top < stack->top ? frame[1].entered : stack->last;
    guint64 total = frame->ran_before + until - MIN(frame->entered, until);
    total -= MIN(fc_stack_off_of(stack, frame), total);
    add_sample(stack, frame->made - FRAME_SAMPLED, total, total - MIN(frame->callees, total), TRUE);
    frame->made = FRAME_CALLED;
}

void fc_stack_count_call(FcStack *stack, const FcStackCall *call)
{
    FcCounts *counts = stack->counts;
    FcCounted *counted = stack_counted(stack);
    const guint64 site = call->site;
    guint32 parent = stack->frames[stack->top].node;
    const guint32 caller = parent != 0 ? counts->nodes[parent].function + 1 : 0;
    const guint32 pair = fc_counted_find(counted, site, call->function, call->time);
    const guint32 function = fc_counted_add(counted, pair, call->calls, call->deep);
    const gint site_module = g_array_index(counted->pairs, FcCountedPair, pair).site_module;
    fc_counted_met(counted, parent,
                   fc_counts_arc_from_frame(counts, caller, site, site_module, function),
                   call->weight);
}
