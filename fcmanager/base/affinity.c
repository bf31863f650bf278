/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See affinity.h.
 */
#include "fcmanager/base/affinity.h"

#include <sched.h>
#include <string.h>

#define PROCESSORS 8192u /* the most that Linux is built for */

typedef struct
{
    cpu_set_t sets[PROCESSORS / CPU_SETSIZE];
} Set;

char *fc_affinity_list(void)
{
    Set set = {{{{0}}}};
    if (sched_getaffinity(0, sizeof set, set.sets) < 0)
        return NULL;
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < PROCESSORS; i++)
    {
        const guint first = i;
        if (!CPU_ISSET_S(i, sizeof set, set.sets))
            continue;
        while (i + 1 < PROCESSORS && CPU_ISSET_S(i + 1, sizeof set, set.sets))
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
    Set set;
    memset(&set, 0xff, sizeof set);
    sched_setaffinity(0, sizeof set, set.sets);
}
