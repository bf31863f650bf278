/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inserts a call among the slowest: see slowest.h.
 */
#include "fcmanager/counts/slowest.h"

#include <string.h>

void fc_slowest_add(FcSlowest *slowest, guint32 most, const FcSlowCall *call)
{
    if (most == 0 || !fc_slowest_is_one(slowest, most, call->total))
        return;
    if (slowest->count == most)
        slowest->count--;
    else if (slowest->count == slowest->room)
    {
        slowest->room = MIN(MAX(2 * slowest->room, 2), most);
        slowest->calls = g_renew(FcSlowCall, slowest->calls, slowest->room);
    }
    guint32 at = slowest->count;
    while (at > 0 && slowest->calls[at - 1].total < call->total)
        at--;
    memmove(&slowest->calls[at + 1], &slowest->calls[at],
            (slowest->count - at) * sizeof *slowest->calls);
    slowest->calls[at] = *call;
    slowest->count++;
}

void fc_slowest_clear(FcSlowest *slowest)
{
    g_free(slowest->calls);
    *slowest = (FcSlowest){0};
}
