/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_DEPTH: calls within more than so many open ones are counted and make no record.  Here is which
 * activations of the calling thread are open, as its stack says, and the counting of what is too
 * deep.  For counted.c, which all calls come to where there is a limit, and for the hooks after
 * inlining, which learn here what an exit is of.
 *
 * On a coroutine's stack the number of open activations is not known: a thread that goes to one
 * records everything from there on.
 *
 * Async-signal-safe; a handler may come between any two instructions.
 */
#pragma once

#include "libfc/count/counters.h"

/* Whether there is a limit. */
bool fc_depth_is_on(void);

/* Where there is a limit: makes the calling thread's table, unless it has one; without memory for
 * it nothing is too deep.  Signals blocked. */
void fc_depth_begin(void);
/* The thread ends.  Signals blocked. */
void fc_depth_end(void);

/* Of a thread with a table (fc_thread.depth): an entry.  True where it is too deep. */
bool fc_depth_enter(uint64_t function, uint64_t site, uint64_t where);
/* An exit.  True where the entry was too deep. */
bool fc_depth_exit(uint64_t function, uint64_t site, uint64_t where);

/* What an exit after inlining is of: the activation at that place of the stack, as its entry was
 * told to fc_depth_enter; to be asked again until all at that place have left.  FC_DEPTH_NONE: none
 * is known; FC_DEPTH_UNKNOWN: there may be one for which there was no room. */
uint64_t fc_depth_find_at(uint64_t site, uint64_t where);
#define FC_DEPTH_NONE 0u
#define FC_DEPTH_UNKNOWN 1u

/* For the hooks after inlining: an entry that is skipped, or too deep and counted, and an exit of
 * which nothing is to be recorded.  False: counted.c has to look, which an entry may be told to
 * again. Touches no vector register. */
bool fc_depth_handles_entry(struct FcCounted *counted, uint64_t function, uint64_t site,
                            uint64_t where);
bool fc_depth_handles_exit(uint64_t site, uint64_t where);

/* The stack is cut back to `address`. */
void fc_depth_jump(uint64_t address);
/* From here on nothing is too deep; what is open stays known. */
void fc_depth_stop(void);
/* For overhead.c: so many are allowed, and those of the user's setting again. */
void fc_depth_set_limit(uint32_t limit);
void fc_depth_reset_limit(void);

/* Counts a call that is too deep. */
void fc_depth_count(struct FcCounted *counted, uint64_t function, uint64_t site, uint64_t where);
