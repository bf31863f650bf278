/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the records of one thread to events: what several records tell of one call is
 * put together.  With one thread the events go straight to the books, with several into
 * the thread's queue (heap-order.c).
 */
#include "fcmanager/heap-internal.h"

#define FIRST_ROOM 64u

FcHeapThread *fc_heap_thread_new(FcHeap *heap, const FcTally *tally)
{
    FcHeapThread *thread = g_new0(FcHeapThread, 1);
    thread->heap = heap;
    thread->tally = tally;
    thread->nodes = g_array_new(FALSE, TRUE, sizeof(guint32));
    thread->next = heap->first_thread;
    heap->first_thread = thread;
    heap->thread_count++;
    return thread;
}

void fc_heap_thread_free(FcHeapThread *thread)
{
    g_array_unref(thread->nodes);
    g_free(thread->queue);
    g_free(thread);
}

void fc_heap_thread_set_stack(FcHeapThread *thread, guint64 start, guint64 end)
{
    thread->stack_start = start;
    thread->stack_end = end;
}

/* Of an event for the end of the queue. */
static gboolean goes_straight(const FcHeapThread *thread)
{
    const FcHeap *heap = thread->heap;
    return heap->in_order ||
           (heap->thread_count == 1 && heap->queued == thread->tail - thread->head);
}

/* Takes the event that waits for its name: that did not come. */
static void take_held(FcHeapThread *thread)
{
    while (thread->head < thread->tail)
    {
        FcHeapEvent event = thread->queue[thread->head++];
        thread->heap->queued--;
        fc_heap_take(thread, &event);
    }
    thread->head = 0;
    thread->tail = 0;
}

static void add(FcHeapThread *thread, const FcHeapEvent *event)
{
    FcHeap *heap = thread->heap;
    if (goes_straight(thread))
    {
        take_held(thread);
        if (event->kind != FC_HEAP_ALLOCATE)
        {
            fc_heap_take(thread, event);
            return;
        }
    }
    if (G_UNLIKELY(thread->queue == NULL || thread->tail == thread->room))
    {
        thread->room = MAX(2 * thread->room, FIRST_ROOM);
        thread->queue = g_renew(FcHeapEvent, thread->queue, thread->room);
    }
    thread->queue[thread->tail++] = *event;
    heap->queued++;
    heap->latest = MAX(heap->latest, event->point.time);
}

/* ---- Records ------------------------------------------------------------------------ */

/* A piece of the stack for the next record.  One that a handler came in between of is lost. */
static void note_stack(FcHeapThread *thread, guint64 function, guint64 site, guint64 frame)
{
    const guint64 addresses[3] = {function & FC_POINTER_MASK,
                                  frame >> FC_STACK_SECOND_SHIFT & FC_POINTER_MASK, site};
    guint number = (guint)(function >> FC_POINTER_CALL_SHIFT) & 0xff;
    if (number == 0)
        thread->stack_count = 0;
    if (thread->stack_count != 3 * number)
        return;
    for (guint i = 0; i < 3 && addresses[i] != 0 && thread->stack_count < FC_STACK_MAX; i++)
        thread->stack[thread->stack_count++] = addresses[i];
}

static FcHeapPoint make_point(FcHeapThread *thread, guint64 site, guint32 call, guint64 time,
                              guint32 node)
{
    guint32 frames = 0;
    if (G_UNLIKELY(thread->stack_count > 0))
    {
        for (guint i = thread->stack_count; i-- > 0;)
            frames = fc_heap_frame(thread->heap, frames, thread->stack[i], time);
        thread->stack_count = 0;
    }
    return (FcHeapPoint){
        .frames = frames,
        .context = fc_tally_intern_node(thread->heap->contexts, thread->tally, node, thread->nodes),
        .site = site,
        .time = time,
        .call = call};
}

static void note_allocation(FcHeapThread *thread, FcHeapEventKind kind, guint64 pointer,
                            guint64 bytes, const FcHeapPoint *point)
{
    FcHeapEvent event = {.kind = kind, .pointer = pointer, .size_bytes = bytes, .point = *point};
    add(thread, &event);
    thread->last_allocated = pointer;
    if (thread->named_pointer == pointer)
        thread->named_pointer = 0;
}

/* The operator's caller is the one to tell of, not the operator. */
static void note_name(FcHeapThread *thread, guint64 pointer, guint64 bytes, FcHeapPoint *point)
{
    FcHeapEvent *last = thread->head < thread->tail ? &thread->queue[thread->tail - 1] : NULL;
    if (point->call == FC_CALL_DELETE || point->call == FC_CALL_DELETE_ARRAY)
        thread->named_pointer = 0;
    else if (last != NULL && last->kind == FC_HEAP_ALLOCATE && last->pointer == pointer)
    {
        point->time = last->point.time;
        last->point = *point;
    }
    else
        note_allocation(thread, FC_HEAP_NAME, pointer, bytes, point);
}

static void note_free(FcHeapThread *thread, FcHeapEventKind kind, guint64 pointer, guint64 bytes,
                      const FcHeapPoint *point)
{
    FcHeapEvent event = {.kind = kind, .pointer = pointer, .size_bytes = bytes, .point = *point};
    event.temporary = thread->last_allocated == pointer;
    event.on_stack = pointer - thread->stack_start < thread->stack_end - thread->stack_start;
    thread->last_allocated = 0;
    add(thread, &event);
}

void fc_heap_record(FcHeapThread *thread, guint64 time, guint64 function, guint64 site,
                    guint64 frame, guint32 node)
{
    guint64 pointer = function & FC_POINTER_MASK;
    guint32 call = (guint32)(function >> FC_POINTER_CALL_SHIFT) & 0xff;
    guint64 bytes = frame >> FC_MEMORY_SIZE_SHIFT;
    enum FcRecordKind kind = (enum FcRecordKind)(frame & FC_FRAME_KIND_MASK);
    FcHeap *heap = thread->heap;

    if (kind == FC_RECORD_MAPPED)
    {
        heap->maps++;
        heap->map_bytes += bytes;
        return;
    }
    if (kind == FC_RECORD_UNMAP)
    {
        heap->unmaps++;
        heap->unmap_bytes += bytes;
        return;
    }
    if (kind == FC_RECORD_STACK)
    {
        note_stack(thread, function, site, frame);
        return;
    }
    if (pointer == 0 && kind != FC_RECORD_REALLOCATED)
        return;
    FcHeapPoint point = make_point(thread, site, call, time, node);
    if (kind == FC_RECORD_NAMED)
        note_name(thread, pointer, bytes, &point);
    else if (kind == FC_RECORD_FREE_NAMED || kind == FC_RECORD_FREE)
    {
        gboolean is_same = thread->named_pointer == pointer;
        if (kind == FC_RECORD_FREE_NAMED)
            thread->named_pointer = pointer;
        else if (is_same)
            thread->named_pointer = 0;
        if (!is_same)
            note_free(thread, FC_HEAP_FREE, pointer, 0, &point);
    }
    else if (kind == FC_RECORD_ALLOCATED)
        note_allocation(thread, FC_HEAP_ALLOCATE, pointer, bytes, &point);
    else if (kind == FC_RECORD_REALLOC)
        note_free(thread, FC_HEAP_REALLOC, pointer, bytes, &point);
    else if (kind == FC_RECORD_REALLOCATED)
        note_allocation(thread, FC_HEAP_REALLOCATED, pointer, bytes, &point);
}

void fc_heap_thread_finish(FcHeapThread *thread)
{
    FcHeap *heap = thread->heap;
    gboolean straight = goes_straight(thread);
    thread->tally = NULL;
    heap->thread_count--;
    if (!straight)
        return;
    take_held(thread);
    fc_heap_undo_realloc(thread, thread->releasing.point.time);
    FcHeapThread **at = &heap->first_thread;
    while (*at != thread)
        at = &(*at)->next;
    *at = thread->next;
    fc_heap_thread_free(thread);
}
