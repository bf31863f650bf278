/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See call-sites.h.
 */
#include "libfc/stream/call-sites.h"

#include "libfc/base/clock.h"
#include "libfc/base/config.h"
#include "libfc/base/sys.h"
#include "libfc/stream/channel.h"

/* A thread interns call sites from this chunk on.  For a short-lived thread the table would not
 * pay. */
#if defined(FC_TEST_EAGER) || defined(FC_TEST_CLOCK)
#define FIRST_SEQUENCE 1u
#else
#define FIRST_SEQUENCE 2u
#endif

/* Stands for the function of a slot that is taken, until the record that gives its number is
 * stored.  If a handler leaves the hook by a jump in between, the slot stays so. */
#define TAKEN UINT64_C(1)
/* The same in the child, where a handler forked meanwhile: the parent stores that record. */
#define LOST UINT64_C(2)

/* The slots that a call site may be in, in the order in which they are tried.  With 8 ways and a
 * sixth of the table in use, one call site in a million finds no slot; with 4 ways it would be
 * one in a thousand, and that one may have most of the calls. */
#define WAYS 8
struct Ways
{
    struct FcCallSites *sites;
    const struct FcSiteSlot *first;
    struct FcSiteSlot *at;
    uint64_t far;
    uint32_t count; /* how many were tried */
};

static struct Ways begin_ways(struct FcCallSites *sites, uint64_t function, uint64_t site)
{
    const struct FcSiteSlot *const first = fc_call_sites_slot(sites, function, site);
    return (struct Ways){.sites = sites, .first = first, .far = function >> 9 ^ site >> 2};
}

/* The next slot to try; NULL: there are no more. */
static inline struct FcSiteSlot *next_way(struct Ways *ways)
{
    const uint32_t way = ways->count++;
    if (way >= WAYS)
        return NULL;
    struct FcSiteSlot *const slots = ways->sites->slots;
    if (way % 2 != 0)
        return fc_call_sites_neighbour(ways->at);
    uint64_t at = (uint64_t)(ways->first - slots);
    if (way > 0)
    {
        at ^= (ways->far % (FC_CALL_SITES_SLOTS / 2 - 1) + 1) * 2;
        ways->far = ways->far * UINT64_C(0x9e3779b97f4a7c15) >> 7;
    }
    ways->at = &slots[at % FC_CALL_SITES_SLOTS];
    return ways->at;
}

static const struct FcSiteSlot *find_slot(struct FcCallSites *sites, uint64_t function,
                                          uint64_t site)
{
    struct Ways ways = begin_ways(sites, function, site);
    const struct FcSiteSlot *slot = next_way(&ways);
    while (slot && !fc_call_sites_matches(slot, function, site))
        slot = next_way(&ways);
    return slot;
}

/* A free slot, which is marked as taken for handlers that come meanwhile.  NULL: there is none. */
static struct FcSiteSlot *take_slot(struct FcCallSites *sites, uint64_t function, uint64_t site)
{
    struct Ways ways = begin_ways(sites, function, site);
    struct FcSiteSlot *slot;
    for (slot = next_way(&ways); slot; slot = next_way(&ways))
    {
        uint64_t free = 0;
        if (__atomic_load_n(&slot->function, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&slot->function, &free, TAKEN, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            break;
    }
    return slot;
}

/* 0: all numbers are given. */
static uint64_t new_number(struct FcCallSites *sites)
{
    if (sites->count >= FC_SITE_NUMBERS_MAX)
        return 0;
    return __atomic_add_fetch(&sites->count, 1, __ATOMIC_RELAXED);
}

/* Gives back the slot and the number, which no record has given to a call site. */
static void give_back(struct FcCallSites *sites, struct FcSiteSlot *entry, uint64_t number)
{
    uint32_t count = (uint32_t)number;
    uint64_t taken = TAKEN;
    /* fails where a handler has taken the next number */
    __atomic_compare_exchange_n(&sites->count, &count, count - 1, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&entry->function, &taken, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

/* The number is taken before the record's units.  A handler that comes in between may fork; then
 * both processes store the record in the same units, which are the parent's, and they must store
 * the same.  The child goes on with its own numbers. */
static void record_long(struct FcCallSites *sites, uint64_t time, void *function, void *site,
                        uint64_t where, bool is_to_be_interned)
{
    struct FcSiteSlot *entry =
        is_to_be_interned && sites->count < FC_SITE_NUMBERS_MAX
            ? take_slot(sites, (uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site)
            : NULL;
    const uint64_t number = entry ? new_number(sites) : 0;
    uint64_t generation;
    struct FcRecord *slot = fc_record_reserve(&generation);
    if (!slot)
    {
        if (number != 0)
            give_back(sites, entry, number);
        fc_record_slow(time, function, site, where);
        return;
    }
    const uint64_t numbered = (uint64_t)(uintptr_t)function | number << FC_SITE_NUMBER_SHIFT;
    fc_record_store(slot, generation, time, (void *)(uintptr_t)numbered, site, where);
    if (number != 0)
    {
        uint64_t taken = TAKEN;
        entry->site = (uint64_t)(uintptr_t)site;
        entry->number = number << FC_SHORT_SITE_SHIFT;
        /* release: a handler finds the number only when the record that gives it is stored */
        __atomic_compare_exchange_n(&entry->function, &taken, (uint64_t)(uintptr_t)function, false,
                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    }
    fc_call_sites_begin(time, false);
}

void fc_call_sites_record(uint64_t time, void *function, void *site, uint64_t where)
{
    struct FcCallSites *const sites = fc_thread.call_sites;
    if (!sites) /* a handler has just turned profiling off */
    {
        fc_record_make(time, function, site, where);
        return;
    }
    const struct FcHookCall call = {.time = fc_clock_split(time),
                                    .function = (uint64_t)(uintptr_t)function,
                                    .site = (uint64_t)(uintptr_t)site,
                                    .stack_address = where & FC_WHERE_ADDRESS_MASK,
                                    .kind = where & FC_WHERE_KIND_MASK};
    const struct FcSiteSlot *known = find_slot(sites, call.function, call.site);
    const bool can_be_interned = call.function > LOST && call.function <= FC_POINTER_MASK &&
                                 call.site <= FC_SITE_ADDRESS_MASK;
    if (!known || !fc_call_sites_can_encode(sites, &call))
    {
        record_long(sites, time, function, site, where, !known && can_be_interned);
        return;
    }
    uint64_t generation;
    struct FcUnit *unit = fc_record_take(1, &generation);
    if (unit)
        fc_call_sites_store(unit, generation, sites, known, &call,
                            where >> FC_WHERE_RETURN_SHIFT << FC_WHERE_RETURN_SHIFT);
    else
        fc_record_slow(time, function, site, where);
}

/* ---- Threads and forks ------------------------------------------------------------------ */

#define REACH (UINT64_C(1) << 32)
#define SENT_AT_ONCE ((FC_MESSAGE_MAX - sizeof(struct FcMessage)) / sizeof(struct FcCallSite))

static bool are_wanted(void)
{
    return fc_config.detail == FC_DETAIL_ALL && fc_clock_is_fast() && !fc_thread.has_ended;
}

static void send_sites(const struct FcCallSites *sites, const struct FcCallSite *known,
                       size_t count)
{
    struct FcMessage message = {
        .type = FC_MSG_CALL_SITES, .thread = fc_thread.number, .value = sites->low};
    fc_channel_send(&message, known, count * sizeof *known);
}

/* Makes sure that nothing is found for the function NULL, which would match a free slot.  Only
 * code that calls a hook by hand passes NULL. */
static void close_to_null(struct FcCallSites *sites)
{
    struct Ways ways = begin_ways(sites, 0, 0);
    for (struct FcSiteSlot *slot = next_way(&ways); slot; slot = next_way(&ways))
        slot->site = UINT64_MAX;
}

void fc_call_sites_begin(uint64_t time, bool may_begin)
{
    const uint32_t epoch = (uint32_t)(time >> 32);
    struct FcCallSites *sites = fc_thread.call_sites;
    if (sites)
    {
        sites->epoch = epoch;
        return;
    }
    /* relaxed: as in fc_thread_next_sequence */
    if (__atomic_load_n(&fc_thread.sequence, __ATOMIC_RELAXED) < FIRST_SEQUENCE || !may_begin ||
        !are_wanted())
        return;
    sites = fc_map(sizeof *sites);
    if (!sites)
        return;
    const uint64_t end = fc_thread.own_stack.end;
    sites->low = end > REACH ? (end - REACH) & FC_WHERE_ADDRESS_MASK : 0;
    sites->epoch = epoch;
    close_to_null(sites);
    send_sites(sites, NULL, 0);
    fc_streams_begin();
    fc_thread.call_sites = sites;
}

void fc_call_sites_after_fork(void)
{
    struct FcCallSites *sites = fc_thread.call_sites;
    if (!sites)
        return;
    static struct FcCallSite
        known[SENT_AT_ONCE]; /* static: there is no other thread, and may be no memory */
    size_t count = 0;
    send_sites(sites, NULL, 0); /* also where the thread has none yet */
    for (size_t i = 0; i < FC_CALL_SITES_SLOTS; i++)
    {
        struct FcSiteSlot *entry = &sites->slots[i];
        uint64_t taken = TAKEN;
        if (entry->function == 0 || entry->function == LOST ||
            __atomic_compare_exchange_n(&entry->function, &taken, LOST, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            continue;
        known[count++] = (struct FcCallSite){
            entry->function,
            entry->site | entry->number >> FC_SHORT_SITE_SHIFT << FC_SITE_NUMBER_SHIFT};
        if (count < SENT_AT_ONCE)
            continue;
        send_sites(sites, known, count);
        count = 0;
    }
    if (count > 0)
        send_sites(sites, known, count);
}

void fc_call_sites_end(void)
{
    if (fc_thread.call_sites)
        fc_unmap(fc_thread.call_sites, sizeof *fc_thread.call_sites);
    fc_thread.call_sites = NULL;
}
