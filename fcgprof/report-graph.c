/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The call graph (-q), and the index of names behind it.  See reports.h.
 */
#include "fcgprof/reports.h"

#include "fcgprof/gmon-files.h"
#include "profile/plain.h"

#include <string.h>

/* Where an arc stands among others of its list: calls of itself, then calls inside a
 * cycle, then all others. */
enum
{
    ARC_SELF,
    ARC_INSIDE,
    ARC_OTHER
};

static gboolean is_inside_cycle(const FcGArc *arc)
{
    return arc->parent->cycle != 0 && arc->parent->cycle == arc->child->cycle;
}

static int arc_class(const FcGArc *arc)
{
    if (arc->parent == arc->child || arc->parent->owner == arc->child)
        return ARC_SELF;
    return is_inside_cycle(arc) ? ARC_INSIDE : ARC_OTHER;
}

static int compare_arcs(const void *a, const void *b)
{
    const FcGArc *left = a, *right = b;
    int class = arc_class(left), order = class - arc_class(right);

    if (order == 0 && class == ARC_OTHER)
        order = FC_GCOMPARE(left->time + left->child_time, right->time + right->child_time);
    return order != 0 ? order : FC_GCOMPARE(left->count, right->count);
}

static int compare_arcs_descending(const void *a, const void *b)
{
    return compare_arcs(b, a);
}

static FcGArc **link_of(FcGArc *arc, gboolean is_parent)
{
    return is_parent ? &arc->next_parent : &arc->next_child;
}

/* The arcs of a symbol's list of parents, or of children.  The lists hold the newest arc first; of
 * equal arcs the oldest is to come first.  The list stays sorted: a function ordering that is
 * printed later follows it. */
static FcGArc **sort_arcs(FcGArc **list, gboolean is_parent, guint *n)
{
    *n = 0;
    for (FcGArc *arc = *list; arc; arc = *link_of(arc, is_parent))
        ++*n;
    guint i = *n;
    FcGArc **arcs = g_new(FcGArc *, i + 1);
    for (FcGArc *arc = *list; arc; arc = *link_of(arc, is_parent))
        arcs[--i] = arc;
    fc_gsort((void **)arcs, *n, is_parent ? compare_arcs : compare_arcs_descending);
    *list = NULL;
    for (i = *n; i > 0; i--)
    {
        *link_of(arcs[i - 1], is_parent) = *list;
        *list = arcs[i - 1];
    }
    return arcs;
}

/* The columns of index and share, where there is nothing in them. */
static const char MARGIN[] = "             ";

static int children_width(const FcGModel *model)
{
    return model->options->traditional ? 11 : 7;
}

/* A line's two times. */
static void print_times(const FcGModel *model, double self, double children)
{
    fc_gmeasured_print_ticks(model, 7, self);
    fputc(' ', model->out);
    fc_gmeasured_print_ticks(model, children_width(model), children);
}

/* How often it was called, and by itself. */
static void print_calls(const FcGModel *model, const FcGSym *sym)
{
    fprintf(model->out, " %7lu", (gulong)sym->ncalls);
    if (sym->self_calls != 0)
        fprintf(model->out, "+%-7lu", (gulong)sym->self_calls);
    else
        fprintf(model->out, " %7s", "");
}

/* A line for a caller or callee; `shown` is the one that the line names. */
static void print_arc(const FcGModel *model, const FcGArc *arc, const FcGSym *shown)
{
    fputs(MARGIN, model->out);
    if (arc_class(arc) == ARC_OTHER)
    {
        print_times(model, arc->time, arc->child_time);
        fprintf(model->out, " %7lu/%-7lu     ", (gulong)arc->count,
                (gulong)arc->child->cycle_head->ncalls);
    }
    else
        fprintf(model->out, "%7s %*s %7lu %7s     ", "", children_width(model), "",
                (gulong)arc->count, "");
    fc_gname_print(model, shown);
    fputc('\n', model->out);
}

/* Calls from outside stand among those of callers that are known. */
static void print_outside(const FcGModel *model, const FcGSym *sym)
{
    const FcGArc outside = fc_gmeasured_sum_outside(sym);

    if (outside.count == 0 && outside.time + outside.child_time <= 0.0)
        return;
    fputs(MARGIN, model->out);
    print_times(model, outside.time, outside.child_time);
    fprintf(model->out, " %7lu/%-7lu     <spontaneous>\n", (gulong)outside.count,
            (gulong)sym->cycle_head->ncalls);
}

static void print_parents(const FcGModel *model, FcGSym *sym)
{
    guint n;

    if (!sym->parents)
    {
        fprintf(model->out, "%s%7s %*s %7s %7s     <spontaneous>\n", MARGIN, "",
                children_width(model), "", "", "");
        return;
    }
    if (model->measured)
        print_outside(model, sym);
    g_autofree FcGArc **arcs = sort_arcs(&sym->parents, TRUE, &n);
    for (guint i = 0; i < n; i++)
        print_arc(model, arcs[i], arcs[i]->parent);
}

static void print_children(const FcGModel *model, FcGSym *sym)
{
    guint n;
    g_autofree FcGArc **arcs = sort_arcs(&sym->children, FALSE, &n);

    for (guint i = 0; i < n; i++)
        print_arc(model, arcs[i], arcs[i]->child);
}

static void print_own_times(const FcGModel *model, const FcGSym *sym)
{
    char number[16];

    g_snprintf(number, sizeof number, "[%d]", sym->index);
    fprintf(model->out, "%-6.6s %5.1f ", number,
            100 * (sym->prop_self + sym->prop_child) / model->graph_ticks);
    print_times(model, sym->prop_self, sym->prop_child);
}

static void print_own(const FcGModel *model, const FcGSym *sym)
{
    print_own_times(model, sym);
    if (sym->ncalls + sym->self_calls == 0)
        fprintf(model->out, " %7s %7s", "", "");
    else
        print_calls(model, sym);
    fputc(' ', model->out);
    fc_gname_print(model, sym);
    fputc('\n', model->out);
}

static void print_cycle_own(const FcGModel *model, const FcGSym *header)
{
    print_own_times(model, header);
    print_calls(model, header);
    fprintf(model->out, " <cycle %d as a whole> [%d]\n", header->cycle, header->index);
}

static int compare_members(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;
    int order =
        FC_GCOMPARE(right->prop_self + right->prop_child, left->prop_self + left->prop_child);

    if (order == 0)
        order = FC_GCOMPARE(right->ncalls + right->self_calls, left->ncalls + left->self_calls);
    return order;
}

static void print_member(const FcGModel *model, const FcGSym *member)
{
    fputs(MARGIN, model->out);
    print_times(model, member->prop_self, member->prop_child);
    print_calls(model, member);
    fputs("     ", model->out);
    fc_gname_print(model, member);
    fputc('\n', model->out);
}

static void print_members(const FcGModel *model, const FcGSym *header)
{
    GPtrArray *members = g_ptr_array_new();

    for (FcGSym *member = header->cycle_next; member; member = member->cycle_next)
        g_ptr_array_add(members, member);
    fc_gsort(members->pdata, members->len, compare_members);
    for (guint i = 0; i < members->len; i++)
        print_member(model, g_ptr_array_index(members, i));
    g_ptr_array_free(members, TRUE);
}

static void print_heads(const FcGModel *model)
{
    if (!model->options->traditional)
    {
        fputs("index % time    self  children    called     name\n", model->out);
        return;
    }
    fprintf(model->out, "%6.6s %5.5s %7.7s %11.11s %7.7s/%-7.7s     %-8.8s\n", "", "", "", "",
            "called", "total", "parents");
    fprintf(model->out, "%-6.6s %5.5s %7.7s %11.11s %7.7s+%-7.7s %-8.8s\t%5.5s\n", "index", "%time",
            "self", "descendants", "called", "self", "name", "index");
    fprintf(model->out, "%6.6s %5.5s %7.7s %11.11s %7.7s/%-7.7s     %-8.8s\n", "", "", "", "",
            "called", "total", "children");
    fputc('\n', model->out);
}

static void print_granularity(FcGModel *model)
{
    gboolean has_time = model->graph_ticks > 0.0;

    if (model->measured)
    {
        fc_gmeasured_print_granularity(model, model->graph_ticks);
    }
    else
    {
        fprintf(model->out, "granularity: each sample hit covers %ld byte(s)",
                fc_ghist_sample_bytes(model));
        if (has_time)
            fprintf(model->out, " for %.2f%% of %.2f seconds\n\n", 100.0 / model->graph_ticks,
                    model->graph_ticks / (double)model->rate);
        else
            fputs(" no time propagated\n\n", model->out);
    }
    if (!has_time)
        model->graph_ticks = 1.0; /* all numerators are 0 */
}

static void print_title(FcGModel *model)
{
    gboolean brief = model->options->brief;

    /* The traditional explanation comes before the form feed. */
    if (model->options->traditional && !brief)
        fprintf(model->out, "\n\n\ncall graph profile:\n%s", fc_gblurb_graph);
    fc_gmodel_begin_report(model);
    if (!model->options->traditional)
        fprintf(model->out, "%s\n\n",
                brief ? "\t\t\tCall graph" : "\t\t     Call graph (explanation follows)");
    fputc('\n', model->out);
    print_granularity(model);
    print_heads(model);
}

static gboolean is_shown(const FcGModel *model, const FcGSym *sym)
{
    if (!model->options->show_zero && sym->ncalls == 0 && sym->self_calls == 0 &&
        sym->prop_self == 0 && sym->prop_child == 0)
        return FALSE;
    if (model->options->by_line && !sym->is_func)
        return FALSE;
    return sym->print_flag;
}

void fc_greport_graph(FcGModel *model)
{
    const char *line = model->options->traditional ? "\n" : "";

    print_title(model);
    for (guint i = 0; i < model->symtab.len + model->n_cycles; i++)
    {
        FcGSym *sym = model->by_index[i];

        if (!is_shown(model, sym))
            continue;
        if (sym->name)
        {
            print_parents(model, sym);
            print_own(model, sym);
            print_children(model, sym);
        }
        else
        {
            print_cycle_own(model, sym);
            print_members(model, sym);
        }
        fprintf(model->out, "%s-----------------------------------------------\n%s", line, line);
    }
    if (model->options->brief || model->options->traditional)
        return;
    if (model->measured)
        fc_gmeasured_print_blurb(model);
    fputs(fc_gblurb_graph, model->out);
}

/* ---- The index ----------------------------------------------------------------------- */

enum
{
    N_COLUMNS = 3,
    NUMBER_WIDTH = 5
};

static int compare_names(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;

    return strcmp(left->name, right->name);
}

static GPtrArray *collect(const FcGModel *model, guint *n_names)
{
    GPtrArray *syms = g_ptr_array_new();

    for (guint i = 0; i < model->symtab.len; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        if (model->options->show_zero || sym->ncalls != 0 || sym->time != 0)
            g_ptr_array_add(syms, sym);
    }
    *n_names = syms->len;
    fc_gsort(syms->pdata, syms->len, compare_names);
    for (guint i = 1; i <= model->n_cycles; i++)
        g_ptr_array_add(syms, &model->cycles[i]);
    return syms;
}

static void print_traditional(const FcGModel *model, const FcGSym *sym, const char *number)
{
    char cycle[32];

    g_snprintf(cycle, sizeof cycle, "<cycle %d>", sym->cycle);
    g_autofree char *name = fc_plain_text(sym->name ? sym->name : cycle);
    fprintf(model->out, "%6.6s %-19.19s", number, name);
}

/* Prints a cell that should begin at column `start`; the return value is the column
 * reached as gprof counts it, which leaves out the blanks around the number. */
static int print_cell(const FcGModel *model, const FcGSym *sym, const char *number, int column,
                      int start)
{
    column += (int)strlen(number);
    for (; column < start + NUMBER_WIDTH; column++)
        fputc(' ', model->out);
    fprintf(model->out, " %s ", number);
    if (!sym->name)
        return column + fprintf(model->out, "<cycle %d>", sym->cycle);
    column += fc_gname_print_plain(model, sym);
    if (!model->options->by_line && sym->is_static && sym->file && !sym->label)
    {
        column += fprintf(model->out, " (");
        column += fc_gname_put(model->out, fc_gname_file(model, sym->file));
        column += fprintf(model->out, ")");
    }
    return column;
}

void fc_greport_index(FcGModel *model)
{
    guint n_names;
    GPtrArray *syms = collect(model, &n_names);
    int width = (model->options->width - 1) / N_COLUMNS;

    guint n_rows = (syms->len + N_COLUMNS - 1) / N_COLUMNS;
    fputs("\f\nIndex by function name\n\n", model->out);
    for (guint i = 0; i < n_rows; i++)
    {
        int column = 0, start = 0;

        for (guint k = i; k < syms->len; k += n_rows)
        {
            const FcGSym *sym = g_ptr_array_index(syms, k);
            char number[16];

            g_snprintf(number, sizeof number, sym->print_flag ? "[%d]" : "(%d)", sym->index);
            if (model->options->traditional)
                print_traditional(model, sym, number);
            else
                column = print_cell(model, sym, number, column, start);
            start += width;
        }
        fputc('\n', model->out);
    }
    g_ptr_array_free(syms, TRUE);
}
