/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The live blocks of a process by address: a hash table for blocks that come and go by the
 * million, so that it leaves no marks behind where one was.  For heap.c, heap-order.c, live.c and
 * output.c.
 */
#pragma once

#include <glib.h>

typedef struct
{
    guint64 pointer; /* 0: the slot is empty */
    guint64 size_bytes;
    guint64 time;                  /* ticks, of the allocation */
    guint32 alloc_site;            /* where it was (re)allocated */
    guint32 first_alloc_site : 31; /* where it was first */
    guint32 reallocated : 1;       /* even where both are the same */
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

/* NULL where there is none.  Good until the next addition or removal. */
FcHeapBlock *fc_heap_blocks_find(const FcHeapBlocks *blocks, guint64 pointer);
/* A new entry, whose other fields the caller sets.  `pointer` must not be 0 nor in the table. */
FcHeapBlock *fc_heap_blocks_add(FcHeapBlocks *blocks, guint64 pointer);
/* `block` as found. */
void fc_heap_blocks_remove(FcHeapBlocks *blocks, FcHeapBlock *block);
