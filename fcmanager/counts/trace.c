/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ring of trace.h: how it grows, and how it is read.
 */
#include "fcmanager/counts/trace.h"

#define LEAST_RECORDS 256u
/* How many calls that had not returned are kept.  Only a deep recursion has more. */
#define OPEN_MAX 65536u

FcTrace *fc_trace_new(FcTraceRoom *shared)
{
    FcTrace *trace = g_new0(FcTrace, 1);
    trace->shared = shared;
    return trace;
}

void fc_trace_free(FcTrace *trace)
{
    if (!trace)
        return;
    trace->shared->bytes -= trace->room * sizeof *trace->records;
    g_free(trace->records);
    if (trace->open)
        g_array_unref(trace->open);
    g_free(trace);
}

void fc_trace_turn(FcTrace *trace)
{
    FcTraceRoom *shared = trace->shared;
    /* a ring that has turned does not grow: its oldest record is not the first */
    const gboolean has_turned = trace->all > (guint64)trace->room + 1;
    const guint32 room = MIN(MAX((guint64)trace->room * 2, LEAST_RECORDS), shared->length);
    const gsize more = (gsize)(room - trace->room) * sizeof *trace->records;
    if (has_turned || more == 0 || shared->bytes + more > shared->limit)
    {
        trace->next = 0;
        return;
    }
    shared->bytes += more;
    trace->records = g_renew(FcTraceRecord, trace->records, room);
    trace->room = room;
}

void fc_trace_add_open(FcTrace *trace, const FcTraceRecord *record)
{
    if (!trace->open)
        trace->open = g_array_new(FALSE, FALSE, sizeof(FcTraceRecord));
    if (trace->open->len < OPEN_MAX)
        g_array_append_val(trace->open, *record);
}

void fc_trace_finish(FcTrace *trace, const guint32 *functions)
{
    const guint32 count = (guint32)MIN(trace->all, trace->room);
    const guint32 oldest = trace->all > count && count > 0 ? trace->next % count : 0;
    FcTraceRecord *ordered = g_new(FcTraceRecord, count);
    for (guint32 i = 0; i < count; i++)
        ordered[i] = trace->records[(oldest + i) % count];
    for (guint32 i = 0; functions && i < count; i++)
        ordered[i].function = functions[ordered[i].function];
    for (guint32 i = 0; functions && trace->open && i < trace->open->len; i++)
    {
        FcTraceRecord *open = &g_array_index(trace->open, FcTraceRecord, i);
        open->function = functions[open->function];
    }
    g_free(trace->records);
    trace->shared->bytes -= (trace->room - count) * sizeof *ordered;
    trace->records = ordered;
    trace->room = count;
    trace->next = 0;
}
