/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long threads have waited so far, of which no record tells until they go on: for what is to be
 * known of them should they be killed.  Called by session.c.
 */
#pragma once

#include "fcmanager/session/process.h"

/* Begins with zeros. */
typedef struct
{
    gint64 time_us; /* when it was last looked, */
    guint turn;     /* and how many processes were looked at before */
} FcProcessLooks;

/* Asks the kernel, from time to time: of some threads of the processes, which have their turns
 * where there are many, and does nothing where the last time is not long ago. */
void fc_process_look_at_waits(GHashTable *processes, FcProcessLooks *looks);
