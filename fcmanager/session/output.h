/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Turns the ticks and numbers of a finished process into a profile.  Called by session-files.c,
 * which passes it to files.c.  Does no input or output.
 */
#pragma once

#include "fcmanager/session/process.h"
#include "profile/fc-profile.h"

/* Returns the profile of the whole process, which must be finished.  Empties its counts.  The
 * caller frees the result. */
FcProfile *fc_output_process(FcProcess *process, const char *unique_id);

/* The profile of one thread (THREAD mode), from the thread's own counts, whose functions must be
 * summed.  `with_heap`: includes the process's heap; the process must be finished then. */
FcProfile *fc_output_thread(const FcProcess *process, const FcThreadResult *result,
                            const FcCounts *counts, gboolean with_heap, const char *unique_id);

/* Returns a copy of a thread's counts, for later.  The caller frees it. */
FcCounts *fc_output_keep(const FcProcess *process, const FcCounts *counts);
