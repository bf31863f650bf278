/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long the manager sleeps between two reads of the pipe while records come.  As long as it
 * polls, no writer has to wake it; a wake-up costs the writer more than the records did.
 */
#pragma once

#include <glib.h>

/* The state of one polling phase. */
typedef struct
{
    glong ns;     /* the next interval */
    guint halved; /* how often the longest interval was halved in this phase */
} FcPollInterval;

/* Begins a phase.  `is_beside_others`: there are other processes, which may end during it and
 * then wait for the manager. */
void fc_poll_interval_begin(FcPollInterval *interval, gboolean is_beside_others);

/* Chooses the next interval after one in which `came` messages came.  `is_streamed`: as
 * fc_shared_is_streamed(). */
void fc_poll_interval_adapt(FcPollInterval *interval, gboolean is_streamed, gsize came);

/* A thread found no free chunk: the intervals are shorter until the end of the phase. */
void fc_poll_interval_shorten(FcPollInterval *interval, gboolean is_streamed);
