/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of a .fc file about time off the CPU: only there where it was looked at.  Called by
 * format.c.
 */
#include "profile/format.h"

static void append_threads(const FcProfile *profile, GString *out)
{
    guint count = 0;
    guint function_count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    g_autoptr(GString) functions = g_string_new(NULL);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        const guint64 numbers[] = {i, thread->waits, thread->wait_ns, thread->preempted_ns,
                                   thread->manager_ns};
        if (thread->waits != FC_WAITS_UNKNOWN || thread->wait_ns != 0 ||
            thread->preempted_ns != 0 || thread->manager_ns != 0)
        {
            fc_format_line(lines, numbers, G_N_ELEMENTS(numbers));
            count++;
        }
        for (guint j = 0; thread->functions && j < thread->functions->len; j++)
        {
            const FcProfileThreadFunction *from =
                &g_array_index(thread->functions, FcProfileThreadFunction, j);
            const guint64 waits[] = {i, j, from->times.total_wait_ns, from->times.local_wait_ns};
            if (from->times.total_wait_ns == 0 && from->times.local_wait_ns == 0)
                continue;
            fc_format_line(functions, waits, G_N_ELEMENTS(waits));
            function_count++;
        }
    }
    fc_format_lines(out, "wait-threads", lines, count);
    fc_format_lines(out, "wait-thread-functions", functions, function_count);
}

static void append_bounds(const FcProfile *profile, GString *out)
{
    guint count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        const FcProfileBounds *cpu = &function->cpu;
        const guint64 numbers[] = {i, cpu->total_min_ns, cpu->total_max_ns, cpu->local_min_ns,
                                   cpu->local_max_ns};
        if (!function->has_cpu_bounds)
            continue;
        fc_format_line(lines, numbers, G_N_ELEMENTS(numbers));
        count++;
    }
    fc_format_lines(out, "cpu-bounds", lines, count);
}

void fc_format_waits(const FcProfile *profile, GString *out)
{
    append_threads(profile, out);
    fc_format_sparse(out, "wait-functions", profile->functions,
                     G_STRUCT_OFFSET(FcProfileFunction, times.total_wait_ns),
                     G_STRUCT_OFFSET(FcProfileFunction, times.local_wait_ns));
    append_bounds(profile, out);
    fc_format_sparse(out, "wait-arcs", profile->arcs,
                     G_STRUCT_OFFSET(FcProfileArc, times.total_wait_ns), 0);
    fc_format_sparse(out, "wait-contexts", profile->contexts,
                     G_STRUCT_OFFSET(FcProfileContext, times.total_wait_ns),
                     G_STRUCT_OFFSET(FcProfileContext, times.local_wait_ns));
}
