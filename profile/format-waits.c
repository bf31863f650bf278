/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sections of a .fc file about time off the CPU: only there where it was looked at.  Called by
 * format.c.
 */
#include "profile/format.h"
#include "profile/text.h"

void fc_format_sparse(GString *out, const char *name, const GArray *values, guint numbers)
{
    guint count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    const guint64 *value = (const guint64 *)(gconstpointer)values->data;
    for (guint i = 0; i < values->len / numbers; i++, value += numbers)
    {
        if (value[0] == 0 && value[numbers - 1] == 0)
            continue;
        fc_text_append_number(lines, i);
        for (guint j = 0; j < numbers; j++)
        {
            g_string_append_c(lines, ' ');
            fc_text_append_number(lines, value[j]);
        }
        g_string_append_c(lines, '\n');
        count++;
    }
    if (count == 0)
        return;
    fc_format_begin_section(out, name, count);
    g_string_append_len(out, lines->str, (gssize)lines->len);
}

static void append_line(GString *out, const guint64 *numbers, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        if (i > 0)
            g_string_append_c(out, ' ');
        fc_text_append_number(out, numbers[i]);
    }
    g_string_append_c(out, '\n');
}

static void append_threads(const FcProfile *profile, GString *out)
{
    guint count = 0;
    guint function_count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    g_autoptr(GString) functions = g_string_new(NULL);
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const FcProfileThread *thread = &g_array_index(profile->threads, FcProfileThread, i);
        const guint64 numbers[] = {i, thread->waits, thread->wait_ns, thread->preempted_ns,
                                   thread->manager_ns};
        if (thread->waits != FC_WAITS_UNKNOWN || thread->manager_ns != 0)
        {
            append_line(lines, numbers, G_N_ELEMENTS(numbers));
            count++;
        }
        for (guint j = 0; thread->functions && j < thread->functions->len; j++)
        {
            const FcProfileThreadFunction *from =
                &g_array_index(thread->functions, FcProfileThreadFunction, j);
            const guint64 waits[] = {i, j, from->total_wait_ns, from->local_wait_ns};
            if (from->total_wait_ns == 0 && from->local_wait_ns == 0)
                continue;
            append_line(functions, waits, G_N_ELEMENTS(waits));
            function_count++;
        }
    }
    if (count > 0)
        fc_format_begin_section(out, "wait-threads", count);
    g_string_append_len(out, lines->str, (gssize)lines->len);
    if (function_count > 0)
        fc_format_begin_section(out, "wait-thread-functions", function_count);
    g_string_append_len(out, functions->str, (gssize)functions->len);
}

void fc_format_waits(const FcProfile *profile, GString *out)
{
    g_autoptr(GArray) functions = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GArray) arcs = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autoptr(GArray) contexts = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < profile->functions->len; i++)
    {
        const FcProfileFunction *function =
            &g_array_index(profile->functions, FcProfileFunction, i);
        g_array_append_val(functions, function->total_wait_ns);
        g_array_append_val(functions, function->local_wait_ns);
    }
    for (guint i = 0; i < profile->arcs->len; i++)
        g_array_append_val(arcs, g_array_index(profile->arcs, FcProfileArc, i).wait_ns);
    for (guint i = 0; i < profile->contexts->len; i++)
    {
        const FcProfileContext *context = &g_array_index(profile->contexts, FcProfileContext, i);
        g_array_append_val(contexts, context->total_wait_ns);
        g_array_append_val(contexts, context->local_wait_ns);
    }
    append_threads(profile, out);
    fc_format_sparse(out, "wait-functions", functions, 2);
    fc_format_sparse(out, "wait-arcs", arcs, 1);
    fc_format_sparse(out, "wait-contexts", contexts, 2);
}
