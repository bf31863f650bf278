/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The profile as data: making and freeing it, and finding the module of an
 * address.  Called by the reader and by fcmanager, which fills a profile from the
 * stream.  Must never do input or output.
 */
#include "profile/fc-profile.h"

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
    if (thread->functions)
        g_array_unref(thread->functions);
    if (thread->stack)
        g_array_unref(thread->stack);
    g_clear_pointer(&thread->arcs, g_array_unref);
    g_clear_pointer(&thread->trace, g_array_unref);
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
}

static void block_clear(gpointer data)
{
    FcProfileBlock *block = data;
    if (block->stack)
        g_array_unref(block->stack);
}

static GArray *array_new(gsize element_bytes, GDestroyNotify clear)
{
    GArray *array = g_array_new(FALSE, TRUE, (guint)element_bytes);
    if (clear)
        g_array_set_clear_func(array, clear);
    return array;
}

FcProfile *fc_profile_new(void)
{
    FcProfile *profile = g_new0(FcProfile, 1);
    profile->extended = TRUE;
    profile->time_mode = 1;    /* tsc */
    profile->profile_mode = 2; /* FORK */
    profile->modules = array_new(sizeof(FcProfileModule), module_clear);
    profile->functions = array_new(sizeof(FcProfileFunction), function_clear);
    profile->arcs = array_new(sizeof(FcProfileArc), NULL);
    profile->contexts = array_new(sizeof(FcProfileContext), NULL);
    profile->latencies = array_new(sizeof(FcProfileLatency), NULL);
    profile->slowest = array_new(sizeof(FcProfileSlowCall), NULL);
    profile->threads = array_new(sizeof(FcProfileThread), thread_clear);
    profile->repairs = array_new(sizeof(FcProfileNote), note_clear);
    profile->losses = array_new(sizeof(FcProfileNote), note_clear);
    profile->leaks = array_new(sizeof(FcProfileBlock), block_clear);
    profile->bad_frees = array_new(sizeof(FcProfileBlock), block_clear);
    profile->bad_reallocs = array_new(sizeof(FcProfileBlock), block_clear);
    profile->heap.frames = array_new(sizeof(FcProfileHeapFrame), NULL);
    profile->heap.blocks = array_new(sizeof(FcProfileHeapBlock), NULL);
    profile->heap.alloc_sites = array_new(sizeof(FcProfileAllocSite), NULL);
    profile->heap.bad_frees = array_new(sizeof(FcProfileBadFree), NULL);
    profile->heap.samples = array_new(sizeof(FcProfileHeapSample), NULL);
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
    g_array_unref(profile->modules);
    g_array_unref(profile->functions);
    g_array_unref(profile->arcs);
    g_array_unref(profile->contexts);
    g_array_unref(profile->latencies);
    g_array_unref(profile->slowest);
    g_array_unref(profile->threads);
    g_array_unref(profile->repairs);
    g_array_unref(profile->losses);
    g_array_unref(profile->leaks);
    g_array_unref(profile->bad_frees);
    g_array_unref(profile->bad_reallocs);
    g_array_unref(profile->heap.frames);
    g_array_unref(profile->heap.blocks);
    g_array_unref(profile->heap.alloc_sites);
    g_array_unref(profile->heap.bad_frees);
    g_array_unref(profile->heap.samples);
    g_free(profile);
}

void fc_profile_copy_header(FcProfile *into, const FcProfile *from)
{
    g_free(into->unique_id);
    g_free(into->executable);
    g_free(into->directory);
    g_free(into->filter);
    g_strfreev(into->command_line);
    into->unique_id = g_strdup(from->unique_id);
    into->time_mode = from->time_mode;
    into->profile_mode = from->profile_mode;
    into->pid = from->pid;
    into->ppid = from->ppid;
    into->run_ns = from->run_ns;
    into->looks = from->looks;
    into->extended = from->extended;
    into->ticks_per_second = from->ticks_per_second;
    memcpy(into->costs_ps, from->costs_ps, sizeof into->costs_ps);
    into->start_realtime_ns = from->start_realtime_ns;
    into->end_realtime_ns = from->end_realtime_ns;
    into->executable = g_strdup(from->executable);
    into->directory = g_strdup(from->directory);
    into->filter = g_strdup(from->filter);
    into->depth = from->depth;
    into->command_line = g_strdupv(from->command_line);
    into->end = from->end;
    into->end_value = from->end_value;
    into->thread_id = from->thread_id;
}

/* How far `time_ns` lies outside the module's stay; 0 within it. */
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
                       FcProfilePlace *place)
{
    place->address = address;
    place->offset = address;
    place->module = fc_profile_find_module(profile, address, time_ns);
    if (place->module != FC_NONE)
        place->offset -= g_array_index(profile->modules, FcProfileModule, place->module).base;
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

/* ---- Folded contexts ------------------------------------------------------------------ */

static guint64 folded_contexts(const FcProfile *profile)
{
    for (guint i = 0; i < profile->repairs->len; i++)
    {
        const FcProfileNote *note = &g_array_index(profile->repairs, FcProfileNote, i);
        if (g_strcmp0(note->kind, "contexts-folded") == 0)
            return note->count;
    }
    return 0;
}

gboolean fc_profile_is_folded(const FcProfileContext *context)
{
    return context->parent == FC_NONE && context->site.address == FC_FOLDED_SITE;
}

guint64 fc_profile_contexts_wanted(const FcProfile *profile)
{
    const guint64 folded = folded_contexts(profile);
    guint64 wanted = 1;
    if (folded == 0)
        return 0;
    while (wanted < profile->contexts->len + MIN(folded, G_MAXUINT32))
        wanted *= 2;
    return wanted;
}
