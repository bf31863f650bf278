/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times of functions and arcs, out of the tree of calling contexts.  See profile.h.
 *
 * A context's own time belongs to one path of calls, so what a function, and all that it
 * called, took on behalf of one caller is the sum over the contexts in which that caller
 * called it: nothing is shared out.  Contexts are never nested for one function, since the
 * profile counts recursive calls where the function is on the path already.
 */
#include "fcgprof/profile.h"

#include "fcgprof/arcs.h"
#include "fcgprof/symspec.h"

/* A context, or one that was folded into `target`. */
typedef struct
{
    FcGSym *sym;
    guint parent;         /* target of the parent; G_MAXUINT: none, or the arc is left out */
    guint target;         /* itself, or the one above that has the same symbol */
    gboolean is_outside;  /* called while no profiled function was active */
    gboolean is_counted;  /* -n and -N */
    gboolean is_overflow; /* the caller is not known: there were too many contexts */
    double local;
    double time; /* of the function, and of those in its cycle that it called */
    double rest; /* of everything else that it called */
} Node;

typedef struct
{
    FcGProfile *profile;
    FcGModel *model;
    FcGLineArcs *lines; /* or NULL */
    Node *nodes;
    guint n;
    gboolean has_shared_syms; /* one symbol for several functions: nesting is possible */
} Sums;

static const FcProfileContext *context_at(const Sums *sums, guint index)
{
    return &g_array_index(fc_gprofile_data(sums->profile)->contexts, FcProfileContext, index);
}

/* ---- The tree ------------------------------------------------------------------------ */

/* The node at or above `index` with that symbol, or G_MAXUINT. */
static guint find_above(const Sums *sums, guint index, const FcGSym *sym)
{
    while (index != G_MAXUINT && sums->nodes[index].sym != sym)
        index = sums->has_shared_syms ? sums->nodes[index].parent : G_MAXUINT;
    return index;
}

static gboolean counts_time(const Sums *sums, const Node *node)
{
    const FcGSpecs *specs = sums->model->specs;
    guint64 addr = node->sym->addr;

    if (node->parent == G_MAXUINT || !sums->nodes[node->parent].is_counted)
        return fc_gspecs_selects(specs, FC_GTABLE_INCL_TIME, FC_GTABLE_EXCL_TIME, addr);
    return fc_gspecs_has(specs, FC_GTABLE_INCL_TIME, addr) ||
           !fc_gspecs_has(specs, FC_GTABLE_EXCL_TIME, addr);
}

static void make_node(Sums *sums, guint index)
{
    const FcProfileContext *context = context_at(sums, index);
    Node *node = &sums->nodes[index];
    guint parent = G_MAXUINT, same;

    node->sym = sums->profile->syms[context->function];
    node->target = index;
    node->parent = G_MAXUINT;
    node->local = (double)context->local_ns;
    if (!node->sym)
        return;
    if (context->parent != FC_NONE)
        parent = sums->nodes[context->parent].target;
    same = find_above(sums, parent, node->sym);
    if (same != G_MAXUINT)
    {
        node->target = same;
        sums->nodes[same].local += node->local;
        return;
    }
    node->is_overflow = parent == G_MAXUINT && fc_profile_is_folded(context);
    node->is_outside = parent == G_MAXUINT && !node->is_overflow;
    if (parent != G_MAXUINT && sums->nodes[parent].sym &&
        fc_gprofile_find_arc(sums->profile, sums->lines, &context->site, sums->nodes[parent].sym,
                             node->sym))
        node->parent = parent;
    node->is_counted = counts_time(sums, node);
}

static void make_tree(Sums *sums)
{
    const FcProfile *data = fc_gprofile_data(sums->profile);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i < data->functions->len; i++)
        sums->has_shared_syms |=
            sums->profile->syms[i] && !g_hash_table_add(seen, sums->profile->syms[i]);
    sums->n = data->contexts->len;
    sums->nodes = g_new0(Node, sums->n + 1);
    for (guint i = 0; i < sums->n; i++)
        make_node(sums, i);
}

/* ---- Adding up ------------------------------------------------------------------------ */

void fc_gprofile_credit_own(FcGModel *model, FcGSym *sym, double time)
{
    sym->fraction = 1.0;
    sym->prop_self += time;
    model->graph_ticks += time;
    if (sym->cycle == 0)
        return;
    sym->cycle_head->time += time;
    sym->cycle_head->prop_self += time;
}

void fc_gprofile_credit(FcGSym *parent, double time)
{
    parent->child_time += time;
    parent->prop_child += time;
    if (parent->cycle == 0)
        return;
    parent->cycle_head->child_time += time;
    parent->cycle_head->prop_child += time;
}

static void hand_up(Sums *sums, guint index)
{
    const Node *node = &sums->nodes[index];
    const FcProfileContext *context = context_at(sums, index);

    if (node->is_outside)
    {
        FcGArc *outside = fc_gmeasured_outside(sums->model, node->sym);

        outside->time += node->time;
        outside->child_time += node->rest;
    }
    if (node->parent == G_MAXUINT || !sums->nodes[node->parent].is_counted)
        return;
    FcGSym *parent = sums->nodes[node->parent].sym;
    if (node->sym->cycle != 0 && node->sym->cycle == parent->cycle)
    {
        sums->nodes[node->parent].time += node->time;
        sums->nodes[node->parent].rest += node->rest;
        return;
    }
    sums->nodes[node->parent].rest += node->time + node->rest;
    FcGArc *arc = fc_garc_find(sums->model, parent, node->sym);
    arc->time += node->time;
    arc->child_time += node->rest;
    fc_gprofile_credit(parent, node->time + node->rest);
    if (sums->lines)
        fc_glinearcs_add_time(sums->lines, fc_gprofile_addr(sums->profile, &context->site), parent,
                              node->sym, node->time, node->rest);
}

static void add_up(Sums *sums)
{
    /* Children stand behind their parents. */
    for (guint i = sums->n; i > 0; i--)
    {
        Node *node = &sums->nodes[i - 1];
        FcGSym *sym = node->sym;

        if (!sym || node->target != i - 1 || node->is_overflow)
            continue;
        sym->time += node->local;
        if (!node->is_counted)
            continue;
        node->time += node->local;
        fc_gprofile_credit_own(sums->model, sym, node->local);
        hand_up(sums, i - 1);
    }
}

static void reset(FcGModel *model)
{
    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        sym->fraction = sym->prop_self = sym->prop_child = sym->time = sym->child_time = 0.0;
    }
    model->graph_ticks = 0.0;
}

void fc_gprofile_sum_times(FcGProfile *profile, FcGLineArcs *lines)
{
    Sums sums = {.profile = profile, .model = profile->model, .lines = lines};

    reset(profile->model);
    make_tree(&sums);
    add_up(&sums);
    g_free(sums.nodes);
}
