/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph in GDL, the language of VCG and aiSee.
 */
#include "fcdump/export-graph.h"
#include "fcdump/export.h"

static void put_node(const FcReportContext *context, guint index)
{
    const FcFunction *function = fc_model_function(context->model, index);
    g_autofree char *label = fc_export_label(context->model, function);
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&");
    fprintf(fc_render_file(context->render), "  node: { title: \"f%u\" label: %s }\n", index,
            quoted);
}

static void put_arc(const FcReportContext *context, const FcArc *arc)
{
    const char *via = fc_model_via(context->model, arc->via);
    g_autofree char *label = g_strdup_printf("%" G_GUINT64_FORMAT "%s%s", arc->calls,
                                             via ? " via " : "", via ? via : "");
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&");
    fprintf(fc_render_file(context->render),
            "  edge: { sourcename: \"f%d\" targetname: \"f%u\" label: %s }\n", arc->caller,
            arc->callee, quoted);
}

static void render_vcg(const FcReportContext *context)
{
    FILE *out = fc_render_file(context->render);
    fputs("graph: {\n  title: \"functioncheck\"\n  display_edge_labels: yes\n", out);
    fc_export_graph(context, put_node, put_arc);
    fputs("}\n", out);
    fc_export_note_lost(context, "vcg",
                        FC_LOST_CONTEXTS | FC_LOST_SITES | FC_LOST_BOUNDS | FC_LOST_THREADS |
                            FC_LOST_PROCESSES | FC_LOST_MEMORY | FC_LOST_NOTES | FC_LOST_MARKS);
}

const FcReport fc_export_vcg = {"vcg", "the call graph for VCG viewers", FC_REPORT_EXPORT,
                                render_vcg, .of_arcs = TRUE};
