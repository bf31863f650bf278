/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Records calls, and propagates time from callees to callers.  See graph.h.  The order
 * of floating-point operations is part of the contract: exact ties between sums decide the order
 * of lines in the reports.
 */
#include "fcgprof/graph.h"

#include "fcgprof/symspec.h"

#include <string.h>

void fc_ggraph_record(FcGModel *model, guint64 from, guint64 self, guint64 count)
{
    FcGSym *parent = fc_gsymtab_find(&model->symtab, from);
    FcGSym *child = fc_gsymtab_find(&model->symtab, self);

    if (!parent || !child)
        return;
    /* A call enters a function, not a line or a label. */
    while (!child->is_func)
    {
        if (child == model->symtab.syms)
            return;
        child--;
    }
    if (!fc_gspecs_selects_arc(model->specs, parent, child))
        return;
    child->ncalls += count;
    fc_garc_add(model, parent, child, count);
}

/* What the callers hand down: whether to print, and which part of the time. */
static void inherit_from(FcGSym *heir, const FcGArc *arc)
{
    heir->print_flag |= arc->parent->print_flag;
    if (heir->ncalls != 0)
        heir->fraction += arc->parent->fraction * ((double)arc->count / (double)heir->ncalls);
}

/* All of a cycle inherit the same. */
static void inherit(FcGSym *sym)
{
    FcGSym *head = sym->cycle_head;

    head->print_flag = FALSE;
    head->fraction = 0.0;
    for (const FcGSym *member = head == sym ? sym : head->cycle_next; member;
         member = member->cycle_next)
    {
        for (const FcGArc *arc = member->parents; arc; arc = arc->next_parent)
        {
            if (arc->parent->cycle_head != head)
                inherit_from(head, arc);
        }
    }
    for (FcGSym *member = head->cycle_next; member; member = member->cycle_next)
    {
        member->print_flag = head->print_flag;
        member->fraction = head->fraction;
    }
}

/* Applies the filters of graph and time to what a symbol inherited. */
static void filter_symbol(FcGModel *model, FcGSym *sym)
{
    sym->print_flag =
        fc_gspecs_keeps(model->specs, FC_GTABLE_INCL_GRAPH, sym->addr, sym->print_flag);
    if (!fc_gspecs_keeps(model->specs, FC_GTABLE_INCL_TIME, sym->addr, sym->fraction != 0.0))
        sym->fraction = 0.0;
    else if (sym->fraction == 0.0)
        sym->fraction = 1.0;
    sym->prop_self = sym->time * sym->fraction;
    model->graph_ticks += sym->prop_self;
}

static void propagate_flags(FcGModel *model, FcGSym **sorted)
{
    const FcGSym *last_head = NULL;

    model->graph_ticks = 0.0;
    for (guint i = model->symtab.len; i > 0; i--)
    {
        FcGSym *sym = sorted[i - 1];

        if (sym->cycle_head != last_head)
        {
            last_head = sym->cycle_head;
            inherit(sym);
        }
        filter_symbol(model, sym);
    }
}

static void sum_cycle_times(FcGModel *model)
{
    for (guint i = 1; i <= model->n_cycles; i++)
    {
        FcGSym *header = &model->cycles[i];

        for (const FcGSym *member = header->cycle_next; member; member = member->cycle_next)
        {
            if (member->fraction != 0.0)
                header->time += member->time;
        }
        header->prop_self = header->fraction * header->time;
    }
}

/* The symbol whose time the arc hands up: the child, its cycle, or none. */
static const FcGSym *time_source(const FcGArc *arc)
{
    const FcGSym *parent = arc->parent, *child = arc->child;

    if (arc->count == 0 || child == parent || child->fraction == 0.0)
        return NULL;
    if (child->cycle_head != child)
    {
        if (parent->cycle == child->cycle)
            return NULL;
        child = child->cycle_head;
    }
    else if (parent->top_order <= child->top_order)
    {
        return NULL;
    }
    return child->ncalls == 0 ? NULL : child;
}

static void gather_time(FcGSym *parent)
{
    if (parent->fraction == 0.0)
        return;
    for (FcGArc *arc = parent->children; arc; arc = arc->next_child)
    {
        const FcGSym *source = time_source(arc);

        if (!source)
            continue;
        double part = (double)arc->count / (double)source->ncalls;
        arc->time = source->time * part;
        arc->child_time = source->child_time * part;
        double share = arc->time + arc->child_time;
        parent->child_time += share;
        parent->prop_child += parent->fraction * share;
        arc->time *= parent->fraction;
        arc->child_time *= parent->fraction;
        if (parent->cycle_head != parent)
        {
            parent->cycle_head->child_time += share;
            parent->cycle_head->prop_child += parent->fraction * share;
        }
    }
}

static int compare_topology(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;

    return left->top_order - right->top_order;
}

/* By time.  Of equal ones cycles come first, then names without an underscore, then what was
 * called more often. */
static int compare_entries(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;
    int order =
        FC_GCOMPARE(right->prop_self + right->prop_child, left->prop_self + left->prop_child);

    if (order != 0)
        return order;
    if (!left->name && left->cycle != 0)
        return -1;
    if (!right->name && right->cycle != 0)
        return 1;
    if (!left->name || !right->name)
        return left->name ? 1 : -1;
    if ((left->name[0] == '_') != (right->name[0] == '_'))
        return left->name[0] == '_' ? 1 : -1;
    order = FC_GCOMPARE(right->ncalls, left->ncalls);
    return order != 0 ? order : strcmp(left->name, right->name);
}

void fc_ggraph_number(FcGModel *model)
{
    guint n = model->symtab.len + model->n_cycles;

    g_free(model->by_index);
    model->by_index = g_new(FcGSym *, n + 1);
    for (guint i = 0; i < model->symtab.len; i++)
        model->by_index[i] = &model->symtab.syms[i];
    for (guint i = 1; i <= model->n_cycles; i++)
        model->by_index[model->symtab.len + i - 1] = &model->cycles[i];
    fc_gsort((void **)model->by_index, n, compare_entries);
    for (guint i = 0; i < n; i++)
        model->by_index[i]->index = (int)i + 1;
}

void fc_ggraph_take_out_self_arcs(FcGModel *model)
{
    guint n = model->symtab.len;

    for (guint i = 0; i < n; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];
        const FcGArc *self = fc_garc_find(model, sym, sym);

        if (self)
        {
            sym->ncalls -= self->count;
            sym->self_calls = self->count;
        }
    }
}

/* The caller frees the result. */
static FcGSym **sort_by_topology(const FcGModel *model)
{
    FcGSym **sorted = g_new(FcGSym *, model->symtab.len + 1);

    for (guint i = 0; i < model->symtab.len; i++)
        sorted[i] = &model->symtab.syms[i];
    fc_gsort((void **)sorted, model->symtab.len, compare_topology);
    return sorted;
}

void fc_ggraph_filter(FcGModel *model)
{
    g_autofree FcGSym **sorted = sort_by_topology(model);

    propagate_flags(model, sorted);
}

void fc_ggraph_assemble(FcGModel *model)
{
    fc_ggraph_take_out_self_arcs(model);
    fc_gcycles_find(model);
    g_autofree FcGSym **sorted = sort_by_topology(model);
    propagate_flags(model, sorted);
    sum_cycle_times(model);
    for (guint i = 0; i < model->symtab.len; i++)
        gather_time(sorted[i]);
    fc_ggraph_number(model);
}
