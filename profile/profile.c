/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes and frees a profile, and finds the module of an address.  Called by the reader, and by
 * fcmanager, which fills a profile from the stream.  Must never do input or output.
 */
#include "profile/table.h"

#include <string.h>

static void module_clear(gpointer data)
{
    FcProfileModule *module = data;
    g_free(module->path);
    g_free(module->build_id);
}

static void thread_clear(gpointer data)
{
    FcProfileThread *thread = data;
    g_free(thread->name);
    for (FcArrayName i = FC_ARRAY_OF_THREAD; i < FC_ARRAY_COUNT; i++)
        if (fc_array_of(thread, i))
            g_array_unref(fc_array_of(thread, i));
}

static void note_clear(gpointer data)
{
    FcProfileNote *note = data;
    g_free(note->kind);
}

static void function_clear(gpointer data)
{
    FcProfileFunction *function = data;
    fc_histogram_clear(&function->histogram);
    g_free(function->off);
}

static void thread_function_clear(gpointer data)
{
    FcProfileThreadFunction *function = data;
    g_free(function->off);
}

static void block_clear(gpointer data)
{
    FcProfileBlock *block = data;
    if (block->stack)
        g_array_unref(block->stack);
}

#define OF_PROFILE(record, member) G_STRUCT_OFFSET(FcProfile, member), sizeof(record)
#define OF_THREAD(record, member) G_STRUCT_OFFSET(FcProfileThread, member), sizeof(record)
#define TIMES(record) G_STRUCT_OFFSET(record, times)

const FcArray fc_arrays[FC_ARRAY_COUNT] = {
    [FC_ARRAY_MODULES] = {OF_PROFILE(FcProfileModule, modules), .clear = module_clear},
    [FC_ARRAY_FUNCTIONS] = {OF_PROFILE(FcProfileFunction, functions), "the function",
                            TIMES(FcProfileFunction), function_clear},
    [FC_ARRAY_ARCS] = {OF_PROFILE(FcProfileArc, arcs), "the arc", TIMES(FcProfileArc)},
    [FC_ARRAY_CONTEXTS] = {OF_PROFILE(FcProfileContext, contexts), "the context",
                           TIMES(FcProfileContext)},
    [FC_ARRAY_LATENCIES] = {OF_PROFILE(FcProfileLatency, latencies)},
    [FC_ARRAY_SLOWEST] = {OF_PROFILE(FcProfileSlowCall, slowest)},
    [FC_ARRAY_RANK_FUNCTIONS] = {OF_PROFILE(FcProfileRanks, rank_functions)},
    [FC_ARRAY_RANK_CONTEXTS] = {OF_PROFILE(FcProfileRanks, rank_contexts)},
    [FC_ARRAY_PARTNERS] = {OF_PROFILE(FcProfilePartner, partners)},
    [FC_ARRAY_COLLECTIVES] = {OF_PROFILE(FcProfileCollective, collectives)},
    [FC_ARRAY_WAIT_SITES] = {OF_PROFILE(FcProfileWaitSite, wait_sites)},
    [FC_ARRAY_THREADS] = {OF_PROFILE(FcProfileThread, threads), "the thread",
                          .clear = thread_clear},
    [FC_ARRAY_REPAIRS] = {OF_PROFILE(FcProfileNote, repairs), .clear = note_clear},
    [FC_ARRAY_LOSSES] = {OF_PROFILE(FcProfileNote, losses), .clear = note_clear},
    [FC_ARRAY_LEAKS] = {OF_PROFILE(FcProfileBlock, leaks), .clear = block_clear},
    [FC_ARRAY_BAD_FREES] = {OF_PROFILE(FcProfileBlock, bad_frees), .clear = block_clear},
    [FC_ARRAY_BAD_REALLOCS] = {OF_PROFILE(FcProfileBlock, bad_reallocs), .clear = block_clear},
    [FC_ARRAY_HEAP_FRAMES] = {OF_PROFILE(FcProfileHeapFrame, heap.frames)},
    [FC_ARRAY_ALLOC_SITES] = {OF_PROFILE(FcProfileAllocSite, heap.alloc_sites)},
    [FC_ARRAY_HEAP_BLOCKS] = {OF_PROFILE(FcProfileHeapBlock, heap.blocks)},
    [FC_ARRAY_HEAP_BAD_FREES] = {OF_PROFILE(FcProfileBadFree, heap.bad_frees)},
    [FC_ARRAY_HEAP_SAMPLES] = {OF_PROFILE(FcProfileHeapSample, heap.samples)},
    [FC_ARRAY_THREAD_FUNCTIONS] = {OF_THREAD(FcProfileThreadFunction, functions),
                                   "the thread's function", TIMES(FcProfileThreadFunction),
                                   thread_function_clear},
    [FC_ARRAY_THREAD_ARCS] = {OF_THREAD(FcProfileThreadArc, arcs),
                              .times = TIMES(FcProfileThreadArc)},
    [FC_ARRAY_THREAD_STACK] = {OF_THREAD(FcProfileFrame, stack)},
    [FC_ARRAY_THREAD_TRACE] = {OF_THREAD(FcProfileTraceRecord, trace)},
    [FC_ARRAY_THREAD_LANES] = {OF_THREAD(FcProfileLane, lanes)},
};

GArray *fc_array_new(FcArrayName name)
{
    GArray *array = g_array_new(FALSE, TRUE, fc_arrays[name].record_bytes);
    if (fc_arrays[name].clear)
        g_array_set_clear_func(array, fc_arrays[name].clear);
    return array;
}

GArray *fc_profile_new_thread_functions(void)
{
    return fc_array_new(FC_ARRAY_THREAD_FUNCTIONS);
}

void fc_profile_clear_job(FcProfileJob *job)
{
    g_free(job->name);
    g_free(job->launcher);
    g_free(job->host);
    g_free(job->cpus);
    *job = (FcProfileJob){.rank = FC_NONE, .local_rank = FC_NONE};
}

void fc_profile_copy_job(FcProfileJob *into, const FcProfileJob *from)
{
    fc_profile_clear_job(into);
    *into = *from;
    into->name = g_strdup(from->name);
    into->launcher = g_strdup(from->launcher);
    into->host = g_strdup(from->host);
    into->cpus = g_strdup(from->cpus);
}

FcProfile *fc_profile_new(void)
{
    FcProfile *profile = g_new0(FcProfile, 1);
    fc_profile_clear_job(&profile->job);
    profile->extended = TRUE;
    profile->time_mode = 1;    /* tsc */
    profile->profile_mode = 2; /* FORK */
    for (FcArrayName i = 0; i < FC_ARRAY_OF_THREAD; i++)
        G_STRUCT_MEMBER(GArray *, profile, fc_arrays[i].offset) = fc_array_new(i);
    return profile;
}

void fc_profile_free(FcProfile *profile)
{
    if (!profile)
        return;
    g_free(profile->unique_id);
    g_free(profile->executable);
    g_free(profile->directory);
    g_free(profile->filter);
    g_strfreev(profile->command_line);
    fc_profile_clear_job(&profile->job);
    for (FcArrayName i = 0; i < FC_ARRAY_OF_THREAD; i++)
        g_array_unref(fc_array_of(profile, i));
    g_free(profile);
}

/* Returns how far `time_ns` is outside the time the module was loaded; 0: it is within. */
static guint64 time_distance(const FcProfileModule *module, guint64 time_ns)
{
    if (time_ns < module->load_ns)
        return module->load_ns - time_ns;
    if (time_ns >= module->unload_ns && module->unload_ns != G_MAXUINT64)
        return time_ns - module->unload_ns + 1;
    return 0;
}

FcWaits fc_profile_waits(const FcProfile *profile)
{
    FcWaits waits = FC_WAITS_UNKNOWN;
    for (guint i = 0; i < profile->threads->len; i++)
        waits = MAX(waits, g_array_index(profile->threads, FcProfileThread, i).waits);
    return waits;
}

gint fc_profile_find_module(const FcProfile *profile, guint64 address, guint64 time_ns)
{
    gint best = FC_NONE;
    guint64 best_distance = 0;
    guint64 best_load_ns = 0;

    for (guint i = 0; i < profile->modules->len; i++)
    {
        const FcProfileModule *module = &g_array_index(profile->modules, FcProfileModule, i);
        if (address < module->start || address >= module->end)
            continue;
        guint64 distance = time_distance(module, time_ns);
        if (best == FC_NONE || distance < best_distance ||
            (distance == best_distance && module->load_ns >= best_load_ns))
        {
            best = (gint)i;
            best_distance = distance;
            best_load_ns = module->load_ns;
        }
    }
    return best;
}

void fc_profile_locate(const FcProfile *profile, guint64 address, guint64 time_ns,
                       FcProfileLocation *location)
{
    location->address = address;
    location->offset = address;
    location->module = fc_profile_find_module(profile, address, time_ns);
    if (location->module != FC_NONE)
        location->offset -= g_array_index(profile->modules, FcProfileModule, location->module).base;
}

void fc_profile_note(GArray *notes, const char *kind, guint64 count)
{
    for (guint i = 0; i < notes->len; i++)
    {
        FcProfileNote *note = &g_array_index(notes, FcProfileNote, i);
        if (strcmp(note->kind, kind) == 0)
        {
            note->count += count;
            return;
        }
    }
    FcProfileNote note = {g_strdup(kind), count};
    g_array_append_val(notes, note);
}

void fc_profile_add_notes(GArray *into, const GArray *from)
{
    for (guint i = 0; i < from->len; i++)
    {
        const FcProfileNote *note = &g_array_index(from, FcProfileNote, i);
        fc_profile_note(into, note->kind, note->count);
    }
}

static guint64 repairs_of(const FcProfile *profile, const char *kind)
{
    for (guint i = 0; i < profile->repairs->len; i++)
    {
        const FcProfileNote *note = &g_array_index(profile->repairs, FcProfileNote, i);
        if (g_strcmp0(note->kind, kind) == 0)
            return note->count;
    }
    return 0;
}

/* ---- Folded contexts ------------------------------------------------------------------ */

gboolean fc_profile_is_folded(const FcProfileContext *context)
{
    return context->parent == FC_NONE && context->site.address == FC_FOLDED_SITE;
}

guint64 fc_profile_contexts_wanted(const FcProfile *profile)
{
    const guint64 folded = repairs_of(profile, "contexts-folded");
    guint64 wanted = 1;
    if (folded == 0)
        return 0;
    while (wanted < profile->contexts->len + MIN(folded, G_MAXUINT32))
        wanted *= 2;
    return wanted;
}

guint64 fc_profile_processes(const FcProfile *profile)
{
    return MAX(profile->processes, 1);
}

guint64 fc_profile_threads(const FcProfile *profile)
{
    if (profile->merged_threads > 0)
        return profile->merged_threads;
    return profile->threads->len + repairs_of(profile, FC_THREADS_NOT_LISTED);
}

guint64 fc_profile_failed(const FcProfile *profile)
{
    if (profile->processes > 0)
        return profile->failed;
    return profile->end == FC_END_SIGNAL ||
           (profile->end == FC_END_EXIT && profile->end_value != 0);
}
