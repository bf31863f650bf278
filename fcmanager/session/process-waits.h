/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples how long sleeping threads have waited so far.  A thread makes no record of a wait before
 * it goes on, so this is all that is known of a wait if the thread is killed in it.  Called by
 * session.c.
 */
#pragma once

#include "fcmanager/session/process.h"

/* Initialized with zeros. */
typedef struct
{
    gint64 time_us; /* the time of the last round */
    guint turn;     /* how many processes were sampled before */
} FcWaitSampling;

/* Asks the kernel about some threads of the processes; where there are many threads they take
 * turns.  Does nothing if the last round was a short time ago. */
void fc_process_sample_waits(GHashTable *processes, FcWaitSampling *sampling);
