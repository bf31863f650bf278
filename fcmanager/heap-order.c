/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From records to events, and events of one address into the order of their times.
 * The common case, that an event fits, goes straight to the books.
 */
#include "fcmanager/heap-internal.h"

/* So many events of one address wait for one that is missing before it is given up. */
#define WAITING_MAX 32

struct FcHeapThread
{
    FcHeap *heap;
    const FcTally *tally;
    GArray *nodes; /* guint32 by node of `tally`: node of the heap's contexts + 1; 0: not yet */
    guint64 stack_start;
    guint64 stack_end;
    gboolean counted; /* in heap->threads */
    /* An allocation that may yet get its name by the next record. */
    gboolean held;
    FcHeapEvent allocated;
    FcHeapPoint allocated_at;
    /* An operator delete that is about to free. */
    guint64 named_pointer;
    FcHeapPoint named;
    /* A realloc that is under way. */
    gboolean reallocating;
    guint64 wanted_bytes;
    FcHeapEvent releasing;
    guint64 last_allocated; /* address, 0 once the thread did something else */
};

FcHeapThread *fc_heap_thread_new(FcHeap *heap, const FcTally *tally)
{
    FcHeapThread *thread = g_new0(FcHeapThread, 1);
    thread->heap = heap;
    thread->tally = tally;
    thread->nodes = g_array_new(FALSE, TRUE, sizeof(guint32));
    return thread;
}

void fc_heap_thread_free(FcHeapThread *thread)
{
    if (thread == NULL)
        return;
    g_array_unref(thread->nodes);
    g_free(thread);
}

void fc_heap_thread_set_stack(FcHeapThread *thread, guint64 start, guint64 end)
{
    thread->stack_start = start;
    thread->stack_end = end;
}

/* ---- Order ------------------------------------------------------------------------ */

static gint compare_events(gconstpointer a, gconstpointer b)
{
    const FcHeapEvent *x = a;
    const FcHeapEvent *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* Does what the first waiting event says if it fits, or if `give_up` in any case.  FALSE where
 * it goes on waiting. */
static gboolean take_first(FcHeap *heap, const FcHeapEvent *event, gboolean give_up)
{
    FcHeapBlock *block = fc_heap_blocks_find(&heap->blocks, event->pointer);
    if (event->is_free)
    {
        if (block != NULL && block->time <= event->time)
            fc_heap_release(heap, block, event);
        else if (give_up)
            fc_heap_report_bad(heap, event);
        else
            return FALSE;
        return TRUE;
    }
    if (block != NULL && !give_up)
        return FALSE;
    if (block != NULL)
        fc_heap_replace_untracked(heap, block, event->time);
    fc_heap_allocate(heap, event);
    return TRUE;
}

static void settle(FcHeap *heap, guint64 pointer, GArray *waiting, gboolean give_up)
{
    g_array_sort(waiting, compare_events);
    while (waiting->len > 0)
    {
        FcHeapEvent first = g_array_index(waiting, FcHeapEvent, 0);
        if (!take_first(heap, &first, give_up || waiting->len > WAITING_MAX))
            return;
        g_array_remove_index(waiting, 0);
    }
    g_hash_table_remove(heap->waiting, GSIZE_TO_POINTER(pointer));
}

/* With one thread nothing can be under way. */
static void take_event(FcHeap *heap, const FcHeapEvent *event)
{
    gboolean give_up = heap->threads < 2;
    GArray *waiting = NULL;
    if (G_UNLIKELY(g_hash_table_size(heap->waiting) > 0))
        waiting = g_hash_table_lookup(heap->waiting, GSIZE_TO_POINTER(event->pointer));
    if (G_LIKELY(waiting == NULL) && take_first(heap, event, give_up))
        return;
    if (waiting == NULL)
    {
        waiting = g_array_new(FALSE, FALSE, sizeof(FcHeapEvent));
        g_hash_table_insert(heap->waiting, GSIZE_TO_POINTER(event->pointer), waiting);
    }
    g_array_append_vals(waiting, event, 1);
    settle(heap, event->pointer, waiting, give_up);
}

void fc_heap_finish(FcHeap *heap)
{
    GList *pointers = g_hash_table_get_keys(heap->waiting);
    for (GList *at = pointers; at != NULL; at = at->next)
        settle(heap, GPOINTER_TO_SIZE(at->data), g_hash_table_lookup(heap->waiting, at->data),
               TRUE);
    g_list_free(pointers);
}

/* ---- Records ------------------------------------------------------------------------ */

static void flush(FcHeapThread *thread)
{
    if (!thread->held)
        return;
    thread->held = FALSE;
    thread->allocated.place = fc_heap_place(thread->heap, &thread->allocated_at);
    take_event(thread->heap, &thread->allocated);
}

static void hold(FcHeapThread *thread, const FcHeapEvent *event, const FcHeapPoint *point)
{
    thread->held = TRUE;
    thread->allocated = *event;
    thread->allocated_at = *point;
    thread->last_allocated = event->pointer;
}

static FcHeapEvent make_free(FcHeapThread *thread, guint64 pointer, guint64 time,
                             const FcHeapPoint *point)
{
    FcHeapEvent event = {.pointer = pointer, .time = time, .is_free = TRUE, .point = *point};
    event.temporary = thread->last_allocated == pointer;
    event.on_stack = pointer - thread->stack_start < thread->stack_end - thread->stack_start;
    if (thread->named_pointer == pointer)
        event.point = thread->named;
    thread->named_pointer = 0;
    thread->last_allocated = 0;
    return event;
}

static void reallocated(FcHeapThread *thread, guint64 pointer, guint64 bytes, guint64 time,
                        const FcHeapPoint *point)
{
    if (!thread->reallocating)
        return;
    thread->reallocating = FALSE;
    if (pointer == 0 && thread->wanted_bytes != 0)
        return; /* failed: nothing changed */
    const FcHeapBlock *old = fc_heap_blocks_find(&thread->heap->blocks, thread->releasing.pointer);
    FcHeapEvent event = {.pointer = pointer, .size_bytes = bytes, .time = time};
    if (old != NULL)
    {
        event.first_place = old->first_place;
        event.first_size_bytes = old->first_size_bytes;
    }
    take_event(thread->heap, &thread->releasing);
    if (pointer != 0)
        hold(thread, &event, point);
}

static FcHeapPoint make_point(FcHeapThread *thread, guint64 site, guint32 call, guint64 time,
                              guint32 node)
{
    FcHeap *heap = thread->heap;
    return (FcHeapPoint){
        .context = fc_tally_intern_node(heap->contexts, thread->tally, node, thread->nodes),
        .site = site,
        .time = time,
        .call = call};
}

void fc_heap_record(FcHeapThread *thread, guint64 time, guint64 function, guint64 site,
                    guint64 frame, guint32 node)
{
    guint64 pointer = function & FC_POINTER_MASK;
    guint32 call = (guint32)(function >> FC_POINTER_CALL_SHIFT) & 0xff;
    guint64 bytes = frame >> FC_MEMORY_SIZE_SHIFT;
    enum FcRecordKind kind = (enum FcRecordKind)(frame & FC_FRAME_KIND_MASK);
    FcHeap *heap = thread->heap;
    FcHeapPoint point = make_point(thread, site, call, time, node);

    heap->threads += !thread->counted;
    thread->counted = TRUE;
    if (kind == FC_RECORD_NAMED)
    {
        /* the operator's caller is the one to tell of, not the operator */
        if (thread->held && thread->allocated.pointer == pointer)
            thread->allocated_at = point;
        return;
    }
    flush(thread);
    if (kind == FC_RECORD_MAPPED)
    {
        heap->maps++;
        heap->map_bytes += bytes;
    }
    else if (kind == FC_RECORD_UNMAP)
    {
        heap->unmaps++;
        heap->unmap_bytes += bytes;
    }
    else if (pointer == 0 && kind != FC_RECORD_REALLOCATED)
        return;
    else if (kind == FC_RECORD_ALLOCATED)
        hold(thread, &(FcHeapEvent){.pointer = pointer, .size_bytes = bytes, .time = time}, &point);
    else if (kind == FC_RECORD_FREE_NAMED && thread->named_pointer != pointer)
    {
        thread->named_pointer = pointer;
        thread->named = point;
    }
    else if (kind == FC_RECORD_FREE)
    {
        FcHeapEvent event = make_free(thread, pointer, time, &point);
        take_event(heap, &event);
    }
    else if (kind == FC_RECORD_REALLOC)
    {
        thread->releasing = make_free(thread, pointer, time, &point);
        thread->wanted_bytes = bytes;
        thread->reallocating = TRUE;
    }
    else if (kind == FC_RECORD_REALLOCATED)
        reallocated(thread, pointer, bytes, time, &point);
}

void fc_heap_thread_finish(FcHeapThread *thread)
{
    flush(thread);
    /* Killed within realloc: whether it got as far as freeing can't be known. */
    thread->reallocating = FALSE;
}
