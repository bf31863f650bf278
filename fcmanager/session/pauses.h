/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pauses: times of which the user wants nothing in the profile (fcctl, include/fc.h, FC_START). The
 * program is recorded as before, so that its stacks are known.  At both ends of a pause a child
 * takes a snapshot, and what lies between the two is taken off each profile that is written.  Used
 * by session.c and session-files.c.
 */
#pragma once

#include "fcmanager/session/process.h"
#include "fcmanager/session/snapshots.h"

/* `process` is new.  `is_on`: it begins paused. */
void fc_pauses_begin(FcProcess *process, gboolean is_on);

/* Pauses or resumes the process; does nothing if it is in that state.  `order` has all but the
 * processes and what is written.  Returns when the snapshot's chunks are copied; a child works on.
 * FALSE and *error: the state is as before. */
gboolean fc_pauses_switch(FcProcess *process, gboolean is_on, FcSnapshots *snapshots,
                          FcSnapshotOrder *order, GError **error);

/* How long it was paused so far, in us. */
gint64 fc_pauses_length_us(const FcProcess *process);

/* Takes off `profile`, which was made of the process, what came in pauses.  Waits for children that
 * are at work.  Notes in the profile how long the pauses were, or that this failed. */
void fc_pauses_apply(const FcProcess *process, FcProfile *profile);
