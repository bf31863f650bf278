/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What heap.c, the books, and heap-order.c, the order of events, share; for nobody else.
 */
#pragma once

#include "fcmanager/heap.h"

struct FcHeapFreed
{
    guint64 pointer; /* 0: none */
    guint64 size_bytes;
    guint32 place;
    FcHeapPoint point; /* of the free */
};

typedef struct
{
    guint64 pointer;
    guint64 size_bytes;
    guint64 time;
    gboolean is_free;
    gboolean temporary;  /* a free before the thread allocated anything else */
    gboolean on_stack;   /* a free of an address on the thread's own stack */
    guint32 place;       /* of an allocation */
    guint32 first_place; /* a reallocation: where the block was first; 0: none */
    guint64 first_size_bytes;
    FcHeapPoint point; /* of a free */
} FcHeapEvent;

guint32 fc_heap_place(FcHeap *heap, const FcHeapPoint *point);

/* No block is live at the event's address. */
void fc_heap_allocate(FcHeap *heap, const FcHeapEvent *event);
void fc_heap_release(FcHeap *heap, FcHeapBlock *block, const FcHeapEvent *event);
/* The address was allocated anew and no free of `block` will come. */
void fc_heap_replace_untracked(FcHeap *heap, FcHeapBlock *block, guint64 time);
/* A free of what is no block. */
void fc_heap_report_bad(FcHeap *heap, const FcHeapEvent *event);
