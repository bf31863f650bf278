/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates how long calls took within another one of their function: see counted-work.h.
 */
#include "fcmanager/estimate/counted-work.h"

/* By arc. */
typedef struct
{
    double total;
    double wait;
} Within;

typedef struct
{
    FcAttribution *work;
    double *counted;  /* by pair: calls within another one of the function that made no record, */
    double *recorded; /* and that did, */
    double *inner;    /* and both by context */
    GArray *arcs;     /* Within */
} Recursion;

static const FcCountedPair *pair_of(const Recursion *recursion, const FcCountedShare *share)
{
    return &g_array_index(recursion->work->counted->pairs, FcCountedPair, share->pair);
}

/* The context in whose time these calls are and which they are within: that of their function, or
 * the recorded frame, if that is further in; 0: they are not within another one. */
static guint32 holder_of(const Recursion *recursion, const FcCountedShare *share)
{
    const FcCounts *counts = recursion->work->counts;
    const FcCountsNode *node = &counts->nodes[share->node];
    if (share->pair == FC_SHARE_OF_OVERHEAD || share->frame == 0 || share->untimed <= 0)
        return 0;
    if (fc_attribution_is_on_path(counts, share->node, share->frame))
        return share->frame;
    /* a context is first called by the call site that it is told by */
    const FcCountedPair *pair = pair_of(recursion, share);
    const gboolean is_first = pair->site == node->site && pair->site_module == node->site_module;
    return is_first || node->site == FC_FOLDED_SITE ? 0 : share->node;
}

static double recorded_calls(const FcAttribution *work, const FcCountedPair *pair)
{
    guint64 calls = 0;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_attribution_link(work->next_arc, at - 1))
        calls += work->counts->arcs[at - 1].calls;
    return (double)(calls - MIN(pair->calls, calls));
}

/* With what of the pair was recorded, which is where the others of it are. */
static double calls_within(const Recursion *recursion, const FcCountedShare *share)
{
    const double part = share->untimed / recursion->counted[share->pair];
    return share->untimed + recursion->recorded[share->pair] * part;
}

static void find_calls(const Recursion *recursion)
{
    const GArray *shares = recursion->work->shares;
    for (guint i = 0; i < shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(shares, FcCountedShare, i);
        if (holder_of(recursion, share) == 0)
            continue;
        recursion->counted[share->pair] += share->untimed;
        recursion->recorded[share->pair] =
            recorded_calls(recursion->work, pair_of(recursion, share));
    }
    for (guint i = 0; i < shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(shares, FcCountedShare, i);
        if (holder_of(recursion, share) != 0)
            recursion->inner[share->node] += calls_within(recursion, share);
    }
}

/* Each call of the context, and each that is made within it, may be taken to have as long for
 * itself: the former are without the latter for so much of its time.  Where a recursion calls
 * itself at several places each is active for about as long, within the others. */
static void add_share(const Recursion *recursion, const FcCountedShare *share, guint32 holder,
                      guint32 arc)
{
    const FcCounts *counts = recursion->work->counts;
    const FcCountsNode *node = &counts->nodes[holder];
    const double outermost = MAX(1, (double)node->calls - recursion->inner[holder]);
    /* what was recorded of them has its own time */
    const double part = share->untimed / (calls_within(recursion, share) + outermost) *
                        fc_attribution_estimated_part(pair_of(recursion, share));
    if (recursion->arcs->len <= arc)
        g_array_set_size(recursion->arcs, arc + 1);
    Within *of = &g_array_index(recursion->arcs, Within, arc);
    of->total += part * (double)node->total;
    of->wait += part * (double)fc_counts_wait(counts->node_waits, holder).total;
}

static guint32 arc_of(const Recursion *recursion, const FcCountedShare *share)
{
    FcAttribution *work = recursion->work;
    const FcCountedPair pair = *pair_of(recursion, share); /* more of them may be made */
    return fc_attribution_arc_for_time(work, fc_attribution_likely_caller(work, &pair), pair.site,
                                       pair.site_module, pair.function);
}

/* Nothing of a function takes longer than it. */
static void add_to_arc(FcCounts *counts, guint32 index, const Within *within)
{
    FcCountsArc *arc = &counts->arcs[index];
    const FcCountsFunction *callee = &counts->functions[arc->callee];
    const guint64 wait = fc_counts_wait(counts->arc_waits, index).total;
    const guint64 most_wait = callee->wait_total - MIN(wait, callee->wait_total);
    const guint64 more_wait = MIN((guint64)(within->wait + 0.5), most_wait);
    const guint64 most = callee->total - MIN(arc->total, callee->total);
    arc->total += MIN((guint64)(within->total + 0.5), most);
    if (more_wait > 0)
        fc_counts_add_wait(&counts->arc_waits, index, (FcCountsCost){more_wait, 0});
}

void fc_attribution_recursion(FcAttribution *work)
{
    FcCounts *counts = work->counts;
    const guint pairs = work->counted->pairs->len;
    g_autofree double *counted = g_new0(double, pairs + 1);
    g_autofree double *recorded = g_new0(double, pairs + 1);
    g_autofree double *inner = g_new0(double, counts->node_count);
    g_autoptr(GArray) arcs = g_array_new(FALSE, TRUE, sizeof(Within));
    const Recursion recursion = {work, counted, recorded, inner, arcs};
    find_calls(&recursion);
    for (guint i = 0; i < work->shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(work->shares, FcCountedShare, i);
        const guint32 holder = holder_of(&recursion, share);
        if (holder != 0)
            add_share(&recursion, share, holder, arc_of(&recursion, share));
    }
    for (guint32 i = 0; i < arcs->len; i++)
        add_to_arc(counts, i, &g_array_index(arcs, Within, i));
}
