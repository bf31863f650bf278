/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How many calls a counter counts until the next sample: see counters.h.
 */
#include "libfc/count/counters.h"

static bool replace(uint64_t *word, uint64_t *seen, uint64_t next)
{
#if defined(__x86_64__)
    /* without `lock`: only this thread and its handlers write to it */
    bool is_done;
    __asm__ volatile("cmpxchgq %3, %1" : "=@cce"(is_done), "+m"(*word), "+a"(*seen) : "r"(next));
    return is_done;
#else
    return __atomic_compare_exchange_n(word, seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

uint32_t fc_counters_backoff(const struct FcCounted *counted, const struct FcCount *count)
{
    const uint64_t calls = __atomic_load_n(&count->word, __ATOMIC_RELAXED) >> 16;
    uint32_t backoff = 0;
    if (counted->is_steady)
        return 0;
    for (uint64_t often = FC_COUNT_OFTEN; backoff < FC_COUNT_BACKOFF_MAX && calls >= often;
         often *= 4)
        backoff++;
    return backoff;
}

/* Adds calls to both parts of the word in one step, so that it is right at any time. */
static void add_calls(struct FcCount *count, uint64_t more)
{
    uint64_t word = __atomic_load_n(&count->word, __ATOMIC_RELAXED);
    uint64_t next;
    do
        next = ((word >> 16) + more) << 16 | (uint16_t)(word + more);
    while (!replace(&count->word, &word, next));
}

void fc_counters_refill(struct FcCounted *counted, struct FcCount *count, uint32_t backoff)
{
    const uint64_t span = (FC_COUNT_MASK + UINT64_C(1)) << backoff;
    add_calls(count, (FC_COUNT_MIN << backoff) + (fc_counters_random(counted) & (span - 1)));
}
