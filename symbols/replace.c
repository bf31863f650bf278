/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which module of a profile a file of --image stands for.  Called by symbols.c, which
 * opens the files.
 */
#include "symbols/replace.h"

#include <string.h>

#include "profile/path.h"

FcReplacement fc_replacement_parse(const char *text)
{
    FcReplacement replacement = {NULL, NULL, NULL};
    const char *equals = strchr(text, '=');

    /* A file may have an equals sign in its name. */
    if (equals && !g_file_test(text, G_FILE_TEST_EXISTS))
        replacement.recorded = g_strndup(text, (gsize)(equals - text));
    replacement.path = g_strdup(replacement.recorded ? equals + 1 : text);
    return replacement;
}

void fc_replacement_clear(gpointer data)
{
    FcReplacement *replacement = data;

    g_free(replacement->recorded);
    g_free(replacement->path);
}

gboolean fc_replacement_is_meant(const FcReplacement *replacement, const char *path)
{
    const char *recorded = replacement->recorded;

    if (!recorded)
        return strcmp(fc_base_name(replacement->path), fc_base_name(path)) == 0;
    return strcmp(strchr(recorded, '/') ? path : fc_base_name(path), recorded) == 0;
}

static gboolean is_build_of(const FcReplacement *replacement, const FcProfileModule *module)
{
    return !replacement->recorded && module->build_id && replacement->image &&
           g_strcmp0(replacement->image->build_id, module->build_id) == 0;
}

gboolean fc_replacement_fits(const FcReplacement *replacement, const FcProfileModule *module)
{
    return fc_replacement_is_meant(replacement, module->path ? module->path : "") ||
           is_build_of(replacement, module);
}

gint fc_replacement_find_build(const FcReplacement *replacement, const FcProfile *profile)
{
    for (guint i = 0; i < profile->modules->len; i++)
    {
        if (is_build_of(replacement, &g_array_index(profile->modules, FcProfileModule, i)))
            return (gint)i;
    }
    return FC_NONE;
}

gint fc_replacement_find_module(const FcReplacement *replacement, const FcProfile *profile)
{
    g_autofree char *path = g_canonicalize_filename(replacement->path, NULL);
    gint by_build = fc_replacement_find_build(replacement, profile);
    gint by_path = FC_NONE, by_name = FC_NONE;

    for (gint i = (gint)profile->modules->len - 1; i >= 0; i--)
    {
        const FcProfileModule *module = &g_array_index(profile->modules, FcProfileModule, i);

        if (!replacement->recorded && g_strcmp0(module->path, path) == 0)
            by_path = i;
        if (fc_replacement_is_meant(replacement, module->path ? module->path : ""))
            by_name = i;
    }
    if (by_build != FC_NONE)
        return by_build;
    return by_path != FC_NONE ? by_path : by_name;
}
