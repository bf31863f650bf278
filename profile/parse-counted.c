/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections about calls that were counted and not recorded, and about what the hooks took.
 * Called by parse-sections.c.
 */
#include "profile/parse.h"

gboolean fc_parse_counted(FcParser *parser)
{
    FcText *text = &parser->text;
    GArray *functions = parser->profile->functions;
    gint index;
    if (!fc_text_index(text, "the function", functions->len, FALSE, &index))
        return FALSE;
    FcProfileFunction *function = &g_array_index(functions, FcProfileFunction, index);
    return fc_text_number(text, "the number of counted calls", &function->counted) &&
           fc_text_number(text, "the number of timed calls", &function->timed) &&
           fc_text_number(text, "the error of the total time", &function->total_error_ns) &&
           fc_text_number(text, "the error of the local time", &function->local_error_ns);
}

gboolean fc_parse_apportioned_arc(FcParser *parser)
{
    GArray *arcs = parser->profile->arcs;
    gint index;
    if (!fc_text_index(&parser->text, "the arc", arcs->len, FALSE, &index))
        return FALSE;
    g_array_index(arcs, FcProfileArc, index).apportioned = TRUE;
    return TRUE;
}

gboolean fc_parse_apportioned_context(FcParser *parser)
{
    GArray *contexts = parser->profile->contexts;
    gint index;
    if (!fc_text_index(&parser->text, "the context", contexts->len, FALSE, &index))
        return FALSE;
    g_array_index(contexts, FcProfileContext, index).apportioned = TRUE;
    return TRUE;
}

static gboolean parse_costs(FcText *text, guint64 *total, guint64 *local)
{
    return fc_text_number(text, "what was taken off the total time", total) &&
           fc_text_number(text, "what was taken off the local time", local);
}

gboolean fc_parse_cost_function(FcParser *parser)
{
    GArray *functions = parser->profile->functions;
    gint index;
    if (!fc_text_index(&parser->text, "the function", functions->len, FALSE, &index))
        return FALSE;
    FcProfileFunction *function = &g_array_index(functions, FcProfileFunction, index);
    return parse_costs(&parser->text, &function->total_cost_ns, &function->local_cost_ns);
}

gboolean fc_parse_cost_arc(FcParser *parser)
{
    GArray *arcs = parser->profile->arcs;
    gint index;
    return fc_text_index(&parser->text, "the arc", arcs->len, FALSE, &index) &&
           fc_text_number(&parser->text, "what was taken off the total time",
                          &g_array_index(arcs, FcProfileArc, index).cost_ns);
}

gboolean fc_parse_cost_context(FcParser *parser)
{
    GArray *contexts = parser->profile->contexts;
    gint index;
    if (!fc_text_index(&parser->text, "the context", contexts->len, FALSE, &index))
        return FALSE;
    FcProfileContext *context = &g_array_index(contexts, FcProfileContext, index);
    return parse_costs(&parser->text, &context->total_cost_ns, &context->local_cost_ns);
}

gboolean fc_parse_cost_thread(FcParser *parser)
{
    GArray *threads = parser->profile->threads;
    gint thread;
    gint index;
    if (!fc_text_index(&parser->text, "the thread", threads->len, FALSE, &thread))
        return FALSE;
    GArray *functions = g_array_index(threads, FcProfileThread, thread).functions;
    if (!fc_text_index(&parser->text, "the thread's function", functions->len, FALSE, &index))
        return FALSE;
    FcProfileThreadFunction *function = &g_array_index(functions, FcProfileThreadFunction, index);
    return parse_costs(&parser->text, &function->total_cost_ns, &function->local_cost_ns);
}
