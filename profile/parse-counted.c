/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the sections about calls that were counted and not recorded.  Called by parse-sections.c.
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
