/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds the profile model from the counts: see output.h.
 */
#include "fcmanager/output.h"

typedef struct
{
    const FcProcess *process;
    const FcClock *clock;
    FcProfile *profile;
    guint64 origin; /* ticks: the process's start */
    /* Where the profile is not made from the process's own counts: for each node of those, the
     * profile's. */
    const guint32 *heap_nodes;
} Build;

static guint64 to_ns(const Build *build, guint64 ticks)
{
    return fc_clock_to_ns(build->clock, ticks);
}

static guint64 since_start(const Build *build, guint64 time)
{
    return time > build->origin ? to_ns(build, time - build->origin) : 0;
}

static FcProfilePlace place_of(const Build *build, guint64 address, gint module)
{
    FcProfilePlace place = {.address = address, .offset = address, .module = module};
    if (module != FC_NONE)
        place.offset -= fc_modules_get(build->process->modules, (guint)module)->base;
    return place;
}

/* ---- Sums --------------------------------------------------------------------------- */

static void add_modules(Build *build)
{
    const FcModules *modules = build->process->modules;
    for (guint i = 0; i < fc_modules_count(modules); i++)
    {
        const FcModule *from = fc_modules_get(modules, i);
        FcProfileModule module = {.path = g_strdup(from->path),
                                  .build_id = g_strdup(from->build_id),
                                  .base = from->base,
                                  .start = from->start,
                                  .end = from->end,
                                  .load_ns = since_start(build, from->load_time),
                                  .unload_ns = from->unload_time == G_MAXUINT64
                                                   ? G_MAXUINT64
                                                   : since_start(build, from->unload_time)};
        g_array_append_val(build->profile->modules, module);
    }
}

static void add_functions(Build *build, const FcCounts *counts)
{
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        const FcCountsFunction *from = &counts->functions[i];
        gboolean completed = from->total_min != G_MAXUINT64;
        FcProfileFunction function = {
            .place = place_of(build, from->address, from->module),
            .calls = from->calls,
            .total_ns = to_ns(build, from->total),
            .local_ns = to_ns(build, from->local),
            .total_min_ns = completed ? to_ns(build, from->total_min) : 0,
            .total_max_ns = to_ns(build, from->total_max),
            .local_min_ns = completed ? to_ns(build, from->local_min) : 0,
            .local_max_ns = to_ns(build, from->local_max),
        };
        for (guint bucket = 0; bucket < FC_HISTOGRAM_BUCKETS; bucket++)
            function.histogram[bucket] = from->histogram[bucket];
        g_array_append_val(build->profile->functions, function);
    }
}

static void add_arcs(Build *build, const FcCounts *counts)
{
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *from = &counts->arcs[i];
        FcProfileArc arc = {.caller = from->caller != 0 ? (gint)from->caller - 1 : FC_NONE,
                            .callee = from->callee,
                            .site = place_of(build, from->site, from->site_module),
                            .calls = from->calls,
                            .total_ns = to_ns(build, from->total)};
        g_array_append_val(build->profile->arcs, arc);
    }
}

/* The root, node 0, is not written: context i is node i + 1. */
static void add_contexts(Build *build, const FcCounts *counts)
{
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *from = &counts->nodes[i];
        FcProfileContext context = {.parent = (gint)from->parent - 1,
                                    .function = from->function,
                                    .site = place_of(build, from->site, from->site_module),
                                    .calls = from->calls,
                                    .total_ns = to_ns(build, from->total),
                                    .local_ns = to_ns(build, from->local)};
        g_array_append_val(build->profile->contexts, context);
    }
}

static void add_result(Build *build, const FcThreadResult *result)
{
    FcProfileThread thread = {.tid = result->tid,
                              .name = g_strdup(result->name),
                              .start_ns = since_start(build, result->start_time),
                              .end_ns = since_start(build, result->end_time),
                              .run_ns = to_ns(build, result->end_time - result->start_time),
                              .calls = result->calls,
                              .ended = result->ended};
    thread.functions = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadFunction));
    thread.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    for (guint i = 0; i < result->functions->len; i++)
    {
        FcProfileThreadFunction entry =
            g_array_index(result->functions, FcProfileThreadFunction, i);
        entry.total_ns = to_ns(build, entry.total_ns);
        entry.local_ns = to_ns(build, entry.local_ns);
        g_array_append_val(thread.functions, entry);
    }
    for (guint i = 0; i < result->stack->len; i++)
    {
        FcProfileFrame frame = g_array_index(result->stack, FcProfileFrame, i);
        frame.site = place_of(build, frame.site.address, frame.site.module);
        g_array_append_val(thread.stack, frame);
    }
    g_array_append_val(build->profile->threads, thread);
}

/* ---- Memory ------------------------------------------------------------------------------ */

static void add_heap_frames(Build *build, const FcHeap *heap)
{
    for (guint i = 1; i < heap->frames->len; i++)
    {
        const FcHeapFrame *from = &g_array_index(heap->frames, FcHeapFrame, i);
        FcProfileHeapFrame frame = {.parent = (gint)from->parent - 1};
        frame.place = place_of(build, from->address,
                               fc_modules_find(build->process->modules, from->address, from->time));
        g_array_append_val(build->profile->heap.frames, frame);
    }
}

static FcProfileHeapPoint heap_point(const Build *build, const FcHeapPoint *from)
{
    const guint32 node = build->heap_nodes ? build->heap_nodes[from->context] : from->context;
    FcProfileHeapPoint point = {
        .context = (gint)node - 1, .call = from->call, .frames = (gint)from->frames - 1};
    if (from->call == 0)
        point.context = FC_NONE;
    point.site = place_of(build, from->site,
                          fc_modules_find(build->process->modules, from->site, from->time));
    return point;
}

/* The caller frees the result: for each site of `heap`, the profile's. */
static guint *add_alloc_sites(Build *build, const FcHeap *heap)
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
            .lifetime_ns = to_ns(build, from->lifetime),
        };
        for (guint bucket = 0; bucket < FC_SIZE_BUCKETS; bucket++)
            site.sizes[bucket] = from->sizes[bucket];
        map[i] = build->profile->heap.alloc_sites->len;
        if (from->allocations > 0)
            g_array_append_val(build->profile->heap.alloc_sites, site);
    }
    return map;
}

/* The call sites that lead to `point`, innermost first. */
static GArray *call_sites(const Build *build, const FcHeapPoint *point)
{
    GArray *stack = g_array_new(FALSE, FALSE, sizeof(guint64));
    const FcCounts *counts = build->process->counts;
    guint32 most = build->process->setup->memory_frames;
    if (point->site != 0) /* which would be the list's end */
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

static void add_bad_frees(Build *build, const FcHeap *heap)
{
    for (guint i = 0; i < heap->bad->len; i++)
    {
        const FcHeapBad *from = &g_array_index(heap->bad, FcHeapBad, i);
        FcProfileBadFree bad = {.kind = from->kind,
                                .pointer = from->pointer,
                                .block = from->block,
                                .size_bytes = from->size_bytes,
                                .time_ns = since_start(build, from->time),
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

static void tell_apart(Build *build, FcProfileHeapBlock *block)
{
    FcProfileAllocSite *site =
        &g_array_index(build->profile->heap.alloc_sites, FcProfileAllocSite, block->alloc_site);
    block->state = fc_live_state(build->process->live, block->pointer);
    site->reachable_blocks += block->state == FC_BLOCK_REACHABLE;
    site->reachable_bytes += block->state == FC_BLOCK_REACHABLE ? block->size_bytes : 0;
    site->indirect_blocks += block->state == FC_BLOCK_INDIRECT;
    site->indirect_bytes += block->state == FC_BLOCK_INDIRECT ? block->size_bytes : 0;
}

static void clear_stack(gpointer stack)
{
    if (stack)
        g_array_unref(stack);
}

/* The stack of all blocks that were first allocated at a site; a reference is the caller's. */
static GArray *stack_of_alloc_site(const Build *build, const FcHeap *heap, GPtrArray *known,
                                   guint32 site)
{
    if (!known->pdata[site])
        known->pdata[site] =
            call_sites(build, &g_array_index(heap->alloc_sites, FcAllocSite, site).point);
    return g_array_ref(known->pdata[site]);
}

static void add_leak(Build *build, const FcHeap *heap, GPtrArray *stacks, const FcHeapBlock *from)
{
    const FcAllocSite *first =
        &g_array_index(heap->alloc_sites, FcAllocSite, from->first_alloc_site);
    const FcAllocSite *last = &g_array_index(heap->alloc_sites, FcAllocSite, from->alloc_site);
    FcProfileBlock block = {.pointer = from->pointer,
                            .size_bytes = from->first_size_bytes,
                            .site = first->point.site,
                            .realloc_site = from->reallocated ? last->point.site : 0,
                            .stack =
                                stack_of_alloc_site(build, heap, stacks, from->first_alloc_site)};
    g_array_append_val(build->profile->leaks, block);
}

/* Room for so many elements, of an empty array: by doubling there would be twice as much. */
static void reserve(GArray *array, guint count)
{
    g_array_set_size(array, count);
    g_array_set_size(array, 0);
}

/* `sites` as of add_alloc_sites. */
static void add_leaks(Build *build, const FcHeap *heap, const guint *sites)
{
    g_autoptr(GPtrArray) stacks = g_ptr_array_new_with_free_func(clear_stack);
    g_ptr_array_set_size(stacks, (gint)heap->alloc_sites->len);
    reserve(build->profile->leaks, heap->blocks.used);
    reserve(build->profile->heap.blocks, heap->blocks.used);
    for (guint32 i = 0; i <= heap->blocks.mask; i++)
    {
        const FcHeapBlock *from = &heap->blocks.slots[i];
        if (from->pointer == 0 || from->alloc_site == 0)
            continue;
        add_leak(build, heap, stacks, from);
        FcProfileHeapBlock live = {.pointer = from->pointer,
                                   .size_bytes = from->size_bytes,
                                   .time_ns = since_start(build, from->time),
                                   .alloc_site = sites[from->alloc_site],
                                   .state = FC_BLOCK_LIVE};
        if (build->profile->heap.scanned)
            tell_apart(build, &live);
        g_array_append_val(build->profile->heap.blocks, live);
    }
    g_array_sort(build->profile->leaks, compare_blocks);
    g_array_sort(build->profile->heap.blocks, compare_heap_blocks);
}

static void add_heap(Build *build)
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
    into->peak_ns = since_start(build, heap->peak_time);
    into->maps = heap->maps;
    into->map_bytes = heap->map_bytes;
    into->unmaps = heap->unmaps;
    into->unmap_bytes = heap->unmap_bytes;
    for (guint i = 0; i < heap->sample_count; i++)
    {
        FcProfileHeapSample sample = {to_ns(build, (guint64)(i + 1) << heap->sample_shift),
                                      heap->samples[i]};
        g_array_append_val(into->samples, sample);
    }
    into->scanned = build->process->live != NULL && fc_live_take(build->process->live);
    add_heap_frames(build, heap);
    g_autofree guint *sites = add_alloc_sites(build, heap);
    add_bad_frees(build, heap);
    add_leaks(build, heap, sites);
}

/* ---- The whole ------------------------------------------------------------------------ */

static Build begin(const FcProcess *process, const FcCounts *counts, const char *unique_id)
{
    FcProfile *profile = fc_profile_new();
    Build build = {process, &process->setup->clock, profile, process->hello.start_time};
    profile->unique_id = g_strdup(unique_id);
    profile->time_mode = build.clock->mode;
    profile->profile_mode = process->setup->profile_mode;
    profile->pid = process->hello.pid;
    profile->ppid = process->hello.ppid;
    profile->ticks_per_second = 1e9 / build.clock->ns_per_tick;
    profile->start_realtime_ns = process->hello.start_realtime_ns;
    profile->end_realtime_ns = process->end_realtime_ns;
    profile->executable = g_strdup(process->executable);
    profile->directory = g_strdup(process->directory);
    profile->command_line = g_strdupv(process->command_line);
    profile->end = process->end;
    profile->end_value = process->end_value;
    add_modules(&build);
    add_functions(&build, counts);
    add_arcs(&build, counts);
    add_contexts(&build, counts);
    fc_profile_add_notes(profile->repairs, process->repairs);
    fc_profile_add_notes(profile->losses, process->losses);
    return build;
}

FcProfile *fc_output_process(const FcProcess *process, const char *unique_id)
{
    Build build = begin(process, process->counts, unique_id);
    build.profile->run_ns = since_start(&build, process->end_time);
    add_heap(&build);
    for (guint i = 0; i < process->results->len; i++)
        add_result(&build, &g_array_index(process->results, FcThreadResult, i));
    return build.profile;
}

static void intern_point(const FcProcess *process, FcCounts *into, const FcHeapPoint *point,
                         guint32 *nodes, GArray *cache)
{
    if (point->call != 0)
        nodes[point->context] = fc_counts_intern_node(into, process->counts, point->context, cache);
}

/* Makes the contexts of the process's heap in `into`, without calls; the caller frees the
 * result, theirs by nodes of the process's counts. */
static guint32 *intern_heap(const FcProcess *process, FcCounts *into)
{
    const FcHeap *heap = process->heap;
    g_autoptr(GArray) cache = g_array_new(FALSE, TRUE, sizeof(guint32));
    guint32 *nodes = g_new0(guint32, process->counts->node_count + 1);
    for (guint i = 1; i < heap->alloc_sites->len; i++)
        intern_point(process, into, &g_array_index(heap->alloc_sites, FcAllocSite, i).point, nodes,
                     cache);
    for (guint i = 0; i < heap->bad->len; i++)
    {
        const FcHeapBad *bad = &g_array_index(heap->bad, FcHeapBad, i);
        const FcHeapPoint *points[] = {&bad->here, &bad->allocated, &bad->freed};
        for (guint p = 0; p < G_N_ELEMENTS(points); p++)
            intern_point(process, into, points[p], nodes, cache);
    }
    return nodes;
}

FcCounts *fc_output_keep(const FcProcess *process, const FcCounts *counts)
{
    FcCountsSizes least = {0, 0, 0};
    FcCounts *copy = fc_counts_new(process->modules, &least);
    copy->node_limit = counts->node_limit;
    g_free(fc_counts_merge(copy, counts)); /* same functions, same order */
    return copy;
}

FcProfile *fc_output_thread(const FcProcess *process, const FcThreadResult *result,
                            const FcCounts *counts, gboolean with_heap, const char *unique_id)
{
    FcCounts *own = fc_output_keep(process, counts);
    g_autofree guint32 *nodes = with_heap ? intern_heap(process, own) : NULL;
    Build build = begin(process, own, unique_id);
    build.heap_nodes = nodes;
    if (with_heap)
        add_heap(&build);
    build.profile->thread_id = result->tid;
    if (build.profile->thread_id != 0)
        build.profile->pid = result->tid; /* in this mode identifiers are those of threads */
    build.profile->run_ns = fc_clock_to_ns(build.clock, result->end_time - result->start_time);

    FcThreadResult renumbered = *result;
    renumbered.functions = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadFunction));
    renumbered.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    add_result(&build, &renumbered);
    g_array_unref(renumbered.functions);
    g_array_unref(renumbered.stack);
    fc_counts_free(own);
    return build.profile;
}
