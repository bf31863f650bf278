/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a function is known by in another build; see fc_diff_keys of diff.h.
 */
#include "model/diff.h"

#include "profile/path.h"

#include <string.h>

/* Whether all processes of the run have one executable: then it is the same program as that of
 * another run, whatever its name. */
static gboolean has_one_program(const FcModel *model)
{
    const char *first = NULL;
    for (guint i = 0; i < model->inputs->len; i++)
    {
        const FcInput *input = model->inputs->pdata[i];
        const char *executable = input->header->executable;
        if (!executable || (first && strcmp(first, executable) != 0))
            return FALSE;
        first = executable;
    }
    return first != NULL;
}

/* The module of a place: "" for the program, else its base name without a library's version. */
static char *module_key(const FcModel *model, gint index, gboolean one_program)
{
    if (index == FC_NONE)
        return g_strdup("-");
    const FcProfileModule *module = &g_array_index(model->profile->modules, FcProfileModule, index);
    if (one_program && g_strcmp0(module->path, model->profile->executable) == 0)
        return g_strdup("");
    const char *base = fc_base_name(module->path);
    const char *version = strstr(base, ".so.");
    return version ? g_strndup(base, (gsize)(version - base) + 3) : g_strdup(base);
}

/* A static function is one of its file; the folders before it may be others in another build. */
static char *file_of(const FcModel *model, const FcFunction *function)
{
    FcSymbol symbol;
    if (!function->symbol.raw_name || !function->symbol.is_static)
        return NULL;
    fc_symbols_find(model->symbols, model->profile, &function->figures.place, FALSE, &symbol);
    return symbol.file ? g_strdup(symbol.file) : NULL;
}

/* By its name; where it has none, by its place in just that build of the module. */
static char *make_key(const FcModel *model, const FcFunction *function, const char *file,
                      gboolean one_program)
{
    const gint module = function->figures.place.module;
    g_autofree char *module_text = module_key(model, module, one_program);
    if (function->symbol.raw_name)
        return g_strdup_printf("%s\n%s\n%s", function->symbol.raw_name, module_text,
                               file ? fc_base_name(file) : "");
    const char *build_id =
        module == FC_NONE
            ? NULL
            : g_array_index(model->profile->modules, FcProfileModule, module).build_id;
    return g_strdup_printf("+%" G_GINT64_MODIFIER "x\n%s\n%s", function->symbol.start, module_text,
                           build_id ? build_id : "");
}

/* Appends to the key of a static function of which another file of that name has one, too, the
 * file's folder. */
static void add_folder(char **key, const char *file)
{
    g_autofree char *folder = file ? g_path_get_dirname(file) : NULL;
    if (!folder)
        return;
    char *longer = g_strdup_printf("%s\n%s", *key, fc_base_name(folder));
    g_free(*key);
    *key = longer;
}

char **fc_diff_keys(const FcModel *model)
{
    const guint count = model->functions->len;
    const gboolean one_program = has_one_program(model);
    char **keys = g_new0(char *, count + 1);
    g_auto(GStrv) files = g_new0(char *, count + 1);
    g_autoptr(GHashTable) first = g_hash_table_new(g_str_hash, g_str_equal); /* key -> file */
    g_autoptr(GHashTable) several = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < count; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        g_autofree char *file = file_of(model, function);
        keys[i] = make_key(model, function, file, one_program);
        files[i] = g_strdup(file ? file : "");
        const char *other = g_hash_table_lookup(first, keys[i]);
        if (!other)
            g_hash_table_insert(first, keys[i], files[i]);
        else if (strcmp(other, files[i]) != 0)
            g_hash_table_add(several, g_strdup(keys[i]));
    }
    g_hash_table_remove_all(first); /* its keys are about to change */
    for (guint i = 0; i < count; i++)
        if (files[i][0] != '\0' && g_hash_table_contains(several, keys[i]))
            add_folder(&keys[i], files[i]);
    return keys;
}
