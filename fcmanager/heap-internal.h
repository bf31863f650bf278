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
    guint32 alloc_site;
    FcHeapPoint point; /* of the free */
};

typedef enum
{
    FC_HEAP_ALLOCATE,
    FC_HEAP_NAME, /* of a block that was just allocated, or was by something unseen */
    FC_HEAP_FREE,
    FC_HEAP_REALLOC,     /* begins: the block is nobody's until it ends */
    FC_HEAP_REALLOCATED, /* ends; pointer 0: it failed or only freed */
} FcHeapEventKind;

typedef struct
{
    guint8 kind;        /* FcHeapEventKind */
    gboolean temporary; /* a free before the thread allocated anything else */
    gboolean on_stack;  /* a free of an address on the thread's own stack */
    guint64 pointer;
    guint64 size_bytes;
    FcHeapPoint point; /* its time is that of the event */
} FcHeapEvent;

struct FcHeapThread
{
    FcHeap *heap;
    FcHeapThread *next;
    const FcCounts *counts; /* NULL once the thread makes no more records */
    GArray *nodes; /* guint32 by node of `counts`: node of the heap's contexts + 1; 0: not yet */
    guint64 stack_start;
    guint64 stack_end;
    /* What was read. */
    FcHeapEvent *queue; /* [head, tail) wait */
    guint32 head;
    guint32 tail;
    guint32 room;
    guint64 named_pointer;       /* an operator delete is at it; 0: none */
    guint64 stack[FC_STACK_MAX]; /* for the next record, innermost first */
    guint stack_count;
    guint64 last_allocated; /* address, 0 once the thread did something else */
    /* What was taken. */
    gboolean reallocating;
    guint64 wanted_bytes;
    FcHeapBlock moving; /* what is being reallocated; pointer 0: no block */
    FcHeapEvent releasing;
};

/* By the heap alone, see fc_heap_thread_finish. */
void fc_heap_thread_free(FcHeapThread *thread);

guint32 fc_heap_alloc_site(FcHeap *heap, const FcHeapPoint *point);
/* `parent` 0: the outermost. */
guint32 fc_heap_frame(FcHeap *heap, guint32 parent, guint64 address, guint64 time);

/* No block is live at the event's address.  `first`: the block that was reallocated to it. */
void fc_heap_allocate(FcHeap *heap, const FcHeapEvent *event, const FcHeapBlock *first);
void fc_heap_release(FcHeap *heap, FcHeapBlock *block, const FcHeapEvent *event);
/* As if it had been allocated at `point`. */
void fc_heap_rename(FcHeap *heap, FcHeapBlock *block, const FcHeapPoint *point);
/* A release in two steps: the first can be undone. */
FcHeapBlock fc_heap_take_out(FcHeap *heap, FcHeapBlock *block, guint64 time);
void fc_heap_put_back(FcHeap *heap, const FcHeapBlock *block, guint64 time);
void fc_heap_count_release(FcHeap *heap, const FcHeapBlock *block, const FcHeapEvent *event);
/* The address was allocated anew and no free of `block` will come. */
void fc_heap_replace_untracked(FcHeap *heap, FcHeapBlock *block, guint64 time);
/* A free of what is no block. */
void fc_heap_report_bad(FcHeap *heap, const FcHeapEvent *event);

/* The block that is being reallocated, if any, stays what it was. */
void fc_heap_undo_realloc(FcHeapThread *thread, guint64 time);
/* Enters the event into the books: its turn has come. */
void fc_heap_take(FcHeapThread *thread, const FcHeapEvent *event);
