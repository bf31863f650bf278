/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_MEMORY_UNWIND: whole call stacks of calls to the allocator, also through code that is not
 * instrumented.
 */
#pragma once

#include <stdbool.h>

/* Whether stacks are to be unwound. */
extern bool fc_unwind_is_on __attribute__((visibility("hidden")));

/* Loads libunwind, which is needed for this only.  Prints a notice if there is none.  Called
 * once, at start. */
void fc_unwind_start(void);

/* Records the return addresses outside of `caller`, which is one of the stack's, for the record
 * of memory that the thread makes next.  Async-signal-safe; keeps errno.  False: libunwind
 * itself is allocating; nothing is recorded then, nor if libunwind would have to wait for the
 * program. */
bool fc_unwind_record(const void *caller);

/* Whether `caller` is in libunwind's code. */
bool fc_unwind_is_own(const void *caller);
