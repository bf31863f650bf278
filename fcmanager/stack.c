/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hot path of the manager: see stack.h.  An entry costs one look-up of the edge
 * (context, call site, function) -> (child context, arc); an exit adds to the
 * frame's function, arc and context.  Stacks are taken to grow downwards.
 */
#include "fcmanager/stack.h"

#include "fcmanager/stack-frames.h"
#include "fcmanager/stack-segments.h"

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

static inline void enter(FcStack *stack, guint64 function, guint64 site, guint64 address,
                         guint16 return_bits, guint64 time)
{
    if (G_UNLIKELY(address >= stack->frames[stack->top].address))
    {
        repair_jump(stack, address, time);
        repair_repeated(stack, function, site, address, return_bits, time);
    }
    struct StackFrame *frame = push_frame(stack, function, site, time);
    frame->address = address;
    frame->return_bits = return_bits;
    frame->inherited = FALSE;
    stack->counts->nodes[frame->node].calls++;
    stack->counts->arcs[frame->arc].calls++;
}

/* The exit of a function that is not (clearly) the innermost frame's.  An exit hook that was
 * tail-called, so that it returns to the call site, ran on its caller's frame; any other ran
 * on the frame of its function, unless that moved the stack pointer (alloca). */
static void repair_exit(FcStack *stack, guint64 function, guint64 address, gboolean tail,
                        guint64 time)
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

static inline void leave(FcStack *stack, guint64 function, guint64 site, guint64 address,
                         guint16 return_bits, guint64 time)
{
    const struct StackFrame *top = &stack->frames[stack->top];
    gboolean tail = return_bits == (guint16)site;
    if (G_LIKELY(top->function == function && stack->top > 0 && (address <= top->address || tail)))
        pop_frame(stack, time);
    else
        repair_exit(stack, function, address, tail, time);
}

/* ---- Records ------------------------------------------------------------------ */

static void apply_changes(FcStack *stack, guint64 time)
{
    stack->next_change = fc_counts_apply_changes(stack->counts, time);
}

/* A record of any other kind than those of the hot path. */
G_NO_INLINE static void take_other(FcStack *stack, guint64 kind, guint64 time, guint64 function,
                                   guint64 site, guint64 where)
{
    time = MAX(time, stack->last);
    stack->first = MIN(stack->first, time);
    stack->last = time;
    if (G_UNLIKELY(time >= stack->next_change))
        apply_changes(stack, time);
    switch ((enum FcRecordKind)kind)
    {
    case FC_RECORD_JUMP:
        jump(stack, where & FC_WHERE_ADDRESS_MASK, time);
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
            fc_heap_record(stack->heap, time, function, site, where,
                           stack->frames[stack->top].node);
        return;
    case FC_RECORD_ENTER:
    case FC_RECORD_EXIT:
    case FC_RECORD_SWITCH:
        break; /* never given to this function */
    }
    stack->counts->repairs.bad_records++;
}

guint32 fc_stack_feed(FcStack *stack, const struct FcRecord *records, guint32 from, guint32 to,
                      guint32 generation)
{
    for (guint32 i = from; i < to; i++)
    {
        /* acquire: pairs with the hook's release of the record's last word */
        guint64 last_word = __atomic_load_n(&records[i].site, __ATOMIC_ACQUIRE);
        if (G_UNLIKELY(last_word >> FC_SITE_GENERATION_SHIFT != generation))
            return i;
        guint64 time = __atomic_load_n(&records[i].time, __ATOMIC_RELAXED);
        guint64 function = __atomic_load_n(&records[i].function, __ATOMIC_RELAXED);
        guint64 where = __atomic_load_n(&records[i].where, __ATOMIC_RELAXED);
        guint64 site = last_word & FC_SITE_ADDRESS_MASK;
        guint64 address = where & FC_WHERE_ADDRESS_MASK;
        guint16 return_bits = (guint16)(where >> FC_WHERE_RETURN_SHIFT);
        guint64 kind = where & FC_WHERE_KIND_MASK;

        if (G_UNLIKELY(kind < FC_RECORD_ENTER || kind > FC_RECORD_SWITCH))
        {
            take_other(stack, kind, time, function, site, where);
            continue;
        }
        if (G_UNLIKELY(time < stack->last))
            time = stack->last;
        if (G_UNLIKELY(stack->first == FC_STACK_NO_TIME))
            stack->first = time;
        stack->last = time;
        if (G_UNLIKELY(time >= stack->next_change))
            apply_changes(stack, time);
        if (G_UNLIKELY(address - stack->low >= stack->size))
            fc_stack_find_segment(stack, address, kind, function, time);
        if (kind == FC_RECORD_ENTER)
            enter(stack, function, site, address, return_bits, time);
        else if (kind == FC_RECORD_EXIT)
            leave(stack, function, site, address, return_bits, time);
        /* a switch is done: fc_stack_find_segment went to the other stack */
    }
    return to;
}

void fc_stack_modules_changed(FcStack *stack)
{
    stack->next_change = 0;
}
