/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See repair.h.
 */
#include "fcmanager/stack/repair.h"

#include "fcmanager/stack/segments.h"
#include "libfc/fc-format.h"

static void close_above(FcStack *stack, guint32 index, guint64 time, guint64 *count)
{
    while (stack->top > index)
    {
        pop_frame(stack, time);
        (*count)++;
    }
}

/* Closes the frames below `address`: a jump left them. */
static void repair_jump(FcStack *stack, guint64 address, guint64 time)
{
    guint32 keep = stack->top;
    while (keep > 0 && stack->frames[keep].address < address)
        keep--;
    close_above(stack, keep, time, &stack->counts->repairs.jumps);
}

void fc_stack_jump(FcStack *stack, guint64 address, guint64 time)
{
    if (address - stack->low >= stack->size)
        fc_stack_find_segment(stack, address, FC_RECORD_JUMP, 0, time);
    repair_jump(stack, address, time);
}

/* Repairs an entry at the innermost frame's own address.  Functions that are inlined into one
 * another share the address and call site.  But if the call site is another one, or the same call
 * is made again, the frame there must have ended. */
static void repair_repeated(FcStack *stack, guint64 function, guint64 site, guint64 address,
                            guint16 return_bits, guint64 time)
{
    for (guint32 i = stack->top; i > 0 && stack->frames[i].address == address; i--)
    {
        const struct StackFrame *frame = &stack->frames[i];
        if (frame->site != site ||
            (frame->function == function && return_bits_of_frame(frame) == return_bits))
        {
            close_above(stack, i - 1, time, &stack->counts->repairs.jumps);
            return;
        }
    }
}

void fc_stack_repair_entry(FcStack *stack, guint64 function, guint64 site, guint64 address,
                           guint16 return_bits, guint64 time)
{
    repair_jump(stack, address, time);
    repair_repeated(stack, function, site, address, return_bits, time);
}

void fc_stack_repair_exit(FcStack *stack, guint64 function, guint64 address, gboolean tail,
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
            found = i; /* the innermost one, for if no address fits */
    }
    if (found == 0)
    {
        stack->counts->repairs.unmatched_exits++;
        return;
    }
    close_above(stack, found, time, &stack->counts->repairs.missed_exits);
    pop_frame(stack, time);
}

void fc_stack_repair_exit_at(FcStack *stack, guint64 address, guint64 site, guint64 time)
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
