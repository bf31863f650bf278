/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes records of what happens to memory.  interpose.c calls it for the program's allocator; it
 * can be called without that as well, as its tests do.
 * All functions are async-signal-safe and keep errno.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stddef.h>

/* Records `kind` of memory at `pointer` by `call`, asked for at `caller` (a return address)
 * on the stack at `stack`.  A release is recorded first: when this returns, its time has been
 * read and it may begin. */
void fc_alloc_record(enum FcRecordKind kind, enum FcMemoryCall call, const void *pointer,
                     size_t bytes, const void *caller, const void *stack);
