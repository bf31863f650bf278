/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the hooks do from a sample of a counted function on, or from where its counter was used up
 * without one, to where the next counter is.
 *
 * Behind one sample in FC_GAPS_EACH all are recorded until the first event: a gap, which tells how
 * long callers are at work between two calls.  One stretch in FC_DOUBLE_EACH has an empty table
 * for the hooks, who so come to libfc, which looks into the thread's own: the work is done twice.
 * How much longer such a stretch takes tells the manager what the hooks cost there.
 */
#pragma once

#include "libfc/counters.h"
#include "libfc/thread.h"

#define FC_GAPS_EACH 4u
#if defined(FC_TEST_EAGER)
#define FC_DOUBLE_EACH 2u
#else
#define FC_DOUBLE_EACH 32u
#endif

/* The thread's own table where the hooks were led to the empty one first; in a child that a handler
 * forked there is none, and nothing is counted. */
static inline __attribute__((always_inline)) struct FcFilter *
fc_stretch_own(struct FcFilter *filter)
{
    if (fc_likely(filter != &fc_filter_double))
        return filter;
    return fc_thread.counted ? &fc_thread.counted->filter : filter;
}

/* The filter is to be set behind it.  `is_sample`: the EXIT of one is recorded next. */
static inline void fc_stretch_begin(struct FcCounted *counted, bool is_sample)
{
    const uint64_t random = fc_counters_random(counted) >> 32;
    counted->is_gap = is_sample && random % FC_GAPS_EACH == 0;
    counted->is_double =
        !counted->is_gap && !counted->is_steady && random / FC_GAPS_EACH % FC_DOUBLE_EACH == 0;
}

/* A counter is used up.  Returns what to tell of the stretch beside the call: FC_COUNT_DOUBLED. */
static inline uint32_t fc_stretch_end(struct FcCounted *counted)
{
    if (!counted->is_double)
        return 0;
    counted->is_double = false;
    fc_counters_set_filter(counted);
    return FC_COUNT_DOUBLED;
}
