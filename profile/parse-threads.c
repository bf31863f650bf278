/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the section about which thread made how many of an arc's calls.  Called by
 * parse-sections.c.
 */
#include "profile/parse.h"

gboolean fc_parse_thread_arc(FcParser *parser)
{
    FcText *text = &parser->text;
    FcProfileThread *thread = fc_parse_known_thread(parser);
    FcProfileThreadArc arc = {0};
    gint index;
    if (!thread || !fc_text_index(text, "the arc", parser->profile->arcs->len, FALSE, &index) ||
        !fc_text_number(text, "the calls", &arc.calls) ||
        !fc_text_number(text, "the total time", &arc.times.total_ns) ||
        !fc_text_number(text, "what the hooks took", &arc.times.total_cost_ns) ||
        !fc_text_number(text, "the time off the CPU", &arc.times.total_wait_ns))
        return FALSE;
    arc.arc = (guint)index;
    if (!thread->arcs)
        thread->arcs = g_array_new(FALSE, TRUE, sizeof(FcProfileThreadArc));
    g_array_append_val(thread->arcs, arc);
    return TRUE;
}
