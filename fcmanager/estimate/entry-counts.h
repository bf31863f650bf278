/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls and times of a thread whose function entries are counted.  The calls are exact, from its
 * counters, and so are the callers where a call site names the function.  The times come from
 * samples of where it executed; their standard error follows from the number of samples.  The
 * samples' stacks show the contexts: an arc's calls are divided between them as its samples are.
 * Used by thread.c.
 */
#pragma once

#include "fcmanager/counts/counts.h"
#include "fcmanager/counts/entries.h"
#include "fcmanager/estimate/pc-samples.h"

/* Counters of a module that the thread has or had. */
typedef struct
{
    guint64 address; /* of the first function entry in the module */
    guint64 bytes;
    guint32 module;
    const guint8 *counters; /* in shared memory, which the program can write at any time */
} FcEntryCounters;

/* Adds the calls and times to `counts`, once.  `counters`: FcEntryCounters.  `seen`: NULL: there
 * are no samples.  `ticks`: ticks per nanosecond. */
void fc_entry_counts_add(FcCounts *counts, FcEntries *entries, const GArray *counters,
                         const FcPcSamples *seen, double ticks);
