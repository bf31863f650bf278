/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short records that are stored past the caches.
 *
 * Where the processors of a machine don't all share a cache, a line of a chunk that fcmanager has
 * read on the other side takes the next store to it 85 to 300 ns.  A store past the caches does not
 * wait for that, and costs no more than another one where they do share a cache: so it is on
 * AMD's, of which few share one.  Others were not seen in that state.
 *
 * Async-signal-safe, but for the setup.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>

/* Set once, before the first record. */
extern bool fc_streams_are_on __attribute__((visibility("hidden")));

/* At the start, with the pool's first words.  Not wanted (NULL) where records go through the pipe,
 * for which the thread itself reads them, nor where memory is profiled: then fcmanager reads chunks
 * in which threads still record. */
void fc_streams_setup(struct FcShared *shared);

/* A thread begins to make short records: fcmanager is told how they are stored. */
void fc_streams_begin(void);

/* Nobody is to see the second word without the first. */
static inline __attribute__((always_inline)) void fc_streams_store(struct FcUnit *unit,
                                                                   uint64_t first, uint64_t last)
{
#if defined(__x86_64__)
    /* They come into one buffer, of 64 bytes, which leaves by one command where each of its words
       is there or not ("AMD Athlon Processor x86 Code Optimization", 22007, "Sending Write-Buffer
       Data to the System"): together, or in this order. */
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

/* Before fcmanager is told of the records, which is to see them then.  That of a hook which a
 * handler interrupted comes later, and fcmanager waits for it as for any such. */
static inline void fc_streams_publish(void)
{
#if defined(__x86_64__)
    __asm__ volatile("sfence" : : : "memory");
#endif
}
