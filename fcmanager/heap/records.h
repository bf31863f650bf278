/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns a thread's records of memory into events on the heap; several records may belong to one
 * call. stack.c passes the records; process.c owns the FcHeapThread.
 */
#pragma once

#include "fcmanager/heap/order.h"

/* The state of one thread. */
typedef struct FcHeapThread FcHeapThread;

/* `counts` is the thread's own.  Both must outlive the result. */
FcHeapThread *fc_heap_thread_new(FcHeapOrder *order, const FcCounts *counts);
/* Sets where the thread's own stack is, by which pointers into it are recognized. */
void fc_heap_thread_set_stack(FcHeapThread *thread, guint64 start, guint64 end);

/* One record of memory, made while `node` of the thread's counts was on top.  Fields as in
 * fc-format.h; `site` without the generation. */
void fc_heap_record(FcHeapThread *thread, guint64 time, guint64 function, guint64 site,
                    guint64 where, guint32 node);

/* The thread makes no more records. */
void fc_heap_thread_finish(FcHeapThread *thread);
/* Does not touch the order, which may be gone. */
void fc_heap_thread_free(FcHeapThread *thread);
