/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See stretches.h.
 */
#include "fcmanager/stretches.h"

#include <math.h>

/* Fewer tell nothing. */
#define COUNT_LEAST 10.0
/* One sample in so many has a gap behind it (libfc/stretch.h), and no stretch. */
#define GAPS_EACH 4.0
/* They tell of a frame where so much of its time was in stretches, and where it is certain to this
 * part of how long one with hooks that work twice takes. */
#define COVERED 0.6
#define ERROR_MOST 0.15
/* And they tell nothing where few of them took most of the time, as each call in a thousand that
 * does much: which of these were with hooks that work twice is chance.  If all had been like the
 * one in the middle they would have taken at least this part of what they took: with the mixes of
 * tests/bench it was 0.76 to 1.1. */
#define ALIKE 0.7

/* Where they take longer by the part P of the time when they work twice, which is a longer way,
 * hooks took 1 - exp(-OF_TWICE P) of it: with those mixes, in two states of the machine, 0.2 to 0.5
 * where P was 0.75, 0.2 to 0.85 where it was 1.05, 0.6 to 0.95 where it was 1.5. */
#define OF_TWICE 0.85

/* That is one of two opinions, and counts as much as what calls and looks tell: of both the errors
 * are factors, and about as large.  Where it leaves less of the frame, by more than the part APART
 * of its time, hooks hold up what the processor would have done meanwhile, as loads that overlap or
 * the prediction of jumps, of which the others know nothing: there it counts more, up to MOST. */
#define EQUAL 0.5
#define APART 0.2
#define MORE 2.0
#define MOST 0.9

/* What changes by it may be wrong by this part of the change. */
#define WEIGHED_ERROR 0.5

/* The middle is found step by step: with the n-th value it goes up or down by so many times the
 * mean distance from it, divided by n.  Of values with a normal distribution it is then known to
 * about that distance times the second, divided by the root of n. */
#define STEP 2.0
#define MIDDLE_ERROR 1.6
#define SPREAD_LEAST 0.05

void fc_stretches_add(GArray *stretches, guint32 node, gboolean is_double, double ticks,
                      double weight)
{
    if (stretches->len <= node)
        g_array_set_size(stretches, node + 1);
    FcStretches *of = &g_array_index(stretches, FcStretches, node);
    const guint which = is_double ? 1 : 0;
    const double each = log(MAX(ticks, 1) / weight);
    const double count = ++of->count[which];
    of->ticks += ticks;
    of->weight[which] += weight;
    if (count <= 1)
    {
        of->middle[which] = each;
        return;
    }
    const double away = each - of->middle[which];
    of->spread[which] += (fabs(away) - of->spread[which]) / count;
    of->middle[which] += copysign(STEP * MAX(of->spread[which], SPREAD_LEAST) / count, away);
}

static void add_all(FcStretches *into, const FcStretches *from)
{
    for (guint which = 0; which < G_N_ELEMENTS(into->count); which++)
    {
        const double count = into->count[which] + from->count[which];
        const double part = count > 0 ? from->count[which] / count : 0;
        into->middle[which] += (from->middle[which] - into->middle[which]) * part;
        into->spread[which] += (from->spread[which] - into->spread[which]) * part;
        into->count[which] = count;
        into->weight[which] += from->weight[which];
    }
    into->ticks += from->ticks;
}

void fc_stretches_renumber(GArray *stretches, const guint32 *places)
{
    g_autoptr(GArray) old = g_array_copy(stretches);
    g_array_set_size(stretches, 0);
    for (guint32 i = 0; i < old->len; i++)
    {
        if (stretches->len <= places[i])
            g_array_set_size(stretches, places[i] + 1);
        add_all(&g_array_index(stretches, FcStretches, places[i]),
                &g_array_index(old, FcStretches, i));
    }
}

/* Of the stretches of a frame's contexts. */
typedef struct
{
    double once;     /* ticks, */
    double more;     /* and so many more twice */
    double variance; /* of that */
    double ticks;    /* that passed, */
    double usual;    /* and that would have if each stretch had been one from the middle */
    double cost;     /* of counted calls, by the calibration */
} Sums;

static double variance_of_middle(const FcStretches *of, guint which)
{
    const double error = MIDDLE_ERROR * MAX(of->spread[which], SPREAD_LEAST);
    return error * error / of->count[which];
}

static void add(Sums *sums, const FcStretches *of)
{
    if (of->count[0] < COUNT_LEAST || of->count[1] < COUNT_LEAST)
        return;
    const double count = of->count[0] + of->count[1];
    const double once = exp(of->middle[0]);
    const double twice = exp(of->middle[1]);
    const double error = count * twice;
    sums->once += count * once;
    sums->more += count * (twice - once);
    sums->variance += error * error * (variance_of_middle(of, 0) + variance_of_middle(of, 1));
    sums->ticks += of->ticks * GAPS_EACH / (GAPS_EACH - 1);
    sums->usual += (of->weight[0] * once + of->weight[1] * twice) * GAPS_EACH / (GAPS_EACH - 1);
}

/* Of a recorded frame. */
typedef struct
{
    double counted;    /* ticks that the hooks of counted calls took in it by the calibration, */
    double hooks;      /* and by its stretches */
    gboolean is_known; /* these tell something */
} StretchedFrame;

static StretchedFrame frame_of(const Sums *sums, double whole)
{
    StretchedFrame frame = {.counted = sums->cost};
    if (sums->once <= 0 || sums->cost <= 0)
        return frame;
    const double ticks = MIN(sums->ticks, whole);
    const double part = MAX(0, sums->more / sums->once);
    const double error = sqrt(sums->variance) / sums->once;
    if (ticks < COVERED * whole || sums->usual < ALIKE * sums->ticks ||
        error > ERROR_MOST * (1 + part))
        return frame;
    frame.is_known = TRUE;
    frame.hooks = (1 - exp(-OF_TWICE * part)) * ticks;
    return frame;
}

static StretchedFrame *find_frames(const FcCounts *counts, const GArray *stretches,
                                   const FcCallCosts *costs, const FcStretchedTimes *times,
                                   const double *whole)
{
    StretchedFrame *found = g_new0(StretchedFrame, counts->node_count);
    g_autofree Sums *sums = g_new0(Sums, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const FcCountsNode *node = &counts->nodes[i];
        const guint64 unrecorded = MIN(fc_counts_unrecorded(counts, i), node->calls);
        const FcCountsFunction *function = &counts->functions[node->function];
        const double each = fc_costs_of_recursion(costs, function, times->within[node->function]);
        Sums *of = &sums[times->frames[i]];
        of->cost += (double)unrecorded * each;
        if (i < stretches->len)
            add(of, &g_array_index(stretches, FcStretches, i));
    }
    for (guint32 i = 1; i < counts->node_count; i++)
        found[i] = frame_of(&sums[i], whole[i]);
    return found;
}

/* What is left of a frame, of which by calls and looks `after` is; of its `whole` time hooks took
 * `hooks` by the calibration. */
static double left_of(const StretchedFrame *frame, double whole, double hooks, double after)
{
    if (!frame->is_known)
        return after;
    const double recorded = MAX(0, hooks - frame->counted);
    const double left = MAX(whole - frame->hooks - recorded, whole / FC_LEAST_OF_CALLS);
    const double apart = (after - left) / whole;
    const double weight = MIN(EQUAL + MORE * MAX(0, apart - APART), MOST);
    return pow(after, 1 - weight) * pow(left, weight);
}

void fc_stretches_weigh(FcCounts *counts, const GArray *stretches, const FcCallCosts *costs,
                        const FcStretchedTimes *times)
{
    if (!stretches)
        return;
    g_autofree double *whole = g_new0(double, counts->node_count);
    g_autofree double *hooks = g_new0(double, counts->node_count);
    g_autofree double *after = g_new0(double, counts->node_count);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 frame = times->frames[i];
        whole[frame] += times->busy[i] + (double)times->removed[i];
        hooks[frame] += (double)times->removed[i];
        after[frame] += times->local[i];
    }
    g_autofree StretchedFrame *found = find_frames(counts, stretches, costs, times, whole);
    for (guint32 i = 1; i < counts->node_count; i++)
    {
        const guint32 frame = times->frames[i];
        if (after[frame] <= 0)
            continue;
        const double left = left_of(&found[frame], whole[frame], hooks[frame], after[frame]);
        const double change = times->local[i] * (left / after[frame] - 1);
        times->local[i] += change;
        FcCountsFunction *function = &counts->functions[counts->nodes[i].function];
        function->local_variance += WEIGHED_ERROR * WEIGHED_ERROR * change * change;
    }
}
