/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What several exports need; see export.h.
 */
#include "fcdump/export.h"

#include "model/v3.h"
#include "profile/descriptor.h"
#include "profile/fc-profile-file.h"
#include "profile/plain.h"

#include <stdio.h>

void fc_export_note(const FcReportContext *context, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(context->notes, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

static void append(GString *text, gboolean wanted, const char *what)
{
    if (wanted)
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", what);
}

static gboolean has_estimates(const FcModel *model)
{
    for (guint i = 0; i < model->functions->len; i++)
    {
        const FcProfileFunction *figures = &fc_model_function(model, i)->figures;
        if (fc_report_is_estimated(figures) || fc_report_is_local_estimated(figures))
            return TRUE;
    }
    return FALSE;
}

void fc_export_note_lost(const FcReportContext *context, const char *name, guint lost)
{
    const FcProfile *profile = context->model->profile;
    const FcProfileHeap *heap = &profile->heap;
    g_autoptr(GString) text = g_string_new(NULL);
    append(text, (lost & FC_LOST_CONTEXTS) && profile->contexts->len > 0, "calling contexts");
    append(text, (lost & FC_LOST_CALLS) != 0, "numbers of calls");
    append(text, (lost & FC_LOST_SITES) && profile->arcs->len > 0, "call sites");
    append(text, (lost & FC_LOST_BOUNDS) != 0, "minima, maxima and histograms");
    append(text, (lost & FC_LOST_THREADS) && profile->threads->len > 1, "which thread it was");
    append(text, (lost & FC_LOST_PROCESSES) && context->model->inputs->len > 1,
           "which process it was");
    append(text, (lost & FC_LOST_MEMORY) && heap->recorded, "memory");
    append(text, (lost & FC_LOST_LEAKS) && heap->recorded, "single blocks, bad frees");
    append(text, (lost & FC_LOST_NOTES) && profile->repairs->len + profile->losses->len > 0,
           "repairs and losses");
    append(text, (lost & FC_LOST_MARKS) && has_estimates(context->model),
           "which times are estimates");
    if (text->len > 0)
        fc_export_note(context, "--%s: not in it: %s", name, text->str);
}

void fc_export_note_stacks(const FcReportContext *context, const char *name, const FcStacks *stacks)
{
    if (!context->model->profile->extended)
        fc_export_note(context,
                       "--%s: a version 3.0 profile has no calling contexts: each "
                       "function stands alone",
                       name);
    if (stacks->deep > 0)
        fc_export_note(context,
                       "--%s: %u contexts deeper than %d levels are added to their "
                       "caller there",
                       name, stacks->deep, FC_STACK_DEPTH_MAX);
    if (stacks->omitted > 0)
        fc_export_note(context, "--%s: %u of the lightest contexts are left out", name,
                       stacks->omitted);
}

gboolean fc_export_may_write(const char *path, GError **error)
{
    char start[sizeof FC_DESCRIPTOR_MAGIC] = "";
    FILE *file;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || !(file = fopen(path, "rbe")))
        return TRUE;
    start[fread(start, 1, sizeof start - 1, file)] = '\0';
    fclose(file);
    if (!g_str_has_prefix(start, FC_PROFILE_MAGIC) &&
        !g_str_has_prefix(start, FC_DESCRIPTOR_MAGIC) && !fc_v3_is_elf(path))
        return TRUE;
    g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
                        "is a profile or a program; not overwritten");
    return FALSE;
}

FcOutput *fc_export_begin(const char *path, GError **error)
{
    return fc_export_may_write(path, error) ? fc_output_begin(path, error) : NULL;
}

char *fc_export_time(const FcModel *model, guint64 ns)
{
    g_autofree char *time = g_strchomp(fc_format_time(ns));
    g_autofree char *share = fc_report_share(model, ns);
    return g_strdup_printf("%s (%s%%)", time, share);
}

char *fc_export_quote(const char *text, const char *newline, const char *ampersand)
{
    g_autofree char *valid = fc_plain_lines(text);
    GString *quoted = g_string_new("\"");
    for (const char *p = valid; *p != '\0'; p++)
    {
        if (*p == '\n')
            g_string_append(quoted, newline);
        else if (*p == '&')
            g_string_append(quoted, ampersand);
        else if (*p == '\t')
            g_string_append_c(quoted, ' ');
        else if (*p == '"' || *p == '\\')
            g_string_append_printf(quoted, "\\%c", *p);
        else
            g_string_append_c(quoted, *p);
    }
    g_string_append_c(quoted, '"');
    return g_string_free(quoted, FALSE);
}
