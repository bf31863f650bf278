/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Samples of waiting threads: what they wait for, and how long they have waited so far.  A thread
 * makes no record of a wait before it goes on, so this is all that is known of a wait if the thread
 * is killed in it.  Called by session.c.
 */
#pragma once

#include "fcmanager/session/process.h"

/* Initialized with zeros. */
typedef struct
{
    gint64 begun_us; /* the time of the first round */
    gint64 next_us;  /* time of the next round */
    guint turn;      /* rotates which processes are sampled first */
} FcWaitSampling;

/* Asks the kernel about some threads of the processes; many threads take turns.  Does nothing if
 * the last round was a short time ago.  Returns in how many ms it wants to be called again. */
guint fc_process_sample_waits(GHashTable *processes, FcWaitSampling *sampling);
