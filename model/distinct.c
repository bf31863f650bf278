/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions that would be shown under one name, such as overloads and the static
 * functions of several files, get longer names; see distinct.h.
 */
#include "model/distinct.h"

#include <string.h>

#include "profile/path.h"

/* A longer name for the function; NULL: it has none of that kind.  The caller frees it. */
typedef char *Longer(const FcModel *model, const FcFunction *function);

static char *with_parameters(const FcModel *model, const FcFunction *function)
{
    const char *raw = function->symbol.raw_name;
    if (!raw || strcmp(raw, function->name) == 0) /* linkage names are shown */
        return NULL;
    g_autofree char *name = fc_demangle_name(raw, FC_DEMANGLE_PARAMS);
    /* Spelled out, the parameters of most C++ functions would be hard to read. */
    g_autoptr(GString) text = g_string_new(name);
    g_string_replace(text,
                     "std::__cxx11::basic_string<char, std::char_traits<char>, "
                     "std::allocator<char> >",
                     "std::string", 0);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* "NAME [PLACE]".  The caller frees it. */
static char *add_location(const char *name, const char *location)
{
    return g_strdup_printf("%s [%s]", name, location);
}

/* Tells apart the functions that a compiler makes of one constructor or destructor. */
static char *with_variant(const FcModel *model, const FcFunction *function)
{
    const char *raw = function->symbol.raw_name;
    const char *variant = raw ? fc_demangle_variant(raw) : NULL;
    if (!variant || strcmp(raw, function->name) == 0)
        return NULL;
    return add_location(function->name, variant);
}

static char *with_file(const FcModel *model, const FcFunction *function)
{
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &function->figures.location, FALSE, &symbol);
    if (!symbol.file)
        return NULL;
    return add_location(function->name, fc_base_name(symbol.file));
}

/* Tells apart files of one name in several folders. */
static char *with_folder(const FcModel *model, const FcFunction *function)
{
    FcSymbol symbol;
    fc_symbols_find(model->symbols, model->profile, &function->figures.location, FALSE, &symbol);
    if (!symbol.file)
        return NULL;
    g_autofree char *folder_path = g_path_get_dirname(symbol.file);
    const char *base = fc_base_name(symbol.file);
    g_autofree char *last_two = g_build_filename(fc_base_name(folder_path), base, NULL);
    g_autofree char *short_location = add_location("", base);
    g_autofree char *name = g_strdup(function->name);
    if (g_str_has_suffix(name, short_location)) /* appended by with_file */
        name[strlen(name) - strlen(short_location)] = '\0';
    return add_location(name, last_two);
}

/* Tells apart copies of a header's function by the units that they were compiled in. */
static char *with_unit(const FcModel *model, const FcFunction *function)
{
    const char *unit =
        fc_symbols_find_unit(model->symbols, model->profile, &function->figures.location, NULL);
    return unit ? add_location(function->name, fc_base_name(unit)) : NULL;
}

static char *with_unit_folder(const FcModel *model, const FcFunction *function)
{
    const char *unit =
        fc_symbols_find_unit(model->symbols, model->profile, &function->figures.location, NULL);
    if (!unit)
        return NULL;
    g_autofree char *short_location = add_location("", fc_base_name(unit));
    g_autofree char *name = g_strdup(function->name);
    if (g_str_has_suffix(name, short_location)) /* appended by with_unit */
        name[strlen(name) - strlen(short_location)] = '\0';
    return add_location(name, unit);
}

static char *with_module(const FcModel *model, const FcFunction *function)
{
    if (function->figures.location.module == FC_NONE)
        return NULL;
    const FcProfileModule *module =
        &g_array_index(model->profile->modules, FcProfileModule, function->figures.location.module);
    if (module->path[0] == '\0')
        return NULL;
    return add_location(function->name, fc_base_name(module->path));
}

/* Tells apart what nothing else does: functions of one file, or of a module without lines. */
static char *with_offset(const FcModel *model, const FcFunction *function)
{
    g_autofree char *offset =
        g_strdup_printf("+0x%" G_GINT64_MODIFIER "x", function->figures.location.offset);
    return add_location(function->name, offset);
}

/* Gives functions that are `alike` in name their longer names, unless those are all the same. */
static void lengthen(FcModel *model, const GArray *alike, Longer *longer)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    gboolean differ = FALSE;
    for (guint i = 0; i < alike->len; i++)
    {
        g_ptr_array_add(names,
                        longer(model, fc_model_function(model, g_array_index(alike, guint, i))));
        differ = differ || g_strcmp0(names->pdata[i], names->pdata[0]) != 0;
    }
    for (guint i = 0; differ && i < alike->len; i++)
        if (names->pdata[i])
            g_array_index(model->functions, FcFunction, g_array_index(alike, guint, i)).name =
                g_intern_string(names->pdata[i]);
}

static void lengthen_all(FcModel *model, Longer *longer)
{
    g_autoptr(GHashTable) groups =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_array_unref);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const char *name = fc_model_function(model, i)->name;
        GArray *group = g_hash_table_lookup(groups, name);
        if (!group)
        {
            group = g_array_new(FALSE, FALSE, sizeof(guint));
            g_hash_table_insert(groups, (gpointer)name, group);
        }
        g_array_append_val(group, i);
    }
    GHashTableIter iter;
    gpointer group;
    g_hash_table_iter_init(&iter, groups);
    while (g_hash_table_iter_next(&iter, NULL, &group))
        if (((GArray *)group)->len > 1)
            lengthen(model, group, longer);
}

void fc_distinct_names(FcModel *model)
{
    lengthen_all(model, with_parameters);
    lengthen_all(model, with_variant);
    lengthen_all(model, with_file);
    lengthen_all(model, with_folder);
    lengthen_all(model, with_unit);
    lengthen_all(model, with_unit_folder);
    lengthen_all(model, with_module);
    lengthen_all(model, with_offset);
}
