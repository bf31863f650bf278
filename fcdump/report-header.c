/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The header: which tool read which files.
 */
#include "fcdump/report.h"

#define FILES_MAX 8 /* named one by one */

void fc_report_header(const FcReportContext *context)
{
    const GPtrArray *operands = context->model->operands;
    g_autoptr(GString) files = g_string_new(NULL);
    for (guint i = 0; i < operands->len && i < FILES_MAX; i++)
    {
        g_autofree char *path = fc_format_text(operands->pdata[i]);
        g_string_append_printf(files, "%s%s", i > 0 ? ", " : "", path);
    }
    if (operands->len > FILES_MAX)
        g_string_append_printf(files, " and %u more", operands->len - FILES_MAX);
    fc_render_title(context->render, "FunctionCheck " FC_VERSION " profile: %s", files->str);
}
