/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_DEPTH: a call within that many open calls, or more, is counted and makes no record.  This
 * module knows which calls of the calling thread are open, by their stack addresses, and counts
 * the deep ones.  For counted.c, which handles every call if there is a limit, and for the hooks
 * after inlining, which learn here which function an exit belongs to.
 *
 * On a coroutine's stack the number of open calls is not known.  A thread that changes to one
 * records everything from there on.
 *
 * Async-signal-safe; a handler may come between any two instructions.
 */
#pragma once

#include "libfc/count/counters.h"

/* Whether there is a limit. */
bool fc_depth_is_on(void);

/* Makes the calling thread's table, if there is a limit and the thread has none yet.  Without
 * memory for it no call is too deep.  Signals blocked. */
void fc_depth_begin(void);
/* The thread ends: gives its table back.  Signals blocked. */
void fc_depth_end(void);

/* An entry, in a thread that has a table (fc_thread.depth).  True: it is too deep. */
bool fc_depth_enter(uint64_t function, uint64_t site, uint64_t where);
/* An exit, in such a thread.  True: its entry was too deep. */
bool fc_depth_exit(uint64_t function, uint64_t site, uint64_t where);

/* The function of an exit after inlining: that of the innermost open call at this stack address,
 * as fc_depth_enter got it.  To be called again until all calls at that address have left.
 * FC_DEPTH_NONE: no call is known; FC_DEPTH_UNKNOWN: there may be one for which there was no
 * room. */
uint64_t fc_depth_find_at(uint64_t site, uint64_t where);
#define FC_DEPTH_NONE 0u
#define FC_DEPTH_UNKNOWN 1u

/* For the hooks after inlining.  True: the entry was skipped, or was too deep and counted, or
 * the exit needs no record.  False: counted.c has to handle the call, also if the entry was
 * already passed to fc_depth_enter here.  Touches no vector register. */
bool fc_depth_handles_entry(struct FcCounted *counted, uint64_t function, uint64_t site,
                            uint64_t where);
bool fc_depth_handles_exit(uint64_t site, uint64_t where);

/* A jump has cut the stack back to `address`. */
void fc_depth_jump(uint64_t address);
/* From here on no call is too deep.  What is open stays known. */
void fc_depth_stop(void);
/* For overhead.c: sets the limit to so many open calls, and back to the user's setting. */
void fc_depth_set_limit(uint32_t limit);
void fc_depth_reset_limit(void);

/* Counts a call that is too deep. */
void fc_depth_count(struct FcCounted *counted, uint64_t function, uint64_t site, uint64_t where);
