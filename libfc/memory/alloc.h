/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes the records of memory. interpose.c calls it for the program's allocator; the tests call it
 * directly.  All functions are async-signal-safe and keep errno.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stddef.h>

/* Records `kind` of memory at `pointer` by `call`, made from `caller` (a return address) on the
 * stack at `stack`.  A release is to be recorded before it is made: its time was read when this
 * returns. */
void fc_alloc_record(enum FcRecordKind kind, enum FcMemoryCall call, const void *pointer,
                     size_t bytes, const void *caller, const void *stack);
