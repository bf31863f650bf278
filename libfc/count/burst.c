/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See burst.h.
 */
#include "libfc/count/burst.h"

#include "libfc/base/frame-address.h"
#include "libfc/base/nested.h"
#include "libfc/base/signals.h"
#include "libfc/base/thread.h"
#include "libfc/count/framed.h"

static uint64_t frame_address_of(const struct FcBurstFrame *frame)
{
    return fc_frame_address(frame->function, frame->where);
}

void fc_burst_open(struct FcCounted *counted, const struct FcFunction *known, uint64_t site,
                   uint64_t where)
{
    counted->burst_number++;
    counted->burst[0] = (struct FcBurstFrame){FC_LOAD_RELAXED(known->function), site, where};
    counted->burst_top = 1;
    counted->burst_left = FC_BURST_RECORDS;
    counted->is_in_burst = true;
    fc_counters_install_table(counted);
}

void fc_burst_close(struct FcCounted *counted)
{
    counted->is_in_burst = false;
    fc_counters_install_table(counted);
}

/* Makes the open calls of the burst follow the rules outside of bursts.  The timed call becomes
 * framed, and so does the outermost open call of each other counted function, since their exits
 * are to come.  For the manager the other open calls end here.  Signals blocked; nothing begins
 * to be counted meanwhile. */
static void frame_open_calls(struct FcCounted *counted)
{
    uint32_t top = counted->burst_top;
    const struct FcBurstFrame root = counted->burst[0];
    for (uint32_t i = 0; i < top; i++)
    {
        const struct FcBurstFrame *frame = &counted->burst[i];
        struct FcFunction *known = fc_counters_find(counted, frame->function);
        bool is_first = known != NULL;
        struct FcNested nested = {0};
        bool is_any = false;
        for (uint32_t k = 0; k < i && is_first; k++)
            is_first = counted->burst[k].function != frame->function;
        /* Either the timed call is over, and the hook that this handler interrupted records its
           EXIT, or its SAMPLE is yet to be recorded. */
        if (!is_first || (i == 0 && !fc_framed_is(known)))
            continue;
        /* If the framed call began before the burst, or before the function was counted, all
           calls of the function in the burst are nested in it. */
        const bool was_framed =
            i > 0 && fc_framed_is(known) && !fc_framed_is_below(known, frame->where);
        const uint64_t site = was_framed ? known->site : frame->site;
        const uint64_t where = was_framed ? known->where : frame->where;
        for (uint32_t k = was_framed ? i : i + 1; k < top; k++)
            if (counted->burst[k].function == frame->function)
            {
                is_any = true;
                fc_nested_add(was_framed ? &known->nested : &nested, site,
                              fc_framed_address_of(known, where), counted->burst[k].site,
                              frame_address_of(&counted->burst[k]));
            }
        if (!was_framed)
            fc_framed_begin(counted, known, site, where, nested);
        if (is_any)
            fc_counters_record_counted(known->is_nested ? FC_COUNT_BEGINS_NESTED : FC_COUNT_BEGINS,
                                       frame->function, frame->site, frame->where);
    }
    fc_counters_record_counted(FC_COUNT_BURST_ENDS, root.function, root.site, root.where);
}

void fc_burst_end_early(struct FcCounted *counted)
{
    uint64_t old = fc_block_signals();
    if (counted->is_in_burst) /* false: a handler has ended the burst */
    {
        counted->is_burst_ending = true;
        frame_open_calls(counted);
        fc_burst_close(counted);
        counted->is_burst_ending = false;
    }
    fc_restore_signals(old);
}

/* Ends the frame of the timed call, so that hooks find its pair again. */
static void end_sample(struct FcCounted *counted, uint64_t function)
{
    struct FcFunction *known = fc_counters_find(counted, function);
    if (known)
        fc_framed_end(counted, known);
}

bool fc_burst_cut(struct FcCounted *counted, uint64_t address)
{
    const struct FcBurstFrame first = counted->burst[0];
    uint32_t top = counted->burst_top;
    while (top > 1 && frame_address_of(&counted->burst[top - 1]) < address)
        counted->burst_top = --top;
    if (top > 0 && frame_address_of(&first) >= address)
        return true;
    end_sample(counted, first.function);
    counted->burst_top = 0;
    return false;
}

bool fc_burst_enter(struct FcCounted *counted, uint64_t function, uint64_t site, uint64_t where)
{
    const struct FcBurstFrame frame = {function, site, where};
    if (counted->burst_left == 0 || counted->burst_top == 0 ||
        counted->burst_top == FC_BURST_DEPTH ||
        (fc_thread_is_on_own_stack(frame_address_of(&frame)) ==
             fc_thread_is_on_own_stack(frame_address_of(&counted->burst[0])) &&
         !fc_burst_cut(counted, frame_address_of(&frame))))
    {
        fc_burst_end_early(counted);
        return false;
    }
    uint32_t number = counted->burst_number;
    uint32_t top = counted->burst_top;
    counted->burst[top] = frame;
    counted->burst_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    counted->burst[top] = frame; /* a handler in between may have used and left the entry */
    counted->burst_left--;
    if (!counted->is_in_burst || counted->burst_number != number)
        return false; /* a handler has ended the burst, before or after it saw this frame */
    fc_counters_record(FC_RECORD_ENTER, function, site, where);
    return true;
}

unsigned fc_burst_exit(struct FcCounted *counted, uint64_t function)
{
    uint32_t at = counted->burst_top;
    while (at > 0 && counted->burst[at - 1].function != function)
        at--;
    if (at == 0)
    {
        /* The exit is that of a call from before the burst: the timed call is over, and its end
           was not seen. */
        end_sample(counted, counted->burst[0].function);
        counted->burst_top = 0;
        fc_burst_end_early(counted);
        return FC_ENDS_NOTHING;
    }
    if (at == 1)
        end_sample(counted, function);
    counted->burst_top = at - 1;
    counted->burst_left -= counted->burst_left > 0;
    return at == 1 ? FC_ENDS_FRAME | FC_ENDS_SAMPLE : FC_ENDS_FRAME;
}
