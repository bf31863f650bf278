/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds the profile model from the counts: see output.h.
 */
#include "fcmanager/session/output.h"

#include "fcmanager/counts/wait-sites.h"
#include "fcmanager/session/output-build.h"

#include <math.h>

/* ---- Sums --------------------------------------------------------------------------- */

static void add_modules(FcOutputBuild *build)
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
                                  .load_ns = fc_output_since_start(build, from->load_time),
                                  .unload_ns =
                                      from->unload_time == G_MAXUINT64
                                          ? G_MAXUINT64
                                          : fc_output_since_start(build, from->unload_time)};
        g_array_append_val(build->profile->modules, module);
    }
}

/* Returns the standard error in ns, from a variance in ticks squared. */
static guint64 error_ns(const FcOutputBuild *build, double variance)
{
    return fc_output_to_ns(build, (guint64)MIN(sqrt(variance), 0x1p62));
}

static FcProfileBounds bounds_ns(const FcOutputBuild *build, const FcCountsFunction *function,
                                 const FcCountsBounds *which)
{
    const FcCountsBounds ticks = fc_counts_bounds(function, which);
    const gboolean completed = ticks.total_min != G_MAXUINT64;
    return (FcProfileBounds){
        .total_min_ns = completed ? fc_output_to_ns(build, ticks.total_min) : 0,
        .total_max_ns = fc_output_to_ns(build, ticks.total_max),
        .local_min_ns = completed ? fc_output_to_ns(build, ticks.local_min) : 0,
        .local_max_ns = fc_output_to_ns(build, ticks.local_max),
    };
}

static FcProfileTimes times_ns(const FcOutputBuild *build, FcProfileTimes ticks)
{
    return (FcProfileTimes){
        fc_output_to_ns(build, ticks.total_ns),      fc_output_to_ns(build, ticks.local_ns),
        fc_output_to_ns(build, ticks.total_cost_ns), fc_output_to_ns(build, ticks.local_cost_ns),
        fc_output_to_ns(build, ticks.total_wait_ns), fc_output_to_ns(build, ticks.local_wait_ns)};
}

static FcProfileOff *off_ns(const FcOutputBuild *build, FcProfileOff *off)
{
    if (off)
        off->preempted_ns = fc_output_to_ns(build, off->preempted_ns);
    return off;
}

static void add_functions(FcOutputBuild *build, const FcCounts *counts)
{
    for (guint32 i = 0; i < counts->function_count; i++)
    {
        const FcCountsFunction *from = &counts->functions[i];
        const FcProfileBounds elapsed = bounds_ns(build, from, &from->elapsed);
        const FcProfileBounds on_cpu = bounds_ns(build, from, &from->on_cpu);
        FcProfileFunction function = {
            .location = fc_output_place_of(build, from->address, from->module),
            .calls = from->calls,
            .times = times_ns(build, (FcProfileTimes){from->total, from->local, from->cost_total,
                                                      from->cost_local, from->wait_total,
                                                      from->wait_local}),
            .off = off_ns(build, fc_counts_get_off(counts, i)),
            .bounds = elapsed,
            .has_cpu_bounds = memcmp(&elapsed, &on_cpu, sizeof elapsed) != 0,
            .cpu = on_cpu,
            .counted = from->counted,
            .timed = from->timed,
            .uncounted = from->is_uncounted,
            .total_error_ns = error_ns(build, from->total_variance),
            .local_error_ns = error_ns(build, from->local_variance),
        };
        guint64 buckets[FC_HISTOGRAM_BUCKETS] = {0};
        for (guint bucket = 0; bucket < FC_COUNTS_BUCKETS; bucket++)
            buckets[MIN(bucket, FC_HISTOGRAM_BUCKETS - 1)] +=
                fc_histogram_get(&from->histogram, bucket);
        function.histogram = fc_histogram_of(buckets, FC_HISTOGRAM_BUCKETS);
        g_array_append_val(build->profile->functions, function);
    }
}

static void add_latencies(GArray *into, guint32 arc, const FcLatencies *from)
{
    for (guint i = 0; i < from->count; i++)
    {
        const FcProfileLatency latency = {.arc = arc,
                                          .bucket = from->first + i,
                                          .calls = fc_latency_calls(from, from->first + i)};
        if (latency.calls > 0)
            g_array_append_val(into, latency);
    }
}

static void add_arcs(FcOutputBuild *build, const FcCounts *counts)
{
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *from = &counts->arcs[i];
        FcProfileArc arc = {
            .caller = from->caller != 0 ? (gint)from->caller - 1 : FC_NONE,
            .callee = from->callee,
            .site = fc_output_place_of(build, from->site, from->site_module),
            .calls = from->calls,
            .times = times_ns(
                build,
                (FcProfileTimes){.total_ns = from->total,
                                 .total_cost_ns = fc_counts_cost(counts->arc_costs, i).total,
                                 .total_wait_ns = fc_counts_wait(counts->arc_waits, i).total}),
            .apportioned = fc_counts_is_marked(counts->apportioned_arcs, i)};
        g_array_append_val(build->profile->arcs, arc);
        if (counts->arc_latencies)
            add_latencies(build->profile->latencies, i, &counts->arc_latencies[i]);
    }
    if (counts->latency_room.omitted > 0)
        fc_profile_note(build->profile->repairs, "latencies-left-out",
                        counts->latency_room.omitted);
}

/* Functions of the profile have the numbers of the counts. */
static void add_wait_sites(FcOutputBuild *build, const FcCounts *counts)
{
    g_autoptr(GArray) sites = fc_wait_sites_list(counts->wait_sites);
    for (guint i = 0; i < sites->len; i++)
    {
        const FcCountsWaitSite *from = &g_array_index(sites, FcCountsWaitSite, i);
        FcProfileWaitSite site = {.function = from->function,
                                  .site = fc_output_place_of(build, from->address, from->module)};
        memcpy(site.kind_ns, from->kind_ns, sizeof site.kind_ns);
        g_array_append_val(build->profile->wait_sites, site);
    }
}

/* Adds all contexts but the root: node i + 1 becomes context i. */
static void add_contexts(FcOutputBuild *build, const FcCounts *counts)
{
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *from = &counts->nodes[i];
        const FcCountsCost cost = fc_counts_cost(counts->node_costs, i);
        const FcCountsCost wait = fc_counts_wait(counts->node_waits, i);
        FcProfileContext context = {
            .parent = (gint)from->parent - 1,
            .function = from->function,
            .site = fc_output_place_of(build, from->site, from->site_module),
            .calls = from->calls,
            .times = times_ns(build, (FcProfileTimes){from->total, from->local, cost.total,
                                                      cost.local, wait.total, wait.local}),
            .apportioned = fc_counts_is_marked(counts->apportioned_nodes, i)};
        g_array_append_val(build->profile->contexts, context);
    }
}

static void add_record(const FcOutputBuild *build, const FcTraceRecord *from, GArray *trace)
{
    const FcProfileTraceRecord record = {
        .kind = (FcTraceKind)from->kind,
        .function = from->function,
        .stack = from->stack,
        .depth = from->depth,
        .time_ns = fc_output_since_start(build, from->time),
        .begun_ns = from->begun == FC_TRACE_UNKNOWN ? FC_TRACE_UNKNOWN
                                                    : fc_output_since_start(build, from->begun)};
    g_array_append_val(trace, record);
}

static void add_trace(const FcOutputBuild *build, const FcTrace *from, FcProfileThread *thread)
{
    thread->trace = g_array_new(FALSE, TRUE, sizeof(FcProfileTraceRecord));
    thread->trace_all = from->all;
    for (guint i = 0; i < from->room; i++)
        add_record(build, &from->records[i], thread->trace);
    for (guint i = 0; from->open && i < from->open->len; i++)
        add_record(build, &g_array_index(from->open, FcTraceRecord, i), thread->trace);
}

/* Sums are rounded, not buckets, so that these add up to the thread's times. */
static void add_lanes(const FcOutputBuild *build, const FcLanes *from, FcProfileThread *thread)
{
    FcLaneTimes sum = {0};
    FcProfileLane before = {0};
    thread->lane_start_ns = fc_output_since_start(build, from->start);
    thread->lane_ns = MAX(fc_output_to_ns(build, from->width), 1);
    thread->lanes = g_array_new(FALSE, TRUE, sizeof(FcProfileLane));
    for (guint i = 0; i < from->room; i++)
    {
        sum.off += from->times[i].off;
        sum.preempted += from->times[i].preempted;
        FcProfileLane lane = {.bucket = i,
                              .wait_ns = fc_output_to_ns(build, sum.off) - before.wait_ns};
        lane.preempted_ns =
            MIN(fc_output_to_ns(build, sum.preempted) - before.preempted_ns, lane.wait_ns);
        before.wait_ns += lane.wait_ns;
        before.preempted_ns += lane.preempted_ns;
        if (lane.wait_ns > 0)
            g_array_append_val(thread->lanes, lane);
    }
}

static void add_slowest(FcOutputBuild *build, const FcCounts *counts)
{
    for (guint32 i = 0; counts->slowest && i < counts->function_count; i++)
        for (guint32 j = 0; j < counts->slowest[i].count; j++)
        {
            const FcSlowCall *from = &counts->slowest[i].calls[j];
            const FcProfileSlowCall call = {.function = i,
                                            .context = (gint)from->node - 1,
                                            .tid = from->tid,
                                            .realtime_ns =
                                                (guint64)build->process->hello.start_realtime_ns +
                                                fc_output_since_start(build, from->begun),
                                            .total_ns = fc_output_to_ns(build, from->total)};
            g_array_append_val(build->profile->slowest, call);
        }
}

/* Takes the result's functions and arcs. */
static void add_result(FcOutputBuild *build, FcThreadResult *result)
{
    FcProfileThread thread = {.tid = result->tid,
                              .name = g_strdup(result->name),
                              .start_ns = fc_output_since_start(build, result->start_time),
                              .end_ns = fc_output_since_start(build, result->end_time),
                              .run_ns =
                                  fc_output_to_ns(build, result->end_time - result->start_time),
                              .calls = result->calls,
                              .ended = result->ended,
                              .waits = result->off.seen,
                              .wait_ns = fc_output_to_ns(build, result->off.off),
                              .preempted_ns = fc_output_to_ns(build, result->off.preempted),
                              .manager_ns = fc_output_to_ns(build, result->off.paused),
                              .functions = g_steal_pointer(&result->functions),
                              .arcs = g_steal_pointer(&result->arcs)};
    thread.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    for (guint i = 0; i < thread.functions->len; i++)
    {
        FcProfileThreadFunction *function =
            &g_array_index(thread.functions, FcProfileThreadFunction, i);
        function->times = times_ns(build, function->times);
        function->off = off_ns(build, function->off);
    }
    for (guint i = 0; thread.arcs && i < thread.arcs->len; i++)
    {
        FcProfileThreadArc *arc = &g_array_index(thread.arcs, FcProfileThreadArc, i);
        arc->times = times_ns(build, arc->times);
    }
    for (guint i = 0; i < result->stack->len; i++)
    {
        FcProfileFrame frame = g_array_index(result->stack, FcProfileFrame, i);
        frame.site = fc_output_place_of(build, frame.site.address, frame.site.module);
        g_array_append_val(thread.stack, frame);
    }
    if (result->trace)
        add_trace(build, result->trace, &thread);
    if (result->lanes)
        add_lanes(build, result->lanes, &thread);
    g_array_append_val(build->profile->threads, thread);
}

/* ---- The whole ------------------------------------------------------------------------ */

static void add_overhead(FcOutputBuild *build, const struct FcOverhead *overhead)
{
    const guint32 parts[FC_PROFILE_COSTS] = {overhead->recorded, overhead->inside,
                                             overhead->counted, overhead->after_inlining};
    for (guint i = 0; i < FC_PROFILE_COSTS; i++)
        build->profile->costs_ps[i] =
            (guint64)(parts[i] / 256.0 * build->clock->ns_per_tick * 1000);
}

/* Begins a profile.  Frees parts of `counts` early if they are large. */
static FcOutputBuild begin(const FcProcess *process, FcCounts *counts, const char *unique_id)
{
    FcProfile *profile = fc_profile_new();
    FcOutputBuild build = {process, &process->setup->clock, profile, process->hello.start_time};
    profile->unique_id = g_strdup(unique_id);
    profile->time_mode = build.clock->mode;
    profile->profile_mode = process->setup->profile_mode;
    profile->pid = process->hello.pid;
    profile->ppid = process->hello.ppid;
    profile->ticks_per_second = 1e9 / build.clock->ns_per_tick;
    add_overhead(&build, &process->overhead);
    profile->samples = counts->samples;
    profile->executed = counts->executed;
    profile->executed_by_timer = counts->executed_by_timer;
    profile->unsampled_ns = (guint64)MAX(counts->unsampled_ns, 0);
    profile->start_realtime_ns = process->hello.start_realtime_ns;
    profile->end_realtime_ns = process->end_realtime_ns;
    profile->executable = g_strdup(process->executable);
    profile->directory = g_strdup(process->directory);
    profile->filter = g_strdup(process->setup->filter);
    profile->depth = process->setup->depth;
    if (process->setup->job)
        fc_profile_copy_job(&profile->job, process->setup->job);
    profile->command_line = g_strdupv(process->command_line);
    profile->end = process->end;
    profile->end_value = process->end_value;
    add_modules(&build);
    add_functions(&build, counts);
    fc_counts_drop_functions(counts);
    add_arcs(&build, counts);
    add_contexts(&build, counts);
    add_wait_sites(&build, counts);
    add_slowest(&build, counts);
    fc_profile_add_notes(profile->repairs, process->repairs);
    fc_profile_add_notes(profile->losses, process->losses);
    return build;
}

/* How busy the machine was, after the threads were added.  A process that is gone has no CPU time
 * any more, but its threads' is known. */
static void add_machine(const FcOutputBuild *build)
{
    const FcMachine *before = &build->process->machine_before;
    const FcMachine *after = &build->process->machine_after;
    FcProfileMachine *machine = &build->profile->machine;
    if (before->processors == 0 || after->processors == 0)
        return;
    *machine = (FcProfileMachine){.processors = after->processors,
                                  .booted_s = after->booted_s,
                                  .used_before_ns = before->used_ns,
                                  .used_after_ns = after->used_ns};
    for (guint i = 0; i < build->profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(build->profile->threads, FcProfileThread, i);
        machine->own_ns += thread->run_ns - MIN(thread->wait_ns, thread->run_ns);
    }
    if (after->own_ns > before->own_ns)
        machine->own_ns = MAX(machine->own_ns, after->own_ns - before->own_ns);
}

FcProfile *fc_output_process(FcProcess *process, const char *unique_id)
{
    FcOutputBuild build = begin(process, process->counts, unique_id);
    build.profile->run_ns =
        fc_output_to_ns(&build, process->end_time - MIN(process->run_from, process->end_time));
    fc_output_add_heap(&build);
    fc_output_add_mpi(&build);
    for (guint i = 0; i < process->results->len; i++)
        add_result(&build, &g_array_index(process->results, FcThreadResult, i));
    add_machine(&build);
    fc_profile_drop_modules(build.profile);
    return build.profile;
}

static void intern_point(const FcProcess *process, FcCounts *into, const FcHeapPoint *point,
                         guint32 *nodes, GArray *cache)
{
    if (point->call != 0)
        nodes[point->context] = fc_counts_intern_node(into, process->counts, point->context, cache);
}

/* Creates the contexts of the process's heap in `into`, without calls.  Returns the map from nodes
 * of the process's counts to nodes of `into`; the caller frees it. */
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
    g_free(fc_counts_merge(copy, counts)); /* same functions, same order: no map needed */
    return copy;
}

FcProfile *fc_output_thread(const FcProcess *process, const FcThreadResult *result,
                            const FcCounts *counts, gboolean with_heap, const char *unique_id)
{
    FcCounts *own = fc_output_keep(process, counts);
    g_autofree guint32 *nodes = with_heap ? intern_heap(process, own) : NULL;
    FcOutputBuild build = begin(process, own, unique_id);
    build.heap_nodes = nodes;
    if (with_heap)
        fc_output_add_heap(&build);
    if (result->number == 1)
        fc_output_add_mpi(&build);
    build.profile->thread_id = result->tid;
    if (build.profile->thread_id != 0)
        build.profile->pid = result->tid; /* in this mode identifiers are those of threads */
    build.profile->run_ns = fc_clock_to_ns(build.clock, result->end_time - result->start_time);

    FcThreadResult renumbered = *result;
    renumbered.functions = fc_profile_new_thread_functions();
    renumbered.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    add_result(&build, &renumbered);
    g_array_unref(renumbered.stack);
    fc_counts_free(own);
    fc_profile_drop_modules(build.profile);
    return build.profile;
}
