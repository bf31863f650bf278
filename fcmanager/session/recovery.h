/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is left where the program and its manager are killed together, as batch systems and
 * containers do: now and then a child writes the profile so far under the name of the run's
 * profile.  The profile of the whole run replaces it.  Used by session.c.
 */
#pragma once

#include "fcmanager/session/files.h"
#include "fcmanager/session/snapshots.h"

typedef struct
{
    FcSnapshots snapshots;
    gint64 began_us; /* when the session began */
    gint64 next_us;  /* when the next one is due; of no use while a child is at work */
    gint64 spent_us; /* what `snapshots` had cost when the last one began */
    gint64 taken_us; /* when that was; 0: there was none */
} FcRecovery;

void fc_recovery_init(FcRecovery *recovery);
void fc_recovery_clear(FcRecovery *recovery);

/* To be called often, when the pipe was read a moment ago.  If one is due, writes the profile so
 * far of the oldest process in `processes` that still runs.  `order` has all but the processes and
 * what is written.  A failure is not told: the profile of the whole run is what matters. */
void fc_recovery_round(FcRecovery *recovery, GHashTable *processes, FcSnapshotOrder *order,
                       FcFiles *files);

/* Returns when the child that is at work, if any, is done. */
void fc_recovery_wait(FcRecovery *recovery);
