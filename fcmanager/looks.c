/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See looks.h.
 */
#include "fcmanager/looks.h"

#include "libfc/beacon.h"

/* A program that begins its threads with ever new functions must not fill our memory, nor one that
 * writes what it likes into its beacons, or that calls from very many places. */
#define KINDS_MAX 16u
#define SIGHTINGS_MAX 4096u
#define PLACES_MAX 16384u
/* How long a call takes may differ by this part from thread to thread. */
#define ALIKE_ERROR 0.25

/* Of threads that begin with one function. */
typedef struct
{
    GHashTable *places; /* by beacon: index in `seen.sightings` + 1 */
    GHashTable *calls;  /* by what a beacon has but for FC_BEACON_LEFT: Calls */
    double all_calls;   /* of those that were watched, */
    double threads;     /* and how many these are */
    GArray *scaled;     /* FcSighting: the same for one thread */
    FcObserved seen;
} Kind;

/* Of all arcs with one beacon. */
typedef struct
{
    double all; /* by threads that were watched */
    double own; /* by the latest thread */
} Calls;

struct FcLooks
{
    GHashTable *kinds; /* by address: Kind */
};

static void free_kind(gpointer data)
{
    Kind *kind = data;
    g_hash_table_unref(kind->places);
    g_hash_table_unref(kind->calls);
    g_array_unref(kind->scaled);
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

static Kind *find_kind(FcLooks *looks, guint64 address, gboolean is_made)
{
    Kind *kind = g_hash_table_lookup(looks->kinds, &address);
    if (kind || !is_made || g_hash_table_size(looks->kinds) >= KINDS_MAX)
        return kind;
    kind = g_new0(Kind, 1);
    kind->places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    kind->calls = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    kind->scaled = g_array_new(FALSE, FALSE, sizeof(FcSighting));
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

static void add_calls(Kind *kind, guint64 beacon, double count, gboolean is_watched)
{
    Calls *calls = g_hash_table_lookup(kind->calls, &beacon);
    if (!calls)
    {
        calls = g_new0(Calls, 1);
        g_hash_table_insert(kind->calls, g_memdup2(&beacon, sizeof beacon), calls);
    }
    calls->own += count;
    if (is_watched)
        calls->all += count;
}

/* How much was called where by all that were watched, and by the thread with these counts. */
static double add_all_calls(Kind *kind, const FcCounts *counts, gboolean is_watched)
{
    GHashTableIter iter;
    gpointer calls;
    double own = 0;
    g_hash_table_iter_init(&iter, kind->calls);
    while (g_hash_table_iter_next(&iter, NULL, &calls))
        ((Calls *)calls)->own = 0;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        const guint64 address = counts->functions[arc->callee].address;
        const double count = (double)arc->calls;
        add_calls(kind, fc_beacon_entered(address, arc->site), count, is_watched);
        add_calls(kind, arc->site & FC_BEACON_FUNCTION_MASK, count, is_watched);
        own += count;
    }
    kind->all_calls += is_watched ? own : 0;
    kind->threads += is_watched ? 1 : 0;
    return own;
}

/* What part of what all were seen at, where the beacon is, is the thread's, which made `own` calls:
 * as much as of the calls there. */
static double part_of(const Kind *kind, guint64 beacon, double own)
{
    const guint64 place = beacon & ~FC_BEACON_LEFT;
    const Calls *calls = g_hash_table_lookup(kind->calls, &place);
    if (beacon == FC_BEACON_HOOK)
        return own / MAX(1, kind->all_calls);
    return calls && calls->all > 0 ? calls->own / calls->all : 1 / MAX(1, kind->threads);
}

/* In all as much as before, but worth as many looks as are at what the thread did.  FALSE: at that
 * there are none. */
static gboolean scale(Kind *kind, double own, double *squares)
{
    double sum = 0;
    double sum_of_squares = 0;
    g_array_set_size(kind->scaled, 0);
    for (guint i = 0; i < kind->seen.sightings->len; i++)
    {
        FcSighting sighting = g_array_index(kind->seen.sightings, FcSighting, i);
        const double part = part_of(kind, sighting.beacon, own);
        sum += sighting.weight * part;
        sum_of_squares += sighting.weight * part * part;
        sighting.weight *= part;
        sighting.variance *= part * part;
        g_array_append_val(kind->scaled, sighting);
    }
    if (sum <= 0)
        return FALSE;
    const double more = kind->seen.weight / sum;
    for (guint i = 0; i < kind->scaled->len; i++)
    {
        FcSighting *sighting = &g_array_index(kind->scaled, FcSighting, i);
        sighting->weight *= more;
        sighting->variance *= more * more;
        sighting->variance += ALIKE_ERROR * ALIKE_ERROR * sighting->weight * sighting->weight;
    }
    *squares = kind->seen.squares / kind->seen.weight * more * more * sum_of_squares;
    return TRUE;
}

void fc_looks_add(FcLooks *looks, const FcCounts *counts, FcObserved *observed)
{
    const guint64 address = first_function(counts);
    const guint count = observed->sightings ? observed->sightings->len : 0;
    Kind *kind = address != 0 ? find_kind(looks, address, observed->sightings != NULL) : NULL;
    /* as if none of them were known */
    if (!kind || kind->seen.sightings->len + count > SIGHTINGS_MAX ||
        g_hash_table_size(kind->calls) + 2 * counts->arc_count > PLACES_MAX)
        return;
    for (guint i = 0; i < count; i++)
        add_sighting(kind, &g_array_index(observed->sightings, FcSighting, i));
    kind->seen.weight += observed->weight;
    kind->seen.squares += observed->squares;
    const double own = add_all_calls(kind, counts, observed->sightings != NULL);
    double squares;
    if (!scale(kind, own, &squares))
        return;
    observed->sightings = kind->scaled;
    observed->weight = kind->seen.weight;
    observed->squares = squares;
}

void fc_looks_forget(FcLooks *looks)
{
    g_hash_table_remove_all(looks->kinds);
}
