/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph in the language of graphviz: as much as can be read on a screen, unless
 * --top or --all asks for more.  The redder a node, the more local time; the wider an arc, the more
 * time.
 */
#include "fcdump/drawing.h"
#include "fcdump/export.h"

#include <math.h>

static double share_of(const FcModel *model, guint64 ns)
{
    return model->base_ns > 0 ? MIN((double)ns / (double)model->base_ns, 1.0) : 0.0;
}

static void put_number(FILE *out, const char *key, const char *format, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, format, value);
    fprintf(out, ", %s=%s", key, text);
}

static void put_node(const FcReportContext *context, const FcDrawnNode *node)
{
    FILE *out = fc_render_file(context->render);
    char saturation[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree char *label = fc_export_quote(node->label, "\\n", "&amp;");
    g_autofree char *name =
        fc_export_quote(fc_model_function(context->model, node->function)->name, " ", "&amp;");
    g_ascii_formatd(saturation, sizeof saturation, "%.3f",
                    sqrt(share_of(context->model, node->local_ns)));
    fprintf(out, "  f%u [label=%s, tooltip=%s, fillcolor=\"0.000 %s 1.000\"", node->function, label,
            name, saturation);
    put_number(out, "fontsize", "%.1f", node->font_points);
    fputs("];\n", out);
}

static char *describe_arc(const FcReportContext *context, const FcDrawnArc *arc)
{
    g_autofree char *time = g_strchomp(fc_format_time(arc->ns));
    if (!arc->arc)
        return g_strdup_printf(" ... %s", time);
    const char *via = fc_model_via(context->model, arc->arc->via);
    return g_strdup_printf(" %" G_GUINT64_FORMAT "x %s%s%s%s", arc->arc->calls,
                           arc->arc->at_most ? "<" : "", time, via ? "\nvia " : "", via ? via : "");
}

static void put_arc(const FcReportContext *context, const FcDrawing *drawing, const FcDrawnArc *arc)
{
    FILE *out = fc_render_file(context->render);
    const FcDrawnNode *from = fc_drawing_node(drawing, arc->from);
    const FcDrawnNode *to = fc_drawing_node(drawing, arc->to);
    char shade[G_ASCII_DTOSTR_BUF_SIZE];
    const double share = share_of(context->model, arc->ns);
    g_autofree char *label = describe_arc(context, arc);
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&amp;");
    g_ascii_formatd(shade, sizeof shade, "%.3f", share);
    fprintf(out, "  f%u -> f%u [label=%s, color=\"0.000 %s 0.600\"", from->function, to->function,
            quoted, shade);
    put_number(out, "penwidth", "%.1f", 1.0 + 4.0 * share);
    if (!arc->arc)
        fputs(", style=dotted", out);
    else if (arc->arc->via)
        fputs(", style=dashed", out);
    if (arc->is_back)
        fputs(", constraint=false", out);
    else if (to->rank > from->rank + 1) /* no weight: straight arcs make it too wide */
        fprintf(out, ", weight=0, minlen=%u", to->rank - from->rank);
    fputs("];\n", out);
}

/* Writes below the graph, and on standard error, what the drawing leaves out. */
static void put_left_out(const FcReportContext *context, const FcDrawing *drawing)
{
    guint shown = 0;
    guint chained = 0;
    for (guint i = 0; i < context->model->functions->len; i++)
        shown += fc_model_function(context->model, i)->shown ? 1 : 0;
    for (guint i = 0; i < drawing->nodes->len; i++)
        chained += fc_drawing_node(drawing, i)->is_inside ? 1 : 0;
    if (drawing->functions == shown && drawing->small_arcs == 0 && chained == 0)
        return;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(
        text, "%u of %u functions; left out: %u functions, and %u arcs between those drawn",
        drawing->functions, shown, shown - drawing->functions, drawing->small_arcs);
    if (chained > 0)
        g_string_append_printf(text, "; %u have no node of their own but are in chains", chained);
    fprintf(fc_render_file(context->render), "  label=\"%s\";\n", text->str);
    fc_export_note(context, "--dot: %s; --top=N draws N functions, --all everything", text->str);
}

static void put_drawing(const FcReportContext *context, const FcDrawing *drawing)
{
    for (guint i = 0; i < drawing->nodes->len; i++)
        if (!fc_drawing_node(drawing, i)->is_inside)
            put_node(context, fc_drawing_node(drawing, i));
    for (guint i = 0; i < drawing->arcs->len; i++)
        if (!fc_drawing_arc(drawing, i)->is_gone)
            put_arc(context, drawing, fc_drawing_arc(drawing, i));
    put_left_out(context, drawing);
}

static void render_dot(const FcReportContext *context)
{
    FILE *out = fc_render_file(context->render);
    fprintf(out,
            "digraph functioncheck {\n"
            "  nodesep=%s; ranksep=%s; fontname=\"Helvetica,Arial,sans-serif\"; fontsize=9;\n"
            "  node [shape=box, style=filled, fontname=\"Helvetica,Arial,sans-serif\", "
            "margin=\"0.14,0.06\", "
            "height=0];\n"
            "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=%s];\n",
            G_STRINGIFY(FC_DRAWING_NODE_GAP), G_STRINGIFY(FC_DRAWING_RANK_GAP),
            G_STRINGIFY(FC_DRAWING_ARC_POINTS));
    const guint top = context->options->top;
    g_autoptr(FcDrawing) drawing = fc_drawing_new(context, top);
    if (top == 0)
        fputs("  size=\"" G_STRINGIFY(FC_SCREEN_WIDTH) "," G_STRINGIFY(FC_SCREEN_HEIGHT) "\";\n",
              out);
    if (drawing->is_sideways)
        fputs("  rankdir=LR;\n", out);
    put_drawing(context, drawing);
    fputs("}\n", out);
    fc_export_note_lost(context, "dot",
                        FC_LOST_CONTEXTS | FC_LOST_SITES | FC_LOST_BOUNDS | FC_LOST_THREADS |
                            FC_LOST_PROCESSES | FC_LOST_MEMORY | FC_LOST_NOTES | FC_LOST_MARKS);
}

const FcReport fc_export_dot = {"dot", "the call graph for graphviz", FC_REPORT_EXPORT, render_dot,
                                .of_arcs = TRUE};
