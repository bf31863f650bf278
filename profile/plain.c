/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that is shown to people: see plain.h.
 */
#include "profile/plain.h"

#include <string.h>

gboolean fc_plain_is_escaped(gunichar c)
{
    switch (g_unichar_type(c))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
        return TRUE;
    default:
        return FALSE;
    }
}

static char *escape(const char *text, const char *but)
{
    g_autofree char *mended = g_utf8_validate(text, -1, NULL) ? NULL : g_utf8_make_valid(text, -1);
    GString *plain = g_string_new(NULL);
    for (const char *at = mended ? mended : text; *at != '\0'; at = g_utf8_next_char(at))
    {
        const gunichar c = g_utf8_get_char(at);
        if (!fc_plain_is_escaped(c) || (c < 0x80 && strchr(but, (int)c)))
            g_string_append_len(plain, at, g_utf8_next_char(at) - at);
        else if (c < 0x100)
            g_string_append_printf(plain, "\\x%02x", c);
        else
            g_string_append_printf(plain, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    }
    return g_string_free(plain, FALSE);
}

char *fc_plain_text(const char *text)
{
    return escape(text, "");
}

char *fc_plain_lines(const char *text)
{
    return escape(text, "\n\r\t");
}
