/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections with the last records of threads.  Called by parse-sections.c.
 */
#include "profile/parse.h"

gboolean fc_parse_trace_thread(FcParser *parser)
{
    FcProfileThread *thread = fc_parse_known_thread(parser);
    if (!thread)
        return FALSE;
    if (thread->trace)
        return fc_text_fail(&parser->text, "the thread has a trace already");
    thread->trace = g_array_new(FALSE, TRUE, sizeof(FcProfileTraceRecord));
    return fc_text_number(&parser->text, "the number of records", &thread->trace_all);
}

gboolean fc_parse_trace(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileTraceRecord record = {.kind = FC_TRACE_CALL};
    FcProfileThread *thread = fc_parse_known_thread(parser);
    gint kind;
    gint function;
    gint stack;
    gint depth;
    if (!thread || !fc_text_index(text, "the kind", FC_TRACE_KINDS, FALSE, &kind) ||
        !fc_text_number(text, "the time", &record.time_ns) ||
        !fc_text_index(text, "the function", parser->profile->functions->len, FALSE, &function) ||
        !fc_text_index(text, "the stack", G_MAXINT, FALSE, &stack) ||
        !fc_text_index(text, "the depth", G_MAXINT, FALSE, &depth) ||
        !fc_text_number(text, "the time of the call", &record.begun_ns))
        return FALSE;
    record.kind = (FcTraceKind)kind;
    record.function = (guint)function;
    record.stack = (guint)stack;
    record.depth = (guint)depth;
    if (!thread->trace)
        return fc_text_fail(text, "the thread has no trace");
    if (thread->trace->len > 0 &&
        g_array_index(thread->trace, FcProfileTraceRecord, thread->trace->len - 1).time_ns >
            record.time_ns)
        return fc_text_fail(text, "the time is before that of the record above");
    g_array_append_val(thread->trace, record);
    return TRUE;
}
