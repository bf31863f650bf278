/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Guesses the caller from a call site if no recorded frame shows it: see counted-work.h.
 */
#include "fcmanager/estimate/counted-work.h"

/* A function is not the caller if its timed calls should have shown this many calls from the site
 * and showed none.  By chance that happens in 2 of 100 cases (Poisson). */
#define REFUTED_BY 4.0

guint64 fc_attribution_sure_calls(const FcAttribution *work, guint32 arc)
{
    const GArray *sure = work->counted->sure;
    return arc < sure->len ? g_array_index(sure, guint64, arc) : 0;
}

/* Returns the function (+ 1) that begins closest before the call site in the same module; 0: none.
 * The true caller may be another function, since unprofiled functions are not known. */
static guint32 function_before(const FcAttribution *work, const FcCountedPair *pair)
{
    const FcCounts *counts = work->counts;
    guint32 low = 0;
    guint32 high = counts->function_count;
    if (pair->site_module == FC_NONE)
        return 0;
    while (low < high)
    {
        guint32 middle = low + (high - low) / 2;
        const FcCountsFunction *function = &counts->functions[work->by_address[middle]];
        if (function->module < pair->site_module ||
            (function->module == pair->site_module && function->address < pair->site))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || counts->functions[work->by_address[low - 1]].module != pair->site_module)
        return 0;
    return work->by_address[low - 1] + 1;
}

/* Whether records rule out that `caller` calls the pair.  Records from before `caller` was counted,
 * when it had a frame, may show other callers.  Its timed calls, in which everything is recorded,
 * may show no such call. */
static gboolean is_refuted(const FcAttribution *work, const FcCountedPair *pair, guint32 caller)
{
    const FcCounted *counted = work->counted;
    const guint32 before = caller < counted->arcs_before->len
                               ? g_array_index(counted->arcs_before, guint32, caller)
                               : 0;
    const FcAttributedFunction *function = &work->functions[caller];
    /* with `likely`, the arcs have these calls already */
    guint64 calls = work->likely ? 0 : pair->calls;
    gboolean was_there = FALSE;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
    {
        const FcCountsArc *arc = &work->counts->arcs[at - 1];
        if (arc->caller == caller + 1 &&
            (arc->calls > 0 || fc_attribution_sure_calls(work, at - 1) > 0))
            return FALSE;
        was_there = was_there || at <= before;
        calls += arc->calls;
    }
    if (was_there)
        return TRUE;
    return function->calls > 0 &&
           (double)function->complete * (double)calls >= REFUTED_BY * (double)function->calls;
}

/* Returns the function (+ 1) below which most calls of the pair were recorded; 0: none. */
static guint32 most_recorded_caller(const FcAttribution *work, const FcCountedPair *pair)
{
    guint64 most = 0;
    guint32 best = 0;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
    {
        const FcCountsArc *arc = &work->counts->arcs[at - 1];
        if (arc->calls <= most)
            continue;
        most = arc->calls;
        best = arc->caller;
    }
    return best;
}

static guint32 find_likely_caller(const FcAttribution *work, const FcCountedPair *pair)
{
    guint32 found = function_before(work, pair);
    if (found != 0 && is_refuted(work, pair, found - 1))
        found = 0;
    return found != 0 ? found : most_recorded_caller(work, pair);
}

guint32 fc_attribution_likely_caller(const FcAttribution *work, const FcCountedPair *pair)
{
    const FcMapSlot *slot = work->likely
                                ? fc_map_find(&work->counted->pair_map, pair->site,
                                              (guint64)(gint64)pair->site_module, pair->function)
                                : NULL;
    if (!slot)
        return find_likely_caller(work, pair);
    guint32 *known = fc_attribution_link(work->likely, slot->value - 1);
    if (*known == 0)
        *known = find_likely_caller(work, pair) + 1;
    return *known - 1;
}

guint32 fc_attribution_hidden_caller(const FcAttribution *work, const FcCountedPair *pair,
                                     guint32 function)
{
    const guint32 own =
        fc_counts_find_arc(work->counts, function, pair->site, pair->site_module, pair->function);
    gboolean any = FALSE;
    guint64 most = 0;
    guint32 best = 0;
    if (own != 0 && fc_attribution_sure_calls(work, own - 1) > 0)
        return 0;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
    {
        const FcCountsArc *arc = &work->counts->arcs[at - 1];
        guint64 calls = fc_attribution_sure_calls(work, at - 1);
        if (calls == 0)
            continue;
        any = TRUE;
        if (arc->caller != 0 && work->is_counted[arc->caller - 1] && calls > most)
        {
            most = calls;
            best = arc->caller;
        }
    }
    if (!any && function != 0) /* with `any`, the caller is more likely unprofiled */
    {
        best = fc_attribution_likely_caller(work, pair);
        if (best == function || best == 0 || !work->is_counted[best - 1])
            best = 0;
    }
    return best;
}

gboolean fc_attribution_is_sure(const FcAttribution *work, const FcCountedPair *pair)
{
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
        if (fc_attribution_sure_calls(work, at - 1) > 0)
            return TRUE;
    return FALSE;
}
