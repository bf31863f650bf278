/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which times are shown: on the CPU, off it, or both; with or without overhead.  Called by
 * model/load.c.
 */
#include "profile/table.h"

FcProfileBounds fc_profile_cpu_bounds(const FcProfileFunction *function)
{
    return function->has_cpu_bounds ? function->cpu : function->bounds;
}

FcProfileBounds fc_profile_elapsed_bounds(const FcProfileFunction *function)
{
    return function->has_elapsed_bounds ? function->elapsed : function->bounds;
}

static void add(guint64 *to, guint64 amount)
{
    if (__builtin_add_overflow(*to, amount, to))
        *to = G_MAXUINT64;
}

void fc_profile_add_times(FcProfileTimes *into, const FcProfileTimes *other)
{
    add(&into->total_ns, other->total_ns);
    add(&into->local_ns, other->local_ns);
    add(&into->total_cost_ns, other->total_cost_ns);
    add(&into->local_cost_ns, other->local_cost_ns);
    add(&into->total_wait_ns, other->total_wait_ns);
    add(&into->local_wait_ns, other->local_wait_ns);
}

void fc_profile_add_off(FcProfileOff **to, const FcProfileOff *more)
{
    if (!more)
        return;
    if (!*to)
        *to = g_new0(FcProfileOff, 1);
    add(&(*to)->preempted_ns, more->preempted_ns);
    for (guint kind = 0; kind < FC_WAIT_KINDS; kind++)
        add(&(*to)->kind_ns[kind], more->kind_ns[kind]);
}

/* ---- All times of a profile ------------------------------------------------------------- */

typedef void (*Change)(FcProfileTimes *times, FcTimePart part);

static void change_array(gconstpointer owner, FcArrayName name, Change change, FcTimePart part)
{
    const GArray *array = fc_array_of(owner, name);
    for (guint i = 0; fc_arrays[name].times > 0 && array && i < array->len; i++)
        change((gpointer)((char *)fc_array_record(array, name, i) + fc_arrays[name].times), part);
}

static void change_all(FcProfile *profile, Change change, FcTimePart part)
{
    for (FcArrayName name = 0; name < FC_ARRAY_OF_THREAD; name++)
        change_array(profile, name, change, part);
    for (guint i = 0; i < profile->threads->len; i++)
        for (FcArrayName name = FC_ARRAY_OF_THREAD; name < FC_ARRAY_COUNT; name++)
            change_array(&g_array_index(profile->threads, FcProfileThread, i), name, change, part);
}

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

static void choose_bounds(FcProfileFunction *function)
{
    const FcProfileBounds elapsed = function->bounds;
    if (!function->has_cpu_bounds)
        return;
    function->bounds = function->cpu;
    function->elapsed = elapsed;
    function->has_cpu_bounds = FALSE;
    function->has_elapsed_bounds = TRUE;
}

void fc_profile_choose_time(FcProfile *profile, FcTimePart part)
{
    if (part == FC_TIME_PART_WALL)
        return;
    change_all(profile, choose_times, part);
    for (guint i = 0; part == FC_TIME_PART_CPU && i < profile->functions->len; i++)
        choose_bounds(&g_array_index(profile->functions, FcProfileFunction, i));
}

static void put_back(FcProfileTimes *times, FcTimePart part)
{
    add(&times->total_ns, times->total_cost_ns);
    add(&times->local_ns, times->local_cost_ns);
    times->total_cost_ns = times->local_cost_ns = 0;
}

void fc_profile_put_costs_back(FcProfile *profile)
{
    change_all(profile, put_back, FC_TIME_PART_WALL);
}
