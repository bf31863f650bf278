/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is drawn of the call graph; see drawing.h.
 */
#include "fcdump/drawing.h"

#include "model/stacks.h"

enum
{
    NODES_MAX = 80, /* as pprof */
    NODES_LEAST = 4,
    CHAIN_LEAST = 3, /* functions that are one node */
};

/* The least part of all time for a node or an arc, as in pprof. */
#define NODE_SHARE 0.005
#define ARC_SHARE 0.001
/* A function with a larger part of local time is not merged into a chain. */
#define CHAIN_SHARE 0.01
#define ARCS_PER_NODE 1.6

static double share_of(const FcModel *model, guint64 ns)
{
    return model->base_ns > 0 ? MIN((double)ns / (double)model->base_ns, 1.0) : 0.0;
}

static void clear_node(gpointer data)
{
    g_free(((FcDrawnNode *)data)->label);
}

void fc_drawing_free(FcDrawing *drawing)
{
    if (!drawing)
        return;
    g_array_unref(drawing->nodes);
    g_array_unref(drawing->arcs);
    g_free(drawing);
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* Those that are large enough, by total time: guint. */
static GArray *find_large(const FcReportContext *context, double least)
{
    const FcModel *model = context->model;
    GArray *large = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        if (function->shown && share_of(model, function->figures.times.total_ns) >= least)
            g_array_append_val(large, i);
    }
    g_array_sort_with_data(large, fc_model_compare_total, (gpointer)model);
    return large;
}

/* Chooses `most` functions: three quarters of them by local time, as users look for these, the rest
 * by total time.  In order of total time. */
static void choose_functions(FcDrawing *drawing, const FcReportContext *context,
                             const GArray *large, guint most)
{
    const FcModel *model = context->model;
    g_autofree gboolean *chosen = g_new0(gboolean, model->functions->len + 1);
    g_autoptr(GArray) by_local = g_array_copy((GArray *)large);
    guint count = 0;
    g_array_sort_with_data(by_local, fc_model_compare_local, (gpointer)model);
    for (; count < by_local->len && count < most * 3 / 4; count++)
        chosen[g_array_index(by_local, guint, count)] = TRUE;
    for (guint i = 0; i < large->len && count < most; i++)
    {
        gboolean *is_chosen = &chosen[g_array_index(large, guint, i)];
        count += *is_chosen ? 0 : 1;
        *is_chosen = TRUE;
    }
    for (guint i = 0; i < large->len; i++)
    {
        const guint function = g_array_index(large, guint, i);
        FcDrawnNode node = {.function = function, .last = function, .count = 1};
        node.local_ns = fc_model_function(model, function)->figures.times.local_ns;
        if (chosen[function])
            g_array_append_val(drawing->nodes, node);
    }
    drawing->functions = drawing->nodes->len;
}

/* ---- Arcs ----------------------------------------------------------------------------------- */

/* The node of each function of the model, or FC_NONE. */
static gint *number_nodes(const FcDrawing *drawing, const FcModel *model)
{
    gint *node_of = g_new(gint, model->functions->len + 1);
    for (guint i = 0; i < model->functions->len; i++)
        node_of[i] = FC_NONE;
    for (guint i = 0; i < drawing->nodes->len; i++)
        node_of[fc_drawing_node(drawing, i)->function] = (gint)i;
    return node_of;
}

static void add_direct(FcDrawing *drawing, const FcModel *model, double least, const gint *node_of)
{
    guint count = 0;
    const FcArc *arcs = fc_callgraph_arcs(model->graph, &count);
    for (guint i = 0; i < count; i++)
    {
        if (arcs[i].caller == FC_NONE || node_of[arcs[i].caller] == FC_NONE ||
            node_of[arcs[i].callee] == FC_NONE)
            continue;
        const FcDrawnArc arc = {.from = (guint)node_of[arcs[i].caller],
                                .to = (guint)node_of[arcs[i].callee],
                                .ns = arcs[i].total_ns,
                                .arc = &arcs[i]};
        if (share_of(model, arc.ns) >= least)
            g_array_append_val(drawing->arcs, arc);
        else
            drawing->small_arcs++;
    }
}

/* By pair of drawn functions (guint64: both node numbers), the time in ns of the lower one when
 * only functions that are not drawn were between them. */
static GHashTable *find_indirect(const FcStacks *stacks, const guint64 *totals, const gint *node_of)
{
    GHashTable *indirect = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_autofree gint *above = g_new0(gint, stacks->nodes->len); /* drawn node, or FC_NONE */
    above[0] = FC_NONE;
    for (guint i = 1; i < stacks->nodes->len; i++)
    {
        const FcStackNode *node = fc_stacks_node(stacks, i);
        const FcStackNode *parent = fc_stacks_node(stacks, (guint)node->parent);
        const gint drawn = node->function >= 0 ? node_of[node->function] : FC_NONE;
        const gint caller = above[node->parent];
        above[i] = drawn != FC_NONE ? drawn : caller;
        if (drawn == FC_NONE || caller == FC_NONE ||
            (parent->function >= 0 && caller == node_of[parent->function]))
            continue;
        const guint64 key = (guint64)(guint)caller << 32 | (guint)drawn;
        guint64 *sum = g_hash_table_lookup(indirect, &key);
        if (sum)
            *sum += totals[i];
        else
            g_hash_table_insert(indirect, g_memdup2(&key, sizeof key),
                                g_memdup2(&totals[i], sizeof totals[i]));
    }
    return indirect;
}

static void add_indirect(FcDrawing *drawing, const FcModel *model, const FcStacks *stacks,
                         const guint64 *totals, const gint *node_of)
{
    g_autoptr(GHashTable) indirect = find_indirect(stacks, totals, node_of);
    GHashTableIter iter;
    gpointer key;
    gpointer ns;
    g_hash_table_iter_init(&iter, indirect);
    while (g_hash_table_iter_next(&iter, &key, &ns))
    {
        const guint64 pair = *(const guint64 *)key;
        const FcDrawnArc arc = {
            .from = (guint)(pair >> 32), .to = (guint)pair, .ns = *(const guint64 *)ns};
        if (share_of(model, arc.ns) >= ARC_SHARE)
            g_array_append_val(drawing->arcs, arc);
    }
}

static int compare_arcs(gconstpointer a, gconstpointer b)
{
    const FcDrawnArc *x = a;
    const FcDrawnArc *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->arc > y->arc) - (x->arc < y->arc);
}

/* Whether a way leads from one node to another without that arc. */
static gboolean is_way_around(const FcDrawing *drawing, guint without)
{
    const FcDrawnArc *gone = fc_drawing_arc(drawing, without);
    g_autofree gboolean *seen = g_new0(gboolean, drawing->nodes->len);
    g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_val(queue, gone->from);
    for (guint next = 0; next < queue->len; next++)
        for (guint i = 0; i < drawing->arcs->len; i++)
        {
            const FcDrawnArc *arc = fc_drawing_arc(drawing, i);
            if (i == without || arc->is_gone || arc->from != g_array_index(queue, guint, next) ||
                seen[arc->to])
                continue;
            if (arc->to == gone->to)
                return TRUE;
            seen[arc->to] = TRUE;
            g_array_append_val(queue, arc->to);
        }
    return FALSE;
}

/* Deletes arcs whose nodes another way connects, as pprof does: all that pass functions which are
 * not drawn, then the lightest ones until there are few enough. */
static void drop_arcs(FcDrawing *drawing)
{
    guint left = drawing->arcs->len;
    for (guint i = drawing->arcs->len; i-- > 0;)
    {
        FcDrawnArc *arc = fc_drawing_arc(drawing, i);
        if (!arc->arc && is_way_around(drawing, i))
        {
            arc->is_gone = TRUE;
            left--;
        }
    }
    const guint most = (guint)(ARCS_PER_NODE * drawing->nodes->len);
    for (guint i = drawing->arcs->len; i-- > 0 && left > most;)
    {
        FcDrawnArc *arc = fc_drawing_arc(drawing, i);
        if (arc->is_gone || !is_way_around(drawing, i))
            continue;
        arc->is_gone = TRUE;
        drawing->small_arcs += arc->arc ? 1 : 0;
        left--;
    }
}

/* ---- Chains --------------------------------------------------------------------------------- */

/* For each node, its only callee if it is the only caller of that; otherwise FC_NONE. */
static gint *find_links(const FcDrawing *drawing, const FcModel *model)
{
    const guint count = drawing->nodes->len;
    gint *next = g_new(gint, count + 1);
    g_autofree guint *callers = g_new0(guint, count + 1);
    g_autofree guint *callees = g_new0(guint, count + 1);
    for (guint i = 0; i < count; i++)
        next[i] = FC_NONE;
    for (guint i = 0; i < drawing->arcs->len; i++)
    {
        const FcDrawnArc *arc = fc_drawing_arc(drawing, i);
        callees[arc->from] += arc->is_gone ? 0 : 1;
        callers[arc->to] += arc->is_gone ? 0 : 1;
    }
    for (guint i = 0; i < drawing->arcs->len; i++)
    {
        const FcDrawnArc *arc = fc_drawing_arc(drawing, i);
        const FcDrawnNode *from = fc_drawing_node(drawing, arc->from);
        const FcDrawnNode *to = fc_drawing_node(drawing, arc->to);
        if (!arc->is_gone && arc->arc && !arc->arc->via && callees[arc->from] == 1 &&
            callers[arc->to] == 1 && share_of(model, from->local_ns) < CHAIN_SHARE &&
            share_of(model, to->local_ns) < CHAIN_SHARE)
            next[arc->from] = (gint)arc->to;
    }
    return next;
}

static void fold_chain(FcDrawing *drawing, guint first, const gint *next)
{
    FcDrawnNode *head = fc_drawing_node(drawing, first);
    guint last = first;
    for (; next[last] != FC_NONE; last = (guint)next[last])
    {
        FcDrawnNode *node = fc_drawing_node(drawing, (guint)next[last]);
        node->is_inside = TRUE;
        head->local_ns += node->local_ns;
        head->count++;
    }
    head->last = fc_drawing_node(drawing, last)->function;
    for (guint i = 0; i < drawing->arcs->len; i++)
    {
        FcDrawnArc *arc = fc_drawing_arc(drawing, i);
        const gboolean is_inside = fc_drawing_node(drawing, arc->from)->is_inside;
        if (next[arc->from] == (gint)arc->to)
            arc->is_gone = arc->is_gone || is_inside || arc->from == first;
        else if (arc->from == last)
            arc->from = first;
    }
}

static void fold_chains(FcDrawing *drawing, const FcModel *model)
{
    g_autofree gint *next = find_links(drawing, model);
    g_autofree gboolean *is_head = g_new0(gboolean, drawing->nodes->len + 1);
    for (guint i = 0; i < drawing->nodes->len; i++)
        is_head[i] = next[i] != FC_NONE;
    for (guint i = 0; i < drawing->nodes->len; i++)
        if (next[i] != FC_NONE)
            is_head[next[i]] = FALSE;
    for (guint i = 0; i < drawing->nodes->len; i++)
    {
        guint count = 1;
        for (guint node = i; is_head[i] && next[node] != FC_NONE; node = (guint)next[node])
            count++;
        if (count >= CHAIN_LEAST)
            fold_chain(drawing, i, next);
    }
}

/* ---- All of it ------------------------------------------------------------------------------ */

static FcDrawing *draw(const FcReportContext *context, const GArray *large, const FcStacks *stacks,
                       const guint64 *totals, guint most)
{
    FcDrawing *drawing = g_new0(FcDrawing, 1);
    drawing->nodes = g_array_new(FALSE, FALSE, sizeof(FcDrawnNode));
    g_array_set_clear_func(drawing->nodes, clear_node);
    drawing->arcs = g_array_new(FALSE, FALSE, sizeof(FcDrawnArc));
    choose_functions(drawing, context, large, most);
    g_autofree gint *node_of = number_nodes(drawing, context->model);
    add_direct(drawing, context->model, most == FC_TOP_ALL ? 0.0 : ARC_SHARE, node_of);
    add_indirect(drawing, context->model, stacks, totals, node_of);
    g_array_sort(drawing->arcs, compare_arcs);
    return drawing;
}

static gboolean fits_somehow(FcDrawing *drawing)
{
    fc_drawing_rank(drawing, FALSE);
    if (fc_drawing_fits(drawing))
        return TRUE;
    fc_drawing_rank(drawing, TRUE);
    return fc_drawing_fits(drawing);
}

/* Makes the drawing of `most` functions.  If it does not fit a screen, drops arcs and folds chains.
 * `fits`: whether it fits then. */
static FcDrawing *draw_small(const FcReportContext *context, const GArray *large,
                             const FcStacks *stacks, const guint64 *totals, guint most,
                             gboolean *fits)
{
    FcDrawing *drawing = draw(context, large, stacks, totals, most);
    fc_drawing_describe(context, drawing);
    *fits = fits_somehow(drawing);
    if (*fits)
        return drawing;
    drop_arcs(drawing);
    fold_chains(drawing, context->model);
    fc_drawing_describe(context, drawing);
    *fits = fits_somehow(drawing);
    return drawing;
}

FcDrawing *fc_drawing_new(const FcReportContext *context, guint most)
{
    const FcOptions *options = context->options;
    const double least = options->has_min ? options->min_percent / 100.0 : NODE_SHARE;
    g_autoptr(GArray) large = find_large(context, most == 0 || options->has_min ? least : 0.0);
    g_autoptr(FcStacks) stacks = fc_stacks_new(context->model);
    g_autofree guint64 *totals = fc_stacks_totals(stacks, FC_WEIGHT_TIME);
    gboolean fits = FALSE;
    if (most > 0)
    {
        FcDrawing *drawing = draw(context, large, stacks, totals, most);
        fc_drawing_describe(context, drawing);
        return drawing;
    }
    guint low = NODES_LEAST;
    guint high = MIN(NODES_MAX, MAX(large->len, NODES_LEAST));
    g_autoptr(FcDrawing) best = draw_small(context, large, stacks, totals, high, &fits);
    if (fits)
        return g_steal_pointer(&best);
    while (low + 1 < high) /* more fit as a rule, not always, when more are left out */
    {
        const guint middle = (low + high) / 2;
        FcDrawing *drawing = draw_small(context, large, stacks, totals, middle, &fits);
        if (fits || middle == NODES_LEAST + 1)
        {
            fc_drawing_free(best);
            best = drawing;
        }
        else
            fc_drawing_free(drawing);
        low = fits ? middle : low;
        high = fits ? high : middle;
    }
    return g_steal_pointer(&best);
}
