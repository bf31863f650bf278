/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each event does to the heap's figures: see heap.h.
 */
#include "fcmanager/heap/heap.h"

#include "libfc/fc-format.h"

#include <string.h>

#define BAD_MAX 10000u
/* The allocation site of blocks that are not counted. */
#define OWN_SITE 0u
#define FRAMES_MAX (1u << 20)
#define HISTORY_FIRST 1024u
#define HISTORY_MAX 65536u
#define FIRST_SAMPLE_SHIFT 18
#define SEARCH_BUDGET (UINT64_C(1) << 28)

/* ---- Places --------------------------------------------------------------------- */

guint32 fc_heap_alloc_site(FcHeap *heap, const FcHeapPoint *point)
{
    guint64 key = (guint64)point->context << 8 | point->call;
    const FcMapSlot *slot = fc_map_find(&heap->alloc_site_map, key, point->site, point->frames);
    if (slot)
        return slot->value;
    FcAllocSite site = {.point = *point, .peak_count = heap->peak_count};
    g_array_append_val(heap->alloc_sites, site);
    fc_map_add(&heap->alloc_site_map, key, point->site, point->frames, heap->alloc_sites->len - 1,
               0);
    return heap->alloc_sites->len - 1;
}

guint32 fc_heap_frame(FcHeap *heap, guint32 parent, guint64 address, guint64 time)
{
    const FcMapSlot *slot = fc_map_find(&heap->frame_map, parent, address, 0);
    if (slot)
        return slot->value;
    if (heap->frames->len >= FRAMES_MAX)
        return parent;
    FcHeapFrame frame = {parent, address, time};
    g_array_append_val(heap->frames, frame);
    fc_map_add(&heap->frame_map, parent, address, 0, heap->frames->len - 1, 0);
    return heap->frames->len - 1;
}

static FcAllocSite *site_at(FcHeap *heap, guint32 index)
{
    return &g_array_index(heap->alloc_sites, FcAllocSite, index);
}

/* To be called before the site's live bytes change.  If they did not change since the heap's last
 * peak, they are what the site held at that peak. */
static void keep_peak(const FcHeap *heap, FcAllocSite *site)
{
    if (site->peak_count == heap->peak_count)
        return;
    site->peak_bytes = site->live_bytes;
    site->peak_count = heap->peak_count;
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
    guint64 index = since >> heap->sample_shift;
    while (index >= FC_HEAP_SAMPLES) /* intervals become twice as long, and half as many */
    {
        for (guint i = 0; i < FC_HEAP_SAMPLES; i++)
        {
            guint64 a = 2 * i < FC_HEAP_SAMPLES ? heap->samples[2 * i] : 0;
            guint64 b = 2 * i + 1 < FC_HEAP_SAMPLES ? heap->samples[2 * i + 1] : 0;
            heap->samples[i] = MAX(a, b);
        }
        heap->sample_shift++;
        heap->sample_count = (heap->sample_count + 1) / 2;
        index = since >> heap->sample_shift;
    }
    /* nothing happened in the intervals that were skipped */
    for (; heap->sample_count <= index; heap->sample_count++)
        heap->samples[heap->sample_count] = heap->sample_level;
    heap->samples[index] = MAX(heap->samples[index], heap->live_bytes);
    heap->sample_level = heap->live_bytes;
}

static void add_live(FcHeap *heap, FcAllocSite *site, guint64 bytes, guint64 time)
{
    keep_peak(heap, site);
    site->live_blocks++;
    site->live_bytes += bytes;
    heap->live_bytes += bytes;
    if (heap->live_bytes > heap->peak_bytes)
    {
        heap->peak_bytes = heap->live_bytes;
        heap->peak_time = time;
        heap->peak_count++;
    }
    sample(heap, time);
}

static void remove_live(FcHeap *heap, guint32 index, guint64 bytes, guint64 time)
{
    FcAllocSite *site = site_at(heap, index);
    if (index == OWN_SITE)
        return;
    keep_peak(heap, site);
    site->live_blocks--;
    site->live_bytes -= bytes;
    heap->live_bytes -= bytes;
    sample(heap, time);
}

/* ---- Blocks ------------------------------------------------------------------------ */

void fc_heap_allocate(FcHeap *heap, const FcHeapEvent *event, const FcHeapBlock *first)
{
    gboolean is_own = event->point.call == FC_CALL_OWN;
    guint32 index = is_own ? OWN_SITE : fc_heap_alloc_site(heap, &event->point);
    FcAllocSite *site = site_at(heap, index);
    FcHeapBlock *block = fc_heap_blocks_add(&heap->blocks, event->pointer);
    block->size_bytes = event->size_bytes;
    block->time = event->point.time;
    block->alloc_site = index;
    block->first_alloc_site = first ? first->first_alloc_site : index;
    block->reallocated = first != NULL;
    block->first_size_bytes = first ? first->first_size_bytes : event->size_bytes;
    if (is_own)
        return;
    site->allocations++;
    site->bytes += event->size_bytes;
    site->sizes[size_bucket(event->size_bytes)]++;
    heap->allocations++;
    heap->bytes += event->size_bytes;
    add_live(heap, site, event->size_bytes, event->point.time);
}

void fc_heap_rename(FcHeap *heap, FcHeapBlock *block, const FcHeapPoint *point)
{
    guint32 index = fc_heap_alloc_site(heap, point);
    FcAllocSite *from = site_at(heap, block->alloc_site);
    FcAllocSite *into = site_at(heap, index);
    guint bucket = size_bucket(block->size_bytes);
    if (block->alloc_site == OWN_SITE)
        return;
    keep_peak(heap, into);
    from->allocations--;
    from->bytes -= block->size_bytes;
    from->sizes[bucket]--;
    from->live_blocks--;
    from->live_bytes -= block->size_bytes;
    into->allocations++;
    into->bytes += block->size_bytes;
    into->sizes[bucket]++;
    into->live_blocks++;
    into->live_bytes += block->size_bytes;
    block->alloc_site = index;
    block->first_alloc_site = index;
    block->reallocated = FALSE;
}

static struct FcHeapFreed *history_of(const FcHeap *heap, guint64 pointer)
{
    guint32 at = (guint32)((pointer >> 4) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 32);
    return &heap->history[at & heap->history_mask];
}

/* The history is small at first, as each forked child has its own. */
static void grow_history(FcHeap *heap)
{
    struct FcHeapFreed *old = heap->history;
    guint32 old_mask = heap->history_mask;
    heap->history_mask = 4 * (old_mask + 1) - 1;
    heap->history = g_new0(struct FcHeapFreed, heap->history_mask + 1);
    for (guint32 i = 0; i <= old_mask; i++)
        if (old[i].pointer != 0)
            *history_of(heap, old[i].pointer) = old[i];
    g_free(old);
}

static gboolean families_differ(guint32 allocated, guint32 freed)
{
    if (freed == FC_CALL_REALLOC || freed == FC_CALL_FREE)
        return allocated == FC_CALL_NEW || allocated == FC_CALL_NEW_ARRAY;
    if (allocated == FC_CALL_EARLY)
        return FALSE; /* the allocating call is not known */
    return allocated != (freed == FC_CALL_DELETE ? FC_CALL_NEW : FC_CALL_NEW_ARRAY);
}

static void add_bad(FcHeap *heap, const FcHeapBad *bad)
{
    if (heap->bad->len < BAD_MAX)
        g_array_append_vals(heap->bad, bad, 1);
    else
        heap->bad_not_listed++;
}

FcHeapBlock fc_heap_take_out(FcHeap *heap, FcHeapBlock *block, guint64 time)
{
    FcHeapBlock copy = *block;
    remove_live(heap, block->alloc_site, block->size_bytes, time);
    fc_heap_blocks_remove(&heap->blocks, block);
    return copy;
}

void fc_heap_put_back(FcHeap *heap, const FcHeapBlock *block, guint64 time)
{
    *fc_heap_blocks_add(&heap->blocks, block->pointer) = *block;
    if (block->alloc_site != OWN_SITE)
        add_live(heap, site_at(heap, block->alloc_site), block->size_bytes, time);
}

void fc_heap_count_release(FcHeap *heap, const FcHeapBlock *block, const FcHeapEvent *event)
{
    FcAllocSite *site = site_at(heap, block->alloc_site);
    guint64 time = event->point.time;
    if (block->alloc_site == OWN_SITE)
        return;
    site->frees++;
    site->lifetime += time - MIN(block->time, time);
    site->temporary += event->temporary;
    heap->frees++;
    if (families_differ(site->point.call, event->point.call))
    {
        FcHeapBad bad = {.kind = FC_BAD_MISMATCH,
                         .pointer = event->pointer,
                         .block = block->pointer,
                         .size_bytes = block->size_bytes,
                         .time = time,
                         .here = event->point,
                         .allocated = site->point};
        add_bad(heap, &bad);
    }
    if (heap->frees > heap->history_mask && heap->history_mask < HISTORY_MAX - 1)
        grow_history(heap);
    struct FcHeapFreed *freed = history_of(heap, block->pointer);
    /* Copied field by field, for the reason given at set_point (records.c). */
    freed->pointer = block->pointer;
    freed->size_bytes = block->size_bytes;
    freed->alloc_site = block->alloc_site;
    freed->point.context = event->point.context;
    freed->point.call = event->point.call;
    freed->point.frames = event->point.frames;
    freed->point.site = event->point.site;
    freed->point.time = event->point.time;
}

void fc_heap_release(FcHeap *heap, FcHeapBlock *block, const FcHeapEvent *event)
{
    fc_heap_count_release(heap, block, event);
    remove_live(heap, block->alloc_site, block->size_bytes, event->point.time);
    fc_heap_blocks_remove(&heap->blocks, block);
}

void fc_heap_replace_untracked(FcHeap *heap, FcHeapBlock *block, guint64 time)
{
    heap->untracked_frees += block->alloc_site != OWN_SITE;
    remove_live(heap, block->alloc_site, block->size_bytes, time);
    fc_heap_blocks_remove(&heap->blocks, block);
}

/* Returns the live block that contains `pointer`.  NULL: there is none, or the searches of this
 * process took too long in all. */
static const FcHeapBlock *block_around(FcHeap *heap, guint64 pointer)
{
    if (heap->search_budget <= heap->blocks.mask)
        return NULL;
    heap->search_budget -= heap->blocks.mask;
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
    const FcHeapBlock *around =
        heap->bad->len < BAD_MAX ? block_around(heap, event->pointer) : NULL;
    FcHeapBad bad = {.kind = FC_BAD_UNKNOWN,
                     .pointer = event->pointer,
                     .time = event->point.time,
                     .here = event->point};
    if (heap->has_foreign_allocator && !event->on_stack)
    {
        heap->foreign_frees++;
        return;
    }
    if (freed->pointer == event->pointer)
    {
        bad.kind = FC_BAD_DOUBLE;
        bad.block = freed->pointer;
        bad.size_bytes = freed->size_bytes;
        bad.allocated = site_at(heap, freed->alloc_site)->point;
        bad.freed = freed->point;
    }
    else if (around)
    {
        bad.kind = FC_BAD_INSIDE;
        bad.block = around->pointer;
        bad.size_bytes = around->size_bytes;
        bad.allocated = site_at(heap, around->alloc_site)->point;
    }
    else if (event->on_stack)
        bad.kind = FC_BAD_STACK;
    add_bad(heap, &bad);
}

/* ---- Life ---------------------------------------------------------------------------- */

static FcHeap *heap_new(FcCounts *contexts)
{
    FcHeap *heap = g_new0(FcHeap, 1);
    heap->contexts = contexts;
    heap->alloc_sites = g_array_new(FALSE, TRUE, sizeof(FcAllocSite));
    heap->bad = g_array_new(FALSE, TRUE, sizeof(FcHeapBad));
    heap->frames = g_array_new(FALSE, TRUE, sizeof(FcHeapFrame));
    g_array_set_size(heap->frames, 1);
    fc_map_init(&heap->frame_map, 0);
    heap->sample_shift = FIRST_SAMPLE_SHIFT;
    heap->search_budget = SEARCH_BUDGET;
    fc_map_init(&heap->alloc_site_map, 0);
    return heap;
}

FcHeap *fc_heap_new(FcCounts *contexts, guint64 origin, guint32 blocks)
{
    FcHeap *heap = heap_new(contexts);
    g_array_set_size(heap->alloc_sites, 1);
    heap->origin = origin;
    heap->history_mask = HISTORY_FIRST - 1;
    heap->history = g_new0(struct FcHeapFreed, HISTORY_FIRST);
    fc_heap_blocks_init(&heap->blocks, blocks);
    return heap;
}

static void copy_alloc_sites(FcHeap *heap, const FcHeap *from, GArray *cache)
{
    g_array_append_vals(heap->alloc_sites, from->alloc_sites->data, from->alloc_sites->len);
    for (guint32 i = 1; i < heap->alloc_sites->len; i++)
    {
        FcHeapPoint *point = &site_at(heap, i)->point;
        point->context =
            fc_counts_intern_node(heap->contexts, from->contexts, point->context, cache);
        fc_map_add(&heap->alloc_site_map, (guint64)point->context << 8 | point->call, point->site,
                   point->frames, i, 0);
    }
}

FcHeap *fc_heap_copy(const FcHeap *from, FcCounts *contexts, GArray *cache)
{
    FcHeap *heap = heap_new(contexts);
    GArray *alloc_sites = heap->alloc_sites;
    GArray *bad = heap->bad;
    GArray *frames = heap->frames;
    FcMap alloc_site_map = heap->alloc_site_map;
    FcMap frame_map = heap->frame_map;
    gsize history_bytes = ((gsize)from->history_mask + 1) * sizeof *from->history;

    *heap = *from;
    heap->contexts = contexts;
    heap->alloc_sites = alloc_sites;
    heap->bad = bad; /* bad frees of the parent do not count for the child */
    heap->alloc_site_map = alloc_site_map;
    heap->frames = frames;
    heap->frame_map = frame_map;
    heap->bad_not_listed = 0;
    heap->foreign_frees = 0;
    heap->history = g_memdup2(from->history, history_bytes);
    fc_heap_blocks_copy(&heap->blocks, &from->blocks);
    for (guint32 i = 1; i < from->frames->len; i++)
    {
        const FcHeapFrame *frame = &g_array_index(from->frames, FcHeapFrame, i);
        fc_heap_frame(heap, frame->parent, frame->address, frame->time);
    }
    copy_alloc_sites(heap, from, cache);
    for (guint32 i = 0; i <= heap->history_mask; i++)
        if (heap->history[i].pointer != 0)
            heap->history[i].point.context = fc_counts_intern_node(
                contexts, from->contexts, heap->history[i].point.context, cache);
    return heap;
}

void fc_heap_free(FcHeap *heap)
{
    if (!heap)
        return;
    fc_heap_blocks_clear(&heap->blocks);
    g_array_unref(heap->alloc_sites);
    g_array_unref(heap->bad);
    g_array_unref(heap->frames);
    fc_map_clear(&heap->alloc_site_map);
    fc_map_clear(&heap->frame_map);
    g_free(heap->history);
    g_free(heap);
}
