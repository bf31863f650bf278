/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stacks that nobody announced: of coroutines that a library switches to by itself.  Nothing is
 * known of them but the addresses of their frames; each stack with open frames is a strand.  As
 * stacks grow downwards and share no memory, an address belongs to the strand whose outermost frame
 * is the next one above it, unless its innermost is too far away.  Called by segments.c.
 */
#include "fcmanager/stack-internal.h"

/* A function's frame may be larger; that only makes it a strand of its own, called by the other. */
#define STEP 0x2000
/* A stack that is used again begins this close to where it did. */
#define BEGIN_STEP 0x400

/* A wild program's records may be anywhere.  Beyond so many, where nothing was met before counts
 * as the current stack. */
#define STRANDS_MAX 32768u

typedef struct
{
    guint64 bottom; /* address of the outermost frame when it was entered: the highest */
    gint segment;
} FcStrand;

static const struct Frame *innermost(const FcStack *stack, gint index)
{
    const struct Segment *segment = &stack->segments[index];
    return index == stack->current ? &stack->frames[stack->top] : &segment->frames[segment->top];
}

/* Index of the first strand that begins at `address` or above. */
static guint lower_bound(const FcStack *stack, guint64 address)
{
    guint low = 0;
    guint high = stack->strands->len;
    while (low < high)
    {
        guint middle = low + (high - low) / 2;
        if (g_array_index(stack->strands, FcStrand, middle).bottom < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Above where `strand` began: an exit hook that was tail-called, a jump to whoever called the
 * outermost function, or another use of the stack. */
static gboolean is_behind(const FcStack *stack, const FcStrand *strand, guint64 address,
                          guint64 kind, guint64 function)
{
    guint64 step = kind == FC_RECORD_EXIT ? STEP : BEGIN_STEP;
    return address - strand->bottom < step &&
           (kind != FC_RECORD_EXIT || innermost(stack, strand->segment)->function == function);
}

gint fc_stack_find_strand(FcStack *stack, guint64 address, guint64 kind, guint64 function)
{
    if (stack->strands == NULL)
        return -1;
    guint at = lower_bound(stack, address);
    if (at < stack->strands->len)
    {
        const FcStrand *strand = &g_array_index(stack->strands, FcStrand, at);
        guint64 top = innermost(stack, strand->segment)->address;
        if (address >= top || top - address < STEP)
            return strand->segment;
    }
    if (at > 0)
    {
        FcStrand *strand = &g_array_index(stack->strands, FcStrand, at - 1);
        if (is_behind(stack, strand, address, kind, function))
        {
            if (kind == FC_RECORD_ENTER) /* the order stays */
                strand->bottom = stack->segments[strand->segment].low = address;
            return strand->segment;
        }
    }
    return stack->strands->len < STRANDS_MAX ? -1 : stack->current;
}

void fc_stack_add_strand(FcStack *stack, guint64 address, gint index)
{
    if (stack->strands == NULL)
    {
        stack->strands = g_array_new(FALSE, FALSE, sizeof(FcStrand));
        stack->idle_strands = g_array_new(FALSE, FALSE, sizeof(gint));
    }
    FcStrand strand = {address, index};
    stack->segments[index].low = address;
    g_array_insert_val(stack->strands, lower_bound(stack, address), strand);
}

void fc_stack_drop_strand(FcStack *stack, gint index)
{
    guint at = lower_bound(stack, stack->segments[index].low);
    g_array_remove_index(stack->strands, at);
    g_array_append_val(stack->idle_strands, index);
}
