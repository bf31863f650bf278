/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See function-samples.h.
 */
#include "fcmanager/estimate/function-samples.h"

#include "libfc/current-word.h"

#include <math.h>

typedef struct
{
    const FcCounts *counts;
    FcFunctionSamples found;
    GHashTable *entered; /* the word that a function's entry stores -> its first arc + 1 */
    guint32 *next;       /* by arc: the next one with the same word, + 1; 0: none */
    GHashTable *sites;   /* the same for the words of call sites */
    guint32 *next_site;
} Finder;

static void chain(GHashTable *first, guint32 *next, guint64 key, guint32 arc)
{
    next[arc] = GPOINTER_TO_UINT(g_hash_table_lookup(first, &key));
    g_hash_table_insert(first, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(arc + 1));
}

static void index_arcs(Finder *finder)
{
    const FcCounts *counts = finder->counts;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        chain(finder->entered, finder->next,
              fc_current_entered(counts->functions[arc->callee].address, arc->site), i);
        chain(finder->sites, finder->next_site, arc->site & FC_CURRENT_FUNCTION_MASK, i);
    }
}

static void add_to(Finder *finder, guint32 function, const FcSampledWord *word, double part)
{
    finder->found.seen[function] += word->weight * part;
    finder->found.variance[function] += word->variance * part;
}

/* The time after a call's return is its caller's.  If several callers have the call site, the time
 * is divided as their calls are. */
static gboolean add_left(Finder *finder, guint32 first, const guint32 *next,
                         const FcSampledWord *word)
{
    const FcCountsArc *arcs = finder->counts->arcs;
    double calls = 0;
    for (guint32 i = first; i != 0; i = next[i - 1])
        calls += (double)arcs[i - 1].calls;
    for (guint32 i = first; i != 0 && calls > 0; i = next[i - 1])
    {
        const double part = (double)arcs[i - 1].calls / calls;
        if (arcs[i - 1].caller == 0)
            finder->found.outside += word->weight * part;
        else
            add_to(finder, arcs[i - 1].caller - 1, word, part);
    }
    return calls > 0;
}

/* If several functions were at one address one after the other, the time is divided as their calls
 * are. */
static gboolean add_entered(Finder *finder, guint32 first, const FcSampledWord *word)
{
    const FcCountsArc *arcs = finder->counts->arcs;
    double calls = 0;
    for (guint32 i = first; i != 0; i = finder->next[i - 1])
        calls += (double)arcs[i - 1].calls;
    for (guint32 i = first; i != 0 && calls > 0; i = finder->next[i - 1])
        add_to(finder, arcs[i - 1].callee, word, (double)arcs[i - 1].calls / calls);
    return calls > 0;
}

static void add_word(Finder *finder, const FcSampledWord *word)
{
    const guint64 entered = word->current_word & ~FC_CURRENT_LEFT;
    const guint32 first = GPOINTER_TO_UINT(g_hash_table_lookup(finder->entered, &entered));
    const guint32 of_site = GPOINTER_TO_UINT(g_hash_table_lookup(finder->sites, &entered));
    gboolean is_known = TRUE;
    if (word->current_word == FC_CURRENT_HOOK)
        finder->found.hooks += word->weight;
    else if (entered == word->current_word)
        is_known = add_entered(finder, first, word);
    else
        is_known = add_left(finder, first, finder->next, word) ||
                   add_left(finder, of_site, finder->next_site, word);
    if (!is_known)
        finder->found.unknown += word->weight;
}

/* Samples in unknown code may be any function's.  They may be no larger a part of all than the
 * standard error of the fewest samples that are used. */
static gboolean are_enough(const FcFunctionSamples *samples, const FcObserved *observed)
{
    const double inside = observed->weight - samples->unknown - samples->outside;
    const double most = observed->weight / sqrt(FC_SAMPLES_LEAST);
    return inside > 0 && samples->unknown <= most;
}

FcFunctionSamples *fc_function_samples_of(const FcCounts *counts, const FcObserved *observed)
{
    if (!observed || !observed->words)
        return NULL;
    Finder finder = {
        .counts = counts,
        .found = {.seen = g_new0(double, counts->function_count + 1),
                  .variance = g_new0(double, counts->function_count + 1)},
        .entered = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
        .next = g_new0(guint32, counts->arc_count + 1),
        .sites = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
        .next_site = g_new0(guint32, counts->arc_count + 1),
    };
    index_arcs(&finder);
    for (guint i = 0; i < observed->words->len; i++)
        add_word(&finder, &g_array_index(observed->words, FcSampledWord, i));
    g_hash_table_unref(finder.entered);
    g_hash_table_unref(finder.sites);
    g_free(finder.next);
    g_free(finder.next_site);
    g_autoptr(FcFunctionSamples) found = g_memdup2(&finder.found, sizeof finder.found);
    return are_enough(found, observed) ? g_steal_pointer(&found) : NULL;
}

void fc_function_samples_free(FcFunctionSamples *samples)
{
    if (!samples)
        return;
    g_free(samples->seen);
    g_free(samples->variance);
    g_free(samples);
}
