/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph in the language of graphviz: so much of it that a screen shows it and graphviz
 * draws it at once, unless --whole-graph asks for all.  The redder a node, the more local
 * time; the wider an arc, the more time.
 */
#include "fcdump/export-graph.h"
#include "fcdump/export.h"

#include <string.h>

enum
{
    NODES_MAX = 80,  /* as pprof */
    NAME_WIDTH = 32, /* characters of a name on one line */
    NAME_LINES = 4,
};

/* Of the whole: what takes less is left out.  As pprof has it. */
#define NODE_SHARE 0.005
#define ARC_SHARE 0.001

static double share_of(const FcModel *model, guint64 ns)
{
    return model->base_ns > 0 ? MIN((double)ns / (double)model->base_ns, 1.0) : 0.0;
}

/* ---- What is drawn --------------------------------------------------------------------- */

static int compare_local(gconstpointer a, gconstpointer b, gpointer model)
{
    const guint64 x = fc_model_function(model, *(const guint *)a)->figures.local_ns;
    const guint64 y = fc_model_function(model, *(const guint *)b)->figures.local_ns;
    return (x < y) - (x > y);
}

static int compare_total(gconstpointer a, gconstpointer b, gpointer model)
{
    const guint64 x = fc_model_function(model, *(const guint *)a)->figures.total_ns;
    const guint64 y = fc_model_function(model, *(const guint *)b)->figures.total_ns;
    return (x < y) - (x > y);
}

/* Of the functions that are large enough the half of NODES_MAX with most local time, and then those
 * with most total time until there are NODES_MAX. */
static gboolean *choose_nodes(const FcReportContext *context)
{
    const FcModel *model = context->model;
    const double least =
        context->options->min_percent > 0 ? context->options->min_percent / 100.0 : NODE_SHARE;
    gboolean *nodes = g_new0(gboolean, model->functions->len + 1);
    g_autoptr(GArray) large = g_array_new(FALSE, FALSE, sizeof(guint));
    guint chosen = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        if (function->shown && share_of(model, function->figures.total_ns) >= least)
            g_array_append_val(large, i);
    }
    g_array_sort_with_data(large, compare_local, (gpointer)model);
    for (; chosen < large->len && chosen < NODES_MAX / 2; chosen++)
        nodes[g_array_index(large, guint, chosen)] = TRUE;
    g_array_sort_with_data(large, compare_total, (gpointer)model);
    for (guint i = 0; i < large->len && chosen < NODES_MAX; i++)
    {
        gboolean *node = &nodes[g_array_index(large, guint, i)];
        chosen += *node ? 0 : 1;
        *node = TRUE;
    }
    return nodes;
}

/* ---- Nodes and arcs ------------------------------------------------------------------------ */

/* Breaks a long name at what separates its parts, and leaves the middle of a very long one out. */
static char *wrap_name(const char *name)
{
    g_autofree char *valid = g_utf8_make_valid(name, -1);
    const glong length = g_utf8_strlen(valid, -1);
    GString *text = g_string_new(NULL);
    glong column = 0;
    glong index = 0;
    for (const char *p = valid; *p != '\0'; p = g_utf8_next_char(p), index++)
    {
        const glong half = (glong)NAME_WIDTH * NAME_LINES / 2;
        if (length > 2 * half && index == half)
        {
            g_string_append(text, "...\n");
            p = g_utf8_offset_to_pointer(valid, length - half);
            index = length - half;
            column = 0;
        }
        if ((column > NAME_WIDTH / 2 && strchr(":<,( ", *p) && p[1] != '\0') ||
            column >= NAME_WIDTH)
        {
            const gboolean is_second = p > valid && *p == ':' && p[-1] == ':';
            if (!is_second)
                g_string_append_c(text, '\n');
            column = is_second ? column : 0;
        }
        g_string_append_len(text, p, g_utf8_next_char(p) - p);
        column++;
    }
    return g_string_free(text, FALSE);
}

static void put_node(const FcReportContext *context, guint index)
{
    FcFunction function = *fc_model_function(context->model, index);
    char saturation[G_ASCII_DTOSTR_BUF_SIZE];
    char size[G_ASCII_DTOSTR_BUF_SIZE];
    const double share = share_of(context->model, function.figures.local_ns);
    g_autofree char *name = wrap_name(function.name);
    function.name = name;
    g_autofree char *label = fc_export_label(context->model, &function);
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&amp;");
    g_ascii_formatd(saturation, sizeof saturation, "%.3f", share);
    g_ascii_formatd(size, sizeof size, "%.0f", 10 + 14 * share);
    fprintf(fc_render_file(context->render),
            "  f%u [label=%s, fillcolor=\"0.000 %s 1.000\", fontsize=%s];\n", index, quoted,
            saturation, size);
}

static void put_line(const FcReportContext *context, gint caller, guint callee, const char *label,
                     guint64 ns, const char *style)
{
    char width[G_ASCII_DTOSTR_BUF_SIZE];
    char shade[G_ASCII_DTOSTR_BUF_SIZE];
    const double share = share_of(context->model, ns);
    g_autofree char *quoted = fc_export_quote(label, "\\n", "&amp;");
    g_ascii_formatd(width, sizeof width, "%.1f", 1.0 + 4.0 * share);
    g_ascii_formatd(shade, sizeof shade, "%.3f", share);
    fprintf(fc_render_file(context->render),
            "  f%d -> f%u [label=%s, penwidth=%s, color=\"0.000 %s 0.600\"%s];\n", caller, callee,
            quoted, width, shade, style);
}

static void put_arc(const FcReportContext *context, const FcArc *arc)
{
    const char *via = fc_model_via(context->model, arc->via);
    g_autofree char *time = g_strchomp(fc_format_time(arc->total_ns));
    g_autofree char *label =
        g_strdup_printf("%" G_GUINT64_FORMAT "x\n%s%s%s%s", arc->calls, arc->at_most ? "<" : "",
                        time, via ? "\nvia " : "", via ? via : "");
    put_line(context, arc->caller, arc->callee, label, arc->total_ns, via ? ", style=dashed" : "");
}

/* ---- Calls by way of what is left out ------------------------------------------------------- */

static guint64 key_of(gint caller, gint callee)
{
    return (guint64)(guint)caller << 32 | (guint)callee;
}

/* The time that each drawn function took when the drawn function nearest above was no direct
 * caller: guint64 key -> guint64 ns. */
static GHashTable *find_indirect(const FcModel *model, const gboolean *nodes)
{
    GHashTable *indirect = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autoptr(FcStacks) stacks = fc_stacks_new(model);
    g_autofree guint64 *totals = fc_stacks_totals(stacks, FC_WEIGHT_TIME);
    g_autofree gint *above = g_new0(gint, stacks->nodes->len); /* drawn function, or FC_NONE */
    above[0] = FC_NONE;
    for (guint i = 1; i < stacks->nodes->len; i++)
    {
        const FcStackNode *node = fc_stacks_node(stacks, i);
        const FcStackNode *parent = fc_stacks_node(stacks, (guint)node->parent);
        const gboolean is_drawn = node->function >= 0 && nodes[node->function];
        const gint caller = above[node->parent];
        above[i] = is_drawn ? node->function : caller;
        if (!is_drawn || caller == FC_NONE || caller == parent->function)
            continue;
        const guint64 key = key_of(caller, node->function);
        guint64 *sum = g_hash_table_lookup(indirect, &key);
        if (sum)
            *sum += totals[i];
        else
            g_hash_table_insert(indirect, g_memdup2(&key, sizeof key),
                                g_memdup2(&totals[i], sizeof totals[i]));
    }
    return indirect;
}

static int compare_keys(gconstpointer a, gconstpointer b)
{
    const guint64 x = **(guint64 *const *)a;
    const guint64 y = **(guint64 *const *)b;
    return (x > y) - (x < y);
}

static void put_indirect(const FcReportContext *context, const gboolean *nodes)
{
    g_autoptr(GHashTable) indirect = find_indirect(context->model, nodes);
    g_autoptr(GPtrArray) keys = g_ptr_array_new();
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, indirect);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        g_ptr_array_add(keys, key);
    g_ptr_array_sort(keys, compare_keys);
    for (guint i = 0; i < keys->len; i++)
    {
        const guint64 *pair = keys->pdata[i];
        const guint64 ns = *(const guint64 *)g_hash_table_lookup(indirect, pair);
        g_autofree char *time = g_strchomp(fc_format_time(ns));
        g_autofree char *label = g_strdup_printf("...\n%s", time);
        if (share_of(context->model, ns) >= ARC_SHARE)
            put_line(context, (gint)(*pair >> 32), (guint)*pair, label, ns, ", style=dotted");
    }
}

/* ---- All of it --------------------------------------------------------------------------- */

static void put_pruned(const FcReportContext *context)
{
    const FcModel *model = context->model;
    FILE *out = fc_render_file(context->render);
    g_autofree gboolean *nodes = choose_nodes(context);
    guint count = 0;
    guint drawn = 0;
    guint shown = 0;
    guint small = 0;
    const FcArc *arcs = fc_callgraph_arcs(model->graph, &count);
    for (guint i = 0; i < model->functions->len; i++)
    {
        shown += fc_model_function(model, i)->shown ? 1 : 0;
        drawn += nodes[i] ? 1 : 0;
        if (nodes[i])
            put_node(context, i);
    }
    for (guint i = 0; i < count; i++)
    {
        if (arcs[i].caller == FC_NONE || !nodes[arcs[i].caller] || !nodes[arcs[i].callee])
            continue;
        if (share_of(model, arcs[i].total_ns) >= ARC_SHARE)
            put_arc(context, &arcs[i]);
        else
            small++;
    }
    put_indirect(context, nodes);
    if (drawn < shown || small > 0)
    {
        g_autofree char *text =
            g_strdup_printf("%u of %u functions; left out: %u functions, and %u arcs between those "
                            "drawn",
                            drawn, shown, shown - drawn, small);
        fprintf(out, "  label=\"%s\";\n", text);
        fc_export_note(context, "--dot: %s; --whole-graph draws all", text);
    }
}

void fc_export_dot(const FcReportContext *context)
{
    FILE *out = fc_render_file(context->render);
    fputs("digraph functioncheck {\n"
          "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
          "  edge [fontname=\"sans-serif\", fontsize=10];\n",
          out);
    if (context->options->whole_graph)
        fc_export_graph(context, put_node, put_arc);
    else
    {
        fputs("  size=\"18,10\";\n", out); /* inches: a screen */
        put_pruned(context);
    }
    fputs("}\n", out);
    fc_export_note_lost(context, "dot",
                        FC_LOST_CONTEXTS | FC_LOST_SITES | FC_LOST_BOUNDS | FC_LOST_THREADS |
                            FC_LOST_PROCESSES | FC_LOST_MEMORY | FC_LOST_NOTES | FC_LOST_MARKS);
}
