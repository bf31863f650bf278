/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a process did between two snapshots of it, and without such a part.  Called by the tools and
 * by fcmanager.
 */
#pragma once

#include "profile/fc-profile.h"

/* Leaves in `later` what was added since `earlier`: calls and times of functions, arcs, contexts
 * and threads.  Calls are exact.  An estimated time may be smaller in the later profile; then the
 * difference is 0.  Its error is that of both.  Extremes of single calls, memory, the slowest calls
 * and latencies by arc are not known for the time between, so they are deleted.  FALSE and *error:
 * these are not snapshots of one process. */
gboolean fc_profile_subtract(FcProfile *later, const FcProfile *earlier, GError **error);

/* Takes off `profile` what `part`, the difference of two earlier snapshots of the same process,
 * has. What is no sum is treated likewise, but memory stays as it is, and so do the extremes of
 * functions that are not in `part`. */
void fc_profile_take_off(FcProfile *profile, const FcProfile *part);
