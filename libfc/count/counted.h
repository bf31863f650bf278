/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the hooks of counted functions do beyond counting.  All functions are async-signal-safe and
 * keep errno; a handler may come between any two instructions.
 *
 * `where` is that of a record without its kind: the stack address of the function, and the low
 * bits of the address that the hook returns to.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdint.h>

/* The pair is in the hook's table and its counter is used up.  The call was counted. */
void fc_counted_refill(void *function, void *site, uint64_t where);

/* An entry that the hook could not handle: counts or records it. */
void fc_counted_enter(void *function, void *site, uint64_t where);

/* An exit that the hook could not handle: records it, unless its entry was counted. */
void fc_counted_exit(void *function, void *site, uint64_t where);

/* The same after inlining, for threads of which every call comes here.  `function` has
 * FC_FUNCTION_AFTER_INLINING; an exit does not know its function. */
void fc_counted_enter_after_inlining(uint64_t function, uint64_t site, uint64_t where);
void fc_counted_exit_after_inlining(uint64_t site, uint64_t where);

/* To be called after a record was made without asking any of these: a handler may have come in
 * between, and with it what these keep of recorded calls.  Does nothing for other records than
 * entries after inlining. */
void fc_counted_complete_after_inlining(uint64_t function, uint64_t site, uint64_t where);

/* The same after inlining, for threads whose hooks count or skip such functions (recorded.h).
 * The entry is in fc_hooks.recorded already.  The first is for a counter that is used up, the
 * second for an entry that the hook could not handle, the third for the exits of all calls at a
 * stack address. */
void fc_counted_refill_after_inlining(uint64_t function, uint64_t site, uint64_t where);
void fc_counted_check_after_inlining(uint64_t function, uint64_t site, uint64_t where);
void fc_counted_leave_after_inlining(uint64_t site, uint64_t where);

/* Begins to count what detail.c has decided.  The thread's chunk was just taken, and holds
 * records up to unit `units`.  Signals blocked. */
void fc_counted_begin(const struct FcChunk *chunk, uint32_t units);

/* To be called before and after the record of a jump that cuts the stack back to `address`. */
void fc_counted_jump(uint64_t address);
void fc_counted_has_jumped(void);

/* To be called before the record of a switch to another stack. */
void fc_counted_switch(void);
