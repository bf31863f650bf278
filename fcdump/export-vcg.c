/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph in GDL, the language of VCG and aiSee.
 */
#include "fcdump/export-graph.h"

static void put_node(const FcReportContext *context, guint index)
{
    const FcFunction *function = fc_model_function(context->model, index);
    const FcProfileFunction *figures = &function->figures;
    g_autofree char *total = fc_export_time(context->model, figures->total_ns);
    g_autofree char *local = fc_export_time(context->model, figures->local_ns);
    g_autofree char *label =
        g_strdup_printf("%s\ntotal %s\nlocal %s\n%" G_GUINT64_FORMAT " call%s", function->name,
                        total, local, figures->calls, figures->calls == 1 ? "" : "s");
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&");
    fprintf(fc_render_file(context->render), "  node: { title: \"f%u\" label: %s }\n", index,
            quoted);
}

static void put_arc(const FcReportContext *context, const FcArc *arc)
{
    const char *via = fc_model_via(context->model, arc->via);
    g_autofree char *label = g_strdup_printf("%" G_GUINT64_FORMAT "%s%s", arc->calls,
                                             via != NULL ? " via " : "", via != NULL ? via : "");
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&");
    fprintf(fc_render_file(context->render),
            "  edge: { sourcename: \"f%d\" targetname: \"f%u\" label: %s }\n", arc->caller,
            arc->callee, quoted);
}

void fc_export_vcg(const FcReportContext *context)
{
    FILE *out = fc_render_file(context->render);
    g_autofree gboolean *nodes = fc_export_nodes(context);
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(context->model->graph, &count);
    fputs("graph: {\n  title: \"functioncheck\"\n  display_edge_labels: yes\n", out);
    for (guint i = 0; i < context->model->functions->len; i++)
        if (nodes[i])
            put_node(context, i);
    for (guint i = 0; i < count; i++)
        if (fc_export_has_arc(nodes, &arcs[i]))
            put_arc(context, &arcs[i]);
    fputs("}\n", out);
}
