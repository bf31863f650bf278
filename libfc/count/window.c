/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See window.h.
 */
#include "libfc/count/window.h"

#include "libfc/base/nested.h"
#include "libfc/base/place.h"
#include "libfc/base/signals.h"
#include "libfc/base/thread.h"
#include "libfc/count/held.h"

static uint64_t place_of(const struct FcWindowFrame *frame)
{
    return fc_place_of(frame->function, frame->where);
}

void fc_window_open(struct FcCounted *counted, const struct FcFunction *known, uint64_t site,
                    uint64_t where)
{
    counted->window_number++;
    counted->window[0] = (struct FcWindowFrame){FC_LOAD_RELAXED(known->function), site, where};
    counted->window_top = 1;
    counted->window_left = FC_WINDOW_RECORDS;
    counted->is_window = true;
    fc_counters_install_table(counted);
}

void fc_window_close(struct FcCounted *counted)
{
    counted->is_window = false;
    fc_counters_install_table(counted);
}

/* The first frame's function is held from now on, and of each counted function that is
 * open within the window the outermost activation: their exits are to come.  The frames of
 * the others end here.  Signals blocked, and nothing begins to be counted meanwhile. */
static void hold_what_is_open(struct FcCounted *counted)
{
    uint32_t top = counted->window_top;
    const struct FcWindowFrame root = counted->window[0];
    for (uint32_t i = 0; i < top; i++)
    {
        const struct FcWindowFrame *frame = &counted->window[i];
        struct FcFunction *known = fc_counters_find(counted, frame->function);
        bool is_first = known != NULL;
        struct FcNested nested = {0};
        bool is_any = false;
        for (uint32_t k = 0; k < i && is_first; k++)
            is_first = counted->window[k].function != frame->function;
        /* its sample is over, and the EXIT is recorded by whom this handler interrupted; or the
           SAMPLE has yet to be */
        if (!is_first || (i == 0 && !fc_held_is(known)))
            continue;
        /* Where an activation is held that began before the window, or before the function was
           counted, all in the window are nested ones. */
        const bool was_held = i > 0 && fc_held_is(known) && !fc_held_is_below(known, frame->where);
        const uint64_t site = was_held ? known->site : frame->site;
        const uint64_t where = was_held ? known->where : frame->where;
        for (uint32_t k = was_held ? i : i + 1; k < top; k++)
            if (counted->window[k].function == frame->function)
            {
                is_any = true;
                fc_nested_add(was_held ? &known->nested : &nested, site,
                              fc_held_place(known, where), counted->window[k].site,
                              place_of(&counted->window[k]));
            }
        if (!was_held)
            fc_held_begin(counted, known, site, where, nested);
        if (is_any)
            fc_counters_tell(known->is_nested ? FC_COUNT_BEGINS_NESTED : FC_COUNT_BEGINS,
                             frame->function, frame->site, frame->where);
    }
    fc_counters_tell(FC_COUNT_WINDOW_ENDS, root.function, root.site, root.where);
}

void fc_window_end_early(struct FcCounted *counted)
{
    uint64_t old = fc_block_signals();
    if (counted->is_window) /* a handler may have ended it */
    {
        counted->is_window_ending = true;
        hold_what_is_open(counted);
        fc_window_close(counted);
        counted->is_window_ending = false;
    }
    fc_restore_signals(old);
}

/* Before the window is left empty: where it is over, and calls are counted, while the sample is
 * held, its pair is to be hidden. */
static void end_sample(struct FcCounted *counted, uint64_t function)
{
    struct FcFunction *known = fc_counters_find(counted, function);
    if (known)
        fc_held_end(counted, known);
}

bool fc_window_cut(struct FcCounted *counted, uint64_t address)
{
    const struct FcWindowFrame first = counted->window[0];
    uint32_t top = counted->window_top;
    while (top > 1 && place_of(&counted->window[top - 1]) < address)
        counted->window_top = --top;
    if (top > 0 && place_of(&first) >= address)
        return true;
    end_sample(counted, first.function);
    counted->window_top = 0;
    return false;
}

bool fc_window_enter(struct FcCounted *counted, uint64_t function, uint64_t site, uint64_t where)
{
    const struct FcWindowFrame frame = {function, site, where};
    if (counted->window_left == 0 || counted->window_top == 0 ||
        counted->window_top == FC_WINDOW_DEPTH ||
        (fc_thread_is_on_own_stack(place_of(&frame)) ==
             fc_thread_is_on_own_stack(place_of(&counted->window[0])) &&
         !fc_window_cut(counted, place_of(&frame))))
    {
        fc_window_end_early(counted);
        return false;
    }
    uint32_t number = counted->window_number;
    uint32_t top = counted->window_top;
    counted->window[top] = frame;
    counted->window_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    counted->window[top] = frame; /* a handler in between has used the place, and left it */
    counted->window_left--;
    if (!counted->is_window || counted->window_number != number)
        return false; /* a handler has ended it, before or after it saw this frame */
    fc_counters_record(FC_RECORD_ENTER, function, site, where);
    return true;
}

unsigned fc_window_exit(struct FcCounted *counted, uint64_t function)
{
    uint32_t at = counted->window_top;
    while (at > 0 && counted->window[at - 1].function != function)
        at--;
    if (at == 0)
    {
        /* of what was open before the window: the sample is over, and nobody saw its end */
        end_sample(counted, counted->window[0].function);
        counted->window_top = 0;
        fc_window_end_early(counted);
        return FC_ENDS_NOTHING;
    }
    if (at == 1)
        end_sample(counted, function);
    counted->window_top = at - 1;
    counted->window_left -= counted->window_left > 0;
    return at == 1 ? FC_ENDS_FRAME | FC_ENDS_SAMPLE : FC_ENDS_FRAME;
}
