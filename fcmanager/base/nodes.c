/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growth of the hash table of nodes.h.  Called by counts.c, counted.c and counted-tree.c.
 */
#include "fcmanager/base/nodes.h"

#define LEAST_SLOTS 64u

void fc_nodes_init(FcNodes *table, guint32 expected)
{
    guint32 slots = LEAST_SLOTS;
    while (slots / 4 * 3 < expected && slots < (1u << 30))
        slots *= 2;
    *table = (FcNodes){.slots = g_new0(FcNodesSlot, slots), .mask = slots - 1};
}

void fc_nodes_clear(FcNodes *table)
{
    g_free(table->slots);
    *table = (FcNodes){0};
}

static void grow(FcNodes *table)
{
    g_autofree FcNodesSlot *old = table->slots;
    const guint32 count = table->mask + 1;
    table->slots = g_new0(FcNodesSlot, 2 * (gsize)count);
    table->mask = 2 * count - 1;
    for (guint32 i = 0; i < count; i++)
    {
        guint32 at = old[i].hash & table->mask;
        if (old[i].node == 0)
            continue;
        while (table->slots[at].node != 0)
            at = (at + 1) & table->mask;
        table->slots[at] = old[i];
    }
}

void fc_nodes_add(FcNodes *table, FcNodesSlot *slot, guint32 hash, guint32 node)
{
    *slot = (FcNodesSlot){hash, node};
    if (++table->used > table->mask / 4 * 3)
        grow(table);
}
