/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The storage behind model.h: arena, file list, symbol table, arcs, sorting.  Called by
 * every other part of fcgprof.  Must never print and never look at a profile.
 */
#include "fcgprof/model.h"

#include "gmon/image.h"
#include "profile/path.h"
#include "profile/search.h"
#include <string.h>

#define obstack_chunk_alloc g_malloc
#define obstack_chunk_free g_free

enum
{
    CHUNK_BYTES = 1 << 14
};

FcGModel *fc_gmodel_new(const FcGOptions *options, FILE *out)
{
    FcGModel *model = g_new0(FcGModel, 1);

    model->options = options;
    model->out = out;
    obstack_begin(&model->arena, CHUNK_BYTES);
    model->files_by_path = g_hash_table_new(g_str_hash, g_str_equal);
    model->arcs = g_ptr_array_new();
    strcpy(model->dimension, "seconds");
    model->abbreviation = 's';
    model->addr_mask = G_MAXUINT64;
    return model;
}

void fc_gmodel_free(FcGModel *model)
{
    if (!model)
        return;
    for (guint i = 0; i < model->n_hists; i++)
        g_free(model->hists[i].bins);
    g_free(model->hists);
    g_free(model->symtab.starts);
    g_free(model->symtab.syms);
    g_free(model->cycles);
    g_ptr_array_unref(model->arcs);
    g_free(model->by_index);
    g_clear_pointer(&model->arc_table, g_hash_table_unref);
    g_hash_table_destroy(model->files_by_path);
    obstack_free(&model->arena, NULL);
    g_free(model);
}

/* The macros of <obstack.h> align an address as a distance from a null pointer, which clang's
 * sanitizer takes for a fault of ours. */
#define ALIGNS_FROM_NULL __attribute__((no_sanitize("pointer-overflow")))

ALIGNS_FROM_NULL void *fc_gmodel_alloc(FcGModel *model, gsize n_bytes)
{
    return memset(obstack_alloc(&model->arena, n_bytes), 0, n_bytes);
}

ALIGNS_FROM_NULL char *fc_gmodel_strdup(FcGModel *model, const char *text)
{
    return obstack_copy(&model->arena, text, strlen(text) + 1);
}

FcGFile *fc_gmodel_file(FcGModel *model, const char *path)
{
    FcGFile *file = g_hash_table_lookup(model->files_by_path, path);

    if (file)
        return file;
    file = fc_gmodel_alloc(model, sizeof *file);
    file->path = fc_gmodel_strdup(model, path);
    file->base = fc_base_name(file->path);
    file->next = model->files;
    model->files = file;
    g_hash_table_insert(model->files_by_path, (gpointer)file->path, file);
    return file;
}

void fc_gmodel_begin_report(FcGModel *model)
{
    if (model->has_output)
        fputs("\f\n", model->out);
    model->has_output = TRUE;
}

void fc_gsym_init(FcGSym *sym)
{
    memset(sym, 0, sizeof *sym);
    sym->cycle_head = sym;
}

void fc_gsym_add_block(FcGModel *model, FcGSym *sym, guint64 addr, guint64 count, guint most)
{
    FcGBlock **block = &sym->blocks;

    for (; *block && (*block)->addr != addr; block = &(*block)->next, most--)
        ;
    if (!*block && most == 0)
        return;
    if (!*block)
    {
        *block = fc_gmodel_alloc(model, sizeof **block);
        (*block)->addr = addr;
    }
    (*block)->count += count;
}

void fc_gsymtab_build(FcGModel *model, const FcGSym *syms, guint n, guint64 last_addr)
{
    FcGSymtab *symtab = &model->symtab;
    g_autofree FcGRange *ranges = g_new(FcGRange, (gsize)n + 1);

    for (guint i = 0; i < n; i++)
        ranges[i] = (FcGRange){syms[i].addr,    syms[i].end_addr, syms[i].name, i,
                               syms[i].is_func, syms[i].is_static};
    n = fc_granges_normalize(ranges, n, last_addr);
    FcGSym *table = g_new(FcGSym, (gsize)n + 1);
    g_free(symtab->starts);
    symtab->starts = g_new(guint64, (gsize)n + 1);
    for (guint i = 0; i < n; i++)
    {
        table[i] = syms[ranges[i].item];
        table[i].end_addr = ranges[i].end_addr;
        table[i].cycle_head = &table[i];
        symtab->starts[i] = table[i].addr;
    }
    g_free(symtab->syms);
    symtab->syms = table;
    symtab->len = n;
}

FcGSym *fc_gsymtab_find(const FcGSymtab *symtab, guint64 addr)
{
    size_t bound = FC_FIRST_WHERE(symtab->len, i, symtab->starts[i] > addr);

    return bound > 0 && addr <= symtab->syms[bound - 1].end_addr ? &symtab->syms[bound - 1] : NULL;
}

static int compare_targets(gconstpointer a, gconstpointer b, gpointer data)
{
    const FcGCompare *compare = data;

    return (*compare)(*(void *const *)a, *(void *const *)b);
}

void fc_gsort(void **items, guint n, FcGCompare compare)
{
    g_qsort_with_data(items, (gint)n, sizeof *items, compare_targets, &compare);
}

/* ---- Arcs ---------------------------------------------------------------------------- */

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

FcGArc *fc_garc_add(FcGModel *model, FcGSym *parent, FcGSym *child, guint64 count)
{
    FcGArc *arc = fc_garc_find(model, parent, child);

    if (!arc)
        arc = find_enclosing(model, parent, child);
    if (arc)
    {
        arc->count += count;
        return arc;
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
    return arc;
}
