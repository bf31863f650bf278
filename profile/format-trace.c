/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of a .fc file with the last records of threads: only there where there are any.
 * Called by format.c.
 */
#include "profile/format.h"
#include "profile/text.h"

static void append_threads(const FcProfile *profile, GString *out, guint64 *records)
{
    guint count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        if (!thread->trace)
            continue;
        const guint64 numbers[] = {i, thread->trace_all};
        fc_format_line(lines, numbers, G_N_ELEMENTS(numbers));
        *records += thread->trace->len;
        count++;
    }
    fc_format_lines(out, "trace-threads", lines, count);
}

void fc_format_traces(const FcProfile *profile, GString *out, const FcFormatSink *sink)
{
    guint64 records = 0;
    append_threads(profile, out, &records);
    if (records == 0)
        return;
    fc_format_begin_section(out, "trace", records);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const GArray *trace = g_array_index(profile->threads, FcProfileThread, i).trace;
        for (guint j = 0; trace && j < trace->len; j++)
        {
            const FcProfileTraceRecord *record = &g_array_index(trace, FcProfileTraceRecord, j);
            const guint64 numbers[] = {i,
                                       record->kind,
                                       record->time_ns,
                                       record->function,
                                       record->stack,
                                       record->depth,
                                       record->begun_ns};
            fc_format_line(out, numbers, G_N_ELEMENTS(numbers));
            fc_format_pass_on(sink, out);
        }
    }
}
