/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Demangles with libiberty, as gprof does.  See demangle.h.
 */
#include "fcgprof/demangle.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

gboolean fc_gdemangle_set_style(const char *style)
{
    enum demangling_styles number = cplus_demangle_name_to_style(style);

    if (number == unknown_demangling)
        return FALSE;
    cplus_demangle_set_style(number);
    return TRUE;
}

char *fc_gdemangle(const char *name)
{
    size_t n_before = strspn(name, ".$");
    const char *core = name + n_before, *suffix = strchr(core, '@');
    g_autofree char *own = suffix ? g_strndup(core, (gsize)(suffix - core)) : NULL;
    char *plain = cplus_demangle(own ? own : core, DMGL_ANSI | DMGL_PARAMS);

    if (!plain)
    {
        if (n_before == 0)
            return NULL;
        return g_strdup(name);
    }
    char *result = g_strdup_printf("%.*s%s%s", (int)n_before, name, plain, suffix ? suffix : "");
    free(plain);
    return result;
}
