/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From one stack of a thread to another: see segments.h.
 */
#include "fcmanager/stack/segments.h"

#include "fcmanager/stack/inferred.h"
#include "libfc/fc-format.h"

/* A function's frame is taken to be no larger than this. */
#define NATIVE_STEP 0x40000

gint fc_stack_add_segment(FcStack *stack, guint64 low, guint64 size, guint32 frames)
{
    stack->segments = g_renew(struct StackSegment, stack->segments, stack->segment_count + 1);
    struct StackSegment *segment = &stack->segments[stack->segment_count];
    *segment =
        (struct StackSegment){.low = low, .size = size, .room = MAX(frames, 16), .caller = -1};
    segment->frames = g_new(struct StackFrame, segment->room);
    segment->frames[0] =
        (struct StackFrame){.address = G_MAXUINT64, .exit_word = FRAME_NO_EXIT_WORD};
    return stack->segment_count++;
}

void fc_stack_load_current(FcStack *stack, gint index)
{
    const struct StackSegment *segment = &stack->segments[index];
    stack->current = index;
    stack->frames = segment->frames;
    stack->top = segment->top;
    stack->room = segment->room;
    stack->low = segment->low;
    stack->size = segment->size;
}

void fc_stack_save_current(FcStack *stack)
{
    struct StackSegment *segment = &stack->segments[stack->current];
    segment->frames = stack->frames;
    segment->top = stack->top;
    segment->room = stack->room;
}

/* The hot path checks with one comparison whether an address is on the current segment.  If
 * announced stacks are within the thread's own, size 0 sends it to fc_stack_find_segment each
 * time. */
void fc_stack_update_bounds(FcStack *stack)
{
    gboolean mixed = stack->regions != NULL &&
                     fc_regions_overlap(stack->regions, stack->native.start, stack->native.end);
    stack->segments[0].low = stack->native.start + 1;
    stack->segments[0].size = mixed ? 0 : stack->native.end - stack->native.start;
    if (stack->current == 0)
    {
        stack->low = stack->segments[0].low;
        stack->size = stack->segments[0].size;
    }
}

/* ---- Switching -------------------------------------------------------------------- */

void fc_stack_pause_current(FcStack *stack, guint64 time)
{
    for (guint32 i = stack->top; i > 0; i--)
    {
        struct StackFrame *frame = &stack->frames[i];
        struct StackFrame *caller = i > 1 ? frame - 1 : caller_of_segment(stack);
        frame->ran_before += stop_clock(stack, frame, caller, time);
    }
    fc_stack_save_current(stack);
    struct StackSegment *segment = &stack->segments[stack->current];
    segment->in_chain = FALSE;
    fc_stack_load_current(stack, segment->caller);
}

/* Starts the clocks of the current segment's frames again. */
static void resume_current(FcStack *stack, guint64 time)
{
    for (guint32 i = 1; i <= stack->top; i++)
    {
        struct StackFrame *frame = &stack->frames[i];
        const FramePlace place = place_of(stack->counts, frame->node, frame->arc);
        frame->entered = time;
        begin_activation(stack, &place, frame - 1);
    }
}

void fc_stack_switch_to(FcStack *stack, gint index, guint64 time)
{
    if (stack->segments[index].in_chain)
    {
        while (stack->current != index)
            fc_stack_pause_current(stack, time);
        return;
    }
    fc_stack_save_current(stack);
    guint32 node = stack->frames[stack->top].node;
    stack->segments[index].caller = stack->current;
    stack->segments[index].in_chain = TRUE;
    fc_stack_load_current(stack, index);
    if (stack->top == 0)
        stack->frames[0].node = node;
    resume_current(stack, time);
}

/* A segment without frames for the addresses [low, low + size): an idle one, or a new one. */
static gint take_segment(FcStack *stack, guint64 low, guint64 size)
{
    guint idle = stack->idle_segments ? stack->idle_segments->len : 0;
    if (idle == 0)
        return fc_stack_add_segment(stack, low, size, 0);
    gint index = g_array_index(stack->idle_segments, gint, idle - 1);
    g_array_set_size(stack->idle_segments, idle - 1);
    stack->segments[index].low = low;
    stack->segments[index].size = size;
    return index;
}

static gint segment_of_region(FcStack *stack, const FcRegion *region)
{
    if (!stack->by_region)
        stack->by_region = g_hash_table_new(g_direct_hash, g_direct_equal);
    gpointer key = GSIZE_TO_POINTER(region->start);
    gint index = GPOINTER_TO_INT(g_hash_table_lookup(stack->by_region, key));
    if (index > 0 && stack->segments[index].size == region->end - region->start)
        return index;
    index = take_segment(stack, region->start + 1, region->end - region->start);
    stack->segments[index].is_inferred = FALSE;
    g_hash_table_replace(stack->by_region, key, GINT_TO_POINTER(index));
    return index;
}

/* A segment for a new stack in memory that was not announced. */
static gint new_inferred(FcStack *stack, guint64 address)
{
    gint index = take_segment(stack, 0, 0);
    stack->segments[index].is_inferred = TRUE;
    fc_stack_add_inferred(stack, address, index);
    return index;
}

/* The segment of an address in memory that was not announced, as when a coroutine library switches
 * by itself. */
static gint segment_of_unknown(FcStack *stack, guint64 address, guint64 kind, guint64 function)
{
    gint index = fc_stack_find_inferred(stack, address, kind, function);
    if (index < 0)
        index = kind == FC_RECORD_ENTER ? new_inferred(stack, address) : stack->current;
    return index;
}

/* Makes the current segment idle if it has no frames, so that another stack can use it.  A program
 * may make any number of coroutines one after the other. */
static void leave_empty(FcStack *stack, guint64 time)
{
    gint index = stack->current;
    if (index == 0 || stack->top > 0)
        return;
    fc_stack_pause_current(stack, time);
    const struct StackSegment *segment = &stack->segments[index];
    gpointer key = GSIZE_TO_POINTER(segment->low - 1);
    if (segment->is_inferred)
        fc_stack_drop_inferred(stack, index);
    else if (GPOINTER_TO_INT(g_hash_table_lookup(stack->by_region, key)) == index)
        g_hash_table_remove(stack->by_region, key);
    if (!stack->idle_segments)
        stack->idle_segments = g_array_new(FALSE, FALSE, sizeof(gint));
    g_array_append_val(stack->idle_segments, index);
}

/* If the program chose the size of a thread's stack, its bounds are a guess.  An address closely
 * below its lower end and the innermost frame is still on it: then this extends the bounds. */
static gboolean extend_native(FcStack *stack, guint64 address)
{
    guint64 start = stack->native.start;
    if (stack->current != 0 || stack->top == 0 || address > start ||
        start - address >= NATIVE_STEP ||
        stack->frames[stack->top].address - address >= NATIVE_STEP)
        return FALSE;
    stack->native.start = start > 2 * NATIVE_STEP ? start - 2 * NATIVE_STEP : 0;
    fc_stack_update_bounds(stack);
    return TRUE;
}

/* The outermost frame's address may be the very end of the memory, so the bounds [start, end) are
 * tested as (start, end]. */
void fc_stack_find_segment(FcStack *stack, guint64 address, guint64 kind, guint64 function,
                           guint64 time)
{
    FcRegion region;
    gint index;
    leave_empty(stack, time);
    if (stack->regions && fc_regions_find(stack->regions, address - 1, &region))
        index = segment_of_region(stack, &region);
    else if (address - 1 - stack->native.start < stack->native.end - stack->native.start)
        index = 0;
    else if (extend_native(stack, address))
        index = 0;
    else
        index = segment_of_unknown(stack, address, kind, function);
    if (index != stack->current)
        fc_stack_switch_to(stack, index, time);
}
