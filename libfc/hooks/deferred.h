/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of signal handlers that interrupt libfc while it has signals blocked.  libfc does not
 * block signals that the processor or the kernel raises (signals.h), so a handler may run while the
 * thread's state is incomplete.  Its records go to the thread's chunk while that has room.  After
 * that they are deferred: kept in separate memory until the interrupted code unblocks the signals.
 */
#pragma once

#include "libfc/base/thread.h"

#include <stdbool.h>
#include <stdint.h>

struct FcCounterTable;

/* Whether the caller runs in a handler that has interrupted libfc.  Called by the hooks and
 * other functions that the program calls: if true, they must not wait for or change libfc's
 * state.  Not for code that libfc itself calls with signals blocked. */
static inline bool fc_deferred_is_needed(void)
{
    return fc_thread.is_blocking;
}

/* Makes one record if fc_deferred_is_needed.  The record is lost if there is no memory.
 * Async-signal-safe. */
void fc_deferred_record(uint64_t time, void *function, void *site, uint64_t where);

/* The same for an entry and an exit.  `table` is NULL in a thread that counts nothing. */
void fc_deferred_enter(struct FcCounterTable *table, uint64_t function, uint64_t site,
                       uint64_t where);
void fc_deferred_leave(struct FcCounterTable *table, uint64_t function, uint64_t site,
                       uint64_t where);
