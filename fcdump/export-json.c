/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Everything a profile holds, as JSON.  The manual specifies the schema; a change that could upset
 * its readers raises FORMAT_VERSION.  The selection of functions has no effect.
 */
#include "fcdump/export-json.h"

#include "model/contention.h"
#include "model/latency.h"
#include "model/slowest.h"

#define FORMAT_NAME "functioncheck-json"
#define FORMAT_VERSION 1

typedef struct
{
    const FcReportContext *context;
    const FcModel *model;
    FcJson *json;
    FcLatencyTable *latencies;
    const FcSlowestTable *slowest;
} Export;

/* ---- Places -------------------------------------------------------------------- */

void fc_export_json_place(const FcReportContext *context, FcJson *json,
                          const FcProfileLocation *place)
{
    fc_json_address(json, "address", place->address);
    fc_json_index(json, "module", place->module);
    fc_json_address(json, "offset", place->offset);
}

void fc_export_json_source(FcJson *json, const FcSymbol *symbol)
{
    fc_json_string(json, "file", symbol->file);
    if (symbol->line != 0)
        fc_json_unsigned(json, "line", symbol->line);
    else
        fc_json_null(json, "line");
}

void fc_export_json_site(const FcReportContext *context, FcJson *json, const char *key,
                         const FcProfileLocation *place)
{
    const FcModel *model = context->model;
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, place, TRUE, &symbol);
    fc_json_begin_object(json, key);
    fc_export_json_place(context, json, place);
    fc_json_string(json, "name", symbol.name);
    fc_export_json_source(json, &symbol);
    fc_json_end_object(json);
}

void fc_export_json_buckets(FcJson *json, const char *key, const guint64 *buckets, guint number,
                            const char *unit, const char *count)
{
    g_autofree char *from = g_strdup_printf("from_%s", unit);
    g_autofree char *below = g_strdup_printf("below_%s", unit);
    fc_json_begin_array(json, key);
    for (guint i = 0; i < number; i++)
    {
        if (buckets[i] == 0)
            continue;
        fc_json_begin_object(json, NULL);
        fc_json_unsigned(json, from, i == 0 ? 0 : G_GUINT64_CONSTANT(1) << (i - 1));
        if (i + 1 < number)
            fc_json_unsigned(json, below, G_GUINT64_CONSTANT(1) << i);
        else
            fc_json_null(json, below);
        fc_json_unsigned(json, count, buckets[i]);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_place(const Export *export, const FcProfileLocation *place)
{
    fc_export_json_place(export->context, export->json, place);
}

static void put_site(const Export *export, const FcProfileLocation *place)
{
    fc_export_json_site(export->context, export->json, "site", place);
}

static void put_function_index(const Export *export, const char *key, guint profile_function)
{
    fc_json_unsigned(export->json, key, export->model->function_of[profile_function]);
}

/* ---- Processes ------------------------------------------------------------------ */

static void put_end(const Export *export, const FcProfile *header)
{
    static const char *const kinds[] = {[FC_END_UNKNOWN] = "unknown",
                                        [FC_END_EXIT] = "exit",
                                        [FC_END_SIGNAL] = "signal",
                                        [FC_END_EXEC] = "exec",
                                        [FC_END_RUNNING] = "running"};
    fc_json_begin_object(export->json, "end");
    fc_json_string(export->json, "kind", kinds[header->end]);
    fc_json_signed(export->json, "value", header->end_value);
    fc_json_end_object(export->json);
}

/* Of a call, as measured when the process started. */
static void put_costs(FcJson *json, const FcProfile *header)
{
    fc_json_unsigned(json, "samples", header->samples);
    fc_json_unsigned(json, "executed", header->executed);
    fc_json_unsigned(json, "executed_by_timer", header->executed_by_timer);
    fc_json_unsigned(json, "unsampled_ns", header->unsampled_ns);
    fc_json_begin_object(json, "costs");
    fc_json_unsigned(json, "recorded_ps", header->costs_ps[0]);
    fc_json_unsigned(json, "inside_ps", header->costs_ps[1]);
    fc_json_unsigned(json, "counted_ps", header->costs_ps[2]);
    fc_json_unsigned(json, "counted_after_inlining_ps", header->costs_ps[3]);
    fc_json_end_object(json);
}

void fc_export_json_job(FcJson *json, const FcProfileJob *job)
{
    if (job->rank == FC_NONE)
    {
        fc_json_null(json, "job");
        return;
    }
    fc_json_begin_object(json, "job");
    fc_json_signed(json, "rank", job->rank);
    if (job->local_rank != FC_NONE)
        fc_json_signed(json, "local_rank", job->local_rank);
    else
        fc_json_null(json, "local_rank");
    if (job->size > 0)
        fc_json_unsigned(json, "size", job->size);
    else
        fc_json_null(json, "size");
    fc_json_string(json, "name", job->name);
    fc_json_string(json, "launcher", job->launcher);
    fc_json_string(json, "host", job->host);
    fc_json_string(json, "cpus", job->cpus);
    fc_json_end_object(json);
}

static void put_machine(FcJson *json, const FcProfileMachine *machine)
{
    if (machine->processors == 0)
    {
        fc_json_null(json, "machine");
        return;
    }
    const guint64 before_ns = MIN(machine->used_before_ns, machine->used_after_ns);
    fc_json_begin_object(json, "machine");
    fc_json_unsigned(json, "processors", machine->processors);
    fc_json_unsigned(json, "used_ns", machine->used_after_ns - before_ns);
    fc_json_unsigned(json, "own_ns", machine->own_ns);
    fc_json_end_object(json);
}

static void put_input(const Export *export, const FcInput *input)
{
    static const char *const time_modes[] = {NULL, "tsc", "ext", "cpu", "sys"};
    static const char *const profile_modes[] = {NULL, "SINGLE", "FORK", "THREAD"};
    FcJson *json = export->json;
    const FcProfile *header = input->header;
    guint time_mode = (guint)header->time_mode;
    guint profile_mode = (guint)header->profile_mode;
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "file", input->path);
    fc_json_boolean(json, "extended", header->extended);
    fc_json_string(json, "unique_id", header->unique_id);
    fc_json_string(json, "time_mode",
                   time_modes[time_mode < G_N_ELEMENTS(time_modes) ? time_mode : 0]);
    fc_json_string(json, "profile_mode",
                   profile_modes[profile_mode < G_N_ELEMENTS(profile_modes) ? profile_mode : 0]);
    fc_json_signed(json, "pid", header->pid);
    fc_json_signed(json, "ppid", header->ppid);
    fc_json_signed(json, "thread_id", header->thread_id);
    fc_json_unsigned(json, "threads", input->threads);
    fc_json_unsigned(json, "run_ns", header->run_ns);
    fc_json_double(json, "ticks_per_second", header->ticks_per_second);
    put_costs(json, header);
    fc_json_signed(json, "start_realtime_ns", header->start_realtime_ns);
    fc_json_signed(json, "end_realtime_ns", header->end_realtime_ns);
    put_machine(json, &header->machine);
    fc_json_string(json, "executable", header->executable);
    fc_json_string(json, "directory", header->directory);
    fc_json_string(json, "filter", header->filter);
    fc_json_unsigned(json, "depth", header->depth);
    fc_json_begin_array(json, "command_line");
    for (guint i = 0; header->command_line && header->command_line[i]; i++)
        fc_json_string(json, NULL, header->command_line[i]);
    fc_json_end_array(json);
    fc_export_json_job(json, &header->job);
    fc_json_unsigned(json, "processes", fc_profile_processes(header));
    fc_json_unsigned(json, "failed", fc_profile_failed(header));
    put_end(export, header);
    fc_json_end_object(json);
}

static void put_modules(const Export *export)
{
    FcJson *json = export->json;
    const GArray *modules = export->model->profile->modules;
    fc_json_begin_array(json, "modules");
    for (guint i = 0; i < modules->len; i++)
    {
        const FcProfileModule *module = &g_array_index(modules, FcProfileModule, i);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "path", module->path);
        fc_json_string(json, "build_id", module->build_id);
        fc_json_address(json, "base", module->base);
        fc_json_address(json, "start", module->start);
        fc_json_address(json, "end", module->end);
        fc_json_unsigned(json, "load_ns", module->load_ns);
        if (module->unload_ns != G_MAXUINT64)
            fc_json_unsigned(json, "unload_ns", module->unload_ns);
        else
            fc_json_null(json, "unload_ns");
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* The time as it was measured, with instrumentation overhead. */
void fc_export_json_raw(FcJson *json, const char *key, guint64 ns, guint64 cost_ns)
{
    fc_json_unsigned(json, key, ns <= G_MAXUINT64 - cost_ns ? ns + cost_ns : G_MAXUINT64);
}

static void put_cpu(FcJson *json, const char *key, FcTimePart part, guint64 ns, guint64 wait_ns)
{
    if (part == FC_TIME_PART_WAIT)
        fc_json_null(json, key);
    else
        fc_json_unsigned(json, key, part == FC_TIME_PART_CPU ? ns : ns - MIN(wait_ns, ns));
}

void fc_export_json_cpu(const FcReportContext *context, FcJson *json, const FcProfileTimes *times,
                        gboolean has_local)
{
    const FcTimePart part = context->model->time;
    put_cpu(json, "cpu_total_ns", part, times->total_ns, times->total_wait_ns);
    if (has_local)
        put_cpu(json, "cpu_local_ns", part, times->local_ns, times->local_wait_ns);
}

static const char *const wait_keys[] = {
    [FC_WAIT_LOCK] = "lock_ns",    [FC_WAIT_SIGN] = "threads_ns", [FC_WAIT_INPUT] = "input_ns",
    [FC_WAIT_SLEEP] = "sleep_ns",  [FC_WAIT_DISK] = "disk_ns",    [FC_WAIT_OTHER] = "other_ns",
    [FC_WAIT_KINDS] = "unknown_ns"};

void fc_export_json_off(FcJson *json, const FcProfileTimes *times, const FcProfileOff *off)
{
    const FcContentionParts parts = fc_contention_parts(times, off);
    fc_json_unsigned(json, "preempted_ns", parts.preempted_ns);
    fc_json_begin_object(json, "waits");
    for (guint kind = 0; kind <= FC_WAIT_KINDS; kind++)
        fc_json_unsigned(json, wait_keys[kind], parts.kind_ns[kind]);
    fc_json_end_object(json);
}

/* Percentiles; null where no call was timed, or the profile is too old for them. */
static void put_latency(FcJson *json, const FcPercentileSet *set)
{
    static const char *const keys[FC_PERCENTILES] = {"p50_ns", "p90_ns", "p99_ns", "p999_ns"};
    if (set->calls == 0)
    {
        fc_json_null(json, "latency");
        return;
    }
    fc_json_begin_object(json, "latency");
    fc_json_unsigned(json, "calls", set->calls);
    for (FcPercentile i = 0; i < FC_PERCENTILES; i++)
        fc_json_unsigned(json, keys[i], set->ns[i]);
    fc_json_end_object(json);
}

/* ---- Functions -------------------------------------------------------------------- */

static void put_slowest(const Export *export, guint index)
{
    FcJson *json = export->json;
    const gint first = (gint)fc_json_first_context(export->model->profile);
    fc_json_begin_array(json, "slowest");
    for (guint i = export->slowest->first[index]; i < export->slowest->first[index + 1]; i++)
    {
        const FcProfileSlowCall *call =
            g_array_index(export->slowest->calls, const FcProfileSlowCall *, i);
        fc_json_begin_object(json, NULL);
        fc_json_unsigned(json, "total_ns", call->total_ns);
        fc_json_unsigned(json, "realtime_ns", call->realtime_ns);
        fc_json_signed(json, "tid", call->tid);
        fc_json_index(json, "context",
                      call->context == FC_NONE || export->model->of_threads
                          ? FC_NONE
                          : call->context + first);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* The calls in which the function waits. */
static void put_wait_sites(const Export *export, guint index)
{
    FcJson *json = export->json;
    const GArray *sites = export->model->profile->wait_sites;
    fc_json_begin_array(json, "wait_sites");
    for (guint i = 0; i < sites->len; i++)
    {
        const FcProfileWaitSite *site = &g_array_index(sites, FcProfileWaitSite, i);
        if (export->model->function_of[site->function] != index)
            continue;
        fc_json_begin_object(json, NULL);
        put_site(export, &site->site);
        FcSymbol own = {.line = 0};
        own.file = fc_contention_site_line(export->model, site, &own.line);
        fc_json_begin_object(json, "own");
        fc_export_json_source(json, &own);
        fc_json_end_object(json);
        for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
            fc_json_unsigned(json, wait_keys[kind],
                             fc_contention_site_ns(export->model, site, (FcWaitKind)kind));
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_function(const Export *export, guint index, const GArray *entries)
{
    FcJson *json = export->json;
    const FcModel *model = export->model;
    const FcFunction *function = fc_model_function(model, index);
    const FcProfileFunction *figures = &function->figures;
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &figures->location, FALSE, &symbol);
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "name", symbol.name);
    fc_json_string(json, "short_name", function->label);
    fc_json_string(json, "linkage_name", symbol.raw_name);
    fc_export_json_source(json, &symbol);
    fc_json_unsigned(json, "calls", figures->calls);
    fc_json_boolean(json, "uncounted", figures->uncounted);
    fc_export_json_cpu(export->context, json, &figures->times, TRUE);
    fc_json_unsigned(json, "total_ns", figures->times.total_ns);
    fc_json_unsigned(json, "local_ns", figures->times.local_ns);
    fc_export_json_raw(json, "raw_total_ns", figures->times.total_ns, figures->times.total_cost_ns);
    fc_export_json_raw(json, "raw_local_ns", figures->times.local_ns, figures->times.local_cost_ns);
    fc_json_unsigned(json, "total_wait_ns", figures->times.total_wait_ns);
    fc_json_unsigned(json, "local_wait_ns", figures->times.local_wait_ns);
    fc_export_json_off(json, &figures->times, figures->off);
    put_wait_sites(export, index);
    fc_json_unsigned(json, "total_min_ns", figures->bounds.total_min_ns);
    fc_json_unsigned(json, "total_max_ns", figures->bounds.total_max_ns);
    fc_json_unsigned(json, "local_min_ns", figures->bounds.local_min_ns);
    fc_json_unsigned(json, "local_max_ns", figures->bounds.local_max_ns);
    const FcProfileBounds cpu = fc_profile_cpu_bounds(figures);
    fc_json_unsigned(json, "cpu_total_min_ns", cpu.total_min_ns);
    fc_json_unsigned(json, "cpu_total_max_ns", cpu.total_max_ns);
    fc_json_unsigned(json, "cpu_local_min_ns", cpu.local_min_ns);
    fc_json_unsigned(json, "cpu_local_max_ns", cpu.local_max_ns);
    fc_json_unsigned(json, "counted", figures->counted);
    fc_json_unsigned(json, "timed", figures->timed);
    fc_json_unsigned(json, "total_error_ns", figures->total_error_ns);
    fc_json_unsigned(json, "local_error_ns", figures->local_error_ns);
    guint64 buckets[FC_HISTOGRAM_BUCKETS];
    fc_histogram_read(&figures->histogram, buckets, FC_HISTOGRAM_BUCKETS);
    fc_export_json_buckets(json, "histogram", buckets, FC_HISTOGRAM_BUCKETS, "ns", "calls");
    const FcPercentileSet latency = fc_latency_of_function(export->latencies, index);
    put_latency(json, &latency);
    put_slowest(export, index);
    fc_json_begin_array(json, "entries");
    for (guint i = 0; i < entries->len; i++)
    {
        fc_json_begin_object(json, NULL);
        put_place(export, &g_array_index(model->profile->functions, FcProfileFunction,
                                         g_array_index(entries, guint, i))
                               .location);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
    const guint first = model->first_copy ? model->first_copy[index] : index;
    fc_json_index(json, "copy_of", first == index ? FC_NONE : (gint)first);
    fc_json_end_object(json);
}

static void put_functions(const Export *export)
{
    const FcModel *model = export->model;
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < model->functions->len; i++)
        g_ptr_array_add(entries, g_array_new(FALSE, FALSE, sizeof(guint)));
    for (guint i = 0; i < model->profile->functions->len; i++)
    {
        GArray *list = entries->pdata[model->function_of[i]];
        g_array_append_val(list, i);
    }
    fc_json_begin_array(export->json, "functions");
    for (guint i = 0; i < model->functions->len; i++)
        put_function(export, i, entries->pdata[i]);
    fc_json_end_array(export->json);
}

/* ---- Arcs, contexts, cycles --------------------------------------------------------- */

static void put_arc_times(const Export *export, const FcCallSite *site, const FcProfileArc *arc)
{
    FcJson *json = export->json;
    const FcProfileTimes times = {.total_ns = site->total_ns,
                                  .total_wait_ns = arc->times.total_wait_ns};
    if (site->total_ns == 0 && !export->model->profile->extended)
    {
        fc_json_null(json, "cpu_total_ns"); /* version 3.0 does not time arcs */
        fc_json_null(json, "total_ns");
        return;
    }
    fc_export_json_cpu(export->context, json, &times, FALSE);
    fc_json_unsigned(json, "total_ns", site->total_ns);
}

static void put_arcs(const Export *export)
{
    FcJson *json = export->json;
    const FcModel *model = export->model;
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(model->graph, &count);
    fc_json_begin_array(json, "arcs");
    for (guint i = 0; i < count; i++)
    {
        for (guint s = 0; s < arcs[i].site_count; s++)
        {
            const FcCallSite *site = &arcs[i].sites[s];
            fc_json_begin_object(json, NULL);
            fc_json_index(json, "caller", site->caller);
            fc_json_unsigned(json, "callee", site->callee);
            fc_json_string(json, "via", model->via->pdata[site->via]);
            fc_json_boolean(json, "inlined", model->inlined[site->tag]);
            fc_json_unsigned(json, "calls", site->calls);
            const FcProfileArc *arc = &g_array_index(model->profile->arcs, FcProfileArc, site->tag);
            fc_json_boolean(json, "apportioned", arc->apportioned);
            fc_export_json_raw(json, "raw_total_ns", site->total_ns, arc->times.total_cost_ns);
            fc_json_unsigned(json, "total_wait_ns", arc->times.total_wait_ns);
            put_arc_times(export, site, arc);
            const FcPercentileSet latency = fc_latency_of_site(export->latencies, site);
            put_latency(json, &latency);
            put_site(export, &arc->site);
            fc_json_end_object(json);
        }
    }
    fc_json_end_array(json);
}

static void put_cycles(const Export *export)
{
    FcJson *json = export->json;
    const FcCallgraph *graph = export->model->graph;
    fc_json_begin_array(json, "cycles");
    for (guint cycle = 1; cycle <= fc_callgraph_cycle_count(graph); cycle++)
    {
        guint count;
        const guint *members = fc_callgraph_cycle_members(graph, cycle, &count);
        fc_json_begin_array(json, NULL);
        for (guint i = 0; i < count; i++)
            fc_json_unsigned(json, NULL, members[i]);
        fc_json_end_array(json);
    }
    fc_json_end_array(json);
}

guint fc_json_first_context(const FcProfile *profile)
{
    for (guint i = 0; i < profile->contexts->len; i++)
        if (fc_profile_is_folded(&g_array_index(profile->contexts, FcProfileContext, i)))
            return 1;
    return 0;
}

static const FcProfileLocation nowhere = {.module = FC_NONE};

/* Writes the parent of folded contexts, which is no context itself. */
static void put_folded_root(const Export *export)
{
    FcJson *json = export->json;
    fc_json_begin_object(json, NULL);
    fc_json_null(json, "parent");
    fc_json_null(json, "function");
    fc_json_boolean(json, "folded", TRUE);
    fc_json_unsigned(json, "calls", 0);
    fc_json_boolean(json, "apportioned", FALSE);
    fc_json_unsigned(json, "cpu_total_ns", 0);
    fc_json_unsigned(json, "cpu_local_ns", 0);
    fc_json_unsigned(json, "total_ns", 0);
    fc_json_unsigned(json, "local_ns", 0);
    fc_json_unsigned(json, "total_wait_ns", 0);
    fc_json_unsigned(json, "local_wait_ns", 0);
    put_site(export, &nowhere);
    fc_json_end_object(json);
}

static void put_contexts(const Export *export)
{
    FcJson *json = export->json;
    const GArray *contexts = export->model->profile->contexts;
    const gint first = (gint)fc_json_first_context(export->model->profile);
    if (export->model->of_threads)
    {
        fc_json_null(json, "contexts"); /* they are known of all together */
        return;
    }
    fc_json_begin_array(json, "contexts");
    if (first > 0)
        put_folded_root(export);
    for (guint i = 0; i < contexts->len; i++)
    {
        const FcProfileContext *context = &g_array_index(contexts, FcProfileContext, i);
        fc_json_begin_object(json, NULL);
        fc_json_index(json, "parent",
                      context->parent != FC_NONE      ? context->parent + first
                      : fc_profile_is_folded(context) ? 0
                                                      : FC_NONE);
        put_function_index(export, "function", context->function);
        fc_json_boolean(json, "folded", FALSE);
        fc_json_unsigned(json, "calls", context->calls);
        fc_json_boolean(json, "apportioned", context->apportioned);
        fc_export_json_cpu(export->context, json, &context->times, TRUE);
        fc_json_unsigned(json, "total_ns", context->times.total_ns);
        fc_json_unsigned(json, "local_ns", context->times.local_ns);
        fc_export_json_raw(json, "raw_total_ns", context->times.total_ns,
                           context->times.total_cost_ns);
        fc_export_json_raw(json, "raw_local_ns", context->times.local_ns,
                           context->times.local_cost_ns);
        fc_json_unsigned(json, "total_wait_ns", context->times.total_wait_ns);
        fc_json_unsigned(json, "local_wait_ns", context->times.local_wait_ns);
        put_site(export, fc_profile_is_folded(context) ? &nowhere : &context->site);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

/* ---- Threads, notes, memory ----------------------------------------------------------- */

static void put_notes(const Export *export, const char *key, const GArray *notes)
{
    FcJson *json = export->json;
    fc_json_begin_array(json, key);
    for (guint i = 0; i < notes->len; i++)
    {
        const FcProfileNote *note = &g_array_index(notes, FcProfileNote, i);
        fc_json_begin_object(json, NULL);
        fc_json_string(json, "kind", note->kind);
        fc_json_unsigned(json, "count", note->count);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void put_blocks(const Export *export, const char *key, const GArray *blocks, gboolean leaks)
{
    FcJson *json = export->json;
    fc_json_begin_array(json, key);
    for (guint i = 0; i < blocks->len; i++)
    {
        const FcProfileBlock *block = &g_array_index(blocks, FcProfileBlock, i);
        fc_json_begin_object(json, NULL);
        fc_json_address(json, "pointer", block->pointer);
        fc_json_address(json, "site", block->site);
        if (leaks)
        {
            fc_json_unsigned(json, "size_bytes", block->size_bytes);
            if (block->realloc_site != 0)
                fc_json_address(json, "realloc_site", block->realloc_site);
            else
                fc_json_null(json, "realloc_site");
        }
        fc_json_begin_array(json, "stack");
        for (guint s = 0; block->stack && s < block->stack->len; s++)
            fc_json_address(json, NULL, g_array_index(block->stack, guint64, s));
        fc_json_end_array(json);
        fc_json_end_object(json);
    }
    fc_json_end_array(json);
}

static void render_json(const FcReportContext *context)
{
    g_autoptr(FcJson) json = fc_json_new(fc_render_file(context->render));
    g_autoptr(FcLatencyTable) latencies = fc_latency_table_new(context->model);
    g_autoptr(FcSlowestTable) slowest = fc_slowest_table_new(context->model);
    const Export export = {.context = context,
                           .model = context->model,
                           .json = json,
                           .latencies = latencies,
                           .slowest = slowest};
    const FcProfile *profile = context->model->profile;
    fc_json_begin_object(json, NULL);
    fc_json_string(json, "format", FORMAT_NAME);
    fc_json_unsigned(json, "version", FORMAT_VERSION);
    fc_json_string(json, "tool_version", FC_VERSION);
    fc_json_unsigned(json, "local_sum_ns", context->model->base_ns);
    fc_json_begin_array(json, "processes");
    for (guint i = 0; i < context->model->inputs->len; i++)
        put_input(&export, context->model->inputs->pdata[i]);
    fc_json_end_array(json);
    put_modules(&export);
    put_functions(&export);
    put_arcs(&export);
    put_cycles(&export);
    put_contexts(&export);
    fc_json_begin_array(json, "threads");
    for (guint i = 0; i < profile->threads->len; i++)
        fc_export_json_thread(context, json, &g_array_index(profile->threads, FcProfileThread, i));
    fc_json_end_array(json);
    put_notes(&export, "repairs", profile->repairs);
    put_notes(&export, "losses", profile->losses);
    fc_json_begin_object(json, "memory");
    put_blocks(&export, "leaks", profile->leaks, TRUE);
    fc_json_unsigned(export.json, "leaks_not_listed", profile->unlisted_leaks.blocks);
    fc_json_unsigned(export.json, "leak_bytes_not_listed", profile->unlisted_leaks.bytes);
    put_blocks(&export, "bad_frees", profile->bad_frees, FALSE);
    put_blocks(&export, "bad_reallocs", profile->bad_reallocs, FALSE);
    fc_json_end_object(json);
    fc_export_json_heap(context, json);
    fc_export_json_mpi(context, json);
    if (context->options->by_rank)
        fc_export_json_ranks(context, json);
    if (context->options->suggests)
        fc_export_json_suggested(context, json);
    fc_json_end_object(json);
}

const FcReport fc_export_json = {"json",           "everything the profile holds, as JSON",
                                 FC_REPORT_EXPORT, render_json,
                                 .of_arcs = TRUE,  .shows_diff = TRUE};
