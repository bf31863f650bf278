/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of a .fc file about the functions and arcs of each thread.  Called by format.c.
 */
#include "profile/format.h"

void fc_format_thread_functions(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    guint count = 0;
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const GArray *functions = g_array_index(profile->threads, FcProfileThread, i).functions;
        count += functions ? functions->len : 0;
    }
    fc_format_begin_section(out, "thread-functions", count);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const GArray *functions = g_array_index(profile->threads, FcProfileThread, i).functions;
        for (guint j = 0; functions && j < functions->len; j++)
        {
            const FcProfileThreadFunction *function =
                &g_array_index(functions, FcProfileThreadFunction, j);
            const guint64 numbers[] = {i, function->function, function->calls,
                                       function->times.total_ns, function->times.local_ns};
            fc_format_line(out, numbers, G_N_ELEMENTS(numbers));
            fc_format_pass_on(sink, out);
        }
    }
}

/* There may be hundreds of thousands: not in a text of their own first. */
void fc_format_thread_arcs(const FcProfile *profile, GString *out)
{
    const guint threads = profile->threads->len > 1 ? profile->threads->len : 0;
    guint count = 0;
    for (guint i = 0; i < threads; i++)
    {
        const GArray *arcs = g_array_index(profile->threads, FcProfileThread, i).arcs;
        count += arcs ? arcs->len : 0;
    }
    if (count > 0)
        fc_format_begin_section(out, "thread-arcs", count);
    for (guint i = 0; i < threads; i++)
    {
        const GArray *arcs = g_array_index(profile->threads, FcProfileThread, i).arcs;
        for (guint j = 0; arcs && j < arcs->len; j++)
        {
            const FcProfileThreadArc *arc = &g_array_index(arcs, FcProfileThreadArc, j);
            const guint64 numbers[] = {i,
                                       arc->arc,
                                       arc->calls,
                                       arc->times.total_ns,
                                       arc->times.total_cost_ns,
                                       arc->times.total_wait_ns};
            fc_format_line(out, numbers, G_N_ELEMENTS(numbers));
        }
    }
}
