/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short records (fc-format.h): where every call is recorded, a thread gives names to the functions
 * and call sites that it meets, and then says of an entry or an exit its name, its time and its
 * place on the stack, in half as many bytes: the lines of the cache that go from the processor that
 * records to fcmanager's are what costs most, on a machine whose processors share none all by
 * itself.
 *
 * Of the calling thread.  Async-signal-safe: a handler may come between any two instructions.  A
 * name once given stays, in a forked child too, whose table is the parent's: a hook that a
 * handler interrupted to fork may have found its name already.
 */
#pragma once

#include "libfc/base/clock.h"
#include "libfc/stream/record.h"
#include "libfc/stream/streams.h"

#include <stdbool.h>

/* Each in one of two neighbours, or of some in other lines, where the hook does not look by
 * itself; what finds no place makes long records.  Of 1,600 pairs in half as many places one in
 * twenty calls was looked for in the further ones. */
#if defined(FC_TEST_EAGER)
#define FC_NAMES_PAIRS 32u
#else
#define FC_NAMES_PAIRS 8192u
#endif

/* A function and a call site, and their name. */
struct FcNamedPair
{
    uint64_t function; /* stored last, atomically for a handler; 0: free */
    uint64_t site;
    uint64_t name;   /* where the first word of a short record has it */
    uint64_t unused; /* to have a power of two of bytes */
};

struct FcNames
{
    uint32_t epoch; /* the high half of the time, in ticks, of the last long record */
    uint32_t count; /* of names that were given */
    uint64_t low;   /* stack addresses are less than 2^32 above it; a multiple of 16 */
    struct FcNamedPair pairs[FC_NAMES_PAIRS]
        __attribute__((aligned(2 * sizeof(struct FcNamedPair))));
};

static inline __attribute__((always_inline)) struct FcNamedPair *
fc_names_pair(struct FcNames *names, uint64_t function, uint64_t site)
{
    /* bytes from the first one, but for the lowest bits */
    const uint64_t at = function + (site << 3);
    const uint64_t mask = (FC_NAMES_PAIRS - 1) * (uint64_t)sizeof(struct FcNamedPair);
    return (struct FcNamedPair *)((char *)names->pairs + (at & mask));
}

static inline __attribute__((always_inline)) struct FcNamedPair *
fc_names_other(struct FcNamedPair *pair)
{
    return (struct FcNamedPair *)((uintptr_t)pair ^ sizeof *pair);
}

static inline __attribute__((always_inline)) bool fc_names_is(const struct FcNamedPair *pair,
                                                              uint64_t function, uint64_t site)
{
    return fc_likely(pair->function == function) && fc_likely(pair->site == site);
}

/* What a hook knows of its call. */
struct FcNamedCall
{
    struct FcTicks time;
    uint64_t function;
    uint64_t site;
    uint64_t place; /* on the stack */
    enum FcRecordKind kind;
};

/* Whether a short record can tell the time and the place.  Of the time it tells more than its low
 * half, but one comparison is all that this one takes. */
static inline __attribute__((always_inline)) bool fc_names_reach(const struct FcNames *names,
                                                                 const struct FcNamedCall *call)
{
    return fc_likely((uint32_t)call->time.high == names->epoch) &&
           fc_likely((call->place - names->low) >> 32 == 0);
}

/* Where a hook looks by itself.  NULL: no short record can be made of the call, or fc_names_record
 * is to find out. */
static inline __attribute__((always_inline)) const struct FcNamedPair *
fc_names_find(struct FcNames *names, const struct FcNamedCall *call)
{
    struct FcNamedPair *pair = fc_names_pair(names, call->function, call->site);
    if (!fc_names_is(pair, call->function, call->site))
    {
        pair = fc_names_other(pair);
        if (!fc_names_is(pair, call->function, call->site))
            return NULL;
    }
    return fc_names_reach(names, call) ? pair : NULL;
}

/* Makes the short record, in a unit that was taken for it. */
static inline __attribute__((always_inline)) void
fc_names_store(struct FcUnit *unit, uint64_t generation, const struct FcNames *names,
               const struct FcNamedPair *pair, const struct FcNamedCall *call, uint64_t return_bits)
{
    const uint64_t exit = call->kind == FC_RECORD_EXIT ? FC_SHORT_EXIT : 0;
    const uint64_t first =
        (call->place - names->low) << FC_SHORT_ADDRESS_SHIFT | exit | pair->name | return_bits;
    /* FC_SHORT_TIME_MASK, but of that the compiler, if it knew, would make a mask of 48 bits, for
       which it has no register */
    uint64_t high = (uint16_t)call->time.high;
    __asm__("" : "+r"(high));
    fc_streams_store(unit, first,
                     generation << FC_SITE_GENERATION_SHIFT | high << 32 | call->time.low);
}

/* Makes the record of whatever the hook did not find in the first two places, could not tell or had
 * no room for: a long one if need be, which gives a name if there is one to be had. */
void fc_names_record(uint64_t time, void *function, void *site, uint64_t where);

/* Behind a long record of that time: short ones may count from there.  A thread that has made none
 * makes some from here on, if it can and `may_begin`. */
void fc_names_begin(uint64_t time, bool may_begin);
/* In a forked child, behind the same message: fcmanager is told what the thread has. */
void fc_names_after_fork(void);
/* The thread ends. */
void fc_names_end(void);
