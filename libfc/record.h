/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Taking a slot and filling it: the few instructions that all who make records share.
 * Async-signal-safe: a handler may come between any two of them.
 */
#pragma once

#include "libfc/fc-format.h"
#include "libfc/sys.h"
#include "libfc/thread.h"

/* Takes the next slot of the thread's chunk.  NULL when it is full or there is none;
 * otherwise `generation` is what fc_record_store wants. */
static inline __attribute__((always_inline)) struct FcRecord *
fc_record_reserve(uint64_t *generation)
{
    uint64_t cursor = 1;
#if defined(__x86_64__)
    /* Against handlers on the same thread one instruction is atomic enough; the
       `lock` prefix would cost more than the rest of the hook. */
    __asm__ volatile("xaddq %0, %1" : "+r"(cursor), "+m"(fc_thread.cursor) : : "cc");
#else
    cursor = __atomic_fetch_add(&fc_thread.cursor, 1, __ATOMIC_RELAXED);
#endif
    if (fc_unlikely(FC_CURSOR_SLOTS(cursor) >= FC_SLOTS))
        return NULL;
    *generation = FC_CURSOR_GENERATION(cursor);
    /* by shifts: for &chunk->records[slot] compilers emit more instructions */
    return (struct FcRecord *)((uintptr_t)(cursor >> 32 << 16) + FC_CHUNK_HEADER_BYTES +
                               ((uintptr_t)FC_CURSOR_SLOTS(cursor) << 5));
}

static inline __attribute__((always_inline)) void fc_record_store(struct FcRecord *slot,
                                                                  uint64_t generation,
                                                                  uint64_t time, void *function,
                                                                  void *site, uint64_t where)
{
    slot->time = time;
    slot->function = (uint64_t)(uintptr_t)function;
    slot->where = where;
    /* release: whoever sees the generation sees the rest (pairs with the manager's
       load, of a chunk with a gap or of a process that was killed) */
    __atomic_store_n(&slot->site, (uint64_t)(uintptr_t)site | generation, __ATOMIC_RELEASE);
}

/* Stores the record in a new chunk, waiting for one if need be, or drops it when profiling is off.
 * In slow.c, which may include what starts profiling; this header must not.  Async-signal-safe;
 * errno is kept. */
void fc_record_slow(uint64_t time, void *function, void *site, uint64_t where);

/* An FC_RECORD_OFF of a thread that has no chunk and may never need one: sends it by itself.  In
 * slow.c, too.  Signals blocked. */
void fc_record_send_off(const struct FcRecord *record);

/* Both, and the slow path where there is no slot. */
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
