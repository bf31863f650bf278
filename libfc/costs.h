/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What profiling adds to a call, as measured here and now: fcmanager takes it off the times.
 */
#pragma once

/* Calls the hooks for about a millisecond and tells fcmanager what a recorded and a counted call
 * cost; tells nothing where there is no memory for that, or the clock shows no such times.  No
 * record comes of it.  Once in a session, when its first process has introduced itself.  Signals
 * blocked. */
void fc_costs_tell(void);
