/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An open-addressing hash table of contexts, and of other numbered entries that contain their own
 * keys.  Its slots are a quarter of those of an FcMap, so more of it is in the caches.  The caller
 * decides which of the entries with the same hash is the right one:
 *
 *     FcNodesSlot *slot = fc_nodes_first(&table, hash);
 *     while (slot->node != 0 && !is_wanted(slot->node))
 *         slot = fc_nodes_next(&table, slot, hash);
 *
 * Used by one thread.  Allocation failure ends the program (g_malloc).
 */
#pragma once

#include "fcmanager/base/map.h"

typedef struct
{
    guint32 hash;
    guint32 node; /* 0: the slot is empty */
} FcNodesSlot;

typedef struct
{
    FcNodesSlot *slots;
    guint32 mask; /* slots minus one; a power of two minus one */
    guint32 used;
} FcNodes;

/* Makes room for `expected` contexts before the first growth. */
void fc_nodes_init(FcNodes *table, guint32 expected);
void fc_nodes_clear(FcNodes *table);
/* Fills in `slot`, which is empty.  No slot is valid after that. */
void fc_nodes_add(FcNodes *table, FcNodesSlot *slot, guint32 hash, guint32 node);

static inline FcNodesSlot *fc_nodes_from(const FcNodes *table, guint32 at, guint32 hash)
{
    while (table->slots[at].node != 0 && table->slots[at].hash != hash)
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

static inline FcNodesSlot *fc_nodes_first(const FcNodes *table, guint32 hash)
{
    return fc_nodes_from(table, hash & table->mask, hash);
}

static inline FcNodesSlot *fc_nodes_next(const FcNodes *table, const FcNodesSlot *slot,
                                         guint32 hash)
{
    return fc_nodes_from(table, ((guint32)(slot - table->slots) + 1) & table->mask, hash);
}
