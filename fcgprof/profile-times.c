/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times of functions and arcs, out of the tree of calling contexts.  See profile.h.
 *
 * A context's own time belongs to one path of calls, so what a function, and all that it
 * called, took on behalf of one caller is the sum over the contexts in which that caller
 * called it: nothing is shared out.  Contexts are never nested for one function, since the
 * profile counts recursive calls where the function is on the path already.
 *
 * The tree of contexts is bounded, and a profile may come without one.  Then it is known what a
 * function took itself, and what each arc took, with everything below it; what is not known is how
 * much of the latter was the called function's own.  That part is taken to be the same for all of
 * its callers.
 */
#include "fcgprof/profile.h"

#include "fcgprof/symspec.h"

/* A context, or one that was folded into `target`. */
typedef struct
{
    FcGSym *sym;
    guint parent;         /* target of the parent; G_MAXUINT: none, or the arc is left out */
    FcGCallSite *call;    /* by the parent; NULL: none */
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
    double *told; /* of each symbol of the table: own time in contexts */
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

static void make_node(Sums *sums, guint index)
{
    const FcProfileContext *context = context_at(sums, index);
    Node *node = &sums->nodes[index];
    guint parent = G_MAXUINT, same;

    node->sym = sums->profile->syms[context->function];
    node->target = index;
    node->parent = G_MAXUINT;
    node->local = (double)context->times.local_ns;
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
    if (parent != G_MAXUINT && sums->nodes[parent].sym)
        node->call = fc_gprofile_find_call(sums->profile, &context->site, sums->nodes[parent].sym,
                                           node->sym);
    if (node->call)
        node->parent = parent;
    node->is_counted =
        fc_gspecs_keeps(sums->model->specs, FC_GTABLE_INCL_TIME, node->sym->addr,
                        node->parent != G_MAXUINT && sums->nodes[node->parent].is_counted);
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

/* Counts `time` as the function's own in the graph, and as that of the cycle that it is in. */
static void credit_own(FcGModel *model, FcGSym *sym, double time)
{
    sym->fraction = 1.0;
    sym->prop_self += time;
    model->graph_ticks += time;
    if (sym->cycle == 0)
        return;
    sym->cycle_head->time += time;
    sym->cycle_head->prop_self += time;
}

/* Hands time of a call to who made it: the function, and the cycle that it is in. */
static void credit_call(const FcGCallSite *call, double time, double child_time)
{
    FcGSym *caller = call->caller;

    call->arc->time += time;
    call->arc->child_time += child_time;
    if (!caller)
        return;
    caller->child_time += time + child_time;
    caller->prop_child += time + child_time;
    if (caller->cycle != 0)
    {
        caller->cycle_head->child_time += time + child_time;
        caller->cycle_head->prop_child += time + child_time;
    }
    if (call->line)
    {
        call->line->time += time;
        call->line->child_time += child_time;
    }
}

static void hand_up(Sums *sums, guint index)
{
    const Node *node = &sums->nodes[index];

    if (node->is_outside)
    {
        FcGArc *outside = fc_gmeasured_outside(sums->model, node->sym);

        outside->time += node->time;
        outside->child_time += node->rest;
    }
    if (node->parent == G_MAXUINT || !sums->nodes[node->parent].is_counted)
        return;
    Node *parent = &sums->nodes[node->parent];
    if (node->sym->cycle != 0 && node->sym->cycle == parent->sym->cycle)
    {
        parent->time += node->time;
        parent->rest += node->rest;
        return;
    }
    parent->rest += node->time + node->rest;
    credit_call(node->call, node->time, node->rest);
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
        sums->told[sym - sums->model->symtab.syms] += node->local;
        if (!node->is_counted)
            continue;
        node->time += node->local;
        credit_own(sums->model, sym, node->local);
        hand_up(sums, i - 1);
    }
}

static void reset(FcGModel *model)
{
    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        sym->fraction = sym->prop_self = sym->prop_child = sym->child_time = 0.0;
    }
    model->graph_ticks = 0.0;
}

/* ---- What no context tells of ----------------------------------------------------------- */

/* Of a symbol of the table or, behind these, a cycle. */
typedef struct
{
    double own;  /* the functions' own time that no context tells of */
    double arcs; /* time of arcs to it that no context tells of */
} Gap;

static Gap *gap_of(const FcGModel *model, Gap *gaps, const FcGSym *sym)
{
    return &gaps[sym->cycle ? model->symtab.len + (guint)sym->cycle
                            : (guint)(sym - model->symtab.syms)];
}

/* Rounding to nanoseconds is no gap. */
static double tolerance(const FcProfile *data)
{
    return 2.0 * (data->contexts->len + data->functions->len);
}

/* What each symbol has beyond what contexts told, which is in `own` before; the sum of it. */
static double find_own_gaps(const FcGModel *model, double *own)
{
    double sum = 0.0;

    for (guint i = 0; i < model->symtab.len; i++)
    {
        own[i] = MAX(model->symtab.syms[i].time - own[i], 0.0);
        sum += own[i];
    }
    return sum;
}

/* Whether the arc shows time: it is not left out, nor inside a cycle. */
static gboolean shows_time(const FcGCallSite *call)
{
    const FcGSym *caller = call->caller, *callee = call->callee;

    if (callee->fraction <= 0.0)
        return FALSE;
    return !caller || (caller != callee && caller->fraction > 0.0 &&
                       (caller->cycle == 0 || caller->cycle != callee->cycle));
}

static void fill_gaps(FcGProfile *profile, double *own)
{
    FcGModel *model = profile->model;

    if (find_own_gaps(model, own) <= tolerance(fc_gprofile_data(profile)))
        return;
    g_autofree Gap *gaps = g_new0(Gap, model->symtab.len + model->n_cycles + 1);
    g_autoptr(GPtrArray) calls = g_ptr_array_new(); /* that show time, */
    g_autoptr(GPtrArray) arcs = g_ptr_array_new();  /* and their arcs */
    profile->measured.has_gaps = TRUE;
    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        if (own[i] <= 0.0 || !fc_gspecs_selects(model->specs, FC_GTABLE_INCL_TIME, sym->addr))
            continue;
        gap_of(model, gaps, sym)->own += own[i];
        credit_own(model, sym, own[i]);
    }
    for (guint i = 0; i < profile->calls->len; i++)
    {
        FcGCallSite *call = g_ptr_array_index(profile->calls, i);

        if (!shows_time(call))
            continue;
        g_ptr_array_add(calls, call);
        if (call->arc->total <= 0.0)
            g_ptr_array_add(arcs, call->arc);
        call->arc->total += call->total;
    }
    for (guint i = 0; i < arcs->len; i++)
    {
        FcGArc *arc = g_ptr_array_index(arcs, i);

        arc->missing = MAX(arc->total - (arc->time + arc->child_time), 0.0);
        gap_of(model, gaps, arc->child)->arcs += arc->missing;
    }
    for (guint i = 0; i < calls->len; i++)
    {
        const FcGCallSite *call = g_ptr_array_index(calls, i);
        const Gap *whole = gap_of(model, gaps, call->callee);

        if (call->arc->missing <= 0.0)
            continue;
        double share = call->arc->missing * call->total / call->arc->total;
        double part = share * MIN(whole->own / whole->arcs, 1.0);
        credit_call(call, part, share - part);
    }
}

void fc_gprofile_sum_times(FcGProfile *profile)
{
    g_autofree double *told = g_new0(double, profile->model->symtab.len + 1);
    Sums sums = {.profile = profile, .model = profile->model, .told = told};

    reset(profile->model);
    make_tree(&sums);
    add_up(&sums);
    g_free(sums.nodes);
    fill_gaps(profile, told);
}
