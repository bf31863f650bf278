/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a finished process's ticks and numbers to a profile.  Called by session-files.c, which hands
 * it to files.c.  Pure: writes nothing.
 */
#pragma once

#include "fcmanager/session/process.h"
#include "profile/fc-profile.h"

/* The profile of the whole process, which must be finished, and whose counts it uses up.  The
 * caller frees it. */
FcProfile *fc_output_process(FcProcess *process, const char *unique_id);

/* The profile of one thread of it (THREAD mode), from the thread's own counts, whose functions must
 * be summed.  `with_heap`: with the process's heap, which must be finished. */
FcProfile *fc_output_thread(const FcProcess *process, const FcThreadResult *result,
                            const FcCounts *counts, gboolean with_heap, const char *unique_id);

/* A copy of such counts, for later.  The caller frees it. */
FcCounts *fc_output_keep(const FcProcess *process, const FcCounts *counts);
