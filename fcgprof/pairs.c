/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Open addressing, a power of two of slots of which at most half are used.  See pairs.h.
 */
#include "fcgprof/pairs.h"

typedef struct
{
    const void *first;
    const void *second;
    void *value; /* NULL: not used */
} Slot;

struct FcGPairs
{
    Slot *slots;
    guint mask; /* slots - 1 */
    guint n_used;
};

static FcGPairs *with_slots(FcGPairs *pairs, guint n)
{
    pairs->mask = n - 1;
    pairs->slots = g_new0(Slot, n);
    return pairs;
}

FcGPairs *fc_gpairs_new(void)
{
    return with_slots(g_new0(FcGPairs, 1), 1024);
}

void fc_gpairs_free(FcGPairs *pairs)
{
    g_free(pairs->slots);
    g_free(pairs);
}

/* Where the pair is, or would be. */
static Slot *find_slot(const FcGPairs *pairs, const void *first, const void *second)
{
    guint64 key = (guint64)(gsize)first * 0x9e3779b97f4a7c15u ^
                  ((guint64)(gsize)second >> 4) * 0xc2b2ae3d27d4eb4fu;
    guint at = (guint)(key >> 32) & pairs->mask;

    while (pairs->slots[at].value &&
           (pairs->slots[at].first != first || pairs->slots[at].second != second))
        at = (at + 1) & pairs->mask;
    return &pairs->slots[at];
}

static void grow(FcGPairs *pairs)
{
    Slot *old = pairs->slots;
    guint n_old = pairs->mask + 1;

    with_slots(pairs, n_old * 2);
    for (guint i = 0; i < n_old; i++)
    {
        if (old[i].value)
            *find_slot(pairs, old[i].first, old[i].second) = old[i];
    }
    g_free(old);
}

void *fc_gpairs_find(const FcGPairs *pairs, const void *first, const void *second)
{
    return find_slot(pairs, first, second)->value;
}

void fc_gpairs_add(FcGPairs *pairs, const void *first, const void *second, void *value)
{
    *find_slot(pairs, first, second) = (Slot){first, second, value};
    if (++pairs->n_used > pairs->mask / 2)
        grow(pairs);
}
