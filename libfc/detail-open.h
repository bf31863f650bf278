/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which activations of a thread are open as its records tell, and what is known of a function from
 * those that ended.  For detail.c, which goes by it.  All functions: signals blocked.
 */
#pragma once

#include "libfc/detail-tables.h"
#include "libfc/place.h"

#include <stddef.h>

static inline struct FcStatistics *fc_detail_statistics_of(struct FcDetail *detail,
                                                           const struct FcOpen *open)
{
    return open->statistics != 0 ? &detail->statistics[open->statistics - 1] : NULL;
}

static inline void fc_detail_pop(struct FcDetail *detail)
{
    struct FcOpen *open = &detail->open[--detail->open_count];
    struct FcStatistics *statistics = fc_detail_statistics_of(detail, open);
    if (statistics)
        statistics->open--;
}

static inline uint64_t fc_detail_address_of(const struct FcOpen *open)
{
    return fc_place_of(open->function, open->where);
}

static inline uint64_t fc_detail_address_in(const struct FcRecord *record)
{
    return fc_place_of(record->function, record->where);
}

/* Those below were left by a jump. */
static inline void fc_detail_cut(struct FcDetail *detail, uint64_t address)
{
    while (detail->open_count > 0 &&
           fc_detail_address_of(&detail->open[detail->open_count - 1]) < address)
        fc_detail_pop(detail);
}

/* What is open within the innermost activation is not known until that is over: what comes above
 * its address is behind both.  Where none is known it may be anything from here on. */
void fc_detail_lose_track(struct FcDetail *detail);
/* Whether it is known again what is open, before that record. */
bool fc_detail_find_track(struct FcDetail *detail, const struct FcRecord *record);

/* `is_judged`: the call counts for its function. */
void fc_detail_enter(struct FcDetail *detail, const struct FcRecord *record, uint64_t function,
                     bool is_judged);
/* `cost`: ticks that a recorded call costs its callers. */
void fc_detail_leave(struct FcDetail *detail, const struct FcRecord *record, uint64_t cost);
