/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See functions.h.
 */
#include "symbols/functions.h"

#include "symbols/demangle.h"
#include "symbols/image.h"

#include <string.h>

static void visit_one(FcImage *image, const FcImageFunction *function, gboolean with_files,
                      FcFunctionVisitor visit, gpointer data)
{
    g_autofree char *raw = g_strndup(function->raw, strcspn(function->raw, "@"));
    g_autofree char *name = fc_demangle_name(raw, FC_DEMANGLE_PLAIN);
    g_autofree char *params = fc_demangle_name(raw, FC_DEMANGLE_PARAMS);
    const char *file = NULL;
    guint line = 0;
    if (with_files && !fc_image_find_line(image, function->start, TRUE, &file, &line))
        file = NULL;
    const FcFunctionName named = {function->start, function->end, raw, name, params, file};
    visit(&named, data);
}

gboolean fc_functions_visit(const char *path, const char *build_id, gboolean with_files,
                            FcFunctionVisitor visit, gpointer data, GError **error)
{
    if (fc_image_is_passing(path))
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "is another process's");
        return FALSE;
    }
    g_autoptr(FcImage) image = fc_image_open(path, NULL, error);
    if (!image)
        return FALSE;
    if (build_id[0] != '\0' && g_strcmp0(image->build_id, build_id) != 0)
    {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "is another build");
        return FALSE;
    }
    GArray *functions = fc_image_functions(image, with_files);
    for (guint i = 0; i < functions->len; i++)
        if (!g_array_index(functions, FcImageFunction, i).is_import)
            visit_one(image, &g_array_index(functions, FcImageFunction, i), with_files, visit,
                      data);
    return TRUE;
}
