/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FC_MEMORY_UNWIND: records whole call stacks of calls to the allocator, also through code that is
 * not instrumented.
 */
#pragma once

#include <stdbool.h>

/* Whether stacks are to be unwound. */
extern bool fc_unwind_is_on __attribute__((visibility("hidden")));

/* Loads libunwind.  Prints a notice if there is none.  Called once, at start. */
void fc_unwind_start(void);

/* Records the return addresses of the frames outside of `caller`, which is a return address on
 * the stack.  They belong to the thread's next record of memory.  False: libunwind itself is
 * allocating, and nothing is recorded.  True, but nothing is recorded, if libunwind would have
 * to wait for the program.  Async-signal-safe; keeps errno. */
bool fc_unwind_record(const void *caller);

/* Whether `caller` is in libunwind's code. */
bool fc_unwind_is_own(const void *caller);
