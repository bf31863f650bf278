/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the drawn graphs have in common; see export-graph.h.
 */
#include "fcdump/export-graph.h"
#include "profile/plain.h"

void fc_export_graph(const FcReportContext *context,
                     void (*put_node)(const FcReportContext *context, guint function),
                     void (*put_arc)(const FcReportContext *context, const FcArc *arc))
{
    const FcModel *model = context->model;
    g_autofree gboolean *nodes = g_new0(gboolean, model->functions->len + 1);
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(model->graph, &count);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        nodes[i] = function->shown && !fc_report_is_small(context, function->figures.times.total_ns,
                                                          context->model->base_ns);
        if (nodes[i])
            put_node(context, i);
    }
    for (guint i = 0; i < count; i++)
        if (arcs[i].caller != FC_NONE && nodes[arcs[i].caller] && nodes[arcs[i].callee])
            put_arc(context, &arcs[i]);
}

/* "12.3 ms (45.6%)".  The caller owns the result. */
static char *format_share(const FcModel *model, guint64 ns)
{
    g_autofree char *time = g_strchomp(fc_format_time(ns));
    g_autofree char *share = fc_report_share(model, ns);
    return g_strdup_printf("%s (%s%%)", time, share);
}

char *fc_export_label(const FcModel *model, const FcFunction *function)
{
    const FcProfileFunction *figures = &function->figures;
    g_autofree char *total = format_share(model, figures->times.total_ns);
    g_autofree char *local = format_share(model, figures->times.local_ns);
    g_autofree char *name = fc_plain_text(function->name);
    return g_strdup_printf("%s\ntotal %s\nlocal %s\n%" G_GUINT64_FORMAT " call%s", name, total,
                           local, figures->calls, figures->calls == 1 ? "" : "s");
}

char *fc_export_quote(const char *text, const char *newline, const char *ampersand)
{
    g_autofree char *valid = fc_plain_lines(text);
    GString *quoted = g_string_new("\"");
    for (const char *p = valid; *p != '\0'; p++)
    {
        if (*p == '\n')
            g_string_append(quoted, newline);
        else if (*p == '&')
            g_string_append(quoted, ampersand);
        else if (*p == '\t')
            g_string_append_c(quoted, ' ');
        else if (*p == '"' || *p == '\\')
            g_string_append_printf(quoted, "\\%c", *p);
        else
            g_string_append_c(quoted, *p);
    }
    g_string_append_c(quoted, '"');
    return g_string_free(quoted, FALSE);
}
