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

static FcProfileBounds chosen_bounds(const FcProfileFunction *function)
{
    return (FcProfileBounds){function->total_min_ns, function->total_max_ns, function->local_min_ns,
                             function->local_max_ns};
}

FcProfileBounds fc_profile_cpu_bounds(const FcProfileFunction *function)
{
    return function->has_cpu_bounds ? function->cpu : chosen_bounds(function);
}

FcProfileBounds fc_profile_elapsed_bounds(const FcProfileFunction *function)
{
    return function->has_elapsed_bounds ? function->elapsed : chosen_bounds(function);
}

static void choose_bounds(FcProfileFunction *function)
{
    const FcProfileBounds cpu = fc_profile_cpu_bounds(function);
    function->elapsed = fc_profile_elapsed_bounds(function);
    function->has_elapsed_bounds = function->has_cpu_bounds;
    function->total_min_ns = cpu.total_min_ns;
    function->total_max_ns = cpu.total_max_ns;
    function->local_min_ns = cpu.local_min_ns;
    function->local_max_ns = cpu.local_max_ns;
}

static void choose_of_threads(FcProfile *profile, FcTimePart part)
{
    for (guint i = 0; i < profile->threads->len; i++)
    {
        const GArray *functions = g_array_index(profile->threads, FcProfileThread, i).functions;
        for (guint j = 0; functions && j < functions->len; j++)
        {
            FcProfileThreadFunction *function =
                &g_array_index(functions, FcProfileThreadFunction, j);
            choose(&function->total_ns, function->total_wait_ns, part);
            choose(&function->local_ns, function->local_wait_ns, part);
        }
        const GArray *arcs = g_array_index(profile->threads, FcProfileThread, i).arcs;
        for (guint j = 0; arcs && j < arcs->len; j++)
        {
            FcProfileThreadArc *arc = &g_array_index(arcs, FcProfileThreadArc, j);
            choose(&arc->total_ns, arc->wait_ns, part);
        }
    }
}

void fc_profile_choose_time(FcProfile *profile, FcTimePart part)
{
    if (part == FC_TIME_PART_WALL)
        return;
    for (guint i = 0; i < profile->functions->len; i++)
    {
        FcProfileFunction *function = &g_array_index(profile->functions, FcProfileFunction, i);
        choose(&function->total_ns, function->total_wait_ns, part);
        choose(&function->local_ns, function->local_wait_ns, part);
        if (part == FC_TIME_PART_CPU)
            choose_bounds(function);
    }
    for (guint i = 0; i < profile->arcs->len; i++)
    {
        FcProfileArc *arc = &g_array_index(profile->arcs, FcProfileArc, i);
        choose(&arc->total_ns, arc->wait_ns, part);
    }
    for (guint i = 0; i < profile->contexts->len; i++)
    {
        FcProfileContext *context = &g_array_index(profile->contexts, FcProfileContext, i);
        choose(&context->total_ns, context->total_wait_ns, part);
        choose(&context->local_ns, context->local_wait_ns, part);
    }
    choose_of_threads(profile, part);
}
