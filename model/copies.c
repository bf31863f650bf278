/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds and adds up the copies of functions; see copies.h.
 */
#include "model/copies.h"

#include <string.h>

/* ---- Finding --------------------------------------------------------------------- */

/* Returns the suffix that gcc appended to the linkage name of a clone; NULL: it is no clone.  A
 * clone is a copy of its function. */
static const char *find_clone(const char *raw)
{
    static const char *const suffixes[] = {".part.", ".isra.", ".constprop.", ".localalias"};
    const char *first = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(suffixes); i++)
    {
        const char *at = strstr(raw, suffixes[i]);
        if (at && at > raw && (!first || at < first))
            first = at;
    }
    return first;
}

/* Returns the linkage name without a clone's suffix.  The caller owns the result. */
static char *name_original(const char *raw)
{
    const char *clone = find_clone(raw);
    return clone ? g_strndup(raw, (gsize)(clone - raw)) : g_strdup(raw);
}

/* Counts the functions that are not clones, for each name that has clones: "MODULE\nNAME" ->
 * number.  The caller owns the result. */
static GHashTable *count_originals(const FcModel *model)
{
    GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < model->functions->len; i++)
        {
            const FcFunction *function = fc_model_function(model, i);
            const char *raw = function->symbol.raw_name;
            if (!raw || !find_clone(raw) == (pass == 0))
                continue;
            g_autofree char *original = name_original(raw);
            char *key = g_strdup_printf("%d\n%s", function->figures.location.module, original);
            const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key));
            if (pass == 0)
                g_hash_table_replace(counts, key, GUINT_TO_POINTER(0));
            else if (g_hash_table_contains(counts, key))
                g_hash_table_replace(counts, key, GUINT_TO_POINTER(count + 1));
            else
                g_free(key);
        }
    return counts;
}

/* Counts the functions that are local to their units, by linkage name.  The caller owns the
 * result. */
static GHashTable *count_names(const FcModel *model)
{
    GHashTable *counts = g_hash_table_new(NULL, NULL); /* equal names are the same pointer */
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcSymbol *symbol = &fc_model_function(model, i)->symbol;
        if (!symbol->raw_name || !symbol->is_static)
            continue;
        const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, symbol->raw_name));
        g_hash_table_insert(counts, (gpointer)symbol->raw_name, GUINT_TO_POINTER(count + 1));
    }
    return counts;
}

/* The key of the definition; NULL: its line is not known.  The caller owns the result. */
static char *definition_key(const FcModel *model, const FcFunction *function)
{
    const FcProfileLocation *location = &function->figures.location;
    const FcProfileModule *module =
        &g_array_index(model->profile->modules, FcProfileModule, location->module);
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, location, FALSE, &symbol);
    if (!symbol.file || symbol.line == 0)
        return NULL;
    /* Units name one header by different paths, each relative to the unit's folder. */
    const char *folder = NULL;
    fc_symbols_find_unit(model->symbols, model->profile, location, &folder);
    g_autofree char *file = g_canonicalize_filename(symbol.file, folder ? folder : "/");
    g_autofree char *original = name_original(symbol.raw_name);
    return g_strdup_printf("%s\n%s\n%u\n%s", original,
                           module->build_id ? module->build_id : module->path, symbol.line, file);
}

/* Returns the key that the function shares with its clones.  NULL: its name has no clones, or
 * several functions have the name and its line is not known.  The caller owns the result. */
static char *clone_key(const FcModel *model, GHashTable *originals, const FcFunction *function)
{
    g_autofree char *original = name_original(function->symbol.raw_name);
    g_autofree char *key = g_strdup_printf("%d\n%s", function->figures.location.module, original);
    gpointer count;
    if (!g_hash_table_lookup_extended(originals, key, NULL, &count))
        return NULL;
    return GPOINTER_TO_UINT(count) < 2 ? g_steal_pointer(&key) : definition_key(model, function);
}

guint *fc_copies_find(const FcModel *model)
{
    guint *first = g_new0(guint, model->functions->len + 1);
    g_autoptr(GHashTable) counts = count_names(model);
    g_autoptr(GHashTable) originals = count_originals(model);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        const FcSymbol *symbol = &function->symbol;
        first[i] = i;
        if (!symbol->raw_name || function->figures.location.module == FC_NONE)
            continue;
        const gboolean has_copies =
            symbol->is_static &&
            GPOINTER_TO_UINT(g_hash_table_lookup(counts, symbol->raw_name)) >= 2;
        g_autofree char *key = clone_key(model, originals, function);
        if (!key && has_copies)
            key = definition_key(model, function);
        gpointer found = NULL;
        if (!key)
            continue;
        if (g_hash_table_lookup_extended(known, key, NULL, &found))
            first[i] = GPOINTER_TO_UINT(found);
        else
            g_hash_table_insert(known, g_steal_pointer(&key), GUINT_TO_POINTER(i));
    }
    return first;
}

/* ---- Time that counts in several copies ------------------------------------------------- */

static const FcProfileContext *context_at(const FcModel *model, guint index)
{
    return &g_array_index(model->profile->contexts, FcProfileContext, index);
}

/* Returns, by first copy, the time of contexts below a context of another copy.  The totals of both
 * copies include it.  The two are never the same copy, as recursion is folded.  `has_copies` is
 * from mark_copies().  The caller owns the result. */
static FcProfileTimes *find_nested(const FcModel *model, const guint *first,
                                   const gboolean *has_copies)
{
    FcProfileTimes *nested = g_new0(FcProfileTimes, model->functions->len + 1);
    /* functions have the figures of some threads, contexts those of all */
    if (model->of_threads)
        return nested;
    for (guint i = 0; i < model->profile->contexts->len; i++)
    {
        const FcProfileContext *context = context_at(model, i);
        const guint own = first[model->function_of[context->function]];
        gboolean found = FALSE;
        for (gint above = has_copies[own] ? context->parent : FC_NONE; !found && above != FC_NONE;
             above = context_at(model, (guint)above)->parent)
            found = first[model->function_of[context_at(model, (guint)above)->function]] == own;
        if (!found)
            continue;
        fc_profile_add_times(&nested[own], &context->times);
    }
    return nested;
}

/* Subtracts the time that was counted twice; the result is at least `least`. */
static void take_off(guint64 *total, guint64 nested, guint64 least)
{
    *total = MAX(*total - MIN(nested, *total), least);
}

/* ---- Adding up ------------------------------------------------------------------------ */

/* Returns, by first copy, whether the function has other copies.  The caller owns the result. */
static gboolean *mark_copies(const FcModel *model, const guint *first, gboolean *any)
{
    gboolean *has_copies = g_new0(gboolean, model->functions->len + 1);
    *any = FALSE;
    for (guint i = 0; i < model->functions->len; i++)
        if (first[i] != i)
            *any = has_copies[first[i]] = TRUE;
    return has_copies;
}

static void add_copy(FcFunction *into, const FcFunction *copy, gboolean extended)
{
    fc_profile_add_figures(&into->figures, extended, &copy->figures, extended);
    into->copies += copy->copies;
    if (!find_clone(into->symbol.raw_name) || find_clone(copy->symbol.raw_name))
        return;
    into->symbol = copy->symbol; /* `into` was a clone: the function itself replaces it */
    into->name = copy->name;
    into->figures.location = copy->figures.location;
}

void fc_copies_merge(FcModel *model, const guint *first)
{
    const guint count = model->functions->len;
    gboolean any;
    g_autofree gboolean *has_copies = mark_copies(model, first, &any);
    if (!any)
        return;
    g_autofree FcProfileTimes *nested = find_nested(model, first, has_copies);
    g_autofree guint64 *largest = g_new0(guint64, count + 1); /* largest total of one copy */
    g_autofree guint *now = g_new0(guint, count + 1);
    GArray *merged = fc_model_functions_new(count);
    for (guint i = 0; i < count; i++)
    {
        FcFunction *function = &g_array_index(model->functions, FcFunction, i);
        largest[first[i]] = MAX(largest[first[i]], function->figures.times.total_ns);
        now[i] = first[i] == i ? merged->len : now[first[i]];
        if (first[i] == i)
        {
            g_array_append_val(merged, *function);
            function->figures.histogram = (FcHistogram){0}; /* `merged` owns these now */
            function->figures.off = NULL;
        }
        else
            add_copy(&g_array_index(merged, FcFunction, now[i]), function,
                     model->profile->extended);
    }
    for (guint i = 0; i < count; i++)
    {
        FcProfileFunction *figures = &g_array_index(merged, FcFunction, now[i]).figures;
        if (!has_copies[i])
            continue;
        FcProfileTimes *times = &figures->times;
        take_off(&times->total_ns, nested[i].total_ns, MAX(largest[i], times->local_ns));
        take_off(&times->total_cost_ns, nested[i].total_cost_ns, times->local_cost_ns);
        take_off(&times->total_wait_ns, nested[i].total_wait_ns, times->local_wait_ns);
    }
    for (guint i = 0; i < model->profile->functions->len; i++)
        model->function_of[i] = now[model->function_of[i]];
    g_array_unref(model->functions);
    model->functions = merged;
}
