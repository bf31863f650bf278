/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds the profile model from the tallies: see output.h.
 */
#include "fcmanager/output.h"

typedef struct
{
    const FcProcess *process;
    const FcClock *clock;
    FcProfile *profile;
    guint64 origin; /* ticks: the process's start */
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

static void add_functions(Build *build, const FcTally *tally)
{
    for (guint32 i = 0; i < tally->function_count; i++)
    {
        const FcTallyFunction *from = &tally->functions[i];
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

static void add_arcs(Build *build, const FcTally *tally)
{
    for (guint32 i = 0; i < tally->arc_count; i++)
    {
        const FcTallyArc *from = &tally->arcs[i];
        FcProfileArc arc = {.caller = from->caller != 0 ? (gint)from->caller - 1 : FC_NONE,
                            .callee = from->callee,
                            .site = place_of(build, from->site, from->site_module),
                            .calls = from->calls,
                            .total_ns = to_ns(build, from->total)};
        g_array_append_val(build->profile->arcs, arc);
    }
}

/* The root, node 0, is not written: context i is node i + 1. */
static void add_contexts(Build *build, const FcTally *tally)
{
    for (guint32 i = 1; i < tally->node_count; i++)
    {
        const FcTallyNode *from = &tally->nodes[i];
        FcProfileContext context = {.parent = (gint)from->parent - 1,
                                    .function = from->function,
                                    .site = place_of(build, from->site, from->site_module),
                                    .calls = from->calls,
                                    .total_ns = to_ns(build, from->total),
                                    .local_ns = to_ns(build, from->local)};
        g_array_append_val(build->profile->contexts, context);
    }
}

static void add_row(Build *build, const FcThreadRow *row)
{
    FcProfileThread thread = {.tid = row->tid,
                              .name = g_strdup(row->name),
                              .start_ns = since_start(build, row->start_time),
                              .end_ns = since_start(build, row->end_time),
                              .run_ns = to_ns(build, row->end_time - row->start_time),
                              .calls = row->calls,
                              .ended = row->ended};
    thread.functions = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadFunction));
    thread.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    for (guint i = 0; i < row->functions->len; i++)
    {
        FcProfileThreadFunction entry = g_array_index(row->functions, FcProfileThreadFunction, i);
        entry.total_ns = to_ns(build, entry.total_ns);
        entry.local_ns = to_ns(build, entry.local_ns);
        g_array_append_val(thread.functions, entry);
    }
    for (guint i = 0; i < row->stack->len; i++)
    {
        FcProfileFrame frame = g_array_index(row->stack, FcProfileFrame, i);
        frame.site = place_of(build, frame.site.address, frame.site.module);
        g_array_append_val(thread.stack, frame);
    }
    g_array_append_val(build->profile->threads, thread);
}

/* ---- The whole ------------------------------------------------------------------------ */

static void copy_notes(GArray *into, const GArray *from)
{
    for (guint i = 0; i < from->len; i++)
    {
        const FcProfileNote *note = &g_array_index(from, FcProfileNote, i);
        fc_profile_note(into, note->kind, note->count);
    }
}

static Build begin(const FcProcess *process, const FcTally *tally, const char *unique_id)
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
    add_functions(&build, tally);
    add_arcs(&build, tally);
    add_contexts(&build, tally);
    copy_notes(profile->repairs, process->repairs);
    copy_notes(profile->losses, process->losses);
    return build;
}

FcProfile *fc_output_process(const FcProcess *process, const char *unique_id)
{
    Build build = begin(process, process->tally, unique_id);
    build.profile->run_ns = since_start(&build, process->end_time);
    for (guint i = 0; i < process->rows->len; i++)
        add_row(&build, &g_array_index(process->rows, FcThreadRow, i));
    return build.profile;
}

FcProfile *fc_output_thread(const FcProcess *process, const FcThreadRow *row, const FcTally *tally,
                            const char *unique_id)
{
    FcTallySizes least = {0, 0, 0};
    FcTally *own = fc_tally_new(process->modules, &least);
    own->node_limit = tally->node_limit;
    g_free(fc_tally_merge(own, tally)); /* same functions, same order */
    Build build = begin(process, own, unique_id);
    build.profile->thread_id = row->tid;
    if (build.profile->thread_id != 0)
        build.profile->pid = row->tid; /* in this mode identifiers are those of threads */
    build.profile->run_ns = fc_clock_to_ns(build.clock, row->end_time - row->start_time);

    FcThreadRow renumbered = *row;
    renumbered.functions = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadFunction));
    renumbered.stack = g_array_new(FALSE, TRUE, sizeof(FcProfileFrame));
    add_row(&build, &renumbered);
    g_array_unref(renumbered.functions);
    g_array_unref(renumbered.stack);
    fc_tally_free(own);
    return build.profile;
}
