/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The header: which tool read which files.
 */
#include "fcdump/report.h"

#define FILES_MAX 8 /* named one by one */

/* What is exact and what is not, where there is anything that is not. */
static void note_estimates(const FcReportContext *context)
{
    const FcModel *model = context->model;
    guint functions = 0;
    guint64 counted = 0;
    guint64 timed = 0;
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        functions += figures->counted > figures->timed;
        counted += figures->counted;
        timed += figures->timed;
    }
    if (functions == 0)
        return;
    g_autofree char *all = fc_format_count(counted);
    g_autofree char *some = fc_format_count(timed);
    fc_render_note(context->render,
                   "Calls are exact. Of %u short function%s %s calls were counted, and %s of them "
                   "timed, at random: times with ~ are estimates.",
                   functions, functions > 1 ? "s" : "", all, some);
}

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
    note_estimates(context);
}
