/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps arcs.  See arcs.h.
 */
#include "fcgprof/arcs.h"

static guint hash_ends(gconstpointer key)
{
    const FcGArc *arc = key;
    guint64 hash = (guint64)(gsize)arc->parent * 0x9e3779b97f4a7c15u ^
                   ((guint64)(gsize)arc->child >> 4) * 0xc2b2ae3d27d4eb4fu;

    return (guint)(hash >> 32);
}

static gboolean have_same_ends(gconstpointer a, gconstpointer b)
{
    const FcGArc *left = a, *right = b;

    return left->parent == right->parent && left->child == right->child;
}

GHashTable *fc_garc_set_new(void)
{
    return g_hash_table_new(hash_ends, have_same_ends);
}

FcGArc *fc_garc_find(const FcGModel *model, const FcGSym *parent, const FcGSym *child)
{
    const FcGArc key = {.parent = (FcGSym *)parent, .child = (FcGSym *)child};

    return model->arc_table ? g_hash_table_lookup(model->arc_table, &key) : NULL;
}

/* An arc to a line's symbol is not apart from one to the function, or the label, that has the
 * line in its range. */
static FcGArc *find_enclosing(const FcGModel *model, const FcGSym *parent, const FcGSym *child)
{
    const FcGSym *sym = child;

    if (!model->options->by_line || child->is_func || child < model->symtab.syms ||
        child >= model->symtab.syms + model->symtab.len)
        return NULL;
    while (sym > model->symtab.syms)
    {
        sym--;
        if (sym->end_addr >= child->end_addr)
            return fc_garc_find(model, parent, sym);
        if (sym->is_func)
            break;
    }
    return NULL;
}

void fc_garc_add(FcGModel *model, FcGSym *parent, FcGSym *child, guint64 count)
{
    FcGArc *arc = fc_garc_find(model, parent, child);

    if (!arc)
        arc = find_enclosing(model, parent, child);
    if (arc)
    {
        arc->count += count;
        return;
    }
    arc = fc_gmodel_alloc(model, sizeof *arc);
    arc->parent = parent;
    arc->child = child;
    arc->count = count;
    arc->next_child = parent->children;
    parent->children = arc;
    arc->next_parent = child->parents;
    child->parents = arc;
    if (!model->arc_table)
        model->arc_table = fc_garc_set_new();
    g_hash_table_add(model->arc_table, arc);
    if (parent != child)
        g_ptr_array_add(model->arcs, arc);
}
