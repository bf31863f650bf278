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

#include "libfc/record.h"

#include <stdbool.h>

/* Each in one of two neighbours, or of two more in another line, where the hook does not look by
 * itself; what finds no place makes long records. */
#if defined(FC_TEST_EAGER)
#define FC_NAMES_PLACES 32u
#else
#define FC_NAMES_PLACES 4096u
#endif

struct FcNames
{
    uint64_t epoch; /* ticks: time of a long record, not long ago */
    uint64_t low;   /* stack addresses are less than 2^32 above it; a multiple of 16 */
    uint32_t count; /* of names that were given */
    struct FcName places[FC_NAMES_PLACES] __attribute__((aligned(2 * sizeof(struct FcName))));
};

static inline __attribute__((always_inline)) struct FcName *
fc_names_place(struct FcNames *names, uint64_t function, uint64_t site)
{
    /* bytes from the first place; functions mostly lie at multiples of 16 */
    const uint64_t at = function + (site << 4) + (site << 2);
    return (struct FcName *)((char *)names->places +
                             (at & (FC_NAMES_PLACES - 1) * (uint64_t)sizeof(struct FcName)));
}

static inline __attribute__((always_inline)) struct FcName *fc_names_other(struct FcName *place)
{
    return (struct FcName *)((uintptr_t)place ^ sizeof *place);
}

static inline __attribute__((always_inline)) bool fc_names_is(const struct FcName *place,
                                                              uint64_t function, uint64_t site)
{
    return fc_likely(__atomic_load_n(&place->function, __ATOMIC_RELAXED) == function) &&
           fc_likely((place->site ^ site) << (64 - FC_NAME_SHIFT) == 0);
}

/* What a hook knows of its call. */
struct FcNamedCall
{
    uint64_t time;
    uint64_t function;
    uint64_t site;
    uint64_t place;       /* on the stack */
    uint64_t return_bits; /* of the address that the hook returns to, as in a long record's */
    enum FcRecordKind kind;
};

static inline __attribute__((always_inline)) uint64_t fc_names_where(const struct FcNamedCall *call)
{
    return call->place | call->kind | call->return_bits;
}

/* Whether a short record can tell the time and the place. */
static inline __attribute__((always_inline)) bool fc_names_reach(const struct FcNames *names,
                                                                 const struct FcNamedCall *call)
{
    return fc_likely(((call->time - names->epoch) >> FC_SHORT_TIME_BITS |
                      (call->place - names->low) >> 32) == 0);
}

/* Makes the short record.  False where there is no room: it is to be made by fc_record_slow. */
static inline __attribute__((always_inline)) bool fc_names_store(const struct FcNames *names,
                                                                 const struct FcName *name,
                                                                 const struct FcNamedCall *call)
{
    uint64_t generation;
    struct FcUnit *unit = fc_record_take(1, &generation);
    if (fc_unlikely(!unit))
        return false;
    const uint64_t exit = call->kind == FC_RECORD_EXIT ? FC_SHORT_EXIT : 0;
    const uint64_t first = (call->place - names->low) << FC_SHORT_ADDRESS_SHIFT | exit |
                           name->site >> FC_NAME_SHIFT << FC_SHORT_NAME_SHIFT | call->return_bits;
    /* atomic, release: as in fc_record_store */
    __atomic_store_n(&unit->first, first, __ATOMIC_RELAXED);
    /* by shifts, as masks of more than 32 bits take a register */
    __atomic_store_n(&unit->last,
                     call->time << 16 >> 16 | generation << 1 >> 1 |
                         (uint64_t)FC_GENERATION_SHORT << FC_SITE_GENERATION_SHIFT,
                     __ATOMIC_RELEASE);
    return true;
}

/* The same of whatever the hook did not find in the first two places, or could not tell: a long one
 * if need be, which gives a name if there is one to be had. */
void fc_names_record(uint64_t time, void *function, void *site, uint64_t where);

/* Behind a long record of that time: short ones may count from there, and if the calling thread has
 * made none yet, it makes some from here on if it can. */
void fc_names_begin(uint64_t time);
/* In a forked child, behind the same message: fcmanager is told what the thread has. */
void fc_names_after_fork(void);
/* The thread ends. */
void fc_names_end(void);

/* Makes the record of an entry or an exit. */
static inline __attribute__((always_inline)) void fc_names_make(struct FcNames *names,
                                                                const struct FcNamedCall *call)
{
    const struct FcName *name = fc_names_place(names, call->function, call->site);
    if (!fc_names_is(name, call->function, call->site))
    {
        name = fc_names_other((struct FcName *)name);
        if (!fc_names_is(name, call->function, call->site))
            name = NULL;
    }
    void *const function = (void *)(uintptr_t)call->function;
    void *const site = (void *)(uintptr_t)call->site;
    if (fc_unlikely(!name) || !fc_names_reach(names, call))
        fc_names_record(call->time, function, site, fc_names_where(call));
    else if (!fc_names_store(names, name, call))
        fc_record_slow(call->time, function, site, fc_names_where(call));
}
