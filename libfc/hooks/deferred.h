/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of signal handlers that interrupt libfc while it has signals blocked.  Signals that the
 * processor or the kernel raises (signals.h) arrive all the same, when the thread's state is
 * incomplete.  The records of such a handler go to the thread's chunk while that has room.  After
 * that they are deferred: kept in memory of their own until the interrupted code unblocks the
 * signals.
 */
#pragma once

#include "libfc/base/thread.h"

#include <stdbool.h>
#include <stdint.h>

struct FcCounterTable;

/* Whether a handler has interrupted such code.  For the hooks and for other functions of libfc
 * that the program calls: they may not wait for anything of libfc's or change it then.  Not for
 * what libfc itself calls with signals blocked. */
static inline bool fc_deferred_is_needed(void)
{
    return fc_thread.is_blocking;
}

/* Makes one record, where fc_deferred_is_needed.  It is lost if there is no memory.
 * Async-signal-safe. */
void fc_deferred_record(uint64_t time, void *function, void *site, uint64_t where);

/* The same for an entry and an exit.  `table` is NULL in a thread that counts nothing. */
void fc_deferred_enter(struct FcCounterTable *table, uint64_t function, uint64_t site,
                       uint64_t where);
void fc_deferred_leave(struct FcCounterTable *table, uint64_t function, uint64_t site,
                       uint64_t where);
