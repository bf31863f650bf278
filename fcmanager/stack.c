/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hot path of the manager: see stack.h.  An entry costs one look-up of the edge
 * (context, call site, function) -> (child context, arc); an exit adds to the
 * frame's function, arc and context.  A call that calls nothing, whose exit follows its
 * entry at once, is counted without a frame.  Stacks are taken to grow downwards.
 */
#include "fcmanager/stack.h"

#include "fcmanager/stack-counted.h"
#include "fcmanager/stack-frames.h"
#include "fcmanager/stack-off.h"
#include "fcmanager/stack-segments.h"

/* A record that was read, once: the program may write over it meanwhile. */
struct Event
{
    guint64 time;
    guint64 function;
    guint64 site;
    guint64 where;
    guint64 address;         /* on the stack */
    gboolean after_inlining; /* FC_FUNCTION_AFTER_INLINING, which `function` has no more */
};

/* ---- Repairs ------------------------------------------------------------------ */

static void close_above(FcStack *stack, guint32 index, guint64 time, guint64 *count)
{
    while (stack->top > index)
    {
        pop_frame(stack, time);
        (*count)++;
    }
}

/* An entry at `address` above the innermost frame's: the deeper ones were jumped over. */
static void repair_jump(FcStack *stack, guint64 address, guint64 time)
{
    guint32 keep = stack->top;
    while (keep > 0 && stack->frames[keep].address < address)
        keep--;
    close_above(stack, keep, time, &stack->counts->repairs.jumps);
}

static void jump(FcStack *stack, guint64 address, guint64 time)
{
    if (address - stack->low >= stack->size)
        fc_stack_find_segment(stack, address, FC_RECORD_JUMP, 0, time);
    repair_jump(stack, address, time);
}

/* An entry at the innermost frame's own address: functions inlined into one another share it, and
 * the place that they return to.  But the very same call can't be made again before it returned. */
static void repair_repeated(FcStack *stack, guint64 function, guint64 site, guint64 address,
                            guint16 return_bits, guint64 time)
{
    for (guint32 i = stack->top; i > 0 && stack->frames[i].address == address; i--)
    {
        const struct StackFrame *frame = &stack->frames[i];
        if (frame->site != site ||
            (frame->function == function && frame->return_bits == return_bits))
        {
            close_above(stack, i - 1, time, &stack->counts->repairs.jumps);
            return;
        }
    }
}

/* Before an entry at `address`, which is not below the innermost frame's. */
G_NO_INLINE static void repair_entry(FcStack *stack, guint64 function, guint64 site,
                                     guint64 address, guint16 return_bits, guint64 time)
{
    repair_jump(stack, address, time);
    repair_repeated(stack, function, site, address, return_bits, time);
}

/* The exit of a function that is not (clearly) the innermost frame's.  An exit hook that was
 * tail-called, so that it returns to the call site, ran on its caller's frame; any other ran
 * on the frame of its function, unless that moved the stack pointer (alloca). */
G_NO_INLINE static void repair_exit(FcStack *stack, guint64 function, guint64 address,
                                    gboolean tail, guint64 time)
{
    if (!fc_counts_is_active(stack->counts, function, time))
    {
        stack->counts->repairs.unmatched_exits++;
        return;
    }
    guint32 found = 0;
    for (guint32 i = stack->top; i > 0; i--)
    {
        const struct StackFrame *frame = &stack->frames[i];
        if (frame->function != function)
            continue;
        if (tail || frame->address >= address)
        {
            found = i;
            break;
        }
        if (found == 0)
            found = i; /* the innermost, unless one fits */
    }
    if (found == 0)
    {
        stack->counts->repairs.unmatched_exits++;
        return;
    }
    close_above(stack, found, time, &stack->counts->repairs.missed_exits);
    pop_frame(stack, time);
}

/* ---- Calls -------------------------------------------------------------------- */

static inline guint64 kind_of(const struct Event *event)
{
    return event->where & FC_WHERE_KIND_MASK;
}

static inline guint16 return_bits_of(const struct Event *event)
{
    return (guint16)(event->where >> FC_WHERE_RETURN_SHIFT);
}

/* Whether the exit hook returned to the call site, and not into the function. */
static inline gboolean is_tail_called(const struct Event *exit)
{
    return return_bits_of(exit) == (guint16)exit->site;
}

/* `left`: when the call ended, where the next record says so; else FC_STACK_NO_TIME. */
static inline void enter(FcStack *stack, const struct Event *entry, guint64 left)
{
    if (G_UNLIKELY(entry->address >= stack->frames[stack->top].address))
        repair_entry(stack, entry->function, entry->site, entry->address, return_bits_of(entry),
                     entry->time);
    const FcMapSlot *edge = edge_from_top(stack, entry->function, entry->site, entry->time);
    if (left != FC_STACK_NO_TIME)
    {
        add_leaf_call(stack, edge, left - entry->time);
        stack->last = left;
        return;
    }
    struct StackFrame *frame = push_frame(stack, edge, entry->function, entry->site, entry->time);
    frame->address = entry->address;
    frame->return_bits = return_bits_of(entry);
    frame->made = FRAME_CALLED;
    stack->counts->nodes[frame->node].calls++;
    stack->counts->arcs[frame->arc].calls++;
}

/* The exit of what was entered at its address and returns to its site, but not from the innermost
 * frame, or not from that alone: what a function tail-called took its place, and returns with it.
 */
G_NO_INLINE static void repair_exit_at(FcStack *stack, guint64 address, guint64 site, guint64 time)
{
    guint32 found = stack->top;
    while (found > 0 &&
           (stack->frames[found].address < address ||
            (stack->frames[found].address == address && stack->frames[found].site != site)))
        found--;
    close_above(stack, found, time, &stack->counts->repairs.missed_exits);
    if (found == 0 || stack->frames[found].address != address)
        stack->counts->repairs.unmatched_exits++;
    while (stack->top > 0 && stack->frames[stack->top].address == address &&
           stack->frames[stack->top].site == site)
        pop_frame(stack, time);
}

static inline void leave_at(FcStack *stack, const struct Event *exit)
{
    const struct StackFrame *top = &stack->frames[stack->top];
    if (G_LIKELY(stack->top > 0 && top->address == exit->address && top->site == exit->site &&
                 top[-1].address != exit->address))
        pop_frame(stack, exit->time);
    else
        repair_exit_at(stack, exit->address, exit->site, exit->time);
}

static inline void leave(FcStack *stack, const struct Event *exit)
{
    const struct StackFrame *top = &stack->frames[stack->top];
    if (G_UNLIKELY(exit->after_inlining))
    {
        leave_at(stack, exit);
        return;
    }
    if (G_LIKELY(top->function == exit->function && stack->top > 0 &&
                 (exit->address <= top->address || is_tail_called(exit))))
        pop_frame(stack, exit->time);
    else
        repair_exit(stack, exit->function, exit->address, is_tail_called(exit), exit->time);
}

/* ---- Records ------------------------------------------------------------------ */

/* Comes first with the first record of all. */
static void apply_changes(FcStack *stack, guint64 time)
{
    stack->first = MIN(stack->first, time);
    stack->next_change = fc_counts_apply_changes(stack->counts, time);
    if (stack->counted)
        fc_counted_forget_places(stack->counted);
}

/* A record of a function whose calls are counted; the one before it was at `before`. */
static void count(FcStack *stack, const struct Event *event, guint64 before)
{
    guint64 function = event->function & FC_POINTER_MASK;
    guint64 address = event->address;
    guint kind = (guint)(event->function >> FC_COUNT_RECORD_SHIFT & FC_COUNT_RECORD_MASK);
    guint64 weight = G_GUINT64_CONSTANT(1)
                     << (event->function >> FC_COUNT_SPARING_SHIFT & FC_COUNT_SPARING_MASK);
    if (kind == FC_COUNT_BEGINS || kind == FC_COUNT_BEGINS_NESTED)
    {
        fc_stack_begin_counting(stack, function, event->time, kind == FC_COUNT_BEGINS_NESTED);
        return;
    }
    if (kind == FC_COUNT_WINDOW_ENDS)
    {
        fc_stack_cut_window(stack);
        return;
    }
    if (kind == FC_COUNT_GAP_ENDS)
    {
        fc_stack_end_gap(stack, before, event->time);
        return;
    }
    const gboolean deep = kind == FC_COUNT_DEEP_ONE || kind == FC_COUNT_DEEP_SEEN;
    if (kind == FC_COUNT_SAMPLE || kind == FC_COUNT_SEEN)
    {
        const FcStackUsedUp used_up = {
            .function = function,
            .site = event->site,
            .time = event->time,
            .weight = weight,
            .length = (guint)(event->function >> FC_COUNT_LENGTH_SHIFT & FC_COUNT_LENGTH_MASK),
            .is_double = (event->function >> FC_COUNT_SPARING_SHIFT & FC_COUNT_DOUBLED) != 0};
        fc_stack_end_stretch(stack, before, &used_up);
    }
    if (kind == FC_COUNT_SEEN)
        fc_stack_begin_stretch(stack, event->time, weight);
    if (kind != FC_COUNT_SAMPLE && kind != FC_COUNT_ONE && kind != FC_COUNT_SEEN && !deep)
    {
        stack->counts->repairs.bad_records++;
        return;
    }
    if (address - stack->low >= stack->size)
        fc_stack_find_segment(stack, address, FC_RECORD_ENTER, function, event->time);
    if (address >= stack->frames[stack->top].address)
        repair_entry(stack, function, event->site, address, return_bits_of(event), event->time);
    if (kind != FC_COUNT_SAMPLE)
    {
        const FcStackCall call = {.function = function,
                                  .site = event->site,
                                  .time = event->time,
                                  .calls = kind == FC_COUNT_ONE || kind == FC_COUNT_DEEP_ONE,
                                  .weight = weight,
                                  .deep = deep};
        fc_stack_count_call(stack, &call);
        return;
    }
    struct StackFrame *frame =
        fc_stack_begin_sample(stack, function, event->site, event->time, weight);
    frame->address = address;
    frame->return_bits = return_bits_of(event);
}

/* A record of any other kind than those of the hot path; the one before it was at `before`. */
G_NO_INLINE static void take_other(FcStack *stack, const struct Event *event, guint64 before)
{
    switch ((enum FcRecordKind)kind_of(event))
    {
    case FC_RECORD_JUMP:
        jump(stack, event->address, event->time);
        return;
    case FC_RECORD_ALLOCATED:
    case FC_RECORD_FREE:
    case FC_RECORD_REALLOC:
    case FC_RECORD_REALLOCATED:
    case FC_RECORD_NAMED:
    case FC_RECORD_FREE_NAMED:
    case FC_RECORD_MAPPED:
    case FC_RECORD_UNMAP:
    case FC_RECORD_STACK:
        if (stack->heap)
            fc_heap_record(stack->heap, event->time, event->function, event->site, event->where,
                           stack->frames[stack->top].node);
        return;
    case FC_RECORD_COUNT:
        count(stack, event, before);
        return;
    case FC_RECORD_OFF:
        if (fc_stack_depth(stack) == 0)
            fc_stack_note_outside(stack, before, event->time);
        fc_stack_take_off(stack, event->where >> FC_OFF_RECORD_SHIFT & FC_OFF_RECORD_MASK,
                          event->function, event->site, before, event->time);
        return;
    case FC_RECORD_ENTER:
    case FC_RECORD_EXIT:
    case FC_RECORD_SWITCH:
        break; /* never given to this function */
    }
    stack->counts->repairs.bad_records++;
}

/* What the last word of a record holds above the call site: `generation` in its place.  FALSE: the
 * record is not there yet. */
static inline gboolean read_record(const struct FcRecord *record, guint64 generation,
                                   struct Event *event)
{
    /* acquire: pairs with the hook's release of the record's last word */
    event->site = __atomic_load_n(&record->site, __ATOMIC_ACQUIRE) ^ generation;
    event->time = __atomic_load_n(&record->time, __ATOMIC_RELAXED);
    event->function = __atomic_load_n(&record->function, __ATOMIC_RELAXED);
    event->where = __atomic_load_n(&record->where, __ATOMIC_RELAXED);
    event->address = event->where & FC_WHERE_ADDRESS_MASK;
    event->after_inlining = (event->function & FC_FUNCTION_AFTER_INLINING) != 0;
    if (G_UNLIKELY(event->after_inlining))
    {
        event->function &= ~FC_FUNCTION_AFTER_INLINING;
        event->address |= return_bits_of(event) & 8u;
        event->where &= FC_WHERE_KIND_MASK | FC_WHERE_ADDRESS_MASK;
    }
    return event->site >> FC_SITE_GENERATION_SHIFT == 0;
}

/* Whether `exit`, the next record, is that of the call that `entry` began.  leave() would find
 * nothing to repair there. */
static inline gboolean is_own_exit(const FcStack *stack, const struct Event *entry,
                                   const struct Event *exit)
{
    if (exit->address - stack->low >= stack->size)
        return FALSE;
    if (G_UNLIKELY(exit->after_inlining)) /* equal: it was tail-called */
        return exit->address == entry->address && exit->site == entry->site &&
               stack->frames[stack->top].address != entry->address;
    return exit->function == entry->function &&
           (exit->address <= entry->address || is_tail_called(exit));
}

/* When the call that `entry` began ends, if `record`, the one after it, is there and says so; else
 * FC_STACK_NO_TIME.  Of exits that are not where the entry was: a hook that was tail-called, say.
 */
G_NO_INLINE static guint64 find_other_exit(const FcStack *stack, const struct Event *entry,
                                           const struct FcRecord *record, guint64 generation)
{
    struct Event exit;
    if (!read_record(record, generation, &exit) || kind_of(&exit) != FC_RECORD_EXIT ||
        !is_own_exit(stack, entry, &exit))
        return FC_STACK_NO_TIME;
    return exit.time;
}

/* The same of any.  Most exits differ from their entry in their kind and time alone, and where they
 * return to. */
static inline guint64 find_own_exit(const FcStack *stack, const struct Event *entry,
                                    const struct FcRecord *record, guint64 generation)
{
    /* acquire: as in read_record */
    const guint64 site = __atomic_load_n(&record->site, __ATOMIC_ACQUIRE) ^ generation;
    const guint64 differ = __atomic_load_n(&record->where, __ATOMIC_RELAXED) ^ entry->where;
    if ((differ & FC_WHERE_KIND_MASK) != (FC_RECORD_ENTER ^ FC_RECORD_EXIT))
        return FC_STACK_NO_TIME;
    guint64 time;
    if (G_LIKELY(site == entry->site && (differ & FC_WHERE_ADDRESS_MASK) == 0 &&
                 __atomic_load_n(&record->function, __ATOMIC_RELAXED) == entry->function &&
                 !entry->after_inlining))
        time = __atomic_load_n(&record->time, __ATOMIC_RELAXED);
    else
    {
        const struct Event other = *entry; /* `entry` itself is in registers */
        time = find_other_exit(stack, &other, record, generation);
    }
    return time != FC_STACK_NO_TIME ? MAX(time, entry->time) : time;
}

/* As fc_stack_feed, up to where a window begins or something is pending. */
static guint32 feed(FcStack *stack, const struct FcRecord *records, guint32 from, guint32 to,
                    guint32 generation)
{
    const guint64 in_place = (guint64)generation << FC_SITE_GENERATION_SHIFT;
    const struct FcRecord *end = &records[to];
    const struct FcRecord *record = &records[from];
    for (; record < end; record++)
    {
        struct Event event;
        if (G_UNLIKELY(!read_record(record, in_place, &event)))
            break;
        const guint64 kind = kind_of(&event);
        const guint64 before = stack->last;
        if (G_UNLIKELY(event.time < before))
            event.time = before;
        stack->last = event.time;
        if (G_UNLIKELY(event.time >= stack->next_change))
            apply_changes(stack, event.time);
        if (G_UNLIKELY(kind < FC_RECORD_ENTER || kind > FC_RECORD_SWITCH))
        {
            struct Event other = event; /* `event` itself is in registers */
            take_other(stack, &other, before);
            if (G_UNLIKELY(stack->is_window || stack->is_pending))
                return (guint32)(record + 1 - records);
            continue;
        }
        if (G_UNLIKELY(event.address - stack->low >= stack->size))
            fc_stack_find_segment(stack, event.address, kind, event.function, event.time);
        if (kind == FC_RECORD_EXIT)
            leave(stack, &event);
        else if (kind == FC_RECORD_ENTER)
        {
            guint64 left = FC_STACK_NO_TIME;
            if (record + 1 < end)
                left = find_own_exit(stack, &event, record + 1, in_place);
            enter(stack, &event, left);
            if (left != FC_STACK_NO_TIME)
                record++;
        }
        /* a switch is done: fc_stack_find_segment went to the other stack */
    }
    return (guint32)(record - records);
}

/* One record that is there; what was pending before it comes after it. */
static void feed_one(FcStack *stack, const struct FcRecord *records, guint32 at, guint32 generation)
{
    const gboolean is_pending = stack->is_pending;
    feed(stack, records, at, at + 1, generation);
    if (is_pending)
        fc_stack_take_pending(stack);
}

/* Within a window, one record after the other: of each call it is certain who made it. */
static guint32 feed_window(FcStack *stack, const struct FcRecord *records, guint32 from, guint32 to,
                           guint32 generation)
{
    guint32 at = from;
    for (; at < to && stack->is_window; at++)
    {
        struct Event event;
        if (!read_record(&records[at], (guint64)generation << FC_SITE_GENERATION_SHIFT, &event))
            break;
        const guint32 top = stack->top;
        const gboolean is_whole = stack->frames[top].away == 0;
        const gint segment = stack->current;
        feed_one(stack, records, at, generation);
        if (kind_of(&event) == FC_RECORD_ENTER && stack->top > 0)
            fc_stack_enter_window(stack);
        else if (kind_of(&event) == FC_RECORD_EXIT && stack->current == segment &&
                 stack->top + 1 == top && is_whole)
            fc_stack_leave_window(stack);
    }
    return at;
}

static guint32 feed_pending(FcStack *stack, const struct FcRecord *records, guint32 from,
                            guint32 to, guint32 generation)
{
    struct Event event;
    if (from == to ||
        !read_record(&records[from], (guint64)generation << FC_SITE_GENERATION_SHIFT, &event))
        return from;
    feed_one(stack, records, from, generation);
    return from + 1;
}

guint32 fc_stack_feed(FcStack *stack, const struct FcRecord *records, guint32 from, guint32 to,
                      guint32 generation)
{
    for (;;)
    {
        const guint32 begun = from;
        if (stack->is_window)
            from = feed_window(stack, records, from, to, generation);
        else if (stack->is_pending)
            from = feed_pending(stack, records, from, to, generation);
        else
            from = feed(stack, records, from, to, generation);
        if (from == to || from == begun)
            return from;
    }
}

void fc_stack_modules_changed(FcStack *stack)
{
    stack->next_change = 0;
}
