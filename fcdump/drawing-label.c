/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a drawing's nodes say; see drawing.h.
 */
#include "fcdump/drawing.h"
#include "fcdump/export.h"
#include "fcdump/short-names.h"
#include "profile/plain.h"

#include <string.h>

enum
{
    NAME_WIDTH = 28, /* characters of a name on one line */
    NAME_LINES = 2,
};

/* Letters that can be read on a screen, in points: from the first to the sum of both. */
#define FONT_LEAST 8.5
#define FONT_MORE 6.0

/* Where the next part of a name begins: before what opens it, behind a comma. */
static const char *next_part(const char *name)
{
    const char *p = g_utf8_next_char(name);
    if (*name == ':' && *p == ':')
        p++;
    while (*p != '\0' && !strchr(":<( ", *p) && p[-1] != ',')
        p = g_utf8_next_char(p);
    return p;
}

/* Breaks a name at what separates its parts; each line is `width` long at most. */
static char *wrap_name(const char *name, glong width)
{
    GString *text = g_string_new(NULL);
    glong column = 0;
    const char *end = name;
    for (const char *part = name; *part != '\0'; part = end)
    {
        end = next_part(part);
        if (column > 0 && column + g_utf8_pointer_to_offset(part, end) > width)
        {
            g_string_append_c(text, '\n');
            column = 0;
            part += *part == ' ' ? 1 : 0;
        }
        for (const char *p = part; p < end; p = g_utf8_next_char(p), column++)
        {
            if (column >= width)
            {
                g_string_append_c(text, '\n');
                column = 0;
            }
            g_string_append_len(text, p, g_utf8_next_char(p) - p);
        }
    }
    return g_string_free(text, FALSE);
}

/* As much of a function's name as fits in `lines` lines. */
static char *fit_name(const FcReportContext *context, FcShortNames *names, guint function,
                      guint lines)
{
    g_autofree char *valid = fc_plain_text(fc_model_function(context->model, function)->name);
    g_autofree char *fits = fc_short_names_fit(names, valid, lines * NAME_WIDTH);
    return wrap_name(fits, NAME_WIDTH);
}

static char *make_label(const FcReportContext *context, FcShortNames *names,
                        const FcDrawnNode *node)
{
    const FcProfileFunction *figures = &fc_model_function(context->model, node->function)->figures;
    g_autofree char *total = fc_export_time(context->model, figures->times.total_ns);
    g_autofree char *local = fc_export_time(context->model, node->local_ns);
    g_autofree char *name =
        fit_name(context, names, node->function, node->count > 1 ? 1 : NAME_LINES);
    GString *label = g_string_new(name);
    if (node->count > 1)
    {
        g_autofree char *last = fit_name(context, names, node->last, 1);
        g_string_append_printf(label, "\n(%u more calls)\n%s", node->count - 2, last);
    }
    g_string_append_printf(label, "\ntotal %s, %" G_GUINT64_FORMAT "x\nlocal %s", total,
                           figures->calls, local);
    return g_string_free(label, FALSE);
}

void fc_drawing_describe(const FcReportContext *context, FcDrawing *drawing)
{
    FcShortNames *names = fc_short_names_new("...");
    const guint64 whole = context->model->base_ns;
    for (guint i = 0; i < drawing->nodes->len; i++)
    {
        FcDrawnNode *node = fc_drawing_node(drawing, i);
        if (node->is_inside)
            continue;
        const double share = whole > 0 ? MIN((double)node->local_ns / (double)whole, 1.0) : 0.0;
        g_free(node->label);
        node->label = make_label(context, names, node);
        node->font_points = FONT_LEAST + FONT_MORE * share;
    }
    fc_short_names_free(names);
}
