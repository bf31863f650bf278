/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What output.c and output-heap.c have in common.  Nobody else includes it.
 */
#pragma once

#include "fcmanager/session/process.h"

typedef struct
{
    const FcProcess *process;
    const FcClock *clock;
    FcProfile *profile;
    guint64 origin; /* ticks: the process's start */
    /* Where the profile is not made from the process's own counts: for each node of those, the
     * profile's. */
    const guint32 *heap_nodes;
} FcOutputBuild;

static inline guint64 fc_output_to_ns(const FcOutputBuild *build, guint64 ticks)
{
    return fc_clock_to_ns(build->clock, ticks);
}

static inline guint64 fc_output_since_start(const FcOutputBuild *build, guint64 time)
{
    return time > build->origin ? fc_output_to_ns(build, time - build->origin) : 0;
}

static inline FcProfilePlace fc_output_place_of(const FcOutputBuild *build, guint64 address,
                                                gint module)
{
    FcProfilePlace place = {.address = address, .offset = address, .module = module};
    if (module != FC_NONE)
        place.offset -= fc_modules_get(build->process->modules, (guint)module)->base;
    return place;
}

/* Fills the profile's heap and its lists of version 3.0, where there is a heap. */
void fc_output_add_heap(FcOutputBuild *build);
