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

static void count_uses(FcGModel *model)
{
    guint64 total = 0, seen = 0;

    for (guint i = 0; i < model->n_arcs; i++)
        total += model->arcs[i]->count;
    for (guint i = 0; i < model->n_arcs; i++)
    {
        seen += model->arcs[i]->count;
        if ((double)seen / (double)total > BUSY_SHARE)
            break;
        model->arcs[i]->child->n_uses++;
    }
}

static void collect_arcs(const FcGSym *sym, GPtrArray *arcs)
{
    for (FcGArc *arc = sym->children; arc; arc = arc->next_child)
    {
        if (arc->parent != arc->child)
            g_ptr_array_add(arcs, arc);
        arc->is_placed = TRUE;
    }
    for (FcGArc *arc = sym->parents; arc; arc = arc->next_parent)
    {
        if (arc->parent != arc->child)
            g_ptr_array_add(arcs, arc);
        arc->is_placed = TRUE;
    }
}

/* Takes the functions out that many busy arcs lead to, and prints those of them that no
 * arc joins with another. */
static void place_busy(FcGModel *model, const GPtrArray *used)
{
    GPtrArray *near = g_ptr_array_new(), *high = g_ptr_array_new();
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
    fc_gorder_place(model, (FcGArc **)high->pdata, high->len, TRUE, NULL);
    g_ptr_array_free(near, TRUE);
    g_ptr_array_free(high, TRUE);
}

void fc_greport_function_order(FcGModel *model)
{
    GPtrArray *used = g_ptr_array_new(), *unplaced = g_ptr_array_new();
    guint n = model->symtab.len;

    for (guint i = 0; i < n; i++)
    {
        FcGSym *sym = &model->symtab.syms[i];

        sym->is_placed = sym->ncalls == 0;
        if (sym->ncalls)
            g_ptr_array_add(used, sym);
    }
    fc_gsort((void **)model->arcs, model->n_arcs, compare_arc_counts);
    count_uses(model);
    fc_gsort(used->pdata, used->len, compare_uses);
    place_busy(model, used);
    fc_gorder_place(model, model->arcs, model->n_arcs, FALSE, unplaced);
    fc_gorder_place(model, (FcGArc **)unplaced->pdata, unplaced->len, TRUE, NULL);
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
    g_ptr_array_free(used, TRUE);
    g_ptr_array_free(unplaced, TRUE);
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp(a, b);
}

void fc_greport_file_order(FcGModel *model)
{
    const FcGOrderMap *map = model->order_map;
    GHashTable *with_symbols = g_hash_table_new(g_str_hash, g_str_equal);
    g_autofree void **objects = g_new(void *, (map ? map->len : 0) + 1);
    guint n = 0;

    for (guint i = 0; i < model->n_arcs; i++)
    {
        FcGArc *arc = model->arcs[i];

        if (!arc->parent->is_mapped || !arc->child->is_mapped)
            arc->is_placed = TRUE;
    }
    fc_gorder_place(model, model->arcs, model->n_arcs, FALSE, NULL);
    for (guint i = 0; i < model->symtab.len; i++)
    {
        const FcGSym *sym = &model->symtab.syms[i];

        if (!sym->is_mapped)
            continue;
        g_hash_table_add(with_symbols, (gpointer)sym->name);
        if (!sym->is_placed)
            print_name(model, sym);
    }
    for (guint i = 0; map && i < map->len; i++)
    {
        if (!g_hash_table_contains(with_symbols, map->entries[i].object))
            objects[n++] = map->entries[i].object;
    }
    fc_gsort(objects, n, compare_objects);
    for (guint i = 0; i < n; i++)
    {
        if (i == 0 || strcmp(objects[i - 1], objects[i]) != 0)
            fprintf(model->out, "%s\n", (char *)objects[i]);
    }
    g_hash_table_destroy(with_symbols);
}
