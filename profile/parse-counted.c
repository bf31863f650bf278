/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections about calls that were counted and not recorded, and about what the hooks took.
 * Called by parse-sections.c.
 */
#include "profile/parse.h"

gboolean fc_parse_counted(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileFunction *function = fc_parse_known_function(parser);
    return function && fc_text_number(text, "the number of counted calls", &function->counted) &&
           fc_text_number(text, "the number of timed calls", &function->timed) &&
           fc_text_number(text, "the error of the total time", &function->total_error_ns) &&
           fc_text_number(text, "the error of the local time", &function->local_error_ns);
}

gboolean fc_parse_apportioned_arc(FcParser *parser)
{
    FcProfileArc *arc = fc_parse_known_arc(parser);
    if (arc)
        arc->apportioned = TRUE;
    return arc != NULL;
}

gboolean fc_parse_apportioned_context(FcParser *parser)
{
    FcProfileContext *context = fc_parse_known_context(parser);
    if (context)
        context->apportioned = TRUE;
    return context != NULL;
}

static gboolean parse_costs(FcText *text, guint64 *total, guint64 *local)
{
    return fc_text_number(text, "what was taken off the total time", total) &&
           fc_text_number(text, "what was taken off the local time", local);
}

gboolean fc_parse_cost_function(FcParser *parser)
{
    FcProfileFunction *function = fc_parse_known_function(parser);
    return function && parse_costs(&parser->text, &function->times.total_cost_ns,
                                   &function->times.local_cost_ns);
}

gboolean fc_parse_cost_arc(FcParser *parser)
{
    FcProfileArc *arc = fc_parse_known_arc(parser);
    return arc && fc_text_number(&parser->text, "what was taken off the total time",
                                 &arc->times.total_cost_ns);
}

gboolean fc_parse_cost_context(FcParser *parser)
{
    FcProfileContext *context = fc_parse_known_context(parser);
    return context &&
           parse_costs(&parser->text, &context->times.total_cost_ns, &context->times.local_cost_ns);
}

gboolean fc_parse_cost_thread(FcParser *parser)
{
    FcProfileThreadFunction *function = fc_parse_known_thread_function(parser);
    return function && parse_costs(&parser->text, &function->times.total_cost_ns,
                                   &function->times.local_cost_ns);
}
