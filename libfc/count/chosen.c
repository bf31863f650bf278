/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See chosen.h.  A skipped function is one that is counted, for the hooks, in a counter that nobody
 * reads: its calls cost what counted ones do.
 */
#include "libfc/count/chosen.h"

#include "libfc/base/config.h"
#include "libfc/base/signals.h"
#include "libfc/base/thread.h"
#include "libfc/base/vectors.h"
#include "libfc/count/choice.h"
#include "libfc/count/depth.h"

#define AHEAD UINT64_C(0x7fff)

/* For a library whose constructors run before dlopen comes back. */
static void update_modules(uint64_t time, void *function, void *site, uint64_t where)
{
    (void)time;
    (void)function;
    (void)site;
    (void)where;
    const uint64_t old = fc_block_signals();
    fc_choice_tell_modules();
    fc_restore_signals(old);
}

static uint32_t choice_of(uint64_t function)
{
    uint32_t choice = 0;
    function &= FC_POINTER_MASK;
    if (!fc_choice_is_on() || fc_choice_find(function, &choice))
        return choice;
    fc_vectors_keep(0, NULL, NULL, 0, update_modules);
    fc_choice_find(function, &choice);
    return choice;
}

bool fc_chosen_begin(void)
{
    if ((!fc_choice_is_on() && !fc_depth_is_on()) || fc_hooks.table || fc_thread.has_ended)
        return false;
    struct FcCounted *counted = fc_counters_own();
    if (!counted)
        return false;
    counted->table.is_slow = true;
    if (fc_depth_is_on())
        fc_depth_begin();
    fc_counters_install_table(counted);
    fc_thread.looks_at_calls = true;
    return true;
}

/* NULL where there is no room: each call is looked at. */
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

static enum FcChosenWay choose(struct FcCounted *counted, uint64_t function,
                               struct FcFunction **known)
{
    uint64_t *recorded = fc_counter_table_recorded(&counted->table, function);
    *known = NULL;
    if (FC_LOAD_RELAXED(*recorded) == function)
        return FC_CHOSEN_RECORD;
    *known = fc_counters_find(counted, function);
    if (*known)
        return (*known)->is_skipped ? FC_CHOSEN_SKIP : FC_CHOSEN_RECORD;
    switch (choice_of(function))
    {
    case FC_CHOICE_SKIP:
        *known = begin_to_skip(counted, function);
        return FC_CHOSEN_SKIP;
    case FC_CHOICE_COUNT:
        if (fc_config.trace == 0 && fc_config.slowest == 0 && !counted->has_switched &&
            fc_counters_make_room(counted))
            return FC_CHOSEN_COUNT;
        break;
    default:
        break;
    }
    __atomic_store_n(recorded, function, __ATOMIC_RELAXED);
    return FC_CHOSEN_RECORD;
}

enum FcChosenWay fc_chosen_enter(struct FcCounted *counted, uint64_t function, uint64_t site)
{
    struct FcFunction *known;
    enum FcChosenWay way = choose(counted, function, &known);
    if (way != FC_CHOSEN_SKIP || !known)
        return way;
    if (!fc_counters_pair(counted, function, site))
        fc_counters_make_pair(counted, known, site, false);
    __atomic_store_n(&counted->skipped.word, AHEAD, __ATOMIC_RELAXED);
    return way;
}

enum FcChosenWay fc_chosen_exit(struct FcCounted *counted, uint64_t function)
{
    struct FcFunction *known;
    return choose(counted, function, &known);
}

void fc_chosen_switch(struct FcCounted *counted)
{
    if (!fc_choice_is_on() || counted->has_switched)
        return;
    counted->has_switched = true;
    fc_counters_forget_own(counted);
}

bool fc_chosen_drops(uint64_t function)
{
    return fc_choice_is_on() && choice_of(function) == FC_CHOICE_SKIP;
}

bool fc_chosen_leaves(uint64_t function)
{
    return !fc_choice_is_on() || choice_of(function) != FC_CHOICE_TIME;
}
