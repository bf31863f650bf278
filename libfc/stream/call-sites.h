/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short records (fc-records.h).  Where every call is recorded, a thread interns the call sites
 * that it meets: each pair of function and call site gets a number.  A short record holds that
 * number, the time and the stack address, in half the bytes of a long record.  What costs most is
 * moving cache lines from the recording processor to fcmanager's, so half the bytes are half the
 * cost.
 *
 * All functions work on the calling thread.  They are async-signal-safe: a handler may come
 * between any two instructions.  A number stays with its call site for good, also in a forked
 * child, which has its parent's table: a handler may fork while a hook that it interrupted has
 * found the number already.
 */
#pragma once

#include "libfc/base/clock.h"
#include "libfc/stream/record.h"
#include "libfc/stream/streams.h"

#include <stdbool.h>

/* A call site is in one of two neighbouring slots, where the hook looks, or in one of a few
 * slots in other cache lines, where only fc_call_sites_record looks.  Call sites that find no
 * slot make long records.  With 1,600 call sites and 800 slots one call in twenty needed the
 * further slots. */
#if defined(FC_TEST_EAGER)
#define FC_CALL_SITES_SLOTS 32u
#else
#define FC_CALL_SITES_SLOTS 8192u
#endif

/* An interned call site. */
struct FcSiteSlot
{
    uint64_t function; /* stored last, atomically for a handler; 0: free */
    uint64_t site;
    uint64_t number; /* shifted to where the first word of a short record has it */
    uint64_t unused; /* makes the size a power of two */
};

struct FcCallSites
{
    uint32_t epoch; /* the high half of the time, in ticks, of the last long record */
    uint32_t count; /* numbers that were given */
    uint64_t low;   /* stack addresses are less than 2^32 above this; a multiple of 16 */
    struct FcSiteSlot slots[FC_CALL_SITES_SLOTS]
        __attribute__((aligned(2 * sizeof(struct FcSiteSlot))));
};

static inline __attribute__((always_inline)) struct FcSiteSlot *
fc_call_sites_slot(struct FcCallSites *sites, uint64_t function, uint64_t site)
{
    /* offset in bytes; the mask clears the lowest bits */
    const uint64_t at = function + (site << 3);
    const uint64_t mask = (FC_CALL_SITES_SLOTS - 1) * (uint64_t)sizeof(struct FcSiteSlot);
    return (struct FcSiteSlot *)((char *)sites->slots + (at & mask));
}

static inline __attribute__((always_inline)) struct FcSiteSlot *
fc_call_sites_neighbour(struct FcSiteSlot *slot)
{
    return (struct FcSiteSlot *)((uintptr_t)slot ^ sizeof *slot);
}

static inline __attribute__((always_inline)) bool
fc_call_sites_matches(const struct FcSiteSlot *slot, uint64_t function, uint64_t site)
{
    return fc_likely(slot->function == function) && fc_likely(slot->site == site);
}

/* What a hook knows of the call that it is to record. */
struct FcHookCall
{
    struct FcTicks time;
    uint64_t function;
    uint64_t site;
    uint64_t stack_address;
    enum FcRecordKind kind;
};

/* Whether a short record can hold the call's time and stack address.  The high half of the time
 * must be that of the last long record.  A short record holds more than the low half, but this
 * takes one comparison only. */
static inline __attribute__((always_inline)) bool
fc_call_sites_can_encode(const struct FcCallSites *sites, const struct FcHookCall *call)
{
    return fc_likely((uint32_t)call->time.high == sites->epoch) &&
           fc_likely((call->stack_address - sites->low) >> 32 == 0);
}

/* The hook's own look-up.  NULL: the call needs fc_call_sites_record. */
static inline __attribute__((always_inline)) const struct FcSiteSlot *
fc_call_sites_find(struct FcCallSites *sites, const struct FcHookCall *call)
{
    struct FcSiteSlot *slot = fc_call_sites_slot(sites, call->function, call->site);
    if (!fc_call_sites_matches(slot, call->function, call->site))
    {
        slot = fc_call_sites_neighbour(slot);
        if (!fc_call_sites_matches(slot, call->function, call->site))
            return NULL;
    }
    return fc_call_sites_can_encode(sites, call) ? slot : NULL;
}

/* Fills in a short record.  `unit` was taken for it. */
static inline __attribute__((always_inline)) void
fc_call_sites_store(struct FcUnit *unit, uint64_t generation, const struct FcCallSites *sites,
                    const struct FcSiteSlot *slot, const struct FcHookCall *call,
                    uint64_t return_bits)
{
    const uint64_t exit = call->kind == FC_RECORD_EXIT ? FC_SHORT_EXIT : 0;
    const uint64_t first = (call->stack_address - sites->low) << FC_SHORT_ADDRESS_SHIFT | exit |
                           slot->number | return_bits;
    /* FC_SHORT_TIME_MASK, hidden from the compiler: it would make a mask of 48 bits, which needs
       one more register */
    uint64_t high = (uint16_t)call->time.high;
    __asm__("" : "+r"(high));
    fc_streams_store(unit, first,
                     generation << FC_SITE_GENERATION_SHIFT | high << 32 | call->time.low);
}

/* Records a call for which the hook's own look-up failed, which a short record can't hold, or
 * for which the chunk has no room.  Makes a long record if need be; that one gives the call site
 * a number where one is left. */
void fc_call_sites_record(uint64_t time, void *function, void *site, uint64_t where);

/* A long record was made at `time`: short records after it hold only the low half of theirs.
 * With `may_begin`, makes the thread's table and announces it by FC_MSG_CALL_SITES, if call sites
 * are to be interned and the thread has none yet. */
void fc_call_sites_begin(uint64_t time, bool may_begin);
/* In a forked child, after its hello: sends fcmanager the numbers that the thread has, by
 * FC_MSG_CALL_SITES. */
void fc_call_sites_after_fork(void);
/* The thread ends: gives its table back. */
void fc_call_sites_end(void);
