/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See looks.h.
 */
#include "fcmanager/looks.h"

/* A program that begins its threads with ever new functions must not fill our memory, nor one that
 * writes what it likes into its beacons. */
#define KINDS_MAX 16u
#define SIGHTINGS_MAX 4096u

/* Of threads that begin with one function. */
typedef struct
{
    GHashTable *places; /* by beacon: index in `seen.sightings` + 1 */
    FcObserved seen;
} Kind;

struct FcLooks
{
    GHashTable *kinds; /* by address: Kind */
};

static void free_kind(gpointer data)
{
    Kind *kind = data;
    g_hash_table_unref(kind->places);
    g_array_unref(kind->seen.sightings);
    g_free(kind);
}

FcLooks *fc_looks_new(void)
{
    FcLooks *looks = g_new0(FcLooks, 1);
    looks->kinds = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_kind);
    return looks;
}

void fc_looks_free(FcLooks *looks)
{
    if (!looks)
        return;
    g_hash_table_unref(looks->kinds);
    g_free(looks);
}

/* Where it spent most of its time: the outermost function that took the longest. */
static guint64 first_function(const FcCounts *counts)
{
    guint64 address = 0;
    guint64 most = 0;
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        if (node->parent == 0 && node->total >= most)
        {
            most = node->total;
            address = counts->functions[node->function].address;
        }
    }
    return address;
}

static Kind *find_kind(FcLooks *looks, guint64 address)
{
    Kind *kind = g_hash_table_lookup(looks->kinds, &address);
    if (kind || g_hash_table_size(looks->kinds) >= KINDS_MAX)
        return kind;
    kind = g_new0(Kind, 1);
    kind->places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    kind->seen.sightings = g_array_new(FALSE, FALSE, sizeof(FcSighting));
    g_hash_table_insert(looks->kinds, g_memdup2(&address, sizeof address), kind);
    return kind;
}

static void add_sighting(Kind *kind, const FcSighting *sighting)
{
    GArray *all = kind->seen.sightings;
    const guint at = GPOINTER_TO_UINT(g_hash_table_lookup(kind->places, &sighting->beacon));
    if (at != 0)
    {
        FcSighting *known = &g_array_index(all, FcSighting, at - 1);
        known->weight += sighting->weight;
        known->variance += sighting->variance;
        return;
    }
    g_array_append_val(all, *sighting);
    g_hash_table_insert(kind->places, g_memdup2(&sighting->beacon, sizeof sighting->beacon),
                        GUINT_TO_POINTER(all->len));
}

void fc_looks_add(FcLooks *looks, const FcCounts *counts, FcObserved *observed)
{
    const guint64 address = first_function(counts);
    const guint count = observed->sightings ? observed->sightings->len : 0;
    Kind *kind = address != 0 ? find_kind(looks, address) : NULL;
    if (!kind || kind->seen.sightings->len + count > SIGHTINGS_MAX)
        return;
    for (guint i = 0; i < count; i++)
        add_sighting(kind, &g_array_index(observed->sightings, FcSighting, i));
    kind->seen.weight += observed->weight;
    kind->seen.squares += observed->squares;
    observed->sightings = kind->seen.sightings;
    observed->weight = kind->seen.weight;
    observed->squares = kind->seen.squares;
}

void fc_looks_forget(FcLooks *looks)
{
    g_hash_table_remove_all(looks->kinds);
}
