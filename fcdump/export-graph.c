/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the drawn graphs have in common; see export-graph.h.
 */
#include "fcdump/export-graph.h"

gboolean *fc_export_nodes(const FcReportContext *context)
{
    const FcModel *model = context->model;
    gboolean *nodes = g_new0(gboolean, model->functions->len + 1);
    double least_ns = context->options->min_percent / 100.0 * (double)model->base_ns;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        nodes[i] = function->shown && (double)function->figures.total_ns >= least_ns;
    }
    return nodes;
}

gboolean fc_export_has_arc(const gboolean *nodes, const FcArc *arc)
{
    return arc->caller != FC_NONE && nodes[arc->caller] && nodes[arc->callee];
}

char *fc_export_quote(const char *text, const char *newline, const char *ampersand)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *quoted = g_string_new("\"");
    for (const char *p = valid; *p != '\0'; p++)
    {
        if (*p == '\n')
            g_string_append(quoted, newline);
        else if (*p == '&')
            g_string_append(quoted, ampersand);
        else if ((guchar)*p < 0x20 || *p == 0x7f)
            g_string_append_c(quoted, '?');
        else if (*p == '"' || *p == '\\')
            g_string_append_printf(quoted, "\\%c", *p);
        else
            g_string_append_c(quoted, *p);
    }
    g_string_append_c(quoted, '"');
    return g_string_free(quoted, FALSE);
}

char *fc_export_time(const FcModel *model, guint64 ns)
{
    g_autofree char *time = g_strchomp(fc_format_time(ns));
    g_autofree char *share = fc_format_share(ns, model->base_ns);
    return g_strdup_printf("%s (%s%%)", time, share);
}
