/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of some threads; see restrict.h.
 */
#include "model/restrict.h"

#include <fnmatch.h>
#include <string.h>

gboolean fc_restrict_fits(const GPtrArray *patterns, gint64 number, const char *name,
                          gboolean *fitted)
{
    gboolean fits = FALSE;
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);
    for (guint i = 0; i < patterns->len; i++)
    {
        const char *pattern = patterns->pdata[i];
        if (fnmatch(pattern, text, 0) == 0 ||
            (name && (strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0)))
            fits = fitted[i] = TRUE;
    }
    return fits;
}

static void clear_figures(FcProfile *profile)
{
    g_array_set_size(profile->wait_sites, 0); /* they are not known by thread */
    for (guint i = 0; i < profile->functions->len; i++)
    {
        FcProfileFunction *function = &g_array_index(profile->functions, FcProfileFunction, i);
        const FcProfileLocation location = function->location;
        fc_histogram_clear(&function->histogram);
        g_free(function->off);
        *function = (FcProfileFunction){.location = location};
    }
}

static void add_figures(FcProfile *profile, const FcProfileThread *thread)
{
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *from =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, from->function);
        function->calls += from->calls;
        fc_profile_add_times(&function->times, &from->times);
        fc_profile_add_off(&function->off, from->off);
    }
}

/* ---- Arcs ------------------------------------------------------------------------- */

static const FcProfileThreadArc *thread_arc(const FcProfileThread *thread, guint index)
{
    return &g_array_index(thread->arcs, FcProfileThreadArc, index);
}

/* Whether all calls that the thread made are among its arcs.  `calls` has a 0 for each function of
 * the profile.  If the result is TRUE, it is all 0 again. */
static gboolean has_all_arcs(const FcProfile *profile, const FcProfileThread *thread,
                             guint64 *calls)
{
    gboolean is_all = thread->arcs || thread->functions->len == 0;
    for (guint i = 0; i < thread->functions->len; i++)
    {
        const FcProfileThreadFunction *function =
            &g_array_index(thread->functions, FcProfileThreadFunction, i);
        calls[function->function] += function->calls;
    }
    for (guint i = 0; thread->arcs && i < thread->arcs->len; i++)
    {
        const FcProfileThreadArc *arc = thread_arc(thread, i);
        calls[g_array_index(profile->arcs, FcProfileArc, arc->arc).callee] -= arc->calls;
    }
    for (guint i = 0; is_all && i < profile->functions->len; i++)
        is_all = calls[i] == 0;
    return is_all;
}

static gboolean have_all_arcs(const FcProfile *profile, const gboolean *wanted)
{
    g_autofree guint64 *calls = g_new0(guint64, profile->functions->len + 1);
    for (guint i = 0; i < profile->threads->len; i++)
        if (wanted[i] &&
            !has_all_arcs(profile, &g_array_index(profile->threads, FcProfileThread, i), calls))
            return FALSE;
    return TRUE;
}

/* Restricts the profile's arcs to those of the threads that are left. */
static void restrict_arcs(FcProfile *profile)
{
    GArray *arcs = profile->arcs;
    g_autofree FcProfileArc *sums = g_new0(FcProfileArc, arcs->len + 1);
    g_autofree guint *now = g_new0(guint, arcs->len + 1); /* 1: it is kept; later its new index */
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        for (guint j = 0; thread->arcs && j < thread->arcs->len; j++)
        {
            const FcProfileThreadArc *from = thread_arc(thread, j);
            now[from->arc] = 1;
            sums[from->arc].calls += from->calls;
            fc_profile_add_times(&sums[from->arc].times, &from->times);
        }
    }
    guint kept = 0;
    for (guint i = 0; i < arcs->len; i++)
    {
        if (now[i] == 0)
            continue;
        const FcProfileArc arc = g_array_index(arcs, FcProfileArc, i);
        sums[i].caller = arc.caller;
        sums[i].callee = arc.callee;
        sums[i].site = arc.site;
        sums[i].apportioned = arc.apportioned;
        g_array_index(arcs, FcProfileArc, kept) = sums[i];
        now[i] = kept++;
    }
    g_array_set_size(arcs, kept);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        GArray *own = g_array_index(profile->threads, FcProfileThread, i).arcs;
        for (guint j = 0; own && j < own->len; j++)
        {
            FcProfileThreadArc *arc = &g_array_index(own, FcProfileThreadArc, j);
            arc->arc = now[arc->arc];
        }
    }
}

/* ---- All of it ---------------------------------------------------------------------- */

/* Threads that are not listed can't be chosen. */
static void leave_unlisted(FcProfile *profile)
{
    GArray *repairs = profile->repairs;
    for (guint i = 0; i < repairs->len; i++)
    {
        const FcProfileNote note = g_array_index(repairs, FcProfileNote, i);
        if (strcmp(note.kind, FC_THREADS_NOT_LISTED) != 0)
            continue;
        fc_profile_note(profile->losses, "threads-not-chosen", note.count);
        g_array_remove_index(repairs, i);
        return;
    }
}

FcRestricted fc_restrict_threads(FcProfile *profile, const GPtrArray *patterns, gboolean *fitted)
{
    GArray *threads = profile->threads;
    g_autofree gboolean *wanted = g_new0(gboolean, threads->len + 1);
    guint count = 0;
    for (guint i = 0; i < threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(threads, FcProfileThread, i);
        wanted[i] = fc_restrict_fits(patterns, thread->tid, thread->name, fitted);
        count += wanted[i];
    }
    if (count == 0)
        return FC_RESTRICT_NONE;
    if (count == threads->len && fc_profile_threads(profile) == count)
        return FC_RESTRICT_WHOLE;
    leave_unlisted(profile);
    const gboolean has_arcs = have_all_arcs(profile, wanted);
    clear_figures(profile);
    for (guint i = threads->len; i-- > 0;)
    {
        if (wanted[i])
            add_figures(profile, &g_array_index(threads, FcProfileThread, i));
        else
            g_array_remove_index(threads, i);
    }
    g_array_set_size(profile->latencies, 0);
    if (has_arcs)
        restrict_arcs(profile);
    return has_arcs ? FC_RESTRICT_ARCS : FC_RESTRICT_FUNCTIONS;
}
