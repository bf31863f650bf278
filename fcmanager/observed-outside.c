/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See observed-outside.h.
 */
#include "fcmanager/observed-outside.h"

/* As a part of what hooks take, and as parts of what they cost by the calibration at least and at
 * most; measured with the mixes and real programs of tests/bench it was 0.1 to 1, most of it 0.3 on
 * an AMD EPYC and 0.5 to 1.1 on an Intel Xeon. */
#define OUTSIDE 0.6
#define OUTSIDE_LEAST 0.5
#define OUTSIDE_MOST 1.5

/* The same after inlining: with the mixes of tests/bench on an Intel Xeon it was 0.1 to 0.45 of
 * what hooks take. */
#define INLINED 0.35
#define INLINED_LEAST 0.1
#define INLINED_MOST 1.0

static double of_call(const FcOutside *outside, const FcCounts *counts, guint32 arc)
{
    return outside->each[counts->functions[counts->arcs[arc].callee].is_after_inlining ? 1 : 0];
}

FcOutside fc_outside_of(const FcCounts *counts, const FcCallCosts *costs, double hooks)
{
    FcOutside outside = {.all = 0};
    double calls = 0;
    double counted = 0;
    for (guint32 i = 0; i < counts->arc_count; i++)
        calls += (double)counts->arcs[i].calls;
    for (guint32 i = 1; i < counts->node_count; i++)
        counted += (double)MIN(fc_counts_unrecorded(counts, i), counts->nodes[i].calls);
    const double each = (hooks - (calls - counted) * costs->recorded) / MAX(1, counted);
    const double inlined = costs->after_inlining;
    outside.each[0] =
        CLAMP(OUTSIDE * each, OUTSIDE_LEAST * costs->counted, OUTSIDE_MOST * costs->counted);
    outside.each[1] = CLAMP(INLINED * each, INLINED_LEAST * inlined, INLINED_MOST * inlined);
    for (guint32 i = 0; i < counts->arc_count; i++)
        outside.all += (double)counts->arcs[i].calls * of_call(&outside, counts, i);
    return outside;
}

double *fc_outside_of_functions(const FcOutside *outside, const FcCounts *counts)
{
    double *ticks = g_new0(double, counts->function_count);
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        const double half = (double)arc->calls * of_call(outside, counts, i) / 2;
        ticks[arc->callee] += half;
        if (arc->caller != 0)
            ticks[arc->caller - 1] += half;
    }
    return ticks;
}
