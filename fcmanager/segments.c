/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stacks that one thread runs on; and all that concerns them whole: making, closing,
 * handing over at a fork.  Not the hot path.
 *
 * A thread may run on more than one stack: coroutines, signal handlers.  Each has its
 * own open frames here (a segment), found by the address in the record.  The segments
 * in use form a chain, each one's outermost frame called by the innermost of
 * the one before, as a handler is by what it interrupts and a coroutine by what
 * resumed it.  Going back to a segment of the chain pauses those behind it:
 * their frames stay open, but no time passes for them until they are resumed.
 */
#include "fcmanager/stack-internal.h"

/* No function's frame is larger, as far as that can be told. */
#define NATIVE_STEP 0x40000

static gint add_segment(FcStack *stack, guint64 low, guint64 size, guint32 frames)
{
    stack->segments = g_renew(struct Segment, stack->segments, stack->segment_count + 1);
    struct Segment *segment = &stack->segments[stack->segment_count];
    *segment = (struct Segment){.low = low, .size = size, .room = MAX(frames, 16), .before = -1};
    segment->frames = g_new(struct Frame, segment->room);
    segment->frames[0] = (struct Frame){.address = G_MAXUINT64};
    return stack->segment_count++;
}

static void load_current(FcStack *stack, gint index)
{
    const struct Segment *segment = &stack->segments[index];
    stack->current = index;
    stack->frames = segment->frames;
    stack->top = segment->top;
    stack->room = segment->room;
    stack->low = segment->low;
    stack->size = segment->size;
}

static void save_current(FcStack *stack)
{
    struct Segment *segment = &stack->segments[stack->current];
    segment->frames = stack->frames;
    segment->top = stack->top;
    segment->room = stack->room;
}

FcStack *fc_stack_new(FcCounts *counts, guint64 multiplier, guint32 frames)
{
    FcStack *stack = g_new0(FcStack, 1);
    stack->counts = counts;
    stack->multiplier = multiplier;
    stack->first = FC_STACK_NO_TIME;
    stack->next_change = G_MAXUINT64;
    stack->native = (FcRegion){0, G_MAXUINT64};
    add_segment(stack, 1, G_MAXUINT64, frames);
    stack->segments[0].in_chain = TRUE;
    load_current(stack, 0);
    return stack;
}

void fc_stack_free(FcStack *stack)
{
    if (stack == NULL)
        return;
    save_current(stack);
    for (gint i = 0; i < stack->segment_count; i++)
        g_free(stack->segments[i].frames);
    g_clear_pointer(&stack->by_region, g_hash_table_unref);
    g_clear_pointer(&stack->strands, g_array_unref);
    g_clear_pointer(&stack->idle_strands, g_array_unref);
    g_free(stack->segments);
    g_free(stack);
}

/* The hot path finds out with one comparison whether an address is on the current segment.
 * Where announced stacks lie within the thread's own, it has to look each time. */
static void set_native_bounds(FcStack *stack)
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

void fc_stack_set_bounds(FcStack *stack, guint64 start, guint64 end)
{
    stack->native = (FcRegion){start, end};
    set_native_bounds(stack);
}

void fc_stack_set_heap(FcStack *stack, FcHeapThread *heap)
{
    stack->heap = heap;
}

void fc_stack_set_regions(FcStack *stack, const FcRegions *regions)
{
    stack->regions = regions;
    set_native_bounds(stack);
}

void fc_stack_set_multiplier(FcStack *stack, guint64 multiplier)
{
    stack->multiplier = multiplier;
}

/* ---- Segments ------------------------------------------------------------------- */

/* No time passes for the current segment's frames from here on; it leaves the chain. */
static void pause_current(FcStack *stack, guint64 time)
{
    for (guint32 i = stack->top; i > 0; i--)
    {
        struct Frame *frame = &stack->frames[i];
        struct Frame *caller = i > 1 ? frame - 1 : caller_of_segment(stack);
        frame->before += stop_clock(stack, frame, caller, time);
    }
    save_current(stack);
    struct Segment *segment = &stack->segments[stack->current];
    segment->in_chain = FALSE;
    load_current(stack, segment->before);
}

/* The current segment goes on with the frames that it was paused with. */
static void resume_current(FcStack *stack, guint64 time)
{
    FcCounts *counts = stack->counts;
    for (guint32 i = 1; i <= stack->top; i++)
    {
        struct Frame *frame = &stack->frames[i];
        FcCountsNode *node = &counts->nodes[frame->node];
        frame->entered = time;
        node->active++;
        counts->arcs[frame->arc].active++;
        counts->functions[node->function].active++;
    }
}

static void switch_to(FcStack *stack, gint index, guint64 time)
{
    if (stack->segments[index].in_chain)
    {
        while (stack->current != index)
            pause_current(stack, time);
        return;
    }
    save_current(stack);
    guint32 node = stack->frames[stack->top].node;
    stack->segments[index].before = stack->current;
    stack->segments[index].in_chain = TRUE;
    load_current(stack, index);
    if (stack->top == 0)
        stack->frames[0].node = node;
    resume_current(stack, time);
}

static gint segment_of_region(FcStack *stack, const FcRegion *region)
{
    if (stack->by_region == NULL)
        stack->by_region = g_hash_table_new(g_direct_hash, g_direct_equal);
    gpointer key = GSIZE_TO_POINTER(region->start);
    gint index = GPOINTER_TO_INT(g_hash_table_lookup(stack->by_region, key));
    if (index > 0 && stack->segments[index].size == region->end - region->start)
        return index;
    index = add_segment(stack, region->start + 1, region->end - region->start, 0);
    g_hash_table_replace(stack->by_region, key, GINT_TO_POINTER(index));
    return index;
}

/* The segment for a stack that was not met before, in memory that was not announced. */
static gint new_strand(FcStack *stack, guint64 address)
{
    gint index;
    guint idle = stack->idle_strands != NULL ? stack->idle_strands->len : 0;
    if (idle > 0)
    {
        index = g_array_index(stack->idle_strands, gint, idle - 1);
        g_array_set_size(stack->idle_strands, idle - 1);
    }
    else
    {
        save_current(stack);
        index = add_segment(stack, 0, 0, 0);
        stack->segments[index].unknown = TRUE;
    }
    fc_stack_add_strand(stack, address, index);
    return index;
}

/* Memory that was not announced: a coroutine library's own switching, say. */
static gint segment_of_unknown(FcStack *stack, guint64 address, guint64 kind, guint64 function)
{
    gint index = fc_stack_find_strand(stack, address, kind, function);
    if (index < 0)
        index = kind == FC_RECORD_ENTER ? new_strand(stack, address) : stack->current;
    return index;
}

/* A strand without frames is no caller of anything. */
static void leave_empty_strand(FcStack *stack, guint64 time)
{
    gint index = stack->current;
    if (!stack->segments[index].unknown || stack->top > 0)
        return;
    pause_current(stack, time);
    fc_stack_drop_strand(stack, index);
}

/* The bounds of a thread's own stack are a guess where it chose its size: frames that go on
 * closely below its lower end are still on it. */
static gboolean extend_native(FcStack *stack, guint64 address)
{
    guint64 start = stack->native.start;
    if (stack->current != 0 || stack->top == 0 || address > start ||
        start - address >= NATIVE_STEP ||
        stack->frames[stack->top].address - address >= NATIVE_STEP)
        return FALSE;
    stack->native.start = start > 2 * NATIVE_STEP ? start - 2 * NATIVE_STEP : 0;
    set_native_bounds(stack);
    return TRUE;
}

/* `address` is not within the bounds of the current segment: goes to the one that it is on.
 * (The outermost frame's address may be the very end of the memory, so the bounds of
 * [start, end) are tested as (start, end].) */
void fc_stack_find_segment(FcStack *stack, guint64 address, guint64 kind, guint64 function,
                           guint64 time)
{
    FcRegion region;
    gint index;
    leave_empty_strand(stack, time);
    if (stack->regions != NULL && fc_regions_find(stack->regions, address - 1, &region))
        index = segment_of_region(stack, &region);
    else if (address - 1 - stack->native.start < stack->native.end - stack->native.start)
        index = 0;
    else if (extend_native(stack, address))
        index = 0;
    else
        index = segment_of_unknown(stack, address, kind, function);
    if (index != stack->current)
        switch_to(stack, index, time);
}

/* ---- Whole stacks --------------------------------------------------------------- */

void fc_stack_copy_bounds(FcStack *stack, const FcStack *from)
{
    fc_stack_set_bounds(stack, from->native.start, from->native.end);
}

void fc_stack_inherit(FcStack *stack, const FcOpenFrame *frames, guint count, guint64 time)
{
    guint32 context = 0;
    stack->first = MIN(stack->first, time);
    stack->last = MAX(stack->last, time);
    for (guint i = 0; i < count; i++)
    {
        const FcOpenFrame *from = &frames[i];
        if (from->part == FC_OPEN_CONTEXT)
        {
            context =
                fc_counts_edge(stack->counts, context, from->site, from->function, stack->last)
                    ->value;
            continue;
        }
        if (from->part == FC_OPEN_PAUSED_FIRST ||
            (from->part == FC_OPEN_ACTIVE && i > 0 && frames[i - 1].part != FC_OPEN_ACTIVE))
            switch_to(stack, 0, stack->last);
        if (from->address - stack->low >= stack->size)
            fc_stack_find_segment(stack, from->address, FC_RECORD_ENTER, 0, stack->last);
        if (from->part == FC_OPEN_PAUSED_FIRST && stack->top == 0)
            stack->frames[0].node = context;
        context = 0;
        struct Frame *frame = push(stack, from->function, from->site, stack->last);
        frame->address = from->address;
        frame->return_bits = from->return_bits;
        frame->inherited = TRUE;
    }
}

/* Calls `visit` for the open frames of the chain, outermost first. */
static void for_each_open(const FcStack *stack, gint index,
                          void (*visit)(const struct Frame *frame, const FcStack *stack,
                                        gpointer data),
                          gpointer data)
{
    const struct Segment *segment = &stack->segments[index];
    gboolean is_current = index == stack->current;
    const struct Frame *frames = is_current ? stack->frames : segment->frames;
    guint32 top = is_current ? stack->top : segment->top;
    if (segment->before >= 0)
        for_each_open(stack, segment->before, visit, data);
    for (guint32 i = 1; i <= top; i++)
        visit(&frames[i], stack, data);
}

static void add_open(GArray *open, const struct Frame *frame, FcOpenPart part)
{
    FcOpenFrame copy = {frame->function, frame->site, frame->address, frame->return_bits,
                        (guint8)part};
    g_array_append_val(open, copy);
}

static void add_open_frame(const struct Frame *frame, const FcStack *stack, gpointer data)
{
    (void)stack;
    add_open(data, frame, FC_OPEN_ACTIVE);
}

static void add_context(const FcCounts *counts, guint32 index, GArray *open)
{
    if (index == 0)
        return;
    const FcCountsNode *node = &counts->nodes[index];
    add_context(counts, node->parent, open);
    FcOpenFrame entry = {.function = counts->functions[node->function].address,
                         .site = node->site,
                         .part = FC_OPEN_CONTEXT};
    g_array_append_val(open, entry);
}

/* So much of stacks that are paused is handed on at a fork. */
#define PAUSED_MAX 65536u

GArray *fc_stack_open_frames(const FcStack *stack)
{
    GArray *open = g_array_new(FALSE, TRUE, sizeof(FcOpenFrame));
    for (gint i = 0; i < stack->segment_count && open->len < PAUSED_MAX; i++)
    {
        const struct Segment *segment = &stack->segments[i];
        if (segment->in_chain || segment->top == 0)
            continue;
        add_context(stack->counts, segment->frames[0].node, open);
        for (guint32 frame = 1; frame <= segment->top; frame++)
            add_open(open, &segment->frames[frame],
                     frame == 1 ? FC_OPEN_PAUSED_FIRST : FC_OPEN_PAUSED);
    }
    for_each_open(stack, stack->current, add_open_frame, open);
    return open;
}

struct FinalFrames
{
    guint most;
    GArray *out;
};

static void add_final_frame(const struct Frame *frame, const FcStack *stack, gpointer data)
{
    struct FinalFrames *final = data;
    if (final->out->len >= final->most)
        return;
    FcProfileFrame copy = {.function = stack->counts->nodes[frame->node].function};
    copy.site.address = frame->site;
    copy.site.module = stack->counts->arcs[frame->arc].site_module;
    g_array_append_val(final->out, copy);
}

void fc_stack_final_frames(const FcStack *stack, guint most, GArray *out)
{
    struct FinalFrames final = {most, out};
    for_each_open(stack, stack->current, add_final_frame, &final);
}

void fc_stack_close(FcStack *stack, guint64 time)
{
    stack->last = MAX(stack->last, time);
    for (;;)
    {
        while (stack->top > 0)
            pop(stack, stack->last);
        save_current(stack);
        if (stack->segments[stack->current].before < 0)
            break;
        pause_current(stack, stack->last);
    }
    /* what was paused ends with the time that it has; switched to, none passes */
    for (gint i = 0; i < stack->segment_count; i++)
        if (stack->segments[i].top > 0)
        {
            switch_to(stack, i, stack->last);
            while (stack->top > 0)
                pop(stack, stack->last);
            pause_current(stack, stack->last);
        }
}

guint fc_stack_depth(const FcStack *stack)
{
    guint depth = stack->top;
    for (gint i = 0; i < stack->segment_count; i++)
        if (i != stack->current)
            depth += stack->segments[i].top;
    return depth;
}

guint64 fc_stack_last_time(const FcStack *stack)
{
    return stack->last;
}

guint64 fc_stack_first_time(const FcStack *stack)
{
    return stack->first;
}

const FcStackRepairs *fc_stack_repairs(const FcStack *stack)
{
    return &stack->repairs;
}
