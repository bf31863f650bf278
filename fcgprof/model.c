/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The storage behind model.h: arena, file list, symbol table, sorting.  Called by
 * every other part of fcgprof.  Must never print and never look at a profile.
 */
#include "fcgprof/model.h"

#include "fcgprof/arcs.h"
#include "fcgprof/order-map.h"
#include "fcgprof/symspec.h"
#include <string.h>

enum
{
    ARENA_CHUNK_BYTES = 1 << 20
};

struct FcGArena
{
    GPtrArray *chunks;
    char *next;
    gsize left_bytes;
};

static FcGArena *arena_new(void)
{
    FcGArena *arena = g_new0(FcGArena, 1);

    arena->chunks = g_ptr_array_new_with_free_func(g_free);
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
    if (n_bytes > ARENA_CHUNK_BYTES / 4)
    {
        result = g_malloc0(n_bytes);
        g_ptr_array_add(arena->chunks, result);
        return result;
    }
    if (n_bytes > arena->left_bytes)
    {
        arena->next = g_malloc0(ARENA_CHUNK_BYTES);
        arena->left_bytes = ARENA_CHUNK_BYTES;
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
    model->arc_table = fc_garc_table_new();
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
    fc_garc_table_free(model->arc_table);
    fc_gspecs_free(model->specs);
    fc_gorder_map_free(model->order_map);
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
    const char *slash;

    if (file)
        return file;
    file = arena_alloc(model->arena, sizeof *file);
    file->path = fc_gmodel_strdup(model, path);
    slash = strrchr(file->path, '/');
    file->base = slash ? slash + 1 : file->path;
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

static int compare_symbols(const void *a, const void *b)
{
    const FcGSym *left = a, *right = b;

    if (left->addr != right->addr)
        return left->addr > right->addr ? 1 : -1;
    if (left->is_func != right->is_func)
        return right->is_func - left->is_func;
    return left->is_static - right->is_static;
}

/* Leading underscores, as far as they count. */
static int n_underscores(const char *name)
{
    if (name[0] != '_')
        return 0;
    return name[1] == '_' ? 2 : 1;
}

/* Whether the later of two symbols of one address takes the place of the one kept. */
static gboolean is_preferred(const FcGSym *later, const FcGSym *kept)
{
    if (later->is_static != kept->is_static)
        return kept->is_static;
    if (later->is_func != kept->is_func)
        return later->is_func;
    return n_underscores(later->name) < n_underscores(kept->name);
}

void fc_gsymtab_build(FcGModel *model, FcGSym *syms, guint n, guint64 last_addr)
{
    FcGSymtab *symtab = &model->symtab;
    g_autofree void **sorted = g_new(void *, n + 1);
    FcGSym *table = arena_alloc(model->arena, (n + 1) * sizeof *table);
    guint64 prev_addr = 0;
    guint len = 0;

    for (guint i = 0; i < n; i++)
        sorted[i] = &syms[i];
    fc_gsort(sorted, n, compare_symbols);
    for (guint i = 0; i < n; i++)
    {
        const FcGSym *sym = sorted[i];

        if (len > 0 && sym->addr == prev_addr)
        {
            if (is_preferred(sym, &table[len - 1]))
                table[len - 1] = *sym;
            continue;
        }
        if (len > 0 && table[len - 1].end_addr == 0)
            table[len - 1].end_addr = sym->addr - 1;
        if (sym->end_addr != 0 && sym->addr > sym->end_addr)
            continue;
        table[len++] = *sym;
        prev_addr = sym->addr;
    }
    if (len > 0 && table[len - 1].end_addr == 0)
        table[len - 1].end_addr = last_addr;
    g_free(symtab->starts);
    symtab->syms = table;
    symtab->len = len;
    symtab->starts = g_new(guint64, len + 1);
    for (guint i = 0; i < len; i++)
    {
        table[i].cycle_head = &table[i];
        symtab->starts[i] = table[i].addr;
    }
}

FcGSym *fc_gsymtab_find(const FcGSymtab *symtab, guint64 addr)
{
    guint low = 0, n = symtab->len;

    if (n == 0 || symtab->starts[0] > addr)
        return NULL;
    while (n > 1)
    {
        guint half = n / 2;

        /* Compiles to a conditional move: no mispredicted branches. */
        low = symtab->starts[low + half] <= addr ? low + half : low;
        n -= half;
    }
    return addr <= symtab->syms[low].end_addr ? &symtab->syms[low] : NULL;
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
