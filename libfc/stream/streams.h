/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stores short records past the caches.
 *
 * On machines whose processors don't all share a cache, a store to a cache line that fcmanager has
 * read on the other side takes 85 to 300 ns.  A store past the caches does not wait for that line,
 * and costs no more than another store where a cache is shared.  So this is on for AMD's
 * processors, few of which share one cache.  Others were not measured to need it.
 *
 * Async-signal-safe, except for the setup.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>

/* Set once, before the first record. */
extern bool fc_streams_are_on __attribute__((visibility("hidden")));

/* Called at the start with the header of the shared memory.  `shared` is NULL if the records go
 * through the pipe, since the thread then reads them itself, and if memory is profiled, since
 * fcmanager then reads chunks in which threads still record. */
void fc_streams_setup(struct FcShared *shared);

/* The thread begins to make short records: tells fcmanager how they are stored. */
void fc_streams_begin(void);

/* No reader may see the second word without the first. */
static inline __attribute__((always_inline)) void fc_streams_store(struct FcUnit *unit,
                                                                   uint64_t first, uint64_t last)
{
#if defined(__x86_64__)
    /* Both go into one write buffer of 64 bytes, which the processor sends by one command that
       says which of its words are there ("AMD Athlon Processor x86 Code Optimization", 22007,
       "Sending Write-Buffer Data to the System"): so they become visible together, or in this
       order. */
    if (fc_streams_are_on)
    {
        __asm__ volatile("movnti %1, %0" : "=m"(unit->first) : "r"(first));
        __asm__ volatile("movnti %1, %0" : "=m"(unit->last) : "r"(last));
        return;
    }
#endif
    /* atomic, release: as in fc_record_store */
    __atomic_store_n(&unit->first, first, __ATOMIC_RELAXED);
    __atomic_store_n(&unit->last, last, __ATOMIC_RELEASE);
}

/* Makes the stored records visible.  To be called before fcmanager is told of them.  The record
 * of a hook that a handler interrupted comes later; fcmanager waits for it as for any gap. */
static inline void fc_streams_publish(void)
{
#if defined(__x86_64__)
    __asm__ volatile("sfence" : : : "memory");
#endif
}
