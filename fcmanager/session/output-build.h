/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What output.c, output-heap.c and output-mpi.c share.  No other file includes it.
 */
#pragma once

#include "fcmanager/session/process.h"

typedef struct
{
    const FcProcess *process;
    const FcClock *clock;
    FcProfile *profile;
    guint64 origin; /* ticks: when the process started */
    /* Maps nodes of the process's own counts to nodes of the profile, if the profile is made from
     * other counts. */
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

static inline FcProfileLocation fc_output_place_of(const FcOutputBuild *build, guint64 address,
                                                   gint module)
{
    FcProfileLocation place = {.address = address, .offset = address, .module = module};
    if (module != FC_NONE)
        place.offset -= fc_modules_get(build->process->modules, (guint)module)->base;
    return place;
}

/* Fills in the profile's heap and its lists of version 3.0, if there is a heap. */
void fc_output_add_heap(FcOutputBuild *build);

/* Fills in the figures of MPI, if there are any. */
void fc_output_add_mpi(FcOutputBuild *build);
