/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A process's heap and its threads: reads all threads up to one moment, so that the heap's events
 * can be put in order (fcmanager/heap/order.h says why), and passes the heap on to a forked child.
 * Called by process-messages.c and session.c.
 */
#pragma once

#include "fcmanager/session/process.h"

/* A heap with its own contexts, between a fork and the child's hello. */
typedef struct
{
    FcModules *modules;
    FcCounts *contexts;
    FcHeap *heap;
} FcHeapSnapshot;
void fc_heap_snapshot_free(FcHeapSnapshot *snapshot);

/* Takes a record of memory from a thread that has ended (FC_MSG_MEMORY). */
void fc_process_take_late(FcProcess *process, const FcWireMessage *message);

/* Returns the answer to FC_MSG_LIVE.  The caller frees it. */
char *fc_process_list_live(FcProcess *process);

/* Reads all threads up to the latest queued event of the heap, and applies the queued events. */
void fc_process_advance_heap(FcProcess *process);

/* Returns a copy of the process's heap at `time` (G_MAXUINT64: now), for a child.  The caller frees
 * it.  NULL: memory is not profiled. */
FcHeapSnapshot *fc_process_snapshot_heap(FcProcess *process, guint64 time);
void fc_process_adopt_heap(FcProcess *process, const FcHeapSnapshot *snapshot);
