/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Estimates how long calls took within another one of their function: see counted-settle.h.
 */
#include "fcmanager/counted-settle.h"

/* By arc. */
typedef struct
{
    double total;
    double wait;
} Within;

typedef struct
{
    FcSettle *settle;
    double
        *counted; /* by pair: its calls within another one of the function, that made no record */
    double *recorded; /* and the others of it, */
    double *inner;    /* which by context are so many */
    GArray *arcs;     /* Within */
} Recursion;

static const FcCountedPair *pair_of(const Recursion *recursion, const FcCountedShare *share)
{
    return &g_array_index(recursion->settle->counted->pairs, FcCountedPair, share->pair);
}

/* 0: they have a context of their own, or no time. */
static double calls_within(const Recursion *recursion, const FcCountedShare *share)
{
    if (share->pair == FC_SHARE_OF_COSTS || share->frame == 0 ||
        !fc_settle_is_on_path(recursion->settle->counts, share->node, share->frame))
        return 0;
    return share->untimed * fc_settle_estimated_part(pair_of(recursion, share));
}

static double recorded_calls(const FcSettle *settle, const FcCountedPair *pair)
{
    guint64 calls = 0;
    for (guint32 at = pair->first_arc; at != 0; at = *fc_settle_link(settle->next_arc, at - 1))
        calls += settle->counts->arcs[at - 1].calls;
    return (double)(calls - MIN(pair->calls, calls));
}

/* What of a pair was recorded is where the others of it are. */
static double recorded_within(const Recursion *recursion, const FcCountedShare *share, double calls)
{
    return recursion->recorded[share->pair] * calls / recursion->counted[share->pair];
}

static void find_calls(const Recursion *recursion)
{
    const GArray *shares = recursion->settle->shares;
    for (guint i = 0; i < shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(shares, FcCountedShare, i);
        const double calls = calls_within(recursion, share);
        if (calls <= 0)
            continue;
        recursion->counted[share->pair] += calls;
        recursion->recorded[share->pair] =
            recorded_calls(recursion->settle, pair_of(recursion, share));
    }
    for (guint i = 0; i < shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(shares, FcCountedShare, i);
        const double calls = calls_within(recursion, share);
        if (calls > 0)
            recursion->inner[share->node] += recorded_within(recursion, share, calls);
    }
}

/* Each call of the frame, and each that is made within it, may be taken to have as long for itself:
 * the former are without the latter for so much of the frame's time.  Where a recursion calls
 * itself at several places each is active for about as long, within the others. */
static void add_share(const Recursion *recursion, const FcCountedShare *share, double calls,
                      guint32 arc)
{
    const FcCounts *counts = recursion->settle->counts;
    const FcCountsNode *node = &counts->nodes[share->frame];
    const guint64 unrecorded = MIN(fc_counts_unrecorded(counts, share->frame), node->calls);
    const double outermost =
        MAX(1, (double)(node->calls - unrecorded) - recursion->inner[share->frame]);
    const double within = calls + recorded_within(recursion, share, calls);
    const double part = within / (within + outermost);
    if (recursion->arcs->len <= arc)
        g_array_set_size(recursion->arcs, arc + 1);
    Within *of = &g_array_index(recursion->arcs, Within, arc);
    of->total += part * (double)node->total;
    of->wait += part * (double)fc_counts_wait(counts->node_waits, share->frame).total;
}

static guint32 arc_of(const Recursion *recursion, const FcCountedShare *share)
{
    FcSettle *settle = recursion->settle;
    const FcCountedPair pair = *pair_of(recursion, share); /* more of them may be made */
    return fc_settle_arc_for_time(settle, fc_settle_likely_caller(settle, &pair), pair.site,
                                  pair.site_module, pair.function);
}

static guint64 beyond(double estimate, guint64 known)
{
    return estimate > (double)known ? (guint64)(estimate - (double)known + 0.5) : 0;
}

void fc_settle_recursion(FcSettle *settle)
{
    FcCounts *counts = settle->counts;
    const guint pairs = settle->counted->pairs->len;
    g_autofree double *counted = g_new0(double, pairs + 1);
    g_autofree double *recorded = g_new0(double, pairs + 1);
    g_autofree double *inner = g_new0(double, counts->node_count);
    g_autoptr(GArray) arcs = g_array_new(FALSE, TRUE, sizeof(Within));
    const Recursion recursion = {settle, counted, recorded, inner, arcs};
    find_calls(&recursion);
    for (guint i = 0; i < settle->shares->len; i++)
    {
        const FcCountedShare *share = &g_array_index(settle->shares, FcCountedShare, i);
        const double calls = calls_within(&recursion, share);
        if (calls > 0)
            add_share(&recursion, share, calls, arc_of(&recursion, share));
    }
    for (guint32 i = 0; i < arcs->len; i++)
    {
        /* what was recorded is part of that time */
        const Within *of = &g_array_index(arcs, Within, i);
        const guint64 wait = fc_counts_wait(counts->arc_waits, i).total;
        counts->arcs[i].total += beyond(of->total, counts->arcs[i].total);
        if (beyond(of->wait, wait) > 0)
            fc_counts_add_wait(&counts->arc_waits, i, (FcCountsCost){beyond(of->wait, wait), 0});
    }
}
