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
        fc_format_line(lines, numbers, G_N_ELEMENTS(numbers));
        count++;
    }
    fc_format_lines(out, "counted", lines, count);
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
            if (function->times.total_cost_ns == 0 && function->times.local_cost_ns == 0)
                continue;
            const guint64 numbers[] = {i, j, function->times.total_cost_ns,
                                       function->times.local_cost_ns};
            fc_format_line(lines, numbers, G_N_ELEMENTS(numbers));
            count++;
        }
    }
    fc_format_lines(out, "cost-threads", lines, count);
}

static void append_all_costs(const FcProfile *profile, GString *out)
{
    fc_format_sparse(out, "cost-functions", profile->functions,
                     G_STRUCT_OFFSET(FcProfileFunction, times.total_cost_ns),
                     G_STRUCT_OFFSET(FcProfileFunction, times.local_cost_ns));
    fc_format_sparse(out, "cost-arcs", profile->arcs,
                     G_STRUCT_OFFSET(FcProfileArc, times.total_cost_ns), 0);
    fc_format_sparse(out, "cost-contexts", profile->contexts,
                     G_STRUCT_OFFSET(FcProfileContext, times.total_cost_ns),
                     G_STRUCT_OFFSET(FcProfileContext, times.local_cost_ns));
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
