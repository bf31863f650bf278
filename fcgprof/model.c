/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The storage behind model.h: arena, file list, symbol table, sorting.  Called by
 * every other part of fcgprof.  Must never print and never look at a profile.
 */
#include "fcgprof/model.h"

#include "gmon/ranges.h"
#include "profile/path.h"
#include <string.h>

enum
{
    ARENA_LEAST_BYTES = 1 << 14, /* of the first chunk; each next one is twice as large */
    ARENA_MOST_BYTES = 1 << 20
};

struct FcGArena
{
    GPtrArray *chunks;
    char *next;
    gsize left_bytes;
    gsize chunk_bytes; /* of the next chunk */
};

static FcGArena *arena_new(void)
{
    FcGArena *arena = g_new0(FcGArena, 1);

    arena->chunks = g_ptr_array_new_with_free_func(g_free);
    arena->chunk_bytes = ARENA_LEAST_BYTES;
    return arena;
}

static void arena_free(FcGArena *arena)
{
    g_ptr_array_free(arena->chunks, TRUE);
    g_free(arena);
}

static void *arena_alloc(FcGArena *arena, gsize n_bytes)
{
    void *result;

    n_bytes = (n_bytes + 15) & ~(gsize)15;
    if (n_bytes > ARENA_LEAST_BYTES / 4 && n_bytes > arena->left_bytes)
    {
        result = g_malloc0(n_bytes);
        g_ptr_array_add(arena->chunks, result);
        return result;
    }
    if (n_bytes > arena->left_bytes)
    {
        arena->next = g_malloc0(arena->chunk_bytes);
        arena->left_bytes = arena->chunk_bytes;
        arena->chunk_bytes = MIN(2 * arena->chunk_bytes, ARENA_MOST_BYTES);
        g_ptr_array_add(arena->chunks, arena->next);
    }
    result = arena->next;
    arena->next += n_bytes;
    arena->left_bytes -= n_bytes;
    return result;
}

FcGModel *fc_gmodel_new(const FcGOptions *options, FILE *out)
{
    FcGModel *model = g_new0(FcGModel, 1);

    model->options = options;
    model->out = out;
    model->arena = arena_new();
    model->files_by_path = g_hash_table_new(g_str_hash, g_str_equal);
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
    g_free(model->arcs);
    g_free(model->by_index);
    g_clear_pointer(&model->arc_table, g_hash_table_unref);
    g_hash_table_destroy(model->files_by_path);
    arena_free(model->arena);
    g_free(model);
}

void *fc_gmodel_alloc(FcGModel *model, gsize n_bytes)
{
    return arena_alloc(model->arena, n_bytes);
}

char *fc_gmodel_strdup(FcGModel *model, const char *text)
{
    gsize n_bytes = strlen(text) + 1;

    return memcpy(arena_alloc(model->arena, n_bytes), text, n_bytes);
}

FcGFile *fc_gmodel_file(FcGModel *model, const char *path)
{
    FcGFile *file = g_hash_table_lookup(model->files_by_path, path);

    if (file)
        return file;
    file = arena_alloc(model->arena, sizeof *file);
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

void fc_gsymtab_build(FcGModel *model, const FcGSym *syms, guint n, guint64 last_addr)
{
    FcGSymtab *symtab = &model->symtab;
    g_autofree FcGRange *ranges = g_new(FcGRange, (gsize)n + 1);
    FcGSym *table;

    for (guint i = 0; i < n; i++)
        ranges[i] = (FcGRange){syms[i].addr,    syms[i].end_addr, syms[i].name, i,
                               syms[i].is_func, syms[i].is_static};
    n = fc_granges_settle(ranges, n, last_addr);
    table = arena_alloc(model->arena, ((gsize)n + 1) * sizeof *table);
    g_free(symtab->starts);
    symtab->starts = g_new(guint64, (gsize)n + 1);
    for (guint i = 0; i < n; i++)
    {
        table[i] = syms[ranges[i].item];
        table[i].end_addr = ranges[i].end_addr;
        table[i].cycle_head = &table[i];
        symtab->starts[i] = table[i].addr;
    }
    symtab->syms = table;
    symtab->len = n;
}

FcGSym *fc_gsymtab_find(const FcGSymtab *symtab, guint64 addr)
{
    gint64 at = fc_granges_last_start(symtab->starts, symtab->len, addr);

    return at >= 0 && addr <= symtab->syms[at].end_addr ? &symtab->syms[at] : NULL;
}

static void sort_range(void **items, guint n, FcGCompare compare, void **spare)
{
    guint n_left = n / 2, left = 0, right = n_left, filled = 0;

    if (n < 2)
        return;
    sort_range(items, n_left, compare, spare);
    sort_range(items + n_left, n - n_left, compare, spare);
    while (left < n_left && right < n)
    {
        if (compare(items[left], items[right]) <= 0)
            spare[filled++] = items[left++];
        else
            spare[filled++] = items[right++];
    }
    memcpy(spare + filled, items + left, (n_left - left) * sizeof *items);
    filled += n_left - left;
    memcpy(items, spare, filled * sizeof *items);
}

void fc_gsort(void **items, guint n, FcGCompare compare)
{
    g_autofree void **spare = g_new(void *, n + 1);

    sort_range(items, n, compare, spare);
}
