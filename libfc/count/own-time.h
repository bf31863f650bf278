/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Subtracts from the time between a thread's records what belongs to no function.  For detail.c.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>
#include <stdint.h>

/* The time that the thread was on the CPU and not in libfc, according to its records. */
struct FcOwnTime
{
    uint64_t seen;  /* the time of the last record that was scanned */
    uint64_t away;  /* ticks up to that record that belong to no function */
    uint64_t owed;  /* the same, for the time after that record */
    uint64_t ahead; /* its clocks' difference as FC_OFF_SEEN has it */
    bool is_known;  /* whether `ahead` is set */
};

/* For `ticks` before the next record, made at `time`, the thread was off the CPU or in libfc.
 * If that is longer than the time up to the record, the rest belongs to the time after it. */
static inline void fc_own_time_go_away(struct FcOwnTime *own, uint64_t ticks, uint64_t time)
{
    const uint64_t elapsed = time > own->seen ? time - own->seen : 0;
    const uint64_t most = ticks < elapsed ? ticks : elapsed;
    own->away += most;
    own->seen += most;
    /* ignore small differences: the length of a tick is an estimate */
    if (ticks > elapsed + elapsed / 256 + 4096)
        own->owed = ticks - elapsed;
}

/* The same, as an FC_RECORD_OFF says. */
static inline void fc_own_time_take_off(struct FcOwnTime *own, const struct FcRecord *record,
                                        uint64_t ticks_per_1024_ns)
{
    if ((record->where >> FC_OFF_RECORD_SHIFT & FC_OFF_RECORD_MASK) == FC_OFF_PAUSED)
    {
        own->ahead += record->site & FC_SITE_ADDRESS_MASK;
        fc_own_time_go_away(own, record->function, record->time);
        return;
    }
    const int64_t grown = (int64_t)((record->function - own->ahead) << 1) >> 1; /* modulo 2^63 */
    if (own->is_known && grown <= 0)
        return;
    if (own->is_known)
        fc_own_time_go_away(own, (uint64_t)grown * ticks_per_1024_ns / 1024, record->time);
    own->ahead = record->function;
    own->is_known = true;
}

/* The thread's own time at which the record was made. */
static inline uint64_t fc_own_time(struct FcOwnTime *own, const struct FcRecord *record)
{
    const uint64_t elapsed = record->time > own->seen ? record->time - own->seen : 0;
    const uint64_t away = own->owed < elapsed ? own->owed : elapsed;
    own->owed = elapsed > 0 ? 0 : own->owed;
    own->away += away;
    own->seen += elapsed;
    return own->seen - own->away;
}
