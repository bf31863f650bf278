/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The events of several threads on the one heap of their process, in the order in which they
 * happened.  heap-records.c adds them, thread by thread; process-heap.c says up to when their
 * order is known (fc_heap_order_advance).
 *
 * Threads' records arrive chunk by chunk, so that of one address the free by one thread may
 * arrive after the next allocation by another.  Of one address their times are in the true order
 * (fc-format.h).  So while there are several threads their events queue up until process-heap.c
 * has read every thread up to one moment in time (a consistent cut: whatever led to a record that
 * is in it, is in it as well); then they are taken in the order of their times, and what does not
 * fit is an error for certain.  The events of a single thread do not wait.
 */
#pragma once

#include "fcmanager/heap/heap.h"

typedef struct FcHeapOrder FcHeapOrder;

/* The events of one thread. */
typedef struct FcHeapQueue FcHeapQueue;
struct FcHeapQueue
{
    FcHeapOrder *order;
    FcHeapQueue *next;
    gboolean ended;      /* the thread makes no more of them */
    FcHeapEvent *events; /* [head, tail) wait */
    guint32 head;
    guint32 tail;
    guint32 room;
    /* Between the two halves of a realloc. */
    gboolean reallocating;
    guint64 wanted_bytes;
    FcHeapBlock moving; /* what is being reallocated; pointer 0: no block */
    FcHeapEvent releasing;
};

struct FcHeapOrder
{
    FcHeap *heap;
    FcHeapQueue *first; /* owned: those of threads that go on, or with events that wait */
    guint open_count;   /* of threads that go on */
    gboolean in_order;  /* events of all threads are added in the order in which they happened */
    guint queued;       /* events that wait for others of their time */
    guint64 latest;     /* time of the latest of them */
};

/* Does to `heap`, which must outlive it, what the events say.  `in_order`: the records of
 * different threads come in the order in which they were made. */
FcHeapOrder *fc_heap_order_new(FcHeap *heap, gboolean in_order);
void fc_heap_order_free(FcHeapOrder *order);

/* ---- Adding, for heap-records.c ------------------------------------------------------- */

/* Belongs to `order`. */
FcHeapQueue *fc_heap_queue_new(FcHeapOrder *order);
/* Where the thread's next event is to be written; those before it that need not wait any more are
 * taken first. */
FcHeapEvent *fc_heap_queue_begin(FcHeapQueue *queue);
/* `event`, as of fc_heap_queue_begin, is complete: taken at once where it can be. */
void fc_heap_queue_add(FcHeapQueue *queue, const FcHeapEvent *event);
/* The last event, if it waits: an allocation may still get its name.  NULL: none does. */
FcHeapEvent *fc_heap_queue_last(const FcHeapQueue *queue);
/* The thread is done.  May free the queue. */
void fc_heap_queue_end(FcHeapQueue *queue);

/* ---- Taking ----------------------------------------------------------------------------- */

/* So many events that wait are worth reading the other threads for. */
#define FC_HEAP_QUEUE_FULL 32768u
/* So many are not kept any longer, whatever may be missing. */
#define FC_HEAP_QUEUE_MAX (1u << 20)

/* Takes what waits up to `time`, of all threads in order.  The records of each thread must have
 * been given up to then; a thread may have made one meanwhile that is not in memory yet: no
 * record that is here depends on it. */
void fc_heap_order_advance(FcHeapOrder *order, guint64 time);
/* Takes all that waits, for a look at the blocks; names that did not come yet are lost. */
void fc_heap_order_flush(FcHeapOrder *order);
/* No thread makes any more records: takes all. */
void fc_heap_order_finish(FcHeapOrder *order);

/* What a child begins with that was forked at `time`, up to which everything must have been
 * settled.  `contexts`: the child's.  The caller frees it. */
FcHeap *fc_heap_order_copy(const FcHeapOrder *order, FcCounts *contexts, guint64 time);
