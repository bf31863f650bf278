/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts the heap events of all threads of a process into the order in which they happened.
 * records.c adds them, thread by thread; process-heap.c says up to which time their order is known
 * (fc_heap_order_advance).
 *
 * Threads' records arrive chunk by chunk, so the free of a block by one thread may arrive after the
 * next allocation at its address by another.  The times of events at one address are in the true
 * order (fc-format.h).  So while there are several threads, their events are queued until
 * process-heap.c has read every thread up to one moment.  That is a consistent cut: it contains
 * every record that led to a record in it.  Then the events are taken in the order of their times,
 * and an event that does not fit is certainly an error.  Events of a single thread are not queued.
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
    FcHeapQueue *first; /* owned: queues of living threads, and of others that still have events */
    guint open_count;   /* living threads */
    gboolean in_order;  /* events of all threads arrive in the order in which they happened */
    guint queued;       /* queued events */
    guint64 latest;     /* time of the latest one */
};

/* Applies the events to `heap`, which must outlive the order.  `in_order`: records of different
 * threads arrive in the order in which they were made. */
FcHeapOrder *fc_heap_order_new(FcHeap *heap, gboolean in_order);
void fc_heap_order_free(FcHeapOrder *order);

/* ---- Adding, for records.c ------------------------------------------------------------ */

/* Returns a new queue, which belongs to `order`. */
FcHeapQueue *fc_heap_queue_new(FcHeapOrder *order);
/* Returns where the thread's next event is to be written.  First takes the events before it that
 * need not wait any more. */
FcHeapEvent *fc_heap_queue_begin(FcHeapQueue *queue);
/* `event`, from fc_heap_queue_begin, is complete: takes it at once if possible. */
void fc_heap_queue_add(FcHeapQueue *queue, const FcHeapEvent *event);
/* Returns the last event if it is queued, since an allocation may still get its name.  NULL: there
 * is none. */
FcHeapEvent *fc_heap_queue_last(const FcHeapQueue *queue);
/* The thread has ended.  May free the queue. */
void fc_heap_queue_end(FcHeapQueue *queue);

/* ---- Taking ----------------------------------------------------------------------------- */

/* With this many queued events it is worth reading the other threads. */
#define FC_HEAP_QUEUE_FULL 32768u
/* No more than this many events are queued, even if records are missing. */
#define FC_HEAP_QUEUE_MAX (1u << 20)

/* Takes queued events up to `time`, of all threads in order.  All records of each thread up to then
 * must have been passed.  A record that is not in memory yet does no harm: no record here depends
 * on it. */
void fc_heap_order_advance(FcHeapOrder *order, guint64 time);
/* Takes all queued events before the blocks are read.  Names that have not come yet are lost. */
void fc_heap_order_flush(FcHeapOrder *order);
/* Takes all events: no thread makes any more records. */
void fc_heap_order_finish(FcHeapOrder *order);

/* Returns the heap that a child begins with that was forked at `time`.  All events up to then must
 * have been taken.  `contexts` are the child's.  The caller frees the result. */
FcHeap *fc_heap_order_copy(const FcHeapOrder *order, FcCounts *contexts, guint64 time);
