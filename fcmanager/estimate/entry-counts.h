/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls and times of a thread whose entries are counted: the calls from its counters, exact; the
 * times from samples of where it executed, with a standard error that follows from their number. By
 * whom a function was called the samples' stacks tell: its calls are divided between its contexts
 * as its samples are.  Used by thread.c.
 */
#pragma once

#include "fcmanager/counts/counts.h"
#include "fcmanager/counts/entries.h"
#include "fcmanager/estimate/pc-samples.h"

/* Counters of a module that the thread has, or had. */
typedef struct
{
    guint64 address; /* of the first in the module */
    guint64 bytes;
    guint32 module;
    const guint8 *counters; /* in shared memory, which the program can write at any time */
} FcEntryCounters;

/* Adds all that, once.  `counters`: FcEntryCounters.  `seen`: NULL: there are no samples.  `ticks`:
 * in a nanosecond. */
void fc_entry_counts_add(FcCounts *counts, FcEntries *entries, const GArray *counters,
                         const FcPcSamples *seen, double ticks);
