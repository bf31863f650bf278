/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the instrumentation overhead of a call on this machine.  fcmanager subtracts it from the
 * times.
 */
#pragma once

#include "libfc/fc-format.h"

#include <stdbool.h>

/* Calls the hooks for about a millisecond to measure a recorded and a counted call.  Sends no
 * record.  False: there is no memory, or the clock is too coarse.  Called once in a session,
 * after its first process has said hello.  Signals blocked. */
bool fc_overhead_measure(struct FcOverhead *overhead);
