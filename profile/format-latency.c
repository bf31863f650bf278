/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of a .fc file about how long the calls by each arc took, and about the slowest of
 * each function: only there where there is any.  Called by format.c.
 */
#include "profile/format.h"
#include "profile/text.h"

void fc_format_slowest(const FcProfile *profile, GString *out)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    for (guint i = 0; i < profile->slowest->len; i++)
    {
        const FcProfileSlowCall *call = &g_array_index(profile->slowest, FcProfileSlowCall, i);
        g_string_append_printf(lines, "%u %d %" G_GINT64_FORMAT " ", call->function, call->context,
                               call->tid);
        const guint64 numbers[] = {call->realtime_ns, call->total_ns};
        fc_format_line(lines, numbers, G_N_ELEMENTS(numbers));
    }
    fc_format_lines(out, "slowest", lines, profile->slowest->len);
}

void fc_format_latencies(const FcProfile *profile, GString *out)
{
    guint count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    for (guint i = 0; i < profile->latencies->len;)
    {
        const guint arc = g_array_index(profile->latencies, FcProfileLatency, i).arc;
        fc_text_append_number(lines, arc);
        for (; i < profile->latencies->len; i++)
        {
            const FcProfileLatency *latency =
                &g_array_index(profile->latencies, FcProfileLatency, i);
            if (latency->arc != arc)
                break;
            g_string_append_c(lines, ' ');
            fc_text_append_number(lines, latency->bucket);
            g_string_append_c(lines, ':');
            fc_text_append_number(lines, latency->calls);
        }
        g_string_append_c(lines, '\n');
        count++;
    }
    fc_format_lines(out, "latencies", lines, count);
}
