/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The slow path of every record (record.h), taken when the thread's chunk has no room or there is
 * none.  Starts profiling at the first record, announces new threads, handles forks that were not
 * noticed, and stores the record in a new chunk.
 */
#include "libfc/stream/chunk-full.h"

#include "libfc/base/clock.h"
#include "libfc/base/signals.h"
#include "libfc/base/state.h"
#include "libfc/base/thread.h"
#include "libfc/base/vectors.h"
#include "libfc/count/counted.h"
#include "libfc/count/depth.h"
#include "libfc/count/filtered-calls.h"
#include "libfc/count/user-filter.h"
#include "libfc/process/modules.h"
#include "libfc/process/process.h"
#include "libfc/process/start.h"
#include "libfc/process/threads.h"
#include "libfc/stream/call-sites.h"
#include "libfc/stream/channel.h"
#include "libfc/stream/chunks.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

/* Sends the full chunk and takes a new one.  False: none is free; the caller waits and tries
 * again.  Signals blocked. */
static bool refill(void)
{
    if (fc_state_forked_unseen())
        fc_process_after_fork(0);
    if (fc_thread.number == 0)
        fc_threads_start();
    if (FC_CURSOR_CHUNK(fc_thread.cursor) && FC_CURSOR_UNITS(fc_thread.cursor) < FC_UNITS)
        return true;     /* a signal handler has taken a chunk already */
    fc_modules_update(); /* first: the chunk may have calls of new modules */
    fc_chunks_flush_full();
    return fc_chunks_take();
}

/* Reserves a record in the thread's chunk.  First records the state of the clocks if that is
 * due, which may change *time.  NULL: the chunk has no room. */
static struct FcRecord *reserve(uint64_t *time, uint64_t *generation)
{
    fc_switches_begin_records(time);
    return fc_record_reserve(generation);
}

/* Moves the cursor back to the end of the chunk.  Each hook that finds the chunk full, or none,
 * advances the cursor beyond the end, and the count would overflow into the address.  Before
 * this runs, one such hook per nested signal handler may have done so.  Async-signal-safe. */
static void hold_cursor(void)
{
    uint64_t cursor = __atomic_load_n(&fc_thread.cursor, __ATOMIC_RELAXED);
    const uint64_t behind = FC_CURSOR_UNITS(cursor) - FC_UNITS;
    /* if this fails, a handler in between has moved or set the cursor */
    if (FC_CURSOR_UNITS(cursor) > FC_UNITS)
        __atomic_compare_exchange_n(&fc_thread.cursor, &cursor,
                                    cursor - behind * sizeof(struct FcUnit), false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool is_call(uint64_t where)
{
    enum FcRecordKind kind = where & FC_WHERE_KIND_MASK;
    return kind == FC_RECORD_ENTER || kind == FC_RECORD_EXIT;
}

/* Passes an entry or exit on to counted.c, which decides whether it is counted or recorded. */
static void choose(void *function, void *site, uint64_t where)
{
    const bool is_after_inlining = (uint64_t)(uintptr_t)function & FC_FUNCTION_AFTER_INLINING;
    const bool is_entry = (where & FC_WHERE_KIND_MASK) == FC_RECORD_ENTER;
    if (is_after_inlining && is_entry)
        fc_counted_enter_after_inlining((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site,
                                        where);
    else if (is_after_inlining) /* in a forked child: the call was open at the fork */
        fc_counted_exit_after_inlining((uint64_t)(uintptr_t)site, where);
    else if (is_entry)
        fc_counted_enter(function, site, where);
    else
        fc_counted_exit(function, site, where);
}

/* The pause ends first, so that pending signal handlers run outside of it. */
static void end_pause_and_restore_signals(uint64_t old)
{
    fc_switches_end_pause();
    fc_restore_signals(old);
}

static void record(uint64_t time, void *function, void *site, uint64_t where)
{
    /* If not, a handler's deferred calls may be the first that are checked here. */
    const bool is_checked = fc_thread.checks_all_calls;
    for (;;)
    {
        if (fc_state_is_off())
        {
            if (!fc_start())
            {
                fc_thread_set_cursor(FC_CURSOR_NONE); /* the hooks have advanced it */
                return;
            }
            time = fc_clock_peek(); /* the caller read it before fc_start chose the clock */
        }
        bool is_of_call = is_call(where);
        if (is_of_call && fc_thread.has_ended &&
            (uint64_t)(uintptr_t)function != FC_FUNCTION_AFTER_INLINING &&
            fc_filtered_drops((uint64_t)(uintptr_t)function))
            return;
        uint64_t old = fc_block_signals();
        uint32_t freed = fc_chunks_count_freed();
        bool filled = refill();
        const bool begins = filled && fc_filtered_begin();
        if (is_of_call && (begins || (filled && !is_checked && fc_thread.checks_all_calls)))
        {
            fc_switches_begin_records(&time);
            end_pause_and_restore_signals(old);
            choose(function, site, where);
            return;
        }
        uint64_t generation;
        struct FcRecord *slot = filled ? reserve(&time, &generation) : NULL;
        if (slot)
        {
            fc_record_store(slot, generation, time, function, site, where);
            fc_counted_complete_after_inlining((uint64_t)(uintptr_t)function,
                                               (uint64_t)(uintptr_t)site, where);
            fc_call_sites_begin(time, !fc_user_filter_is_on() && !fc_depth_is_on());
        }
        if (slot && fc_thread.has_ended)
            fc_chunks_give_up(); /* this thread may not make another record */
        else if (slot && (where & FC_WHERE_KIND_MASK) != FC_RECORD_OFF)
            /* after FC_RECORD_OFF the hook has yet to make its own record */
            fc_counted_begin(FC_CURSOR_CHUNK(fc_thread.cursor), FC_CURSOR_UNITS(fc_thread.cursor));
        if (slot)
            end_pause_and_restore_signals(old);
        else
            fc_restore_signals(old);
        if (slot || fc_state_is_off())
            return;
        if (!filled && !fc_chunks_wait(freed))
            return;
    }
}

static void record_in_pause(uint64_t time, void *function, void *site, uint64_t where)
{
    fc_switches_begin_pause();
    record(time, function, site, where);
    fc_switches_end_pause();
}

FC_REALIGN void fc_record_slow(uint64_t time, void *function, void *site, uint64_t where)
{
    hold_cursor();
    fc_vectors_keep(time, function, site, where, record_in_pause);
}

void fc_record_send_off(const struct FcRecord *record)
{
    struct FcMessage message = {.type = FC_MSG_OFF, .thread = fc_thread.number};
    fc_channel_send(&message, record, sizeof *record);
}
