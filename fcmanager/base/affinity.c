/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See affinity.h.
 */
#include "fcmanager/base/affinity.h"

#include <string.h>

gboolean fc_affinity_read(gint pid, FcAffinity *affinity)
{
    memset(affinity, 0, sizeof *affinity);
    return sched_getaffinity(pid, sizeof *affinity, affinity->sets) == 0;
}

gboolean fc_affinity_has(const FcAffinity *affinity, guint processor)
{
    return CPU_ISSET_S(processor, sizeof *affinity, affinity->sets);
}

char *fc_affinity_list(void)
{
    FcAffinity affinity;
    if (!fc_affinity_read(0, &affinity))
        return NULL;
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < FC_AFFINITY_MOST; i++)
    {
        const guint first = i;
        if (!fc_affinity_has(&affinity, i))
            continue;
        while (i + 1 < FC_AFFINITY_MOST && fc_affinity_has(&affinity, i + 1))
            i++;
        g_string_append_printf(list, list->len > 0 ? ",%u" : "%u", first);
        if (i > first)
            g_string_append_printf(list, "-%u", i);
    }
    return g_string_free(list, FALSE);
}

/* The kernel removes what the control group does not allow from the set. */
void fc_affinity_widen(void)
{
    FcAffinity affinity;
    memset(&affinity, 0xff, sizeof affinity);
    sched_setaffinity(0, sizeof affinity, affinity.sets);
}
