/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns a thread's records of memory into heap events; one call may make several records. stack.c
 * passes the records; process.c owns the FcHeapThread.
 */
#pragma once

#include "fcmanager/heap/order.h"

/* The state of one thread. */
typedef struct FcHeapThread FcHeapThread;

/* Returns the state of a new thread; the caller frees it.  `counts` is the thread's own.  Both
 * arguments must outlive the result. */
FcHeapThread *fc_heap_thread_new(FcHeapOrder *order, const FcCounts *counts);
/* Sets the range of the thread's own stack, to recognize pointers into it. */
void fc_heap_thread_set_stack(FcHeapThread *thread, guint64 start, guint64 end);

/* Adds one record of memory, made while `node` of the thread's counts was on top.  The fields are
 * as in fc-format.h; `site` is without the generation. */
void fc_heap_record(FcHeapThread *thread, guint64 time, guint64 function, guint64 site,
                    guint64 where, guint32 node);

/* The thread makes no more records. */
void fc_heap_thread_finish(FcHeapThread *thread);
/* Frees the state.  Does not touch the order, which may be gone. */
void fc_heap_thread_free(FcHeapThread *thread);
