/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hot path of the manager: see stack.h.  An entry costs one look-up of the edge
 * (context, call site, function) -> (child context, arc); an exit adds to the
 * frame's function, arc and context.  A call that calls nothing, whose exit follows its
 * entry at once, is counted without a frame.  Stacks are taken to grow downwards.
 */
#include "fcmanager/stack/stack.h"

#include "fcmanager/stack/counted.h"
#include "fcmanager/stack/frames.h"
#include "fcmanager/stack/off.h"
#include "fcmanager/stack/records.h"
#include "fcmanager/stack/repair.h"
#include "fcmanager/stack/segments.h"
#include "fcmanager/stack/short.h"

/* ---- Calls -------------------------------------------------------------------- */

/* Whether the exit hook returned to the call site, and not into the function. */
static inline gboolean is_tail_called(const struct Event *exit)
{
    return return_bits_of(exit) == (guint16)exit->site;
}

/* `left`: when the call ended, if the next record is its exit; else FC_STACK_NO_TIME. */
static inline void enter(FcStack *stack, const struct Event *entry, guint64 left)
{
    if (G_UNLIKELY(entry->address >= stack->frames[stack->top].address))
        fc_stack_repair_entry(stack, entry->function, entry->site, entry->address,
                              return_bits_of(entry), entry->time);
    const StackEdge edge = edge_from_top(stack, entry->function, entry->site, entry->time);
    if (left != FC_STACK_NO_TIME)
    {
        const FramePlace place = place_of(stack->counts, edge.node, edge.arc);
        add_leaf_call(stack, edge, &place, entry->time, left - entry->time);
        stack->last = left;
        return;
    }
    const struct FcCallSite callee = {entry->function, entry->site};
    push_frame(stack, edge, &callee, exit_word_of(entry), entry->time)->address = entry->address;
    stack->counts->nodes[edge.node].calls++;
    stack->counts->arcs[edge.arc].calls++;
}

static inline void leave_at(FcStack *stack, const struct Event *exit)
{
    const struct StackFrame *top = &stack->frames[stack->top];
    if (G_LIKELY(stack->top > 0 && top->address == exit->address && top->site == exit->site &&
                 top[-1].address != exit->address))
        pop_frame(stack, exit->time);
    else
        fc_stack_repair_exit_at(stack, exit->address, exit->site, exit->time);
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
        fc_stack_repair_exit(stack, exit->function, exit->address, is_tail_called(exit),
                             exit->time);
}

/* ---- Records ------------------------------------------------------------------ */

/* Drops what is known of addresses whose module changed.  First called for the first record. */
static void apply_changes(FcStack *stack, guint64 time)
{
    stack->first = MIN(stack->first, time);
    stack->next_change = fc_counts_apply_changes(stack->counts, time);
    fc_stack_forget_site_edges(stack);
}

/* Takes a record of a function whose calls are counted. */
static void count(FcStack *stack, const struct Event *event)
{
    guint64 function = event->function & FC_POINTER_MASK;
    guint64 address = event->address;
    guint kind = (guint)(event->function >> FC_COUNT_RECORD_SHIFT & FC_COUNT_RECORD_MASK);
    guint64 weight = G_GUINT64_CONSTANT(1)
                     << (event->function >> FC_COUNT_BACKOFF_SHIFT & FC_COUNT_BACKOFF_MASK);
    if (kind == FC_COUNT_BEGINS || kind == FC_COUNT_BEGINS_NESTED)
    {
        fc_stack_begin_counting(stack, function, event->time, kind == FC_COUNT_BEGINS_NESTED);
        return;
    }
    if (kind == FC_COUNT_BURST_ENDS)
    {
        fc_stack_cut_burst(stack);
        return;
    }
    const gboolean deep = kind == FC_COUNT_DEEP_ONE || kind == FC_COUNT_DEEP_SEEN;
    if (kind != FC_COUNT_SAMPLE && kind != FC_COUNT_ONE && kind != FC_COUNT_SEEN && !deep)
    {
        stack->counts->repairs.bad_records++;
        return;
    }
    if (address - stack->low >= stack->size)
        fc_stack_find_segment(stack, address, FC_RECORD_ENTER, function, event->time);
    if (address >= stack->frames[stack->top].address)
        fc_stack_repair_entry(stack, function, event->site, address, return_bits_of(event),
                              event->time);
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
    const struct FcCallSite callee = {function, event->site};
    fc_stack_begin_sample(stack, &callee, exit_word_of(event), event->time, weight)->address =
        address;
}

/* Takes a record of a kind that is not for the hot path.  The record before it was at `before`. */
G_NO_INLINE static void take_other(FcStack *stack, const struct Event *event, guint64 before)
{
    switch ((enum FcRecordKind)kind_of(event))
    {
    case FC_RECORD_JUMP:
        fc_stack_jump(stack, event->address, event->time);
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
        count(stack, event);
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
    case FC_RECORD_SHORT:
        break; /* only a short one, whose call-site number was never given, comes here */
    }
    stack->counts->repairs.bad_records++;
}

/* Whether `exit`, the next record, ends the call that `entry` began.  Then leave() would find
 * nothing to repair. */
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

/* The exit of an entry, if it is the next record. */
typedef struct
{
    guint64 time; /* FC_STACK_NO_TIME: the next record is not the exit, or is not there */
    guint32 units;
} OwnExit;

/* find_own_exit() for rare cases: the exit's address is not the entry's, as when the hook was
 * tail-called, or only one of the two records is short. */
G_NO_INLINE static OwnExit find_other_exit(FcStack *stack, const struct Event *entry,
                                           const struct FcUnit *units, guint64 generation)
{
    struct Event exit;
    OwnExit found = {FC_STACK_NO_TIME, read_record_out_of_line(stack, units, generation, &exit)};
    if (found.units != 0 && kind_of(&exit) == FC_RECORD_EXIT && is_own_exit(stack, entry, &exit))
        found.time = MAX(exit.time, entry->time);
    return found;
}

/* Checks whether the record after the entry is its exit.  Most exits differ from their entry only
 * in the kind, the time and the bits of the return address. */
static inline OwnExit find_own_exit(FcStack *stack, const struct Event *entry,
                                    const struct FcUnit *units, guint64 generation)
{
    const OwnExit none = {FC_STACK_NO_TIME, 0};
    /* acquire: as in read_record */
    const guint64 last = __atomic_load_n(&units->last, __ATOMIC_ACQUIRE);
    const guint64 first = __atomic_load_n(&units->first, __ATOMIC_RELAXED);
    const guint64 kind = first & FC_WHERE_KIND_MASK;
    const guint64 differ = (first ^ entry->first) << (64 - FC_WHERE_RETURN_SHIFT);
    if (kind == FC_RECORD_SHORT)
    {
        if (last >> FC_SITE_GENERATION_SHIFT != FC_GENERATION_OF_SHORT(generation) ||
            (first & FC_SHORT_EXIT) == 0)
            return none;
        if (G_LIKELY(differ == FC_SHORT_EXIT << (64 - FC_WHERE_RETURN_SHIFT)))
            return (OwnExit){MAX(fc_record_time(last, entry->time), entry->time), 1};
    }
    else
    {
        if (kind != FC_RECORD_EXIT)
            return none;
        const guint64 site = __atomic_load_n(&units[1].last, __ATOMIC_ACQUIRE);
        if (G_LIKELY(differ == (guint64)(FC_RECORD_ENTER ^ FC_RECORD_EXIT)
                                   << (64 - FC_WHERE_RETURN_SHIFT) &&
                     site == (entry->site | generation << FC_SITE_GENERATION_SHIFT) &&
                     __atomic_load_n(&units[1].first, __ATOMIC_RELAXED) == entry->function &&
                     !entry->after_inlining))
            return (OwnExit){MAX(last, entry->time), FC_RECORD_UNITS};
    }
    const struct Event other = *entry; /* `entry` itself is in registers */
    return find_other_exit(stack, &other, units, generation);
}

/* The same as fc_stack_feed, but returns when a burst begins or time off the CPU is pending. */
static guint32 feed(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                    guint32 generation)
{
    const guint64 in_place = (guint64)FC_GENERATION_OF_SHORT(generation)
                             << FC_SITE_GENERATION_SHIFT;
    guint32 at = from;
    while (at < to)
    {
        if (is_short(&units[at]))
        {
            at = (guint32)(fc_stack_feed_short(stack, &units[at], &units[to], in_place) - units);
            if (at >= to)
                break;
        }
        struct Event event;
        const guint64 before = stack->last;
        const guint32 read = read_record(stack, &units[at], generation, &event);
        if (G_UNLIKELY(read == 0))
            break;
        at += read;
        const guint64 kind = kind_of(&event);
        if (G_UNLIKELY(event.time < before))
            event.time = before;
        stack->last = event.time;
        if (G_UNLIKELY(event.time >= stack->next_change))
            apply_changes(stack, event.time);
        if (G_UNLIKELY(kind < FC_RECORD_ENTER || kind > FC_RECORD_SWITCH))
        {
            struct Event other = event; /* `event` itself is in registers */
            take_other(stack, &other, before);
            if (G_UNLIKELY(stack->is_burst || stack->is_pending))
                return at;
            continue;
        }
        if (G_UNLIKELY(event.address - stack->low >= stack->size))
            fc_stack_find_segment(stack, event.address, kind, event.function, event.time);
        if (kind == FC_RECORD_EXIT)
            leave(stack, &event);
        else if (kind == FC_RECORD_ENTER)
        {
            OwnExit exit = {FC_STACK_NO_TIME, 0};
            if (at < to)
                exit = find_own_exit(stack, &event, &units[at], generation);
            enter(stack, &event, exit.time);
            if (exit.time != FC_STACK_NO_TIME)
                at += exit.units;
        }
        /* a switch needs no more: fc_stack_find_segment has switched to the other stack */
    }
    return at;
}

/* Places the pending time before the next record, `event`, is taken. */
static void read_ahead(FcStack *stack, const struct Event *event)
{
    if (!stack->is_pending || event->time <= stack->off_time)
        return;
    if (kind_of(event) == FC_RECORD_OFF && fc_stack_depth(stack) == 0)
        fc_stack_note_outside(stack, stack->last, event->time); /* also for the pending time */
    fc_stack_take_pending(stack, event->time);
}

/* Takes records within a burst, one at a time, since there the caller of each call is certain. */
static guint32 feed_burst(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                          guint32 generation)
{
    guint32 at = from;
    while (at < to && stack->is_burst)
    {
        struct Event event;
        if (read_record_out_of_line(stack, &units[at], generation, &event) == 0)
            break;
        read_ahead(stack, &event);
        const guint32 top = stack->top;
        const gboolean is_whole = stack->frames[top].away == 0;
        const gint segment = stack->current;
        at = feed(stack, units, at, at + 1, generation);
        if (kind_of(&event) == FC_RECORD_ENTER && stack->top > 0)
            fc_stack_enter_in_burst(stack);
        else if (kind_of(&event) == FC_RECORD_EXIT && stack->current == segment &&
                 stack->top + 1 == top && is_whole)
            fc_stack_leave_in_burst(stack);
    }
    return at;
}

static guint32 feed_pending(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                            guint32 generation)
{
    struct Event event;
    if (from >= to || read_record_out_of_line(stack, &units[from], generation, &event) == 0)
        return from;
    read_ahead(stack, &event);
    return feed(stack, units, from, from + 1, generation);
}

guint32 fc_stack_feed(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                      guint32 generation)
{
    for (;;)
    {
        const guint32 begun = from;
        if (stack->is_burst)
            from = feed_burst(stack, units, from, to, generation);
        else if (stack->is_pending)
            from = feed_pending(stack, units, from, to, generation);
        else
            from = feed(stack, units, from, to, generation);
        if (from >= to || from == begun)
            return from;
    }
}

void fc_stack_learn_sites(FcStack *stack, const struct FcUnit *units, guint32 from, guint32 to,
                          guint32 generation)
{
    struct Event event;
    for (guint32 at = from; at < to;)
        at += MAX(read_record_out_of_line(stack, &units[at], generation, &event), 1);
}

void fc_stack_modules_changed(FcStack *stack)
{
    stack->next_change = 0;
}
