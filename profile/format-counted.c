/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of a .fc file about calls that were counted and not recorded, and about what the
 * hooks took: only there where there is any.  Called by format.c.
 */
#include "profile/format.h"
#include "profile/text.h"

static void append_functions(const FcProfile *profile, GString *out)
{
    guint count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        if (function->counted == 0 && function->total_error_ns == 0 &&
            function->local_error_ns == 0)
            continue;
        const guint64 numbers[] = {i, function->counted, function->timed, function->total_error_ns,
                                   function->local_error_ns};
        for (guint j = 0; j < G_N_ELEMENTS(numbers); j++)
        {
            if (j > 0)
                g_string_append_c(lines, ' ');
            fc_text_append_number(lines, numbers[j]);
        }
        g_string_append_c(lines, '\n');
        count++;
    }
    if (count == 0)
        return;
    fc_format_begin_section(out, "counted", count);
    g_string_append_len(out, lines->str, (gssize)lines->len);
}

/* A section of the numbers that are in `marked`. */
static void append_marked(GString *out, const char *name, const GArray *marked)
{
    if (marked->len == 0)
        return;
    fc_format_begin_section(out, name, marked->len);
    for (guint i = 0; i < marked->len; i++)
    {
        fc_text_append_number(out, g_array_index(marked, guint, i));
        g_string_append_c(out, '\n');
    }
}

/* Thread, which of its functions, and two numbers. */
static void append_thread_costs(const FcProfile *profile, GString *out)
{
    guint count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const GArray *functions = g_array_index(profile->threads, FcProfileThread, i).functions;
        for (guint j = 0; functions && j < functions->len; j++)
        {
            const FcProfileThreadFunction *function =
                &g_array_index(functions, FcProfileThreadFunction, j);
            if (function->total_cost_ns == 0 && function->local_cost_ns == 0)
                continue;
            const guint64 numbers[] = {i, j, function->total_cost_ns, function->local_cost_ns};
            for (guint k = 0; k < G_N_ELEMENTS(numbers); k++)
            {
                fc_text_append_number(lines, numbers[k]);
                g_string_append_c(lines, k + 1 < G_N_ELEMENTS(numbers) ? ' ' : '\n');
            }
            count++;
        }
    }
    if (count == 0)
        return;
    fc_format_begin_section(out, "cost-threads", count);
    g_string_append_len(out, lines->str, (gssize)lines->len);
}

static void append_all_costs(const FcProfile *profile, GString *out)
{
    g_autoptr(GArray) functions = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GArray) arcs = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GArray) contexts = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        g_array_append_val(functions, function->total_cost_ns);
        g_array_append_val(functions, function->local_cost_ns);
    }
    for (guint i = 0; i < profile->arcs->len; i++)
        g_array_append_val(arcs, g_array_index(profile->arcs, FcProfileArc, i).cost_ns);
    for (guint i = 0; i < profile->contexts->len; i++)
    {
        const FcProfileContext *context = &g_array_index(profile->contexts, FcProfileContext, i);
        g_array_append_val(contexts, context->total_cost_ns);
        g_array_append_val(contexts, context->local_cost_ns);
    }
    fc_format_sparse(out, "cost-functions", functions, 2);
    fc_format_sparse(out, "cost-arcs", arcs, 1);
    fc_format_sparse(out, "cost-contexts", contexts, 2);
    append_thread_costs(profile, out);
}

void fc_format_counted(const FcProfile *profile, GString *out)
{
    g_autoptr(GArray) arcs = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GArray) contexts = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint i = 0; i < profile->arcs->len; i++)
        if (g_array_index(profile->arcs, FcProfileArc, i).apportioned)
            g_array_append_val(arcs, i);
    for (guint i = 0; i < profile->contexts->len; i++)
        if (g_array_index(profile->contexts, FcProfileContext, i).apportioned)
            g_array_append_val(contexts, i);
    append_functions(profile, out);
    append_marked(out, "apportioned-arcs", arcs);
    append_marked(out, "apportioned-contexts", contexts);
    append_all_costs(profile, out);
}
