/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The books of memory: see heap.h.  heap-order.c puts events of one address into order
 * and calls the two functions here that do what they say.
 */
#include "fcmanager/heap-internal.h"

#include <string.h>

#define BAD_MAX 10000u
#define HISTORY_SLOTS 65536u
#define FIRST_SAMPLE_TICKS (1u << 18)

/* ---- Places --------------------------------------------------------------------- */

guint32 fc_heap_place(FcHeap *heap, const FcHeapPoint *point)
{
    guint64 key = (guint64)point->context << 8 | point->call;
    const FcMapSlot *slot = fc_map_find(&heap->place_map, key, point->site, 0);
    if (slot != NULL)
        return slot->value;
    FcHeapPlace place = {.point = *point, .peak_count = heap->peak_count};
    g_array_append_val(heap->places, place);
    fc_map_add(&heap->place_map, key, point->site, 0, heap->places->len - 1, 0);
    return heap->places->len - 1;
}

static FcHeapPlace *place_at(FcHeap *heap, guint32 index)
{
    return &g_array_index(heap->places, FcHeapPlace, index);
}

/* Before the place's live bytes change: what it held at the last peak is what it has now, if it
 * did not change since. */
static void keep_peak(const FcHeap *heap, FcHeapPlace *place)
{
    if (place->peak_count == heap->peak_count)
        return;
    place->peak_bytes = place->live_bytes;
    place->peak_count = heap->peak_count;
}

static guint size_bucket(guint64 bytes)
{
    guint bucket = bytes != 0 ? 64 - (guint)__builtin_clzll(bytes) : 0;
    return MIN(bucket, FC_SIZE_BUCKETS - 1);
}

/* ---- The whole heap --------------------------------------------------------------- */

static void sample(FcHeap *heap, guint64 time)
{
    guint64 since = time > heap->origin ? time - heap->origin : 0;
    guint64 index = since / heap->sample_ticks;
    while (index >= FC_HEAP_SAMPLES) /* twice as long each, half as many */
    {
        for (guint i = 0; i < FC_HEAP_SAMPLES; i++)
        {
            guint64 a = 2 * i < FC_HEAP_SAMPLES ? heap->samples[2 * i] : 0;
            guint64 b = 2 * i + 1 < FC_HEAP_SAMPLES ? heap->samples[2 * i + 1] : 0;
            heap->samples[i] = MAX(a, b);
        }
        heap->sample_ticks *= 2;
        heap->sample_count = (heap->sample_count + 1) / 2;
        index = since / heap->sample_ticks;
    }
    /* nothing happened in the intervals that were skipped */
    for (; heap->sample_count <= index; heap->sample_count++)
        heap->samples[heap->sample_count] = heap->sample_level;
    heap->samples[index] = MAX(heap->samples[index], heap->live_bytes);
    heap->sample_level = heap->live_bytes;
}

static void add_live(FcHeap *heap, FcHeapPlace *place, guint64 bytes, guint64 time)
{
    keep_peak(heap, place);
    place->live_blocks++;
    place->live_bytes += bytes;
    heap->live_bytes += bytes;
    if (heap->live_bytes > heap->peak_bytes)
    {
        heap->peak_bytes = heap->live_bytes;
        heap->peak_time = time;
        heap->peak_count++;
    }
    sample(heap, time);
}

static void remove_live(FcHeap *heap, FcHeapPlace *place, guint64 bytes, guint64 time)
{
    keep_peak(heap, place);
    place->live_blocks--;
    place->live_bytes -= bytes;
    heap->live_bytes -= bytes;
    sample(heap, time);
}

/* ---- Blocks ------------------------------------------------------------------------ */

void fc_heap_allocate(FcHeap *heap, const FcHeapEvent *event)
{
    FcHeapPlace *place = place_at(heap, event->place);
    place->allocations++;
    place->bytes += event->size_bytes;
    place->sizes[size_bucket(event->size_bytes)]++;
    heap->allocations++;
    heap->bytes += event->size_bytes;
    FcHeapBlock block = {.pointer = event->pointer,
                         .size_bytes = event->size_bytes,
                         .time = event->time,
                         .place = event->place,
                         .first_place = event->first_place != 0 ? event->first_place : event->place,
                         .first_size_bytes =
                             event->first_place != 0 ? event->first_size_bytes : event->size_bytes};
    fc_heap_blocks_add(&heap->blocks, &block);
    add_live(heap, place, event->size_bytes, event->time);
}

static struct FcHeapFreed *history_of(const FcHeap *heap, guint64 pointer)
{
    guint32 at = (guint32)((pointer >> 4) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 48);
    return &heap->history[at % HISTORY_SLOTS];
}

static gboolean families_differ(guint32 allocated, guint32 freed)
{
    if (freed == FC_CALL_REALLOC || freed == FC_CALL_FREE)
        return allocated == FC_CALL_NEW || allocated == FC_CALL_NEW_ARRAY;
    if (allocated == FC_CALL_EARLY)
        return FALSE; /* it is not known which call that was */
    return allocated != (freed == FC_CALL_DELETE ? FC_CALL_NEW : FC_CALL_NEW_ARRAY);
}

static void add_bad(FcHeap *heap, const FcHeapBad *bad)
{
    if (heap->bad->len < BAD_MAX)
        g_array_append_vals(heap->bad, bad, 1);
    else
        heap->bad_not_listed++;
}

void fc_heap_release(FcHeap *heap, FcHeapBlock *block, const FcHeapEvent *event)
{
    FcHeapPlace *place = place_at(heap, block->place);
    place->frees++;
    place->lifetime += event->time - MIN(block->time, event->time);
    place->temporary += event->temporary;
    heap->frees++;
    if (families_differ(place->point.call, event->point.call))
    {
        FcHeapBad bad = {.kind = FC_BAD_MISMATCH,
                         .pointer = event->pointer,
                         .block = block->pointer,
                         .size_bytes = block->size_bytes,
                         .time = event->time,
                         .here = event->point,
                         .allocated = place->point};
        add_bad(heap, &bad);
    }
    *history_of(heap, block->pointer) =
        (struct FcHeapFreed){block->pointer, block->size_bytes, block->place, event->point};
    remove_live(heap, place, block->size_bytes, event->time);
    fc_heap_blocks_remove(&heap->blocks, block);
}

void fc_heap_replace_untracked(FcHeap *heap, FcHeapBlock *block, guint64 time)
{
    FcHeapPlace *place = place_at(heap, block->place);
    heap->untracked_frees++;
    remove_live(heap, place, block->size_bytes, time);
    fc_heap_blocks_remove(&heap->blocks, block);
}

static const FcHeapBlock *block_around(const FcHeap *heap, guint64 pointer)
{
    for (guint32 i = 0; i <= heap->blocks.mask; i++)
    {
        const FcHeapBlock *block = &heap->blocks.slots[i];
        if (block->pointer != 0 && pointer - block->pointer < block->size_bytes)
            return block;
    }
    return NULL;
}

void fc_heap_report_bad(FcHeap *heap, const FcHeapEvent *event)
{
    const struct FcHeapFreed *freed = history_of(heap, event->pointer);
    const FcHeapBlock *around = block_around(heap, event->pointer);
    FcHeapBad bad = {.kind = FC_BAD_UNKNOWN,
                     .pointer = event->pointer,
                     .time = event->time,
                     .here = event->point};
    if (freed->pointer == event->pointer)
    {
        bad.kind = FC_BAD_DOUBLE;
        bad.block = freed->pointer;
        bad.size_bytes = freed->size_bytes;
        bad.allocated = place_at(heap, freed->place)->point;
        bad.freed = freed->point;
    }
    else if (around != NULL)
    {
        bad.kind = FC_BAD_INSIDE;
        bad.block = around->pointer;
        bad.size_bytes = around->size_bytes;
        bad.allocated = place_at(heap, around->place)->point;
    }
    else if (event->on_stack)
        bad.kind = FC_BAD_STACK;
    add_bad(heap, &bad);
}

/* ---- Life ---------------------------------------------------------------------------- */

static FcHeap *heap_new(FcTally *contexts)
{
    FcHeap *heap = g_new0(FcHeap, 1);
    heap->contexts = contexts;
    heap->places = g_array_new(FALSE, TRUE, sizeof(FcHeapPlace));
    heap->bad = g_array_new(FALSE, TRUE, sizeof(FcHeapBad));
    heap->waiting =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, (GDestroyNotify)g_array_unref);
    heap->sample_ticks = FIRST_SAMPLE_TICKS;
    fc_map_init(&heap->place_map, 0);
    return heap;
}

FcHeap *fc_heap_new(FcTally *contexts, guint64 origin, guint32 blocks)
{
    FcHeap *heap = heap_new(contexts);
    g_array_set_size(heap->places, 1);
    heap->origin = origin;
    heap->history = g_new0(struct FcHeapFreed, HISTORY_SLOTS);
    fc_heap_blocks_init(&heap->blocks, blocks);
    return heap;
}

FcHeap *fc_heap_copy(const FcHeap *from, FcTally *contexts)
{
    FcHeap *heap = heap_new(contexts);
    GArray *places = heap->places;
    GArray *bad = heap->bad;
    GHashTable *waiting = heap->waiting;
    FcMap place_map = heap->place_map;
    g_autoptr(GArray) cache = g_array_new(FALSE, TRUE, sizeof(guint32));

    *heap = *from;
    heap->contexts = contexts;
    heap->places = places;
    heap->bad = bad; /* the parent's mistakes are its own */
    heap->waiting = waiting;
    heap->place_map = place_map;
    heap->bad_not_listed = 0;
    heap->history = g_memdup2(from->history, HISTORY_SLOTS * sizeof *from->history);
    fc_heap_blocks_copy(&heap->blocks, &from->blocks);
    g_array_append_vals(places, from->places->data, from->places->len);
    for (guint32 i = 1; i < places->len; i++)
    {
        FcHeapPoint *point = &place_at(heap, i)->point;
        point->context = fc_tally_intern_node(contexts, from->contexts, point->context, cache);
        fc_map_add(&heap->place_map, (guint64)point->context << 8 | point->call, point->site, 0, i,
                   0);
    }
    for (guint32 i = 0; i < HISTORY_SLOTS; i++)
        if (heap->history[i].pointer != 0)
            heap->history[i].point.context = fc_tally_intern_node(
                contexts, from->contexts, heap->history[i].point.context, cache);
    return heap;
}

void fc_heap_free(FcHeap *heap)
{
    if (heap == NULL)
        return;
    fc_heap_blocks_clear(&heap->blocks);
    g_array_unref(heap->places);
    g_array_unref(heap->bad);
    g_hash_table_unref(heap->waiting);
    fc_map_clear(&heap->place_map);
    g_free(heap->history);
    g_free(heap);
}
