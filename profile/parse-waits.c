/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections about time off the CPU.  Called by parse-sections.c.
 */
#include "profile/parse.h"

static gboolean parse_times(FcText *text, guint64 *total, guint64 *local)
{
    return fc_text_number(text, "the total time off the CPU", total) &&
           fc_text_number(text, "the local time off the CPU", local);
}

gboolean fc_parse_wait_thread(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileThread *thread = fc_parse_known_thread(parser);
    gint waits;
    if (!thread || !fc_text_index(text, "how it was looked at", FC_WAITS_COUNT, FALSE, &waits))
        return FALSE;
    thread->waits = (FcWaits)waits;
    return fc_text_number(text, "the time off the CPU", &thread->wait_ns) &&
           fc_text_number(text, "the preempted time", &thread->preempted_ns) &&
           fc_text_number(text, "the time of the manager", &thread->manager_ns);
}

gboolean fc_parse_wait_thread_function(FcParser *parser)
{
    FcProfileThreadFunction *function = fc_parse_known_thread_function(parser);
    return function && parse_times(&parser->text, &function->times.total_wait_ns,
                                   &function->times.local_wait_ns);
}

gboolean fc_parse_wait_function(FcParser *parser)
{
    FcProfileFunction *function = fc_parse_known_function(parser);
    return function && parse_times(&parser->text, &function->times.total_wait_ns,
                                   &function->times.local_wait_ns);
}

gboolean fc_parse_cpu_bounds(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileFunction *function = fc_parse_known_function(parser);
    if (!function)
        return FALSE;
    function->has_cpu_bounds = TRUE;
    return fc_text_number(text, "the least total time on the CPU", &function->cpu.total_min_ns) &&
           fc_text_number(text, "the most total time on the CPU", &function->cpu.total_max_ns) &&
           fc_text_number(text, "the least local time on the CPU", &function->cpu.local_min_ns) &&
           fc_text_number(text, "the most local time on the CPU", &function->cpu.local_max_ns);
}

gboolean fc_parse_wait_arc(FcParser *parser)
{
    FcProfileArc *arc = fc_parse_known_arc(parser);
    return arc && fc_text_number(&parser->text, "the time off the CPU", &arc->times.total_wait_ns);
}

gboolean fc_parse_wait_context(FcParser *parser)
{
    FcProfileContext *context = fc_parse_known_context(parser);
    return context &&
           parse_times(&parser->text, &context->times.total_wait_ns, &context->times.local_wait_ns);
}
