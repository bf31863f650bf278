/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What profiling adds to a call, as measured here and now: fcmanager takes it off the times.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>

/* Calls the hooks for about a millisecond to learn what a recorded and a counted call cost; false
 * where there is no memory for that, or the clock shows no such times.  No record comes of it.
 * Once in a session, when its first process has introduced itself.  Signals blocked. */
bool fc_overhead_measure(struct FcOverhead *overhead);
