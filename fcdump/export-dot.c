/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph in the language of graphviz.  The redder a node, the more local time.
 */
#include "fcdump/export-graph.h"

static double share_of(const FcModel *model, guint64 ns)
{
    return model->base_ns > 0 ? MIN((double)ns / (double)model->base_ns, 1.0) : 0.0;
}

static void put_node(const FcReportContext *context, guint index)
{
    const FcFunction *function = fc_model_function(context->model, index);
    char saturation[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree char *label = fc_export_label(context->model, function);
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&amp;");
    g_ascii_formatd(saturation, sizeof saturation, "%.3f",
                    share_of(context->model, function->figures.local_ns));
    fprintf(fc_render_file(context->render), "  f%u [label=%s, fillcolor=\"0.000 %s 1.000\"];\n",
            index, quoted, saturation);
}

static void put_arc(const FcReportContext *context, const FcArc *arc)
{
    char width[G_ASCII_DTOSTR_BUF_SIZE];
    const char *via = fc_model_via(context->model, arc->via);
    g_autofree char *time = g_strchomp(fc_format_time(arc->total_ns));
    g_autofree char *label =
        g_strdup_printf("%" G_GUINT64_FORMAT "x\n%s%s%s%s", arc->calls, arc->at_most ? "<" : "",
                        time, via ? "\nvia " : "", via ? via : "");
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&amp;");
    g_ascii_formatd(width, sizeof width, "%.1f",
                    1.0 + 4.0 * share_of(context->model, arc->total_ns));
    fprintf(fc_render_file(context->render), "  f%d -> f%u [label=%s, penwidth=%s%s];\n",
            arc->caller, arc->callee, quoted, width, via ? ", style=dashed" : "");
}

void fc_export_dot(const FcReportContext *context)
{
    FILE *out = fc_render_file(context->render);
    fputs("digraph functioncheck {\n"
          "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
          "  edge [fontname=\"sans-serif\", fontsize=10];\n",
          out);
    fc_export_graph(context, put_node, put_arc);
    fputs("}\n", out);
}
