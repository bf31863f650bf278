/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes units of a chunk and fills them: the few instructions that make every record.
 * Async-signal-safe: a handler may come between any two of them.
 */
#pragma once

#include "libfc/base/sys.h"
#include "libfc/base/thread.h"
#include "libfc/fc-format.h"
#include "libfc/stream/chunk-full.h"

/* Takes the next units of the thread's chunk.  NULL: the chunk is full, or there is none.
 * Otherwise the low 16 bits of *generation are the generation as short records have it; the bits
 * above are of no use. */
static inline __attribute__((always_inline)) struct FcUnit *fc_record_take(uint64_t units,
                                                                           uint64_t *generation)
{
    uint64_t cursor = units * sizeof(struct FcUnit);
#if defined(__x86_64__)
    /* One instruction is atomic enough against handlers on the same thread.  The `lock` prefix
       would cost more than the rest of the hook. */
    __asm__ volatile("xaddq %0, %1" : "+r"(cursor), "+m"(fc_thread.cursor) : : "cc");
#else
    cursor = __atomic_fetch_add(&fc_thread.cursor, cursor, __ATOMIC_RELAXED);
#endif
    if (fc_unlikely((uint16_t)cursor >= FC_UNITS * sizeof(struct FcUnit)))
        return NULL;
    /* rotated, so that the generation is in the low bits and the address above it */
    cursor = cursor << FC_CURSOR_ADDRESS_SHIFT | cursor >> FC_CURSOR_GENERATION_SHIFT;
    *generation = cursor;
    return (struct FcUnit *)((uintptr_t)(cursor >> FC_CURSOR_ADDRESS_SHIFT) +
                             FC_CHUNK_HEADER_BYTES);
}

/* The same for a long record, with the generation as fc_record_store expects it. */
static inline __attribute__((always_inline)) struct FcRecord *
fc_record_reserve(uint64_t *generation)
{
    struct FcUnit *unit = fc_record_take(FC_RECORD_UNITS, generation);
    if (fc_likely(unit))
        *generation = FC_GENERATION_OF_SHORT(*generation); /* back to that of long records */
    return (struct FcRecord *)unit;
}

static inline __attribute__((always_inline)) void fc_record_store(struct FcRecord *slot,
                                                                  uint64_t generation,
                                                                  uint64_t time, void *function,
                                                                  void *site, uint64_t where)
{
    /* Atomic, and in this order: a reader that checks whether the record is there uses `where`
       to learn whether it is short.  With the old `where`, the time might be taken for the last
       word of a short record. release: pairs with that reader's load of the time. */
    __atomic_store_n(&slot->where, where, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->time, time, __ATOMIC_RELEASE);
    slot->function = (uint64_t)(uintptr_t)function;
    /* release: a reader that sees the generation sees the rest (pairs with the manager's load,
       of a chunk with a gap or of a process that was killed) */
    __atomic_store_n(&slot->site,
                     (uint64_t)(uintptr_t)site | generation << FC_SITE_GENERATION_SHIFT,
                     __ATOMIC_RELEASE);
}

/* Makes a long record; goes the slow path if there is no room. */
static inline __attribute__((always_inline)) void fc_record_make(uint64_t time, void *function,
                                                                 void *site, uint64_t where)
{
    uint64_t generation;
    struct FcRecord *slot = fc_record_reserve(&generation);
    if (fc_likely(slot))
        fc_record_store(slot, generation, time, function, site, where);
    else
        fc_record_slow(time, function, site, where);
}
