/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a drawing's nodes go, and how large it gets; see drawing.h.  The ranks are
 * given to graphviz.  Widths of letters are estimated, so its drawing may differ by some percent.
 */
#include "fcdump/drawing.h"

#define POINTS_PER_INCH 72.0
#define LETTER_WIDTH 0.58 /* average, as a part of the letter's height */
#define LINE_HEIGHT 1.2
#define NODE_MARGIN                                                                                \
    20.0 /* points, left and right together: export-dot.c asks for 0.14 inches each */
#define NODE_GAP (FC_DRAWING_NODE_GAP * POINTS_PER_INCH)
/* Points that an arc takes beside the nodes of a rank that it passes. */
#define PASSING_DOWN 32.0
#define PASSING_SIDEWAYS 22.0
#define LABEL_LETTERS 16 /* of an arc's label */
#define FULL 0.75        /* of a rank: leaves fill no more, since arcs pass it */
#define SLACK 0.92       /* of a rank's room, as letters differ */

/* In points.  `along`: from rank to rank; `across`: within a rank. */
typedef struct
{
    double across;
    double along;
} Size;

/* The size of a screen. */
static Size size_of_screen(const FcDrawing *drawing)
{
    const Size size = {FC_SCREEN_WIDTH * POINTS_PER_INCH, FC_SCREEN_HEIGHT * POINTS_PER_INCH};
    return drawing->is_sideways ? (Size){size.along, size.across} : size;
}

static double passing_of(const FcDrawing *drawing)
{
    return drawing->is_sideways ? PASSING_SIDEWAYS : PASSING_DOWN;
}

/* The distance of two ranks, with room for the labels of arcs. */
static double gap_of(const FcDrawing *drawing)
{
    const double label = drawing->is_sideways ? LABEL_LETTERS * LETTER_WIDTH : LINE_HEIGHT;
    return FC_DRAWING_RANK_GAP * POINTS_PER_INCH + label * FC_DRAWING_ARC_POINTS;
}

static Size size_of(const FcDrawing *drawing, const FcDrawnNode *node)
{
    double width = 0.0;
    double height = NODE_MARGIN;
    g_auto(GStrv) lines = g_strsplit(node->label, "\n", -1);
    for (guint i = 0; lines[i]; i++)
    {
        const double letters = (double)g_utf8_strlen(lines[i], -1);
        width = MAX(width, letters * LETTER_WIDTH * node->font_points + NODE_MARGIN);
        height += LINE_HEIGHT * node->font_points;
    }
    return drawing->is_sideways ? (Size){height + NODE_GAP, width}
                                : (Size){width + NODE_GAP, height};
}

static gboolean is_drawn(const FcDrawnArc *arc)
{
    return !arc->is_gone && !arc->is_back && arc->from != arc->to;
}

/* ---- Ranks ------------------------------------------------------------------------------- */

typedef enum
{
    NEW,
    OPEN, /* on the current path of the search */
    DONE,
} State;

/* Searches depth first.  Marks the arcs that lead back to a node on the current path.  `order` gets
 * the nodes, each before those that it calls. */
static void visit(FcDrawing *drawing, guint node, State *states, GArray *order)
{
    states[node] = OPEN;
    for (guint i = 0; i < drawing->arcs->len; i++)
    {
        FcDrawnArc *arc = fc_drawing_arc(drawing, i);
        if (arc->from != node || arc->is_gone || arc->to == node)
            continue;
        if (states[arc->to] == OPEN)
            arc->is_back = TRUE;
        else if (states[arc->to] == NEW)
            visit(drawing, arc->to, states, order);
    }
    states[node] = DONE;
    g_array_prepend_val(order, node);
}

/* Puts each node that calls nothing into the first rank below its callers that has room. */
static void place_leaves(FcDrawing *drawing, const GArray *order)
{
    const guint count = drawing->nodes->len;
    const double room = size_of_screen(drawing).across;
    g_autofree gboolean *calls = g_new0(gboolean, count + 1);
    g_autofree double *used = g_new0(double, count + 1);
    guint ranks = 1;
    for (guint i = 0; i < drawing->arcs->len; i++)
        if (is_drawn(fc_drawing_arc(drawing, i)))
            calls[fc_drawing_arc(drawing, i)->from] = TRUE;
    for (guint i = 0; i < count; i++)
    {
        const FcDrawnNode *node = fc_drawing_node(drawing, i);
        ranks = MAX(ranks, node->rank + 1);
        if (!node->is_inside && (calls[i] || node->rank == 0))
            used[node->rank] += size_of(drawing, node).across;
    }
    for (guint i = 0; i < order->len; i++)
    {
        const guint index = g_array_index(order, guint, i);
        FcDrawnNode *node = fc_drawing_node(drawing, index);
        if (node->is_inside || calls[index] || node->rank == 0)
            continue;
        const double across = size_of(drawing, node).across;
        guint best = node->rank;
        for (guint rank = node->rank; rank <= ranks && rank < count; rank++)
        {
            if (used[best] + across <= room * FULL)
                break;
            if (used[rank] < used[best])
                best = rank;
        }
        used[best] += across;
        for (guint rank = node->rank; rank < best; rank++)
            used[rank] += passing_of(drawing);
        node->rank = best;
        ranks = MAX(ranks, best + 1);
    }
}

void fc_drawing_rank(FcDrawing *drawing, gboolean is_sideways)
{
    drawing->is_sideways = is_sideways;
    g_autofree State *states = g_new0(State, drawing->nodes->len + 1);
    g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = drawing->nodes->len; i-- > 0;)
        fc_drawing_node(drawing, i)->rank = 0;
    for (guint i = 0; i < drawing->arcs->len; i++)
        fc_drawing_arc(drawing, i)->is_back = FALSE;
    for (guint i = 0; i < drawing->nodes->len; i++)
        if (states[i] == NEW && !fc_drawing_node(drawing, i)->is_inside)
            visit(drawing, i, states, order);
    for (guint i = 0; i < order->len; i++)
    {
        const guint from = g_array_index(order, guint, i);
        for (guint j = 0; j < drawing->arcs->len; j++)
        {
            const FcDrawnArc *arc = fc_drawing_arc(drawing, j);
            FcDrawnNode *to = fc_drawing_node(drawing, arc->to);
            if (arc->from == from && is_drawn(arc))
                to->rank = MAX(to->rank, fc_drawing_node(drawing, from)->rank + 1);
        }
    }
    place_leaves(drawing, order);
}

/* ---- Size --------------------------------------------------------------------------------- */

gboolean fc_drawing_fits(const FcDrawing *drawing)
{
    const guint count = drawing->nodes->len;
    const Size screen = size_of_screen(drawing);
    g_autofree Size *ranks = g_new0(Size, count + 1);
    Size whole = {0.0, 0.0};
    for (guint i = 0; i < count; i++)
    {
        const FcDrawnNode *node = fc_drawing_node(drawing, i);
        if (node->is_inside)
            continue;
        const Size size = size_of(drawing, node);
        ranks[node->rank].across += size.across;
        ranks[node->rank].along = MAX(ranks[node->rank].along, size.along);
    }
    for (guint i = 0; i < drawing->arcs->len; i++)
    {
        const FcDrawnArc *arc = fc_drawing_arc(drawing, i);
        const guint from = fc_drawing_node(drawing, arc->from)->rank;
        const guint to = fc_drawing_node(drawing, arc->to)->rank;
        for (guint rank = MIN(from, to) + 1; !arc->is_gone && rank < MAX(from, to); rank++)
            ranks[rank].across += passing_of(drawing);
    }
    for (guint i = 0; i < count && ranks[i].along > 0; i++)
    {
        whole.across = MAX(whole.across, ranks[i].across);
        whole.along += ranks[i].along + (i > 0 ? gap_of(drawing) : 0.0);
    }
    return whole.across <= SLACK * screen.across && whole.along <= screen.along;
}
