/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The slow path of the hooks in after-inlining.c.  Runs after the general registers were saved.
 */
#include "libfc/hooks/after-inlining.h"

#include "libfc/base/clock.h"
#include "libfc/base/state.h"
#include "libfc/base/vectors.h"
#include "libfc/count/counted.h"
#include "libfc/count/counters.h"
#include "libfc/count/recorded.h"
#include "libfc/hooks/deferred.h"
#include "libfc/stream/record.h"
#include "libfc/stream/switches.h"

/* Makes a record in a signal handler that interrupted libfc.  Outside of such a handler
 * counted.c does this. */
static void record_deferred(uint64_t time, void *function, void *site, uint64_t where)
{
    const uint64_t address = (uint64_t)(uintptr_t)function;
    const uint64_t from = (uint64_t)(uintptr_t)site;
    struct FcCounterTable *table = fc_hooks.table;
    if (time == FC_AFTER_INLINING_REFILL)
        return; /* the call was counted; its exit takes it for a recorded one */
    if (time != FC_AFTER_INLINING_CHECK)
        fc_deferred_enter(NULL, address, from, where);
    else if ((where & FC_WHERE_KIND_MASK) == FC_RECORD_ENTER)
        fc_deferred_enter(table, address, from, where);
    else
    {
        const struct FcRecordedCall *call =
            fc_recorded_find(fc_hooks.recorded, from, fc_frame_address(address, where));
        if (!call)
            return;
        const uint64_t left = call->function;
        fc_recorded_pop(fc_hooks.recorded);
        if (!table || !fc_counter_table_find_slot(table, left))
            fc_deferred_leave(NULL, FC_FUNCTION_AFTER_INLINING, from, where);
    }
}

static void record(uint64_t time, void *function, void *site, uint64_t where)
{
    if (fc_counters_have_stopped())
        return;
    if (fc_deferred_is_needed())
    {
        record_deferred(time, function, site, where);
        return;
    }
    if (time == FC_AFTER_INLINING_REFILL)
    {
        fc_counted_refill_after_inlining((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site,
                                         where);
        return;
    }
    if (time == FC_AFTER_INLINING_CHECK)
    {
        if ((where & FC_WHERE_KIND_MASK) == FC_RECORD_ENTER)
            fc_counted_check_after_inlining((uint64_t)(uintptr_t)function,
                                            (uint64_t)(uintptr_t)site, where);
        else
            fc_counted_leave_after_inlining((uint64_t)(uintptr_t)site, where);
        return;
    }
    if (fc_thread.checks_all_calls)
    {
        if ((where & FC_WHERE_KIND_MASK) == FC_RECORD_ENTER)
            fc_counted_enter_after_inlining((uint64_t)(uintptr_t)function,
                                            (uint64_t)(uintptr_t)site, where);
        else
            fc_counted_exit_after_inlining((uint64_t)(uintptr_t)site, where);
        return;
    }
    if (fc_unlikely(!fc_clock_is_fast()))
        time = fc_clock_now();
    if (fc_switches_any() || fc_state_forked_unseen())
        fc_switches_check(time);
    uint64_t generation;
    struct FcRecord *slot = fc_record_reserve(&generation);
    if (slot)
    {
        fc_record_store(slot, generation, time, function, site, where);
        fc_counted_complete_after_inlining((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site,
                                           where);
    }
    else
        fc_record_slow(time, function, site, where);
}

void fc_after_inlining_record(uint64_t time, void *function, void *site, uint64_t where)
{
    if (fc_unlikely(!fc_clock_is_fast() && fc_thread_is_early()))
        return;
    const bool kept = fc_thread.keeps_vectors; /* set if this is a handler that interrupted libfc */
    fc_thread.keeps_vectors = true;
    if (fc_likely(fc_clock_is_fast()))
        record(time, function, site, where);
    else /* the clock is the C library's, or was not chosen yet */
        fc_vectors_keep(time, function, site, where, record);
    fc_thread.keeps_vectors = kept;
}
