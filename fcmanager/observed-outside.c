/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See observed-outside.h.
 */
#include "fcmanager/observed-outside.h"

#include <math.h>

/* As a part of what hooks take, and as parts of what they cost by the calibration at least and at
 * most; measured with the mixes and real programs of tests/bench it was 0.1 to 1, most of it 0.3 on
 * an AMD EPYC and 0.5 to 1.1 on an Intel Xeon.  It may be wrong by the part OUTSIDE_ERROR. */
#define OUTSIDE 0.6
#define OUTSIDE_ERROR 0.5
#define OUTSIDE_LEAST 0.5
#define OUTSIDE_MOST 1.5

/* The same after inlining: with the mixes of tests/bench on an Intel Xeon it was 0.1 to 0.45 of
 * what hooks take. */
#define INLINED 0.35
#define INLINED_LEAST 0.1
#define INLINED_MOST 1.0

/* Of a call that was dissolved; of `accessors` of tests/bench some 8 ns with hooks are 0.4 without.
 */
#define DISSOLVED 1.0
#define DISSOLVED_ERROR 0.3

/* A function and a call site, as a number that no other pair is likely to have. */
static gpointer key_of(guint64 site, guint32 function)
{
    return GSIZE_TO_POINTER((site ^ (guint64)function << 48) * UINT64_C(0x9e3779b97f4a7c15) ^
                            function);
}

static GHashTable *find_called(const FcCounts *counts)
{
    GHashTable *called = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < counts->arc_count; i++)
        g_hash_table_add(called, key_of(counts->arcs[i].site, counts->arcs[i].callee));
    return called;
}

/* The hook of a function that was dissolved in its caller has the call site of that one. */
static gboolean is_dissolved(GHashTable *called, const FcCountsArc *arc)
{
    return arc->caller != 0 && arc->caller - 1 != arc->callee &&
           g_hash_table_contains(called, key_of(arc->site, arc->caller - 1));
}

FcOutside fc_outside_of(const FcCounts *counts, const FcCallCosts *costs, double hooks)
{
    FcOutside outside = {.dissolved = g_new0(double, counts->function_count + 1),
                         .others = g_new0(double, counts->function_count + 1)};
    g_autoptr(GHashTable) called = find_called(counts);
    double calls = 0;
    double counted = 0;
    for (guint32 i = 0; i < counts->arc_count; i++)
        calls += (double)counts->arcs[i].calls;
    for (guint32 i = 1; i < counts->node_count; i++)
        counted += (double)MIN(fc_counts_unrecorded(counts, i), counts->nodes[i].calls);
    const double inside = (hooks - (calls - counted) * costs->recorded) / MAX(1, counted);
    const double least = OUTSIDE_LEAST * costs->counted;
    const double most = OUTSIDE_MOST * costs->counted;
    const double inlined = costs->after_inlining;
    for (guint32 i = 0; i < counts->arc_count; i++)
    {
        const FcCountsArc *arc = &counts->arcs[i];
        const gboolean is_inlined = counts->functions[arc->callee].is_after_inlining;
        const gboolean dissolved = !is_inlined && is_dissolved(called, arc);
        const double each =
            is_inlined ? CLAMP(INLINED * inside, INLINED_LEAST * inlined, INLINED_MOST * inlined)
                       : CLAMP((dissolved ? DISSOLVED : OUTSIDE) * inside, least, most);
        const double ticks = (double)arc->calls * each;
        double *by_function = dissolved ? outside.dissolved : outside.others;
        outside.all += ticks;
        by_function[arc->callee] += ticks / 2;
        if (arc->caller != 0)
            by_function[arc->caller - 1] += ticks / 2;
    }
    return outside;
}

void fc_outside_clear(FcOutside *outside)
{
    g_clear_pointer(&outside->dissolved, g_free);
    g_clear_pointer(&outside->others, g_free);
}

double fc_outside_variance(const FcOutside *outside, guint32 function)
{
    const double others = OUTSIDE_ERROR * outside->others[function];
    const double dissolved = DISSOLVED_ERROR * outside->dissolved[function];
    return others * others + dissolved * dissolved;
}

double fc_outside_left(const FcOutside *outside, guint32 function, double seen)
{
    if (seen <= 0)
        return 0;
    /* less these where that is little beside it, and never below zero */
    const double less = seen * seen / (seen + outside->others[function]);
    const double dissolved = outside->dissolved[function];
    const double apart = less - dissolved;
    return (apart + hypot(apart, DISSOLVED_ERROR * dissolved)) / 2;
}
