/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The section of a .fc file about how long the calls by each arc took: only there where there is
 * any.  Called by format.c.
 */
#include "profile/format.h"
#include "profile/text.h"

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
