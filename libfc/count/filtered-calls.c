/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See filtered-calls.h.  To the hooks a skipped function is a counted one, with a counter that
 * nobody reads.  So a skipped call costs as much as a counted one.
 */
#include "libfc/count/filtered-calls.h"

#include "libfc/base/config.h"
#include "libfc/base/signals.h"
#include "libfc/base/thread.h"
#include "libfc/base/vectors.h"
#include "libfc/count/depth.h"
#include "libfc/count/user-filter.h"

#define AHEAD UINT64_C(0x7fff)

/* Some modules may not have been reported yet: those of a library whose constructors run before
 * dlopen returns. */
static void update_modules(uint64_t time, void *function, void *site, uint64_t where)
{
    (void)time;
    (void)function;
    (void)site;
    (void)where;
    const uint64_t old = fc_block_signals();
    fc_user_filter_report_modules();
    fc_restore_signals(old);
}

static uint32_t action_of(uint64_t function)
{
    uint32_t action = 0;
    function &= FC_POINTER_MASK;
    if (!fc_user_filter_is_on() || fc_user_filter_find(function, &action))
        return action;
    fc_vectors_keep(0, NULL, NULL, 0, update_modules);
    fc_user_filter_find(function, &action);
    return action;
}

bool fc_filtered_begin(void)
{
    if ((!fc_user_filter_is_on() && !fc_depth_is_on()) || fc_hooks.table || fc_thread.has_ended)
        return false;
    struct FcCounted *counted = fc_counters_own();
    if (!counted)
        return false;
    counted->table.is_slow = true;
    if (fc_depth_is_on())
        fc_depth_begin();
    fc_counters_install_table(counted);
    fc_thread.checks_all_calls = true;
    return true;
}

/* NULL where there is no room for it: then each of its calls comes here. */
static struct FcFunction *begin_to_skip(struct FcCounted *counted, uint64_t function)
{
    uint64_t old = fc_block_signals();
    struct FcFunction *known = fc_counters_find(counted, function);
    if (!known)
    {
        known = fc_counters_add(counted, function);
        if (known)
        {
            known->is_skipped = true;
            fc_counters_publish(counted, known, function);
        }
    }
    fc_restore_signals(old);
    return known;
}

static enum FcFilteredWay choose(struct FcCounted *counted, uint64_t function,
                                 struct FcFunction **known)
{
    uint64_t *recorded = fc_counter_table_recorded(&counted->table, function);
    *known = NULL;
    if (FC_LOAD_RELAXED(*recorded) == function)
        return FC_FILTERED_RECORD;
    *known = fc_counters_find(counted, function);
    if (*known)
        return (*known)->is_skipped ? FC_FILTERED_SKIP : FC_FILTERED_RECORD;
    switch (action_of(function))
    {
    case FC_FILTER_SKIP:
        *known = begin_to_skip(counted, function);
        return FC_FILTERED_SKIP;
    case FC_FILTER_COUNT:
        if (fc_config.trace == 0 && fc_config.slowest == 0 && !counted->has_switched &&
            fc_counters_make_room(counted))
            return FC_FILTERED_COUNT;
        break;
    default:
        break;
    }
    __atomic_store_n(recorded, function, __ATOMIC_RELAXED);
    return FC_FILTERED_RECORD;
}

enum FcFilteredWay fc_filtered_enter(struct FcCounted *counted, uint64_t function, uint64_t site)
{
    struct FcFunction *known;
    enum FcFilteredWay way = choose(counted, function, &known);
    if (way != FC_FILTERED_SKIP || !known)
        return way;
    if (!fc_counters_pair(counted, function, site))
        fc_counters_make_pair(counted, known, site, false);
    __atomic_store_n(&counted->skipped.word, AHEAD, __ATOMIC_RELAXED);
    return way;
}

enum FcFilteredWay fc_filtered_exit(struct FcCounted *counted, uint64_t function)
{
    struct FcFunction *known;
    return choose(counted, function, &known);
}

void fc_filtered_switch(struct FcCounted *counted)
{
    if (!fc_user_filter_is_on() || counted->has_switched)
        return;
    counted->has_switched = true;
    fc_counters_forget_own(counted);
}

bool fc_filtered_drops(uint64_t function)
{
    return fc_user_filter_is_on() && action_of(function) == FC_FILTER_SKIP;
}

bool fc_filtered_may_count(uint64_t function)
{
    return !fc_user_filter_is_on() || action_of(function) != FC_FILTER_TIME;
}
