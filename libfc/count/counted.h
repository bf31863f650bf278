/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Counted functions: what their hooks do beyond counting.  Async-signal-safe throughout, errno is
 * kept; a handler may come between any two instructions.
 *
 * `where` is that of a record without its kind: the stack address of the function and the low
 * bits of the place that the hook returns to.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdint.h>

/* The hook's table has the pair, and its counter is used up; the call is counted. */
void fc_counted_refill(void *function, void *site, uint64_t where);

/* An entry that the hook's table does not settle: counts or records it. */
void fc_counted_enter(void *function, void *site, uint64_t where);

/* An exit that the hook's table does not settle: records it, unless its entry was counted. */
void fc_counted_exit(void *function, void *site, uint64_t where);

/* The same of code that gcc instrumented after inlining, of threads that look at all calls:
 * `function` with FC_FUNCTION_AFTER_INLINING, which an exit does not know. */
void fc_counted_enter_after_inlining(uint64_t function, uint64_t site, uint64_t where);
void fc_counted_exit_after_inlining(uint64_t site, uint64_t where);

/* The same of a thread that counts or skips such functions by itself (recorded.h), which has put
 * the entry there: one whose counter is used up, one that the hook's table does not settle, and the
 * exits of all that are at a place. */
void fc_counted_refill_after_inlining(uint64_t function, uint64_t site, uint64_t where);
void fc_counted_check_after_inlining(uint64_t function, uint64_t site, uint64_t where);
void fc_counted_leave_after_inlining(uint64_t site, uint64_t where);

/* Begins to count what detail.c has decided.  The thread's chunk has just been taken, and
 * holds records up to unit `units`.  Signals blocked. */
void fc_counted_begin(const struct FcChunk *chunk, uint32_t units);

/* Before the record of a jump that cuts the stack back to `address`, and behind it. */
void fc_counted_jump(uint64_t address);
void fc_counted_has_jumped(void);

/* Before the record of a switch to another stack. */
void fc_counted_switch(void);
