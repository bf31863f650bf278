/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds the heap of one profile to that of another; called by merge.c.  Two processes
 * have their peaks at different times: their sum never was in any memory, so the
 * larger of the two stands, with what was live in that process then.  For the same
 * reason two courses over time are not made into one: none is kept.
 */
#include "profile/merge.h"

/* What the sum of two heaps needs beside their profiles'. */
typedef struct
{
    const FcMerge *merge;
    gint *first_frame; /* as FcMerge.first_context, of the heap's frames */
    guint own_frames;
} HeapMerge;

static void map_point(const HeapMerge *heap, FcProfileHeapPoint *point)
{
    const FcMerge *merge = heap->merge;
    if (point->context != FC_NONE)
        point->context = merge->first_context[merge->own_contexts + (guint)point->context];
    if (point->frames != FC_NONE)
        point->frames = heap->first_frame[heap->own_frames + (guint)point->frames];
    point->site = fc_merge_map_place(merge, &point->site);
}

static void merge_frames(HeapMerge *heap)
{
    const FcMerge *merge = heap->merge;
    g_autoptr(GHashTable) keys = fc_merge_keys_new();
    GArray *frames = merge->into->heap.frames;
    const GArray *others = merge->other->heap.frames;
    const guint own = frames->len;
    heap->own_frames = own;
    heap->first_frame = g_new(gint, own + others->len + 1);
    for (guint i = 0; i < own + others->len; i++)
    {
        const gboolean is_own = i < own;
        FcProfileHeapFrame frame =
            g_array_index(is_own ? frames : others, FcProfileHeapFrame, is_own ? i : i - own);
        if (!is_own)
            frame.place = fc_merge_map_place(merge, &frame.place);
        if (frame.parent != FC_NONE)
            frame.parent = heap->first_frame[(guint)frame.parent + (is_own ? 0 : own)];
        const FcMergeKey key = fc_merge_key(merge, &frame.place, frame.parent, 0);
        const guint found = fc_merge_find_or_add(keys, &key, is_own ? i : frames->len);
        heap->first_frame[i] = (gint)found;
        if (!is_own && found == frames->len)
            g_array_append_val(frames, frame);
    }
}

static void merge_totals(FcProfileHeap *into, const FcProfileHeap *other)
{
    fc_merge_add(&into->allocations, other->allocations);
    fc_merge_add(&into->frees, other->frees);
    fc_merge_add(&into->bytes, other->bytes);
    fc_merge_add(&into->live_blocks, other->live_blocks);
    fc_merge_add(&into->live_bytes, other->live_bytes);
    fc_merge_add(&into->maps, other->maps);
    fc_merge_add(&into->map_bytes, other->map_bytes);
    fc_merge_add(&into->unmaps, other->unmaps);
    fc_merge_add(&into->unmap_bytes, other->unmap_bytes);
}

void fc_profile_add_heap_figures(FcProfileAllocSite *into, const FcProfileAllocSite *other)
{
    fc_merge_add(&into->allocations, other->allocations);
    fc_merge_add(&into->bytes, other->bytes);
    fc_merge_add(&into->frees, other->frees);
    fc_merge_add(&into->live_blocks, other->live_blocks);
    fc_merge_add(&into->live_bytes, other->live_bytes);
    fc_merge_add(&into->reachable_blocks, other->reachable_blocks);
    fc_merge_add(&into->reachable_bytes, other->reachable_bytes);
    fc_merge_add(&into->indirect_blocks, other->indirect_blocks);
    fc_merge_add(&into->indirect_bytes, other->indirect_bytes);
    fc_merge_add(&into->peak_bytes, other->peak_bytes);
    fc_merge_add(&into->temporary, other->temporary);
    fc_merge_add(&into->lifetime_ns, other->lifetime_ns);
    for (guint i = 0; i < FC_SIZE_BUCKETS; i++)
        fc_merge_add(&into->sizes[i], other->sizes[i]);
}

static FcMergeKey point_key(const FcMerge *merge, const FcProfileHeapPoint *point, gint64 context,
                            gint64 frames)
{
    return fc_merge_key(merge, &point->site, context, (frames + 1) << 8 | point->call);
}

static FcMergeKey own_key(const HeapMerge *heap, const FcProfileHeapPoint *point)
{
    return point_key(heap->merge, point,
                     point->context == FC_NONE ? FC_NONE
                                               : heap->merge->first_context[point->context],
                     point->frames == FC_NONE ? FC_NONE : heap->first_frame[point->frames]);
}

/* The caller frees the result: sites of the sum by those of the other profile. */
static guint *merge_alloc_sites(const HeapMerge *heap, gboolean other_has_peak)
{
    g_autoptr(GHashTable) keys = fc_merge_keys_new();
    GArray *sites = heap->merge->into->heap.alloc_sites;
    const GArray *others = heap->merge->other->heap.alloc_sites;
    const guint own = sites->len;
    guint *map = g_new(guint, others->len + 1);
    for (guint i = 0; i < own; i++)
    {
        FcProfileAllocSite *site = &g_array_index(sites, FcProfileAllocSite, i);
        const FcMergeKey key = own_key(heap, &site->point);
        fc_merge_find_or_add(keys, &key, i);
        if (other_has_peak)
            site->peak_bytes = 0;
    }
    for (guint i = 0; i < others->len; i++)
    {
        FcProfileAllocSite site = g_array_index(others, FcProfileAllocSite, i);
        map_point(heap, &site.point);
        if (!other_has_peak)
            site.peak_bytes = 0;
        const FcMergeKey key =
            point_key(heap->merge, &site.point, site.point.context, site.point.frames);
        map[i] = fc_merge_find_or_add(keys, &key, sites->len);
        if (map[i] == sites->len)
            g_array_append_val(sites, site);
        else
            fc_profile_add_heap_figures(&g_array_index(sites, FcProfileAllocSite, map[i]), &site);
    }
    return map;
}

static void merge_blocks(const HeapMerge *heap, const guint *sites)
{
    const GArray *others = heap->merge->other->heap.blocks;
    FcProfileHeap *into = &heap->merge->into->heap;
    for (guint i = 0; i < others->len; i++)
    {
        FcProfileHeapBlock block = g_array_index(others, FcProfileHeapBlock, i);
        block.alloc_site = sites[block.alloc_site];
        if (into->blocks->len < FC_PROFILE_BLOCKS_MAX)
            g_array_append_val(into->blocks, block);
        else
            fc_merge_add_sum(&into->unlisted, &(FcProfileSum){1, block.size_bytes});
    }
    fc_merge_add_sum(&into->unlisted, &heap->merge->other->heap.unlisted);
}

static void merge_bad_frees(const HeapMerge *heap)
{
    const GArray *others = heap->merge->other->heap.bad_frees;
    for (guint i = 0; i < others->len; i++)
    {
        FcProfileBadFree bad = g_array_index(others, FcProfileBadFree, i);
        map_point(heap, &bad.here);
        map_point(heap, &bad.allocated);
        map_point(heap, &bad.freed);
        g_array_append_val(heap->merge->into->heap.bad_frees, bad);
    }
}

void fc_merge_heap(const FcMerge *merge)
{
    HeapMerge heap = {.merge = merge};
    FcProfileHeap *into = &merge->into->heap;
    const FcProfileHeap *other = &merge->other->heap;
    if (!other->recorded)
        return;
    const gboolean other_has_peak = !into->recorded || other->peak_bytes > into->peak_bytes;
    if (other_has_peak)
    {
        into->peak_bytes = other->peak_bytes;
        into->peak_ns = other->peak_ns;
    }
    if (into->recorded)
        g_array_set_size(into->samples, 0);
    else if (other->samples->len > 0)
        g_array_append_vals(into->samples, other->samples->data, other->samples->len);
    into->scanned = (!into->recorded || into->scanned != 0) && other->scanned != 0;
    into->recorded = TRUE;
    merge_totals(into, other);
    merge_frames(&heap);
    g_autofree guint *sites = merge_alloc_sites(&heap, other_has_peak);
    merge_blocks(&heap, sites);
    merge_bad_frees(&heap);
    g_free(heap.first_frame);
}
