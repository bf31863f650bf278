/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that are in none of the inputs; see missing.h.
 */
#include "fcdump/missing.h"

#include "model/load.h"
#include "model/select.h"
#include "model/v3.h"

/* A sum may be of hundreds: so many of its files are named. */
#define FILES_NAMED 4

void fc_missing_find(const FcModel *model, const FcOptions *options, GPtrArray *missing)
{
    g_autofree gboolean *set = g_new0(gboolean, model->functions->len + 1);
    fc_select_mark_all(model, options->peek, "--peek", set, missing);
    fc_select_mark_all(model, options->path, "--path", set, missing);
}

static void add_profiles(GPtrArray *profiles, const GPtrArray *operands)
{
    for (guint i = 0; i < operands->len && operands->pdata[i]; i++)
        if (!fc_v3_is_elf(operands->pdata[i]))
            g_ptr_array_add(profiles, operands->pdata[i]);
}

void fc_missing_name_files(GPtrArray *missing, const FcOptions *options)
{
    if (missing->len == 0)
        return;
    g_autoptr(GPtrArray) profiles = g_ptr_array_new();
    g_autoptr(GString) files = g_string_new(NULL);
    add_profiles(profiles, options->baseline);
    add_profiles(profiles, options->operands);
    if (profiles->len == 0)
        g_ptr_array_add(profiles, (gpointer)fc_load_default());
    const guint named = profiles->len <= FILES_NAMED ? profiles->len : FILES_NAMED - 1;
    for (guint i = 0; i < named; i++)
        g_string_append_printf(files, "%s%s", i > 0 ? ", " : " ", (char *)profiles->pdata[i]);
    if (named < profiles->len)
        g_string_append_printf(files, " and %u more", profiles->len - named);
    for (guint i = 0; i < missing->len; i++)
    {
        char *text = missing->pdata[i];
        missing->pdata[i] = g_strconcat(text, files->str, NULL);
        g_free(text);
    }
}
