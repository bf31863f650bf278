/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sections of lines of numbers, which are only there where there is such a line.  Called by the
 * other format-*.c.
 */
#include "profile/format.h"
#include "profile/text.h"

void fc_format_line(GString *out, const guint64 *numbers, guint count)
{
    for (guint i = 0; i < count; i++)
    {
        if (i > 0)
            g_string_append_c(out, ' ');
        fc_text_append_number(out, numbers[i]);
    }
    g_string_append_c(out, '\n');
}

void fc_format_lines(GString *out, const char *name, const GString *lines, guint count)
{
    if (count == 0)
        return;
    fc_format_begin_section(out, name, count);
    g_string_append_len(out, lines->str, (gssize)lines->len);
}

void fc_format_sparse(GString *out, const char *name, const GArray *items, gsize first,
                      gsize second)
{
    guint count = 0;
    g_autoptr(GString) lines = g_string_new(NULL);
    const gsize bytes = g_array_get_element_size((GArray *)items);
    for (guint i = 0; i < items->len; i++)
    {
        const gconstpointer item = items->data + i * bytes;
        const guint64 numbers[] = {i, G_STRUCT_MEMBER(guint64, item, first),
                                   second != 0 ? G_STRUCT_MEMBER(guint64, item, second) : 0};
        if (numbers[1] == 0 && numbers[2] == 0)
            continue;
        fc_format_line(lines, numbers, second != 0 ? 3 : 2);
        count++;
    }
    fc_format_lines(out, name, lines, count);
}
