/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chains functions that call each other often.  See fc_gorder_place() in reports.h.
 */
#include "fcgprof/reports.h"

static const double HOT_SHARE = 0.99; /* of all calls; rarer arcs wait */

static gboolean is_alone(const FcGSym *sym)
{
    return !sym->order_next && !sym->order_prev;
}

/* The end of the chain that `sym` is in, and how far it is.  Links that copies of symbols
 * start with (see symspec.c) can lead in a circle; the walk ends then, anywhere. */
static FcGSym *end_of(FcGSym *sym, gboolean is_forward, guint *distance)
{
    const FcGSym *mark = sym;

    for (*distance = 0;; ++*distance)
    {
        FcGSym *next = is_forward ? sym->order_next : sym->order_prev;

        if (!next || next == mark)
            return sym;
        sym = next;
        if ((*distance & (*distance + 1)) == 0)
            mark = sym;
    }
}

static FcGSym *last_of(FcGSym *sym, guint *distance)
{
    return end_of(sym, TRUE, distance);
}

static FcGSym *first_of(FcGSym *sym, guint *distance)
{
    return end_of(sym, FALSE, distance);
}

/* The far end of the chain in the one direction that it has. */
static const FcGSym *other_end(FcGSym *sym)
{
    guint ignored;

    return sym->order_next ? last_of(sym, &ignored) : first_of(sym, &ignored);
}

/* Links caller and callee, or the nearest free ends of their chains.  False if there
 * is no room. */
static gboolean link_arc(FcGArc *arc)
{
    FcGSym *parent = arc->parent, *child = arc->child, *first, *last;
    guint to_first, to_last;

    if (parent->order_next && parent->order_prev && child->order_next && child->order_prev)
        return FALSE;
    if (is_alone(parent))
    {
        last = last_of(child, &to_last);
        first = first_of(child, &to_first);
        child = to_last < to_first ? last : first;
    }
    else if (is_alone(child))
    {
        last = last_of(parent, &to_last);
        first = first_of(parent, &to_first);
        parent = to_first < to_last ? first : last;
    }
    else
    {
        return FALSE;
    }
    if (other_end(parent) == child && other_end(child) == parent)
        return FALSE;
    if (parent->order_next ? !child->order_next : !parent->order_prev && child->order_prev)
    {
        parent->order_prev = child;
        child->order_next = parent;
        arc->is_placed = TRUE;
    }
    else if (!parent->order_next && !child->order_prev)
    {
        parent->order_next = child;
        child->order_prev = parent;
        arc->is_placed = TRUE;
    }
    return TRUE;
}

static gboolean has_placed_end(const FcGArc *arc)
{
    return arc->parent->is_placed || arc->child->is_placed;
}

static void print_chains(FcGModel *model, const GPtrArray *arcs)
{
    for (guint i = 0; i < arcs->len; i++)
    {
        const FcGArc *arc = g_ptr_array_index(arcs, i);
        FcGSym *sym = arc->parent;
        guint ignored;

        if (has_placed_end(arc) || is_alone(sym))
            continue;
        sym = first_of(sym, &ignored);
        gboolean is_circle = last_of(sym, &ignored)->order_next != NULL;
        for (; sym && !(is_circle && sym->is_placed); sym = sym->order_next)
        {
            sym->is_placed = TRUE;
            fprintf(model->out, "%s\n", sym->name);
        }
    }
}

void fc_gorder_place(FcGModel *model, const GPtrArray *arcs, gboolean is_all, GPtrArray *unplaced)
{
    guint64 total = 0, seen = 0;

    for (guint i = 0; i < arcs->len; i++)
        total += ((const FcGArc *)g_ptr_array_index(arcs, i))->count;
    for (guint i = 0; i < arcs->len; i++)
    {
        FcGArc *arc = g_ptr_array_index(arcs, i);

        seen += arc->count;
        if (arc->is_placed)
            continue;
        gboolean is_rare = !is_all && (double)seen / (double)total > HOT_SHARE;
        if ((is_rare || has_placed_end(arc) || !link_arc(arc)) && unplaced)
            g_ptr_array_add(unplaced, arc);
    }
    print_chains(model, arcs);
    for (guint i = 0; is_all && i < arcs->len; i++)
    {
        const FcGArc *arc = g_ptr_array_index(arcs, i);

        if (has_placed_end(arc))
            continue;
        arc->parent->is_placed = TRUE;
        fprintf(model->out, "%s\n", arc->parent->name);
    }
}
