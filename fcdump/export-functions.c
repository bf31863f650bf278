/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The names by which functions can be selected, a line for each: for completion in shells, which
 * must not be given what they could take for a command.
 */
#include "fcdump/export.h"
#include "symbols/shorten.h"

#include <string.h>

/* Whether only characters of names, scopes, destructors and clones are in it. */
static gboolean is_plain(const char *name)
{
    return *name != '\0' && *name != '-' &&
           strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_:~.") == strlen(name);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void render_functions(const FcReportContext *context)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < context->model->functions->len; i++)
    {
        const FcFunction *function = fc_model_function(context->model, i);
        char *name = fc_shorten_bare(function->symbol.name);
        if (!is_plain(name) || !function->shown || g_hash_table_contains(seen, name))
        {
            g_free(name);
            continue;
        }
        g_hash_table_add(seen, name);
        g_ptr_array_add(names, name);
    }
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++)
        fprintf(fc_render_file(context->render), "%s\n", (const char *)names->pdata[i]);
}

const FcReport fc_export_functions = {
    "functions", "the names of functions, a line each, as shells complete them", FC_REPORT_EXPORT,
    render_functions, .of_arcs = TRUE};
