/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heap of all threads of a process: see process-heap.h.
 */
#include "fcmanager/session/process-heap.h"

#include <string.h>

/* Reads all threads up to `time`.  FALSE: records of some thread are missing. */
static gboolean read_ahead(FcProcess *process, guint64 time)
{
    g_autoptr(GArray) views =
        fc_shared_owned(process->setup->shared, process->key, FC_CHUNK_OF_RECORDS);
    gboolean whole = TRUE;
    guint32 done = 0; /* the last thread that was handled; views are sorted by thread */
    for (guint i = 0; i < views->len; i++)
    {
        const FcChunkView *view = &g_array_index(views, FcChunkView, i);
        FcThread *thread = g_hash_table_lookup(process->threads, GUINT_TO_POINTER(view->thread));
        if (!thread || view->thread == done)
            continue; /* not announced yet, so its records are newer */
        FcThreadAhead ahead = fc_thread_read_ahead(thread, view, time);
        if (ahead != FC_THREAD_GO_ON)
            done = view->thread;
        whole &= ahead != FC_THREAD_MISSING;
    }
    return whole;
}

void fc_process_advance_heap(FcProcess *process)
{
    FcHeapOrder *order = process->heap_order;
    if (order->queued == 0)
        return;
    guint64 time = order->latest;
    gboolean whole = process->setup->shared == NULL || read_ahead(process, time);
    if (whole || order->queued >= FC_HEAP_QUEUE_MAX)
        fc_heap_order_advance(order, time);
}

char *fc_process_list_live(FcProcess *process)
{
    if (!process->heap || !process->setup->shared || process->finished ||
        !read_ahead(process, G_MAXUINT64))
        return g_strdup("");
    g_clear_pointer(&process->live, fc_live_free);
    fc_heap_order_flush(process->heap_order);
    process->live = fc_live_new(process->heap);
    return process->live ? g_strdup_printf("%d", fc_live_fd(process->live)) : g_strdup("");
}

/* Takes records of threads that have ended.  They belong to no function: libc frees what it kept
 * for the thread. */
void fc_process_take_late(FcProcess *process, const FcWireMessage *message)
{
    struct FcRecord record;
    if (!process->heap || message->payload_bytes != sizeof record)
        return;
    memcpy(&record, message->payload, sizeof record);
    guint64 kind = record.where & FC_WHERE_KIND_MASK;
    if (kind <= FC_RECORD_SWITCH || kind > FC_RECORD_UNMAP)
        return;
    if (!process->late)
        process->late = fc_heap_thread_new(process->heap_order, process->counts);
    fc_heap_record(process->late, record.time, record.function, record.site & FC_SITE_ADDRESS_MASK,
                   record.where, 0);
}

/* ---- Forks -------------------------------------------------------------------------- */

FcHeapSnapshot *fc_process_snapshot_heap(FcProcess *process, guint64 time)
{
    static const FcCountsSizes least = {0, 0, 0};
    if (!process->heap)
        return NULL;
    if (!process->finished && process->setup->shared)
    {
        read_ahead(process, time);
        fc_heap_order_advance(process->heap_order, time);
    }
    FcHeapSnapshot *snapshot = g_new0(FcHeapSnapshot, 1);
    snapshot->modules = fc_modules_copy(process->modules);
    snapshot->contexts = fc_counts_new(snapshot->modules, &least);
    snapshot->heap = fc_heap_order_copy(process->heap_order, snapshot->contexts, time);
    return snapshot;
}

void fc_heap_snapshot_free(FcHeapSnapshot *snapshot)
{
    if (!snapshot)
        return;
    fc_heap_free(snapshot->heap);
    fc_counts_free(snapshot->contexts);
    fc_modules_free(snapshot->modules);
    g_free(snapshot);
}

void fc_process_adopt_heap(FcProcess *process, const FcHeapSnapshot *snapshot)
{
    if (!process->heap || !snapshot)
        return;
    g_autoptr(GArray) cache = g_array_new(FALSE, TRUE, sizeof(guint32));
    FcHeap *heap = fc_heap_copy(snapshot->heap, process->counts, cache);
    FcHeapOrder *order = fc_heap_order_new(heap, !process->setup->shared);
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, process->threads);
    while (g_hash_table_iter_next(&iter, NULL, &value))
    {
        FcThread *thread = value;
        fc_heap_thread_free(thread->heap);
        thread->heap = fc_heap_thread_new(order, thread->counts);
        fc_stack_set_heap(thread->stack, thread->heap);
    }
    g_clear_pointer(&process->late, fc_heap_thread_free);
    fc_heap_order_free(process->heap_order);
    fc_heap_free(process->heap);
    process->heap = heap;
    process->heap_order = order;
}
