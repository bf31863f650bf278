/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See counted.h.  Of the calls of a counted function one in about 64 is timed, later fewer;
 * burst.h says what happens during such a call. framed.h says which call of a counted function has
 * a frame in the manager.
 */
#include "libfc/count/counted.h"

#include "libfc/base/frame-address.h"
#include "libfc/base/signals.h"
#include "libfc/base/thread.h"
#include "libfc/count/burst.h"
#include "libfc/count/counters.h"
#include "libfc/count/depth.h"
#include "libfc/count/detail.h"
#include "libfc/count/filtered-calls.h"
#include "libfc/count/framed.h"
#include "libfc/count/recorded.h"
#include "libfc/count/user-filter.h"
#include "libfc/stream/switches.h"

/* Makes the SAMPLE record.  `backoff_bits` go into it beside the function. */
static void sample(struct FcCounted *counted, struct FcFunction *known, uint64_t backoff_bits,
                   uint64_t site, uint64_t where)
{
    fc_burst_open(counted, known, site, where);
    fc_framed_begin_sample(counted, known, site, where);
    fc_counters_record_counted(FC_COUNT_SAMPLE, FC_LOAD_RELAXED(known->function) | backoff_bits,
                               site, where);
    if (counted->is_in_burst)
        return;
    /* Either a handler that came before the record has ended the burst, and recorded that too
       early for the manager; or the record was the last of its chunk. */
    fc_framed_begin(counted, known, site, where, (struct FcNested){0});
    fc_counters_record_counted(FC_COUNT_BURST_ENDS, FC_LOAD_RELAXED(known->function), site, where);
}

/* The counter of the call was used up: refills it, and times the call unless it is within a
 * timed call of the function. */
static void go_on(struct FcCounted *counted, struct FcFunction *known, struct FcCount *count,
                  uint64_t site, uint64_t where)
{
    const uint32_t backoff = fc_counters_backoff(counted, count);
    fc_counters_refill(counted, count, backoff);
    if (counted->is_in_burst)
        return;
    const uint64_t backoff_bits = (uint64_t)backoff << FC_COUNT_BACKOFF_SHIFT;
    if (fc_framed_is(known) && !known->is_nested && fc_framed_is_left(known, site, where))
        fc_framed_end(counted, known);
    if (fc_framed_is(known) || known->is_nested)
        fc_counters_record_counted(FC_COUNT_SEEN, FC_LOAD_RELAXED(known->function) | backoff_bits,
                                   site, where);
    else
        sample(counted, known, backoff_bits, site, where);
}

FC_REALIGN void fc_counted_refill(void *function, void *site, uint64_t where)
{
    struct FcCounted *counted = fc_thread.counted;
    if (!counted || fc_counters_have_stopped()) /* NULL: in a child that a handler forked */
        return;
    struct FcFunction *known = fc_counters_find(counted, (uint64_t)(uintptr_t)function);
    if (known && known->is_skipped)
    {
        fc_filtered_enter(counted, (uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site);
        return;
    }
    struct FcPair *pair =
        fc_counters_pair(counted, (uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site);
    if (known && pair)
    {
        struct FcCount *count = fc_counter_table_counter(pair);
        if (count)
            go_on(counted, known, count, (uint64_t)(uintptr_t)site, where);
    }
}

static void count(struct FcCounted *counted, struct FcFunction *known, uint64_t site,
                  uint64_t where)
{
    uint64_t function = FC_LOAD_RELAXED(known->function);
    struct FcPair *pair = fc_counters_pair(counted, function, site);
    if (!pair)
        pair = fc_counters_make_pair(counted, known, site,
                                     (fc_framed_is(known) && site == known->site) ||
                                         (known->is_nested && !known->is_shown));
    if (!pair)
    {
        fc_counters_record_counted(FC_COUNT_ONE, function, site, where);
        return;
    }
    if (fc_counter_table_count(pair))
        return;
    struct FcCount *count = fc_counter_table_counter(pair);
    if (count)
        go_on(counted, known, count, site, where);
}

/* FC_FILTER says that it is to be counted, and this is its first call in the thread. */
static void begin_at_once(struct FcCounted *counted, uint64_t function, uint64_t site,
                          uint64_t where)
{
    uint64_t old = fc_block_signals();
    struct FcFunction *known =
        fc_counters_find(counted, function) ? NULL : fc_counters_add(counted, function);
    if (known)
    {
        fc_counters_record_counted(FC_COUNT_BEGINS, function, site, where);
        fc_counters_publish(counted, known, function);
    }
    fc_restore_signals(old);
}

FC_REALIGN void fc_counted_enter(void *function_pointer, void *site_pointer, uint64_t where)
{
    uint64_t function = (uint64_t)(uintptr_t)function_pointer;
    uint64_t site = (uint64_t)(uintptr_t)site_pointer;
    struct FcCounted *counted = fc_thread.counted;
    if (fc_counters_have_stopped())
        return;
    enum FcFilteredWay way = FC_FILTERED_RECORD;
    if (counted && fc_user_filter_is_on())
        way = fc_filtered_enter(counted, function, site);
    if (way == FC_FILTERED_SKIP)
        return;
    if (counted && fc_thread.depth && fc_depth_enter(function, site, where))
    {
        fc_depth_count(counted, function, site, where);
        return;
    }
    if (counted && fc_user_filter_is_on())
    {
        /* The switch to a coroutine may not have been reported. overhead.c has no own_stack. */
        if (!fc_thread_is_on_own_stack(fc_frame_address(function, where)) &&
            !fc_thread.has_signal_stack && fc_thread.own_stack.end != 0)
            fc_filtered_switch(counted);
        else if (way == FC_FILTERED_COUNT)
            begin_at_once(counted, function, site, where);
    }
    if (counted && counted->is_in_burst && fc_burst_enter(counted, function, site, where))
        return;
    struct FcFunction *known = counted ? fc_counters_find(counted, function) : NULL;
    if (!known)
    {
        fc_counters_record(FC_RECORD_ENTER, function, site, where);
        return;
    }
    if (known->is_nested && (!fc_framed_is(known) || fc_framed_is_left(known, site, where)))
    {
        fc_framed_begin(counted, known, site, where, (struct FcNested){0});
        fc_counters_record(FC_RECORD_ENTER, function, site, where);
        return;
    }
    if (fc_framed_is(known) && !known->is_nested && fc_framed_is_left(known, site, where))
        fc_framed_end(counted, known);
    if (fc_framed_is(known) && site == known->site &&
        fc_thread_is_on_own_stack(fc_frame_address(function, where)) ==
            fc_thread_is_on_own_stack(fc_framed_address(known)))
        fc_framed_add_nested(counted, known, site, where);
    count(counted, known, site, where);
}

static unsigned ends_frame(struct FcCounted *counted, uint64_t function, uint64_t site,
                           uint64_t where)
{
    if (counted && fc_user_filter_is_on() &&
        fc_filtered_exit(counted, function) == FC_FILTERED_SKIP)
        return FC_ENDS_NOTHING;
    if (counted && fc_thread.depth && fc_depth_exit(function, site, where))
        return FC_ENDS_NOTHING;
    if (counted && counted->is_in_burst && counted->burst_top > 0)
    {
        const unsigned ends = fc_burst_exit(counted, function);
        if (ends != FC_ENDS_NOTHING)
            return ends;
    }
    struct FcFunction *known = counted ? fc_counters_find(counted, function) : NULL;
    if (!known)
        return FC_ENDS_FRAME;
    if (!fc_framed_ends(known, site, where))
        return FC_ENDS_NOTHING;
    fc_framed_end(counted, known);
    return FC_ENDS_FRAME;
}

static void record_exit(unsigned ends, uint64_t function, uint64_t site, uint64_t where)
{
    fc_counters_record(FC_RECORD_EXIT, function, site, where);
    if ((ends & FC_ENDS_SAMPLE) && fc_thread.counted) /* NULL: a handler has forked this child */
        fc_burst_close(fc_thread.counted);
}

FC_REALIGN void fc_counted_exit(void *function_pointer, void *site_pointer, uint64_t where)
{
    uint64_t function = (uint64_t)(uintptr_t)function_pointer;
    uint64_t site = (uint64_t)(uintptr_t)site_pointer;
    struct FcCounted *counted = fc_thread.counted;
    if (fc_counters_have_stopped())
        return;
    const unsigned ends = ends_frame(counted, function, site, where);
    if (ends != FC_ENDS_NOTHING)
        record_exit(ends, function, site, where);
}

/* ---- After inlining -------------------------------------------------------------------- */

/* With FC_DEPTH an exit learns its function from the table of depth.h, otherwise from that of
 * recorded calls: from the thread's first such call on. */
static void begin_after_inlining(uint64_t function, uint64_t site, uint64_t where)
{
    const uint64_t frame_address = fc_frame_address(function, where);
    uint64_t old = fc_block_signals();
    if (fc_depth_is_on())
        fc_depth_begin();
    else if (fc_recorded_begin() && fc_recorded_watches(fc_hooks.recorded, frame_address))
        fc_recorded_push(fc_hooks.recorded, function, site, frame_address);
    if (fc_thread.counted)
        fc_counters_install_table(fc_thread.counted);
    fc_restore_signals(old);
}

void fc_counted_enter_after_inlining(uint64_t function, uint64_t site, uint64_t where)
{
    if (!fc_thread.depth && !fc_hooks.recorded)
        begin_after_inlining(function, site, where);
    /* A handler that interrupted the hook before this may have made the thread's first such call.
     */
    else if (!fc_thread.depth)
        fc_recorded_complete(fc_hooks.recorded, function, site, fc_frame_address(function, where));
    fc_counted_check_after_inlining(function, site, where);
}

void fc_counted_exit_after_inlining(uint64_t site, uint64_t where)
{
    unsigned ends = FC_ENDS_NOTHING;
    uint64_t function;
    while ((function = fc_depth_find_at(site, where)) > FC_DEPTH_UNKNOWN)
        ends |= ends_frame(fc_thread.counted, function, site, where);
    if (ends != FC_ENDS_NOTHING || function == FC_DEPTH_UNKNOWN)
        record_exit(ends, FC_FUNCTION_AFTER_INLINING, site, where);
}

void fc_counted_complete_after_inlining(uint64_t function, uint64_t site, uint64_t where)
{
    if ((function & FC_FUNCTION_AFTER_INLINING) &&
        (where & FC_WHERE_KIND_MASK) == FC_RECORD_ENTER && fc_hooks.recorded)
        fc_recorded_complete(fc_hooks.recorded, function, site, fc_frame_address(function, where));
}

/* A skipped call has made no record. */
static void drop_skipped(uint64_t function, uint64_t site, uint64_t where)
{
    const uint64_t frame_address = fc_frame_address(function, where);
    struct FcRecorded *recorded = fc_hooks.recorded;
    struct FcCounted *counted = fc_thread.counted;
    if (!recorded || !counted || !fc_user_filter_is_on() ||
        !fc_recorded_watches(recorded, frame_address))
        return;
    const struct FcFunction *known = fc_counters_find(counted, function);
    if (!known || !known->is_skipped)
        return;
    const struct FcRecordedCall *call = fc_recorded_find(recorded, site, frame_address);
    if (call && call->function == function)
        fc_recorded_pop(recorded);
}

void fc_counted_refill_after_inlining(uint64_t function, uint64_t site, uint64_t where)
{
    fc_counted_refill((void *)(uintptr_t)function, (void *)(uintptr_t)site, where);
    drop_skipped(function, site, where);
}

void fc_counted_check_after_inlining(uint64_t function, uint64_t site, uint64_t where)
{
    struct FcCounted *counted = fc_thread.counted;
    fc_counted_enter((void *)(uintptr_t)function, (void *)(uintptr_t)site, where);
    drop_skipped(function, site, where);
    /* so that the hook, for which this is expensive, does not come here again */
    if (counted && counted->table.is_slow && !fc_user_filter_is_on() &&
        !fc_counters_find(counted, function))
        __atomic_store_n(fc_counter_table_recorded(&counted->table, function), function,
                         __ATOMIC_RELAXED);
}

void fc_counted_leave_after_inlining(uint64_t site, uint64_t where)
{
    struct FcCounted *counted = fc_thread.counted;
    struct FcRecorded *recorded = fc_hooks.recorded;
    const struct FcRecordedCall *call;
    unsigned ends = FC_ENDS_NOTHING;
    while ((call = fc_recorded_find(recorded, site,
                                    fc_frame_address(FC_FUNCTION_AFTER_INLINING, where))))
    {
        const uint64_t function = call->function;
        fc_recorded_pop(recorded);
        ends |= ends_frame(counted, function, site, where);
    }
    if (ends != FC_ENDS_NOTHING)
        record_exit(ends, FC_FUNCTION_AFTER_INLINING, site, where);
}

/* ---- What begins and ends it ----------------------------------------------------------- */

static uint64_t own_frame(void)
{
    return (uint64_t)(uintptr_t)__builtin_frame_address(0);
}

static void begin(struct FcCounted *counted, const struct FcDecision *decision)
{
    struct FcFunction *known = fc_counters_find(counted, decision->function);
    if (known && known->is_nested && !decision->is_nested)
    {
        fc_counters_record_counted(FC_COUNT_BEGINS, decision->function, 0, own_frame());
        fc_framed_begin_outermost(counted, known);
    }
    if (known || !fc_filtered_may_count(decision->function))
        return;
    known = fc_counters_add(counted, decision->function);
    if (!known)
        return;
    known->is_nested = decision->is_nested;
    struct FcNested nested = {0};
    const struct FcOpen *open = fc_detail_take_outermost(decision->function, &nested);
    fc_counters_record_counted(decision->is_nested ? FC_COUNT_BEGINS_NESTED : FC_COUNT_BEGINS,
                               decision->function, open ? open->site : 0,
                               open ? open->where : own_frame());
    if (open)
    {
        known->function = decision->function;
        fc_framed_begin(counted, known, open->site, open->where, nested);
    }
    fc_counters_publish(counted, known, decision->function);
}

void fc_counted_begin(const struct FcChunk *chunk, uint32_t units)
{
    struct FcCounted *counted = fc_thread.counted;
    /* Not before the thread has a shared chunk again, and has returned from a handler on another
       stack: what is open there is not known. */
    if (chunk == fc_thread.private_chunk || (counted && counted->is_burst_ending) ||
        !fc_thread_is_on_own_stack((uint64_t)(uintptr_t)__builtin_frame_address(0)))
        return;
    const struct FcDecision *decisions;
    uint32_t count = fc_detail_take(&decisions);
    if (count == 0)
        return;
    counted = fc_counters_own();
    if (!counted || !fc_counters_make_room(counted))
        return;
    if (!fc_detail_scan_rest(chunk, units))
    {
        fc_detail_put_back(count);
        return;
    }
    fc_switches_stop_time();
    /* The open calls of the burst were recorded as calls of no counted function.  Their exits
       would end the frame of another call, or leave it framed. */
    if (counted->is_in_burst)
        fc_burst_end_early(counted);
    for (uint32_t i = 0; i < count; i++)
        if (!(decisions[i].function & FC_FUNCTION_AFTER_INLINING) || fc_depth_is_on() ||
            fc_recorded_begin())
            begin(counted, &decisions[i]);
    fc_counters_install_table(counted);
}

void fc_counted_jump(uint64_t address)
{
    fc_depth_jump(address);
    if (fc_hooks.recorded && fc_recorded_watches(fc_hooks.recorded, address - 1))
        fc_recorded_cut(fc_hooks.recorded, 0, address - 1);
    struct FcCounted *counted = fc_thread.counted;
    if (!counted)
        return;
    if (counted->is_in_burst)
        fc_burst_cut(counted, address);
    uint32_t number = 0;
    for (struct FcFunction *known; (known = fc_framed_next(counted, &number));)
        if (fc_framed_address(known) < address &&
            fc_thread_is_on_own_stack(fc_framed_address(known)) ==
                fc_thread_is_on_own_stack(address - 1))
            fc_framed_end(counted, known);
}

void fc_counted_has_jumped(void)
{
    struct FcCounted *counted = fc_thread.counted;
    if (counted && counted->is_in_burst && counted->burst_top == 0)
        fc_burst_close(counted);
}

void fc_counted_switch(void)
{
    fc_depth_stop();
    struct FcCounted *counted = fc_thread.counted;
    if (!counted)
        return;
    if (counted->is_in_burst)
        fc_burst_end_early(counted);
    uint32_t number = 0;
    for (struct FcFunction *known; (known = fc_framed_next(counted, &number));)
        fc_framed_end(counted, known);
    fc_filtered_switch(counted);
}
