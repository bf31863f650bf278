/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a function is known by in another build; see fc_diff_match of diff.h.
 */
#include "model/diff.h"

#include "profile/path.h"

#include <string.h>

/* Whether all processes of the run have the same executable.  It then matches that of any other
 * such run, whatever its name. */
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

/* Returns the key of module `index`: "" for the program, "-" for none, else the base name without a
 * library's version.  The caller owns the result. */
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

/* Returns the file of a function that is local to its unit.  That is the unit if copies of a
 * header's function are kept apart, else the source file.  NULL: the function is not local, or the
 * file is not known.  The caller owns the result. */
static char *file_of(const FcModel *model, const FcFunction *function)
{
    const FcProfileLocation *location = &function->figures.location;
    const char *folder = NULL;
    FcSymbol symbol;
    if (!function->symbol.raw_name || !function->symbol.is_static)
        return NULL;
    const char *unit = fc_symbols_find_unit(model->symbols, model->profile, location, &folder);
    fc_symbols_find(model->symbols, model->profile, location, FALSE, &symbol);
    const char *file = model->first_copy ? unit : symbol.file;
    return file ? g_canonicalize_filename(file, folder ? folder : "/") : NULL;
}

/* Returns the key of a function: name, module and file.  Without a name, it is the function's place
 * in this build of the module.  The caller owns the result. */
static char *make_key(const FcModel *model, const FcFunction *function, const char *file,
                      gboolean one_program)
{
    const gint module = function->figures.location.module;
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

/* Returns the key of all functions in the module with the function's name, whatever their file.
 * NULL: it has no name.  The key ends with '/', as no key of make_key() does.  The caller owns the
 * result. */
static char *make_name_key(const FcModel *model, const FcFunction *function, gboolean one_program)
{
    g_autofree char *module = module_key(model, function->figures.location.module, one_program);
    const char *raw = function->symbol.raw_name;
    return raw ? g_strdup_printf("%s\n%s\n/", raw, module) : NULL;
}

/* ---- Functions of one key ---------------------------------------------------------------- */

/* Matches the model's functions of one key with the functions of the difference. */
typedef struct
{
    FcDiff *diff;
    FcDiffSide side;
    const FcModel *model;
    char **files;  /* by function of the model; NULL: see file_of() */
    guint *row_of; /* by function of the model: the result */
    GArray *rows;  /* guint: functions of the difference with the key */
    GArray *named; /* those with the same name in any file; NULL: not compared */
} Matcher;

static FcDiffFunction *row_at(const Matcher *matcher, guint row)
{
    return &g_array_index(matcher->diff->functions, FcDiffFunction, row);
}

static guint add_row(const Matcher *matcher, guint index)
{
    const FcModel *model = matcher->model;
    const FcFunction *from = fc_model_function(model, index);
    const gint module = from->figures.location.module;
    const FcDiffFunction function = {
        .name = g_strdup(from->name),
        .label = g_intern_string(from->label),
        .raw_name = g_strdup(from->symbol.raw_name),
        .module = module == FC_NONE
                      ? NULL
                      : g_path_get_basename(
                            g_array_index(model->profile->modules, FcProfileModule, module).path),
    };
    const guint row = matcher->diff->functions->len;
    g_array_append_val(matcher->diff->functions, function);
    g_array_append_val(matcher->rows, row);
    if (matcher->named)
        g_array_append_val(matcher->named, row);
    return row;
}

static void take_row(const Matcher *matcher, guint index, guint row)
{
    char **file = &row_at(matcher, row)->files[matcher->side];
    matcher->row_of[index] = row;
    if (!*file)
        *file = g_strdup(matcher->files[index]);
}

/* Returns how many components at the ends of both paths are equal. */
static guint count_alike(const char *one, const char *other)
{
    g_auto(GStrv) x = g_strsplit(one, "/", -1);
    g_auto(GStrv) y = g_strsplit(other, "/", -1);
    const guint x_count = g_strv_length(x);
    const guint y_count = g_strv_length(y);
    guint alike = 0;
    while (alike < MIN(x_count, y_count) &&
           strcmp(x[x_count - alike - 1], y[y_count - alike - 1]) == 0)
        alike++;
    return alike;
}

/* How well the function fits the row; 0: not at all.  Within the runs of one build, files have the
 * same paths; another build may be in another folder. */
static guint fitness(const Matcher *matcher, guint index, guint row)
{
    const FcDiffFunction *function = row_at(matcher, row);
    const char *own = function->files[matcher->side];
    const char *file = matcher->files[index];
    const char *other =
        function->files[matcher->side == FC_DIFF_BEFORE ? FC_DIFF_AFTER : FC_DIFF_BEFORE];
    if (own)
        return strcmp(own, file) == 0 ? G_MAXUINT : 0;
    return other ? count_alike(other, file) : 0;
}

/* An equal file is always the best match.  This saves comparing all pairs for the runs of one
 * build. */
static void match_same_files(const Matcher *matcher, GArray *functions)
{
    const FcDiffSide other = matcher->side == FC_DIFF_BEFORE ? FC_DIFF_AFTER : FC_DIFF_BEFORE;
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal); /* file -> row + 1 */
    for (guint r = 0; r < matcher->rows->len; r++)
    {
        const guint row = g_array_index(matcher->rows, guint, r);
        char *const *files = row_at(matcher, row)->files;
        char *file = files[matcher->side] ? files[matcher->side] : files[other];
        if (file)
            g_hash_table_insert(known, file, GUINT_TO_POINTER(row + 1));
    }
    for (guint i = functions->len; i-- > 0;)
    {
        const guint index = g_array_index(functions, guint, i);
        const guint row = GPOINTER_TO_UINT(g_hash_table_lookup(known, matcher->files[index]));
        if (row == 0)
            continue;
        take_row(matcher, index, row - 1);
        g_array_remove_index(functions, i);
    }
}

/* A renamed file: if each side has only one function of a name, they are the same.  `is_only`: the
 * model has no other. */
static void match_renamed(const Matcher *matcher, GArray *functions, gboolean is_only)
{
    if (!is_only || functions->len != 1 || matcher->rows->len > 0 || matcher->named->len != 1)
        return;
    const guint row = g_array_index(matcher->named, guint, 0);
    if (row_at(matcher, row)->files[matcher->side])
        return; /* this side already has the function, in another file */
    take_row(matcher, g_array_index(functions, guint, 0), row);
    g_array_append_val(matcher->rows, row);
    g_array_set_size(functions, 0);
}

/* Gives each function of several files a row of its own, the best matches first. */
static void match_files(const Matcher *matcher, GArray *functions, gboolean is_only)
{
    match_same_files(matcher, functions);
    match_renamed(matcher, functions, is_only);
    while (functions->len > 0)
    {
        guint best = 0;
        guint best_at = 0;
        guint best_row = 0;
        for (guint i = 0; i < functions->len; i++)
            for (guint r = 0; r < matcher->rows->len; r++)
            {
                const guint row = g_array_index(matcher->rows, guint, r);
                const guint fits = fitness(matcher, g_array_index(functions, guint, i), row);
                if (fits <= best)
                    continue;
                best = fits;
                best_at = i;
                best_row = row;
            }
        const guint index = g_array_index(functions, guint, best_at);
        take_row(matcher, index, best > 0 ? best_row : add_row(matcher, index));
        g_array_remove_index(functions, best_at);
    }
}

/* Functions without a file of their own are one row, even if the model has several. */
static void match_group(const Matcher *matcher, GArray *functions, gboolean is_only)
{
    const guint first = g_array_index(functions, guint, 0);
    if (matcher->files[first])
    {
        match_files(matcher, functions, is_only);
        return;
    }
    const guint row =
        matcher->rows->len > 0 ? g_array_index(matcher->rows, guint, 0) : add_row(matcher, first);
    for (guint i = 0; i < functions->len; i++)
        matcher->row_of[g_array_index(functions, guint, i)] = row;
}

/* Returns the list of that key, which it makes if there is none.  `lists` owns the result. */
static GArray *list_of(GHashTable *lists, const char *key)
{
    GArray *list = g_hash_table_lookup(lists, key);
    if (!list)
    {
        list = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(lists, g_strdup(key), list);
    }
    return list;
}

void fc_diff_match(FcDiff *diff, FcDiffSide side, const FcModel *model, guint *row_of)
{
    const guint count = model->functions->len;
    const gboolean one_program = has_one_program(model);
    g_autofree char **files = g_new0(char *, count + 1);
    g_autofree char **keys = g_new0(char *, count + 1);
    g_autofree char **names = g_new0(char *, count + 1);
    g_autoptr(GHashTable) groups =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
    g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal); /* by name key */
    for (guint i = 0; i < count; i++)
    {
        const FcFunction *function = fc_model_function(model, i);
        files[i] = file_of(model, function);
        keys[i] = make_key(model, function, files[i], one_program);
        names[i] = files[i] ? make_name_key(model, function, one_program) : NULL;
        GArray *group = list_of(groups, keys[i]);
        g_array_append_val(group, i);
        if (names[i])
            g_hash_table_insert(
                counts, names[i],
                GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(counts, names[i])) + 1));
    }
    for (guint i = 0; i < count; i++)
    {
        GArray *group = list_of(groups, keys[i]);
        if (group->len == 0 || g_array_index(group, guint, 0) != i)
            continue; /* matched with the first of its group */
        const Matcher matcher = {diff,
                                 side,
                                 model,
                                 files,
                                 row_of,
                                 list_of(diff->known, keys[i]),
                                 names[i] ? list_of(diff->known, names[i]) : NULL};
        const gboolean is_only =
            names[i] && GPOINTER_TO_UINT(g_hash_table_lookup(counts, names[i])) == 1;
        match_group(&matcher, group, is_only);
    }
    for (guint i = 0; i < count; i++)
    {
        g_free(files[i]);
        g_free(keys[i]);
        g_free(names[i]);
    }
}
