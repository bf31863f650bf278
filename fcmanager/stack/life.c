/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of stack.h that is not the hot path: makes and closes a thread's stack, hands its frames
 * on to a forked child, and ends frames that are not plain calls.  It is a file of its own so that
 * the compiler inlines push_frame() into the only place of stack.c that calls it.
 */
#include "fcmanager/stack/stack.h"

#include "fcmanager/stack/frames.h"
#include "fcmanager/stack/off.h"
#include "fcmanager/stack/records.h"
#include "fcmanager/stack/segments.h"

#include <string.h>

/* ---- Life ------------------------------------------------------------------------- */

FcStack *fc_stack_new(FcCounts *counts, guint64 multiplier, guint32 frames)
{
    FcStack *stack = g_new0(FcStack, 1);
    stack->counts = counts;
    stack->multiplier = multiplier;
    stack->first = FC_STACK_NO_TIME;
    stack->next_change = 0; /* so the first record calls apply_changes() */
    stack->native = (FcRegion){0, G_MAXUINT64};
    stack->sites = g_new0(struct FcCallSite, 1);
    fc_stack_add_segment(stack, 1, G_MAXUINT64, frames);
    stack->segments[0].in_chain = TRUE;
    fc_stack_load_current(stack, 0);
    return stack;
}

void fc_stack_free(FcStack *stack)
{
    if (!stack)
        return;
    fc_stack_save_current(stack);
    for (gint i = 0; i < stack->segment_count; i++)
        g_free(stack->segments[i].frames);
    g_clear_pointer(&stack->by_region, g_hash_table_unref);
    g_clear_pointer(&stack->inferred, g_array_unref);
    g_clear_pointer(&stack->idle_segments, g_array_unref);
    if (stack->aways)
        g_array_unref(stack->aways);
    g_clear_pointer(&stack->wait_samples, g_array_unref);
    g_clear_pointer(&stack->wait_frames, g_hash_table_unref);
    fc_counted_free(stack->counted);
    fc_trace_free(stack->trace);
    fc_lanes_free(stack->lanes);
    g_free(stack->sites);
    g_free(stack->site_edges.memory);
    g_free(stack->segments);
    g_free(stack);
}

void fc_stack_set_bounds(FcStack *stack, guint64 start, guint64 end)
{
    stack->native = (FcRegion){start, end};
    fc_stack_update_bounds(stack);
}

void fc_stack_set_regions(FcStack *stack, const FcRegions *regions)
{
    stack->regions = regions;
    fc_stack_update_bounds(stack);
}

void fc_stack_learn_site(FcStack *stack, guint32 number, guint64 function, guint64 site)
{
    if (number == 0 || number > FC_SITE_NUMBERS_MAX)
        return;
    if (number > stack->site_count)
    {
        const guint32 had = stack->site_count + 1;
        /* numbers come one after the other: room for more than this one */
        const guint32 room = 1u << g_bit_storage(number);
        stack->sites = g_renew(struct FcCallSite, stack->sites, room);
        memset(stack->sites + had, 0, (number + 1 - had) * sizeof *stack->sites);
        stack->site_count = number;
    }
    if (stack->sites[number].function != 0 &&
        (stack->sites[number].function != function || stack->sites[number].site != site))
        fc_stack_forget_site_edges(stack); /* never for libfc, which gives each number once */
    stack->sites[number] = (struct FcCallSite){function, site};
}

void fc_stack_set_sites(FcStack *stack, guint64 low, const struct FcCallSite *sites, gsize count)
{
    stack->sites_low = low & FC_WHERE_ADDRESS_MASK;
    for (gsize i = 0; i < count; i++)
        fc_stack_learn_site(stack, (guint32)(sites[i].site >> FC_SITE_NUMBER_SHIFT),
                            sites[i].function & FC_POINTER_MASK,
                            sites[i].site & FC_SITE_ADDRESS_MASK);
}

void fc_stack_set_heap(FcStack *stack, FcHeapThread *heap)
{
    stack->heap = heap;
}

FcCounted *fc_stack_counted(FcStack *stack)
{
    return stack_counted(stack);
}

gboolean fc_stack_has_counted(const FcStack *stack)
{
    return stack->counted != NULL;
}

void fc_stack_set_multiplier(FcStack *stack, guint64 multiplier)
{
    if (multiplier == stack->multiplier)
        return;
    stack->multiplier = multiplier;
    /* calls of the same ticks may have other buckets now */
    for (guint32 i = 0; i < stack->counts->function_count; i++)
        stack->counts->functions[i].quick_total = stack->counts->functions[i].quick_local = 0;
}

/* ---- Forks and the end --------------------------------------------------------------- */

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
            fc_stack_switch_to(stack, 0, stack->last);
        if (from->address - stack->low >= stack->size)
            fc_stack_find_segment(stack, from->address, FC_RECORD_ENTER, 0, stack->last);
        if (from->part == FC_OPEN_PAUSED_FIRST && stack->top == 0)
            stack->frames[0].node = context;
        context = 0;
        const StackEdge edge = edge_from_top(stack, from->function, from->site, stack->last);
        const struct FcCallSite callee = {from->function, from->site};
        struct StackFrame *frame =
            push_frame(stack, edge, &callee, no_exit_word(from->return_bits), stack->last);
        frame->address = from->address;
        frame->made = FRAME_INHERITED;
    }
}

/* Calls `visit` for the open frames of the chain, outermost first. */
static void for_each_open(const FcStack *stack, gint index,
                          void (*visit)(const struct StackFrame *frame, const FcStack *stack,
                                        gpointer data),
                          gpointer data)
{
    const struct StackSegment *segment = &stack->segments[index];
    gboolean is_current = index == stack->current;
    const struct StackFrame *frames = is_current ? stack->frames : segment->frames;
    guint32 top = is_current ? stack->top : segment->top;
    if (segment->caller >= 0)
        for_each_open(stack, segment->caller, visit, data);
    for (guint32 i = 1; i <= top; i++)
        visit(&frames[i], stack, data);
}

static void add_open(GArray *open, const struct StackFrame *frame, FcOpenPart part)
{
    FcOpenFrame copy = {frame->function, frame->site, frame->address, return_bits_of_frame(frame),
                        (guint8)part};
    g_array_append_val(open, copy);
}

static void add_open_frame(const struct StackFrame *frame, const FcStack *stack, gpointer data)
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

/* The most frames of paused stacks that a forked child gets, roughly. */
#define PAUSED_MAX 65536u

GArray *fc_stack_open_frames(const FcStack *stack)
{
    GArray *open = g_array_new(FALSE, TRUE, sizeof(FcOpenFrame));
    for (gint i = 0; i < stack->segment_count && open->len < PAUSED_MAX; i++)
    {
        const struct StackSegment *segment = &stack->segments[i];
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

static void add_final_frame(const struct StackFrame *frame, const FcStack *stack, gpointer data)
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

GArray *fc_stack_busy_so_far(const FcStack *stack)
{
    const FcCounts *counts = stack->counts;
    GArray *busy = g_array_new(FALSE, TRUE, sizeof(guint64));
    g_array_set_size(busy, counts->function_count);
    guint64 *ticks = (guint64 *)(gpointer)busy->data;
    fc_counts_flush_sums(stack->counts);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint64 local = counts->nodes[i].local;
        ticks[counts->nodes[i].function] +=
            local - MIN(local, fc_counts_wait(counts->node_waits, i).local);
    }
    for (guint32 i = 1; i <= stack->top; i++)
    {
        const struct StackFrame *frame = &stack->frames[i];
        const guint64 until = i < stack->top ? stack->frames[i + 1].entered : stack->last;
        const guint64 ran = frame->ran_before + (until - MIN(until, frame->entered));
        const guint64 without = frame->callees + fc_stack_off_of(stack, frame);
        ticks[counts->nodes[frame->node].function] += ran - MIN(ran, without);
    }
    return busy;
}

void fc_stack_close(FcStack *stack, guint64 time)
{
    fc_counts_flush_sums(stack->counts);
    if (stack->is_pending)
        fc_stack_take_pending(stack, time);
    stack->last = MAX(stack->last, time);
    for (;;)
    {
        while (stack->top > 0)
            pop_frame(stack, stack->last);
        fc_stack_save_current(stack);
        if (stack->segments[stack->current].caller < 0)
            break;
        fc_stack_pause_current(stack, stack->last);
    }
    /* closes the frames of paused stacks; no time passes for them after the switch */
    for (gint i = 0; i < stack->segment_count; i++)
        if (stack->segments[i].top > 0)
        {
            fc_stack_switch_to(stack, i, stack->last);
            while (stack->top > 0)
                pop_frame(stack, stack->last);
            fc_stack_pause_current(stack, stack->last);
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

/* If a thread makes no record during more waits than this, the oldest half is dropped. */
#define WAIT_SAMPLES_MAX 4096u

/* Waits in more different stacks have no frames. */
#define WAIT_FRAMES_MAX 1024u

/* Replaces the frames by a copy that stays valid. */
static void keep_frames(FcStack *stack, FcStackWait *wait)
{
    if (wait->depth == 0)
        return;
    if (!stack->wait_frames)
        stack->wait_frames =
            g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    GBytes *copy = g_bytes_new(wait->frames, wait->depth * sizeof *wait->frames);
    gpointer known;
    if (g_hash_table_lookup_extended(stack->wait_frames, copy, &known, NULL))
    {
        g_bytes_unref(copy);
        copy = known;
    }
    else if (g_hash_table_size(stack->wait_frames) < WAIT_FRAMES_MAX)
        g_hash_table_add(stack->wait_frames, copy);
    else
    {
        g_bytes_unref(copy);
        wait->depth = 0;
        return;
    }
    wait->frames = g_bytes_get_data(copy, NULL);
}

static FcStackWait *last_wait(const FcStack *stack)
{
    GArray *samples = stack->wait_samples;
    return samples && samples->len > 0 ? &g_array_index(samples, FcStackWait, samples->len - 1)
                                       : NULL;
}

gboolean fc_stack_is_last_wait(const FcStack *stack, const FcStackWait *sample)
{
    const FcStackWait *last = last_wait(stack);
    return last && last->turns == sample->turns && last->kind == sample->kind;
}

void fc_stack_note_wait(FcStack *stack, const FcStackWait *sample)
{
    if (fc_stack_is_last_wait(stack, sample))
    {
        last_wait(stack)->ns += sample->ns;
        return;
    }
    if (!stack->wait_samples)
        stack->wait_samples = g_array_new(FALSE, FALSE, sizeof(FcStackWait));
    if (stack->wait_samples->len == WAIT_SAMPLES_MAX)
        g_array_remove_range(stack->wait_samples, 0, WAIT_SAMPLES_MAX / 2);
    FcStackWait wait = *sample;
    keep_frames(stack, &wait);
    g_array_append_val(stack->wait_samples, wait);
}

void fc_stack_take_last_wait(FcStack *stack, guint64 ahead_ns, guint64 time)
{
    if (stack->off_seen == FC_WAITS_UNKNOWN || time <= stack->last)
        return;
    if (stack->is_pending)
        fc_stack_take_pending(stack, time);
    fc_stack_take_off(stack, FC_OFF_SEEN, ahead_ns, stack->waits + 1, stack->last, time);
    /* the rest was after `time` */
    stack->off_pending = (struct StackAway){0};
    stack->is_pending = FALSE;
}

void fc_stack_end_unseen(FcStack *stack)
{
    if (stack->off_seen != FC_WAITS_UNKNOWN)
        stack->off_seen = FC_WAITS_COARSE;
}

void fc_stack_end_outside(FcStack *stack)
{
    if (stack->outside_to == 0 || stack->outside_to != stack->last)
        return;
    if (stack->lanes)
        fc_lanes_take_back(stack->lanes,
                           (FcLaneTimes){stack->off.off - stack->off_outside.off,
                                         stack->off.preempted - stack->off_outside.preempted});
    stack->last = stack->outside_from;
    stack->off = stack->off_outside;
}

guint64 fc_stack_last_time(const FcStack *stack)
{
    return stack->last;
}

guint64 fc_stack_first_time(const FcStack *stack)
{
    return stack->first;
}

void fc_stack_get_off(const FcStack *stack, FcStackOff *off)
{
    *off = (FcStackOff){.off = stack->off.off,
                        .preempted = stack->off.preempted,
                        .paused = stack->off.paused,
                        .unplaced = stack->off.unplaced,
                        .seen = stack->off_seen};
}

FcLanes *fc_stack_take_lanes(FcStack *stack, guint64 time)
{
    if (stack->lanes)
        fc_lanes_cover(stack->lanes, time);
    return g_steal_pointer(&stack->lanes);
}

/* ---- Frames that are not just calls ----------------------------------------------- */

/* Adds the call if it is one of the slowest of its function. */
static void add_slow(FcCounts *counts, guint32 node, guint64 begun, guint64 total)
{
    FcSlowest *slowest = &counts->slowest[counts->nodes[node].function];
    const FcSlowCall call = {.total = total, .begun = begun, .node = node};
    if (fc_slowest_is_one(slowest, counts->slowest_most, total))
        fc_slowest_add(slowest, counts->slowest_most, &call);
}

void fc_stack_keep_duration(FcCounts *counts, guint32 node, guint32 arc, guint64 begun,
                            guint64 total, guint64 total_ns)
{
    if (counts->arc_latencies)
        fc_latency_add(&counts->arc_latencies[arc], &counts->latency_room, total_ns);
    if (counts->slowest)
        add_slow(counts, node, begun, total);
}

void fc_stack_make_room(FcStack *stack)
{
    stack->room *= 2;
    stack->frames = g_renew(struct StackFrame, stack->frames, stack->room);
}

void fc_stack_pop_other(FcStack *stack, guint64 time)
{
    struct StackFrame *frame = &stack->frames[stack->top];
    if (stack->trace)
        fc_stack_trace(stack, FC_TRACE_RETURN, time);
    const guint64 total = frame->ran_before + stop_clock(stack, frame, caller_of_top(stack), time);
    const guint64 local = total - frame->callees;
    stack->top--;
    stack->counts->nodes[frame->node].local += local;
    if (frame->away != 0)
    {
        fc_stack_end_away(stack, frame, total, local);
        return;
    }
    const struct EndedCall call = {frame->node, frame->arc, frame->entered, total};
    if (frame->made != FRAME_INHERITED)
        add_activation(stack->counts, function_of(stack, frame), &call, local, stack->multiplier);
    if (frame->made >= FRAME_SAMPLED)
        fc_stack_end_sample(stack, frame->made - FRAME_SAMPLED, total, local);
}

/* ---- Frames that will be open --------------------------------------------------------- */

/* fc_stack_open_ahead: which frames will be open when records that must wait are read.  It ignores
 * times and repairs little, since these are the few records of a signal handler that interrupted a
 * hook. */

static FcOpenFrame *innermost(GArray *open)
{
    FcOpenFrame *frame = open->len > 0 ? &g_array_index(open, FcOpenFrame, open->len - 1) : NULL;
    return frame && frame->part == FC_OPEN_ACTIVE ? frame : NULL;
}

static void enter(GArray *open, const struct Event *entry)
{
    const FcOpenFrame frame = {entry->function & FC_POINTER_MASK, entry->site, entry->address,
                               return_bits_of(entry), FC_OPEN_ACTIVE};
    g_array_append_val(open, frame);
}

/* Whether `exit` ends the call of the frame. */
static gboolean is_of(const FcOpenFrame *frame, const struct Event *exit)
{
    return exit->after_inlining ? frame->address == exit->address
                                : frame->function == exit->function;
}

/* An exit whose entry is in the gap changes nothing. */
static void leave(GArray *open, const struct Event *exit)
{
    for (guint i = open->len; i > 0; i--)
    {
        const FcOpenFrame *frame = &g_array_index(open, FcOpenFrame, i - 1);
        if (frame->part != FC_OPEN_ACTIVE)
            return;
        if (is_of(frame, exit))
        {
            g_array_set_size(open, i - 1);
            return;
        }
    }
}

static void jump(GArray *open, guint64 address)
{
    const FcOpenFrame *frame;
    while ((frame = innermost(open)) && frame->address < address)
        g_array_set_size(open, open->len - 1);
}

static gboolean begins_sample(const struct Event *event)
{
    return (event->function >> FC_COUNT_RECORD_SHIFT & FC_COUNT_RECORD_MASK) == FC_COUNT_SAMPLE;
}

void fc_stack_open_ahead(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                         guint32 generation, GArray *open)
{
    for (guint32 at = from; at < to;)
    {
        struct Event event;
        const guint32 read = read_record_out_of_line(stack, &units[at], generation, &event);
        at += MAX(read, 1);
        if (read == 0)
            continue;
        const guint64 kind = kind_of(&event);
        if (kind == FC_RECORD_ENTER || (kind == FC_RECORD_COUNT && begins_sample(&event)))
            enter(open, &event);
        else if (kind == FC_RECORD_EXIT)
            leave(open, &event);
        else if (kind == FC_RECORD_JUMP)
            jump(open, event.address);
    }
}

/* ---- What a stack tells its trace ----------------------------------------------------- */

void fc_stack_set_trace(FcStack *stack, FcTrace *trace)
{
    stack->trace = trace;
}

static FcTraceRecord record_of(const FcStack *stack, gint segment, guint32 depth, FcTraceKind kind,
                               guint64 time)
{
    const struct StackFrame *frames =
        segment == stack->current ? stack->frames : stack->segments[segment].frames;
    const struct StackFrame *frame = &frames[depth];
    /* for frames of a stack that was paused, the time of the call is not kept */
    const gboolean is_known = frame->ran_before == 0 && frame->made != FRAME_INHERITED;
    return (FcTraceRecord){.time = time,
                           .begun = is_known ? frame->entered : FC_TRACE_UNKNOWN,
                           .function = stack->counts->nodes[frame->node].function,
                           .stack = (guint32)segment,
                           .depth = depth,
                           .kind = kind};
}

void fc_stack_trace(FcStack *stack, FcTraceKind kind, guint64 time)
{
    const FcTraceRecord record = record_of(stack, stack->current, stack->top, kind, time);
    fc_trace_add(stack->trace, &record);
}

void fc_stack_trace_leaf(FcStack *stack, guint32 node, guint64 time, guint64 elapsed)
{
    FcTraceRecord record = {.time = time,
                            .begun = time,
                            .function = stack->counts->nodes[node].function,
                            .stack = (guint32)stack->current,
                            .depth = stack->top + 1,
                            .kind = FC_TRACE_CALL};
    fc_trace_add(stack->trace, &record);
    record.time += elapsed;
    record.kind = FC_TRACE_RETURN;
    fc_trace_add(stack->trace, &record);
}

FcTrace *fc_stack_take_trace(FcStack *stack)
{
    FcTrace *trace = stack->trace;
    if (!trace)
        return NULL;
    fc_stack_save_current(stack);
    for (gint i = 0; i < stack->segment_count; i++)
        for (guint32 depth = 1; depth <= stack->segments[i].top; depth++)
        {
            const FcTraceRecord record = record_of(stack, i, depth, FC_TRACE_OPEN, stack->last);
            fc_trace_add_open(trace, &record);
        }
    stack->trace = NULL;
    return trace;
}
