/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the compiler inlined everywhere: where hooks are put in after inlining these functions are
 * not in the profile, and somebody may look for them.
 */
#include "fcdump/report.h"
#include "model/labels.h"

static const FcColumn columns[] = {
    {NULL, "copies", FALSE},
    {NULL, "in functions", FALSE, 3},
    {NULL, "declared", TRUE},
    {NULL, "function", TRUE},
};

/* The modules that have functions in the profile. */
static gboolean *find_modules(const FcModel *model)
{
    gboolean *has_functions = g_new0(gboolean, model->profile->modules->len + 1);
    for (guint i = 0; i < model->functions->len; i++)
    {
        const gint module = fc_model_function(model, i)->figures.location.module;
        if (module >= 0 && (guint)module < model->profile->modules->len)
            has_functions[module] = TRUE;
    }
    return has_functions;
}

static char *format_place(const FcReportContext *context, const FcInlined *inlined)
{
    if (!inlined->file)
        return NULL;
    g_autofree char *base =
        context->options->base_names ? g_path_get_basename(inlined->file) : g_strdup(inlined->file);
    return g_strdup_printf("%s:%u", base, inlined->line);
}

static void add_functions(const FcReportContext *context, FcTable *table, const GArray *list)
{
    for (guint i = 0; i < list->len; i++)
    {
        const FcInlined *inlined = &g_array_index(list, FcInlined, i);
        fc_table_row(table, FC_STYLE_PLAIN);
        fc_table_cell(table, fc_format_count(inlined->copies));
        fc_table_cell(table, fc_format_count(inlined->hosts));
        fc_table_cell(table, format_place(context, inlined));
        fc_table_cell(table, g_strdup(fc_labels_of_name(context->model, inlined->name)));
    }
}

static void render_inlined(const FcReportContext *context)
{
    const FcModel *model = context->model;
    g_autoptr(FcTable) table = fc_table_new(columns, G_N_ELEMENTS(columns));
    g_autofree gboolean *has_functions = find_modules(model);
    gboolean is_known = FALSE;
    for (guint i = 0; i < model->profile->modules->len; i++)
    {
        g_autoptr(GArray) list =
            has_functions[i] ? fc_symbols_list_inlined(model->symbols, model->profile, i) : NULL;
        is_known |= list != NULL;
        if (list)
            add_functions(context, table, list);
    }
    fc_render_title(context->render, "Inlined functions");
    if (!is_known && !fc_format_is_csv())
        fc_render_line(context->render,
                       "Nothing is known of them: the program has no debug information (-g).");
    else if (fc_table_is_empty(table) && !fc_format_is_csv())
        fc_render_line(context->render, "None: each function has code of its own.");
    else
    {
        fc_render_note(context->render,
                       "These functions have no code but in others, whose time and calls theirs "
                       "are. fc-config --cflags --every-function has hooks in them as well.");
        fc_table_print(table, context->render);
    }
}

const FcReport fc_report_inlined = {"inlined",
                                    "functions that the compiler inlined everywhere (-g)",
                                    FC_REPORT_ON_REQUEST, render_inlined};
