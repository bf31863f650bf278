/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes the records of memory. interpose.c calls it for the program's allocator; the tests call it
 * directly.  All functions are async-signal-safe and keep errno.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stddef.h>

/* Records event `kind` of the memory at `pointer`.  `call` is the allocator's function, `caller`
 * the return address of its call, and `stack` the stack address of that call.  A release must be
 * recorded before the memory is released, so that its time comes before that of any reuse. */
void fc_alloc_record(enum FcRecordKind kind, enum FcMemoryCall call, const void *pointer,
                     size_t bytes, const void *caller, const void *stack);
