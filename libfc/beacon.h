/* SPDX-License-Identifier: 0BSD
 *
 * Where a thread is: one word in its first chunk of counts (FcChunk.beacon), which its hooks write
 * and fcmanager reads whenever it likes (fcmanager/estimate/observe.h).  So the manager learns by
 * looking how the time is divided between functions, and how much of it hooks take, without a
 * signal, a clock in the program or a privilege.
 *
 * Threads that count have one; the word says nothing before.  A handler may come between any two
 * instructions: what it leaves there stands until the next hook.
 */
#pragma once

#include <stdint.h>

/* A hook is at work. */
#define FC_BEACON_HOOK 0u
/* Else the function that was entered last, from the call site of which the lowest bits are there,
 * or, with FC_BEACON_LEFT, the one that returned there last.  Of code that is instrumented after
 * inlining, an exit knows the call site alone: that is in the place of the function then. */
#define FC_BEACON_FUNCTION_MASK UINT64_C(0x0000ffffffffffff)
#define FC_BEACON_SITE_SHIFT 48
#define FC_BEACON_SITE_BITS UINT64_C(0x7fff)
#define FC_BEACON_LEFT (UINT64_C(1) << 63)

static inline __attribute__((always_inline)) uint64_t fc_beacon_entered(uint64_t function,
                                                                        uint64_t site)
{
    return function | (site & FC_BEACON_SITE_BITS) << FC_BEACON_SITE_SHIFT;
}

static inline __attribute__((always_inline)) uint64_t fc_beacon_left(uint64_t function,
                                                                     uint64_t site)
{
    return function | site << FC_BEACON_SITE_SHIFT | FC_BEACON_LEFT;
}

/* Of code that is instrumented after inlining. */
static inline __attribute__((always_inline)) uint64_t fc_beacon_left_to(uint64_t site)
{
    return (site & FC_BEACON_FUNCTION_MASK) | FC_BEACON_LEFT;
}

/* relaxed: a look may come at any time */
static inline __attribute__((always_inline)) void fc_beacon_set(uint64_t *beacon, uint64_t what)
{
    __atomic_store_n(beacon, what, __ATOMIC_RELAXED);
}
