/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finding an inferred segment by address: see inferred.h.
 *
 * Stacks grow downwards and share no memory.  So an address belongs to the segment whose
 * outermost frame is the next one at or above it, unless the innermost frame of that is too far
 * away.
 */
#include "fcmanager/stack/inferred.h"

#include "libfc/fc-format.h"
#include "profile/search.h"

/* A frame more than this below the innermost one is taken to be on another stack.  If that is wrong
 * (a function with a large frame), it gets a segment that the other one calls, and the figures are
 * the same. */
#define STEP 0x2000
/* An entry less than this above the outermost frame is on the same stack, which is used anew. */
#define BEGIN_STEP 0x400

/* A program that overwrites its records may have any addresses in them.  When there are so many
 * segments, an address near none of them counts as on the current one. */
#define INFERRED_MAX 32768u

typedef struct
{
    guint64 bottom; /* address of the outermost frame when it was entered: the highest */
    gint segment;
} Inferred;

static const struct StackFrame *innermost(const FcStack *stack, gint index)
{
    const struct StackSegment *segment = &stack->segments[index];
    return index == stack->current ? &stack->frames[stack->top] : &segment->frames[segment->top];
}

/* Index of the first segment whose outermost frame is at `address` or above. */
static guint find_bottom(const FcStack *stack, guint64 address)
{
    return (guint)FC_FIRST_WHERE(stack->inferred->len, i,
                                 g_array_index(stack->inferred, Inferred, i).bottom >= address);
}

/* Whether an address above the outermost frame of `found` is on that stack all the same: an exit
 * hook that was tail-called runs on its caller's frame, a jump may go to the caller of the
 * outermost function, and the stack may be used anew from about where it began. */
static gboolean is_just_above(const FcStack *stack, const Inferred *found, guint64 address,
                              guint64 kind, guint64 function)
{
    guint64 step = kind == FC_RECORD_EXIT ? STEP : BEGIN_STEP;
    return address - found->bottom < step &&
           (kind != FC_RECORD_EXIT || innermost(stack, found->segment)->function == function);
}

gint fc_stack_find_inferred(FcStack *stack, guint64 address, guint64 kind, guint64 function)
{
    if (!stack->inferred)
        return -1;
    guint at = find_bottom(stack, address);
    if (at < stack->inferred->len)
    {
        const Inferred *found = &g_array_index(stack->inferred, Inferred, at);
        guint64 top = innermost(stack, found->segment)->address;
        if (address >= top || top - address < STEP)
            return found->segment;
    }
    if (at > 0)
    {
        Inferred *found = &g_array_index(stack->inferred, Inferred, at - 1);
        if (is_just_above(stack, found, address, kind, function))
        {
            if (kind == FC_RECORD_ENTER) /* the order stays */
                found->bottom = stack->segments[found->segment].low = address;
            return found->segment;
        }
    }
    return stack->inferred->len < INFERRED_MAX ? -1 : stack->current;
}

void fc_stack_add_inferred(FcStack *stack, guint64 address, gint index)
{
    if (!stack->inferred)
        stack->inferred = g_array_new(FALSE, FALSE, sizeof(Inferred));
    Inferred added = {address, index};
    stack->segments[index].low = address;
    g_array_insert_val(stack->inferred, find_bottom(stack, address), added);
}

void fc_stack_drop_inferred(FcStack *stack, gint index)
{
    guint at = find_bottom(stack, stack->segments[index].low);
    g_array_remove_index(stack->inferred, at);
}
