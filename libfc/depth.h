/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_DEPTH: calls within more than so many open ones are counted and make no record.  Here is which
 * activations of the calling thread are open, as its stack says, and the counting of what is too
 * deep.  For counted.c, which all calls come to where there is a limit, and slow.c.
 *
 * On a coroutine's stack the number of open activations is not known: a thread that goes to one
 * records everything from there on.
 *
 * Async-signal-safe; a handler may come between any two instructions.
 */
#pragma once

#include "libfc/counters.h"

/* Whether there is a limit. */
bool fc_depth_is_on(void);

/* Makes the calling thread's table where there is a limit; without memory for it there is none.
 * Signals blocked. */
void fc_depth_begin(void);
/* The thread ends.  Signals blocked. */
void fc_depth_end(void);

/* Of a thread with a table (fc_thread.depth): an entry.  True where it is too deep. */
bool fc_depth_enter(uint64_t function, uint64_t site, uint64_t where);
/* An exit.  True where the entry was too deep. */
bool fc_depth_exit(uint64_t function, uint64_t site, uint64_t where);

/* The stack is cut back to `address`. */
void fc_depth_jump(uint64_t address);
/* From here on nothing is too deep; what is open stays known. */
void fc_depth_stop(void);
/* For costs.c: so many are allowed, and those of the user's setting again. */
void fc_depth_set_limit(uint32_t limit);
void fc_depth_reset_limit(void);

/* Counts a call that is too deep. */
void fc_depth_count(struct FcCounted *counted, uint64_t function, uint64_t site, uint64_t where);
