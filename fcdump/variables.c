/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Misspelt variables; see variables.h.  libfc says the same of those that a program is run with.
 */
#include "fcdump/variables.h"

#include "fcdump/words.h"
#include "libfc/base/variables.h"

#include <string.h>

static const char *const names[] = {
#define ROW(name, argument, help) #name,
    FC_VARIABLES(ROW)
#undef ROW
        "SUPPRESS",
    "PAGER", /* of fcdump itself */
};

/* The variable that was meant; NULL: none is near, or `name` is right. */
static const char *find_nearest(const char *name)
{
    const char *nearest = NULL;
    guint least = ((guint)strlen(name) + 1) / 3 + 1;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    {
        const guint distance = fc_words_distance(name, names[i]);
        if (distance == 0)
            return NULL;
        if (distance >= least)
            continue;
        least = distance;
        nearest = names[i];
    }
    return nearest;
}

void fc_variables_find_misspelt(GPtrArray *notes)
{
    g_auto(GStrv) variables = g_listenv();
    for (guint i = 0; variables[i]; i++)
    {
        const char *nearest =
            g_str_has_prefix(variables[i], "FC_") ? find_nearest(variables[i] + 3) : NULL;
        if (nearest)
            g_ptr_array_add(notes,
                            g_strdup_printf("%s is no variable of FunctionCheck; the nearest is "
                                            "FC_%s",
                                            variables[i], nearest));
    }
}
