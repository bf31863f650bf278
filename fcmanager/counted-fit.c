/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fits what was estimated of a frame's counted calls to the time that the frame took, which is
 * known.
 *
 * The time stamps of a sampled call make the processor wait for what it does at once otherwise
 * (loads that overlap), and the seldom taken way to them is one that it does not foresee.  Both
 * are in the sample, and both are small beside a call of 200 ns but not beside one of 5.  A
 * constant for it is taken off (FcCallCosts.sampled), and is often too little.
 *
 * But between a time stamp and the next one there is either a part of a counted call or, behind it,
 * of what called it; and of the latter there are samples, too, the gaps.  Together these make up
 * the whole of the frame's time, each as often as there are calls.  So what the estimates of both
 * are too much in all is what the time stamps have added, and it is taken off where they are: alike
 * for each pair of them, and of none more than there is.
 *
 * What a frame has more than these estimates is what counting took beyond its calibration, as a
 * counted call in a large program costs up to twice as much as in a small one (a table that is not
 * in the nearest cache, jumps that are not foreseen, registers that are saved); if it is even more,
 * the frame does other work.  Where no gap is known, nothing is done.
 */
#include "fcmanager/counted-settle.h"

/* The sum of what lies between pairs of time stamps of one kind. */
typedef struct
{
    double room;  /* ticks that can be taken off it */
    double pairs; /* of time stamps */
    double taken;
} Interval;

/* Counting takes so much more than by its calibration at most. */
#define HOOKS_MORE 1.0
/* Of so many of the calls the gaps must be known. */
#define KNOWN_LEAST 0.9

/* What is left when intervals that have no more are left out concerns few. */
#define ROUNDS 16u

static void take(Interval *intervals, guint count, double excess)
{
    for (guint round = 0; round < ROUNDS && excess >= 1; round++)
    {
        double pairs = 0;
        for (guint i = 0; i < count; i++)
            if (intervals[i].taken < intervals[i].room)
                pairs += intervals[i].pairs;
        if (pairs <= 0)
            return;
        const double each = excess / pairs;
        for (guint i = 0; i < count; i++)
        {
            Interval *one = &intervals[i];
            const double more = MAX(0, MIN(each * one->pairs, one->room - one->taken));
            one->taken += more;
            excess -= more;
        }
    }
}

/* How much of the `more` that a frame has, and that nothing explains, hooks took, which by their
 * calibration took `hooks`: all of it up to HOOKS_MORE of that, from there on less and less, and
 * none from twice that on, as the frame does other work then. */
static double hidden_of(double more, double hooks)
{
    const double most = hooks * HOOKS_MORE;
    return MAX(0, MIN(more, 2 * most - more));
}

void fc_settle_fit(const FcSettle *settle, FcCountedShare *shares, guint count, double measured)
{
    g_autofree Interval *intervals = g_new0(Interval, 2 * (gsize)count);
    double sum = 0;
    double hooks = 0;
    double direct = 0; /* calls that the frame's function made, */
    double known = 0;  /* and those of which the gaps are known */
    for (guint i = 0; i < count; i++)
    {
        const FcCountedShare *share = &shares[i];
        sum += share->ticks;
        if (share->pair == FC_SHARE_OF_COSTS)
            continue;
        const FcCountedPair *pair =
            &g_array_index(settle->counted->pairs, FcCountedPair, share->pair);
        const double calls = share->untimed * fc_settle_estimated_part(pair);
        const double each =
            fc_costs_of_counted(settle->costs, &settle->counts->functions[pair->function]);
        hooks += share->untimed * each;
        sum += (share->untimed - calls) * each; /* what is too deep takes no more */
        intervals[2 * i] =
            (Interval){.room = share->ticks - calls * each, .pairs = calls * (1 + pair->callees)};
        if (settle->counts->nodes[share->node].parent != share->frame)
            continue;
        direct += calls;
        if (pair->gap < 0)
            continue;
        intervals[2 * i + 1] = (Interval){.room = calls * pair->gap, .pairs = calls};
        sum += calls * pair->gap;
        known += calls;
    }
    if (known > 0)
        take(intervals, 2 * count, sum - measured);
    if (known > KNOWN_LEAST * direct && sum < measured)
        fc_counts_add_hidden_cost(&settle->counts->hidden_costs, shares->frame,
                                  hidden_of(measured - sum, hooks));
    for (guint i = 0; i < count; i++)
        shares[i].ticks -= intervals[2 * i].taken;
}
