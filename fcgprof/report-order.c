/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Orders for the linker: of functions (-r) and of object files (-R).  See reports.h.
 */
#include "fcgprof/reports.h"

#include "fcgprof/order-map.h"
#include <string.h>

static const double BUSY_SHARE = 0.90; /* of all calls; arcs that make them up count as uses */

enum
{
    USED_PER_BUSY = 80, /* one in so many used functions can be taken out as busy */
    FEW_USES = 5
};

static int compare_arc_counts(const void *a, const void *b)
{
    const FcGArc *left = a, *right = b;

    if (left->count == right->count)
        return 0;
    return left->count > right->count ? -1 : 1;
}

static int compare_uses(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;

    if (left->n_uses == right->n_uses)
        return 0;
    return left->n_uses > right->n_uses ? -1 : 1;
}

static void print_name(const FcGModel *model, const FcGSym *sym)
{
    fprintf(model->out, "%s\n", sym->name);
}

static void count_uses(const GPtrArray *arcs)
{
    guint64 total = 0, seen = 0;

    for (guint i = 0; i < arcs->len; i++)
        total += ((const FcGArc *)g_ptr_array_index(arcs, i))->count;
    for (guint i = 0; i < arcs->len; i++)
    {
        const FcGArc *arc = g_ptr_array_index(arcs, i);

        seen += arc->count;
        if ((double)seen / (double)total > BUSY_SHARE)
            break;
        arc->child->n_uses++;
    }
}

static void collect_arc(FcGArc *arc, GPtrArray *arcs)
{
    if (arc->parent != arc->child)
        g_ptr_array_add(arcs, arc);
    arc->is_placed = TRUE;
}

static void collect_arcs(const FcGSym *sym, GPtrArray *arcs)
{
    for (FcGArc *arc = sym->children; arc; arc = arc->next_child)
        collect_arc(arc, arcs);
    for (FcGArc *arc = sym->parents; arc; arc = arc->next_parent)
        collect_arc(arc, arcs);
}

/* Takes the functions out that many busy arcs lead to, and prints those of them that no
 * arc joins with another. */
static void place_busy(FcGModel *model, const GPtrArray *used)
{
    g_autoptr(GPtrArray) near = g_ptr_array_new();
    g_autoptr(GPtrArray) high = g_ptr_array_new();
    guint n_taken = 0;

    for (guint i = 0; i < used->len / USED_PER_BUSY; i++)
    {
        FcGSym *sym = g_ptr_array_index(used, i);

        if (sym->n_uses == FEW_USES)
            break;
        collect_arcs(sym, near);
        n_taken = i;
        sym->is_placed = TRUE;
    }
    for (guint i = 0; i < near->len; i++)
    {
        FcGArc *arc = g_ptr_array_index(near, i);

        if (!arc->child->is_placed || !arc->parent->is_placed)
            continue;
        g_ptr_array_add(high, arc);
        arc->child->is_placed = FALSE;
        arc->parent->is_placed = FALSE;
    }
    for (guint i = 0; i < n_taken; i++)
    {
        const FcGSym *sym = g_ptr_array_index(used, i);

        if (sym->is_placed)
            print_name(model, sym);
    }
    fc_gsort(high->pdata, high->len, compare_arc_counts);
    fc_gorder_place(model, high, TRUE, NULL);
}

void fc_greport_function_order(FcGModel *model)
{
    g_autoptr(GPtrArray) used = g_ptr_array_new();
    g_autoptr(GPtrArray) unplaced = g_ptr_array_new();
    guint n = model->symtab.len;

    for (guint i = 0; i < n; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        sym->is_placed = sym->ncalls == 0;
        if (sym->ncalls)
            g_ptr_array_add(used, sym);
    }
    fc_gsort(model->arcs->pdata, model->arcs->len, compare_arc_counts);
    count_uses(model->arcs);
    fc_gsort(used->pdata, used->len, compare_uses);
    place_busy(model, used);
    fc_gorder_place(model, model->arcs, FALSE, unplaced);
    fc_gorder_place(model, unplaced, TRUE, NULL);
    for (guint i = 0; i < n; i++)
    {
        if (model->symtab.syms[i].ncalls != 0 && !model->symtab.syms[i].is_placed)
            print_name(model, &model->symtab.syms[i]);
    }
    for (guint i = 0; i < n; i++)
    {
        if (model->symtab.syms[i].ncalls == 0)
            print_name(model, &model->symtab.syms[i]);
    }
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp(a, b);
}

void fc_greport_file_order(FcGModel *model)
{
    const GArray *entries = model->order_map ? model->order_map->entries : NULL;
    g_autoptr(GHashTable) with_symbols = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) objects = g_ptr_array_new();

    for (guint i = 0; i < model->arcs->len; i++)
    {
        FcGArc *arc = g_ptr_array_index(model->arcs, i);

        if (!arc->parent->is_mapped || !arc->child->is_mapped)
            arc->is_placed = TRUE;
    }
    fc_gorder_place(model, model->arcs, FALSE, NULL);
    for (guint i = 0; i < model->symtab.len; i++)
    {
        const FcGSym *sym = &model->symtab.syms[i];

        if (!sym->is_mapped)
            continue;
        g_hash_table_add(with_symbols, (gpointer)sym->name);
        if (!sym->is_placed)
            print_name(model, sym);
    }
    /* Each object once, though it has many entries. */
    for (guint i = 0; entries && i < entries->len; i++)
    {
        char *object = g_array_index(entries, FcGOrderMapEntry, i).object;

        if (g_hash_table_add(with_symbols, object))
            g_ptr_array_add(objects, object);
    }
    fc_gsort(objects->pdata, objects->len, compare_objects);
    for (guint i = 0; i < objects->len; i++)
        fprintf(model->out, "%s\n", (const char *)g_ptr_array_index(objects, i));
}
