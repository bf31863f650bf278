/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An open-addressing hash table from three 64-bit numbers to two 32-bit ones: the index of
 * functions, arcs, contexts and allocation sites.  It is in a header because the look-up is the
 * inner loop of the manager.  It never shrinks; entries have no order.
 *
 * Used by one thread.  Allocation failure ends the program (g_malloc).
 */
#pragma once

#include <glib.h>
#include <stdint.h>

typedef struct
{
    uint64_t key[3];
    uint32_t value; /* 0: the slot is empty */
    uint32_t extra;
} FcMapSlot;

typedef struct
{
    FcMapSlot *slots;
    uint32_t mask; /* slots minus one; a power of two minus one */
    uint32_t used;
} FcMap;

static inline uint32_t fc_map_hash(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t hash = (a * UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                    (c * UINT64_C(0xd6e8feb86659fd93));
    return (uint32_t)(hash >> 32) ^ (uint32_t)(hash >> 13);
}

/* The slot of the key, or the empty slot where it would go. */
static inline FcMapSlot *fc_map_place(const FcMap *map, uint64_t a, uint64_t b, uint64_t c)
{
    uint32_t at = fc_map_hash(a, b, c) & map->mask;
    for (;; at = (at + 1) & map->mask)
    {
        FcMapSlot *slot = &map->slots[at];
        if (slot->value == 0 || (slot->key[0] == a && slot->key[1] == b && slot->key[2] == c))
            return slot;
    }
}

/* NULL: the key is not there.  Valid until the next fc_map_add. */
static inline FcMapSlot *fc_map_find(const FcMap *map, uint64_t a, uint64_t b, uint64_t c)
{
    FcMapSlot *slot = fc_map_place(map, a, b, c);
    return slot->value != 0 ? slot : NULL;
}

/* Makes room for `expected` entries before the first growth. */
void fc_map_init(FcMap *map, uint32_t expected);
void fc_map_clear(FcMap *map);
/* Adds or replaces an entry.  `value` must not be 0. */
void fc_map_add(FcMap *map, uint64_t a, uint64_t b, uint64_t c, uint32_t value, uint32_t extra);
/* Removes the slots for which `keep` returns FALSE. */
void fc_map_filter(FcMap *map, gboolean (*keep)(const FcMapSlot *slot, gpointer data),
                   gpointer data);
