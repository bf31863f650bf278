/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a process did between two snapshots of it.  Called by the tools.
 */
#pragma once

#include "profile/fc-profile.h"

/* Leaves in `later` what came to it since `earlier`: calls and times of functions, arcs, contexts
 * and threads.  Calls are exact.  A time that was estimated may have been estimated as less later:
 * it is 0 then, and the error is that of both.  The least and the most of single calls are not
 * known, nor what was kept of memory, of the slowest calls and of latencies by arc.  FALSE and
 * *error: these are no snapshots of one process. */
gboolean fc_profile_subtract(FcProfile *later, const FcProfile *earlier, GError **error);
