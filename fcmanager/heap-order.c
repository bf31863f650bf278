/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the queues of several threads to the books, in the order of the records' times
 * (heap.h says why); and what each event does there.
 */
#include "fcmanager/heap-internal.h"

#include <string.h>

/* ---- One event ---------------------------------------------------------------------- */

/* Another thread did something to a block whose allocation still waits for its name.  The name
 * would have come before: there is none.  Whether there was such a block. */
static gboolean take_held(FcHeap *heap, guint64 pointer, guint64 time)
{
    for (FcHeapThread *thread = heap->first_thread; thread != NULL; thread = thread->next)
    {
        if (thread->head == thread->tail)
            continue;
        FcHeapEvent event = thread->queue[thread->head];
        if (event.kind != FC_HEAP_ALLOCATE || event.pointer != pointer || event.point.time > time)
            continue;
        thread->head++;
        heap->queued--;
        fc_heap_take(thread, &event);
        return TRUE;
    }
    return FALSE;
}

static FcHeapBlock *find_block(FcHeap *heap, const FcHeapEvent *event)
{
    FcHeapBlock *block = fc_heap_blocks_find(&heap->blocks, event->pointer);
    if (G_UNLIKELY(block == NULL) && heap->thread_count > 1 &&
        take_held(heap, event->pointer, event->point.time))
        block = fc_heap_blocks_find(&heap->blocks, event->pointer);
    return block;
}

static void allocate(FcHeap *heap, const FcHeapEvent *event, const FcHeapBlock *first)
{
    FcHeapBlock *block = fc_heap_blocks_find(&heap->blocks, event->pointer);
    if (G_UNLIKELY(block != NULL))
        fc_heap_replace_untracked(heap, block, event->point.time);
    fc_heap_allocate(heap, event, first);
}

static void begin_realloc(FcHeapThread *thread, const FcHeapEvent *event)
{
    FcHeapBlock *block = find_block(thread->heap, event);
    thread->reallocating = TRUE;
    thread->releasing = *event;
    thread->wanted_bytes = event->size_bytes;
    if (block != NULL)
        thread->moving = fc_heap_take_out(thread->heap, block, event->point.time);
    else
        thread->moving.pointer = 0;
}

void fc_heap_undo_realloc(FcHeapThread *thread, guint64 time)
{
    if (thread->reallocating && thread->moving.pointer != 0)
        fc_heap_put_back(thread->heap, &thread->moving, time);
    else if (thread->reallocating) /* the C library ends the program for it */
        fc_heap_report_bad(thread->heap, &thread->releasing);
    thread->reallocating = FALSE;
}

static void end_realloc(FcHeapThread *thread, const FcHeapEvent *event)
{
    FcHeap *heap = thread->heap;
    gboolean had_block = thread->moving.pointer != 0;
    if (!thread->reallocating)
        return;
    if (event->pointer == 0 && thread->wanted_bytes != 0)
    {
        fc_heap_undo_realloc(thread, event->point.time); /* failed: nothing changed */
        return;
    }
    thread->reallocating = FALSE;
    if (had_block)
        fc_heap_count_release(heap, &thread->moving, &thread->releasing);
    else
        fc_heap_report_bad(heap, &thread->releasing);
    if (event->pointer != 0)
        allocate(heap, event, had_block ? &thread->moving : NULL);
}

void fc_heap_take(FcHeapThread *thread, const FcHeapEvent *event)
{
    FcHeap *heap = thread->heap;
    FcHeapBlock *block;
    switch ((FcHeapEventKind)event->kind)
    {
    case FC_HEAP_ALLOCATE:
        allocate(heap, event, NULL);
        break;
    case FC_HEAP_NAME:
        block = fc_heap_blocks_find(&heap->blocks, event->pointer);
        if (block != NULL)
            fc_heap_rename(heap, block, &event->point);
        else
            allocate(heap, event, NULL);
        break;
    case FC_HEAP_FREE:
        block = find_block(heap, event);
        if (G_LIKELY(block != NULL))
            fc_heap_release(heap, block, event);
        else
            fc_heap_report_bad(heap, event);
        break;
    case FC_HEAP_REALLOC:
        begin_realloc(thread, event);
        break;
    case FC_HEAP_REALLOCATED:
        end_realloc(thread, event);
        break;
    }
}

/* ---- Many ---------------------------------------------------------------------------- */

/* The time of the thread's next event that may be taken; G_MAXUINT64: there is none.  The last
 * allocation of a living thread may yet get its name. */
static guint64 next_time(const FcHeapThread *thread)
{
    if (thread->head == thread->tail)
        return G_MAXUINT64;
    const FcHeapEvent *event = &thread->queue[thread->head];
    if (thread->counts != NULL && thread->head + 1 == thread->tail &&
        event->kind == FC_HEAP_ALLOCATE)
        return G_MAXUINT64;
    return event->point.time;
}

/* A binary heap of threads by the time of their next events. */
typedef struct
{
    guint64 time;
    FcHeapThread *thread;
} Next;

static void sift_down(Next *heap, guint count, guint at)
{
    Next moving = heap[at];
    for (;;)
    {
        guint child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && heap[child + 1].time < heap[child].time)
            child++;
        if (heap[child].time >= moving.time)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moving;
}

static void merge(FcHeap *heap, GArray *array, guint64 time)
{
    Next *nexts = (Next *)(gpointer)array->data;
    guint count = array->len;
    for (guint i = count / 2; i-- > 0;)
        sift_down(nexts, count, i);
    while (count > 0 && nexts[0].time <= time)
    {
        FcHeapThread *thread = nexts[0].thread;
        FcHeapEvent event = thread->queue[thread->head++];
        heap->queued--;
        fc_heap_take(thread, &event);
        nexts[0].time = next_time(thread);
        if (nexts[0].time == G_MAXUINT64)
            nexts[0] = nexts[--count];
        if (count > 1)
            sift_down(nexts, count, 0);
    }
}

/* What is left moves to the front; threads that are gone with nothing left go. */
static void tidy(FcHeap *heap)
{
    FcHeapThread **at = &heap->first_thread;
    heap->latest = 0;
    while (*at != NULL)
    {
        FcHeapThread *thread = *at;
        if (thread->head == thread->tail && thread->counts == NULL)
        {
            *at = thread->next;
            fc_heap_undo_realloc(thread, thread->releasing.point.time);
            fc_heap_thread_free(thread);
            continue;
        }
        if (thread->head > 0)
            memmove(thread->queue, thread->queue + thread->head,
                    (thread->tail - thread->head) * sizeof *thread->queue);
        thread->tail -= thread->head;
        thread->head = 0;
        if (thread->tail > 0)
            heap->latest = MAX(heap->latest, thread->queue[thread->tail - 1].point.time);
        at = &thread->next;
    }
}

void fc_heap_settle(FcHeap *heap, guint64 time)
{
    g_autoptr(GArray) nexts = g_array_new(FALSE, FALSE, sizeof(Next));
    for (FcHeapThread *thread = heap->first_thread; thread != NULL; thread = thread->next)
    {
        Next next = {next_time(thread), thread};
        if (next.time != G_MAXUINT64)
            g_array_append_val(nexts, next);
    }
    merge(heap, nexts, time);
    tidy(heap);
}

void fc_heap_flush(FcHeap *heap)
{
    fc_heap_settle(heap, G_MAXUINT64);
    for (FcHeapThread *thread = heap->first_thread; thread != NULL; thread = thread->next)
        while (thread->head < thread->tail)
        {
            heap->queued--;
            fc_heap_take(thread, &thread->queue[thread->head++]);
        }
}

void fc_heap_finish(FcHeap *heap)
{
    for (FcHeapThread *thread = heap->first_thread; thread != NULL; thread = thread->next)
        thread->counts = NULL;
    heap->thread_count = 0;
    /* Killed within realloc: whether it got as far as freeing can't be known. */
    fc_heap_settle(heap, G_MAXUINT64);
}
