/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the hooks of after-inlining.c do once the general registers are kept.
 */
#include "libfc/after-inlining.h"

#include "libfc/clock.h"
#include "libfc/counted.h"
#include "libfc/counters.h"
#include "libfc/record.h"
#include "libfc/state.h"
#include "libfc/switches.h"
#include "libfc/vectors.h"

static void record(uint64_t time, void *function, void *site, uint64_t where)
{
    if (fc_counters_have_stopped())
        return;
    if (time == FC_AFTER_INLINING_REFILL)
    {
        fc_counted_refill_after_inlining((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site,
                                         where);
        return;
    }
    if (time == FC_AFTER_INLINING_LOOK)
    {
        if ((where & FC_WHERE_KIND_MASK) == FC_RECORD_ENTER)
            fc_counted_look_after_inlining((uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site,
                                           where);
        else
            fc_counted_leave_after_inlining((uint64_t)(uintptr_t)site, where);
        return;
    }
    if (fc_thread.looks_at_calls)
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
        fc_switches_look(time);
    fc_record_make(time, function, site, where);
}

void fc_after_inlining_record(uint64_t time, void *function, void *site, uint64_t where)
{
    const bool kept = fc_thread.keeps_vectors; /* by whom a handler interrupted */
    fc_thread.keeps_vectors = true;
    if (fc_likely(fc_clock_is_fast()))
        record(time, function, site, where);
    else /* the clock is the C library's, or has yet to be chosen */
        fc_vectors_keep(time, function, site, where, record);
    fc_thread.keeps_vectors = kept;
}
