/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph in GDL, the language of VCG and aiSee.
 */
#include "fcdump/export.h"
#include "profile/plain.h"

static void put_node(const FcReportContext *context, guint index)
{
    const FcFunction *function = fc_model_function(context->model, index);
    const FcProfileFunction *figures = &function->figures;
    g_autofree char *total = fc_export_time(context->model, figures->times.total_ns);
    g_autofree char *local = fc_export_time(context->model, figures->times.local_ns);
    g_autofree char *name = fc_plain_text(function->name);
    g_autofree char *label =
        g_strdup_printf("%s\ntotal %s\nlocal %s\n%" G_GUINT64_FORMAT " call%s", name, total, local,
                        figures->calls, figures->calls == 1 ? "" : "s");
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

/* Each shown function that takes at least --min per cent, and each arc between two of them. */
static void render_vcg(const FcReportContext *context)
{
    const FcModel *model = context->model;
    FILE *out = fc_render_file(context->render);
    g_autofree gboolean *nodes = g_new0(gboolean, model->functions->len + 1);
    guint count;
    const FcArc *arcs = fc_callgraph_arcs(model->graph, &count);
    fputs("graph: {\n  title: \"functioncheck\"\n  display_edge_labels: yes\n", out);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        nodes[i] = function->shown &&
                   !fc_report_is_small(context, function->figures.times.total_ns, model->base_ns);
        if (nodes[i])
            put_node(context, i);
    }
    for (guint i = 0; i < count; i++)
        if (arcs[i].caller != FC_NONE && nodes[arcs[i].caller] && nodes[arcs[i].callee])
            put_arc(context, &arcs[i]);
    fputs("}\n", out);
    fc_export_note_lost(context, "vcg",
                        FC_LOST_CONTEXTS | FC_LOST_SITES | FC_LOST_BOUNDS | FC_LOST_THREADS |
                            FC_LOST_PROCESSES | FC_LOST_MEMORY | FC_LOST_NOTES | FC_LOST_MARKS);
}

const FcReport fc_export_vcg = {"vcg", "the call graph for VCG viewers", FC_REPORT_EXPORT,
                                render_vcg, .of_arcs = TRUE};
