/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From one thread's records of memory to events on the heap: what several records tell of one call
 * is put together.  stack.c hands over the records; process.c owns the FcHeapThread.
 */
#pragma once

#include "fcmanager/heap/order.h"

/* What is kept of one thread. */
typedef struct FcHeapThread FcHeapThread;

/* `counts` is the thread's own.  Both must outlive it. */
FcHeapThread *fc_heap_thread_new(FcHeapOrder *order, const FcCounts *counts);
/* Where the thread's own stack is, to recognise pointers into it. */
void fc_heap_thread_set_stack(FcHeapThread *thread, guint64 start, guint64 end);

/* One record of memory, made while `node` of the thread's counts was on top.  Fields as in
 * fc-format.h, the generation taken out of `site`. */
void fc_heap_record(FcHeapThread *thread, guint64 time, guint64 function, guint64 site,
                    guint64 where, guint32 node);

/* The thread makes no more records. */
void fc_heap_thread_finish(FcHeapThread *thread);
/* Never touches the order, which may be gone. */
void fc_heap_thread_free(FcHeapThread *thread);
