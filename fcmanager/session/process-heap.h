/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A process's heap and its threads: reading all of them up to one moment, so that the events on
 * the heap can be put in order (heap-order.h says why), and handing the heap on to a forked child.
 * Called by process-messages.c and session.c.
 */
#pragma once

#include "fcmanager/session/process.h"

/* A heap with contexts of its own, between a fork and the child's hello. */
typedef struct
{
    FcModules *modules;
    FcCounts *contexts;
    FcHeap *heap;
} FcHeapSnapshot;
void fc_heap_snapshot_free(FcHeapSnapshot *snapshot);

/* A record of memory by a thread that is done (FC_MSG_MEMORY). */
void fc_process_take_late(FcProcess *process, const FcWireMessage *message);

/* The answer to FC_MSG_LIVE: the caller frees it. */
char *fc_process_list_live(FcProcess *process);

/* Applies the heap events that wait, up to the latest of them, after reading all threads that far.
 */
void fc_process_advance_heap(FcProcess *process);

/* The process's memory as it was at `time` (G_MAXUINT64: as it is now), for a child: NULL where
 * it is not profiled. */
FcHeapSnapshot *fc_process_snapshot_heap(FcProcess *process, guint64 time);
void fc_process_adopt_heap(FcProcess *process, const FcHeapSnapshot *snapshot);
