/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A list of the blocks that were allocated before libfc started, mostly by constructors of other
 * libraries.  At that time it is not known whether memory is profiled.  If it is, these blocks must
 * be known when they are released.
 *
 * Thread-safe, but not async-signal-safe, like the allocator itself.
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

/* Adds or removes a block.  False: the list was closed by fc_early_close, and the caller must
 * record the block itself (fc_alloc_record). */
bool fc_early_add(void *pointer, size_t bytes, const void *caller);
bool fc_early_remove(const void *pointer);
/* Notes that block `old` was reallocated to `moved`, which was just added.  `old` stays in the
 * list. */
void fc_early_inherit(const void *moved, const void *old);

/* While paused, no block is added.  Used while libfc itself allocates. */
void fc_early_pause(bool pause);

/* Closes the list: calls `start`, if not NULL, for each block, and removes all of them.  Then
 * calls `switch_over`, which redirects the allocator, before other threads see that the list is
 * closed. */
void fc_early_close(void (*start)(const struct FcEarlyBlock *block), void (*switch_over)(void));
