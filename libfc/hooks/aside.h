/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of handlers that interrupt libfc where it has signals blocked.  Those of the processor
 * and of the kernel's own making (signals.h) come there all the same, and what the thread has is
 * not whole then: such a handler's records go to its chunk as long as that has room, and wait in
 * memory of their own for the end of what was interrupted.
 */
#pragma once

#include "libfc/base/thread.h"

#include <stdbool.h>
#include <stdint.h>

struct FcCounterTable;

/* For the hooks and for whatever else the program calls: nothing of libfc's may be waited for or
 * changed.  What libfc calls itself, with signals blocked, must not ask. */
static inline bool fc_aside_is_needed(void)
{
    return fc_thread.is_blocking;
}

/* One record, where that is needed.  Lost where there is no memory.  Async-signal-safe. */
void fc_aside_record(uint64_t time, void *function, void *site, uint64_t where);

/* The same of an entry and an exit, in a thread that counts (NULL: in one that does not). */
void fc_aside_enter(struct FcCounterTable *table, uint64_t function, uint64_t site, uint64_t where);
void fc_aside_leave(struct FcCounterTable *table, uint64_t function, uint64_t site, uint64_t where);
