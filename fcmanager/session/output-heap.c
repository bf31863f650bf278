/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The heap of the profile that output.c builds: see output-build.h.
 */
#include "fcmanager/heap/leaks.h"
#include "fcmanager/session/output-build.h"

/* Limits the call sites in the list of version 3.0 to 32 MiB in a reader of that time, which keeps
 * a stack for each block.  Reached only with deep stacks (FC_MEMORY_STACK). */
#define LEAK_ADDRESSES_MAX (1u << 22)

static void add_heap_frames(FcOutputBuild *build, const FcHeap *heap)
{
    for (guint i = 1; i < heap->frames->len; i++)
    {
        const FcHeapFrame *from = &g_array_index(heap->frames, FcHeapFrame, i);
        FcProfileHeapFrame frame = {.parent = (gint)from->parent - 1};
        frame.location =
            fc_output_place_of(build, from->address,
                               fc_modules_find(build->process->modules, from->address, from->time));
        g_array_append_val(build->profile->heap.frames, frame);
    }
}

static FcProfileHeapPoint heap_point(const FcOutputBuild *build, const FcHeapPoint *from)
{
    const guint32 node = build->heap_nodes ? build->heap_nodes[from->context] : from->context;
    FcProfileHeapPoint point = {
        .context = (gint)node - 1, .call = from->call, .frames = (gint)from->frames - 1};
    if (from->call == 0)
        point.context = FC_NONE;
    point.site = fc_output_place_of(
        build, from->site, fc_modules_find(build->process->modules, from->site, from->time));
    return point;
}

/* Returns, for each site of `heap`, the profile's site.  The caller frees the result. */
static guint *add_alloc_sites(FcOutputBuild *build, const FcHeap *heap)
{
    guint *map = g_new0(guint, heap->alloc_sites->len + 1);
    for (guint i = 1; i < heap->alloc_sites->len; i++)
    {
        const FcAllocSite *from = &g_array_index(heap->alloc_sites, FcAllocSite, i);
        FcProfileAllocSite site = {
            .point = heap_point(build, &from->point),
            .allocations = from->allocations,
            .bytes = from->bytes,
            .frees = from->frees,
            .live_blocks = from->live_blocks,
            .live_bytes = from->live_bytes,
            .peak_bytes =
                from->peak_count == heap->peak_count ? from->peak_bytes : from->live_bytes,
            .temporary = from->temporary,
            .lifetime_ns = fc_output_to_ns(build, from->lifetime),
        };
        for (guint bucket = 0; bucket < FC_SIZE_BUCKETS; bucket++)
            site.sizes[bucket] = from->sizes[bucket];
        map[i] = build->profile->heap.alloc_sites->len;
        if (from->allocations > 0)
            g_array_append_val(build->profile->heap.alloc_sites, site);
    }
    return map;
}

/* Returns the call sites that lead to `point`, innermost first. */
static GArray *call_sites(const FcOutputBuild *build, const FcHeapPoint *point)
{
    GArray *stack = g_array_new(FALSE, FALSE, sizeof(guint64));
    const FcCounts *counts = build->process->counts;
    guint32 most = build->process->setup->memory_frames;
    if (point->site != 0) /* 0 would end the list */
        g_array_append_val(stack, point->site);
    for (guint32 node = point->context; node != 0 && stack->len < most;
         node = counts->nodes[node].parent)
        if (counts->nodes[node].site != 0)
            g_array_append_val(stack, counts->nodes[node].site);
    return stack;
}

static gint compare_bad(gconstpointer a, gconstpointer b)
{
    const FcProfileBadFree *x = a;
    const FcProfileBadFree *y = b;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void add_bad_frees(FcOutputBuild *build, const FcHeap *heap)
{
    for (guint i = 0; i < heap->bad->len; i++)
    {
        const FcHeapBad *from = &g_array_index(heap->bad, FcHeapBad, i);
        FcProfileBadFree bad = {.kind = from->kind,
                                .pointer = from->pointer,
                                .block = from->block,
                                .size_bytes = from->size_bytes,
                                .time_ns = fc_output_since_start(build, from->time),
                                .here = heap_point(build, &from->here),
                                .allocated = heap_point(build, &from->allocated),
                                .freed = heap_point(build, &from->freed)};
        g_array_append_val(build->profile->heap.bad_frees, bad);
        if (from->kind == FC_BAD_MISMATCH)
            continue; /* version 3.0 knows of invalid pointers only */
        FcProfileBlock block = {.pointer = from->pointer,
                                .site = from->here.site,
                                .stack = call_sites(build, &from->here)};
        g_array_append_val(from->here.call == FC_CALL_REALLOC ? build->profile->bad_reallocs
                                                              : build->profile->bad_frees,
                           block);
    }
    g_array_sort(build->profile->heap.bad_frees, compare_bad);
}

static gint compare_blocks(gconstpointer a, gconstpointer b)
{
    const FcProfileBlock *x = a;
    const FcProfileBlock *y = b;
    return x->pointer < y->pointer ? -1 : x->pointer > y->pointer;
}

static gint compare_heap_blocks(gconstpointer a, gconstpointer b)
{
    const FcProfileHeapBlock *x = a;
    const FcProfileHeapBlock *y = b;
    if (x->alloc_site != y->alloc_site)
        return x->alloc_site < y->alloc_site ? -1 : 1;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return x->pointer < y->pointer ? -1 : x->pointer > y->pointer;
}

/* Adds a block to the site's sums by state, whether it is listed or not. */
static void add_to_state(FcProfileAllocSite *site, FcProfileBlockState state, guint64 bytes)
{
    if (state == FC_BLOCK_REACHABLE)
    {
        site->reachable_blocks++;
        site->reachable_bytes += bytes;
    }
    else if (state == FC_BLOCK_INDIRECT)
    {
        site->indirect_blocks++;
        site->indirect_bytes += bytes;
    }
}

static FcProfileBlockState state_of(const FcOutputBuild *build, const FcHeapBlock *block)
{
    return build->profile->heap.scanned ? fc_live_state(build->process->live, block->pointer)
                                        : FC_BLOCK_LIVE;
}

/* Sums up all blocks, and counts all as not listed.  `sites` is the result of add_alloc_sites. */
static void sum_leaks(FcOutputBuild *build, const FcHeap *heap, const guint *sites)
{
    FcProfile *profile = build->profile;
    for (guint32 i = 0; i <= heap->blocks.mask; i++)
    {
        const FcHeapBlock *from = &heap->blocks.slots[i];
        if (from->pointer == 0 || from->alloc_site == 0)
            continue;
        profile->heap.unlisted.blocks++;
        profile->heap.unlisted.bytes += from->size_bytes;
        profile->unlisted_leaks.blocks++;
        profile->unlisted_leaks.bytes += from->first_size_bytes;
        add_to_state(
            &g_array_index(profile->heap.alloc_sites, FcProfileAllocSite, sites[from->alloc_site]),
            state_of(build, from), from->size_bytes);
    }
}

static void list_block(FcOutputBuild *build, const guint *sites, const FcHeapBlock *from)
{
    FcProfileHeap *into = &build->profile->heap;
    FcProfileHeapBlock live = {.pointer = from->pointer,
                               .size_bytes = from->size_bytes,
                               .time_ns = fc_output_since_start(build, from->time),
                               .alloc_site = sites[from->alloc_site],
                               .state = state_of(build, from)};
    g_array_append_val(into->blocks, live);
    into->unlisted.blocks--;
    into->unlisted.bytes -= from->size_bytes;
}

static void clear_stack(gpointer stack)
{
    if (stack)
        g_array_unref(stack);
}

/* Returns a stack for each allocation site: that of the blocks that were first allocated there.
 * NULL if none of `chosen` was. */
static GPtrArray *stacks_of_alloc_sites(const FcOutputBuild *build, const FcHeap *heap,
                                        const GPtrArray *chosen)
{
    GPtrArray *stacks = g_ptr_array_new_with_free_func(clear_stack);
    g_ptr_array_set_size(stacks, (gint)heap->alloc_sites->len);
    for (guint i = 0; i < chosen->len; i++)
    {
        const guint32 site = ((const FcHeapBlock *)chosen->pdata[i])->first_alloc_site;
        if (!stacks->pdata[site])
            stacks->pdata[site] =
                call_sites(build, &g_array_index(heap->alloc_sites, FcAllocSite, site).point);
    }
    return stacks;
}

static void list_leak(FcOutputBuild *build, const FcHeap *heap, const GPtrArray *stacks,
                      const FcHeapBlock *from)
{
    const FcAllocSite *first =
        &g_array_index(heap->alloc_sites, FcAllocSite, from->first_alloc_site);
    const FcAllocSite *last = &g_array_index(heap->alloc_sites, FcAllocSite, from->alloc_site);
    FcProfileBlock block = {.pointer = from->pointer,
                            .size_bytes = from->first_size_bytes,
                            .site = first->point.site,
                            .realloc_site = from->reallocated ? last->point.site : 0,
                            .stack = g_array_ref(stacks->pdata[from->first_alloc_site])};
    g_array_append_val(build->profile->leaks, block);
    build->profile->unlisted_leaks.blocks--;
    build->profile->unlisted_leaks.bytes -= from->first_size_bytes;
}

/* Fills the list of version 3.0, whose readers keep a stack for each block. */
static void list_leaks(FcOutputBuild *build, const FcHeap *heap, GPtrArray *chosen)
{
    g_autoptr(GPtrArray) stacks = stacks_of_alloc_sites(build, heap, chosen);
    g_autoptr(GPtrArray) fewer = NULL;
    guint64 addresses = 0;
    guint longest = 1;
    for (guint i = 0; i < chosen->len; i++)
    {
        const FcHeapBlock *block = chosen->pdata[i];
        const GArray *stack = stacks->pdata[block->first_alloc_site];
        addresses += stack->len;
        longest = MAX(longest, stack->len);
    }
    if (addresses > LEAK_ADDRESSES_MAX)
    {
        chosen = fewer = fc_leaks_choose(heap, LEAK_ADDRESSES_MAX / longest);
        g_ptr_array_unref(stacks);
        stacks = stacks_of_alloc_sites(build, heap, chosen);
    }
    for (guint i = 0; i < chosen->len; i++)
        list_leak(build, heap, stacks, chosen->pdata[i]);
    g_array_sort(build->profile->leaks, compare_blocks);
}

/* Lists and sums up the blocks.  `sites` is the result of add_alloc_sites. */
static void add_leaks(FcOutputBuild *build, const FcHeap *heap, const guint *sites)
{
    g_autoptr(GPtrArray) chosen = fc_leaks_choose(heap, FC_PROFILE_BLOCKS_MAX);
    sum_leaks(build, heap, sites);
    for (guint i = 0; i < chosen->len; i++)
        list_block(build, sites, chosen->pdata[i]);
    g_array_sort(build->profile->heap.blocks, compare_heap_blocks);
    list_leaks(build, heap, chosen);
}

void fc_output_add_heap(FcOutputBuild *build)
{
    const FcHeap *heap = build->process->heap;
    FcProfileHeap *into = &build->profile->heap;
    if (!heap)
        return;
    into->recorded = TRUE;
    into->allocations = heap->allocations;
    into->frees = heap->frees;
    into->bytes = heap->bytes;
    into->live_blocks = heap->allocations - heap->frees - heap->untracked_frees;
    into->live_bytes = heap->live_bytes;
    into->peak_bytes = heap->peak_bytes;
    into->peak_ns = fc_output_since_start(build, heap->peak_time);
    into->maps = heap->maps;
    into->map_bytes = heap->map_bytes;
    into->unmaps = heap->unmaps;
    into->unmap_bytes = heap->unmap_bytes;
    for (guint i = 0; i < heap->sample_count; i++)
    {
        FcProfileHeapSample sample = {
            fc_output_to_ns(build, (guint64)(i + 1) << heap->sample_shift), heap->samples[i]};
        g_array_append_val(into->samples, sample);
    }
    into->scanned = build->process->live != NULL && fc_live_take(build->process->live);
    add_heap_frames(build, heap);
    g_autofree guint *sites = add_alloc_sites(build, heap);
    add_bad_frees(build, heap);
    add_leaks(build, heap, sites);
}
