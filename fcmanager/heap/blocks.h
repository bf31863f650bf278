/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The live blocks of a process by address, in a hash table.  Blocks come and go by the million, so
 * a removed block leaves no mark in the table.  For heap.c, order.c, live.c and output.c.
 */
#pragma once

#include <glib.h>

typedef struct
{
    guint64 pointer; /* 0: the slot is empty */
    guint64 size_bytes;
    guint64 time;                  /* ticks, of the allocation */
    guint32 alloc_site;            /* where it was allocated or reallocated */
    guint32 first_alloc_site : 31; /* where it was first allocated */
    guint32 reallocated : 1;       /* was reallocated, even if at the same site */
    guint64 first_size_bytes;
} FcHeapBlock;

typedef struct
{
    FcHeapBlock *slots;
    guint32 mask;
    guint32 used;
} FcHeapBlocks;

void fc_heap_blocks_init(FcHeapBlocks *blocks, guint32 expected);
void fc_heap_blocks_copy(FcHeapBlocks *into, const FcHeapBlocks *from);
void fc_heap_blocks_clear(FcHeapBlocks *blocks);

/* Returns the block at `pointer`; NULL: there is none.  Valid until the next addition or removal.
 */
FcHeapBlock *fc_heap_blocks_find(const FcHeapBlocks *blocks, guint64 pointer);
/* Adds an entry; the caller sets its other fields.  `pointer` must not be 0 and must not be in the
 * table. */
FcHeapBlock *fc_heap_blocks_add(FcHeapBlocks *blocks, guint64 pointer);
/* Removes `block`, which fc_heap_blocks_find returned. */
void fc_heap_blocks_remove(FcHeapBlocks *blocks, FcHeapBlock *block);
