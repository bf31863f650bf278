/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Orders for the linker: of functions (-r) and of object files (-R).  See reports.h.
 */
#include "fcgprof/reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- The map of -R ------------------------------------------------------------------- */

static int compare_functions(const void *a, const void *b)
{
    const FcGOrderMapEntry *left = a, *right = b;

    return strcmp(left->function, right->function);
}

static gboolean read_line(char *line, GArray *entries)
{
    const FcGOrderMapEntry *last =
        entries->len > 0 ? &g_array_index(entries, FcGOrderMapEntry, entries->len - 1) : NULL;
    char *colon = strchr(line, ':');

    if (g_str_has_prefix(line, "No symbols in "))
        return TRUE;
    if (!colon || colon == line)
        return FALSE;
    *colon++ = '\0';
    const char *space = strrchr(colon, ' '), *object = g_intern_string(line);
    FcGOrderMapEntry entry = {.function = g_intern_string(space ? space + 1 : colon),
                              .object = object,
                              .is_first = !last || last->object != object};
    g_array_append_val(entries, entry);
    return TRUE;
}

GArray *fc_gorder_map_read(const char *path, GError **error)
{
    g_autoptr(GArray) map = g_array_new(FALSE, FALSE, sizeof(FcGOrderMapEntry));
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    gboolean is_good = TRUE;

    if (!g_file_get_contents(path, &text, NULL, NULL))
    {
        g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT, "%s: %s", path, g_strerror(errno));
        return NULL;
    }
    lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i] && is_good; i++)
    {
        char *line = g_strchug(lines[i]);

        is_good = !*line || read_line(line, map);
    }
    g_array_sort(map, compare_functions);
    if (is_good && map->len > 0)
        return g_steal_pointer(&map);
    g_set_error(error, FC_GPROF_ERROR, FC_GPROF_ERROR_INPUT, "%s: cannot be parsed as a map", path);
    return NULL;
}

const FcGOrderMapEntry *fc_gorder_map_find(const GArray *map, const char *function)
{
    const FcGOrderMapEntry key = {.function = function};

    return bsearch(&key, map->data, map->len, sizeof key, compare_functions);
}

/* ---- Chains: functions that call each other often ------------------------------------ */

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

/* The far end of the chain in the one direction that it has. */
static const FcGSym *other_end(FcGSym *sym)
{
    guint ignored;

    return end_of(sym, sym->order_next != NULL, &ignored);
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
        last = end_of(child, TRUE, &to_last);
        first = end_of(child, FALSE, &to_first);
        child = to_last < to_first ? last : first;
    }
    else if (is_alone(child))
    {
        last = end_of(parent, TRUE, &to_last);
        first = end_of(parent, FALSE, &to_first);
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
        sym = end_of(sym, FALSE, &ignored);
        gboolean is_circle = end_of(sym, TRUE, &ignored)->order_next != NULL;
        for (; sym && !(is_circle && sym->is_placed); sym = sym->order_next)
        {
            sym->is_placed = TRUE;
            fprintf(model->out, "%s\n", sym->name);
        }
    }
}

/* Puts the symbols that the arcs connect into an order in which callers and callees are
 * close, and prints their names.  `is_all`: arcs that carry few calls count too.  Arcs
 * that found no place are returned in `unplaced` if that is not NULL. */
static void place(FcGModel *model, const GPtrArray *arcs, gboolean is_all, GPtrArray *unplaced)
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

/* ---- Reports ------------------------------------------------------------------------- */

static const double BUSY_SHARE = 0.90; /* of all calls; arcs that make them up count as uses */

enum
{
    USED_PER_BUSY = 80, /* one in so many used functions can be taken out as busy */
    FEW_USES = 5
};

static int compare_arc_counts(const void *a, const void *b)
{
    const FcGArc *left = a, *right = b;

    return FC_GCOMPARE(right->count, left->count);
}

static int compare_uses(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;

    return FC_GCOMPARE(right->n_uses, left->n_uses);
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
    place(model, high, TRUE, NULL);
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
    place(model, model->arcs, FALSE, unplaced);
    place(model, unplaced, TRUE, NULL);
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
    const GArray *entries = model->order_map;
    g_autoptr(GHashTable) with_symbols = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) objects = g_ptr_array_new();

    for (guint i = 0; i < model->arcs->len; i++)
    {
        FcGArc *arc = g_ptr_array_index(model->arcs, i);

        if (!arc->parent->is_mapped || !arc->child->is_mapped)
            arc->is_placed = TRUE;
    }
    place(model, model->arcs, FALSE, NULL);
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
        gpointer object = (gpointer)g_array_index(entries, FcGOrderMapEntry, i).object;

        if (g_hash_table_add(with_symbols, object))
            g_ptr_array_add(objects, object);
    }
    fc_gsort(objects->pdata, objects->len, compare_objects);
    for (guint i = 0; i < objects->len; i++)
        fprintf(model->out, "%s\n", (const char *)g_ptr_array_index(objects, i));
}
