/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The blocks of memory that were allocated before libfc started: by the constructors of
 * other libraries, mostly.  Whether memory is profiled is known only later; by the time
 * their release is seen they must be known.
 *
 * Thread-safe; not for signal handlers, as the allocator is not either.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct FcEarlyBlock
{
    void *pointer; /* NULL: an empty slot */
    size_t bytes;
    const void *caller;
    const void *first_caller; /* of the first allocation; NULL: it was not reallocated */
    size_t first_bytes;
};

/* False once fc_early_close was called: the caller records it itself (fc_alloc_record). */
bool fc_early_add(void *pointer, size_t bytes, const void *caller);
bool fc_early_remove(const void *pointer);
/* `moved`, that was just added, is what `old` was reallocated to; the old one stays. */
void fc_early_inherit(const void *moved, const void *old);

/* While true, nothing is added: what is allocated meanwhile is libfc's own doing. */
void fc_early_pause(bool pause);

/* Calls `start`, if not NULL, for each block and forgets them all.  `switch_over` redirects the
 * allocator, before other threads learn that the list is closed. */
void fc_early_close(void (*start)(const struct FcEarlyBlock *block), void (*switch_over)(void));
