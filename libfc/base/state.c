/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See state.h.
 */
#include "libfc/base/state.h"

#include "libfc/base/clock.h"
#include "libfc/base/mark.h"
#include "libfc/base/notice.h"
#include "libfc/base/sys.h"
#include "libfc/base/thread-hooks.h"
#include "libfc/base/thread.h"

enum State
{
    NOT_STARTED,
    STARTING,
    RUNNING,
    ENDING, /* off for all threads but the one that ends the process */
    ENDED,  /* off for that one as well */
    OFF,    /* stopped before the end */
};

uint64_t fc_state_key;

static uint32_t state; /* atomic, enum State */
static uint32_t never_zeroed = 1;
static volatile uint32_t *fork_mark = &never_zeroed; /* 1; zeroed by the kernel in a forked child */

bool fc_state_is_off(void)
{
    /* acquire: pairs with the release that ends the start */
    uint32_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    return now != RUNNING && !(now == ENDING && fc_thread.is_quitting);
}

bool fc_state_is_own_process(void)
{
    return fc_state_key >> 32 == (uint64_t)fc_sys(SYS_getpid);
}

void fc_state_make_fork_mark(void)
{
    uint32_t *page = fc_map(4096);
    if (!page)
        return;
    *page = 1;
    if (fc_sys(SYS_madvise, page, 4096, MADV_WIPEONFORK) == 0)
        fork_mark = page;
    else
        fc_unmap(page, 4096);
}

bool fc_state_forked_unseen(void)
{
    return *fork_mark == 0;
}

void fc_state_fork_is_seen(void)
{
    *fork_mark = 1;
}

bool fc_state_has_ended(void)
{
    uint32_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    return now == ENDED || (now == ENDING && !fc_thread.is_quitting);
}

static void turn_hooks_off(void)
{
    fc_clock_turn_off();
    fc_mark_turn_off(); /* hooks of threads that intern call sites check only this */
}

/* False: profiling was off already, or has ended. */
static bool turn_off(void)
{
    uint32_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    do
        if (now == OFF || now == ENDED)
            return false;
    while (
        !__atomic_compare_exchange_n(&state, &now, OFF, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    turn_hooks_off();
    /* Other threads find out when they come to libfc (counters.h, hooks.c).  This thread may have
       made reading the time-stamp counter an error, so its hooks must stop now.  The interned
       call sites stay mapped: a hook that a handler interrupted may be using them. */
    fc_hooks.table = NULL;
    fc_thread.call_sites = NULL;
    return true;
}

void fc_state_stop(const char *reason)
{
    if (turn_off() && reason)
        fc_notice(reason);
}

void fc_state_stop_alone(void)
{
    if (turn_off())
        fc_notice_always("the profile manager is gone, profiling stops here");
}

bool fc_state_claim_start(void)
{
    uint32_t expected = NOT_STARTED;
    return __atomic_compare_exchange_n(&state, &expected, STARTING, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

void fc_state_started(bool good)
{
    if (!good)
        turn_hooks_off();
    __atomic_store_n(&state, good ? RUNNING : OFF, __ATOMIC_RELEASE);
}

bool fc_state_ending(void)
{
    uint32_t expected = RUNNING;
    fc_thread.is_quitting = __atomic_compare_exchange_n(&state, &expected, ENDING, false,
                                                        __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
    return fc_thread.is_quitting;
}

void fc_state_ended(void)
{
    turn_hooks_off();
    __atomic_store_n(&state, ENDED, __ATOMIC_RELEASE);
}
