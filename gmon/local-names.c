/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which local symbols gprof shows.  See image.h.
 */
#include "gmon/image.h"

#include <string.h>

static const char CLONE[] = ".clone.", CONSTPROP[] = ".constprop.";

/* The length of `prefix` if more than that is at `text`, else 0. */
static gsize skip_prefix(const char *text, const char *prefix)
{
    gsize length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 && text[length] ? length : 0;
}

/* Steps over the suffix of a clone, a dot and digits, that begins at `at`; NULL if it is none. */
static const char *skip_suffix(const char *at)
{
    gboolean has_digit = FALSE;
    gsize length = skip_prefix(at, CLONE);

    if (length == 0)
        length = skip_prefix(at, CONSTPROP);
    for (at += MAX(length, 1); *at && !(has_digit && *at == '.'); at++)
    {
        if (!g_ascii_isdigit(*at))
            return NULL;
        has_digit = TRUE;
    }
    return at;
}

gboolean fc_gimage_shows_local(const char *name, FcGNextString next, gconstpointer data)
{
    if (!*name || g_str_has_prefix(name, "__gnu_compiled") ||
        g_str_has_prefix(name, "___gnu_compiled"))
        return FALSE;
    for (const char *at = name; at && *at;)
    {
        if (*at == '$')
            return FALSE;
        while (at && *at == '.')
            at = skip_suffix(at);
        if (!at)
            return FALSE;
        /* Where a suffix ends the name, gprof goes on with the string that follows in the
         * table.  That decides which clones are in its reports. */
        at = *at ? at + 1 : next(at, data);
    }
    return TRUE;
}
