/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the heap events of several threads of a process into the order in which they happened.
 * records.c adds them, thread by thread; process-heap.c says up to which time their order is known
 * (fc_heap_order_advance).
 *
 * Threads' records arrive chunk by chunk, so the free of a block by one thread may arrive after
 * the next allocation at its address by another.  The times of events at one address are in the
 * true order (fc-format.h).  So while there are several threads their events are queued until
 * process-heap.c has read every thread up to one moment (a consistent cut: whatever led to a
 * record in it is in it as well).  Then they are taken in the order of their times, and what does
 * not fit is certainly an error.  Events of a single thread are not queued.
 */
#pragma once

#include "fcmanager/heap/heap.h"

typedef struct FcHeapOrder FcHeapOrder;

/* The queue of one thread. */
typedef struct FcHeapQueue FcHeapQueue;
struct FcHeapQueue
{
    FcHeapOrder *order;
    FcHeapQueue *next;
    gboolean ended;      /* the thread makes no more events */
    FcHeapEvent *events; /* [head, tail) are queued */
    guint32 head;
    guint32 tail;
    guint32 room;
    /* Between the two halves of a realloc. */
    gboolean reallocating;
    guint64 wanted_bytes;
    FcHeapBlock moving; /* the block that is being reallocated; pointer 0: none */
    FcHeapEvent releasing;
};

struct FcHeapOrder
{
    FcHeap *heap;
    FcHeapQueue *first; /* owned: queues of threads that go on, or that have events */
    guint open_count;   /* threads that go on */
    gboolean in_order;  /* events of all threads arrive in the order in which they happened */
    guint queued;       /* queued events */
    guint64 latest;     /* time of the latest one */
};

/* Applies the events to `heap`, which must outlive the order.  `in_order`: records of different
 * threads arrive in the order in which they were made. */
FcHeapOrder *fc_heap_order_new(FcHeap *heap, gboolean in_order);
void fc_heap_order_free(FcHeapOrder *order);

/* ---- Adding, for records.c ------------------------------------------------------------ */

/* The queue belongs to `order`. */
FcHeapQueue *fc_heap_queue_new(FcHeapOrder *order);
/* Where the thread's next event is to be written.  First takes those before it that need not
 * wait any more. */
FcHeapEvent *fc_heap_queue_begin(FcHeapQueue *queue);
/* `event`, from fc_heap_queue_begin, is complete: takes it at once if possible. */
void fc_heap_queue_add(FcHeapQueue *queue, const FcHeapEvent *event);
/* The last event if it is queued: an allocation may still get its name.  NULL: there is none. */
FcHeapEvent *fc_heap_queue_last(const FcHeapQueue *queue);
/* The thread is done.  May free the queue. */
void fc_heap_queue_end(FcHeapQueue *queue);

/* ---- Taking ----------------------------------------------------------------------------- */

/* So many queued events are worth reading the other threads for. */
#define FC_HEAP_QUEUE_FULL 32768u
/* No more events than this are queued, whatever may be missing. */
#define FC_HEAP_QUEUE_MAX (1u << 20)

/* Takes queued events up to `time`, of all threads in order.  Each thread's records must have
 * been passed up to then.  A thread may just have made one that is not in memory yet: no record
 * that is here depends on it. */
void fc_heap_order_advance(FcHeapOrder *order, guint64 time);
/* Takes all queued events, before the blocks are read.  Names that did not come yet are lost. */
void fc_heap_order_flush(FcHeapOrder *order);
/* No thread makes any more records: takes all. */
void fc_heap_order_finish(FcHeapOrder *order);

/* The heap that a child begins with that was forked at `time`.  Everything must have been taken
 * up to then.  `contexts` are the child's.  The caller frees it. */
FcHeap *fc_heap_order_copy(const FcHeapOrder *order, FcCounts *contexts, guint64 time);
