/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adds the heap of one profile to that of another; called by merge.c.  Two processes
 * have their peaks at different times: their sum never was in any memory, so the
 * larger of the two stands, with what was live in that process then.  For the same
 * reason two courses over time are not made into one: none is kept.
 */
#include "profile/merge.h"

static void map_point(const FcMerge *merge, FcProfileHeapPoint *point)
{
    if (point->context != FC_NONE)
        point->context = merge->first_context[merge->own_contexts + (guint)point->context];
    point->site = fc_merge_map_place(merge, &point->site);
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

static void merge_place(FcProfileHeapPlace *into, const FcProfileHeapPlace *other)
{
    fc_merge_add(&into->allocations, other->allocations);
    fc_merge_add(&into->bytes, other->bytes);
    fc_merge_add(&into->frees, other->frees);
    fc_merge_add(&into->live_blocks, other->live_blocks);
    fc_merge_add(&into->live_bytes, other->live_bytes);
    fc_merge_add(&into->peak_bytes, other->peak_bytes);
    fc_merge_add(&into->temporary, other->temporary);
    fc_merge_add(&into->lifetime_ns, other->lifetime_ns);
    for (guint i = 0; i < FC_SIZE_BUCKETS; i++)
        fc_merge_add(&into->sizes[i], other->sizes[i]);
}

static FcMergeKey own_key(const FcMerge *merge, const FcProfileHeapPoint *point)
{
    const gint64 context =
        point->context == FC_NONE ? FC_NONE : merge->first_context[point->context];
    return fc_merge_key(merge, &point->site, context, point->call);
}

static void merge_places(const FcMerge *merge, gboolean other_has_peak)
{
    g_autoptr(GHashTable) keys = fc_merge_keys_new();
    GArray *places = merge->into->heap.places;
    const GArray *others = merge->other->heap.places;
    const guint own = places->len;
    for (guint i = 0; i < own; i++)
    {
        FcProfileHeapPlace *place = &g_array_index(places, FcProfileHeapPlace, i);
        const FcMergeKey key = own_key(merge, &place->point);
        fc_merge_find_or_add(keys, &key, i);
        if (other_has_peak)
            place->peak_bytes = 0;
    }
    for (guint i = 0; i < others->len; i++)
    {
        FcProfileHeapPlace place = g_array_index(others, FcProfileHeapPlace, i);
        map_point(merge, &place.point);
        if (!other_has_peak)
            place.peak_bytes = 0;
        const FcMergeKey key =
            fc_merge_key(merge, &place.point.site, place.point.context, place.point.call);
        const guint found = fc_merge_find_or_add(keys, &key, places->len);
        if (found == places->len)
            g_array_append_val(places, place);
        else
            merge_place(&g_array_index(places, FcProfileHeapPlace, found), &place);
    }
}

static void merge_bad_frees(const FcMerge *merge)
{
    const GArray *others = merge->other->heap.bad_frees;
    for (guint i = 0; i < others->len; i++)
    {
        FcProfileBadFree bad = g_array_index(others, FcProfileBadFree, i);
        map_point(merge, &bad.here);
        map_point(merge, &bad.allocated);
        map_point(merge, &bad.freed);
        g_array_append_val(merge->into->heap.bad_frees, bad);
    }
}

void fc_merge_heap(const FcMerge *merge)
{
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
    into->recorded = TRUE;
    merge_totals(into, other);
    merge_places(merge, other_has_peak);
    merge_bad_frees(merge);
}
