/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections about time off the CPU.  Called by parse-sections.c.
 */
#include "profile/parse.h"

static FcProfileThread *parse_thread(FcParser *parser)
{
    GArray *threads = parser->profile->threads;
    gint index;
    if (!fc_text_index(&parser->text, "the thread", threads->len, FALSE, &index))
        return NULL;
    return &g_array_index(threads, FcProfileThread, index);
}

static gboolean parse_times(FcText *text, guint64 *total, guint64 *local)
{
    return fc_text_number(text, "the total time off the CPU", total) &&
           fc_text_number(text, "the local time off the CPU", local);
}

gboolean fc_parse_wait_thread(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileThread *thread = parse_thread(parser);
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
    FcProfileThread *thread = parse_thread(parser);
    gint index;
    if (!thread ||
        !fc_text_index(&parser->text, "the function", thread->functions->len, FALSE, &index))
        return FALSE;
    FcProfileThreadFunction *function =
        &g_array_index(thread->functions, FcProfileThreadFunction, index);
    return parse_times(&parser->text, &function->total_wait_ns, &function->local_wait_ns);
}

gboolean fc_parse_wait_function(FcParser *parser)
{
    GArray *functions = parser->profile->functions;
    gint index;
    if (!fc_text_index(&parser->text, "the function", functions->len, FALSE, &index))
        return FALSE;
    FcProfileFunction *function = &g_array_index(functions, FcProfileFunction, index);
    return parse_times(&parser->text, &function->total_wait_ns, &function->local_wait_ns);
}

gboolean fc_parse_cpu_bounds(FcParser *parser)
{
    FcText *text = &parser->text;
    GArray *functions = parser->profile->functions;
    gint index;
    if (!fc_text_index(text, "the function", functions->len, FALSE, &index))
        return FALSE;
    FcProfileFunction *function = &g_array_index(functions, FcProfileFunction, index);
    function->has_cpu_bounds = TRUE;
    return fc_text_number(text, "the least total time on the CPU", &function->cpu.total_min_ns) &&
           fc_text_number(text, "the most total time on the CPU", &function->cpu.total_max_ns) &&
           fc_text_number(text, "the least local time on the CPU", &function->cpu.local_min_ns) &&
           fc_text_number(text, "the most local time on the CPU", &function->cpu.local_max_ns);
}

gboolean fc_parse_wait_arc(FcParser *parser)
{
    GArray *arcs = parser->profile->arcs;
    gint index;
    return fc_text_index(&parser->text, "the arc", arcs->len, FALSE, &index) &&
           fc_text_number(&parser->text, "the time off the CPU",
                          &g_array_index(arcs, FcProfileArc, index).wait_ns);
}

gboolean fc_parse_wait_context(FcParser *parser)
{
    GArray *contexts = parser->profile->contexts;
    gint index;
    if (!fc_text_index(&parser->text, "the context", contexts->len, FALSE, &index))
        return FALSE;
    FcProfileContext *context = &g_array_index(contexts, FcProfileContext, index);
    return parse_times(&parser->text, &context->total_wait_ns, &context->local_wait_ns);
}
