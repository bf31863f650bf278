/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The queues of events, merged by time: see order.h.
 */
#include "fcmanager/heap/order.h"

#include <string.h>

#define FIRST_ROOM 64u

/* ---- One event ---------------------------------------------------------------------- */

static void allocate(FcHeap *heap, const FcHeapEvent *event, const FcHeapBlock *first)
{
    FcHeapBlock *block = fc_heap_blocks_find(&heap->blocks, event->pointer);
    if (G_UNLIKELY(block != NULL))
        fc_heap_replace_untracked(heap, block, event->point.time);
    fc_heap_allocate(heap, event, first);
}

/* If the block at `pointer` is an allocation that still waits for its name, takes it without:
 * another thread used the block, and the name would have come before that.  Returns whether there
 * was such a block. */
static gboolean take_waiting_allocation(FcHeapOrder *order, guint64 pointer, guint64 time)
{
    for (FcHeapQueue *queue = order->first; queue; queue = queue->next)
    {
        if (queue->head == queue->tail)
            continue;
        FcHeapEvent event = queue->events[queue->head];
        if (event.kind != FC_HEAP_ALLOCATE || event.pointer != pointer || event.point.time > time)
            continue;
        queue->head++;
        order->queued--;
        allocate(order->heap, &event, NULL);
        return TRUE;
    }
    return FALSE;
}

static FcHeapBlock *find_block(FcHeapOrder *order, const FcHeapEvent *event)
{
    FcHeapBlock *block = fc_heap_blocks_find(&order->heap->blocks, event->pointer);
    if (G_UNLIKELY(!block) && order->open_count > 1 &&
        take_waiting_allocation(order, event->pointer, event->point.time))
        block = fc_heap_blocks_find(&order->heap->blocks, event->pointer);
    return block;
}

static void begin_realloc(FcHeapQueue *queue, const FcHeapEvent *event)
{
    FcHeapBlock *block = find_block(queue->order, event);
    queue->reallocating = TRUE;
    queue->releasing = *event;
    queue->wanted_bytes = event->size_bytes;
    if (block)
        queue->moving = fc_heap_take_out(queue->order->heap, block, event->point.time);
    else
        queue->moving.pointer = 0;
}

/* A realloc failed: the block that it was for, if any, stays as it was. */
static void undo_realloc(FcHeapQueue *queue, guint64 time)
{
    if (queue->reallocating && queue->moving.pointer != 0)
        fc_heap_put_back(queue->order->heap, &queue->moving, time);
    else if (queue->reallocating) /* the C library ends the program for it */
        fc_heap_report_bad(queue->order->heap, &queue->releasing);
    queue->reallocating = FALSE;
}

static void end_realloc(FcHeapQueue *queue, const FcHeapEvent *event)
{
    FcHeap *heap = queue->order->heap;
    gboolean had_block = queue->moving.pointer != 0;
    if (!queue->reallocating)
        return;
    if (event->pointer == 0 && queue->wanted_bytes != 0)
    {
        undo_realloc(queue, event->point.time); /* the realloc failed: nothing changed */
        return;
    }
    queue->reallocating = FALSE;
    if (had_block)
        fc_heap_count_release(heap, &queue->moving, &queue->releasing);
    else
        fc_heap_report_bad(heap, &queue->releasing);
    if (event->pointer != 0)
        allocate(heap, event, had_block ? &queue->moving : NULL);
}

/* Applies the event to the heap when its turn has come. */
static void take(FcHeapQueue *queue, const FcHeapEvent *event)
{
    FcHeap *heap = queue->order->heap;
    FcHeapBlock *block;
    switch ((FcHeapEventKind)event->kind)
    {
    case FC_HEAP_ALLOCATE:
        allocate(heap, event, NULL);
        break;
    case FC_HEAP_NAME:
        block = fc_heap_blocks_find(&heap->blocks, event->pointer);
        if (block)
            fc_heap_rename(heap, block, &event->point);
        else
            allocate(heap, event, NULL);
        break;
    case FC_HEAP_FREE:
        block = find_block(queue->order, event);
        if (G_LIKELY(block != NULL))
            fc_heap_release(heap, block, event);
        else
            fc_heap_report_bad(heap, event);
        break;
    case FC_HEAP_REALLOC:
        begin_realloc(queue, event);
        break;
    case FC_HEAP_REALLOCATED:
        end_realloc(queue, event);
        break;
    }
}

/* ---- Queues -------------------------------------------------------------------------- */

FcHeapQueue *fc_heap_queue_new(FcHeapOrder *order)
{
    FcHeapQueue *queue = g_new0(FcHeapQueue, 1);
    queue->order = order;
    queue->next = order->first;
    order->first = queue;
    order->open_count++;
    return queue;
}

static void queue_free(FcHeapQueue *queue)
{
    g_free(queue->events);
    g_free(queue);
}

/* Whether no event of another thread can come before the queue's next event. */
static gboolean goes_straight(const FcHeapQueue *queue)
{
    const FcHeapOrder *order = queue->order;
    return order->in_order ||
           (order->open_count == 1 && order->queued == queue->tail - queue->head);
}

static void take_waiting(FcHeapQueue *queue)
{
    while (queue->head < queue->tail)
    {
        queue->order->queued--;
        take(queue, &queue->events[queue->head++]);
    }
    queue->head = 0;
    queue->tail = 0;
}

FcHeapEvent *fc_heap_queue_begin(FcHeapQueue *queue)
{
    if (goes_straight(queue)) /* the event that waits is an allocation whose name did not come */
        take_waiting(queue);
    if (G_UNLIKELY(!queue->events || queue->tail == queue->room))
    {
        queue->room = MAX(2 * queue->room, FIRST_ROOM);
        queue->events = g_renew(FcHeapEvent, queue->events, queue->room);
    }
    return &queue->events[queue->tail];
}

void fc_heap_queue_add(FcHeapQueue *queue, const FcHeapEvent *event)
{
    FcHeapOrder *order = queue->order;
    if (event->kind != FC_HEAP_ALLOCATE && goes_straight(queue))
    {
        take(queue, event);
        return;
    }
    queue->tail++;
    order->queued++;
    order->latest = MAX(order->latest, event->point.time);
}

FcHeapEvent *fc_heap_queue_last(const FcHeapQueue *queue)
{
    return queue->head < queue->tail ? &queue->events[queue->tail - 1] : NULL;
}

void fc_heap_queue_end(FcHeapQueue *queue)
{
    FcHeapOrder *order = queue->order;
    gboolean straight = goes_straight(queue);
    queue->ended = TRUE;
    order->open_count--;
    if (!straight)
        return;
    take_waiting(queue);
    undo_realloc(queue, queue->releasing.point.time);
    FcHeapQueue **at = &order->first;
    while (*at != queue)
        at = &(*at)->next;
    *at = queue->next;
    queue_free(queue);
}

/* ---- In the order of their times ------------------------------------------------------- */

/* Returns the time of the thread's next event that may be taken; G_MAXUINT64: there is none.  The
 * last allocation of a living thread must wait, since its name may still come. */
static guint64 next_time(const FcHeapQueue *queue)
{
    if (queue->head == queue->tail)
        return G_MAXUINT64;
    const FcHeapEvent *event = &queue->events[queue->head];
    if (!queue->ended && queue->head + 1 == queue->tail && event->kind == FC_HEAP_ALLOCATE)
        return G_MAXUINT64;
    return event->point.time;
}

/* A binary heap of threads by the time of their next events. */
typedef struct
{
    guint64 time;
    FcHeapQueue *queue;
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

static void merge(FcHeapOrder *order, GArray *array, guint64 time)
{
    Next *nexts = (Next *)(gpointer)array->data;
    guint count = array->len;
    for (guint i = count / 2; i-- > 0;)
        sift_down(nexts, count, i);
    while (count > 0 && nexts[0].time <= time)
    {
        FcHeapQueue *queue = nexts[0].queue;
        FcHeapEvent event = queue->events[queue->head++];
        order->queued--;
        take(queue, &event);
        nexts[0].time = next_time(queue);
        if (nexts[0].time == G_MAXUINT64)
            nexts[0] = nexts[--count];
        if (count > 1)
            sift_down(nexts, count, 0);
    }
}

/* Moves the events that are left to the front, and frees empty queues of threads that have ended.
 */
static void tidy(FcHeapOrder *order)
{
    FcHeapQueue **at = &order->first;
    order->latest = 0;
    while (*at)
    {
        FcHeapQueue *queue = *at;
        if (queue->head == queue->tail && queue->ended)
        {
            *at = queue->next;
            undo_realloc(queue, queue->releasing.point.time);
            queue_free(queue);
            continue;
        }
        if (queue->head > 0)
            memmove(queue->events, queue->events + queue->head,
                    (queue->tail - queue->head) * sizeof *queue->events);
        queue->tail -= queue->head;
        queue->head = 0;
        if (queue->tail > 0)
            order->latest = MAX(order->latest, queue->events[queue->tail - 1].point.time);
        at = &queue->next;
    }
}

void fc_heap_order_advance(FcHeapOrder *order, guint64 time)
{
    g_autoptr(GArray) nexts = g_array_new(FALSE, FALSE, sizeof(Next));
    for (FcHeapQueue *queue = order->first; queue; queue = queue->next)
    {
        Next next = {next_time(queue), queue};
        if (next.time != G_MAXUINT64)
            g_array_append_val(nexts, next);
    }
    merge(order, nexts, time);
    tidy(order);
}

void fc_heap_order_flush(FcHeapOrder *order)
{
    fc_heap_order_advance(order, G_MAXUINT64);
    for (FcHeapQueue *queue = order->first; queue; queue = queue->next)
        take_waiting(queue);
}

void fc_heap_order_finish(FcHeapOrder *order)
{
    for (FcHeapQueue *queue = order->first; queue; queue = queue->next)
        queue->ended = TRUE;
    order->open_count = 0;
    /* If the process was killed within realloc, it is not known whether the block was freed. */
    fc_heap_order_advance(order, G_MAXUINT64);
}

/* ---- Life ---------------------------------------------------------------------------- */

FcHeapOrder *fc_heap_order_new(FcHeap *heap, gboolean in_order)
{
    FcHeapOrder *order = g_new0(FcHeapOrder, 1);
    order->heap = heap;
    order->in_order = in_order;
    return order;
}

void fc_heap_order_free(FcHeapOrder *order)
{
    if (!order)
        return;
    while (order->first)
    {
        FcHeapQueue *queue = order->first;
        order->first = queue->next;
        queue_free(queue);
    }
    g_free(order);
}

/* A block whose allocation waits for its name, or that its thread is just reallocating, is an
 * ordinary block to the child. */
FcHeap *fc_heap_order_copy(const FcHeapOrder *order, FcCounts *contexts, guint64 time)
{
    g_autoptr(GArray) cache = g_array_new(FALSE, TRUE, sizeof(guint32));
    FcHeap *heap = fc_heap_copy(order->heap, contexts, cache);
    for (const FcHeapQueue *queue = order->first; queue; queue = queue->next)
    {
        if (queue->reallocating && queue->moving.pointer != 0 &&
            !fc_heap_blocks_find(&heap->blocks, queue->moving.pointer))
            fc_heap_put_back(heap, &queue->moving, queue->releasing.point.time);
        if (queue->head == queue->tail)
            continue;
        FcHeapEvent event = queue->events[queue->head];
        if (event.kind != FC_HEAP_ALLOCATE || event.point.time > time ||
            fc_heap_blocks_find(&heap->blocks, event.pointer))
            continue;
        event.point.context =
            fc_counts_intern_node(contexts, order->heap->contexts, event.point.context, cache);
        fc_heap_allocate(heap, &event, NULL);
    }
    return heap;
}
