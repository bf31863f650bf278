/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folded stacks: a line for each calling context that weighs anything itself, its functions
 * from the outermost on with semicolons between, and the weight.  What flamegraph.pl,
 * speedscope and inferno read.
 */
#include "fcdump/export.h"
#include "fcdump/report-path.h"
#include "profile/plain.h"

/* The name of a frame: what separates frames and lines is replaced. */
static void append_frame(GString *line, const char *name)
{
    g_autofree char *plain = fc_plain_text(name);
    if (line->len > 0)
        g_string_append_c(line, ';');
    g_string_append(line, g_strdelimit(plain, ";", ':'));
}

static void append_stack(GString *line, const FcStacks *stacks, guint index)
{
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = index; i != 0; i = (guint)fc_stacks_node(stacks, i)->parent)
        g_array_append_val(path, i);
    for (guint i = path->len; i-- > 0;)
        append_frame(line,
                     fc_stacks_name(stacks, fc_stacks_node(stacks, g_array_index(path, guint, i))));
}

static void render_folded(const FcReportContext *context)
{
    const FcWeight weight = fc_report_weight(context);
    g_autoptr(FcStacks) all = fc_report_stacks(context);
    g_autoptr(FcStacks) stacks =
        fc_stacks_prune(all, G_MAXINT, context->options->min_percent / 100.0, weight);
    g_autoptr(GString) line = g_string_new(NULL);
    for (guint i = 1; i < stacks->nodes->len; i++)
    {
        const FcStackNode *node = fc_stacks_node(stacks, i);
        if (node->self[weight] == 0)
            continue;
        g_string_truncate(line, 0);
        append_stack(line, stacks, i);
        fprintf(fc_render_file(context->render), "%s %" G_GUINT64_FORMAT "\n", line->str,
                node->self[weight]);
    }
    fc_export_note_stacks(context, "folded", stacks);
    fc_export_note_lost(context, "folded",
                        FC_LOST_SITES | FC_LOST_BOUNDS | FC_LOST_THREADS | FC_LOST_PROCESSES |
                            FC_LOST_LEAKS | FC_LOST_NOTES | FC_LOST_MARKS);
}

const FcReport fc_export_folded = {"folded",
                                   "a line for each stack, for flamegraph.pl and speedscope",
                                   FC_REPORT_EXPORT, render_folded, .shows_diff = TRUE};
