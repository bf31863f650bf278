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

/* Steps over the name of a C++ operator, such as "operator<<", at `p`: its signs are no brackets
 * and no commas of the list.  `p` itself where there is none.  `before`: how many characters of the
 * list stand before `p`. */
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
