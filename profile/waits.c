/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which part of the times is looked at: on the CPU, off it, or both.  Called by model/load.c.
 */
#include "profile/fc-profile.h"

/* No part is larger than the whole. */
static void choose(guint64 *time, guint64 wait, FcTimePart part)
{
    const guint64 bounded = MIN(wait, *time);
    *time = part == FC_TIME_PART_WAIT ? bounded : *time - bounded;
}

static void choose_times(FcProfileTimes *times, FcTimePart part)
{
    choose(&times->total_ns, times->total_wait_ns, part);
    choose(&times->local_ns, times->local_wait_ns, part);
}

FcProfileBounds fc_profile_cpu_bounds(const FcProfileFunction *function)
{
    return function->has_cpu_bounds ? function->cpu : function->bounds;
}

FcProfileBounds fc_profile_elapsed_bounds(const FcProfileFunction *function)
{
    return function->has_elapsed_bounds ? function->elapsed : function->bounds;
}

static void choose_bounds(FcProfileFunction *function)
{
    const FcProfileBounds cpu = fc_profile_cpu_bounds(function);
    function->elapsed = fc_profile_elapsed_bounds(function);
    function->has_elapsed_bounds = function->has_cpu_bounds;
    function->bounds = cpu;
}

static void choose_of_threads(FcProfile *profile, FcTimePart part)
{
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const GArray *functions = g_array_index(profile->threads, FcProfileThread, i).functions;
        for (guint j = 0; functions && j < functions->len; j++)
            choose_times(&g_array_index(functions, FcProfileThreadFunction, j).times, part);
        const GArray *arcs = g_array_index(profile->threads, FcProfileThread, i).arcs;
        for (guint j = 0; arcs && j < arcs->len; j++)
            choose_times(&g_array_index(arcs, FcProfileThreadArc, j).times, part);
    }
}

void fc_profile_choose_time(FcProfile *profile, FcTimePart part)
{
    if (part == FC_TIME_PART_WALL)
        return;
    for (guint i = 0; i < profile->functions->len; i++)
    {
        FcProfileFunction *function = &g_array_index(profile->functions, FcProfileFunction, i);
        choose_times(&function->times, part);
        if (part == FC_TIME_PART_CPU)
            choose_bounds(function);
    }
    for (guint i = 0; i < profile->arcs->len; i++)
        choose_times(&g_array_index(profile->arcs, FcProfileArc, i).times, part);
    for (guint i = 0; i < profile->contexts->len; i++)
        choose_times(&g_array_index(profile->contexts, FcProfileContext, i).times, part);
    choose_of_threads(profile, part);
}
