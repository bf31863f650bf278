/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growth of the hash table of map.h.  Called by counts.c and heap.c.
 */
#include "fcmanager/base/map.h"

#define LEAST_SLOTS 64u
#define DENSE_SLOTS (1u << 13)

void fc_map_init(FcMap *map, uint32_t expected)
{
    uint32_t slots = LEAST_SLOTS;
    while (slots / 2 < expected && slots < (1u << 30))
        slots *= 2;
    map->slots = g_new0(FcMapSlot, slots);
    map->mask = slots - 1;
    map->used = 0;
}

void fc_map_clear(FcMap *map)
{
    g_free(map->slots);
    *map = (FcMap){0};
}

static void rebuild(FcMap *map, uint32_t slots, gboolean (*keep)(const FcMapSlot *, gpointer),
                    gpointer data)
{
    FcMap old = *map;
    map->slots = g_new0(FcMapSlot, slots);
    map->mask = slots - 1;
    map->used = 0;
    for (uint32_t i = 0; i <= old.mask; i++)
    {
        const FcMapSlot *slot = &old.slots[i];
        if (slot->value == 0 || (keep && !keep(slot, data)))
            continue;
        *fc_map_place(map, slot->key[0], slot->key[1], slot->key[2]) = *slot;
        map->used++;
    }
    g_free(old.slots);
}

void fc_map_add(FcMap *map, uint64_t a, uint64_t b, uint64_t c, uint32_t value, uint32_t extra)
{
    /* A large table may be three quarters full, a small one half full.  A look-up in a large one
     * misses the caches anyway, so there memory matters more. */
    if (map->used >= (map->mask < DENSE_SLOTS ? map->mask / 2 : map->mask / 4 * 3))
        rebuild(map, (map->mask + 1) * 2, NULL, NULL);
    FcMapSlot *slot = fc_map_place(map, a, b, c);
    if (slot->value == 0)
        map->used++;
    *slot = (FcMapSlot){{a, b, c}, value, extra};
}

void fc_map_filter(FcMap *map, gboolean (*keep)(const FcMapSlot *slot, gpointer data),
                   gpointer data)
{
    uint32_t kept = 0;
    uint32_t slots = LEAST_SLOTS;
    for (uint32_t i = 0; i <= map->mask; i++)
        kept += map->slots[i].value != 0 && keep(&map->slots[i], data);
    while (slots <= map->mask && slots / 2 <= kept)
        slots *= 2;
    rebuild(map, slots, keep, data);
}
