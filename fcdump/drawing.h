/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * As much of the call graph as fits a screen in readable letters: which functions and arcs are
 * drawn, and which chains of calls are one node.  Made by the export for graphviz, which writes it;
 * drawing-fit.c says whether it fits.  Nothing here prints.
 */
#pragma once

#include "fcdump/report.h"

typedef struct
{
    guint function; /* number in the model; of a chain of calls, the first */
    guint last;     /* the last of the chain; otherwise the same */
    guint count;    /* functions in it */
    guint64 local_ns;
    gboolean is_inside; /* it is part of another node's chain: not drawn */
    char *label;        /* owned, its lines separated by '\n' */
    double font_points;
    guint rank; /* 0 at the top */
} FcDrawnNode;

typedef struct
{
    guint from; /* numbers of nodes */
    guint to;
    guint64 ns;
    const FcArc *arc; /* the model's; NULL: calls through functions that are not drawn */
    gboolean is_back; /* against the order of the ranks */
    gboolean is_gone; /* not drawn: too many, or within a chain */
} FcDrawnArc;

typedef struct
{
    GArray *nodes;        /* FcDrawnNode, those with most total time first */
    GArray *arcs;         /* FcDrawnArc, those with most time first */
    guint functions;      /* number drawn, with those in chains */
    guint small_arcs;     /* number left out between these */
    gboolean is_sideways; /* ranks go from left to right */
} FcDrawing;

/* Draws `most` functions and the arcs between them; 0: as many as fit a screen.  The caller owns
 * the result, which refers to arcs of the model. */
FcDrawing *fc_drawing_new(const FcReportContext *context, guint most);
void fc_drawing_free(FcDrawing *drawing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FcDrawing, fc_drawing_free)

static inline FcDrawnNode *fc_drawing_node(const FcDrawing *drawing, guint index)
{
    return &g_array_index(drawing->nodes, FcDrawnNode, index);
}

static inline FcDrawnArc *fc_drawing_arc(const FcDrawing *drawing, guint index)
{
    return &g_array_index(drawing->arcs, FcDrawnArc, index);
}

/* ---- drawing-label.c ------------------------------------------------------------------------- */

/* Gives each drawn node its label and its font size, which grows with local time. */
void fc_drawing_describe(const FcReportContext *context, FcDrawing *drawing);

/* ---- drawing-fit.c ------------------------------------------------------------------------ */

/* A screen in inches, and how graphviz is told to set its nodes, in inches and points. */
#define FC_SCREEN_WIDTH 20.0
#define FC_SCREEN_HEIGHT 11.25
#define FC_DRAWING_RANK_GAP 0.3
#define FC_DRAWING_NODE_GAP 0.12
#define FC_DRAWING_ARC_POINTS 8.0

/* Gives each node its rank and marks the arcs that lead back.  Functions that call nothing go where
 * there is room below their callers. */
void fc_drawing_rank(FcDrawing *drawing, gboolean is_sideways);
/* Whether graphviz should need no more than a screen for it. */
gboolean fc_drawing_fits(const FcDrawing *drawing);
