/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compares profiles field by field; see profile_fixture.h.
 */
#include "profile_fixture.h"

static void assert_places(const FcProfileLocation *a, const FcProfileLocation *b)
{
    g_assert_cmphex(a->address, ==, b->address);
    g_assert_cmphex(a->offset, ==, b->offset);
    g_assert_cmpint(a->module, ==, b->module);
}

static void assert_heads(const FcProfile *a, const FcProfile *b)
{
    g_assert_cmpstr(a->unique_id, ==, b->unique_id);
    g_assert_cmpint(a->time_mode, ==, b->time_mode);
    g_assert_cmpint(a->profile_mode, ==, b->profile_mode);
    g_assert_cmpint(a->pid, ==, b->pid);
    g_assert_cmpint(a->ppid, ==, b->ppid);
    g_assert_cmpuint(a->run_ns, ==, b->run_ns);
    g_assert_cmpuint(a->processes, ==, b->processes);
    g_assert_cmpuint(a->failed, ==, b->failed);
    g_assert_cmpuint(a->samples, ==, b->samples);
    g_assert_cmpuint(a->executed, ==, b->executed);
    g_assert_cmpuint(a->unsampled_ns, ==, b->unsampled_ns);
    g_assert_cmpuint(a->executed_by_timer, ==, b->executed_by_timer);
    g_assert_cmpint(a->extended, ==, b->extended);
    g_assert_cmpfloat(a->ticks_per_second, ==, b->ticks_per_second);
    g_assert_cmpmem(a->costs_ps, sizeof a->costs_ps, b->costs_ps, sizeof b->costs_ps);
    g_assert_cmpint(a->start_realtime_ns, ==, b->start_realtime_ns);
    g_assert_cmpint(a->end_realtime_ns, ==, b->end_realtime_ns);
    g_assert_cmpmem(&a->machine, sizeof a->machine, &b->machine, sizeof b->machine);
    g_assert_cmpstr(a->executable, ==, b->executable);
    g_assert_cmpstr(a->directory, ==, b->directory);
    g_assert_cmpstr(a->filter, ==, b->filter);
    g_assert_cmpuint(a->depth, ==, b->depth);
    g_assert_cmpint(a->job.rank, ==, b->job.rank);
    g_assert_cmpint(a->job.local_rank, ==, b->job.local_rank);
    g_assert_cmpuint(a->job.size, ==, b->job.size);
    g_assert_cmpstr(a->job.name, ==, b->job.name);
    g_assert_cmpstr(a->job.launcher, ==, b->job.launcher);
    g_assert_cmpstr(a->job.host, ==, b->job.host);
    g_assert_cmpstr(a->job.cpus, ==, b->job.cpus);
    g_assert_cmpint(a->command_line == NULL, ==, b->command_line == NULL);
    if (a->command_line != NULL)
        g_assert_cmpstrv(a->command_line, b->command_line);
    g_assert_cmpint(a->end, ==, b->end);
    g_assert_cmpint(a->end_value, ==, b->end_value);
    g_assert_cmpint(a->thread_id, ==, b->thread_id);
}

static void assert_modules(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileModule *left = &g_array_index(a, FcProfileModule, i);
        const FcProfileModule *right = &g_array_index(b, FcProfileModule, i);
        g_assert_cmpstr(left->path, ==, right->path);
        g_assert_cmpstr(left->build_id, ==, right->build_id);
        g_assert_cmphex(left->base, ==, right->base);
        g_assert_cmphex(left->start, ==, right->start);
        g_assert_cmphex(left->end, ==, right->end);
        g_assert_cmpuint(left->load_ns, ==, right->load_ns);
        g_assert_cmpuint(left->unload_ns, ==, right->unload_ns);
    }
}

static void assert_offs(const FcProfileOff *left, const FcProfileOff *right)
{
    g_assert_cmpint(left == NULL, ==, right == NULL);
    if (left)
        g_assert_cmpmem(left, sizeof *left, right, sizeof *right);
}

static void assert_functions(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileFunction *left = &g_array_index(a, FcProfileFunction, i);
        const FcProfileFunction *right = &g_array_index(b, FcProfileFunction, i);
        assert_places(&left->location, &right->location);
        g_assert_cmpuint(left->calls, ==, right->calls);
        g_assert_cmpuint(left->times.total_ns, ==, right->times.total_ns);
        g_assert_cmpuint(left->counted, ==, right->counted);
        g_assert_cmpuint(left->timed, ==, right->timed);
        g_assert_cmpint(left->uncounted, ==, right->uncounted);
        g_assert_cmpuint(left->total_error_ns, ==, right->total_error_ns);
        g_assert_cmpuint(left->local_error_ns, ==, right->local_error_ns);
        g_assert_cmpuint(left->times.total_cost_ns, ==, right->times.total_cost_ns);
        g_assert_cmpuint(left->times.local_cost_ns, ==, right->times.local_cost_ns);
        g_assert_cmpuint(left->times.total_wait_ns, ==, right->times.total_wait_ns);
        g_assert_cmpuint(left->times.local_wait_ns, ==, right->times.local_wait_ns);
        assert_offs(left->off, right->off);
        g_assert_cmpuint(left->times.local_ns, ==, right->times.local_ns);
        g_assert_cmpuint(left->bounds.total_min_ns, ==, right->bounds.total_min_ns);
        g_assert_cmpuint(left->bounds.total_max_ns, ==, right->bounds.total_max_ns);
        g_assert_cmpuint(left->bounds.local_min_ns, ==, right->bounds.local_min_ns);
        g_assert_cmpuint(left->bounds.local_max_ns, ==, right->bounds.local_max_ns);
        g_assert_cmpint(left->has_cpu_bounds, ==, right->has_cpu_bounds);
        g_assert_cmpmem(&left->cpu, sizeof left->cpu, &right->cpu, sizeof right->cpu);
        for (guint j = 0; j < FC_HISTOGRAM_BUCKETS; j++)
            g_assert_cmpuint(fc_histogram_get(&left->histogram, j), ==,
                             fc_histogram_get(&right->histogram, j));
    }
}

static void assert_arcs(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileArc *left = &g_array_index(a, FcProfileArc, i);
        const FcProfileArc *right = &g_array_index(b, FcProfileArc, i);
        g_assert_cmpint(left->caller, ==, right->caller);
        g_assert_cmpuint(left->callee, ==, right->callee);
        assert_places(&left->site, &right->site);
        g_assert_cmpuint(left->calls, ==, right->calls);
        g_assert_cmpuint(left->times.total_ns, ==, right->times.total_ns);
        g_assert_cmpuint(left->times.total_cost_ns, ==, right->times.total_cost_ns);
        g_assert_cmpuint(left->times.total_wait_ns, ==, right->times.total_wait_ns);
        g_assert_cmpint(left->apportioned, ==, right->apportioned);
    }
}

static void assert_latencies(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileLatency *left = &g_array_index(a, FcProfileLatency, i);
        const FcProfileLatency *right = &g_array_index(b, FcProfileLatency, i);
        g_assert_cmpuint(left->arc, ==, right->arc);
        g_assert_cmpuint(left->bucket, ==, right->bucket);
        g_assert_cmpuint(left->calls, ==, right->calls);
    }
}

static void assert_wait_sites(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileWaitSite *left = &g_array_index(a, FcProfileWaitSite, i);
        const FcProfileWaitSite *right = &g_array_index(b, FcProfileWaitSite, i);
        g_assert_cmpuint(left->function, ==, right->function);
        assert_places(&left->site, &right->site);
        for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
            g_assert_cmpuint(left->kind_ns[kind], ==, right->kind_ns[kind]);
    }
}

static void assert_contexts(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileContext *left = &g_array_index(a, FcProfileContext, i);
        const FcProfileContext *right = &g_array_index(b, FcProfileContext, i);
        g_assert_cmpint(left->parent, ==, right->parent);
        g_assert_cmpuint(left->function, ==, right->function);
        assert_places(&left->site, &right->site);
        g_assert_cmpuint(left->calls, ==, right->calls);
        g_assert_cmpuint(left->times.total_ns, ==, right->times.total_ns);
        g_assert_cmpuint(left->times.total_cost_ns, ==, right->times.total_cost_ns);
        g_assert_cmpuint(left->times.local_cost_ns, ==, right->times.local_cost_ns);
        g_assert_cmpuint(left->times.total_wait_ns, ==, right->times.total_wait_ns);
        g_assert_cmpuint(left->times.local_wait_ns, ==, right->times.local_wait_ns);
        g_assert_cmpint(left->apportioned, ==, right->apportioned);
        g_assert_cmpuint(left->times.local_ns, ==, right->times.local_ns);
    }
}

static void assert_slowest(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileSlowCall *left = &g_array_index(a, FcProfileSlowCall, i);
        const FcProfileSlowCall *right = &g_array_index(b, FcProfileSlowCall, i);
        g_assert_cmpuint(left->function, ==, right->function);
        g_assert_cmpint(left->context, ==, right->context);
        g_assert_cmpint(left->tid, ==, right->tid);
        g_assert_cmpuint(left->realtime_ns, ==, right->realtime_ns);
        g_assert_cmpuint(left->total_ns, ==, right->total_ns);
    }
}

static void assert_traces(const FcProfileThread *a, const FcProfileThread *b)
{
    g_assert_cmpuint(a->trace_all, ==, b->trace_all);
    g_assert_true((a->trace != NULL) == (b->trace != NULL));
    g_assert_cmpuint(a->trace ? a->trace->len : 0, ==, b->trace ? b->trace->len : 0);
    for (guint i = 0; a->trace && i < a->trace->len; i++)
    {
        const FcProfileTraceRecord *left = &g_array_index(a->trace, FcProfileTraceRecord, i);
        const FcProfileTraceRecord *right = &g_array_index(b->trace, FcProfileTraceRecord, i);
        g_assert_cmpint(left->kind, ==, right->kind);
        g_assert_cmpuint(left->function, ==, right->function);
        g_assert_cmpuint(left->stack, ==, right->stack);
        g_assert_cmpuint(left->depth, ==, right->depth);
        g_assert_cmpuint(left->time_ns, ==, right->time_ns);
        g_assert_cmpuint(left->begun_ns, ==, right->begun_ns);
    }
}

static void assert_lanes(const FcProfileThread *a, const FcProfileThread *b)
{
    g_assert_cmpuint(a->lane_start_ns, ==, b->lane_start_ns);
    g_assert_cmpuint(a->lane_ns, ==, b->lane_ns);
    g_assert_cmpuint(a->lanes ? a->lanes->len : 0, ==, b->lanes ? b->lanes->len : 0);
    for (guint i = 0; a->lanes && i < a->lanes->len; i++)
    {
        const FcProfileLane *left = &g_array_index(a->lanes, FcProfileLane, i);
        const FcProfileLane *right = &g_array_index(b->lanes, FcProfileLane, i);
        g_assert_cmpuint(left->bucket, ==, right->bucket);
        g_assert_cmpuint(left->wait_ns, ==, right->wait_ns);
        g_assert_cmpuint(left->preempted_ns, ==, right->preempted_ns);
    }
}

static void assert_thread_arcs(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a ? a->len : 0, ==, b ? b->len : 0);
    for (guint i = 0; a && i < a->len; i++)
    {
        const FcProfileThreadArc *left = &g_array_index(a, FcProfileThreadArc, i);
        const FcProfileThreadArc *right = &g_array_index(b, FcProfileThreadArc, i);
        g_assert_cmpuint(left->arc, ==, right->arc);
        g_assert_cmpuint(left->calls, ==, right->calls);
        g_assert_cmpuint(left->times.total_ns, ==, right->times.total_ns);
        g_assert_cmpuint(left->times.total_cost_ns, ==, right->times.total_cost_ns);
        g_assert_cmpuint(left->times.total_wait_ns, ==, right->times.total_wait_ns);
    }
}

static void assert_threads(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileThread *left = &g_array_index(a, FcProfileThread, i);
        const FcProfileThread *right = &g_array_index(b, FcProfileThread, i);
        g_assert_cmpint(left->tid, ==, right->tid);
        g_assert_cmpstr(left->name, ==, right->name);
        g_assert_cmpuint(left->start_ns, ==, right->start_ns);
        g_assert_cmpuint(left->end_ns, ==, right->end_ns);
        g_assert_cmpuint(left->run_ns, ==, right->run_ns);
        g_assert_cmpuint(left->calls, ==, right->calls);
        g_assert_cmpint(left->ended, ==, right->ended);
        g_assert_cmpint(left->waits, ==, right->waits);
        g_assert_cmpuint(left->wait_ns, ==, right->wait_ns);
        g_assert_cmpuint(left->preempted_ns, ==, right->preempted_ns);
        g_assert_cmpuint(left->manager_ns, ==, right->manager_ns);
        assert_traces(left, right);
        assert_lanes(left, right);
        g_assert_cmpuint(left->functions->len, ==, right->functions->len);
        for (guint j = 0; j < left->functions->len; j++)
        {
            const FcProfileThreadFunction *f =
                &g_array_index(left->functions, FcProfileThreadFunction, j);
            const FcProfileThreadFunction *g =
                &g_array_index(right->functions, FcProfileThreadFunction, j);
            g_assert_cmpuint(f->function, ==, g->function);
            g_assert_cmpuint(f->calls, ==, g->calls);
            g_assert_cmpuint(f->times.total_ns, ==, g->times.total_ns);
            g_assert_cmpuint(f->times.local_ns, ==, g->times.local_ns);
            g_assert_cmpuint(f->times.total_cost_ns, ==, g->times.total_cost_ns);
            g_assert_cmpuint(f->times.local_cost_ns, ==, g->times.local_cost_ns);
            g_assert_cmpuint(f->times.total_wait_ns, ==, g->times.total_wait_ns);
            g_assert_cmpuint(f->times.local_wait_ns, ==, g->times.local_wait_ns);
            assert_offs(f->off, g->off);
        }
        if (a->len > 1) /* the only thread's are those of the profile: they are not written */
            assert_thread_arcs(left->arcs, right->arcs);
        g_assert_cmpuint(left->stack->len, ==, right->stack->len);
        for (guint j = 0; j < left->stack->len; j++)
        {
            const FcProfileFrame *f = &g_array_index(left->stack, FcProfileFrame, j);
            const FcProfileFrame *g = &g_array_index(right->stack, FcProfileFrame, j);
            g_assert_cmpuint(f->function, ==, g->function);
            assert_places(&f->site, &g->site);
        }
    }
}

static void assert_notes(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileNote *left = &g_array_index(a, FcProfileNote, i);
        const FcProfileNote *right = &g_array_index(b, FcProfileNote, i);
        g_assert_cmpstr(left->kind, ==, right->kind);
        g_assert_cmpuint(left->count, ==, right->count);
    }
}

static void assert_blocks(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileBlock *left = &g_array_index(a, FcProfileBlock, i);
        const FcProfileBlock *right = &g_array_index(b, FcProfileBlock, i);
        g_assert_cmphex(left->pointer, ==, right->pointer);
        g_assert_cmpuint(left->size_bytes, ==, right->size_bytes);
        g_assert_cmphex(left->site, ==, right->site);
        g_assert_cmphex(left->realloc_site, ==, right->realloc_site);
        g_assert_cmpmem(left->stack->data, left->stack->len * sizeof(guint64), right->stack->data,
                        right->stack->len * sizeof(guint64));
    }
}

static void assert_points(const FcProfileHeapPoint *a, const FcProfileHeapPoint *b)
{
    g_assert_cmpint(a->context, ==, b->context);
    assert_places(&a->site, &b->site);
    g_assert_cmpuint(a->call, ==, b->call);
    g_assert_cmpint(a->frames, ==, b->frames);
}

static void assert_heap_frames(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileHeapFrame *left = &g_array_index(a, FcProfileHeapFrame, i);
        const FcProfileHeapFrame *right = &g_array_index(b, FcProfileHeapFrame, i);
        g_assert_cmpint(left->parent, ==, right->parent);
        assert_places(&left->location, &right->location);
    }
}

static void assert_heap_blocks(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileHeapBlock *left = &g_array_index(a, FcProfileHeapBlock, i);
        const FcProfileHeapBlock *right = &g_array_index(b, FcProfileHeapBlock, i);
        g_assert_cmphex(left->pointer, ==, right->pointer);
        g_assert_cmpuint(left->size_bytes, ==, right->size_bytes);
        g_assert_cmpuint(left->time_ns, ==, right->time_ns);
        g_assert_cmpuint(left->alloc_site, ==, right->alloc_site);
        g_assert_cmpint(left->state, ==, right->state);
    }
}

static void assert_alloc_sites(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileAllocSite *left = &g_array_index(a, FcProfileAllocSite, i);
        const FcProfileAllocSite *right = &g_array_index(b, FcProfileAllocSite, i);
        assert_points(&left->point, &right->point);
        g_assert_cmpuint(left->allocations, ==, right->allocations);
        g_assert_cmpuint(left->bytes, ==, right->bytes);
        g_assert_cmpuint(left->frees, ==, right->frees);
        g_assert_cmpuint(left->live_blocks, ==, right->live_blocks);
        g_assert_cmpuint(left->live_bytes, ==, right->live_bytes);
        g_assert_cmpuint(left->reachable_blocks, ==, right->reachable_blocks);
        g_assert_cmpuint(left->reachable_bytes, ==, right->reachable_bytes);
        g_assert_cmpuint(left->indirect_blocks, ==, right->indirect_blocks);
        g_assert_cmpuint(left->indirect_bytes, ==, right->indirect_bytes);
        g_assert_cmpuint(left->peak_bytes, ==, right->peak_bytes);
        g_assert_cmpuint(left->temporary, ==, right->temporary);
        g_assert_cmpuint(left->lifetime_ns, ==, right->lifetime_ns);
        g_assert_cmpmem(left->sizes, sizeof left->sizes, right->sizes, sizeof right->sizes);
    }
}

static void assert_wrong_frees(const GArray *a, const GArray *b)
{
    g_assert_cmpuint(a->len, ==, b->len);
    for (guint i = 0; i < a->len; i++)
    {
        const FcProfileBadFree *left = &g_array_index(a, FcProfileBadFree, i);
        const FcProfileBadFree *right = &g_array_index(b, FcProfileBadFree, i);
        g_assert_cmpint(left->kind, ==, right->kind);
        g_assert_cmphex(left->pointer, ==, right->pointer);
        g_assert_cmphex(left->block, ==, right->block);
        g_assert_cmpuint(left->size_bytes, ==, right->size_bytes);
        g_assert_cmpuint(left->time_ns, ==, right->time_ns);
        assert_points(&left->here, &right->here);
        assert_points(&left->allocated, &right->allocated);
        assert_points(&left->freed, &right->freed);
    }
}

static void assert_heaps(const FcProfileHeap *a, const FcProfileHeap *b)
{
    g_assert_cmpint(a->recorded, ==, b->recorded);
    g_assert_cmpuint(a->allocations, ==, b->allocations);
    g_assert_cmpuint(a->frees, ==, b->frees);
    g_assert_cmpuint(a->bytes, ==, b->bytes);
    g_assert_cmpuint(a->live_blocks, ==, b->live_blocks);
    g_assert_cmpuint(a->live_bytes, ==, b->live_bytes);
    g_assert_cmpuint(a->peak_bytes, ==, b->peak_bytes);
    g_assert_cmpuint(a->peak_ns, ==, b->peak_ns);
    g_assert_cmpuint(a->maps, ==, b->maps);
    g_assert_cmpuint(a->map_bytes, ==, b->map_bytes);
    g_assert_cmpuint(a->unmaps, ==, b->unmaps);
    g_assert_cmpuint(a->unmap_bytes, ==, b->unmap_bytes);
    g_assert_cmpuint(a->scanned, ==, b->scanned);
    g_assert_cmpuint(a->unlisted.blocks, ==, b->unlisted.blocks);
    g_assert_cmpuint(a->unlisted.bytes, ==, b->unlisted.bytes);
    assert_heap_frames(a->frames, b->frames);
    assert_heap_blocks(a->blocks, b->blocks);
    assert_alloc_sites(a->alloc_sites, b->alloc_sites);
    assert_wrong_frees(a->bad_frees, b->bad_frees);
    g_assert_cmpuint(a->samples->len, ==, b->samples->len);
    for (guint i = 0; i < a->samples->len; i++)
    {
        const FcProfileHeapSample *left = &g_array_index(a->samples, FcProfileHeapSample, i);
        const FcProfileHeapSample *right = &g_array_index(b->samples, FcProfileHeapSample, i);
        g_assert_cmpuint(left->time_ns, ==, right->time_ns);
        g_assert_cmpuint(left->live_bytes, ==, right->live_bytes);
    }
}

void fixture_assert_equal(const FcProfile *a, const FcProfile *b)
{
    assert_heads(a, b);
    assert_modules(a->modules, b->modules);
    assert_functions(a->functions, b->functions);
    assert_arcs(a->arcs, b->arcs);
    assert_latencies(a->latencies, b->latencies);
    assert_contexts(a->contexts, b->contexts);
    assert_wait_sites(a->wait_sites, b->wait_sites);
    assert_slowest(a->slowest, b->slowest);
    assert_threads(a->threads, b->threads);
    assert_notes(a->repairs, b->repairs);
    assert_notes(a->losses, b->losses);
    assert_blocks(a->leaks, b->leaks);
    g_assert_cmpuint(a->unlisted_leaks.blocks, ==, b->unlisted_leaks.blocks);
    g_assert_cmpuint(a->unlisted_leaks.bytes, ==, b->unlisted_leaks.bytes);
    assert_blocks(a->bad_frees, b->bad_frees);
    assert_blocks(a->bad_reallocs, b->bad_reallocs);
    assert_heaps(&a->heap, &b->heap);
}
