/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words and lists of the command line; see words.h.
 */
#include "fcdump/words.h"

#include <string.h>

gboolean fc_words_find(const char *const *words, const char *word, const char *option, gint *out,
                       GError **error)
{
    for (gint i = 0; words[i]; i++)
    {
        if (g_strcmp0(words[i], word) == 0)
        {
            *out = i;
            return TRUE;
        }
    }
    g_autofree char *list = g_strjoinv(", ", (char **)words);
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--%s: '%s' is none of %s", option,
                word, list);
    return FALSE;
}

/* Skips the name of a C++ operator at `p`, such as "operator<<": its signs are neither brackets nor
 * commas of the list.  Returns `p` if there is none.  `before`: the number of characters of the
 * list before `p`. */
static const char *skip_operator(const char *p, gsize before)
{
    static const char word[] = "operator";
    if (strncmp(p, word, sizeof word - 1) != 0 ||
        (before > 0 && (g_ascii_isalnum(p[-1]) || p[-1] == '_')))
        return p;
    const char *sign = p + sizeof word - 1;
    return sign + (*sign == ',' ? 1 : strspn(sign, "<>=!+-*/%^&|~"));
}

void fc_words_split(const char *text, GPtrArray *list)
{
    const char *start = text;
    int depth = 0;
    for (const char *p = text;; p++)
    {
        p = skip_operator(p, (gsize)(p - text));
        if (*p != '\0' && strchr("<(", *p))
            depth++;
        else if (*p != '\0' && strchr(">)", *p))
            depth -= depth > 0;
        if (*p != '\0' && (*p != ',' || depth > 0))
            continue;
        g_autofree char *item = g_strstrip(g_strndup(start, (gsize)(p - start)));
        if (*item != '\0')
            g_ptr_array_add(list, g_steal_pointer(&item));
        start = p + 1;
        if (*p == '\0')
            break;
    }
}

guint fc_words_distance(const char *a, const char *b)
{
    const gsize length = strlen(b);
    g_autofree guint *row = g_new(guint, length + 1);
    for (gsize j = 0; j <= length; j++)
        row[j] = (guint)j;
    for (gsize i = 1; i <= strlen(a); i++)
    {
        guint corner = row[0];
        row[0] = (guint)i;
        for (gsize j = 1; j <= length; j++)
        {
            const guint above = row[j];
            row[j] = MIN(MIN(above, row[j - 1]) + 1, corner + (a[i - 1] != b[j - 1]));
            corner = above;
        }
    }
    return row[length];
}
