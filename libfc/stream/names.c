/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See names.h.
 */
#include "libfc/stream/names.h"

#include "libfc/base/clock.h"
#include "libfc/base/config.h"
#include "libfc/base/sys.h"
#include "libfc/stream/channel.h"

/* So many chunks a thread has had: that its names pay off is not to be expected of a short one. */
#if defined(FC_TEST_EAGER) || defined(FC_TEST_CLOCK)
#define FIRST_SEQUENCE 1u
#else
#define FIRST_SEQUENCE 2u
#endif

/* Of a place that is taken, until its record is there and the name can be used.  Who never comes
 * back from a handler leaves it so. */
#define TAKEN UINT64_C(1)
/* It was being taken when a handler forked, and this is the child: the record is the parent's. */
#define LOST UINT64_C(2)

/* Where it may be, in the order in which they are taken: so many that one in a million finds none
 * in a table of which a sixth is taken, where of four ways it is one in a thousand, and that may be
 * the pair of which most calls are. */
#define WAYS 8
struct Ways
{
    struct FcNames *names;
    const struct FcNamedPair *first;
    struct FcNamedPair *at;
    uint64_t far;
    uint32_t count; /* of those that were */
};

static struct Ways begin_ways(struct FcNames *names, uint64_t function, uint64_t site)
{
    const struct FcNamedPair *const first = fc_names_pair(names, function, site);
    return (struct Ways){.names = names, .first = first, .far = function >> 9 ^ site >> 2};
}

/* The next one; NULL: there are no more.  Most are found before the last ones are reckoned out. */
static inline struct FcNamedPair *next_way(struct Ways *ways)
{
    const uint32_t way = ways->count++;
    if (way >= WAYS)
        return NULL;
    struct FcNamedPair *const pairs = ways->names->pairs;
    if (way % 2 != 0)
        return fc_names_other(ways->at);
    uint64_t at = (uint64_t)(ways->first - pairs);
    if (way > 0)
    {
        at ^= (ways->far % (FC_NAMES_PAIRS / 2 - 1) + 1) * 2;
        ways->far = ways->far * UINT64_C(0x9e3779b97f4a7c15) >> 7;
    }
    ways->at = &pairs[at % FC_NAMES_PAIRS];
    return ways->at;
}

static const struct FcNamedPair *find_pair(struct FcNames *names, uint64_t function, uint64_t site)
{
    struct Ways ways = begin_ways(names, function, site);
    const struct FcNamedPair *pair = next_way(&ways);
    while (pair && !fc_names_is(pair, function, site))
        pair = next_way(&ways);
    return pair;
}

/* NULL: there is none.  A handler that comes meanwhile finds it taken. */
static struct FcNamedPair *take_place(struct FcNames *names, uint64_t function, uint64_t site)
{
    struct Ways ways = begin_ways(names, function, site);
    struct FcNamedPair *pair;
    for (pair = next_way(&ways); pair; pair = next_way(&ways))
    {
        uint64_t free = 0;
        if (__atomic_load_n(&pair->function, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&pair->function, &free, TAKEN, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            break;
    }
    return pair;
}

/* 0: there are no more. */
static uint64_t new_name(struct FcNames *names)
{
    if (names->count >= FC_NAMES_MAX)
        return 0;
    return __atomic_add_fetch(&names->count, 1, __ATOMIC_RELAXED);
}

/* Nothing was told of it. */
static void give_back(struct FcNames *names, struct FcNamedPair *place, uint64_t name)
{
    uint32_t count = (uint32_t)name;
    uint64_t taken = TAKEN;
    /* not where a handler has taken the next one */
    __atomic_compare_exchange_n(&names->count, &count, count - 1, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&place->function, &taken, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

/* A name is taken before there is room for the record: a handler that comes in between may fork,
 * and both processes write the record to that room, which is the parent's, and must write the same.
 * The child goes on with its own numbers. */
static void record_long(struct FcNames *names, uint64_t time, void *function, void *site,
                        uint64_t where, bool is_to_be_named)
{
    struct FcNamedPair *place =
        is_to_be_named && names->count < FC_NAMES_MAX
            ? take_place(names, (uint64_t)(uintptr_t)function, (uint64_t)(uintptr_t)site)
            : NULL;
    const uint64_t name = place ? new_name(names) : 0;
    uint64_t generation;
    struct FcRecord *slot = fc_record_reserve(&generation);
    if (!slot)
    {
        if (name != 0)
            give_back(names, place, name);
        fc_record_slow(time, function, site, where);
        return;
    }
    const uint64_t named = (uint64_t)(uintptr_t)function | name << FC_NAME_SHIFT;
    fc_record_store(slot, generation, time, (void *)(uintptr_t)named, site, where);
    if (name != 0)
    {
        uint64_t taken = TAKEN;
        place->site = (uint64_t)(uintptr_t)site;
        place->name = name << FC_SHORT_NAME_SHIFT;
        /* release: a handler finds the name when the record that gives it is there */
        __atomic_compare_exchange_n(&place->function, &taken, (uint64_t)(uintptr_t)function, false,
                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    }
    fc_names_begin(time, false);
}

void fc_names_record(uint64_t time, void *function, void *site, uint64_t where)
{
    struct FcNames *const names = fc_thread.names;
    if (!names) /* a handler has just turned profiling off */
    {
        fc_record_make(time, function, site, where);
        return;
    }
    const struct FcNamedCall call = {.time = fc_clock_split(time),
                                     .function = (uint64_t)(uintptr_t)function,
                                     .site = (uint64_t)(uintptr_t)site,
                                     .place = where & FC_WHERE_ADDRESS_MASK,
                                     .kind = where & FC_WHERE_KIND_MASK};
    const struct FcNamedPair *known = find_pair(names, call.function, call.site);
    const bool can_be_named = call.function > LOST && call.function <= FC_POINTER_MASK &&
                              call.site <= FC_SITE_ADDRESS_MASK;
    if (!known || !fc_names_reach(names, &call))
    {
        record_long(names, time, function, site, where, !known && can_be_named);
        return;
    }
    uint64_t generation;
    struct FcUnit *unit = fc_record_take(1, &generation);
    if (unit)
        fc_names_store(unit, generation, names, known, &call,
                       where >> FC_WHERE_RETURN_SHIFT << FC_WHERE_RETURN_SHIFT);
    else
        fc_record_slow(time, function, site, where);
}

/* ---- Threads and forks ------------------------------------------------------------------ */

#define REACH (UINT64_C(1) << 32)
#define TOLD_AT_ONCE ((FC_MESSAGE_MAX - sizeof(struct FcMessage)) / sizeof(struct FcName))

static bool are_wanted(void)
{
    return fc_config.detail == FC_DETAIL_ALL && fc_clock_is_fast() && !fc_thread.has_ended;
}

static void tell(const struct FcNames *names, const struct FcName *known, size_t count)
{
    struct FcMessage message = {
        .type = FC_MSG_NAMES, .thread = fc_thread.number, .value = names->low};
    fc_channel_send(&message, known, count * sizeof *known);
}

/* The function NULL, of which only hooks that are called by hand are told: what is free is not its
 * name. */
static void close_to_null(struct FcNames *names)
{
    struct Ways ways = begin_ways(names, 0, 0);
    for (struct FcNamedPair *pair = next_way(&ways); pair; pair = next_way(&ways))
        pair->site = UINT64_MAX;
}

void fc_names_begin(uint64_t time, bool may_begin)
{
    const uint32_t epoch = (uint32_t)(time >> 32);
    struct FcNames *names = fc_thread.names;
    if (names)
    {
        names->epoch = epoch;
        return;
    }
    /* relaxed: as in fc_thread_next_sequence */
    if (__atomic_load_n(&fc_thread.sequence, __ATOMIC_RELAXED) < FIRST_SEQUENCE || !may_begin ||
        !are_wanted())
        return;
    names = fc_map(sizeof *names);
    if (!names)
        return;
    const uint64_t end = fc_thread.own_stack.end;
    names->low = end > REACH ? (end - REACH) & FC_WHERE_ADDRESS_MASK : 0;
    names->epoch = epoch;
    close_to_null(names);
    tell(names, NULL, 0);
    fc_streams_begin();
    fc_thread.names = names;
}

void fc_names_after_fork(void)
{
    struct FcNames *names = fc_thread.names;
    if (!names)
        return;
    static struct FcName known[TOLD_AT_ONCE]; /* there is no other thread, and may be no memory */
    size_t count = 0;
    tell(names, NULL, 0); /* it may have none */
    for (size_t i = 0; i < FC_NAMES_PAIRS; i++)
    {
        struct FcNamedPair *place = &names->pairs[i];
        uint64_t taken = TAKEN;
        if (place->function == 0 || place->function == LOST ||
            __atomic_compare_exchange_n(&place->function, &taken, LOST, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            continue;
        known[count++] = (struct FcName){
            place->function, place->site | place->name >> FC_SHORT_NAME_SHIFT << FC_NAME_SHIFT};
        if (count < TOLD_AT_ONCE)
            continue;
        tell(names, known, count);
        count = 0;
    }
    if (count > 0)
        tell(names, known, count);
}

void fc_names_end(void)
{
    if (fc_thread.names)
        fc_unmap(fc_thread.names, sizeof *fc_thread.names);
    fc_thread.names = NULL;
}
