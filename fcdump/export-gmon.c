/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --gmon: which modules are exported, and to which files; see export-gmon.h.
 */
#include "fcdump/export-gmon.h"

#include <string.h>

static const char *path_of(const FcModel *model, gint module)
{
    return g_array_index(model->profile->modules, FcProfileModule, module).path;
}

gboolean fc_export_gmon_is_file(const char *image)
{
    return strchr(image, '=') || g_file_test(image, G_FILE_TEST_EXISTS);
}

static gint find_main_program(const FcModel *model)
{
    const FcProfile *profile = model->profile;

    for (guint i = 0; profile->executable && i < profile->modules->len; i++)
    {
        if (g_strcmp0(path_of(model, (gint)i), profile->executable) == 0)
            return (gint)i;
    }
    return FC_NONE;
}

static gboolean is_listed(const FcModel *model, const GArray *modules, gint module)
{
    for (guint i = 0; i < modules->len; i++)
    {
        if (fc_model_is_same_module(model, g_array_index(modules, gint, i), module))
            return TRUE;
    }
    return FALSE;
}

/* The modules asked for, each once: gint. */
static GArray *choose_modules(const FcModel *model, const char *const *images, GPtrArray *problems)
{
    GArray *modules = g_array_new(FALSE, FALSE, sizeof(gint));
    gint module = find_main_program(model);

    for (guint i = 0; images[i]; i++)
    {
        gint found = fc_symbols_find_module(model->symbols, model->profile, images[i]);

        if (found == FC_NONE && fc_export_gmon_is_file(images[i]))
            continue; /* a warning about that image was given already */
        if (found == FC_NONE)
            g_ptr_array_add(problems,
                            g_strdup_printf("%s: the profile has no such module", images[i]));
        else if (!is_listed(model, modules, found))
            g_array_append_val(modules, found);
    }
    if (images[0])
        return modules;
    if (module == FC_NONE)
        g_ptr_array_add(problems, g_strdup("--gmon: the profile does not say which module is the "
                                           "main program; name one with --image"));
    else
        g_array_append_val(modules, module);
    return modules;
}

/* PATH.NAME, or PATH.NAME.2 and so on if an earlier module has that name.  `taken` owns the result.
 */
static const char *choose_path(const char *path, const char *module_path, GHashTable *taken)
{
    g_autofree char *name = g_path_get_basename(module_path);
    char *own = g_strdup_printf("%s.%s", path, name);

    for (guint i = 2; g_hash_table_contains(taken, own); i++)
    {
        g_free(own);
        own = g_strdup_printf("%s.%s.%u", path, name, i);
    }
    g_hash_table_add(taken, own);
    return own;
}

void fc_export_gmon(const FcModel *model, const char *path, const char *const *images,
                    GPtrArray *notes, GPtrArray *problems)
{
    g_autoptr(GArray) modules = choose_modules(model, images, problems);
    gboolean is_several = images[0] && images[1];
    g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < modules->len; i++)
    {
        g_autoptr(GError) error = NULL;
        gint module = g_array_index(modules, gint, i);
        const char *own = is_several ? choose_path(path, path_of(model, module), taken) : path;

        if (!fc_export_gmon_module(model, module, own, notes, &error))
            g_ptr_array_add(problems, g_strdup_printf("%s: %s", own, error->message));
    }
}
