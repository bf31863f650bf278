/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which frames will be open when records are read that can't be yet: see stack.h.  Knows no
 * times and repairs little: it is for the few records of a handler behind the hook that it
 * interrupted.
 */
#include "fcmanager/stack-records.h"
#include "fcmanager/stack.h"

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

/* Whether it is the end of that call. */
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
        const guint32 read = look_at_record(stack, &units[at], generation, &event);
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
