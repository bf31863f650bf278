/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The blocks that were allocated before libfc started, mostly by constructors of other libraries.
 * It is not known then whether memory is profiled, but the blocks have to be known when their
 * release is seen.
 *
 * Thread-safe.  Not for signal handlers; neither is the allocator.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct FcEarlyBlock
{
    void *pointer; /* NULL: an empty slot */
    size_t bytes;
    const void *caller;
    const void *first_caller; /* the caller of the first allocation; NULL: it was not reallocated */
    size_t first_bytes;
};

/* False: fc_early_close was called, and the caller has to record the block itself
 * (fc_alloc_record). */
bool fc_early_add(void *pointer, size_t bytes, const void *caller);
bool fc_early_remove(const void *pointer);
/* The block `old` was reallocated to `moved`, which was just added.  `old` stays in the list. */
void fc_early_inherit(const void *moved, const void *old);

/* While set, nothing is added: libfc itself allocates. */
void fc_early_pause(bool pause);

/* Calls `start`, if not NULL, for each block, and then forgets them all.  `switch_over`
 * redirects the allocator before other threads see that the list is closed. */
void fc_early_close(void (*start)(const struct FcEarlyBlock *block), void (*switch_over)(void));
