/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns records into events: see records.h.
 */
#include "fcmanager/heap/records.h"

#include "libfc/fc-format.h"

struct FcHeapThread
{
    FcHeapQueue *queue;
    const FcCounts *counts;
    GArray *nodes; /* guint32 by node of `counts`: the node of the heap's contexts, + 1; 0: not made
                      yet */
    guint64 stack_start;
    guint64 stack_end;
    guint64 named_pointer;       /* the block that an operator delete was called with; 0: none */
    guint64 stack[FC_STACK_MAX]; /* the stack of the next record, innermost call site first */
    guint stack_count;
    guint64 last_allocated; /* address of the last allocation; 0 if the thread did something else
                               since */
};

FcHeapThread *fc_heap_thread_new(FcHeapOrder *order, const FcCounts *counts)
{
    FcHeapThread *thread = g_new0(FcHeapThread, 1);
    thread->queue = fc_heap_queue_new(order);
    thread->counts = counts;
    thread->nodes = g_array_new(FALSE, TRUE, sizeof(guint32));
    return thread;
}

void fc_heap_thread_free(FcHeapThread *thread)
{
    if (!thread)
        return;
    g_array_unref(thread->nodes);
    g_free(thread);
}

void fc_heap_thread_finish(FcHeapThread *thread)
{
    fc_heap_queue_end(thread->queue);
    thread->queue = NULL;
}

void fc_heap_thread_set_stack(FcHeapThread *thread, guint64 start, guint64 end)
{
    thread->stack_start = start;
    thread->stack_end = end;
}

static FcHeap *heap_of(const FcHeapThread *thread)
{
    return thread->queue->order->heap;
}

/* ---- Records ------------------------------------------------------------------------ */

/* Adds three frames to the stack of the next record.  If a signal handler's records came between
 * those of one stack, that stack is lost. */
static void note_stack(FcHeapThread *thread, guint64 function, guint64 site, guint64 where)
{
    const guint64 addresses[3] = {function & FC_POINTER_MASK,
                                  where >> FC_STACK_SECOND_SHIFT & FC_POINTER_MASK, site};
    guint number = (guint)(function >> FC_POINTER_CALL_SHIFT) & 0xff;
    if (number == 0)
        thread->stack_count = 0;
    if (thread->stack_count != 3 * number)
        return;
    for (guint i = 0; i < 3 && addresses[i] != 0 && thread->stack_count < FC_STACK_MAX; i++)
        thread->stack[thread->stack_count++] = addresses[i];
}

static guint32 take_frames(FcHeapThread *thread, guint64 time)
{
    guint32 frames = 0;
    for (guint i = thread->stack_count; i-- > 0;)
        frames = fc_heap_frame(heap_of(thread), frames, thread->stack[i], time);
    thread->stack_count = 0;
    return frames;
}

/* The arguments of fc_heap_record. */
typedef struct
{
    guint64 time;
    guint64 pointer;
    guint64 bytes;
    guint64 site;
    guint32 call;
    guint32 node;
} Record;

/* Sets each field.  This is the inner loop, and a processor stalls when it reads in one large piece
 * what was just written in small ones. */
static void set_point(FcHeapThread *thread, FcHeapPoint *point, const Record *record)
{
    point->context = fc_counts_intern_node(heap_of(thread)->contexts, thread->counts, record->node,
                                           thread->nodes);
    point->call = record->call;
    point->frames = G_UNLIKELY(thread->stack_count > 0) ? take_frames(thread, record->time) : 0;
    point->site = record->site;
    point->time = record->time;
}

static void note_allocation(FcHeapThread *thread, FcHeapEventKind kind, const Record *record)
{
    FcHeapEvent *event = fc_heap_queue_begin(thread->queue);
    event->kind = kind;
    event->pointer = record->pointer;
    event->size_bytes = record->bytes;
    set_point(thread, &event->point, record);
    fc_heap_queue_add(thread->queue, event);
    thread->last_allocated = record->pointer;
    if (thread->named_pointer == record->pointer)
        thread->named_pointer = 0;
}

/* An allocation through operator new counts as made by the caller of the operator. */
static void note_name(FcHeapThread *thread, const Record *record)
{
    FcHeapEvent *last = fc_heap_queue_last(thread->queue);
    if (record->call == FC_CALL_DELETE || record->call == FC_CALL_DELETE_ARRAY)
        thread->named_pointer = 0;
    else if (last && last->kind == FC_HEAP_ALLOCATE && last->pointer == record->pointer)
    {
        guint64 time = last->point.time;
        set_point(thread, &last->point, record);
        last->point.time = time;
        last->size_bytes = record->bytes; /* the size that was asked for, before rounding */
    }
    else
        note_allocation(thread, FC_HEAP_NAME, record);
}

static void note_free(FcHeapThread *thread, FcHeapEventKind kind, const Record *record)
{
    FcHeapEvent *event = fc_heap_queue_begin(thread->queue);
    event->kind = kind;
    event->pointer = record->pointer;
    event->size_bytes = record->bytes;
    event->temporary = thread->last_allocated == record->pointer;
    event->on_stack =
        record->pointer - thread->stack_start < thread->stack_end - thread->stack_start;
    set_point(thread, &event->point, record);
    thread->last_allocated = 0;
    fc_heap_queue_add(thread->queue, event);
}

/* Adds an operator delete, or the free that it calls. */
static void note_release(FcHeapThread *thread, enum FcRecordKind kind, const Record *record)
{
    gboolean is_same = thread->named_pointer == record->pointer;
    if (kind == FC_RECORD_FREE_NAMED)
        thread->named_pointer = record->pointer;
    else if (is_same)
        thread->named_pointer = 0;
    if (!is_same)
        note_free(thread, FC_HEAP_FREE, record);
}

/* Counts the program's own mappings; they are not blocks. */
static void note_mapping(FcHeap *heap, enum FcRecordKind kind, guint64 bytes)
{
    heap->maps += kind == FC_RECORD_MAPPED;
    heap->map_bytes += kind == FC_RECORD_MAPPED ? bytes : 0;
    heap->unmaps += kind == FC_RECORD_UNMAP;
    heap->unmap_bytes += kind == FC_RECORD_UNMAP ? bytes : 0;
}

void fc_heap_record(FcHeapThread *thread, guint64 time, guint64 function, guint64 site,
                    guint64 where, guint32 node)
{
    enum FcRecordKind kind = (enum FcRecordKind)(where & FC_WHERE_KIND_MASK);
    Record record = {.time = time,
                     .pointer = function & FC_POINTER_MASK,
                     .bytes = where >> FC_MEMORY_SIZE_SHIFT,
                     .site = site,
                     .call = (guint32)(function >> FC_POINTER_CALL_SHIFT) & 0xff,
                     .node = node};
    if (G_UNLIKELY(function & FC_POINTER_WILD))
    {
        record.pointer |= (record.bytes & 0xffff) << FC_POINTER_HIGH_SHIFT;
        record.bytes = 0;
    }
    if (kind == FC_RECORD_MAPPED || kind == FC_RECORD_UNMAP)
        note_mapping(heap_of(thread), kind, record.bytes);
    else if (kind == FC_RECORD_STACK)
        note_stack(thread, function, site, where);
    else if (kind == FC_RECORD_REALLOCATED)
        note_allocation(thread, FC_HEAP_REALLOCATED, &record);
    else if (record.pointer == 0)
        return;
    else if (kind == FC_RECORD_ALLOCATED)
        note_allocation(thread, FC_HEAP_ALLOCATE, &record);
    else if (kind == FC_RECORD_FREE || kind == FC_RECORD_FREE_NAMED)
        note_release(thread, kind, &record);
    else if (kind == FC_RECORD_NAMED)
        note_name(thread, &record);
    else if (kind == FC_RECORD_REALLOC)
        note_free(thread, FC_HEAP_REALLOC, &record);
}
