/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of some threads; see restrict.h.
 */
#include "model/restrict.h"

#include <fnmatch.h>
#include <string.h>

gboolean fc_restrict_fits(const GPtrArray *patterns, gint64 number, const char *name)
{
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);
    for (guint i = 0; i < patterns->len; i++)
    {
        const char *pattern = patterns->pdata[i];
        if (fnmatch(pattern, text, 0) == 0 ||
            (name && (strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0)))
            return TRUE;
    }
    return FALSE;
}

static void clear_figures(FcProfile *profile)
{
    for (guint i = 0; i < profile->functions->len; i++)
    {
        FcProfileFunction *function = &g_array_index(profile->functions, FcProfileFunction, i);
        const FcProfilePlace place = function->place;
        *function = (FcProfileFunction){.place = place};
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
        function->total_ns += from->total_ns;
        function->local_ns += from->local_ns;
    }
}

FcRestricted fc_restrict_threads(FcProfile *profile, const GPtrArray *patterns)
{
    GArray *threads = profile->threads;
    g_autofree gboolean *wanted = g_new0(gboolean, threads->len + 1);
    guint count = 0;
    for (guint i = 0; i < threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(threads, FcProfileThread, i);
        wanted[i] = fc_restrict_fits(patterns, thread->tid, thread->name);
        count += wanted[i];
    }
    if (count == 0)
        return FC_RESTRICT_NONE;
    if (count == threads->len)
        return FC_RESTRICT_WHOLE;
    clear_figures(profile);
    for (guint i = threads->len; i-- > 0;)
    {
        if (wanted[i])
            add_figures(profile, &g_array_index(threads, FcProfileThread, i));
        else
            g_array_remove_index(threads, i);
    }
    return FC_RESTRICT_PARTIAL;
}
