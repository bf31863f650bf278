/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Real stacks of calls to the allocator, also through code that is not instrumented, with
 * FC_MEMORY_UNWIND.
 */
#pragma once

#include <stdbool.h>

/* Whether stacks are to be unwound. */
extern bool fc_unwind_is_on __attribute__((visibility("hidden")));

/* Loads libunwind, which nothing needs that did not ask for this.  Once, at start; tells the user
 * where there is none. */
void fc_unwind_start(void);

/* `caller` is one of the stack's return addresses: records those outside of it, for the record of
 * memory that the thread makes next.  Async-signal-safe; keeps errno.  False, and nothing
 * recorded, when libunwind itself is allocating.  Nothing either where libunwind would have to wait
 * for the program. */
bool fc_unwind_record(const void *caller);

/* Whether `caller` is code of libunwind. */
bool fc_unwind_is_own(const void *caller);
